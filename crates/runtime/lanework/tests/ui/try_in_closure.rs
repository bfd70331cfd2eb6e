//! A `?` leaves the closure that contains it, so the closure's type decides what it may return.

use lanework::prelude::*;

#[device]
fn digit(byte: u8) -> Result<u32, u32> {
    if byte < 10 { Ok(byte as u32) } else { Err(1) }
}

#[device]
fn sum(a: u32, byte: u8) -> Result<u32, u32> {
    let sum = Some(a).and_then(|v| v.checked_add(digit(byte)?));
    Ok(sum.unwrap_or(0))
}

fn main() {}
