//! An array that is written to a file: checked before the work, whole or not at all after it.

use super::element::numpy_name;
use super::header::Header;
use lanework_lab::Array;
use lanework_terminal::failure::Failure;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// An output file, checked before the work and written after it.
///
/// The result is written to a new file in the same folder, which then replaces the old file.
pub struct Output {
    path: PathBuf,
    place: Place,
}

enum Place {
    Temporary(NamedTempFile),
    Device(File),
}

impl Output {
    /// Checks that `path` can be written.
    ///
    /// # Errors
    /// If it cannot.
    pub fn prepare(path: &Path) -> Result<Self, Failure> {
        let refuse = |error: &dyn std::fmt::Display| {
            Failure::input(
                format_args!("{} cannot be written: {error}", path.display()),
                "choose a file in a folder that exists and that you may write to",
            )
        };
        let existing = fs::metadata(path).ok();
        if existing.as_ref().is_some_and(fs::Metadata::is_dir) {
            return Err(refuse(&"it is a folder"));
        }
        let place = if existing.is_some_and(|at| !at.is_file()) {
            Place::Device(File::options().write(true).open(path).map_err(|error| refuse(&error))?)
        } else {
            let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
            let mut builder = tempfile::Builder::new();
            #[cfg(unix)]
            builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
            let temporary = builder.tempfile_in(folder.unwrap_or(Path::new(".")));
            // The error that the operating system gave, without the name of the temporary file.
            Place::Temporary(temporary.map_err(|error| {
                let text = error.to_string();
                refuse(&text.split(" at path ").next().unwrap_or_default())
            })?)
        };
        Ok(Output { path: path.to_owned(), place })
    }

    /// Writes the array, its elements named `type_name`, or as numpy names their type.
    ///
    /// # Errors
    /// If the disk is full or the file has become unwritable; nothing is left behind.
    pub fn write(mut self, array: &Array, type_name: Option<&str>) -> Result<(), Failure> {
        let failed = |error: &dyn std::fmt::Display| {
            Failure::input(
                format_args!("{} could not be written: {error}", self.path.display()),
                "free some space or choose another place",
            )
        };
        let file = match &mut self.place {
            Place::Temporary(file) => file.as_file_mut(),
            Place::Device(file) => file,
        };
        let type_name = type_name.map_or_else(|| numpy_name(array.element), str::to_owned);
        file.write_all(&Header::bytes(&type_name, &array.shape))
            .and_then(|()| file.write_all(&array.bytes))
            .and_then(|()| file.flush())
            .map_err(|error| failed(&error))?;
        match self.place {
            Place::Temporary(file) => {
                file.persist(&self.path).map(drop).map_err(|error| failed(&error.error))
            }
            Place::Device(_) => Ok(()),
        }
    }
}
