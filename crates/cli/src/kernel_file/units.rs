//! A program of several files as one source. Each file may have its own macros, and its own `static` names and classes, as
//! if it were compiled alone: a name that several files define for themselves is renamed in each file after the first.
//!
//! Limit: names are found by a scan of each file's own text, without its headers and without a preprocessor.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// A source that includes the files, given as a path to include and a text.
pub fn joined(files: &[(String, String)]) -> String {
    let found: Vec<OwnNames> = files.iter().map(|(_, text)| own_names(text)).collect();
    let mut uses: BTreeMap<&str, usize> = BTreeMap::new();
    for name in found.iter().flat_map(|file| &file.definitions) {
        *uses.entry(name).or_default() += 1;
    }
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    let mut source = String::new();
    for (number, ((path, _), own)) in files.iter().zip(&found).enumerate() {
        let clashes: Vec<&String> = own
            .definitions
            .iter()
            .filter(|name| uses[name.as_str()] > 1 && seen.contains(name.as_str()))
            .collect();
        if number > 0 {
            source.push_str("#pragma lanework_file\n");
        }
        for name in &clashes {
            let _ = writeln!(source, "#define {name} {name}_{}", number + 1);
        }
        // A macro of a header may have the same name: it is restored for the next file.
        for name in &own.macros {
            let _ = writeln!(source, "#pragma push_macro(\"{name}\")");
        }
        let _ = writeln!(source, "#include \"{path}\"");
        for name in &own.macros {
            let _ = writeln!(source, "#pragma pop_macro(\"{name}\")");
        }
        for name in clashes {
            let _ = writeln!(source, "#undef {name}");
        }
        seen.extend(own.definitions.iter().map(String::as_str));
    }
    source
}

/// The names that belong to one file only.
#[derive(Debug, Default)]
struct OwnNames {
    /// Classes; functions and variables that are `static`, `inline`, `const`, templates, or device functions.
    definitions: BTreeSet<String>,
    macros: BTreeSet<String>,
}

/// Words by which a definition is its file's own.
const OWN: [&str; 7] =
    ["static", "inline", "template", "__device__", "const", "constexpr", "__inline__"];
/// Words before `(` that are not the name of a function.
const NOT_NAMES: [&str; 6] =
    ["__launch_bounds__", "__attribute__", "__align__", "alignas", "decltype", "main"];

fn own_names(text: &str) -> OwnNames {
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
    for word in split(&plain) {
        match word.as_str() {
            "{" if depth == 0 && is_transparent(&words) => words.clear(),
            "{" => {
                if depth == 0 {
                    own.definitions.extend(defined(&words));
                    words.clear();
                }
                depth += 1;
            }
            "}" => depth = depth.saturating_sub(1),
            ";" if depth == 0 => {
                own.definitions.extend(declared(&words));
                words.clear();
            }
            _ if depth == 0 => words.push(word),
            _ => {}
        }
    }
    own
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
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
    words.iter().any(|word| word == "namespace")
        || words.first().is_some_and(|word| word == "extern")
}

/// The name that a definition with a body defines for its file only.
fn defined(words: &[String]) -> Option<String> {
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
        word == "("
            && is_outer
            && name.is_some_and(|name| {
                name.starts_with(|c: char| c.is_alphabetic() || c == '_')
                    && !NOT_NAMES.contains(&name.as_str())
            })
    });
    let Some(call) = call else {
        if words.contains(&"=".to_owned()) {
            return declared(words);
        }
        let keyword = words.iter().rposition(|word| word == "struct" || word == "class")?;
        let name = words.get(keyword + 1)?;
        return name.starts_with(|c: char| c.is_alphabetic() || c == '_').then(|| name.clone());
    };
    // A member of a class that is defined elsewhere is not the file's own.
    let member = words[..call - 1].last().is_some_and(|word| word == ":");
    let own = words.iter().any(|word| word != "const" && OWN.contains(&word.as_str()));
    (own && !member && words[call - 1] != "operator").then(|| words[call - 1].clone())
}

/// The name that a declaration of a variable defines for its file only.
fn declared(words: &[String]) -> Option<String> {
    let own = words.iter().any(|word| word == "static" || word == "const" || word == "constexpr");
    if !own || words.iter().any(|word| word == "extern" || word == "typedef") {
        return None;
    }
    let end = words.iter().position(|word| word == "=" || word == "[").unwrap_or(words.len());
    let name = words[..end].last()?;
    let is_name = name.starts_with(|c: char| c.is_alphabetic() || c == '_');
    (is_name && !words[..end].contains(&"(".to_owned())).then(|| name.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIRST: &str = r#"
#include <cstdio>
#define N 4
#define SQUARE(x) \
    ((x) * (x))
struct Polygon { int sides; };
static const int width = N;
namespace tools { static inline int helper(int x) { return SQUARE(x); } }
extern "C" void visible(int *x) { *x = helper(1); } // static int comment() {}
template <class T> __global__ void __launch_bounds__(N, SQUARE(N)) kernel(T *x) { *x = 1; }
int Polygon::area() const { return 1; }
static int unused(int x);
"#;

    #[test]
    fn a_file_owns_its_static_names_classes_and_macros() {
        let own = own_names(FIRST);
        let names = |set: &BTreeSet<String>| set.iter().cloned().collect::<Vec<_>>().join(" ");
        assert_eq!(names(&own.definitions), "Polygon helper kernel width");
        assert_eq!(names(&own.macros), "N SQUARE");
    }

    #[test]
    fn only_names_that_clash_are_renamed() {
        let file = |name: &str, text: &str| (name.to_owned(), text.to_owned());
        let second =
            "static float helper(float x) { return x; }\n__device__ int alone() { return 1; }";
        let source = joined(&[file("a.cu", FIRST), file("b.cu", second)]);
        let first = "#pragma push_macro(\"N\")\n#pragma push_macro(\"SQUARE\")\n#include \"a.cu\"\n\
             #pragma pop_macro(\"N\")\n#pragma pop_macro(\"SQUARE\")\n";
        let wanted = format!(
            "{first}#pragma lanework_file\n#define helper helper_2\n#include \"b.cu\"\n#undef helper\n"
        );
        assert_eq!(source, wanted);
    }
}
