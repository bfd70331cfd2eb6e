//! A small stack machine: every thread runs the same program on its own input.
use lanework::prelude::*;

const FUEL: u32 = 200;

#[device]
#[derive(Clone, Copy, Debug, PartialEq)]
enum Binary {
    Add,
    Sub,
    Mul,
    Div,
}

#[device]
#[derive(Clone, Copy, Debug, PartialEq)]
enum MachineOp {
    Push(i32),
    Load(usize),
    Store(usize),
    Binary(Binary),
    JumpIfZero(usize),
    Jump(usize),
    Halt,
}

#[device]
#[derive(Clone, Copy, Debug, PartialEq)]
enum Trap {
    StackOverflow,
    StackUnderflow,
    DivideByZero,
    BadOpcode(u8),
    OutOfFuel,
}

#[device]
#[derive(Clone, Copy)]
struct ThreadMachine {
    stack: [i32; 8],
    depth: usize,
    pc: usize,
}

#[device]
impl ThreadMachine {
    fn new() -> Self {
        ThreadMachine { stack: [0; 8], depth: 0, pc: 0 }
    }

    fn push(&mut self, value: i32) -> Result<(), Trap> {
        if self.depth == self.stack.len() {
            return Err(Trap::StackOverflow);
        }
        self.stack[self.depth] = value;
        self.depth += 1;
        Ok(())
    }

    fn pop(&mut self) -> Result<i32, Trap> {
        self.depth = self.depth.checked_sub(1).ok_or(Trap::StackUnderflow)?;
        Ok(self.stack[self.depth])
    }

    fn step(&mut self, program: &[(u8, i32)], locals: &mut [i32; 4]) -> Result<Option<i32>, Trap> {
        let op = decode(program[self.pc])?;
        self.pc += 1;
        match op {
            MachineOp::Push(value) => self.push(value)?,
            MachineOp::Load(local) => self.push(locals[local])?,
            MachineOp::Store(local) => locals[local] = self.pop()?,
            MachineOp::Binary(binary) => {
                let (b, a) = (self.pop()?, self.pop()?);
                self.push(apply(binary, a, b)?)?;
            }
            MachineOp::JumpIfZero(to) => {
                if self.pop()? == 0 {
                    self.pc = to;
                }
            }
            MachineOp::Jump(to) => self.pc = to,
            MachineOp::Halt => return self.pop().map(Some),
        }
        Ok(None)
    }
}

#[device]
fn apply(binary: Binary, a: i32, b: i32) -> Result<i32, Trap> {
    Ok(match binary {
        Binary::Add => a.wrapping_add(b),
        Binary::Sub => a.wrapping_sub(b),
        Binary::Mul => a.wrapping_mul(b),
        Binary::Div if b == 0 => return Err(Trap::DivideByZero),
        Binary::Div => a.wrapping_div(b),
    })
}

#[device]
fn decode((code, operand): (u8, i32)) -> Result<MachineOp, Trap> {
    Ok(match code {
        0 => MachineOp::Push(operand),
        1 => MachineOp::Load(operand as usize),
        2 => MachineOp::Store(operand as usize),
        3 => MachineOp::Binary(Binary::Add),
        4 => MachineOp::Binary(Binary::Sub),
        5 => MachineOp::Binary(Binary::Mul),
        6 => MachineOp::Binary(Binary::Div),
        8 => MachineOp::JumpIfZero(operand as usize),
        9 => MachineOp::Jump(operand as usize),
        10 => MachineOp::Halt,
        other => return Err(Trap::BadOpcode(other)),
    })
}

#[device]
fn run_program(program: &[(u8, i32)], input: i32) -> Result<i32, Trap> {
    let mut locals = [input, 0, 0, 0];
    let mut machine = ThreadMachine::new();
    for _ in 0..FUEL {
        if let Some(result) = machine.step(program, &mut locals)? {
            return Ok(result);
        }
    }
    Err(Trap::OutOfFuel)
}

#[kernel]
fn interpret(program: &[(u8, i32)], inputs: &[i32], out: &mut [i32], status: &mut [i32]) {
    let i = block_idx.x * block_dim.x + thread_idx.x;
    if i < inputs.len() {
        (out[i], status[i]) = match run_program(program, inputs[i]) {
            Ok(value) => (value, 0),
            Err(Trap::StackOverflow) => (0, 1),
            Err(Trap::StackUnderflow) => (0, 2),
            Err(Trap::DivideByZero) => (0, 3),
            Err(Trap::OutOfFuel) => (0, 4),
            Err(Trap::BadOpcode(code)) => (code as i32, 5),
        };
    }
}

fn launch(program: &[(u8, i32)], inputs: &[i32]) -> lanework::Result<Vec<(i32, i32)>> {
    let device = Device::emulator().sanitized();
    let mut out = device.zeros::<i32>(inputs.len())?;
    let mut status = device.zeros::<i32>(inputs.len())?;
    interpret(&device.upload(program)?, &device.upload(inputs)?, &mut out, &mut status)
        .grid(1)
        .block(64)
        .launch(&device)?;
    Ok(out.download()?.into_iter().zip(status.download()?).collect())
}

#[test]
fn factorial() -> lanework::Result<()> {
    // 1000 / n + n!
    let program = [
        (0, 1000),
        (1, 0),
        (6, 0),
        (2, 2),
        (0, 1),
        (2, 1),
        (1, 0),
        (8, 17),
        (1, 1),
        (1, 0),
        (5, 0),
        (2, 1),
        (1, 0),
        (0, 1),
        (4, 0),
        (2, 0),
        (9, 6),
        (1, 1),
        (1, 2),
        (3, 0),
        (10, 0),
    ];
    let inputs: Vec<i32> = (-3..12).collect();
    for (n, got) in inputs.iter().copied().zip(launch(&program, &inputs)?) {
        let want = match n {
            0 => (0, 3),
            ..0 => (0, 4),
            _ => (1000 / n + (1..=n).product::<i32>(), 0),
        };
        assert_eq!(got, want, "{n}");
    }
    Ok(())
}

#[test]
fn traps() -> lanework::Result<()> {
    assert_eq!(launch(&[(0, 5), (9, 0)], &[1, 2])?, [(0, 1); 2]);
    assert_eq!(launch(&[(0, 5), (3, 0)], &[1])?, [(0, 2)]);
    assert_eq!(launch(&[(77, 0)], &[1])?, [(77, 5)]);
    Ok(())
}
