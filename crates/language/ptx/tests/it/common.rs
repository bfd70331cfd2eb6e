//! Helpers: PTX modules of real compilers, and the removal of text lines before a comparison.

use lanework_ptx::{Item, Module, Statement};
use std::fs;
use std::path::Path;

/// Every `.ptx` file under `crates/laboratory/lab/data/compilers` with its name, in the order of the names.
pub fn real_modules() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../laboratory/lab/data/compilers");
    let mut modules: Vec<(String, String)> = fs::read_dir(&folder)
        .expect("the folder of test data")
        .map(|entry| entry.expect("a folder entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "ptx"))
        .map(|path| {
            let name = path.file_name().expect("a name").to_string_lossy().into_owned();
            (name, fs::read_to_string(&path).expect("readable PTX"))
        })
        .collect();
    modules.sort();
    assert!(modules.len() >= 10, "the test data is missing from {}", folder.display());
    modules
}

/// The module without its text lines, so that modules of two texts compare equal.
pub fn without_text_lines(mut module: Module) -> Module {
    for item in &mut module.items {
        if let Item::Function(function) = item {
            forget(function.body.as_deref_mut().unwrap_or_default());
        }
    }
    module
}

/// Removes the text lines of statements and nested blocks.
fn forget(statements: &mut [Statement]) {
    for statement in statements {
        match statement {
            Statement::Instruction(instruction) => instruction.text_line = 0,
            Statement::Block(inner) => forget(inner),
            _ => {}
        }
    }
}
