//! The invariants of `ARCHITECTURE.md` that a machine can check: crates depend on each other in one
//! direction only, so do the files and the folders of a crate, every source file states its purpose,
//! and the limits of the house style hold or come closer.

mod documents;
mod graph;
mod history;
mod limits;
mod packages;
mod planted;
mod site;
mod source;
mod tokens;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Each crate's folder below `crates` and the names of the crates of ours it may use.
const MAY_USE: &[(&str, &[&str])] = &[
    ("language/numbers", &[]),
    ("language/ptx", &[]),
    ("rust-kernels/macros", &[]),
    ("rust-kernels/math", &[]),
    ("rust-kernels/lang", &["abi", "numbers", "ptx", "math"]),
    ("language/ptx-ir", &["ptx"]),
    ("language/ssa", &["ptx"]),
    ("language/cuda-cpp", &["ptx", "ssa"]),
    ("emulator/engine", &["numbers", "ptx", "ptx-ir"]),
    ("emulator/host", &["numbers", "ssa"]),
    ("emulator/counters", &["ptx-ir", "engine"]),
    ("emulator/sanitizer", &["ptx-ir", "engine"]),
    ("emulator/emulator", &["ptx", "ptx-ir", "engine", "counters", "sanitizer"]),
    ("emulator/debug", &["cuda-cpp", "ptx", "ptx-ir", "engine", "emulator"]),
    ("emulator/debug-tui", &["debug", "engine"]),
    ("emulator/emulator-tests", &[]),
    ("gpu/gpu-specs", &[]),
    ("emulator/report", &["ptx", "emulator", "gpu-specs"]),
    ("emulator/time", &["ptx", "ptx-ir", "engine", "counters", "gpu-specs"]),
    ("gpu/cuda", &[]),
    ("runtime/abi", &["ptx"]),
    ("runtime/confine", &[]),
    ("runtime/ranks", &[]),
    ("runtime/runtime", &["abi", "ptx", "emulator", "report", "time", "cuda"]),
    ("runtime/lanework", &["abi", "lang", "macros", "runtime"]),
    ("operations/ops", &["lanework", "numbers"]),
    ("operations/dist", &["lanework", "cuda", "ops", "ranks"]),
    ("laboratory/ladders", &["lanework", "ops", "dist"]),
    ("laboratory/exercises", &["emulator"]),
    ("laboratory/bench", &["runtime", "gpu-specs", "report"]),
    ("laboratory/verify", &["lanework", "bench"]),
    ("laboratory/lab", &["lanework", "ops", "dist", "bench", "ladders", "verify"]),
    ("laboratory/store", &["runtime", "lab"]),
    ("laboratory/judge", &["confine", "cuda-cpp", "numbers", "runtime", "lab"]),
    ("laboratory/pages", &["terminal"]),
    ("laboratory/testing", &[]),
    ("laboratory/compiled-ptx", &[]),
    ("laboratory/corpus", &["runtime", "compiled-ptx"]),
    ("terminal", &["lanework", "ladders"]),
    ("laboratory/lab-cli", &["lanework", "ladders", "lab", "terminal"]),
    (
        "cli",
        &[
            "ptx",
            "ssa",
            "cuda-cpp",
            "host",
            "debug",
            "debug-tui",
            "driver",
            "lanework",
            "ladders",
            "exercises",
            "lab",
            "store",
            "judge",
            "mcp",
            "pages",
            "terminal",
        ],
    ),
    ("operations/arrays", &["numbers", "runtime", "ops"]),
    ("bindings/mcp", &["confine"]),
    ("bindings/capi", &["runtime", "arrays"]),
    (
        "bindings/web",
        &[
            "ptx",
            "ptx-ir",
            "cuda-cpp",
            "engine",
            "emulator",
            "report",
            "time",
            "gpu-specs",
            "host",
            "debug",
            "exercises",
        ],
    ),
    ("cuda-programs/driver", &["runtime", "report", "gpu-specs", "standin"]),
    ("cuda-programs/jitlink", &["ptx"]),
    ("cuda-programs/standin", &[]),
    ("cuda-programs/cublas", &["numbers", "standin"]),
    ("cuda-programs/curand", &["standin"]),
    ("cuda-programs/cufft", &["numbers", "standin"]),
    ("cuda-programs/cusolver", &["numbers", "standin"]),
    ("cuda-programs/nccl", &["numbers", "standin", "ranks"]),
    ("bindings/python", &["runtime", "report", "arrays"]),
];

/// The folder that holds all crates, in groups.
fn crates() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("crates/").to_owned()
}

/// Every file under `folder` that `wanted` accepts.
fn files(folder: &Path, wanted: &dyn Fn(&Path) -> bool) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let Ok(entries) = fs::read_dir(folder) else { return found };
    for path in entries.map(|entry| entry.expect("a readable folder").path()) {
        if path.is_dir() && path.file_name().is_some_and(|name| name != "target") {
            found.extend(files(&path, wanted));
        } else if wanted(&path) {
            found.push(path);
        }
    }
    found
}

#[test]
fn crates_have_no_cyclic_dependencies() {
    for &(folder, allowed) in MAY_USE {
        let manifest = fs::read_to_string(crates().join(folder).join("Cargo.toml")).expect(folder);
        let dependencies = manifest.split("[dependencies]").nth(1).unwrap_or_default();
        let dependencies = dependencies.split("\n[").next().unwrap_or_default();
        for line in dependencies.lines().filter(|line| line.starts_with("lanework")) {
            let name = line.split(['.', ' ', '=']).next().unwrap_or_default();
            let name = name.strip_prefix("lanework-").unwrap_or(name);
            assert!(allowed.contains(&name), "{folder} must not depend on {name}");
        }
    }
}

#[test]
fn every_crate_is_in_the_table() {
    let is_manifest = |path: &Path| path.file_name().is_some_and(|name| name == "Cargo.toml");
    let known = |folder: &Path| MAY_USE.iter().any(|(known, _)| folder == Path::new(known));
    for manifest in files(&crates(), &is_manifest) {
        let folder = manifest.parent().expect("a folder").strip_prefix(crates()).expect("below");
        let is_fuzz = folder.ends_with("fuzz"); // a workspace of its own: it needs a nightly compiler
        assert!(is_fuzz || known(folder), "{} is not in MAY_USE", folder.display());
    }
}

#[test]
fn every_source_file_states_its_purpose() {
    let is_source = |path: &Path| {
        path.extension().is_some_and(|kind| kind == "rs")
            && !path.components().any(|part| part.as_os_str() == "ui")
    };
    let sources = files(&crates(), &is_source);
    assert!(sources.len() > 50, "found only {} source files", sources.len());
    for path in sources {
        let text = fs::read_to_string(&path).expect("a readable file");
        assert!(text.starts_with("//! "), "{} does not open with `//!`", path.display());
    }
}

/// Knots that exist today, by folder: the most entries that may use each other. A line of `limits/knots.txt` is
/// `19 emulator/engine/src: why`; a folder followed by ` (files)` is for files, wherever they are below it.
fn known_knots() -> BTreeMap<String, usize> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/invariants/limits/knots.txt");
    let text = fs::read_to_string(path).expect("a readable file");
    let row = |line: &str| {
        let (known, why) = line.split_once(": ")?;
        let (entries, folder) = known.split_once(' ')?;
        (!why.is_empty()).then(|| Some((folder.to_owned(), entries.parse().ok()?)))?
    };
    text.lines()
        .map(|line| row(line).unwrap_or_else(|| panic!("not a known knot: {line}")))
        .collect()
}

/// The graph of a crate's files.
fn graph_of(name: &str) -> graph::Graph {
    let root = crates().join(name).join("src");
    let sources = files(&root, &|path| path.extension().is_some_and(|kind| kind == "rs"));
    let sources = sources.into_iter().map(|path| {
        let text = fs::read_to_string(&path).expect("a readable file");
        (path.strip_prefix(&root).expect("below src").to_owned(), text)
    });
    graph::Graph::new(&sources.collect::<Vec<_>>())
}

#[test]
fn files_and_folders_of_a_crate_have_no_cyclic_dependencies() {
    let known = known_knots();
    let mut found = BTreeSet::new();
    let mut failures = Vec::new();
    for (name, _) in MAY_USE {
        let graph = graph_of(name);
        let src = format!("{name}/src");
        let files = graph.file_knots().into_iter().map(|knot| (format!("{src} (files)"), knot));
        let folders = graph.folder_knots().into_iter();
        let folders = folders.map(|knot| (format!("{src}/{}", knot.folder), knot));
        for (place, knot) in files.chain(folders) {
            let place = place.trim_end_matches('/');
            if knot.entries > known.get(place).copied().unwrap_or(0) {
                failures.push(format!("{} {place}: {}", knot.entries, knot.message));
            }
            found.insert(place.to_owned());
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
    let gone: Vec<_> = known.keys().filter(|place| !found.contains(*place)).collect();
    assert!(gone.is_empty(), "these knots are gone, remove them from limits/knots.txt: {gone:?}");
}

/// The Rust programs of a page of the docs, in order.
fn programs(page: &Path) -> Vec<String> {
    let text = fs::read_to_string(page).unwrap_or_else(|e| panic!("{}: {e}", page.display()));
    let starts = text.split("```rust\n").skip(1);
    starts.filter_map(|rest| rest.split("\n```").next().map(str::to_owned)).collect()
}

#[test]
fn both_languages_of_the_guide_hold_the_same_programs() {
    let docs = crates().join("../docs/src");
    let pages =
        files(&docs.join("en/writing"), &|path| path.extension().is_some_and(|e| e == "md"));
    assert!(pages.len() >= 6, "the guide has its pages in {}", docs.display());
    for page in pages {
        let name = page.file_name().expect("a file");
        let chinese = docs.join("zh/writing").join(name);
        assert!(programs(&page) == programs(&chinese), "the programs of {} differ", name.display());
    }
}
