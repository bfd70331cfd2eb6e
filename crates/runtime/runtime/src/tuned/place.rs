//! Location of the file of tuned choices.

use std::path::PathBuf;

/// The environment variable that names the file.
pub const TUNED_VARIABLE: &str = "LANEWORK_TUNED";

/// The user's folder for data of programs: `$XDG_DATA_HOME` or `~/.local/share`, on macOS `~/Library/Application Support`,
/// on Windows `%APPDATA%`. `None` if there is no home folder.
pub fn data_folder() -> Option<PathBuf> {
    let absolute =
        |name| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let home = || std::env::home_dir().filter(|home| !home.as_os_str().is_empty());
    if cfg!(windows) {
        absolute("APPDATA")
    } else if cfg!(target_os = "macos") {
        home().map(|home| home.join("Library/Application Support"))
    } else {
        absolute("XDG_DATA_HOME").or_else(|| home().map(|home| home.join(".local/share")))
    }
}

/// The file that [`TUNED_VARIABLE`] names, or `lanework/tuned.tsv` in [`data_folder`].
pub fn default_place() -> Option<PathBuf> {
    match std::env::var_os(TUNED_VARIABLE).filter(|name| !name.is_empty()) {
        Some(name) => Some(name.into()),
        None => Some(data_folder()?.join("lanework").join("tuned.tsv")),
    }
}
