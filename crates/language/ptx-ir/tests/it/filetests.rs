//! File tests of lowering and the analyses, in the manner of Cranelift's: each file of `tests/filetests` is
//! PTX with the expected output in the same file.
//!
//! A file opens with one or more directives, `// test VIEW`. The module follows, and then the expected output: for each
//! directive and each entry of the module, a section of comments that starts with `// ---- VIEW: ENTRY`. Views:
//!
//! | view | shows |
//! |---|---|
//! | `lower` | the intermediate form |
//! | `cfg` | basic blocks and edges |
//! | `post-dominators` | where lanes that diverge at the end of each block reconverge |
//! | `liveness` | registers live at the edges of blocks |
//! | `uniformity block=32x8` | the class of each result over the lanes of a warp, for a block shape |
//! | `known-bits` | the lowest bits of registers |
//! | `vectorize` | loads from shared memory, and which are merged |
//! | `access-classes` | how ptxas compiles each access, for counters |
//! | `nans` | how instructions treat NaNs, and the canonicalizations added |
//! | `load-uses` | the marks of checks on loads |
//! | `reductions` | the reductions that may be delayed |
//! | `pressure` | the estimate of registers |
//!
//! To write or update the expected output (read the difference before you commit it):
//!
//! ```text
//! LANEWORK_BLESS=1 cargo test -p lanework-ptx-ir --test it filetests
//! ```

use lanework_ptx::Module;
use lanework_ptx_ir::inspect::{View, inspect};
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// The marker that starts a section of expected output.
const SECTION: &str = "// ---- ";

/// The files, in order.
fn files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/filetests");
    let entries = std::fs::read_dir(folder).expect("the folder of file tests");
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    files.sort();
    files
}

/// The view that a directive names.
fn view(directive: &str) -> Option<View> {
    let mut words = directive.split_whitespace();
    let name = words.next()?;
    let block = words.next().and_then(|word| word.strip_prefix("block=")).map(|shape| {
        let mut axes = shape.split('x').map(|axis| axis.parse().expect("a block shape"));
        [0; 3].map(|_| axes.next().unwrap_or(1))
    });
    Some(match (name, block) {
        ("lower", None) => View::Lowered,
        ("cfg", None) => View::ControlFlow,
        ("post-dominators", None) => View::PostDominators,
        ("liveness", None) => View::Liveness,
        ("uniformity", Some(block)) => View::Uniformity(block),
        ("known-bits", None) => View::KnownBits,
        ("vectorize", None) => View::VectorizedLoads,
        ("access-classes", None) => View::AccessClasses,
        ("nans", None) => View::Nans,
        ("load-uses", None) => View::LoadUses,
        ("reductions", None) => View::Reductions,
        ("pressure", None) => View::Pressure,
        _ => return None,
    })
}

/// The expected contents of a file: its input, and the current output of its directives.
fn blessed(text: &str) -> Result<String, String> {
    let input = match text.find(SECTION) {
        Some(at) => &text[..at],
        None => text,
    };
    let module = Module::parse(input).map_err(|e| e.to_string())?;
    let directives = input.lines().map_while(|line| line.strip_prefix("// test "));
    let mut output = format!("{}\n\n", input.trim_end());
    let mut sections = 0;
    for directive in directives {
        let view = view(directive).ok_or_else(|| format!("no view `{directive}`"))?;
        for entry in module.entries() {
            let shown = inspect(&module, entry, view).map_err(|e| e.to_string())?;
            writeln!(output, "{SECTION}{directive}: {}", entry.name).unwrap_or_default();
            for line in shown.lines() {
                writeln!(output, "// {}", line.trim_end()).unwrap_or_default();
            }
            sections += 1;
        }
    }
    match sections {
        0 => Err("no `// test` directive on the first lines, or no entry".to_owned()),
        _ => Ok(output),
    }
}

/// The lines in which two texts differ, from the first such line to the last.
fn difference(expected: &str, found: &str) -> String {
    let (expected, found): (Vec<_>, Vec<_>) = (expected.lines().collect(), found.lines().collect());
    let same = expected.iter().zip(&found).take_while(|(a, b)| a == b).count();
    let rest = |lines: &[&str]| lines.len() - same;
    let (left, right) = (rest(&expected), rest(&found));
    let tail = expected.iter().rev().zip(found.iter().rev()).take_while(|(a, b)| a == b).count();
    let tail = tail.min(left).min(right);
    let mut text = String::new();
    let mut say = |sign: char, lines: &[&str]| {
        for line in &lines[same..lines.len() - tail] {
            writeln!(text, "  {sign} {line}").unwrap_or_default();
        }
    };
    say('-', &expected);
    say('+', &found);
    text
}

#[test]
fn analyses_match_the_expectations_in_the_files() {
    let bless = lanework_testing::bless();
    let mut failures = String::new();
    for file in files() {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        let text = std::fs::read_to_string(&file).expect("a file test");
        match blessed(&text) {
            Err(problem) => writeln!(failures, "{name}: {problem}").unwrap_or_default(),
            Ok(found) if found == text => {}
            Ok(found) if bless => std::fs::write(&file, found).expect("the file is written"),
            Ok(found) => {
                writeln!(failures, "{name}:\n{}", difference(&text, &found)).unwrap_or_default()
            }
        }
    }
    assert!(
        failures.is_empty(),
        "{failures}if this is right: LANEWORK_BLESS=1 cargo test -p lanework-ptx-ir --test it filetests"
    );
}
