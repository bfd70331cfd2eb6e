//! Lists the files of `src/` as Rust, so that the crate carries the text of its kernels.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    let folder = Path::new(&env::var("CARGO_MANIFEST_DIR").expect("cargo sets it")).join("src");
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut files = Vec::new();
    collect(&folder, &mut files);
    files.sort();
    let mut list = "[\n".to_owned();
    for file in files {
        let name = file.strip_prefix(&folder).expect("a file of src/");
        let name = name.to_str().expect("UTF-8").replace('\\', "/");
        writeln!(list, "({name:?}, include_str!({file:?})),").expect("memory");
    }
    let out = Path::new(&env::var("OUT_DIR").expect("cargo sets it")).join("sources.rs");
    fs::write(out, list + "]").expect("a writable folder");
}

/// Every Rust file below `folder`.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a readable folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|kind| kind == "rs") {
            files.push(path);
        }
    }
}
