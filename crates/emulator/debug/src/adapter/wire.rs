//! Messages of the Debug Adapter Protocol: a header with the length, and JSON.

use serde_json::Value;
use std::io::{self, BufRead, Write};

/// Maximum bytes of a message.
const MOST: usize = 16 << 20;

/// The next message; `None` at the end of the input.
///
/// # Errors
/// If the header or the JSON is malformed, or the input ends within a message.
pub fn read_message(input: &mut dyn BufRead) -> io::Result<Option<Value>> {
    let wrong = |why: &str| io::Error::new(io::ErrorKind::InvalidData, why.to_owned());
    let mut length = None;
    loop {
        let mut line = String::new();
        if input.read_line(&mut line)? == 0 {
            return match length {
                None => Ok(None),
                Some(_) => Err(wrong("the input ends within a message's header")),
            };
        }
        let line = line.trim_end();
        if line.is_empty() {
            match length {
                Some(_) => break,
                None => continue,
            }
        }
        match line.split_once(':') {
            Some(("Content-Length", number)) => {
                let number = number.trim().parse();
                length = Some(number.map_err(|_| wrong("Content-Length is not a number"))?);
            }
            Some(_) => {}
            None => return Err(wrong(&format!("`{line}` is not a line of a message's header"))),
        }
    }
    let length: usize = length.unwrap_or(0);
    if length > MOST {
        return Err(wrong("the message is longer than 16 MiB"));
    }
    let mut body = vec![0; length];
    input.read_exact(&mut body)?;
    serde_json::from_slice(&body).map(Some).map_err(|why| wrong(&why.to_string()))
}

/// Writes a message.
///
/// # Errors
/// If the output cannot be written.
pub fn write_message(output: &mut dyn Write, message: &Value) -> io::Result<()> {
    let body = message.to_string();
    write!(output, "Content-Length: {}\r\n\r\n{body}", body.len())?;
    output.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(mut text: &[u8]) -> Result<Option<Value>, String> {
        read_message(&mut text).map_err(|why| why.to_string())
    }

    #[test]
    fn a_message_is_read_whole_or_refused() {
        assert_eq!(read(b"Content-Length: 2\r\n\r\n{}"), Ok(Some(serde_json::json!({}))));
        assert_eq!(read(b""), Ok(None));
        for wrong in [
            &b"{"[..],
            b"Content-Length: x\r\n\r\n",
            b"Content-Length: 2\r\n",
            b"Content-Length: 9\r\n\r\n{}",
            b"Content-Length: 1\r\n\r\n{",
        ] {
            assert!(read(wrong).is_err(), "{}", String::from_utf8_lossy(wrong));
        }
    }
}
