//! Compiles the host code of a conformance suite for C++: Clang's `test/CXX`, whose folders are the standard's chapters.
//! A file without an `expected-error` must compile, a file with one must be refused. Prints both rates by chapter.
//!
//! `scripts/conformance.sh` fetches the suite and runs this example.

use lanework_cuda_cpp::{CompileOptions, NoFiles, compile_host};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Words of files that need another language or standard than C++17.
const OTHER: [&str; 13] = [
    "c++2a",
    "c++20",
    "c++98",
    "c++03",
    "concepts-ts",
    "modules",
    "coroutines",
    "objective-c",
    "objc",
    "-fms-",
    "-fsanitize",
    "-emit-llvm",
    "#import",
];

/// Numbers of files: valid ones, those that compiled, invalid ones, those that were refused.
type Counts = [usize; 4];

fn main() {
    let mut arguments = std::env::args().skip(1);
    let Some(root) = arguments.next().map(PathBuf::from) else {
        eprintln!("give the folder test/CXX of Clang's sources");
        return;
    };
    let verbose = arguments.next().is_some();
    let mut files = Vec::new();
    collect(&root, &mut files);
    files.sort();
    let mut chapters: BTreeMap<String, Counts> = BTreeMap::new();
    for file in files {
        let Ok(text) = std::fs::read_to_string(&file) else { continue };
        let run = text.lines().filter(|line| line.contains("RUN:")).collect::<String>();
        if OTHER.iter().any(|word| run.contains(word) || *word == "#import" && text.contains(word))
        {
            continue;
        }
        let relative = file.strip_prefix(&root).unwrap_or(&file);
        let chapter = relative.components().next().map(|name| name.as_os_str().to_string_lossy());
        let counts = chapters.entry(chapter.unwrap_or_default().into_owned()).or_default();
        let invalid = text.contains("expected-error");
        let compiled = compiles(&text, &relative.display().to_string());
        let at = if invalid { 2 } else { 0 };
        counts[at] += 1;
        counts[at + 1] += usize::from(compiled.is_ok() != invalid);
        if verbose && let (Err(why), false) = (&compiled, invalid) {
            println!("{}: {}", relative.display(), why.lines().next().unwrap_or(""));
        }
    }
    let mut all = Counts::default();
    println!("{:16}{:>18}{:>18}", "chapter", "valid, compiled", "invalid, refused");
    for (chapter, counts) in &chapters {
        row(chapter, counts);
        all.iter_mut().zip(counts).for_each(|(all, count)| *all += count);
    }
    row("all", &all);
}

fn row(name: &str, counts: &Counts) {
    let of = |good: usize, all: usize| format!("{good} of {all}");
    println!("{name:16}{:>18}{:>18}", of(counts[1], counts[0]), of(counts[3], counts[2]));
}

/// The C++ files in a folder and its folders.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|kind| kind == "cpp") {
            files.push(path);
        }
    }
}

/// Whether the compiler accepts a file; else its errors.
fn compiles(text: &str, name: &str) -> Result<(), String> {
    let options = CompileOptions { part: true, ..CompileOptions::default() };
    let compiled = compile_host(text, name, &options, &mut NoFiles);
    compiled.map(|_| ()).map_err(|failure| failure.text)
}
