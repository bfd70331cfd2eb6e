//! A tokenizer and a calculator: each thread evaluates one line such as `3 + 4*x - 17`.
use lanework::prelude::*;

#[device]
#[derive(Clone, Copy, Debug, PartialEq)]
enum LineToken {
    Number(i64),
    Variable(u8),
    Operator(u8),
    End,
}

#[device]
#[derive(Clone, Copy, Debug, PartialEq)]
enum SyntaxError {
    BadByte(u8),
    ExpectedOperand,
    ExpectedOperator,
}

#[device]
#[derive(Clone, Copy)]
struct Lexer<'a> {
    text: &'a [u8],
    at: usize,
}

macro_rules! digit {
    () => {
        b'0'..=b'9'
    };
}

#[device]
impl<'a> Lexer<'a> {
    fn new(text: &'a [u8]) -> Self {
        Lexer { text, at: 0 }
    }

    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn next_token(&mut self) -> Result<LineToken, SyntaxError> {
        while self.peek() == Some(b' ') {
            self.at += 1;
        }
        let Some(byte) = self.peek() else {
            return Ok(LineToken::End);
        };
        self.at += 1;
        match byte {
            digit!() => {
                let mut value = (byte - b'0') as i64;
                while let Some(d @ digit!()) = self.peek() {
                    value = value * 10 + (d - b'0') as i64;
                    self.at += 1;
                }
                Ok(LineToken::Number(value))
            }
            b'a'..=b'z' => Ok(LineToken::Variable(byte - b'a')),
            b'+' | b'-' | b'*' => Ok(LineToken::Operator(byte)),
            other => Err(SyntaxError::BadByte(other)),
        }
    }

    fn operand(&mut self, variables: &[i64]) -> Result<i64, SyntaxError> {
        match self.next_token()? {
            LineToken::Number(n) => Ok(n),
            LineToken::Variable(v) if (v as usize) < variables.len() => Ok(variables[v as usize]),
            LineToken::Variable(v) => Err(SyntaxError::BadByte(v + b'a')),
            _ => Err(SyntaxError::ExpectedOperand),
        }
    }
}

#[device]
fn evaluate(text: &[u8], variables: &[i64]) -> Result<i64, SyntaxError> {
    let mut lexer = Lexer::new(text);
    let mut sum = 0;
    let mut term = lexer.operand(variables)?;
    loop {
        match lexer.next_token()? {
            LineToken::End => return Ok(sum + term),
            LineToken::Operator(b'*') => term *= lexer.operand(variables)?,
            LineToken::Operator(op) => {
                sum += term;
                let next = lexer.operand(variables)?;
                term = if op == b'-' { -next } else { next };
            }
            _ => return Err(SyntaxError::ExpectedOperator),
        }
    }
}

#[kernel]
fn calculate(
    text: &[u8],
    lines: &[(u32, u32)],
    variables: &[i64],
    values: &mut [i64],
    status: &mut [u8],
) {
    let i = block_idx.x * block_dim.x + thread_idx.x;
    if i < lines.len() {
        let (start, end) = lines[i];
        match evaluate(&text[start as usize..end as usize], variables) {
            Ok(value) => values[i] = value,
            Err(SyntaxError::BadByte(byte)) => status[i] = byte,
            Err(SyntaxError::ExpectedOperand) => status[i] = 1,
            Err(SyntaxError::ExpectedOperator) => status[i] = 2,
        }
    }
}

#[test]
fn calculates_lines() -> lanework::Result<()> {
    let source = [
        ("1+2*3", Ok(7)),
        (" 10 - 4 - 3", Ok(3)),
        ("a*b + 1", Ok(43)),
        ("b", Ok(-6)),
        ("12*12*12 - c", Ok(1628)),
        ("", Err(1)),
        ("4 +", Err(1)),
        ("4 5", Err(2)),
        ("7 / 2", Err(b'/')),
        ("a + z", Err(b'z')),
        ("- 1", Err(1)),
    ];
    let mut text = Vec::new();
    let mut lines = Vec::new();
    for (line, _) in &source {
        let start = text.len() as u32;
        text.extend_from_slice(line.as_bytes());
        lines.push((start, text.len() as u32));
    }
    let device = Device::emulator().sanitized();
    let mut values = device.zeros::<i64>(lines.len())?;
    let mut status = device.zeros::<u8>(lines.len())?;
    let (text, on_lines) = (device.upload(&text)?, device.upload(&lines)?);
    let variables = device.upload(&[-7i64, -6, 100])?;
    calculate(&text, &on_lines, &variables, &mut values, &mut status)
        .grid(1)
        .block(32)
        .launch(&device)?;
    let (values, status) = (values.download()?, status.download()?);
    for (i, (line, want)) in source.iter().enumerate() {
        let got = if status[i] == 0 { Ok(values[i]) } else { Err(status[i]) };
        assert_eq!(got, *want, "{line:?}");
    }
    Ok(())
}
