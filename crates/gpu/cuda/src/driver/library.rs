//! NVIDIA libraries other than the driver, loaded at run time.

use std::path::{Path, PathBuf};

use libloading::Library;

/// Loads the first of `candidates` that exists. The library stays loaded until the process ends, because callers keep
/// pointers to its functions.
pub(crate) fn find<'a>(candidates: impl IntoIterator<Item = &'a Path>) -> Option<&'static Library> {
    let load = |name: &Path| {
        // SAFETY: loads an NVIDIA library, whose initializers the system trusts.
        unsafe { Library::new(name.as_os_str()) }.ok()
    };
    let library = candidates.into_iter().find_map(load)?;
    Some(Box::leak(Box::new(library)))
}

/// A function whose type the caller knows.
pub(crate) type AnyFunction = unsafe extern "C" fn();

/// A function of `library`, with `library_name` for messages.
///
/// # Errors
/// One line, if the function is missing.
///
/// # Safety
/// `F` must be the function's type in the library's header.
pub(crate) unsafe fn function<F: Copy>(
    library: &'static Library,
    library_name: &str,
    name: &str,
) -> Result<F, String> {
    const { assert!(size_of::<F>() == size_of::<AnyFunction>(), "`F` is a pointer to a function") };
    // SAFETY: the symbol is a function, so a function pointer can hold it. All calls use one type, because each type
    // would instantiate `libloading`'s functions again.
    let symbol = unsafe { library.get::<AnyFunction>(name.as_bytes()) };
    let symbol = symbol.map_err(|_| format!("this {library_name} lacks {name}"))?;
    // SAFETY: `F` is the type of the function in the library's header, which this function requires, and a pointer of
    // the same size.
    Ok(unsafe { std::mem::transmute_copy::<AnyFunction, F>(&*symbol) })
}

/// Folders in which pip installs NVIDIA's libraries, such as `nvidia/nccl/lib`: first in the active virtual or conda
/// environment, then in each Python in `PATH`.
pub(crate) fn pip_folders(package: &str) -> Vec<PathBuf> {
    let environments = ["VIRTUAL_ENV", "CONDA_PREFIX"].into_iter().filter_map(std::env::var_os);
    let mut roots: Vec<PathBuf> = environments.map(PathBuf::from).collect();
    let path = std::env::var_os("PATH").unwrap_or_default();
    for folder in std::env::split_paths(&path) {
        if folder.join("python3").exists() {
            roots.extend(folder.parent().map(Path::to_owned));
        }
    }
    roots.iter().flat_map(|root| installed(root, package)).collect()
}

/// The folder of a package's libraries in each Python below `root`.
fn installed(root: &Path, package: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(root.join("lib")).into_iter().flatten().flatten();
    let pythons =
        entries.filter(|entry| entry.file_name().to_string_lossy().starts_with("python3"));
    let of = |python: PathBuf| {
        ["site-packages", "dist-packages"]
            .map(|packages| python.join(packages).join("nvidia").join(package).join("lib"))
    };
    pythons.flat_map(|entry| of(entry.path())).filter(|folder| folder.is_dir()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libraries_installed_by_pip_are_found() {
        let root = std::env::temp_dir().join(format!("lanework-pip-{}", std::process::id()));
        let folder = root.join("lib/python3.12/site-packages/nvidia/nccl/lib");
        std::fs::create_dir_all(&folder).expect("a folder");
        assert_eq!(installed(&root, "nccl"), [folder]);
        assert!(installed(&root, "cublas").is_empty());
        std::fs::remove_dir_all(&root).expect("removed");
    }
}
