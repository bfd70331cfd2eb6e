//! Executable examples: code in documentation comments and in pages.

use proc_macro2::{TokenStream, TokenTree};
use std::path::Path;

/// A program of the documentation.
pub struct Example {
    /// The folder or file below `src` that contains it.
    pub module: String,
    /// Its tokens, in order.
    words: Vec<String>,
}

impl Example {
    /// Whether it mentions a name.
    pub fn names(&self, name: &str) -> bool {
        self.words.iter().any(|word| word == name)
    }

    /// Whether it calls a method of this name.
    pub fn calls(&self, name: &str) -> bool {
        self.words.windows(2).any(|pair| (pair[0] == "." || pair[0] == ":") && pair[1] == name)
    }

    /// Whether it names a function or a constant of a type, possibly by an alias of the type: `FragmentC` is a `Fragment`.
    pub fn makes(&self, owner: &str, name: &str) -> bool {
        self.calls(name) && self.words.iter().any(|word| word.starts_with(owner))
    }
}

/// The examples of a file or of the files of a folder.
pub fn examples(root: &Path) -> Vec<Example> {
    let mut files = Vec::new();
    crate::items::files(root, &mut files);
    let mut found = Vec::new();
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap();
        let module = crate::items::module_of(root, &file);
        let lines = match file.extension().is_some_and(|e| e == "rs") {
            true => comments(&text),
            false => text.lines().map(str::to_owned).collect(),
        };
        found.extend(
            blocks(&lines)
                .into_iter()
                .map(|code| Example { module: module.clone(), words: words(&code) }),
        );
    }
    found
}

/// The examples of a page about one part of the language.
pub fn page(file: &Path, module: &str) -> Vec<Example> {
    let mut found = examples(file);
    found.iter_mut().for_each(|example| example.module = module.to_owned());
    found
}

/// The lines of documentation comments, and of `#[doc = concat!(..)]` among them.
fn comments(text: &str) -> Vec<String> {
    let line = |line: &str| -> Option<String> {
        let line = line.trim_start();
        for mark in ["///", "//!"] {
            if let Some(rest) = line.strip_prefix(mark) {
                return Some(rest.to_owned());
            }
        }
        if !line.starts_with("#[doc") {
            return None;
        }
        let literal = |(index, part): (usize, &str)| (index % 2 == 1).then(|| part.to_owned());
        Some(line.split('"').enumerate().filter_map(literal).collect())
    };
    text.lines().filter_map(line).collect()
}

/// The code in fences that is executable Rust.
fn blocks(lines: &[String]) -> Vec<String> {
    let mut found = Vec::new();
    let mut open: Option<(bool, String)> = None;
    for line in lines {
        let Some(fence) = line.trim_start().strip_prefix("```") else {
            if let Some((_, code)) = &mut open {
                let hidden = line.trim_start().strip_prefix("# ");
                code.push_str(hidden.unwrap_or(line));
                code.push('\n');
            }
            continue;
        };
        match open.take() {
            Some((true, code)) => found.push(code),
            Some((false, _)) => {}
            None => {
                let runs = fence.is_empty()
                    || fence
                        .split(',')
                        .all(|w| matches!(w.trim(), "rust" | "should_panic" | "no_run"));
                open = Some((runs, String::new()));
            }
        }
    }
    found
}

/// The tokens of a program.
fn words(code: &str) -> Vec<String> {
    fn walk(tokens: TokenStream, out: &mut Vec<String>) {
        for tree in tokens {
            match tree {
                TokenTree::Group(group) => {
                    let (open, close) = match group.delimiter() {
                        proc_macro2::Delimiter::Brace => ("{", "}"),
                        _ => ("(", ")"),
                    };
                    out.push(open.to_owned());
                    walk(group.stream(), out);
                    out.push(close.to_owned());
                }
                other => out.push(other.to_string()),
            }
        }
    }
    let mut out = Vec::new();
    walk(code.parse().unwrap_or_default(), &mut out);
    out
}
