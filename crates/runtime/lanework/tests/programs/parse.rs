//! Parses hexadecimal words; a device function returns Result and uses `?`.
use lanework::prelude::*;

#[device]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ParseError {
    Empty,
    BadDigit(u8),
    Overflow,
}

#[device]
fn digit(byte: u8) -> Result<u32, ParseError> {
    match byte {
        b'0'..=b'9' => Ok((byte - b'0') as u32),
        b'a'..=b'f' => Ok((byte - b'a') as u32 + 10),
        other => Err(ParseError::BadDigit(other)),
    }
}

#[device]
fn parse(word: &[u8]) -> Result<u32, ParseError> {
    if word.is_empty() {
        return Err(ParseError::Empty);
    }
    let mut value = 0u32;
    for &byte in word {
        if value >= 1 << 28 {
            return Err(ParseError::Overflow);
        }
        value = value * 16 + digit(byte)?;
    }
    Ok(value)
}

#[kernel]
fn parse_all(text: &[u8], width: usize, values: &mut [u32], errors: &mut [u32]) {
    let i = thread_idx.x as usize;
    if i < values.len() {
        match parse(&text[i * width..(i + 1) * width]) {
            Ok(value) => values[i] = value,
            Err(ParseError::Empty) => errors[i] = 1,
            Err(ParseError::BadDigit(b)) => errors[i] = 0x100 + b as u32,
            Err(ParseError::Overflow) => errors[i] = 2,
        }
    }
}

pub fn main() -> lanework::Result<()> {
    let device = Device::best();
    let text = b"00000012deadbeefxyz0000000000fff";
    let x = device.upload(text)?;
    let mut values = device.zeros::<u32>(4)?;
    let mut errors = device.zeros::<u32>(4)?;
    parse_all(&x, 8, &mut values, &mut errors).grid(1).block(32).launch(&device)?;
    assert_eq!(values.download()?, [0x12, 0xdeadbeef, 0, 0xfff]);
    assert_eq!(errors.download()?, [0, 0, 0x100 + b'x' as u32, 0]);
    assert_eq!(parse(b"12"), Ok(0x12));
    assert_eq!(parse(b""), Err(ParseError::Empty));
    Ok(())
}
