//! Messages of the Debug Adapter Protocol: a header with the length, and JSON.

use serde_json::Value;
use std::io::{self, BufRead, Write};

/// Maximum bytes of a message.
const MOST: usize = 16 << 20;

/// The next message; `None` at the end of the input.
///
/// # Errors
/// If the header or the JSON is malformed.
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
        if let Some(number) = line.strip_prefix("Content-Length:") {
            length =
                Some(number.trim().parse().map_err(|_| wrong("Content-Length is not a number"))?);
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
