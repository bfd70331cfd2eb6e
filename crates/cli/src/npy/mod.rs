//! Arrays in .npy files. In memory, elements are little-endian and in C order; files with another layout are converted,
//! with one note. An output file is checked before the work, and afterward written whole or not at all.

mod header;

use header::{Header, RecordField, Stored, numpy_name};
use lanework_lab::Array;
use lanework_terminal::failure::Failure;
use lanework_terminal::output::note;
use std::fmt::Display;
use std::fs;
use std::fs::File;
use std::io::{BufReader, Read, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// Reads an array, and the name of its element type, such as `<f4`.
///
/// Elements without an equivalent type (bool, complex) become unsigned integers of their size, which suffices for
/// kernels that only move them.
///
/// # Errors
/// If the file is not a .npy file of an array of numbers of 1, 2, 4 or 8 bytes, or is shorter than its
/// header declares.
pub fn read(path: &Path) -> Result<(Array, String), Failure> {
    let name = path.display();
    if path.is_dir() {
        return Err(Failure::input(format_args!("{name} is a folder"), "give a .npy file"));
    }
    let file = File::open(path).map_err(|error| {
        Failure::input(format_args!("{name} cannot be read: {error}"), "check the path")
    })?;
    let mut reader = BufReader::new(file);
    let header = Header::read(&mut reader).map_err(|error| {
        let archive = path.extension().is_some_and(|kind| kind == "npz");
        Failure::input(
            format_args!("{name} is not a .npy file: {error}"),
            match archive {
                true => {
                    "an .npz file is an archive of arrays: save one array with np.save('a.npy', a)"
                }
                false => "write one with numpy: np.save('a.npy', a)",
            },
        )
    })?;
    let Some(type_name) = header.type_name else {
        return Err(refused_records(&name, &header.fields));
    };
    let stored = Stored::named(&type_name).ok_or_else(|| refused_type(&name, &type_name))?;
    let (shape, element) = (header.shape, stored.element);
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
    let mut converted = Vec::new();
    if stored.big_endian {
        bytes.chunks_exact_mut(stored.unit).for_each(<[u8]>::reverse);
        converted.push("from big-endian to little-endian");
    }
    // The two orders are the same if at most one extent exceeds 1.
    if header.fortran_order && shape.iter().filter(|&&n| n > 1).count() > 1 {
        bytes = in_c_order(&bytes, &shape, element.bytes);
        converted.push("from Fortran order to C order");
    }
    if !converted.is_empty() {
        note(&format!("note: {name} was converted {}", converted.join(" and ")));
    }
    Ok((Array { shape, element, bytes }, stored.name))
}

/// The error for an array of records, which names their fields.
fn refused_records(name: &dyn Display, fields: &[RecordField]) -> Failure {
    let Some(first) = fields.first() else {
        return Failure::input(
            format_args!("{name} holds records, not numbers"),
            "save one field of it as a separate array",
        );
    };
    let shown = |field: &RecordField| match field.type_name.as_str() {
        "" => field.name.clone(),
        type_name => format!("{} ({type_name})", field.name),
    };
    let all: Vec<String> = fields.iter().map(shown).collect();
    let field = &first.name;
    Failure::input(
        format_args!("{name} holds records, not numbers; their fields are {}", all.join(", ")),
        format_args!(
            "save one field, np.save('{field}.npy', a['{field}']), or for a kernel that takes an array of structs their bytes, np.save('bytes.npy', a.view(np.uint8))"
        ),
    )
}

/// The error for an element type that kernels do not support.
fn refused_type(name: &dyn Display, type_name: &str) -> Failure {
    let help = match type_name.trim_start_matches(['<', '>', '=', '|']) {
        "V2" => "if it is bfloat16, save its bits and say so: a.view(np.uint16), and --type bf16",
        "O" => "it holds Python objects: make it an array of numbers, such as a.astype(np.float32)",
        "c16" => "save its parts as separate arrays: a.real and a.imag",
        _ => "use numbers of 1, 2, 4 or 8 bytes, such as float32: a.astype(np.float32)",
    };
    Failure::input(format_args!("{name} holds elements of type {type_name}"), help)
}

/// Whether numpy's type of this name is a complex number.
pub fn is_complex(type_name: &str) -> bool {
    type_name.get(1..2) == Some("c")
}

/// Reorders elements of `size` bytes from column-major to row-major.
fn in_c_order(bytes: &[u8], shape: &[u64], size: usize) -> Vec<u8> {
    let strides: Vec<usize> = shape
        .iter()
        .scan(size, |stride, extent| {
            let this = *stride;
            *stride *= *extent as usize;
            Some(this)
        })
        .collect();
    let mut index = vec![0u64; shape.len()];
    let (mut from, mut ordered) = (0, Vec::with_capacity(bytes.len()));
    while ordered.len() < bytes.len() {
        ordered.extend_from_slice(&bytes[from..from + size]);
        for axis in (0..shape.len()).rev() {
            index[axis] += 1;
            from += strides[axis];
            if index[axis] < shape[axis] {
                break;
            }
            from -= strides[axis] * shape[axis] as usize;
            index[axis] = 0;
        }
    }
    ordered
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
            #[cfg_attr(not(unix), expect(unused_mut, reason = "other systems have no permissions"))]
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

#[cfg(test)]
mod tests {
    use super::*;

    fn matrix() -> Array {
        let element = Stored::named("<f4").expect("a type").element;
        Array { shape: vec![2, 3], element, bytes: (0..24).collect() }
    }

    #[test]
    fn written_headers_round_trip() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.npy");
        assert!(Output::prepare(&path).and_then(|output| output.write(&matrix(), None)).is_ok());
        let Ok((read, type_name)) = read(&path) else { panic!("not read back") };
        assert_eq!((read, type_name.as_str()), (matrix(), "<f4"));
    }

    #[test]
    fn fortran_order_of_any_shape_becomes_c_order() {
        // The value of every element is its index in C order.
        for shape in [vec![2, 3], vec![3, 1, 2], vec![2, 2, 2, 2], vec![5], vec![], vec![4, 0, 2]] {
            let count = shape.iter().product::<u64>() as usize;
            let mut fortran = vec![0u8; count];
            for c in 0..count {
                let (mut rest, mut at, mut stride) = (c, 0, count);
                for extent in shape.iter().map(|extent| *extent as usize) {
                    // The index of an axis in C order, and its stride in Fortran order.
                    stride /= extent;
                    let faster: usize = count / stride / extent;
                    at += rest / stride * faster;
                    rest %= stride;
                }
                fortran[at] = c as u8;
            }
            let expected: Vec<u8> = (0..count).map(|c| c as u8).collect();
            assert_eq!(in_c_order(&fortran, &shape, 1), expected, "{shape:?}");
        }
    }

    #[test]
    fn a_file_cut_anywhere_is_refused_and_an_abandoned_output_leaves_nothing() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.npy");
        drop(Output::prepare(&path));
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 0);
        let mut whole = Header::bytes("<f4", &matrix().shape);
        whole.extend(&matrix().bytes);
        for length in 0..whole.len() {
            fs::write(&path, &whole[..length]).expect("written");
            assert!(matches!(read(&path), Err(Failure::Input(_))), "cut to {length} bytes");
        }
    }
}
