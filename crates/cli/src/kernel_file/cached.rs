//! Compiled CUDA C++ in the user's cache. The key is everything that the PTX depends on: the source, the files that it
//! includes from its folder, the options, and the compilers. `LANEWORK_CACHE_DIR=off` turns the cache off.

use crate::args::SourceOptions;
use lanework::DiskCache;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The key of a compilation; `None` if the included files are not known without a preprocessor.
pub fn key(path: &Path, source: &str, part: bool, options: &SourceOptions) -> Option<String> {
    let mut key = format!("{} {part} {options:?}\n", path.display());
    let variables = ["PATH", "LD_LIBRARY_PATH", "CPATH", "NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS"];
    for name in variables {
        key.push_str(&format!("{name} {:?}\n", std::env::var_os(name)));
    }
    key.push_str(&format!("NVRTC {:?}\n", lanework::nvrtc_version()));
    for header in lanework::header_folders() {
        key.push_str(&identity(&header.join("cuda.h")));
    }
    for tool in ["nvcc", "clang"] {
        let found = std::env::var_os("PATH").and_then(|path| {
            std::env::split_paths(&path).map(|folder| folder.join(tool)).find(|file| file.is_file())
        });
        key.push_str(&found.map_or(String::new(), |file| identity(&file)));
    }
    let mut seen = BTreeSet::new();
    let beside = path.parent().unwrap_or(Path::new("")).to_path_buf();
    let folders = [vec![beside], include_folders(options)].concat();
    add_file(&mut key, path, source, &folders, &mut seen)?;
    Some(key)
}

/// The PTX of a key, and the compiler that made it.
pub fn recall(key: &str) -> Option<(String, String)> {
    let text = DiskCache::of_user()?.recall(key)?;
    let (compiler, ptx) = text.split_once('\n')?;
    Some((compiler.to_owned(), ptx.to_owned()))
}

/// Stores the PTX of a key.
pub fn record(key: &str, compiler: &str, ptx: &str) {
    if let Some(cache) = DiskCache::of_user() {
        cache.record(key, &format!("{compiler}\n{ptx}"));
    }
}

/// A file's place, size and time.
fn identity(file: &Path) -> String {
    match std::fs::metadata(file) {
        Ok(about) => format!("{} {} {:?}\n", file.display(), about.len(), about.modified().ok()),
        Err(_) => String::new(),
    }
}

/// The folders of headers that the options name, then those of the environment variable `CPATH`, as for nvcc, gcc and clang.
pub fn include_folders(options: &SourceOptions) -> Vec<PathBuf> {
    let folders = std::env::var_os("CPATH").unwrap_or_default();
    let of_variable =
        std::env::split_paths(&folders).filter(|folder| !folder.as_os_str().is_empty());
    options.include.iter().cloned().chain(of_variable).collect()
}

/// Adds a file and the files that it includes from its own folder or from `folders`; `None` if a name is a macro.
fn add_file(
    key: &mut String,
    path: &Path,
    text: &str,
    folders: &[PathBuf],
    seen: &mut BTreeSet<PathBuf>,
) -> Option<()> {
    key.push_str(&format!("{} {}\n{text}\n", path.display(), text.len()));
    let own = path.parent().unwrap_or(Path::new(""));
    for line in text.lines() {
        let directive = line.trim_start().strip_prefix('#').map(str::trim_start);
        let Some(rest) = directive.and_then(|rest| rest.strip_prefix("include")) else { continue };
        let rest = rest.trim_start_matches("_next").trim_start();
        let (open, close) = if rest.starts_with('<') { ('<', '>') } else { ('"', '"') };
        let name = rest.strip_prefix(open)?.split(close).next()?;
        let all = std::iter::once(own).chain(folders.iter().map(PathBuf::as_path));
        for place in all.map(|folder| folder.join(name)) {
            if place.is_file() && seen.insert(place.clone()) {
                let included = String::from_utf8_lossy(&std::fs::read(&place).ok()?).into_owned();
                add_file(key, &place, &included, folders, seen)?;
            }
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_key_has_every_included_file_of_the_folder() {
        let folder = tempfile::tempdir().unwrap();
        let place = |name: &str| folder.path().join(name);
        let source = "#include <cuda_fp16.h>\n # include \"a.cuh\"\n__global__ void k() {}";
        std::fs::create_dir(place("sub")).unwrap();
        std::fs::write(place("a.cuh"), "#include <sub/b.cuh>\n").unwrap();
        std::fs::write(place("sub/b.cuh"), "#include \"c.cuh\"\n#include \"a.cuh\"").unwrap();
        std::fs::write(place("sub/c.cuh"), "int one;").unwrap();
        let none = SourceOptions::default();
        let of = |source: &str| key(&place("k.cu"), source, false, &none);
        let first = of(source).unwrap();
        assert!(first.contains("int one;"));
        assert_eq!(of(source).as_ref(), Some(&first));
        std::fs::write(place("sub/c.cuh"), "int two;").unwrap();
        assert_ne!(of(source), Some(first.clone()));
        assert_ne!(key(&place("k.cu"), source, true, &none), of(source));
        assert_eq!(of("#include NAME\n"), None);
        let elsewhere = SourceOptions { include: vec![place("sub")], ..none.clone() };
        let found = key(&place("k.cu"), "#include <b.cuh>", false, &elsewhere).unwrap();
        assert!(found.contains("c.cuh"), "{found}");
        let defined = SourceOptions { define: vec!["N=3".to_owned()], ..none.clone() };
        assert_ne!(key(&place("k.cu"), source, false, &defined), of(source));
    }
}
