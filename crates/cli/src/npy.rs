//! Arrays in .npy files. Bytes and element types are those of the file.

use crate::failure::Failure;
use lanework_lab::{Array, ElementType};
use std::fs::{self, File};
use std::io::{BufReader, Read, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// Reads an array, and the name of its element type in the file, such as `<f4`.
///
/// Elements without an equivalent type (bool, complex, big-endian) become unsigned integers of their
/// size, which suffices for kernels that only move them.
///
/// # Errors
/// When the file is not a .npy file of an array in C order, of numbers of 1, 2, 4 or 8 bytes, or is
/// shorter than its header declares.
pub fn read(path: &Path) -> Result<(Array, String), Failure> {
    let name = path.display();
    let file = File::open(path).map_err(|error| {
        Failure::input(format_args!("{name} cannot be read: {error}"), "check the path")
    })?;
    let mut reader = BufReader::new(file);
    let header = npyz::NpyHeader::from_reader(&mut reader).map_err(|error| {
        Failure::input(
            format_args!("{name} is not a .npy file: {error}"),
            "write one with numpy: np.save('a.npy', a)",
        )
    })?;
    let npyz::DType::Plain(type_name) = header.dtype() else {
        return Err(Failure::input(
            format_args!("{name} holds records, not numbers"),
            "save one field of it as an array of its own",
        ));
    };
    let type_name = type_name.to_string();
    let element = element_type(&type_name).ok_or_else(|| {
        Failure::input(
            format_args!("{name} holds elements of type {type_name}"),
            "use numbers of 1, 2, 4 or 8 bytes, such as float32: a.astype(np.float32)",
        )
    })?;
    let shape = header.shape().to_vec();
    if header.order() == npyz::Order::Fortran && shape.iter().filter(|&&n| n > 1).count() > 1 {
        return Err(Failure::input(
            format_args!("{name} is in Fortran order, column by column"),
            "save it in C order: np.save('a.npy', np.ascontiguousarray(a))",
        ));
    }
    let count = shape.iter().try_fold(element.bytes as u64, |size, n| size.checked_mul(*n));
    let Some(expected) = count else {
        return Err(Failure::input(
            format_args!(
                "the header of {name} declares {shape:?} elements, more than any memory holds"
            ),
            "save or copy it again",
        ));
    };
    let mut bytes = Vec::new();
    reader.read_to_end(&mut bytes).map_err(|error| {
        Failure::input(format_args!("{name} cannot be read: {error}"), "check the file")
    })?;
    if (bytes.len() as u64) < expected {
        return Err(Failure::input(
            format_args!(
                "{name} is cut short: {shape:?} elements take {expected} bytes, it has {}",
                bytes.len()
            ),
            "save or copy it again",
        ));
    }
    bytes.truncate(expected as usize);
    Ok((Array { shape, element, bytes }, type_name))
}

/// The element type of numpy's name `text`, or an unsigned integer of its size; `None` for anything but
/// numbers of 1, 2, 4 or 8 bytes.
fn element_type(text: &str) -> Option<ElementType> {
    let mut letters = text.chars();
    let (order, kind) = (letters.next()?, letters.next()?);
    let size: usize = letters.as_str().parse().ok()?;
    if !"fiucb".contains(kind) || !matches!(size, 1 | 2 | 4 | 8) {
        return None;
    }
    let foreign = order == '>' || !"fiu".contains(kind);
    let name = format!("{}{}", if foreign { 'u' } else { kind }, 8 * size);
    ElementType::named(&name)
}

/// numpy's name of an element type.
fn numpy_name(element: ElementType) -> String {
    let kind = element.name.chars().next().unwrap_or('u');
    match element.bytes {
        1 => format!("|{kind}1"),
        // numpy has no bfloat16: its bits are saved.
        2 if element.name == "bf16" => "<u2".to_owned(),
        bytes => format!("<{kind}{bytes}"),
    }
}

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
    /// When it cannot.
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
            Place::Temporary(temporary.map_err(|error| refuse(&error))?)
        };
        Ok(Output { path: path.to_owned(), place })
    }

    /// Writes the array, its elements named `type_name`, or as numpy names their type.
    ///
    /// # Errors
    /// When the disk is full or the file has become unwritable; nothing is left behind.
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
        file.write_all(&header(array, type_name))
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

/// A version 1.0 header: magic, length, and a Python dictionary padded to 64 bytes.
fn header(array: &Array, type_name: Option<&str>) -> Vec<u8> {
    let type_name = type_name.map_or_else(|| numpy_name(array.element), str::to_owned);
    let extents: Vec<String> = array.shape.iter().map(u64::to_string).collect();
    let comma = if extents.len() == 1 { "," } else { "" };
    let mut dictionary = format!(
        "{{'descr': '{type_name}', 'fortran_order': False, 'shape': ({}{comma}), }}",
        extents.join(", ")
    );
    let unpadded = 10 + dictionary.len() + 1;
    dictionary.push_str(&" ".repeat(unpadded.next_multiple_of(64) - unpadded));
    dictionary.push('\n');
    let mut header = b"\x93NUMPY\x01\x00".to_vec();
    header.extend((dictionary.len() as u16).to_le_bytes());
    header.extend(dictionary.as_bytes());
    header
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matrix() -> Array {
        let element = element_type("<f4").expect("a type");
        Array { shape: vec![2, 3], element, bytes: (0..24).collect() }
    }

    #[test]
    fn what_is_written_is_read_back() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.npy");
        assert!(Output::prepare(&path).and_then(|output| output.write(&matrix(), None)).is_ok());
        let Ok((read, type_name)) = read(&path) else { panic!("not read back") };
        assert_eq!((read, type_name.as_str()), (matrix(), "<f4"));
    }

    #[test]
    fn types_are_named_as_numpy_names_them() {
        for (text, name) in [("<f2", "f16"), ("|u1", "u8"), ("<i8", "i64"), (">f4", "u32")] {
            assert_eq!(element_type(text).map(|element| element.name), Some(name));
        }
        assert_eq!(element_type("<c16"), None);
        assert_eq!(element_type("<U4"), None);
        assert_eq!(element_type("|u1").map(numpy_name), Some("|u1".to_owned()));
    }

    #[test]
    fn a_file_cut_anywhere_is_refused_and_an_abandoned_output_leaves_nothing() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.npy");
        drop(Output::prepare(&path));
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 0);
        let mut whole = header(&matrix(), None);
        whole.extend(&matrix().bytes);
        for length in 0..whole.len() {
            fs::write(&path, &whole[..length]).expect("written");
            assert!(matches!(read(&path), Err(Failure::Input(_))), "cut to {length} bytes");
        }
    }
}
