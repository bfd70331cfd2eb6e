//! Destination of a tool's records: a file of the process, or the report that it prints when it ends.

use super::files::{MAGIC, framed};
use super::own_report::Own;
use super::record::{Process, Record};
use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

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

/// Ends the process, because its environment requests something impossible.
pub(super) fn stop(why: &str) -> ! {
    // Ignore a closed standard error.
    let _ = writeln!(std::io::stderr(), "error: {why}");
    std::process::exit(2)
}
