//! Record files, one per process in a folder. A process writes each record with one system call, so a reader can run at
//! the same time. Instead of a file, a process may print its records as a report when it ends.

use super::codec::Field;
use super::own_report::Own;
use super::record::{Process, Record};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// Header of a record file: its type, and the version that wrote it.
pub(super) const MAGIC: &str = concat!("lanework records ", env!("CARGO_PKG_VERSION"), "\n");

/// Encodes a record for its file: its length and its bytes, for a single write.
pub(super) fn framed(record: &Record) -> Vec<u8> {
    let mut bytes = Vec::new();
    record.put(&mut bytes);
    let mut framed = Vec::with_capacity(bytes.len() + 4);
    bytes.len().put(&mut framed);
    framed.extend(bytes);
    framed
}

/// The records of a file, and the offset of their end. Ignores the incomplete last record of a killed process.
///
/// # Errors
/// A message if another version wrote the file.
fn of_file(bytes: &[u8]) -> Result<(Vec<Record>, usize), String> {
    let Some(rest) = bytes.strip_prefix(MAGIC.as_bytes()) else {
        let first = bytes.split(|byte| *byte == b'\n').next().unwrap_or_default();
        return match MAGIC.as_bytes().starts_with(bytes) {
            true => Ok((Vec::new(), 0)),
            false => Err(format!(
                "the program wrote `{}`, and this command reads `{}`",
                String::from_utf8_lossy(&first[..first.len().min(60)]),
                MAGIC.trim_end()
            )),
        };
    };
    let (records, end) = unframed(rest);
    Ok((records, MAGIC.len() + end))
}

/// The complete records at the start of some bytes, and their end.
fn unframed(bytes: &[u8]) -> (Vec<Record>, usize) {
    let mut records = Vec::new();
    let (mut rest, mut end) = (bytes, 0);
    while let Some(length) = usize::take(&mut rest) {
        let Some((mut whole, after)) = rest.split_at_checked(length) else { break };
        records.extend(Record::take(&mut whole));
        rest = after;
        end = bytes.len() - rest.len();
    }
    (records, end)
}

/// Reads the records of a folder while they are written.
pub struct Reader {
    folder: PathBuf,
    /// Bytes read so far of each file.
    read: BTreeMap<PathBuf, usize>,
}

impl Reader {
    /// A reader that has read nothing yet.
    pub fn new(folder: &Path) -> Reader {
        Reader { folder: folder.to_owned(), read: BTreeMap::new() }
    }

    /// The records that all processes wrote since the last call.
    ///
    /// # Errors
    /// As [`read`].
    pub fn news(&mut self) -> Result<Vec<Record>, String> {
        let mut news = Vec::new();
        for path in files(&self.folder)? {
            let place = self.read.get(&path).copied().unwrap_or(0);
            let told = |error| cannot_be_read(&path, &error);
            let mut file = File::open(&path).map_err(told)?;
            let mut bytes = Vec::new();
            // Skip the part read before: a test suite reads after each test.
            file.seek(SeekFrom::Start(place as u64))
                .and_then(|_| file.read_to_end(&mut bytes))
                .map_err(told)?;
            let (records, end) = match place {
                0 => of_file(&bytes)?,
                _ => {
                    let (records, end) = unframed(&bytes);
                    (records, place + end)
                }
            };
            news.extend(records);
            self.read.insert(path, end);
        }
        Ok(news)
    }
}

fn cannot_be_read(path: &Path, error: &std::io::Error) -> String {
    format!("{} cannot be read: {error}", path.display())
}

/// The files of a folder, in the order in which their processes began.
fn files(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .and_then(|entries| entries.map(|entry| entry.map(|entry| entry.path())).collect())
        .map_err(|error| cannot_be_read(folder, &error))?;
    files.sort();
    Ok(files)
}

/// The records of all processes of a folder, a list for each process.
///
/// # Errors
/// A message if the folder cannot be read, or if another version of this library wrote to it.
pub fn read(folder: &Path) -> Result<Vec<Vec<Record>>, String> {
    let bytes = |file: &PathBuf| std::fs::read(file).map_err(|error| cannot_be_read(file, &error));
    let each = files(folder)?.into_iter().map(|file| Ok(of_file(&bytes(&file)?)?.0));
    each.collect()
}

/// Destination of records.
pub(super) enum Sink {
    /// To the file of this process in the command's folder.
    File(File),
    /// To the report that the process prints when it ends.
    Own(Own),
}

impl Sink {
    /// A new file of this process in the command's folder.
    pub(super) fn in_folder(folder: &Path) -> Sink {
        Sink::File(open(folder))
    }

    /// Stores a record: immediately in the file, or for the report.
    pub(super) fn keep(&mut self, record: Record) {
        match self {
            Sink::File(file) => {
                if let Err(error) = file.write_all(&framed(&record)) {
                    stop(&format!("a record of LANEWORK_TOOL cannot be written: {error}"));
                }
            }
            Sink::Own(own) => own.add(record),
        }
    }
}

/// Microseconds since the epoch.
pub(super) fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_micros()).unwrap_or(u64::MAX)
}

/// Microseconds since an instant.
pub(super) fn micros(since: Instant) -> u64 {
    u64::try_from(since.elapsed().as_micros()).unwrap_or(u64::MAX)
}

/// The file of this process, with its first record.
fn open(folder: &Path) -> File {
    let id = std::process::id();
    let path = folder.join(format!("{}-{id}", now()));
    let command = std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect();
    let mut first = MAGIC.as_bytes().to_vec();
    first.extend(framed(&Record::Process(Process { id, command })));
    let file = File::create_new(&path).and_then(|mut file| file.write_all(&first).map(|()| file));
    file.unwrap_or_else(|error| {
        stop(&format!("{} of LANEWORK_TOOL_FOLDER cannot be written: {error}", path.display()))
    })
}

/// Exits with an error message: the process's environment is invalid.
pub(super) fn stop(why: &str) -> ! {
    // Ignore a closed standard error.
    let _ = writeln!(std::io::stderr(), "error: {why}");
    std::process::exit(2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tool::record::{Launched, Process};

    fn written(records: &[Record]) -> Vec<u8> {
        let mut bytes = MAGIC.as_bytes().to_vec();
        for record in records {
            bytes.extend(framed(record));
        }
        bytes
    }

    fn some() -> Vec<Record> {
        let launch = Launched { kernel: "k".to_owned(), grid: [4, 1, 1], block: [256, 1, 1] };
        vec![
            Record::Process(Process { id: 7, command: vec!["a b".to_owned()] }),
            Record::Launch(launch),
            Record::Note("é\n".to_owned()),
        ]
    }

    #[test]
    fn records_round_trip_and_an_incomplete_one_is_ignored() {
        let bytes = written(&some());
        assert_eq!(of_file(&bytes), Ok((some(), bytes.len())));
        // Records that a process wrote before it was killed are kept.
        for end in 0..bytes.len() {
            let (found, read) = of_file(&bytes[..end]).expect("no other version");
            assert!(read <= end);
            // The next read continues where the last ended.
            let (rest, _) = match read {
                0 => of_file(&bytes).expect("no other version"),
                _ => unframed(&bytes[read..]),
            };
            assert_eq!([found.clone(), rest].concat(), some());
            assert!(some().starts_with(&found), "{end}");
            assert!(found.len() < 3);
        }
    }

    #[test]
    fn records_of_another_version_are_an_error() {
        let told = of_file(b"lanework records 0.0.1\n....").expect_err("another version");
        assert!(told.contains("`lanework records 0.0.1`"), "{told}");
    }
}
