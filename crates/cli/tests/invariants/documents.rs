//! Paths that the documents for developers name: each must exist.

use crate::crates;

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
