//! Golden vectors: a GPU's results of every form, in one file.
//!
//! The file holds no operands, because those follow from the form. It has a line that names the format, a line with
//! the device, and per form its text, the size of its results and the results.

use super::form::InstructionForm;
use std::collections::HashMap;

/// The first line of a file.
const FORMAT: &str = "lanework conformance vectors 1";

/// The results of a device.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Vectors {
    /// The device and its driver.
    pub device: String,
    /// Results by form.
    pub results: HashMap<String, Vec<u8>>,
}

/// The file of an H200's results, built in.
static RECORDED: &[u8] = include_bytes!("../../data/h200/conformance.vectors");

impl Vectors {
    /// The results of an H200.
    ///
    /// # Panics
    /// Never: a test checks that the record parses.
    pub fn recorded() -> Vectors {
        Vectors::from_bytes(RECORDED).expect("tested: the recorded vectors are of this format")
    }

    /// The file's bytes, forms in order of their text.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = format!("{FORMAT}\n{}\n", self.device.replace('\n', " ")).into_bytes();
        let mut keys: Vec<&String> = self.results.keys().collect();
        keys.sort();
        for key in keys {
            let results = &self.results[key];
            bytes.extend_from_slice(&(key.len() as u32).to_le_bytes());
            bytes.extend_from_slice(key.as_bytes());
            bytes.extend_from_slice(&(results.len() as u32).to_le_bytes());
            bytes.extend_from_slice(results);
        }
        bytes
    }

    /// Reads a file's bytes.
    ///
    /// # Errors
    /// If they do not have this format, or are truncated.
    pub fn from_bytes(bytes: &[u8]) -> Result<Vectors, String> {
        let mut reader = Reader(bytes);
        if reader.line()? != FORMAT {
            return Err(format!("its first line is not `{FORMAT}`"));
        }
        let device = reader.line()?.to_owned();
        let mut results = HashMap::new();
        while !reader.0.is_empty() {
            let key = reader.sized()?;
            let key = std::str::from_utf8(key).map_err(|error| error.to_string())?.to_owned();
            results.insert(key, reader.sized()?.to_vec());
        }
        Ok(Vectors { device, results })
    }

    /// The results of a form.
    pub fn of(&self, form: &InstructionForm) -> Option<&[u8]> {
        self.results.get(form.key()).map(Vec::as_slice)
    }
}

/// The bytes not yet read.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8], String> {
        let (head, rest) =
            self.0.split_at_checked(count).ok_or("it ends in the middle of a form")?;
        self.0 = rest;
        Ok(head)
    }

    fn line(&mut self) -> Result<&'a str, String> {
        let end = self.0.iter().position(|b| *b == b'\n').ok_or("it has no lines")?;
        let line = self.take(end + 1)?;
        std::str::from_utf8(&line[..end]).map_err(|error| error.to_string())
    }

    fn sized(&mut self) -> Result<&'a [u8], String> {
        let size = self.take(4)?;
        self.take(u32::from_le_bytes([size[0], size[1], size[2], size[3]]) as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_round_trip_and_broken_ones_are_refused() {
        let mut vectors = Vectors { device: "a GPU".to_owned(), ..Vectors::default() };
        vectors.results.insert("add.u32 $d, $a, $b;".to_owned(), vec![1, 2, 3]);
        vectors.results.insert("exit;".to_owned(), Vec::new());
        let bytes = vectors.to_bytes();
        assert_eq!(Vectors::from_bytes(&bytes), Ok(vectors));
        assert!(Vectors::from_bytes(&bytes[..bytes.len() - 1]).is_err());
        assert!(Vectors::from_bytes(b"something else\n\n").is_err());
    }
}
