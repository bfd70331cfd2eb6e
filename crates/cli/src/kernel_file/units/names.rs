//! Finds the names that a file of a program defines, by a scan of its text.

use std::collections::BTreeSet;

/// The names that belong to one file only.
#[derive(Debug, Default)]
pub(super) struct OwnNames {
    /// Classes; functions and variables that are `static`, `inline`, `const`, templates, or device functions.
    pub definitions: BTreeSet<String>,
    /// Functions that other files may call.
    pub linked: BTreeSet<String>,
    pub macros: BTreeSet<String>,
}

/// Words by which a definition is its file's own.
const OWN: [&str; 7] =
    ["static", "inline", "template", "__device__", "const", "constexpr", "__inline__"];
/// Words before `(` that are not the name of a function.
const NOT_NAMES: [&str; 6] =
    ["__launch_bounds__", "__attribute__", "__align__", "alignas", "decltype", "main"];

/// The names that a text defines.
pub(super) fn own_names(text: &str) -> OwnNames {
    let mut own = OwnNames::default();
    let mut plain = String::new();
    let mut directive = false;
    for line in without_comments(text).lines() {
        let start = line.trim_start();
        if let Some(rest) = start.strip_prefix('#').map(str::trim_start)
            && !directive
            && let Some(name) = rest.strip_prefix("define ")
        {
            let name = name.trim_start().split(|c: char| !is_word(c)).next().unwrap_or("");
            own.macros.insert(name.to_owned());
        }
        if !directive && !start.starts_with('#') {
            plain.push_str(line);
            plain.push('\n');
        }
        directive = (directive || start.starts_with('#')) && line.ends_with('\\');
    }
    let mut words: Vec<String> = Vec::new();
    let mut depth = 0usize;
    // After `typedef struct {...}`: its names follow.
    let mut names_follow = false;
    for word in split(&plain) {
        match word.as_str() {
            "{" if depth == 0 && is_transparent(&words) => words.clear(),
            "{" => {
                if depth == 0 {
                    names_follow = words.first().is_some_and(|word| word == "typedef");
                    match defined(&words) {
                        Some((name, true)) => drop(own.definitions.insert(name)),
                        Some((name, false)) => drop(own.linked.insert(name)),
                        None => {}
                    }
                    words.clear();
                }
                depth += 1;
            }
            "}" => depth = depth.saturating_sub(1),
            ";" if depth == 0 => {
                if std::mem::take(&mut names_follow) {
                    let named = words.iter().filter(|word| is_name(word));
                    own.definitions.extend(named.cloned());
                }
                own.definitions.extend(declared(&words));
                words.clear();
            }
            _ if depth == 0 => words.push(word),
            _ => {}
        }
    }
    own
}

/// Whether a character belongs to a word.
pub(super) fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Whether a word can be the name of a class, function or variable.
fn is_name(word: &str) -> bool {
    word.starts_with(|c: char| c.is_alphabetic() || c == '_') && !NOT_NAMES.contains(&word)
}

/// The text with blanks in place of comments and of the contents of strings.
fn without_comments(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        match (c, rest.peek()) {
            ('/', Some('/')) => {
                while rest.peek().is_some_and(|c| *c != '\n') {
                    rest.next();
                }
            }
            ('/', Some('*')) => {
                let mut before = ' ';
                rest.next();
                for c in rest.by_ref() {
                    if c == '\n' {
                        plain.push('\n');
                    }
                    if before == '*' && c == '/' {
                        break;
                    }
                    before = c;
                }
                plain.push(' ');
            }
            ('"', _) => {
                plain.push('"');
                while let Some(c) = rest.next() {
                    match c {
                        '\\' => drop(rest.next()),
                        '"' | '\n' => break,
                        _ => {}
                    }
                }
                plain.push('"');
            }
            _ => plain.push(c),
        }
    }
    plain
}

/// Words, and single other characters.
fn split(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut open = false;
    for c in text.chars() {
        if is_word(c) && open {
            if let Some(last) = words.last_mut() {
                last.push(c);
            }
        } else if !c.is_whitespace() {
            words.push(c.to_string());
        }
        open = is_word(c);
    }
    words
}

/// Whether the brace after these words contains declarations: a namespace, or `extern "C"`.
fn is_transparent(words: &[String]) -> bool {
    let is_function = words.iter().any(|word| word == "(");
    words.iter().any(|word| word == "namespace")
        || words.first().is_some_and(|word| word == "extern") && !is_function
}

/// The name that a definition with a body defines, and whether for its file only.
fn defined(words: &[String]) -> Option<(String, bool)> {
    // C functions keep their names.
    if words.first().is_some_and(|word| word == "extern") {
        return None;
    }
    // Not in other parentheses: `__launch_bounds__(N, SMALLER(a, b))`.
    let mut depth = 0;
    let call = words.iter().enumerate().position(|(at, word)| {
        let name = at.checked_sub(1).and_then(|before| words.get(before));
        let is_outer = depth == 0;
        match word.as_str() {
            "(" => depth += 1,
            ")" => depth -= 1,
            _ => {}
        }
        word == "(" && is_outer && name.is_some_and(|name| is_name(name))
    });
    let Some(call) = call else {
        if words.contains(&"=".to_owned()) {
            return declared(words).map(|name| (name, true));
        }
        let keyword = words.iter().rposition(|word| word == "struct" || word == "class")?;
        let mut depth = 0;
        let name = words[keyword + 1..].iter().find(|word| {
            match word.as_str() {
                "(" => depth += 1,
                ")" => depth -= 1,
                _ => {}
            }
            depth == 0 && is_name(word)
        });
        return name.map(|name| (name.clone(), true));
    };
    // A member of a class that is defined elsewhere is not the file's own.
    let member = words[..call - 1].last().is_some_and(|word| word == ":");
    let own = words.iter().any(|word| word != "const" && OWN.contains(&word.as_str()));
    (!member && words[call - 1] != "operator").then(|| (words[call - 1].clone(), own))
}

/// The name that a declaration of a variable defines for its file only.
fn declared(words: &[String]) -> Option<String> {
    let own = words.iter().any(|word| word == "static" || word == "const" || word == "constexpr");
    if !own || words.iter().any(|word| word == "extern" || word == "typedef") {
        return None;
    }
    let end = words.iter().position(|word| word == "=" || word == "[").unwrap_or(words.len());
    let name = words[..end].last()?;
    (is_name(name) && !words[..end].contains(&"(".to_owned())).then(|| name.clone())
}
