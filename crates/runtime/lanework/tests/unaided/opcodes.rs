//! A stack machine: opcodes as an enum with data, decoding with Result, `?` and `impl From`.
use lanework::prelude::*;

#[device]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum OpCode {
    Push(i32),
    Add,
    Sub,
    Mul,
    Div,
    Dup,
    Swap,
    Over,
    Drop,
    JumpIfZero { offset: i8 },
    Jump { offset: i8 },
    Input,
    Halt,
}

#[device]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DecodeError {
    Truncated,
    Unknown(u8),
}

#[device]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Trap {
    Decode(DecodeError),
    StackOverflow,
    StackUnderflow,
    DivisionByZero { pc: usize },
    OutOfFuel,
}

#[device]
impl From<DecodeError> for Trap {
    fn from(e: DecodeError) -> Self {
        Trap::Decode(e)
    }
}

#[device]
impl OpCode {
    fn decode(code: &[u8]) -> Result<(OpCode, usize), DecodeError> {
        use DecodeError::*;
        let &opcode = code.first().ok_or(Truncated)?;
        let simple = match opcode {
            b'+' => OpCode::Add,
            b'-' => OpCode::Sub,
            b'*' => OpCode::Mul,
            b'/' => OpCode::Div,
            b'd' => OpCode::Dup,
            b's' => OpCode::Swap,
            b'o' => OpCode::Over,
            b'.' => OpCode::Drop,
            b'i' => OpCode::Input,
            b'h' => OpCode::Halt,
            b'0'..=b'9' => OpCode::Push(i32::from(opcode - b'0')),
            b'#' => {
                let [a, b, c, d] = *code.get(1..5).ok_or(Truncated)? else { return Err(Truncated) };
                return Ok((OpCode::Push(i32::from_le_bytes([a, b, c, d])), 5));
            }
            b'z' | b'j' => {
                let offset = *code.get(1).ok_or(Truncated)? as i8;
                let op = if opcode == b'z' {
                    OpCode::JumpIfZero { offset }
                } else {
                    OpCode::Jump { offset }
                };
                return Ok((op, 2));
            }
            other => return Err(Unknown(other)),
        };
        Ok((simple, 1))
    }
}

#[device]
struct Vm<'a, const DEPTH: usize> {
    code: &'a [u8],
    pc: usize,
    stack: [i32; DEPTH],
    top: usize,
}

#[device]
impl<'a, const DEPTH: usize> Vm<'a, DEPTH> {
    fn new(code: &'a [u8]) -> Self {
        Vm { code, pc: 0, stack: [0; DEPTH], top: 0 }
    }

    fn push(&mut self, value: i32) -> Result<(), Trap> {
        *self.stack.get_mut(self.top).ok_or(Trap::StackOverflow)? = value;
        self.top += 1;
        Ok(())
    }

    fn pop(&mut self) -> Result<i32, Trap> {
        self.top = self.top.checked_sub(1).ok_or(Trap::StackUnderflow)?;
        Ok(self.stack[self.top])
    }

    fn binary(&mut self, f: impl Fn(i32, i32) -> Result<i32, Trap>) -> Result<(), Trap> {
        let b = self.pop()?;
        let a = self.pop()?;
        self.push(f(a, b)?)
    }

    /// One instruction; `Some(result)` at the end.
    fn step(&mut self, input: i32) -> Result<Option<i32>, Trap> {
        let (op, size) = OpCode::decode(&self.code[self.pc.min(self.code.len())..])?;
        let pc = self.pc;
        self.pc += size;
        match op {
            OpCode::Push(v) => self.push(v)?,
            OpCode::Input => self.push(input)?,
            OpCode::Add => self.binary(|a, b| Ok(a.wrapping_add(b)))?,
            OpCode::Sub => self.binary(|a, b| Ok(a.wrapping_sub(b)))?,
            OpCode::Mul => self.binary(|a, b| Ok(a.wrapping_mul(b)))?,
            OpCode::Div => {
                self.binary(|a, b| a.checked_div(b).ok_or(Trap::DivisionByZero { pc }))?
            }
            OpCode::Dup => {
                let v = self.pop()?;
                self.push(v)?;
                self.push(v)?;
            }
            OpCode::Swap => {
                let (b, a) = (self.pop()?, self.pop()?);
                self.push(b)?;
                self.push(a)?;
            }
            OpCode::Over => {
                let (b, a) = (self.pop()?, self.pop()?);
                for v in [a, b, a] {
                    self.push(v)?;
                }
            }
            OpCode::Drop => drop(self.pop()?),
            OpCode::Jump { offset } => self.jump(offset),
            OpCode::JumpIfZero { offset } => {
                if self.pop()? == 0 {
                    self.jump(offset);
                }
            }
            OpCode::Halt => return self.pop().map(Some),
        }
        Ok(None)
    }

    fn jump(&mut self, offset: i8) {
        self.pc = self.pc.wrapping_add_signed(offset as isize);
    }

    fn run(mut self, input: i32, fuel: u32) -> Result<i32, Trap> {
        for _ in 0..fuel {
            if let Some(result) = self.step(input)? {
                return Ok(result);
            }
        }
        Err(Trap::OutOfFuel)
    }
}

#[device]
fn encode(result: Result<i32, Trap>) -> (u32, i32) {
    match result {
        Ok(v) => (0, v),
        Err(Trap::Decode(DecodeError::Truncated)) => (1, 0),
        Err(Trap::Decode(DecodeError::Unknown(op))) => (2, op as i32),
        Err(Trap::StackOverflow) => (3, 0),
        Err(Trap::StackUnderflow) => (4, 0),
        Err(Trap::DivisionByZero { pc }) => (5, pc as i32),
        Err(Trap::OutOfFuel) => (6, 0),
    }
}

#[kernel]
fn execute(code: &[u8], starts: &[u32], inputs: &[i32], status: &mut [u32], values: &mut [i32]) {
    let program = block_idx.x as usize;
    let input = thread_idx.x as usize;
    let &[start, end] = starts.get(program..program + 2).unwrap() else { return };
    let vm = Vm::<8>::new(&code[start as usize..end as usize]);
    let slot = program * inputs.len() + input;
    (status[slot], values[slot]) = encode(vm.run(inputs[input], 500));
}

/// An independent interpreter with Vec and panics caught by hand.
fn reference(code: &[u8], input: i32) -> (u32, i32) {
    let mut stack: Vec<i32> = vec![];
    let mut pc = 0usize;
    macro_rules! pop {
        () => {
            match stack.pop() {
                Some(v) => v,
                None => return (4, 0),
            }
        };
    }
    macro_rules! push {
        ($v:expr) => {{
            if stack.len() == 8 {
                return (3, 0);
            }
            stack.push($v);
        }};
    }
    for _ in 0..500 {
        if pc >= code.len() {
            return (1, 0);
        }
        let at = pc;
        let op = code[pc];
        pc += 1;
        match op {
            b'0'..=b'9' => push!((op - b'0') as i32),
            b'#' => {
                if pc + 4 > code.len() {
                    return (1, 0);
                }
                let v = (0..4).fold(0u32, |v, k| v | (code[pc + k] as u32) << (8 * k));
                pc += 4;
                push!(v as i32);
            }
            b'+' | b'-' | b'*' | b'/' => {
                let b = pop!();
                let a = pop!();
                push!(match op {
                    b'+' => a.wrapping_add(b),
                    b'-' => a.wrapping_sub(b),
                    b'*' => a.wrapping_mul(b),
                    _ if b == 0 || (a == i32::MIN && b == -1) => return (5, at as i32),
                    _ => a / b,
                });
            }
            b'd' => {
                let v = pop!();
                push!(v);
                push!(v);
            }
            b's' => {
                let b = pop!();
                let a = pop!();
                push!(b);
                push!(a);
            }
            b'o' => {
                let b = pop!();
                let a = pop!();
                push!(a);
                push!(b);
                push!(a);
            }
            b'.' => {
                pop!();
            }
            b'i' => push!(input),
            b'h' => return (0, pop!()),
            b'z' | b'j' => {
                if pc >= code.len() {
                    return (1, 0);
                }
                let offset = code[pc] as i8 as isize;
                pc += 1;
                if op == b'j' || pop!() == 0 {
                    pc = (pc as isize + offset) as usize;
                }
            }
            other => return (2, other as i32),
        }
    }
    (6, 0)
}

#[test]
fn machine() -> lanework::Result<()> {
    let programs: [&[u8]; 11] = [
        b"i2*7+h",
        b"#\x00\x01\x00\x00ih",
        b"1idz\x09dos.*s1-j\xf6.h", // nonsense that still runs
        b"1i/h",
        b"#\x00\x00\x00\x80i/h",
        b"ij\xfd",
        b"+",
        b"12?",
        b"#\x01",
        b"iz\x02" as &[u8],
        b"0s1+j\xfe",
    ];
    let code = programs.concat();
    let mut starts = vec![0u32];
    for p in programs {
        starts.push(starts.last().unwrap() + p.len() as u32);
    }
    let inputs: Vec<i32> = (-16..16).collect();
    let device = Device::emulator().sanitized();
    let (on_code, on_starts, on_inputs) =
        (device.upload(&code)?, device.upload(&starts)?, device.upload(&inputs)?);
    let total = programs.len() * inputs.len();
    let (mut status, mut values) = (device.zeros::<u32>(total)?, device.zeros::<i32>(total)?);
    execute(&on_code, &on_starts, &on_inputs, &mut status, &mut values)
        .grid(programs.len() as u32)
        .block(inputs.len() as u32)
        .launch(&device)?;
    let (status, values) = (status.download()?, values.download()?);
    for (p, program) in programs.iter().enumerate() {
        for (i, &input) in inputs.iter().enumerate() {
            let slot = p * inputs.len() + i;
            let host = encode(Vm::<8>::new(program).run(input, 500));
            assert_eq!(host, reference(program, input), "host: {p} {input}");
            assert_eq!((status[slot], values[slot]), host, "device: program {p}, input {input}");
        }
    }
    Ok(())
}
