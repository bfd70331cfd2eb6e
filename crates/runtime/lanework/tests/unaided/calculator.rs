//! A tokenizer and calculator: every thread evaluates one line of text.
use lanework::prelude::*;

#[device]
#[derive(Clone, Copy, Debug, PartialEq)]
enum Token {
    Number(i64),
    Sign(Sign),
    Name { first: u8, length: usize },
}

#[device]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sign {
    Plus,
    Minus,
    Times,
    Over,
}

#[device]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Error {
    Unexpected(u8),
    UnknownName(u8),
    Incomplete,
    TooBig,
    DivisionByZero,
}

type Parsed<T> = Result<T, Error>;

#[device]
#[derive(Clone, Copy)]
struct Lexer<'t> {
    text: &'t [u8],
    at: usize,
}

#[device]
impl<'t> Lexer<'t> {
    fn new(text: &'t [u8]) -> Self {
        Self { text, at: 0 }
    }

    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn skip_while(&mut self, accept: impl Fn(u8) -> bool) -> &'t [u8] {
        let start = self.at;
        while let Some(byte) = self.peek() {
            if !accept(byte) {
                break;
            }
            self.at += 1;
        }
        &self.text[start..self.at]
    }

    fn token(&mut self) -> Parsed<Option<Token>> {
        self.skip_while(|b| b == b' ' || b == b'\t');
        let Some(byte) = self.peek() else {
            return Ok(None);
        };
        let sign = match byte {
            b'0'..=b'9' => {
                let mut value = 0i64;
                for &digit in self.skip_while(|b| b.is_ascii_digit()) {
                    value = value * 10 + (digit - b'0') as i64;
                    if value > 1_000_000 {
                        return Err(Error::TooBig);
                    }
                }
                return Ok(Some(Token::Number(value)));
            }
            b'a'..=b'z' => {
                let name = self.skip_while(|b| b.is_ascii_lowercase());
                return Ok(Some(Token::Name { first: name[0], length: name.len() }));
            }
            b'+' => Sign::Plus,
            b'-' => Sign::Minus,
            b'*' => Sign::Times,
            b'/' => Sign::Over,
            other => return Err(Error::Unexpected(other)),
        };
        self.at += 1;
        Ok(Some(Token::Sign(sign)))
    }

    fn operand(&mut self, variables: &[i64]) -> Parsed<i64> {
        match self.token()?.ok_or(Error::Incomplete)? {
            Token::Number(value) => Ok(value),
            Token::Name { first, length: 1 } => {
                variables.get((first - b'a') as usize).copied().ok_or(Error::UnknownName(first))
            }
            Token::Name { first, .. } => Err(Error::UnknownName(first)),
            Token::Sign(Sign::Minus) => Ok(-self.plain_number()?),
            Token::Sign(_) => Err(Error::Incomplete),
        }
    }

    fn plain_number(&mut self) -> Parsed<i64> {
        if let Some(Token::Number(value)) = self.token()? {
            Ok(value)
        } else {
            Err(Error::Incomplete)
        }
    }
}

#[device]
fn evaluate(text: &[u8], variables: &[i64]) -> Parsed<i64> {
    let mut lexer = Lexer::new(text);
    let mut sum = 0;
    let mut product = lexer.operand(variables)?;
    while let Some(token) = lexer.token()? {
        let Token::Sign(sign) = token else {
            return Err(Error::Incomplete);
        };
        let operand = lexer.operand(variables)?;
        match sign {
            Sign::Plus | Sign::Minus => {
                sum += product;
                product = if sign == Sign::Plus { operand } else { -operand };
            }
            Sign::Times => product *= operand,
            Sign::Over if operand == 0 => return Err(Error::DivisionByZero),
            Sign::Over => product /= operand,
        }
    }
    Ok(sum + product)
}

#[kernel]
fn calculate(
    text: &[u8],
    lines: &[(u32, u32)],
    variables: &[i64],
    values: &mut [i64],
    errors: &mut [(u8, u8)],
) {
    let i = (block_idx.x * block_dim.x + thread_idx.x) as usize;
    if i < lines.len() {
        let (start, end) = lines[i];
        match evaluate(&text[start as usize..end as usize], variables) {
            Ok(value) => values[i] = value,
            Err(error) => {
                errors[i] = match error {
                    Error::Unexpected(byte) => (1, byte),
                    Error::UnknownName(byte) => (2, byte),
                    Error::Incomplete => (3, 0),
                    Error::TooBig => (4, 0),
                    Error::DivisionByZero => (5, 0),
                }
            }
        }
    }
}

#[test]
fn lines_are_calculated() -> lanework::Result<()> {
    let device = Device::emulator().sanitized();
    let (a, b, c) = (7i64, -3i64, 1000i64);
    let cases = [
        ("1 + 2 * 3", Ok(7)),
        ("a * b - c / 7 / 2", Ok(a * b - c / 7 / 2)),
        ("  12*12*12  -  -  5", Ok(12 * 12 * 12 + 5)),
        ("c - c / -8 * b", Ok(c - c / -8 * b)),
        ("999999", Ok(999_999)),
        ("1 + ", Err((3, 0))),
        ("", Err((3, 0))),
        ("2 3", Err((3, 0))),
        ("2 * (3)", Err((1, b'('))),
        ("a + d", Err((2, b'd'))),
        ("ab", Err((2, b'a'))),
        ("5 / 0", Err((5, 0))),
        ("3 + 123456789", Err((4, 0))),
        ("* 3", Err((3, 0))),
        ("a\t+\tb", Ok(a + b)),
    ];
    let mut text = String::new();
    let lines: Vec<(u32, u32)> = cases
        .iter()
        .map(|(line, _)| {
            let start = text.len() as u32;
            text.push_str(line);
            (start, text.len() as u32)
        })
        .collect();
    let mut values = device.upload(&vec![i64::MIN; cases.len()])?;
    let mut errors = device.upload(&vec![(0u8, 0u8); cases.len()])?;
    calculate(
        &device.upload(text.as_bytes())?,
        &device.upload(&lines)?,
        &device.upload(&[a, b, c])?,
        &mut values,
        &mut errors,
    )
    .grid(1)
    .block(32)
    .launch(&device)?;
    let got = values.download()?.into_iter().zip(errors.download()?);
    for ((line, want), (value, error)) in cases.into_iter().zip(got) {
        let got = if error == (0, 0) { Ok(value) } else { Err(error) };
        assert_eq!(got, want, "{line}");
    }
    Ok(())
}
