//! The PTX of a kernel with its counts. A staged kernel has instructions but no lines of text, so the nth
//! instruction of the entry's body is matched with the nth statement of the printed text, provided that all
//! names agree.

use lanework::report::ProfileRecord;
use lanework_pages::record::{Line, Listing};
use std::collections::BTreeMap;

/// The PTX with the counts of `by_ptx`, and the lines of the source that `by_line` knows.
pub fn ptx(text: &str, by_line: &ProfileRecord, by_ptx: &ProfileRecord) -> Listing {
    let places = instructions(text, &by_ptx.kernel);
    let mut lines = Vec::new();
    for line in &by_ptx.lines {
        let at = |(number, name): (&u32, &String)| {
            let (line, opcode) = places.get(*number as usize)?;
            (opcode == name).then_some(*line)
        };
        let found: Option<Vec<u32>> = line.instructions.iter().zip(&line.names).map(at).collect();
        let value = serde_json::to_value(line).and_then(serde_json::from_value::<Line>);
        match (found.as_deref(), value) {
            (Some([first, ..]), Ok(counted)) => lines.push(Line { line: *first, ..counted }),
            // A different name: the text belongs to other instructions.
            _ => return Listing { text: text.to_owned(), ..Listing::default() },
        }
    }
    let mut source = BTreeMap::new();
    for line in &by_line.lines {
        let Some(file) = &line.file else { continue };
        for number in &line.instructions {
            if let Some((at, _)) = places.get(*number as usize) {
                source.insert(*at, (file.clone(), line.line));
            }
        }
    }
    Listing { text: text.to_owned(), lines, source }
}

/// The line and the opcode of each instruction in the body of an entry.
fn instructions(text: &str, entry: &str) -> Vec<(u32, String)> {
    let mut found = Vec::new();
    let mut inside = false;
    let mut depth = 0i32;
    for (index, line) in text.lines().enumerate() {
        let code = line.split("//").next().unwrap_or_default().trim();
        if !inside {
            let named = || code.split([' ', '(']).any(|word| word == entry);
            inside = code.contains(".entry") && named();
            continue;
        }
        depth += code.matches('{').count() as i32 - code.matches('}').count() as i32;
        if depth <= 0 && code.starts_with('}') {
            break;
        }
        if let Some(opcode) = opcode(code) {
            found.push((index as u32 + 1, opcode.to_owned()));
        }
    }
    found
}

/// The opcode of a statement, if it is an instruction.
fn opcode(code: &str) -> Option<&str> {
    let code = match code.split_once(' ') {
        Some((guard, rest)) if guard.starts_with('@') => rest.trim_start(),
        _ => code,
    };
    let statement = code.ends_with(';') && code.starts_with(|c: char| c.is_ascii_lowercase());
    statement.then(|| code.split([' ', '\t', ';']).next().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = ".version 8.0\n.visible .entry other(\n)\n{\n\tret;\n}\n.visible .entry k(\n\t.param .u64 p\n)\n{\n\t.reg .b32 %r<3>;\n\t.loc 1 2 3\n\tmov.u32 %r1, %tid.x;\nL1:\n\t@%p1 bra L1;\n\t{ .reg .b32 x; }\n\tret;\n}\n";

    #[test]
    fn instructions_are_found_in_the_text_of_their_entry() {
        let found = instructions(TEXT, "k");
        let expected = [(13, "mov.u32"), (15, "bra"), (17, "ret")];
        assert_eq!(found, expected.map(|(line, name)| (line, name.to_owned())));
        assert_eq!(instructions(TEXT, "none"), []);
    }
}
