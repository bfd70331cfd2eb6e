//! Limits of the house style that today's code does not meet everywhere. A file in `limits/` lists what
//! exceeds a limit, with its count. Counts may only go down.
//!
//! `LANEWORK_BLESS=1` lowers the counts in the files to today's. It never raises one and adds nothing.

use super::{MAY_USE, crates, files};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The most entries of a source folder. The folders of ladders are exempt: they hold one file per rung.
const ENTRIES: usize = 12;
const LADDERS: &str = "laboratory/ladders/src";

/// The most types of one name in the workspace.
const SAME_NAME: usize = 4;

/// Compares `found` with the counts in `limits/NAME.txt`: only listed names may exceed `limit`, and only by
/// its count.
fn check(name: &str, limit: usize, found: &BTreeMap<String, usize>, advice: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/invariants/limits");
    let path = path.join(format!("{name}.txt"));
    let text = fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let rows = text.lines().filter_map(|line| line.split_once(' '));
    let allowed: BTreeMap<&str, usize> =
        rows.map(|(count, what)| (what, count.parse().expect("a count"))).collect();
    let over = found
        .iter()
        .filter(|(what, count)| **count > allowed.get(what.as_str()).copied().unwrap_or(limit));
    let over: Vec<String> = over
        .map(|(what, count)| match allowed.get(what.as_str()) {
            Some(allowed) => format!("{what}: {count}, at most {allowed} so far"),
            None => format!("{what}: {count}, at most {limit}"),
        })
        .collect();
    if lanework_testing::bless() {
        let lower = allowed.iter().filter_map(|(what, allowed)| {
            let count = found.get(*what).copied().unwrap_or(0).min(*allowed);
            (count > limit).then(|| format!("{count} {what}\n"))
        });
        fs::write(&path, lower.collect::<String>()).expect("a writable file");
    }
    assert!(over.is_empty(), "{advice}\n{}", over.join("\n"));
}

/// A path below `crates`, with `/` on every system.
fn below_crates(path: &Path) -> String {
    let below = path.strip_prefix(crates()).expect("below crates").components();
    let parts: Vec<_> = below.map(|part| part.as_os_str().to_string_lossy()).collect();
    parts.join("/")
}

/// Rust files of the workspace, without the programs of compile-fail tests.
fn sources() -> Vec<PathBuf> {
    files(&crates(), &|path| {
        path.extension().is_some_and(|kind| kind == "rs")
            && !path.components().any(|part| part.as_os_str() == "ui")
    })
}

#[test]
fn folders_are_small() {
    let mut entries: BTreeMap<String, usize> = BTreeMap::new();
    let mut counted = BTreeSet::new();
    for file in sources() {
        let mut path = file.as_path();
        // Every folder on the way counts the entry once.
        while let Some(folder) = path.parent()
            && folder.components().any(|part| part.as_os_str() == "src")
        {
            if counted.insert(path.to_owned()) {
                *entries.entry(below_crates(folder)).or_default() += 1;
            }
            path = folder;
        }
    }
    entries.retain(|folder, _| !folder.starts_with(LADDERS));
    check("folders", ENTRIES, &entries, "split these folders by concept, or merge files:");
}

#[test]
fn documentation_does_not_open_with_what() {
    let mut openings: BTreeMap<String, usize> = BTreeMap::new();
    for file in sources() {
        let text = fs::read_to_string(&file).expect("a readable file");
        let path = below_crates(&file);
        let mut crates = MAY_USE.iter().map(|(name, _)| *name);
        let name = crates.find(|name| Path::new(&path).starts_with(name)).unwrap_or("other");
        let mut inside = false;
        for line in text.lines().map(str::trim_start) {
            let text = line.strip_prefix("///").or_else(|| line.strip_prefix("//!"));
            if !inside && text.is_some_and(|text| text.starts_with(" What ")) {
                *openings.entry(name.to_owned()).or_default() += 1;
            }
            inside = text.is_some();
        }
    }
    check("what", 0, &openings, "say what the item is or does, not `What ...`:");
}

#[test]
fn names_of_types_are_specific() {
    let mut types: BTreeMap<String, usize> = BTreeMap::new();
    for file in sources() {
        let text = fs::read_to_string(&file).expect("a readable file");
        // Items at the start of a line: types inside of functions and associated types have a small scope.
        for line in text.lines() {
            let mut words = line.split(' ').skip_while(|word| word.starts_with("pub"));
            let is_type =
                matches!(words.next(), Some("struct" | "enum" | "union" | "trait" | "type"));
            if let (true, Some(rest)) = (is_type, words.next()) {
                let name = rest.split(|c: char| !c.is_alphanumeric() && c != '_').next();
                *types.entry(name.unwrap_or_default().to_owned()).or_default() += 1;
            }
        }
    }
    let advice = "these names have too many types: `Part` says less than `ArgumentPart`:";
    check("types", SAME_NAME, &types, advice);
}
