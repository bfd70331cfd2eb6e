//! Lists the PTX of `ptx/` as Rust source, so that the corpus is compiled in and needs no files.

use std::fmt::Write;
use std::path::Path;
use std::{env, fs};

fn main() {
    let folder = Path::new(&env::var("CARGO_MANIFEST_DIR").expect("cargo sets it")).join("ptx");
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut files: Vec<_> =
        fs::read_dir(&folder).expect("ptx/").map(|entry| entry.expect("an entry").path()).collect();
    files.sort();
    let mut list = "[\n".to_owned();
    for file in files.iter().filter(|file| file.extension().is_some_and(|kind| kind == "ptx")) {
        let name = file.file_name().expect("a name").to_str().expect("UTF-8");
        writeln!(list, "({name:?}, include_str!({file:?})),").expect("memory");
    }
    let out = Path::new(&env::var("OUT_DIR").expect("cargo sets it")).join("modules.rs");
    fs::write(out, list + "]").expect("a writable folder");
}
