//! Each thread parses one line "key=value;" of a text: Result, ?, an error enum, labeled breaks, byte patterns.
use lanework::prelude::*;

#[device]
#[derive(Clone, Copy, Debug, PartialEq)]
enum ParseError {
    Empty,
    BadDigit { at: usize, byte: u8 },
    Overflow(usize),
}

#[device]
impl ParseError {
    fn code(self) -> i32 {
        match self {
            ParseError::Empty => -1,
            ParseError::BadDigit { at, byte } => -(1000 * at as i32 + byte as i32),
            ParseError::Overflow(at) => -(1_000_000 + at as i32),
        }
    }
}

#[device]
fn digit(byte: u8, at: usize) -> Result<u32, ParseError> {
    match byte {
        b'0'..=b'9' => Ok((byte - b'0') as u32),
        _ => Err(ParseError::BadDigit { at, byte }),
    }
}

#[device]
fn parse_number(text: &[u8]) -> Result<i32, ParseError> {
    let (negative, start) = match text.first() {
        None => return Err(ParseError::Empty),
        Some(b'-') => (true, 1),
        Some(b'+') => (false, 1),
        Some(_) => (false, 0),
    };
    if start == text.len() {
        return Err(ParseError::Empty);
    }
    let mut value = 0u32;
    for (at, &byte) in text.iter().enumerate().skip(start) {
        let d = digit(byte, at)?;
        value =
            value.checked_mul(10).and_then(|v| v.checked_add(d)).ok_or(ParseError::Overflow(at))?;
        if value > i32::MAX as u32 {
            return Err(ParseError::Overflow(at));
        }
    }
    Ok(if negative { -(value as i32) } else { value as i32 })
}

/// The sum of the comma-separated numbers of a line.
#[device]
fn sum_line(line: &[u8]) -> Result<i32, ParseError> {
    let mut sum = 0;
    let mut rest = line;
    'fields: loop {
        let end = rest.iter().position(|&b| b == b',').unwrap_or(rest.len());
        sum += parse_number(&rest[..end])?;
        if end == rest.len() {
            break 'fields;
        }
        rest = &rest[end + 1..];
    }
    Ok(sum)
}

#[kernel]
fn sum_lines(text: &[u8], starts: &[u32], out: &mut [i32]) {
    let i = (block_idx.x * block_dim.x + thread_idx.x) as usize;
    if i < out.len() {
        let line = &text[starts[i] as usize..starts[i + 1] as usize - 1];
        out[i] = match sum_line(line) {
            Ok(sum) => sum,
            Err(e) => e.code(),
        };
    }
}

#[test]
fn sums_of_lines() -> lanework::Result<()> {
    let lines = [
        "1,2,3",
        "-5,+7",
        "",
        "12a,4",
        "99999999999",
        "2147483647",
        "4,,5",
        "-",
        "-2147483647,1",
        "300,40,2,-1",
    ];
    let text = lines.join("\n") + "\n";
    let mut starts = vec![0u32];
    starts.extend(text.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(i, _)| i as u32 + 1));
    let device = Device::emulator().sanitized();
    let on_text = device.upload(text.as_bytes())?;
    let on_starts = device.upload(&starts)?;
    let mut out = device.zeros::<i32>(lines.len())?;
    sum_lines(&on_text, &on_starts, &mut out).grid(1).block(32).launch(&device)?;
    let out = out.download()?;
    for (line, got) in lines.iter().zip(&out) {
        let want: Option<i32> = line.split(',').map(|f| f.parse::<i32>().ok()).sum();
        match want {
            Some(want) => assert_eq!(*got, want, "{line}"),
            None => assert_eq!(*got, sum_line(line.as_bytes()).unwrap_err().code(), "{line}"),
        }
    }
    assert_eq!(out[2], -1);
    assert_eq!(out[3], -(2000 + 97));
    assert_eq!(out[6], -1);
    Ok(())
}
