//! A stack machine per thread: enums with data, while let, guards, Option and Result, a local stack.
use lanework::prelude::*;

#[device]
#[derive(Clone, Copy, Debug, PartialEq)]
enum MachineOp {
    Push(i64),
    Add,
    Mul,
    Dup,
    Swap,
    JumpIfNegative(usize),
    Arg,
    Halt,
}

#[device]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MachineFault {
    Underflow,
    Overflow,
    BadOp(u8),
    Timeout { steps: u32 },
}

const STACK: usize = 8;
const LIMIT: u32 = 1000;

#[device]
struct Stack {
    values: [i64; STACK],
    depth: usize,
}

#[device]
impl Stack {
    const fn new() -> Self {
        Stack { values: [0; STACK], depth: 0 }
    }
    fn push(&mut self, v: i64) -> Result<(), MachineFault> {
        if self.depth == STACK {
            return Err(MachineFault::Overflow);
        }
        self.values[self.depth] = v;
        self.depth += 1;
        Ok(())
    }
    fn pop(&mut self) -> Result<i64, MachineFault> {
        self.depth = self.depth.checked_sub(1).ok_or(MachineFault::Underflow)?;
        Ok(self.values[self.depth])
    }
}

#[device]
fn decode(code: &[u8], at: usize) -> Option<Result<(MachineOp, usize), MachineFault>> {
    let byte = *code.get(at)?;
    let operand = || code.get(at + 1).copied().unwrap_or(0);
    Some(Ok(match byte {
        0 => (MachineOp::Halt, 1),
        1 => (MachineOp::Push(operand() as i8 as i64), 2),
        2 => (MachineOp::Add, 1),
        3 => (MachineOp::Mul, 1),
        4 => (MachineOp::Dup, 1),
        5 => (MachineOp::Swap, 1),
        6 => (MachineOp::JumpIfNegative(operand() as usize), 2),
        7 => (MachineOp::Arg, 1),
        bad @ 8.. => return Some(Err(MachineFault::BadOp(bad))),
    }))
}

#[device]
fn execute(code: &[u8], arg: i64) -> Result<i64, MachineFault> {
    let mut stack = Stack::new();
    let (mut pc, mut steps) = (0, 0u32);
    while let Some(op) = decode(code, pc) {
        let (op, length) = op?;
        pc += length;
        steps += 1;
        if steps > LIMIT {
            return Err(MachineFault::Timeout { steps });
        }
        match op {
            MachineOp::Push(v) => stack.push(v)?,
            MachineOp::Arg => stack.push(arg)?,
            MachineOp::Add | MachineOp::Mul => {
                let (b, a) = (stack.pop()?, stack.pop()?);
                stack.push(if op == MachineOp::Add {
                    a.wrapping_add(b)
                } else {
                    a.wrapping_mul(b)
                })?;
            }
            MachineOp::Dup => {
                let v = stack.pop()?;
                stack.push(v)?;
                stack.push(v)?;
            }
            MachineOp::Swap => {
                let (b, a) = (stack.pop()?, stack.pop()?);
                stack.push(b)?;
                stack.push(a)?;
            }
            MachineOp::JumpIfNegative(to) if stack.pop()? < 0 => pc = to,
            MachineOp::JumpIfNegative(_) => {}
            MachineOp::Halt => break,
        }
    }
    stack.pop()
}

#[kernel]
fn run_all(code: &[u8], args: &[i64], results: &mut [i64], faults: &mut [u32]) {
    let i = block_idx.x * block_dim.x + thread_idx.x;
    if i < args.len() {
        let (result, fault) = match execute(code, args[i]) {
            Ok(v) => (v, 0),
            Err(MachineFault::Underflow) => (0, 1),
            Err(MachineFault::Overflow) => (0, 2),
            Err(MachineFault::BadOp(b)) => (b as i64, 3),
            Err(MachineFault::Timeout { steps }) => (steps as i64, 4),
        };
        results[i] = result;
        faults[i] = fault;
    }
}

fn check(code: &[u8], host: impl Fn(i64) -> (i64, u32)) -> lanework::Result<()> {
    let device = Device::emulator().sanitized();
    let args: Vec<i64> = (-20..20).collect();
    let (on_code, on_args) = (device.upload(code)?, device.upload(&args)?);
    let (mut results, mut faults) = (device.zeros::<i64>(40)?, device.zeros::<u32>(40)?);
    run_all(&on_code, &on_args, &mut results, &mut faults).grid(2).block(32).launch(&device)?;
    let (results, faults) = (results.download()?, faults.download()?);
    for (i, &arg) in args.iter().enumerate() {
        assert_eq!((results[i], faults[i]), host(arg), "{arg}");
    }
    Ok(())
}

#[test]
fn square_plus_three() -> lanework::Result<()> {
    check(&[7, 4, 3, 1, 3, 2, 0], |x| (x * x + 3, 0))
}

#[test]
fn counts_up_to_zero() -> lanework::Result<()> {
    // arg; L1: +3; dup; jump to 1 if negative; the first value >= 0
    check(&[7, 1, 3, 2, 4, 6, 1], |mut x| {
        loop {
            x += 3;
            if x >= 0 {
                break (x, 0);
            }
        }
    })
}

#[test]
fn faults() -> lanework::Result<()> {
    check(&[2], |_| (0, 1))?;
    check(&[7, 4, 4, 4, 4, 4, 4, 4, 4], |_| (0, 2))?;
    check(&[7, 200], |_| (200, 3))?;
    check(&[1, 0xff, 6, 0], |_| (1001, 4))
}
