//! Checks the metadata and the files of every published crate.

use super::{MAY_USE, crates, files};
use std::fs;
use std::path::{Component, Path, PathBuf};

/// The manifests of the crates that are published, by folder.
fn published() -> Vec<(&'static str, String)> {
    let manifest = |folder: &str| fs::read_to_string(crates().join(folder).join("Cargo.toml"));
    let all = MAY_USE.iter().map(|(folder, _)| (*folder, manifest(folder).expect("a manifest")));
    all.filter(|(_, text)| !text.contains("publish = false")).collect()
}

#[test]
fn every_package_has_a_description() {
    for (folder, manifest) in published() {
        for key in [
            "description = ",
            "license.workspace",
            "repository.workspace",
            "rust-version.workspace",
        ] {
            assert!(manifest.contains(key), "crates/{folder}/Cargo.toml has no `{key}`");
        }
        let listed = |key: &str| {
            let line = manifest.lines().find(|line| line.starts_with(&format!("{key} = [")));
            line.map_or(0, |line| line.matches('"').count() / 2)
        };
        assert!((1..=5).contains(&listed("keywords")), "crates/{folder}: one to five keywords");
        assert!((1..=5).contains(&listed("categories")), "crates/{folder}: one to five categories");
        assert!(listed("include") > 0, "crates/{folder}: `include` says what the package holds");
    }
}

/// A path without `..` that can be resolved in it.
fn plain(path: &Path) -> PathBuf {
    path.components().fold(PathBuf::new(), |mut done, part| {
        match part {
            Component::ParentDir => drop(done.pop()),
            part => done.push(part),
        }
        done
    })
}

/// Files that a crate builds in must be in its package; otherwise it builds only in this checkout.
#[test]
fn included_files_are_inside_the_package() {
    let mut found = 0;
    for (folder, manifest) in published() {
        let root = plain(&crates().join(folder));
        let included = manifest.lines().find(|line| line.starts_with("include = ")).unwrap_or("");
        for file in files(&root.join("src"), &|path| path.extension().is_some_and(|e| e == "rs")) {
            let text = fs::read_to_string(&file).expect("a readable file");
            for call in ["include_str!(", "include_bytes!(", "include!("] {
                for rest in text.split(call).skip(1) {
                    let argument = rest.trim_start().trim_start_matches("concat!(");
                    let Some(path) = argument.strip_prefix('"').and_then(|a| a.split('"').next())
                    else {
                        continue;
                    };
                    // The README's and the guide's examples are run as tests of the checkout.
                    let page = path.ends_with("README.md") || path.ends_with("/docs/src/en/");
                    if page && text.contains("[cfg(doctest)]") {
                        continue;
                    }
                    found += 1;
                    let path = plain(&file.parent().expect("a folder").join(path));
                    let Ok(inside) = path.strip_prefix(&root) else {
                        panic!(
                            "{} builds in {}, which is in no package",
                            file.display(),
                            path.display()
                        )
                    };
                    let first = inside.components().next().expect("a name").as_os_str();
                    let first = format!("\"/{}\"", first.to_string_lossy());
                    assert!(included.contains(&first), "crates/{folder}: `include` lacks {first}");
                }
            }
        }
    }
    assert!(found > 30, "found only {found} files that are built in");
}
