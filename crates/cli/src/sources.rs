//! The text of source lines, for listings, pictures and findings.

use std::cell::RefCell;
use std::collections::HashMap;

/// The text of a source file: the file at its path, or, for rungs, the text built into this program.
pub fn read(file: &str) -> Option<String> {
    let built_in = || lanework_kernels::source_text(file).map(str::to_owned);
    std::fs::read_to_string(file).ok().or_else(built_in)
}

/// The lines of source files, each file read on first use.
#[derive(Default)]
pub struct Sources(RefCell<HashMap<Option<String>, Vec<String>>>);

impl Sources {
    /// Takes the text of the PTX, which has no file name.
    pub fn insert_ptx(&self, text: &str) {
        self.insert(None, text);
    }

    fn insert(&self, file: Option<&str>, text: &str) {
        let lines = text.lines().map(str::to_owned).collect();
        self.0.borrow_mut().insert(file.map(str::to_owned), lines);
    }

    /// A line of a file, or of the PTX, without the blanks around it; empty if there is no such line.
    pub fn line(&self, file: Option<&str>, line: u32) -> String {
        let key = file.map(str::to_owned);
        let known = self.0.borrow().contains_key(&key);
        if let (Some(file), false) = (file, known) {
            self.insert(Some(file), &read(file).unwrap_or_default());
        }
        let held = self.0.borrow();
        let lines = held.get(&key).map(Vec::as_slice).unwrap_or_default();
        let text = lines.get((line as usize).wrapping_sub(1)).map(|line| line.trim());
        text.unwrap_or_default().to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_the_ptx_are_found_and_missing_files_have_none() {
        let sources = Sources::default();
        sources.insert_ptx("one\n  two\n");
        assert_eq!(sources.line(None, 2), "two");
        assert_eq!(sources.line(None, 3), "");
        assert_eq!(sources.line(Some("/no/such/file"), 1), "");
    }
}
