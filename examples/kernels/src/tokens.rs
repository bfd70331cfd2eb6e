//! Classes of characters, and how often each occurs in a text.

use lanework::prelude::*;

/// The class of a byte of text.
#[device]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Class {
    Letter,
    Digit,
    Space,
    Other,
}

/// The class of a byte.
#[device]
pub fn classify(byte: u8) -> Class {
    match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'_' => Class::Letter,
        b'0'..=b'9' => Class::Digit,
        b' ' | b'\t' | b'\n' => Class::Space,
        _ => Class::Other,
    }
}

/// Counts the classes; `begins[i]` is 1 where a token begins.
#[kernel]
pub fn tokens(text: &[u8], counts: &mut [u32], begins: &mut [u8]) {
    let i = block_idx.x * block_dim.x + thread_idx.x;
    if i >= text.len() {
        return;
    }
    let class = classify(text[i]);
    let before = if i == 0 { Class::Space } else { classify(text[i - 1]) };
    atomic_add(&mut counts[class as u32], 1);
    begins[i] = match (before, class) {
        (_, Class::Space) => 0,
        (_, Class::Other) => 1,
        (Class::Letter, Class::Letter | Class::Digit) => 0,
        (Class::Digit, Class::Digit) => 0,
        _ => 1,
    };
}

#[test]
fn equals_the_host() -> lanework::Result<()> {
    let text = b"let mut x_1 = 40 + 2; // the answer\n".repeat(10);
    let mut counts = vec![0; 4];
    text.iter().for_each(|b| counts[classify(*b) as usize] += 1);
    for device in crate::devices("tokens") {
        let t = device.upload(&text)?;
        let mut c = device.zeros::<u32>(4)?;
        let mut begins = device.zeros::<u8>(text.len())?;
        tokens(&t, &mut c, &mut begins).grid(3).block(128).launch(&device)?;
        assert_eq!(c.download()?, counts);
        let line: Vec<u8> = begins.download()?[..15].to_vec();
        assert_eq!(line, [1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 1]);
    }
    Ok(())
}
