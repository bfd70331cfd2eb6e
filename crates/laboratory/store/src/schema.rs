//! The schema of the store, by version, and how a file states its version.
//!
//! Each version is a migration step from the one before. Released steps never change: a change is a new step.
//! `tests/schemas` has a file of each version, which a test opens.

use crate::error::{Result, StoreError};
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::Path;

/// SQLite's `application_id` of a store: `LNWK`.
pub(crate) const APPLICATION: u32 = 0x4C4E_574B;

/// The migration steps; the first creates schema 1 in an empty file.
pub(crate) const STEPS: [&str; 1] = ["
    -- A command that was run.
    CREATE TABLE run (
        id INTEGER PRIMARY KEY AUTOINCREMENT,   -- never used again
        kind TEXT NOT NULL,                     -- climb, sweep, bench, compare, tune
        command TEXT NOT NULL,                  -- the command line's words, a JSON array
        request TEXT NOT NULL,                  -- JSON; equal where a run may go on with another's points
        started TEXT NOT NULL,                  -- RFC 3339, UTC
        finished TEXT,                          -- NULL until the last point is in
        points INTEGER NOT NULL,                -- points that it will have
        gpu TEXT NOT NULL,                      -- product name of the device
        device TEXT NOT NULL,                   -- JSON of the device's record
        revision TEXT,                          -- of the user's checkout, with a + when it had changes
        version TEXT NOT NULL                   -- of Lanework
    );
    CREATE INDEX run_started ON run(started);
    CREATE INDEX run_request ON run(request);
    -- One problem of a run.
    CREATE TABLE point (
        run INTEGER NOT NULL REFERENCES run(id) ON DELETE CASCADE,
        position INTEGER NOT NULL,              -- from 0
        outcome TEXT NOT NULL,                  -- done, skipped, failed
        why TEXT,                               -- why it was skipped or failed
        problem TEXT NOT NULL,                  -- JSON object of words
        record TEXT NOT NULL,                   -- JSON of the climb without its rungs, or null
        PRIMARY KEY (run, position)
    ) WITHOUT ROWID;
    -- One kernel, library or comparison at a point.
    CREATE TABLE entry (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        run INTEGER NOT NULL,
        position INTEGER NOT NULL,
        place INTEGER NOT NULL,                 -- within the point, from 0
        kind TEXT NOT NULL,                     -- timed, counts, comparison, none
        ladder TEXT,
        name TEXT NOT NULL,                     -- of the rung, the kernel, the library's function
        file TEXT,
        verdict TEXT NOT NULL,                  -- verified, unverified, wrong, lower-precision, failed, skipped,
                                                -- invalid; fast, slow, ambiguous
        median_ns REAL, low_ns REAL, high_ns REAL,
        record TEXT NOT NULL,                   -- JSON of the rung or the comparison, or null
        timed TEXT,                             -- JSON of the timed record without its samples
        samples BLOB,                           -- see samples.rs
        UNIQUE (run, position, place),
        FOREIGN KEY (run, position) REFERENCES point(run, position) ON DELETE CASCADE
    );
    CREATE INDEX entry_name ON entry(ladder, name);
"];

/// The newest schema version, which is written.
pub const SCHEMA: u32 = STEPS.len() as u32;

/// Checks a file's bytes before SQLite opens it and may create files next to it: the file must be empty or a readable
/// store. A missing file passes.
///
/// # Errors
/// If it belongs to another program or to a newer Lanework.
pub(crate) fn check_header(path: &Path) -> Result<()> {
    let cannot = |error: std::io::Error| StoreError::CannotOpen {
        path: path.to_owned(),
        why: error.to_string(),
        help: "check the path and its permissions, or name another file with --store FILE",
    };
    let foreign = |why: &str| StoreError::Foreign { path: path.to_owned(), why: why.to_owned() };
    let mut header = Vec::new();
    match File::open(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(cannot(error)),
        Ok(file) if file.metadata().map_err(cannot)?.is_dir() => {
            return Err(foreign("it is a folder"));
        }
        Ok(file) => file.take(100).read_to_end(&mut header).map_err(cannot)?,
    };
    if header.is_empty() {
        return Ok(());
    }
    if header.len() < 100 || !header.starts_with(b"SQLite format 3\0") {
        return Err(foreign("it is not a SQLite file"));
    }
    let word = |at: usize| u32::from_be_bytes(header[at..at + 4].try_into().expect("four bytes"));
    check_version(path, word(68), word(60))
}

/// Checks the application and schema version that a file states.
///
/// # Errors
/// If it belongs to another program or to a newer Lanework.
pub(crate) fn check_version(path: &Path, application: u32, version: u32) -> Result<()> {
    let path = path.to_owned();
    match (application, version) {
        // SQLite writes the first page before our first transaction commits.
        (0, 0) => Ok(()),
        (APPLICATION, version) if version <= SCHEMA => Ok(()),
        (APPLICATION, found) => Err(StoreError::Newer { path, found, known: SCHEMA }),
        _ => {
            let why = "it is a SQLite file of another program".to_owned();
            Err(StoreError::Foreign { path, why })
        }
    }
}
