//! Lists the files of `ptx/` as Rust source, so that the modules are compiled in and tests need no files.

use std::fmt::Write;
use std::path::Path;
use std::{env, fs};

fn main() {
    let folder = Path::new(&env::var("CARGO_MANIFEST_DIR").expect("cargo sets it")).join("ptx");
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut files: Vec<_> =
        fs::read_dir(&folder).expect("ptx/").map(|entry| entry.expect("an entry").path()).collect();
    files.sort();
    let mut list = "&[\n".to_owned();
    for file in &files {
        let name = file.file_name().expect("a name").to_str().expect("UTF-8");
        let Some(name) = name.strip_suffix(".zst") else { continue };
        writeln!(list, "({name:?}, include_bytes!({file:?})),").expect("memory");
    }
    let out = Path::new(&env::var("OUT_DIR").expect("cargo sets it")).join("modules.rs");
    fs::write(out, list + "]").expect("a writable folder");
}
