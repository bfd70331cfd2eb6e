//! Paths that the documents for developers name, and the tests that commands in any text select: each must exist.

use crate::{crates, files};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

const DOCUMENTS: [&str; 3] = ["ARCHITECTURE.md", "CONTRIBUTING.md", "docs/internals.md"];

/// The texts in backquotes that contain a slash and look like a path of this repository.
fn paths(text: &str) -> impl Iterator<Item = &str> {
    let inside = text.split('`').skip(1).step_by(2);
    let is_path = |path: &&str| {
        let plain = |c: char| c.is_ascii_alphanumeric() || "/._-".contains(c);
        path.contains('/')
            && path.starts_with(|c: char| c.is_ascii_lowercase())
            && path.chars().all(plain)
    };
    inside.filter(is_path)
}

#[test]
fn paths_in_documents_exist() {
    let root = crates().join("..");
    let (mut found, mut missing) = (0, Vec::new());
    for document in DOCUMENTS {
        let text = std::fs::read_to_string(root.join(document)).expect(document);
        // Fenced blocks hold an odd number of quotes.
        let prose: String = text.split("```").step_by(2).collect();
        for path in paths(&prose) {
            found += 1;
            if !crates().join(path).exists() && !root.join(path).exists() {
                missing.push(format!("{document}: {path}"));
            }
        }
    }
    assert!(found > 30, "found only {found} paths");
    assert!(missing.is_empty(), "these do not exist:\n{}", missing.join("\n"));
}

/// The folders of the packages, by name.
fn packages() -> BTreeMap<String, PathBuf> {
    let manifests = files(&crates(), &|path| path.ends_with("Cargo.toml"));
    let named = manifests.into_iter().filter_map(|path| {
        let text = fs::read_to_string(&path).expect("a readable file");
        let name = text.split_once("name = \"")?.1.split('"').next()?.to_owned();
        Some((name, path.parent()?.to_owned()))
    });
    named.collect()
}

/// The full names of the functions of an integration test, such as `counters::page::it_is_new`; empty if there is no such test.
fn functions(package: &Path, test: &str) -> Vec<String> {
    let folder = package.join("tests").join(test);
    let is_source = |path: &Path| path.extension().is_some_and(|kind| kind == "rs");
    let single = folder.with_extension("rs");
    let mut sources = files(&folder, &is_source);
    sources.extend(single.exists().then_some(single));
    let mut names = Vec::new();
    for source in sources {
        let module = source.strip_prefix(&folder).map(Path::to_owned).unwrap_or_default();
        let parts = module.iter().map(|part| part.to_string_lossy().replace(".rs", ""));
        let parts: Vec<String> = parts.filter(|part| part != "main" && part != "mod").collect();
        let text = fs::read_to_string(&source).expect("a readable file");
        for line in text.lines() {
            let Some(rest) = line.trim_start().strip_prefix("fn ") else { continue };
            let name = rest.split(['(', '<']).next().unwrap_or_default();
            names.push([&parts[..], &[name.to_owned()]].concat().join("::"));
        }
    }
    names
}

/// The package, the integration test and the filter, if any, of each `cargo test` command in a text that names the first two.
fn test_commands(text: &str) -> Vec<(String, String, Option<String>)> {
    let commands = text.split("cargo test ").skip(1);
    let selected = commands.filter_map(|rest| {
        let command = rest.split(['`', '\n', '|', ')']).next()?;
        let words: Vec<&str> = command.split_whitespace().collect();
        let after =
            |option: &str| words.iter().position(|word| *word == option).map(|place| place + 1);
        let (package, test) = (after("-p")?, after("--test")?);
        let is_name = |word: &&&str| {
            word.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || "_:".contains(c))
        };
        let filter = words.get(test + 1).filter(is_name).map(|word| (*word).to_owned());
        Some(((*words.get(package)?).to_owned(), (*words.get(test)?).to_owned(), filter))
    });
    selected.collect()
}

#[test]
fn commands_in_texts_select_tests() {
    let root = crates().join("..");
    let is_text = |path: &Path| {
        path.extension()
            .is_some_and(|kind| ["md", "rs", "sh", "txt"].iter().any(|one| kind == *one))
    };
    let folders = ["crates", "docs", "scripts"].map(|folder| files(&root.join(folder), &is_text));
    let documents = ["CONTRIBUTING.md", "README.md"].map(|document| root.join(document));
    let packages = packages();
    let (mut found, mut missing) = (0, Vec::new());
    for path in folders.into_iter().flatten().chain(documents) {
        let Ok(text) = fs::read_to_string(&path) else { continue };
        for (package, test, filter) in test_commands(&text) {
            found += 1;
            let names = packages.get(&package).map(|folder| functions(folder, &test));
            let selects =
                |name: &String| filter.as_ref().is_none_or(|filter| name.contains(filter));
            if !names.is_some_and(|names| names.iter().any(selects)) {
                missing.push(format!("{}: {package} {test} {filter:?}", path.display()));
            }
        }
    }
    assert!(found > 20, "found only {found} commands");
    assert!(missing.is_empty(), "these commands select no test:\n{}", missing.join("\n"));
}

#[test]
fn a_command_is_read_up_to_its_end() {
    // Without the word itself, so that this text has no command.
    let text = "run `COMMAND -p a --test it one::two`, or COMMAND --workspace (COMMAND -p b --test c -- x)";
    let text = text.replace("COMMAND", "cargo test");
    let filter = Some("one::two".to_owned());
    let wanted =
        [("a".to_owned(), "it".to_owned(), filter), ("b".to_owned(), "c".to_owned(), None)];
    assert_eq!(test_commands(&text), wanted);
}
