//! Splits a module's text so that mutations can select a place: lines, instructions with
//! their operands, declared names. It is independent of the parser under test.

/// The text of a module and its parts.
pub struct Source {
    /// The file's name.
    pub name: String,
    /// Its lines.
    pub lines: Vec<String>,
    /// Its instructions in the order of the text.
    pub instructions: Vec<Piece>,
    /// The declared registers, as (prefix with `%`, type).
    pub registers: Vec<(String, String)>,
    /// Variables, parameters, functions and labels.
    pub names: Vec<String>,
}

/// An instruction that fills one line.
#[derive(Clone)]
pub struct Piece {
    /// Index of its line.
    pub line: usize,
    /// `@%p1 ` or nothing.
    pub guard: String,
    /// The opcode and the modifiers, split at the dots.
    pub words: Vec<String>,
    /// Operands, trimmed.
    pub operands: Vec<String>,
}

impl Piece {
    /// The instruction as text.
    pub fn text(&self) -> String {
        let blank = if self.operands.is_empty() { "" } else { " " };
        let words = self.words.join(".");
        format!("\t{}{words}{blank}{};", self.guard, self.operands.join(", "))
    }
}

impl Source {
    /// Splits a text.
    pub fn new(name: &str, text: &str) -> Source {
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let instructions = lines.iter().enumerate().filter_map(|(n, l)| piece(n, l)).collect();
        let mut source = Source {
            name: name.to_owned(),
            lines,
            instructions,
            registers: Vec::new(),
            names: Vec::new(),
        };
        source.declared();
        source
    }

    fn declared(&mut self) {
        for line in &self.lines {
            let words: Vec<&str> = line.split_whitespace().collect();
            if let Some(rest) = line.trim().strip_prefix(".reg")
                && let Some((ty, name)) = rest.trim().split_once(char::is_whitespace)
            {
                let name = name.trim().trim_end_matches(';');
                let prefix = name.split('<').next().unwrap_or_default();
                self.registers.push((prefix.to_owned(), ty.trim_start_matches('.').to_owned()));
            } else if line.contains(".param")
                || line.contains(".global")
                || line.contains(".shared")
            {
                let last = words
                    .iter()
                    .rev()
                    .find(|w| w.starts_with(|c: char| c.is_alphabetic() || c == '_'));
                if let Some(last) = last {
                    let end = last.find(|c: char| !c.is_alphanumeric() && !"_$".contains(c));
                    self.names.push(last[..end.unwrap_or(last.len())].to_owned());
                }
            } else if let Some((label, "")) = line.trim().split_once(':') {
                self.names.push(label.to_owned());
            }
        }
        self.registers.dedup();
        self.names.dedup();
    }

    /// The text with one line replaced; an empty replacement removes it.
    pub fn with_line(&self, index: usize, replacement: &str) -> String {
        let mut text = String::new();
        for (n, line) in self.lines.iter().enumerate() {
            let line = if n == index { replacement } else { line };
            if n != index || !replacement.is_empty() {
                text.push_str(line);
                text.push('\n');
            }
        }
        text
    }
}

/// The instruction of a line that holds exactly one.
fn piece(line: usize, text: &str) -> Option<Piece> {
    let text = text.split("//").next()?.trim();
    let text = text.strip_suffix(';')?;
    let (guard, rest) = match text.strip_prefix('@') {
        Some(rest) => {
            let (guard, rest) = rest.split_once(char::is_whitespace)?;
            (format!("@{guard} "), rest.trim())
        }
        None => (String::new(), text),
    };
    let starts = rest.starts_with(|c: char| c.is_ascii_lowercase());
    if !starts || rest.contains(['{', ';', ':']) && !rest.contains("::") && !rest.contains('{') {
        return None;
    }
    let (name, operands) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    let words = name.split('.').map(str::to_owned).collect();
    Some(Piece { line, guard, words, operands: split(operands) })
}

/// Splits operands at the commas outside brackets.
fn split(text: &str) -> Vec<String> {
    let (mut list, mut depth, mut current) = (Vec::new(), 0, String::new());
    for c in text.chars() {
        match c {
            '{' | '[' | '(' => depth += 1,
            '}' | ']' | ')' => depth -= 1,
            _ => {}
        }
        if c == ',' && depth == 0 {
            list.push(std::mem::take(&mut current).trim().to_owned());
        } else {
            current.push(c);
        }
    }
    if !current.trim().is_empty() {
        list.push(current.trim().to_owned());
    }
    list
}
