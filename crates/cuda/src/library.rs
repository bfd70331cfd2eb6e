//! NVIDIA libraries other than the driver, loaded at run time.

use std::path::Path;

use libloading::Library;

/// Loads the first of `candidates` that exists. It stays loaded until the process ends, as its
/// functions are kept.
pub(crate) fn find<'a>(candidates: impl IntoIterator<Item = &'a Path>) -> Option<&'static Library> {
    let load = |name: &Path| {
        // SAFETY: loads a library of NVIDIA's, whose initialisers the system trusts.
        unsafe { Library::new(name.as_os_str()) }.ok()
    };
    let library = candidates.into_iter().find_map(load)?;
    Some(Box::leak(Box::new(library)))
}

/// A function of `library`, with `library_name` for messages.
///
/// # Errors
/// In one line, when it is missing.
///
/// # Safety
/// `F` is the type that the library's header gives the function.
pub(crate) unsafe fn function<F: Copy>(
    library: &'static Library,
    library_name: &str,
    name: &str,
) -> Result<F, String> {
    // SAFETY: guaranteed by the caller.
    let symbol = unsafe { library.get::<F>(name.as_bytes()) };
    symbol.map(|symbol| *symbol).map_err(|_| format!("this {library_name} lacks {name}"))
}
