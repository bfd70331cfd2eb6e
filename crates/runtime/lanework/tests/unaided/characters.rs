//! UTF-8 validator: one thread per byte string; slice patterns, Result and `?`.
use lanework::prelude::*;

#[device]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct BadUtf8 {
    valid_up_to: usize,
    error_len: Option<u8>,
}

/// The length of the first character of a non-empty string, or the length of the invalid prefix.
#[device]
fn first_char(bytes: &[u8]) -> Result<(char, usize), Option<u8>> {
    const fn cont(b: u8) -> bool {
        b & 0xc0 == 0x80
    }
    let (len, scalar) = match bytes {
        [a @ 0x00..=0x7f, ..] => return Ok((*a as char, 1)),
        [a @ 0xc2..=0xdf, b, ..] if cont(*b) => (2, u32::from(a & 0x1f) << 6 | u32::from(b & 0x3f)),
        [0xc2..=0xdf] => return Err(None),
        [a @ 0xe0..=0xef, b, rest @ ..] => {
            let ok = match (a, b) {
                (0xe0, 0xa0..=0xbf)
                | (0xe1..=0xec | 0xee..=0xef, 0x80..=0xbf)
                | (0xed, 0x80..=0x9f) => true,
                _ => false,
            };
            match rest {
                _ if !ok => return Err(Some(1)),
                [c, ..] if cont(*c) => {
                    (3, u32::from(a & 0xf) << 12 | u32::from(b & 0x3f) << 6 | u32::from(c & 0x3f))
                }
                [] => return Err(None),
                _ => return Err(Some(2)),
            }
        }
        [0xe0..=0xef] => return Err(None),
        [a @ 0xf0..=0xf4, b, rest @ ..] => {
            if !matches!(
                (a, b),
                (0xf0, 0x90..=0xbf) | (0xf1..=0xf3, 0x80..=0xbf) | (0xf4, 0x80..=0x8f)
            ) {
                return Err(Some(1));
            }
            match *rest {
                [c, d, ..] if cont(c) && cont(d) => {
                    let high = u32::from(a & 7) << 18 | u32::from(b & 0x3f) << 12;
                    (4, high | u32::from(c & 0x3f) << 6 | u32::from(d & 0x3f))
                }
                [] => return Err(None),
                [c] if cont(c) => return Err(None),
                [c, _, ..] if cont(c) => return Err(Some(3)),
                [..] => return Err(Some(2)),
            }
        }
        [0xf0..=0xf4] => return Err(None),
        _ => return Err(Some(1)),
    };
    char::from_u32(scalar).map(|c| (c, len)).ok_or(Some(1))
}

#[device]
fn validate(bytes: &[u8]) -> Result<u32, BadUtf8> {
    let mut rest = bytes;
    let mut sum = 0u32;
    while !rest.is_empty() {
        let (c, len) = first_char(rest)
            .map_err(|error_len| BadUtf8 { valid_up_to: bytes.len() - rest.len(), error_len })?;
        sum = sum.wrapping_mul(31).wrapping_add(c as u32);
        rest = &rest[len..];
    }
    Ok(sum)
}

#[kernel]
fn check_all(text: &[u8], ends: &[u32], sums: &mut [u32], errors: &mut [[u32; 2]]) {
    let i = (block_idx.x * block_dim.x + thread_idx.x) as usize;
    let Some(&end) = ends.get(i) else { return };
    let start = if i == 0 { 0 } else { ends[i - 1] };
    match validate(&text[start as usize..end as usize]) {
        Ok(sum) => {
            sums[i] = sum;
            errors[i] = [u32::MAX, 0];
        }
        Err(BadUtf8 { valid_up_to, error_len }) => {
            sums[i] = 0;
            errors[i] = [valid_up_to as u32, error_len.map_or(0, u32::from)];
        }
    }
}

fn reference(bytes: &[u8]) -> (u32, [u32; 2]) {
    match std::str::from_utf8(bytes) {
        Ok(s) => {
            (s.chars().fold(0u32, |h, c| h.wrapping_mul(31).wrapping_add(c as u32)), [u32::MAX, 0])
        }
        Err(e) => (0, [e.valid_up_to() as u32, e.error_len().map_or(0, |n| n as u32)]),
    }
}

#[test]
fn utf8() -> lanework::Result<()> {
    let mut strings: Vec<Vec<u8>> = vec![
        b"plain".to_vec(),
        "grün, 漢字, 🦀!".as_bytes().to_vec(),
        vec![],
        b"\xed\xa0\x80".to_vec(),
        b"ab\xf4\x90\x80\x80".to_vec(),
        b"\xc0\x80".to_vec(),
        b"abc\xe6\xbc".to_vec(),
        b"\xf0\x9f\xa6".to_vec(),
        b"\xf0\x9f\xa6x".to_vec(),
        b"\xf0\x9fx".to_vec(),
        b"\xf0\x9f".to_vec(),
        b"\xf0".to_vec(),
        b"\xe0\x80\x80".to_vec(),
        b"\xe6\xbcx".to_vec(),
        b"\xc3".to_vec(),
        b"\xc3x".to_vec(),
        b"\x80".to_vec(),
    ];
    let mut state = 12345u32;
    let pool = [0x41, 0xc3, 0xa9, 0xe6, 0xbc, 0xa2, 0xf0, 0x9f, 0xa6, 0x80, 0xed, 0xf4, 0x8f, 0xe0];
    for n in 0..200 {
        let mut s = vec![];
        for _ in 0..n % 9 {
            state = state.wrapping_mul(1664525).wrapping_add(1013904223);
            s.push(pool[(state >> 16) as usize % pool.len()]);
        }
        strings.push(s);
    }
    let text: Vec<u8> = strings.concat();
    let ends: Vec<u32> = strings
        .iter()
        .scan(0, |end, s| {
            *end += s.len() as u32;
            Some(*end)
        })
        .collect();
    let device = Device::emulator().sanitized();
    let on_text = device.upload(&text)?;
    let on_ends = device.upload(&ends)?;
    let mut sums = device.zeros::<u32>(strings.len())?;
    let mut errors = device.zeros::<[u32; 2]>(strings.len())?;
    let blocks = (strings.len() as u32).div_ceil(64);
    check_all(&on_text, &on_ends, &mut sums, &mut errors).grid(blocks).block(64).launch(&device)?;
    let (sums, errors) = (sums.download()?, errors.download()?);
    for (i, s) in strings.iter().enumerate() {
        assert_eq!((sums[i], errors[i]), reference(s), "{i}: {s:x?}");
    }
    Ok(())
}
