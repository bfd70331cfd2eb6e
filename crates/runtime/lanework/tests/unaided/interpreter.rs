//! A small stack machine: every thread runs the same program on its own input.
use lanework::prelude::*;

const DEPTH: usize = 8;

#[device]
#[derive(Clone, Copy, Debug, PartialEq)]
enum Instruction {
    Push(i32),
    Input,
    Duplicate,
    Swap,
    Over,
    Binary(Operator),
    JumpIfZero { target: usize },
    Jump { target: usize },
    Halt,
}

#[device]
#[derive(Clone, Copy, Debug, PartialEq)]
enum Operator {
    Add,
    Subtract,
    Multiply,
    Divide,
    Less,
}

#[device]
#[derive(Clone, Copy, Debug, PartialEq)]
enum Trap {
    Underflow,
    Overflow,
    DivisionByZero,
    Illegal(u8),
    TooLong,
}

#[device]
impl Trap {
    fn code(self) -> i32 {
        match self {
            Trap::Underflow => -1,
            Trap::Overflow => -2,
            Trap::DivisionByZero => -3,
            Trap::TooLong => -4,
            Trap::Illegal(byte) => -1000 - byte as i32,
        }
    }
}

#[device]
impl Operator {
    fn apply(self, a: i32, b: i32) -> Result<i32, Trap> {
        match self {
            Operator::Add => Ok(a.wrapping_add(b)),
            Operator::Subtract => Ok(a.wrapping_sub(b)),
            Operator::Multiply => Ok(a.wrapping_mul(b)),
            Operator::Divide => a.checked_div(b).ok_or(Trap::DivisionByZero),
            Operator::Less => Ok((a < b) as i32),
        }
    }
}

#[device]
fn decode(word: u32) -> Result<Instruction, Trap> {
    let (code, operand) = ((word >> 24) as u8, word & 0xff_ffff);
    let instruction = match code {
        b'p' => Instruction::Push(((operand << 8) as i32) >> 8),
        b'i' => Instruction::Input,
        b'd' => Instruction::Duplicate,
        b's' => Instruction::Swap,
        b'o' => Instruction::Over,
        b'+' => Instruction::Binary(Operator::Add),
        b'-' => Instruction::Binary(Operator::Subtract),
        b'*' => Instruction::Binary(Operator::Multiply),
        b'/' => Instruction::Binary(Operator::Divide),
        b'<' => Instruction::Binary(Operator::Less),
        b'z' => Instruction::JumpIfZero { target: operand as usize },
        b'j' => Instruction::Jump { target: operand as usize },
        b'h' => Instruction::Halt,
        other => return Err(Trap::Illegal(other)),
    };
    Ok(instruction)
}

#[device]
struct StackMachine<'a> {
    program: &'a [u32],
    stack: [i32; DEPTH],
    top: usize,
}

#[device]
impl<'a> StackMachine<'a> {
    fn new(program: &'a [u32]) -> Self {
        Self { program, stack: [0; DEPTH], top: 0 }
    }

    fn push(&mut self, value: i32) -> Result<(), Trap> {
        *self.stack.get_mut(self.top).ok_or(Trap::Overflow)? = value;
        self.top += 1;
        Ok(())
    }

    fn pop(&mut self) -> Result<i32, Trap> {
        if self.top == 0 {
            return Err(Trap::Underflow);
        }
        self.top -= 1;
        Ok(self.stack[self.top])
    }

    fn run(&mut self, input: i32) -> Result<i32, Trap> {
        let mut at = 0;
        for _ in 0..500 {
            let word = self.program[at];
            at += 1;
            match decode(word)? {
                Instruction::Push(value) => self.push(value)?,
                Instruction::Input => self.push(input)?,
                Instruction::Duplicate => {
                    let a = self.pop()?;
                    self.push(a)?;
                    self.push(a)?;
                }
                Instruction::Swap | Instruction::Over if self.top < 2 => {
                    return Err(Trap::Underflow);
                }
                Instruction::Swap => self.stack.swap(self.top - 1, self.top - 2),
                Instruction::Over => self.push(self.stack[self.top - 2])?,
                Instruction::Binary(operator) => {
                    let (b, a) = (self.pop()?, self.pop()?);
                    self.push(operator.apply(a, b)?)?;
                }
                Instruction::JumpIfZero { target } => {
                    if self.pop()? == 0 {
                        at = target;
                    }
                }
                Instruction::Jump { target } => at = target,
                Instruction::Halt => return self.pop(),
            }
        }
        Err(Trap::TooLong)
    }
}

#[kernel]
fn interpret(program: &[u32], inputs: &[i32], outputs: &mut [i32]) {
    let i = block_idx.x * block_dim.x + thread_idx.x;
    if i < inputs.len() {
        outputs[i] = match StackMachine::new(program).run(inputs[i]) {
            Ok(value) => value,
            Err(trap) => trap.code(),
        };
    }
}

fn assemble(source: &[(u8, i32)]) -> Vec<u32> {
    source.iter().map(|&(code, operand)| (code as u32) << 24 | operand as u32 & 0xff_ffff).collect()
}

fn run(program: &[(u8, i32)], inputs: &[i32]) -> lanework::Result<Vec<i32>> {
    let device = Device::emulator().sanitized();
    let (words, on_inputs) = (device.upload(&assemble(program))?, device.upload(inputs)?);
    let mut outputs = device.zeros::<i32>(inputs.len())?;
    interpret(&words, &on_inputs, &mut outputs).grid(2).block(32).launch(&device)?;
    outputs.download()
}

#[test]
fn factorials() -> lanework::Result<()> {
    // result n: while n != 0 { result *= n; n -= 1 }
    let program = [
        (b'p', 1),
        (b'i', 0),
        (b'd', 0),
        (b'z', 11),
        (b's', 0),
        (b'o', 0),
        (b'*', 0),
        (b's', 0),
        (b'p', -1),
        (b'+', 0),
        (b'j', 2),
        (b's', 0),
        (b'h', 0),
    ];
    let inputs: Vec<i32> = (0..40).map(|i| i % 13).collect();
    let want: Vec<i32> = inputs.iter().map(|&n| (1..=n).product()).collect();
    assert_eq!(run(&program, &inputs)?, want);
    Ok(())
}

#[test]
fn traps() -> lanework::Result<()> {
    assert_eq!(run(&[(b'p', 100), (b'i', 0), (b'/', 0), (b'h', 0)], &[5, 0, -7])?, [20, -3, -14]);
    assert_eq!(run(&[(b'+', 0)], &[0])?, [-1]);
    assert_eq!(run(&[(b'i', 0), (b'j', 0)], &[0])?, [-2]);
    assert_eq!(run(&[(b'j', 0)], &[0])?, [-4]);
    assert_eq!(run(&[(b'?', 0)], &[0])?, [-1000 - 63]);
    Ok(())
}
