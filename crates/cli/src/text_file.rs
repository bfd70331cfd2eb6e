//! The one PTX file of a command line, so that what is wrong in its text is told with its name.

use std::ffi::OsString;
use std::path::Path;
use std::sync::OnceLock;

static FILE: OnceLock<String> = OnceLock::new();

/// Remembers the file of a command line that has one PTX file and no other kernels.
pub fn of_line(line: &[OsString]) {
    let own = line.split(|argument| argument == "--").next().unwrap_or_default();
    let kernels = own
        .iter()
        .skip(2)
        .map(Path::new)
        .filter(|path| path.extension().is_some_and(|kind| kind == "ptx" || kind == "cu"));
    if let [file] = kernels.collect::<Vec<_>>()[..]
        && file.extension().is_some_and(|kind| kind == "ptx")
    {
        // A process has one command line.
        let _ = FILE.set(file.display().to_string());
    }
}

/// A message in which lines of "the PTX text" are those of the file.
pub fn named(message: &str) -> String {
    FILE.get().map_or_else(|| message.to_owned(), |file| in_file(message, file))
}

fn in_file(message: &str, file: &str) -> String {
    let lines = message.split('\n').map(|whole| {
        let Some((margin, place)) = whole.split_once("--> ") else { return whole.to_owned() };
        if let Some(at) = place.strip_prefix("PTX text, line ") {
            return format!("{margin}--> {file}:{}", at.replacen(", column ", ":", 1));
        }
        let line: String = place.chars().filter(char::is_ascii_digit).collect();
        match place == format!("line {line} of the PTX text") {
            true => format!("{margin}--> {file}:{line}"),
            false => whole.to_owned(),
        }
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::in_file;

    #[test]
    fn lines_of_the_text_are_those_of_the_file() {
        let message = "error: expected `;`\n --> PTX text, line 6, column 18\n  |\n6 |  add";
        assert_eq!(
            in_file(message, "a.ptx"),
            "error: expected `;`\n --> a.ptx:6:18\n  |\n6 |  add"
        );
        let message = "the kernel executed `trap`\n  --> line 6 of the PTX text\n   = thread";
        assert_eq!(
            in_file(message, "b/a.ptx"),
            "the kernel executed `trap`\n  --> b/a.ptx:6\n   = thread"
        );
        assert_eq!(
            in_file("warp 0 at line 3 of the PTX text", "a.ptx"),
            "warp 0 at line 3 of the PTX text"
        );
    }
}
