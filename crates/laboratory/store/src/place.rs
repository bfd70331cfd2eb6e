//! Locates the store: the file that the user names, or the default in the user's data folder.

use crate::error::{Result, StoreError};
use lanework_runtime::tuned::data_folder;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The environment variable that names the store.
pub const STORE_VARIABLE: &str = "LANEWORK_STORE";

/// The store's file: `given`, else the value of [`STORE_VARIABLE`], else [`default_place`].
///
/// # Errors
/// If no file is named and there is no home folder.
pub fn place(given: Option<&Path>) -> Result<PathBuf> {
    choose(given, std::env::var_os(STORE_VARIABLE))
}

fn choose(given: Option<&Path>, variable: Option<OsString>) -> Result<PathBuf> {
    match (given, variable.filter(|name| !name.is_empty())) {
        (Some(path), _) => Ok(path.to_owned()),
        (None, Some(name)) => Ok(name.into()),
        (None, None) => default_place(),
    }
}

/// `lanework/history.sqlite` in the user's data folder, as defined by XDG, macOS or Windows.
///
/// # Errors
/// If there is no home folder.
pub fn default_place() -> Result<PathBuf> {
    let folder = data_folder().ok_or(StoreError::NoPlace)?;
    Ok(folder.join("lanework").join("history.sqlite"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_option_comes_before_the_variable() {
        let variable = || Some(OsString::from("v"));
        assert_eq!(choose(Some(Path::new("o")), variable()).ok(), Some("o".into()));
        assert_eq!(choose(None, variable()).ok(), Some("v".into()));
        let default = choose(None, Some(OsString::new())).expect("a home folder");
        assert!(default.ends_with("lanework/history.sqlite"), "{default:?}");
    }
}
