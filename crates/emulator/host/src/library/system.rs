//! Files and folders by name, as POSIX's functions see them. A function that fails stores an error number where its last
//! argument says.

use crate::process::{LibraryFunctions, Process, Stop, word};
use std::io::{Error, Result as Done};
use std::time::UNIX_EPOCH;

/// C's `EIO`, for errors without a number of the system's.
const INPUT_OUTPUT: i32 = 5;

/// All functions. Their headers give them the names of POSIX.
pub const FUNCTIONS: LibraryFunctions = &[
    ("__lw_rename", |process, a| {
        let to = name(process, word(a, 1))?;
        done(process, a, 2, |from| std::fs::rename(from, &to))
    }),
    ("__lw_unlink", |process, a| done(process, a, 1, |path| std::fs::remove_file(path))),
    ("__lw_make_folder", |process, a| done(process, a, 1, |path| std::fs::create_dir(path))),
    ("__lw_remove_folder", |process, a| done(process, a, 1, |path| std::fs::remove_dir(path))),
    ("__lw_enter_folder", |process, a| done(process, a, 1, |path| std::env::set_current_dir(path))),
    ("__lw_current_folder", |process, _| {
        let path = std::env::current_dir().map(|path| path.display().to_string());
        text(process, path.unwrap_or_default().into_bytes())
    }),
    // The kind (1: a file, 2: a folder), the size, and the time of the last change, at the second argument.
    ("__lw_status", |process, a| {
        let (to, path) = (word(a, 1), name(process, word(a, 0))?);
        let found = std::fs::metadata(&path);
        if let Ok(data) = &found {
            let changed =
                data.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
            let seconds = changed.map_or(0, |time| time.as_secs());
            let words = [if data.is_dir() { 2 } else { 1 }, data.len(), seconds];
            let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
            let written = process.memory.write(to, &bytes);
            process.accessed(written, "write")?;
        }
        done(process, a, 2, |_| found.map(|_| ()))
    }),
    // The names in a folder, each with a zero after it, then another zero; null if it cannot be read.
    ("__lw_names", |process, a| {
        let path = name(process, word(a, 0))?;
        let list = |path: &str| -> Done<Vec<String>> {
            let names = std::fs::read_dir(path)?
                .map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()));
            names.collect()
        };
        let Ok(mut names) = list(&path) else {
            done(process, a, 1, |path| list(path).map(|_| ()))?;
            return Ok(0);
        };
        names.extend([".".to_owned(), "..".to_owned()]);
        names.sort();
        let bytes = names.iter().flat_map(|name| name.bytes().chain([0])).collect();
        text(process, bytes)
    }),
];

/// The C string at an address.
fn name(process: &Process, address: u64) -> Result<String, Stop> {
    Ok(String::from_utf8_lossy(&process.text(address)?).into_owned())
}

/// A new C string on the heap; null if out of memory.
fn text(process: &mut Process, mut bytes: Vec<u8>) -> Result<u64, Stop> {
    bytes.push(0);
    let address = process.memory.allocate(bytes.len() as u64, 1);
    if address != 0 {
        let written = process.memory.write(address, &bytes);
        process.accessed(written, "write")?;
    }
    Ok(address)
}

/// Does something with the file that the first argument names. Returns 0, or else -1 after storing the error number where
/// argument `error` points.
fn done(
    process: &mut Process,
    a: &[u64],
    error: usize,
    run: impl FnOnce(&str) -> Done<()>,
) -> Result<u64, Stop> {
    let path = name(process, word(a, 0))?;
    let Err(why) = run(&path) else { return Ok(0) };
    let number = Error::raw_os_error(&why).unwrap_or(INPUT_OUTPUT);
    let written = process.memory.write(word(a, error), &number.to_le_bytes());
    process.accessed(written, "write")?;
    Ok(u64::from(u32::MAX))
}
