//! An enum with data and a local stack: a small bytecode interpreter.

use lanework::prelude::*;

#[device]
#[derive(Clone, Copy, Debug, PartialEq)]
enum Instruction {
    Push(f32),
    Add,
    Mul,
    Neg,
    Load { slot: u32 },
    Stop,
}

#[device]
impl Instruction {
    fn decode(code: u32, argument: f32) -> Option<Self> {
        Some(match code {
            0 => Instruction::Push(argument),
            1 => Instruction::Add,
            2 => Instruction::Mul,
            3 => Instruction::Neg,
            4 => Instruction::Load { slot: argument as u32 },
            5 => Instruction::Stop,
            _ => return None,
        })
    }
}

#[device]
fn step(op: Instruction, stack: &mut [f32; 8], top: &mut usize, x: f32) {
    match op {
        Instruction::Push(v) => {
            stack[*top] = v;
            *top += 1;
        }
        Instruction::Load { slot: 0 } => {
            stack[*top] = x;
            *top += 1;
        }
        Instruction::Load { .. } => unreachable!(),
        Instruction::Add | Instruction::Mul => {
            *top -= 1;
            let (a, b) = (stack[*top - 1], stack[*top]);
            stack[*top - 1] = if op == Instruction::Add { a + b } else { a * b };
        }
        Instruction::Neg => stack[*top - 1] = -stack[*top - 1],
        Instruction::Stop => {}
    }
}

#[kernel]
fn evaluate(codes: &[u32], arguments: &[f32], x: &[f32], y: &mut [f32]) {
    let i = block_idx.x * block_dim.x + thread_idx.x;
    if i < x.len() as u32 {
        let mut stack = [0.0f32; 8];
        let mut top = 0usize;
        for (&code, &argument) in codes.iter().zip(arguments) {
            let Some(op) = Instruction::decode(code, argument) else { break };
            if matches!(op, Instruction::Stop) {
                break;
            }
            step(op, &mut stack, &mut top, x[i]);
        }
        y[i] = stack[0];
    }
}

#[test]
fn interprets() -> lanework::Result<()> {
    let device = Device::emulator().sanitized();
    // -(x * 2 + 1)
    let codes = device.upload(&[4u32, 0, 2, 0, 1, 3, 5, 0])?;
    let arguments = device.upload(&[0.0f32, 2.0, 0.0, 1.0, 0.0, 0.0, 0.0, 9.0])?;
    let x: Vec<f32> = (0..100).map(|i| i as f32).collect();
    let on = device.upload(&x)?;
    let mut y = device.zeros::<f32>(100)?;
    evaluate(&codes, &arguments, &on, &mut y).grid(4).block(32).launch(&device)?;
    assert_eq!(y.download()?, x.iter().map(|x| -(x * 2.0 + 1.0)).collect::<Vec<_>>());
    Ok(())
}
