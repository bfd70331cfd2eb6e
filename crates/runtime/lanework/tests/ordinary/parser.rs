//! `Result`, `?` in functions and closures, and an error enum: decimal fields in a byte buffer.

use lanework::prelude::*;

#[device]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ParseError {
    Empty,
    NotADigit(u8),
    Overflow,
}

#[device]
impl ParseError {
    fn code(self) -> u32 {
        match self {
            ParseError::Empty => 1,
            ParseError::NotADigit(byte) => 256 + byte as u32,
            ParseError::Overflow => 2,
        }
    }
}

#[device]
fn digit(byte: u8) -> Result<u32, ParseError> {
    if byte.is_ascii_digit() { Ok((byte - b'0') as u32) } else { Err(ParseError::NotADigit(byte)) }
}

#[device]
fn parse(text: &[u8]) -> Result<u32, ParseError> {
    if text.is_empty() {
        return Err(ParseError::Empty);
    }
    let mut value = 0u32;
    for &byte in text {
        value = value
            .checked_mul(10)
            .and_then(|v| v.checked_add(digit(byte).ok()?))
            .ok_or(ParseError::Overflow)?;
        digit(byte)?;
    }
    Ok(value)
}

#[kernel]
fn parse_all(text: &[u8], ends: &[u32], values: &mut [u32], errors: &mut [u32]) {
    let i = (block_idx.x * block_dim.x + thread_idx.x) as usize;
    if i >= ends.len() {
        return;
    }
    let begin = if i == 0 { 0 } else { ends[i - 1] as usize };
    let field = &text[begin..ends[i] as usize];
    match parse(field) {
        Ok(value) => {
            values[i] = value;
            errors[i] = 0;
        }
        Err(error) => {
            values[i] = 0;
            errors[i] = error.code();
        }
    }
}

#[test]
fn parses() -> lanework::Result<()> {
    let device = Device::emulator().sanitized();
    let fields = ["17", "", "4294967295", "4294967296", "007"];
    let text: Vec<u8> = fields.concat().into_bytes();
    let ends: Vec<u32> = fields
        .iter()
        .scan(0, |end, f| {
            *end += f.len() as u32;
            Some(*end)
        })
        .collect();
    let (t, e) = (device.upload(&text)?, device.upload(&ends)?);
    let (mut v, mut c) = (device.zeros::<u32>(5)?, device.zeros::<u32>(5)?);
    parse_all(&t, &e, &mut v, &mut c).grid(1).block(32).launch(&device)?;
    assert_eq!(v.download()?, [17, 0, u32::MAX, 0, 7]);
    assert_eq!(c.download()?, [0, 1, 0, 2, 0]);
    assert_eq!(parse(b"007"), Ok(7));
    Ok(())
}
