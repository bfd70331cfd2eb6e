//! `Result`, `?` and an enum of errors.

use lanework::prelude::*;
#[device]
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum ParseError {
    Empty,
    BadDigit,
    Overflow,
}
#[device]
fn digit(byte: u8) -> Result<u32, ParseError> {
    match byte {
        b'0'..=b'9' => Ok((byte - b'0') as u32),
        _ => Err(ParseError::BadDigit),
    }
}
#[device]
fn parse(text: &[u8], start: usize, end: usize) -> Result<u32, ParseError> {
    if start == end {
        return Err(ParseError::Empty);
    }
    let mut value = 0u32;
    for i in start..end {
        let d = digit(text[i])?;
        value = value
            .checked_mul(10)
            .ok_or(ParseError::Overflow)?
            .checked_add(d)
            .ok_or(ParseError::Overflow)?;
    }
    Ok(value)
}
#[kernel]
fn parse_all(text: &[u8], offsets: &[u32], values: &mut [u32], errors: &mut [u32]) {
    let i = (block_idx.x * block_dim.x + thread_idx.x) as usize;
    if i + 1 < offsets.len() {
        match parse(text, offsets[i] as usize, offsets[i + 1] as usize) {
            Ok(value) => values[i] = value,
            Err(error) => errors[i] = 1 + error as u32,
        }
    }
}
#[test]
fn parses() -> lanework::Result<()> {
    let device = Device::emulator();
    let text = device.upload(b"12x4299999999999")?;
    let offsets = device.upload(&[0u32, 2, 3, 3, 5, 16])?;
    let (mut values, mut errors) = (device.zeros::<u32>(5)?, device.zeros::<u32>(5)?);
    parse_all(&text, &offsets, &mut values, &mut errors).grid(1).block(32).launch(&device)?;
    assert_eq!(values.download()?, [12, 0, 0, 42, 0]);
    assert_eq!(errors.download()?, [0, 2, 1, 0, 3]);
    Ok(())
}
