//! Every public item of `lanework`, of the runtime and of the kernel language has an executable example, or an example names it.
//!
//! The sources are read, not the compiler's output. Public is what can be reached from a crate's root by `pub mod`
//! and `pub use`, without items that are hidden from the docs. A function or a type is covered when an example of
//! these crates, the guide or the README names it; a method, when an example that is in the same module or names
//! its type calls it; a type also when one of its methods is covered. Items that no program names, such as a trait
//! that only bounds arguments, are in a table with the item whose example uses them.

mod examples;
mod items;

use examples::{Example, examples, page};
use items::{Item, items};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

fn here(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// Items that examples use without naming them, each with the item whose example uses it.
const USED_BY: &[(&str, &str)] = &[
    ("Arg", "Launch"),
    ("ReferenceArg", "Tiles"),
    ("ReferenceMutArg", "TensorTiles"),
    ("SliceArg", "View"),
    ("SliceMutArg", "ViewMut"),
    ("TileAt", "TensorTiles"),
    ("PixelOffsets", "PixelMap"),
    ("IntoPart", "bulk_load"),
    ("IntoPart::into_part", "bulk_load"),
    ("WrittenTensor", "TensorTiles"),
    ("Data", "Var"),
    ("Mut", "Var"),
    ("Finished", "Accumulator"),
    ("GroupOperand", "multiply"),
    ("Stored", "multiply"),
    ("Source", "load"),
    ("Target", "store"),
];

/// Whether an example may cover an item of a type.
fn is_near(example: &Example, item: &Item) -> bool {
    let owner = item.owner.as_deref().unwrap_or_default();
    owner == "Var" || example.module == item.module || example.names(owner)
}

fn is_covered(item: &Item, examples: &[Example]) -> bool {
    match (&item.owner, item.has_receiver) {
        _ if item.has_example => true,
        (None, _) => examples.iter().any(|example| example.names(&item.name)),
        (Some(_), true) => examples.iter().any(|e| e.calls(&item.name) && is_near(e, item)),
        // For example `T::ZERO` of a generic `T`.
        (Some(_), false) if item.of_trait => examples.iter().any(|e| e.calls(&item.name)),
        (Some(owner), false) => examples.iter().any(|e| e.makes(owner, &item.name)),
    }
}

#[test]
fn every_public_item_has_an_example_or_is_named_in_one() {
    let mut found = examples(&here("src"));
    for other in ["../abi/src", "../runtime/src", "../../rust-kernels/lang/src"] {
        found.extend(examples(&here(other)));
    }
    found.extend(examples(&here("../../../docs/src/en/writing")));
    found.extend(examples(&here("../../../README.md")));
    // The programs of these pages are copies of tests, which the tests verify.
    found.extend(page(&here("../../../docs/src/en/hopper.md"), "asynchrony"));
    found.extend(page(&here("../../../docs/src/en/tensor-cores.md"), "tensor_cores"));
    assert!(found.len() > 100, "{} examples", found.len());
    let mut all = items(&here("src"));
    for other in ["../runtime/src", "../../rust-kernels/lang/src"] {
        all.extend(items(&here(other)));
    }
    assert!(all.len() > 400, "{} items", all.len());
    let shown: BTreeSet<&str> = all
        .iter()
        .filter(|item| is_covered(item, &found))
        .flat_map(|item| [Some(item.name.as_str()), item.owner.as_deref()])
        .flatten()
        .collect();
    let mut missing: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for item in &all {
        let used = USED_BY.iter().find(|(name, _)| item.path() == *name);
        let is_type = item.owner.is_none() && item.name.starts_with(|c: char| c.is_uppercase());
        let covered = match used {
            Some((_, by)) => shown.contains(by),
            None => is_covered(item, &found) || is_type && shown.contains(item.name.as_str()),
        };
        if !covered {
            missing.entry(&item.file).or_default().push(item.path());
        }
    }
    let count: usize = missing.values().map(Vec::len).sum();
    assert!(
        missing.is_empty(),
        "{count} of {} items have no example: write one that shows several of them\n{missing:#?}",
        all.len()
    );
    for (name, by) in USED_BY {
        assert!(all.iter().any(|item| item.path() == *name), "no public item is called {name}");
        let item = all.iter().find(|item| item.path() == *name).unwrap();
        assert!(
            !is_covered(item, &found),
            "{name} has an example: remove it from the table, beside {by}"
        );
    }
}
