//! Decodes UTF-8: slice patterns, while let with split_first, match guards, a block total with atomics.
use lanework::prelude::*;

#[device]
fn decode(bytes: &[u8]) -> Option<(u32, usize)> {
    let tail = |b: u8| (b & 0x3F) as u32;
    match bytes {
        [a @ 0..=0x7F, ..] => Some((*a as u32, 1)),
        [a @ 0xC2..=0xDF, b @ 0x80..=0xBF, ..] => Some(((*a as u32 & 0x1F) << 6 | tail(*b), 2)),
        [a @ 0xE0..=0xEF, b, c, ..] if is_tail(*b) && is_tail(*c) => {
            let code = (*a as u32 & 0xF) << 12 | tail(*b) << 6 | tail(*c);
            match code {
                0..=0x7FF | 0xD800..=0xDFFF => None,
                _ => Some((code, 3)),
            }
        }
        &[a, b, c, d, ..] if a & 0xF8 == 0xF0 && [b, c, d].iter().all(|&x| is_tail(x)) => {
            let code = (a as u32 & 7) << 18 | tail(b) << 12 | tail(c) << 6 | tail(d);
            if (0x1_0000..=0x10_FFFF).contains(&code) { Some((code, 4)) } else { None }
        }
        _ => None,
    }
}

#[device]
fn is_tail(b: u8) -> bool {
    matches!(b, 0x80..=0xBF)
}

/// Each thread decodes the characters that begin in its part.
#[kernel]
fn characters(text: &[u8], part: usize, codes: &mut [u32], total: &mut [u32], invalid: &mut [u32]) {
    let i = (block_idx.x * block_dim.x + thread_idx.x) as usize;
    let begin = i * part;
    if begin >= text.len() {
        return;
    }
    let end = text.len().min(begin + part);
    let mut at = begin;
    while at < end && is_tail(text[at]) {
        at += 1;
    }
    let mut rest = &text[at..];
    let (mut count, mut bad) = (0u32, 0u32);
    while let [first, after @ ..] = rest {
        let at = text.len() - rest.len();
        if at >= end {
            break;
        }
        match decode(rest) {
            Some((code, length)) => {
                codes[at] = code;
                count += 1;
                rest = &rest[length..];
            }
            None => {
                codes[at] = u32::MAX - *first as u32;
                bad += 1;
                rest = after;
                while let Some((b, others)) = rest.split_first()
                    && is_tail(*b)
                {
                    rest = others;
                }
            }
        }
    }
    atomic_add(&mut total[0], count);
    if bad > 0 {
        atomic_or(&mut invalid[i / 32], 1 << (i % 32));
    }
}

#[test]
fn text() -> lanework::Result<()> {
    let text = "Grüße, 世界! 🦀 fn main() { println!(\"naïve €uro\"); } жук 𝄞 end".repeat(7);
    let device = Device::emulator().sanitized();
    let on_text = device.upload(text.as_bytes())?;
    let mut codes = device.zeros::<u32>(text.len())?;
    let (mut total, mut invalid) = (device.zeros::<u32>(1)?, device.zeros::<u32>(4)?);
    characters(&on_text, 11, &mut codes, &mut total, &mut invalid)
        .grid(2)
        .block(64)
        .launch(&device)?;
    let mut want = vec![0; text.len()];
    for (at, c) in text.char_indices() {
        want[at] = c as u32;
    }
    assert_eq!(codes.download()?, want);
    assert_eq!(total.download()?, [text.chars().count() as u32]);
    assert_eq!(invalid.download()?, [0; 4]);
    Ok(())
}

#[test]
fn invalid_bytes() -> lanework::Result<()> {
    let text = b"ok\xC0\xAFa\xE0\x80\x80b\xED\xA0\x80c\xF5d\xE4\xBD";
    let device = Device::emulator().sanitized();
    let on_text = device.upload(text)?;
    let mut codes = device.zeros::<u32>(text.len())?;
    let (mut total, mut invalid) = (device.zeros::<u32>(1)?, device.zeros::<u32>(4)?);
    characters(&on_text, 100, &mut codes, &mut total, &mut invalid)
        .grid(1)
        .block(32)
        .launch(&device)?;
    let valid: usize = text.utf8_chunks().map(|c| c.valid().chars().count()).sum();
    assert_eq!(total.download()?, [valid as u32]);
    assert_eq!(invalid.download()?, [1, 0, 0, 0]);
    assert_eq!(codes.download()?[2], u32::MAX - 0xC0);
    Ok(())
}
