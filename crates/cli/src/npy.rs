//! Matrices in .npy files. Elements stay the bytes they are, in the type the file names.

use crate::failure::Failure;
use std::fs::{self, File};
use std::io::{BufReader, Read, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// A matrix as its file holds it.
pub struct NpyMatrix {
    /// Rows.
    pub rows: u32,
    /// Columns.
    pub cols: u32,
    /// Element type as numpy writes it, such as `<f4`.
    pub element: String,
    /// Bytes of an element.
    pub element_size: usize,
    /// The elements, row by row.
    pub bytes: Vec<u8>,
}

/// Reads a matrix.
///
/// # Errors
/// When the file is not a .npy file of a two-dimensional array in C order, of numbers of 1, 2, 4 or
/// 8 bytes, or is shorter than its header says.
pub fn read(path: &Path) -> Result<NpyMatrix, Failure> {
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
    let npyz::DType::Plain(element) = header.dtype() else {
        return Err(Failure::input(
            format_args!("{name} holds records, not numbers"),
            "save one field of it as an array of its own",
        ));
    };
    let element_size = numeric_size(&element).ok_or_else(|| {
        Failure::input(
            format_args!("{name} holds elements of type {element}"),
            "use numbers of 1, 2, 4 or 8 bytes, such as float32: a.astype(np.float32)",
        )
    })?;
    if header.order() == npyz::Order::Fortran
        && header.shape().iter().filter(|&&n| n > 1).count() > 1
    {
        return Err(Failure::input(
            format_args!("{name} is in Fortran order, column by column"),
            "save it in C order: np.save('a.npy', np.ascontiguousarray(a))",
        ));
    }
    let [rows, cols] = header.shape() else {
        return Err(Failure::input(
            format_args!("{name} has {} dimensions, a matrix has 2", header.shape().len()),
            "reshape it: np.save('a.npy', a.reshape(rows, cols))",
        ));
    };
    let (Ok(rows), Ok(cols)) = (u32::try_from(*rows), u32::try_from(*cols)) else {
        return Err(Failure::input(
            format_args!("{name} is {rows}x{cols}, too large for 32-bit extents"),
            "transpose it in parts",
        ));
    };
    let expected = u128::from(rows) * u128::from(cols) * element_size as u128;
    let mut bytes = Vec::new();
    reader.read_to_end(&mut bytes).map_err(|error| {
        Failure::input(format_args!("{name} cannot be read: {error}"), "check the file")
    })?;
    if (bytes.len() as u128) < expected {
        return Err(Failure::input(
            format_args!(
                "{name} is cut short: {rows}x{cols} elements take {expected} bytes, it has {}",
                bytes.len()
            ),
            "save or copy it again",
        ));
    }
    bytes.truncate(expected as usize);
    Ok(NpyMatrix { rows, cols, element: element.to_string(), element_size, bytes })
}

/// Bytes of a number that the kernels move, or `None` for anything else.
fn numeric_size(element: &npyz::TypeStr) -> Option<usize> {
    let text = element.to_string();
    let mut letters = text.chars();
    let (_order, kind) = (letters.next()?, letters.next()?);
    let size: usize = letters.as_str().parse().ok()?;
    ("fiucb".contains(kind) && matches!(size, 1 | 2 | 4 | 8)).then_some(size)
}

/// A place for a result, checked before the work and filled after it.
///
/// The result goes to a new file beside the old one, which replaces it once it is whole.
pub struct Output {
    path: PathBuf,
    place: Place,
}

enum Place {
    Beside(NamedTempFile),
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
            let mut beside = tempfile::Builder::new();
            #[cfg(unix)]
            beside.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
            let beside = beside.tempfile_in(folder.unwrap_or(Path::new(".")));
            Place::Beside(beside.map_err(|error| refuse(&error))?)
        };
        Ok(Output { path: path.to_owned(), place })
    }

    /// Writes the matrix.
    ///
    /// # Errors
    /// When the disk is full or the file has become unwritable; nothing is left behind.
    pub fn write(mut self, matrix: &NpyMatrix) -> Result<(), Failure> {
        let failed = |error: &dyn std::fmt::Display| {
            Failure::input(
                format_args!("{} could not be written: {error}", self.path.display()),
                "free some space or choose another place",
            )
        };
        let file = match &mut self.place {
            Place::Beside(file) => file.as_file_mut(),
            Place::Device(file) => file,
        };
        file.write_all(&header(matrix))
            .and_then(|()| file.write_all(&matrix.bytes))
            .and_then(|()| file.flush())
            .map_err(|error| failed(&error))?;
        match self.place {
            Place::Beside(file) => {
                file.persist(&self.path).map(drop).map_err(|error| failed(&error.error))
            }
            Place::Device(_) => Ok(()),
        }
    }
}

/// A version 1.0 header: magic, length, and a Python dictionary padded to 64 bytes.
fn header(matrix: &NpyMatrix) -> Vec<u8> {
    let NpyMatrix { rows, cols, element, .. } = matrix;
    let mut dictionary =
        format!("{{'descr': '{element}', 'fortran_order': False, 'shape': ({rows}, {cols}), }}");
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

    fn matrix() -> NpyMatrix {
        let bytes = (0..24).collect();
        NpyMatrix { rows: 2, cols: 3, element: "<f4".to_owned(), element_size: 4, bytes }
    }

    #[test]
    fn what_is_written_is_read_back() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.npy");
        assert!(Output::prepare(&path).and_then(|output| output.write(&matrix())).is_ok());
        let Ok(read) = read(&path) else { panic!("not read back") };
        assert_eq!((read.rows, read.cols, read.element.as_str()), (2, 3, "<f4"));
        assert_eq!(read.bytes, matrix().bytes);
    }

    #[test]
    fn a_file_cut_anywhere_is_refused_and_an_abandoned_output_leaves_nothing() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.npy");
        drop(Output::prepare(&path));
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 0);
        let mut whole = header(&matrix());
        whole.extend(&matrix().bytes);
        for length in 0..whole.len() {
            fs::write(&path, &whole[..length]).expect("written");
            assert!(matches!(read(&path), Err(Failure::Input(_))), "cut to {length} bytes");
        }
    }
}
