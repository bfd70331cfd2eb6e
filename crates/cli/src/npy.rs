//! Arrays in .npy files. Elements are little-endian and in C order here; files that are not are converted, which is
//! said once.

mod header;

use crate::failure::Failure;
use crate::output::note;
use header::Header;
use lanework_lab::{Array, ElementType};
use std::fmt::Display;
use std::fs::{self, File};
use std::io::{BufReader, Read, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// Reads an array, and the name of its element type, such as `<f4`.
///
/// Elements without an equivalent type (bool, complex) become unsigned integers of their size, which suffices for
/// kernels that only move them.
///
/// # Errors
/// When the file is not a .npy file of an array of numbers of 1, 2, 4 or 8 bytes, or is shorter than its
/// header declares.
pub fn read(path: &Path) -> Result<(Array, String), Failure> {
    let name = path.display();
    let file = File::open(path).map_err(|error| {
        Failure::input(format_args!("{name} cannot be read: {error}"), "check the path")
    })?;
    let mut reader = BufReader::new(file);
    let header = Header::read(&mut reader).map_err(|error| {
        Failure::input(
            format_args!("{name} is not a .npy file: {error}"),
            "write one with numpy: np.save('a.npy', a)",
        )
    })?;
    let Some(type_name) = header.type_name else {
        return Err(Failure::input(
            format_args!("{name} holds records, not numbers"),
            "save one field of it as an array of its own",
        ));
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
    // The two orders are one where no more than one extent is over 1.
    if header.fortran_order && shape.iter().filter(|&&n| n > 1).count() > 1 {
        bytes = in_c_order(&bytes, &shape, element.bytes);
        converted.push("from Fortran order to C order");
    }
    if !converted.is_empty() {
        note(&format!("note: {name} was converted {}", converted.join(" and ")));
    }
    Ok((Array { shape, element, bytes }, stored.name))
}

/// The error of an element type that is none of the numbers that kernels know.
fn refused_type(name: &dyn Display, type_name: &str) -> Failure {
    let help = match type_name.trim_start_matches(['<', '>', '=', '|']) {
        "V2" => "if it is bfloat16, save its bits and say so: a.view(np.uint16), and --type bf16",
        "O" => "it holds Python objects: make it an array of numbers, such as a.astype(np.float32)",
        "c16" => "save its parts as arrays of their own: a.real and a.imag",
        _ => "use numbers of 1, 2, 4 or 8 bytes, such as float32: a.astype(np.float32)",
    };
    Failure::input(format_args!("{name} holds elements of type {type_name}"), help)
}

/// How a file stores its elements.
#[derive(Debug, PartialEq, Eq)]
struct Stored {
    element: ElementType,
    /// numpy's name of the type, little-endian.
    name: String,
    /// Whether bytes are in the wrong order.
    big_endian: bool,
    /// Bytes that are in order: those of an element, or of half of a complex one.
    unit: usize,
}

impl Stored {
    /// What numpy's name `text` means; `None` for anything but numbers of 1, 2, 4 or 8 bytes.
    fn named(text: &str) -> Option<Stored> {
        let mut letters = text.chars();
        let (order, kind) = (letters.next()?, letters.next()?);
        let size: usize = letters.as_str().parse().ok()?;
        if !"<>|=".contains(order) || !"fiucb".contains(kind) || !matches!(size, 1 | 2 | 4 | 8) {
            return None;
        }
        let kind_here = if "fiu".contains(kind) { kind } else { 'u' };
        let element = ElementType::named(&format!("{kind_here}{}", 8 * size))?;
        let name = format!("{}{kind}{size}", if size == 1 { '|' } else { '<' });
        let native_big = order == '=' && cfg!(target_endian = "big");
        let big_endian = size > 1 && (order == '>' || native_big);
        let unit = if kind == 'c' { size / 2 } else { size };
        Some(Stored { element, name, big_endian, unit })
    }
}

/// Whether numpy's type of this name is a complex number.
pub fn is_complex(type_name: &str) -> bool {
    type_name.get(1..2) == Some("c")
}

/// Elements of `size` bytes that lie first index fastest, in the order of last index fastest.
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
    fn what_is_written_is_read_back() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.npy");
        assert!(Output::prepare(&path).and_then(|output| output.write(&matrix(), None)).is_ok());
        let Ok((read, type_name)) = read(&path) else { panic!("not read back") };
        assert_eq!((read, type_name.as_str()), (matrix(), "<f4"));
    }

    #[test]
    fn types_are_named_as_numpy_names_them() {
        for (text, name, stored) in [
            ("<f2", "f16", "<f2"),
            ("|u1", "u8", "|u1"),
            ("|b1", "u8", "|b1"),
            ("<i8", "i64", "<i8"),
            (">f4", "f32", "<f4"),
            (">c8", "u64", "<c8"),
        ] {
            let found = Stored::named(text).expect(text);
            assert_eq!((found.element.name, found.name.as_str()), (name, stored));
            assert_eq!(found.big_endian, text.starts_with('>'), "{text}");
        }
        assert_eq!(Stored::named(">c8").map(|stored| stored.unit), Some(4));
        for text in ["<c16", "<U4", "|O", "|V2", "<M8", "<f16", "|S3", "f4"] {
            assert_eq!(Stored::named(text), None, "{text}");
        }
        assert_eq!(
            Stored::named("|u1").map(|stored| numpy_name(stored.element)),
            Some("|u1".into())
        );
    }

    #[test]
    fn fortran_order_of_any_shape_becomes_c_order() {
        // Every element holds its index in C order.
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
