//! The text of source lines, for listings, pictures and findings.

use lanework_emulator::sanitize::source_file;
use std::cell::RefCell;
use std::collections::HashMap;

/// Returns the text of a source that is not a file on this machine, such as one built into a
/// program.
type BuiltIn = fn(&str) -> Option<&'static str>;

/// The lines of source files; each file is read on first use.
#[derive(Default)]
pub struct Sources {
    held: RefCell<HashMap<Option<String>, Vec<String>>>,
    built_in: Option<BuiltIn>,
}

impl Sources {
    /// Sources that fall back to `built_in` if there is no file.
    pub fn with(built_in: BuiltIn) -> Sources {
        Sources { held: RefCell::default(), built_in: Some(built_in) }
    }

    /// Adds the text of the PTX, which has no file name.
    pub fn insert_ptx(&self, text: &str) {
        self.insert(None, text);
    }

    fn insert(&self, file: Option<&str>, text: &str) {
        let lines = text.lines().map(str::to_owned).collect();
        self.held.borrow_mut().insert(file.map(str::to_owned), lines);
    }

    /// The text of a file: from its path, else the built-in one.
    pub fn read(&self, file: &str) -> Option<String> {
        let built_in = || self.built_in.and_then(|read| read(file)).map(str::to_owned);
        source_file(file).or_else(built_in)
    }

    /// A trimmed line of a file, or of the PTX; empty if it does not exist.
    pub fn line(&self, file: Option<&str>, line: u32) -> String {
        let key = file.map(str::to_owned);
        let known = self.held.borrow().contains_key(&key);
        if let (Some(file), false) = (file, known) {
            self.insert(Some(file), &self.read(file).unwrap_or_default());
        }
        let held = self.held.borrow();
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

    #[test]
    fn what_is_no_file_may_be_built_in() {
        let sources = Sources::with(|file| (file == "built/in.rs").then_some("first\nsecond"));
        assert_eq!(sources.line(Some("built/in.rs"), 2), "second");
    }
}
