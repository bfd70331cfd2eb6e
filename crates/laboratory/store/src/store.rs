//! Opens the store's file, which the user names or which is in the user's data folder: checks, settings, migrations.
//!
//! A version of the schema is a migration step from the one before. Released steps never change: a change is a new
//! step.

use crate::{Result, StoreError};
use lanework_runtime::tuned::data_folder;
use rusqlite::{Connection, ErrorCode, OpenFlags, TransactionBehavior};
use std::ffi::OsString;
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How long a writer waits for other writers.
const PATIENCE: Duration = Duration::from_secs(20);

/// An open store.
#[derive(Debug)]
pub struct Store {
    pub(crate) connection: Connection,
    path: PathBuf,
}

impl Store {
    /// Opens the store at `path` for writing. Creates the file if it is missing, and its folder if that is the
    /// default data folder.
    ///
    /// # Errors
    /// If the file cannot be opened or written, is damaged, or belongs to another program or to a newer Lanework.
    pub fn write(path: &Path) -> Result<Store> {
        check_header(path)?;
        if default_place().is_ok_and(|default| default == path)
            && let Some(folder) = path.parent()
        {
            std::fs::create_dir_all(folder).map_err(|error| StoreError::CannotOpen {
                path: path.to_owned(),
                why: format!("{} cannot be made: {error}", folder.display()),
                help: "name a file elsewhere with --store FILE",
            })?;
        }
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE;
        let mut store = Store::connect(path, flags)?;
        store.migrate()?;
        // A file on a network drive keeps its mode; a file that another process is opening gets its mode from that
        // process.
        let mode = store
            .connection
            .query_row("PRAGMA journal_mode = WAL", [], |row| row.get::<_, String>(0));
        match mode {
            Err(error) if error.sqlite_error_code() != Some(ErrorCode::DatabaseBusy) => {
                Err(StoreError::of(path, error))
            }
            _ => Ok(store),
        }
    }

    /// Opens the store at `path` for reading. An older schema is migrated.
    ///
    /// # Errors
    /// As [`Store::write`]; also if the file does not exist.
    pub fn read(path: &Path) -> Result<Store> {
        check_header(path)?;
        if !path.try_exists().unwrap_or(false) {
            return Err(StoreError::Missing(path.to_owned()));
        }
        let read = |flags| {
            let mut store = Store::connect(path, flags)?;
            match store.version()? {
                (0, 0) => Err(StoreError::Missing(path.to_owned())),
                (_, SCHEMA) => Ok(store),
                _ => store.migrate().map(|()| store),
            }
        };
        match read(OpenFlags::SQLITE_OPEN_READ_WRITE) {
            // SQLite writes next to the file, which fails in a read-only folder. Without a leftover log, the file is
            // complete on its own.
            Err(StoreError::CannotOpen { .. } | StoreError::ReadOnly(_)) if !has_log(path) => {
                let mut store = Store::immutable(path)?;
                match store.version()? {
                    (_, SCHEMA) => Ok(store),
                    _ => store.migrate().map(|()| store),
                }
            }
            other => other,
        }
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn connect(path: &Path, flags: OpenFlags) -> Result<Store> {
        let flags = flags | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(path, flags)
            .map_err(|error| StoreError::of(path, error))?;
        let store = Store { connection, path: path.to_owned() };
        let settings = "PRAGMA foreign_keys = ON; PRAGMA synchronous = FULL;";
        store
            .connection
            .busy_timeout(PATIENCE)
            .and_then(|()| store.connection.execute_batch(settings))
            .map_err(|error| StoreError::of(path, error))?;
        Ok(store)
    }

    /// Opens a file that no process writes.
    fn immutable(path: &Path) -> Result<Store> {
        let mut name = String::from("file:");
        for byte in path.as_os_str().as_encoded_bytes() {
            match byte {
                b'%' | b'?' | b'#' => name.push_str(&format!("%{byte:02X}")),
                byte if byte.is_ascii() => name.push(char::from(*byte)),
                byte => name.push_str(&format!("%{byte:02X}")),
            }
        }
        name.push_str("?immutable=1");
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
            | OpenFlags::SQLITE_OPEN_URI
            | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(name, flags)
            .map_err(|error| StoreError::of(path, error))?;
        Ok(Store { connection, path: path.to_owned() })
    }

    /// The application and the schema version that the file states.
    fn version(&self) -> Result<(u32, u32)> {
        version(&self.connection).map_err(|error| StoreError::of(&self.path, error))
    }

    /// Migrates the file to the newest schema, in one transaction.
    fn migrate(&mut self) -> Result<()> {
        let path = self.path.clone();
        let failed = |error| StoreError::of(&path, error);
        let found = self.version()?;
        check_version(&path, found.0, found.1)?;
        if found == (APPLICATION, SCHEMA) {
            return Ok(());
        }
        let transaction = self
            .connection
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .map_err(failed)?;
        // Another process may have migrated it first.
        let found = version(&transaction).map_err(failed)?;
        check_version(&path, found.0, found.1)?;
        let tables: u32 = transaction
            .query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))
            .map_err(failed)?;
        if found == (0, 0) && tables > 0 {
            let why = "it is a SQLite file of another program".to_owned();
            return Err(StoreError::Foreign { path, why });
        }
        for step in &STEPS[found.1 as usize..] {
            transaction.execute_batch(step).map_err(failed)?;
        }
        transaction.pragma_update(None, "application_id", APPLICATION).map_err(failed)?;
        transaction.pragma_update(None, "user_version", SCHEMA).map_err(failed)?;
        transaction.commit().map_err(failed)
    }
}

/// The application and the schema version that the file of `connection` states.
fn version(connection: &Connection) -> rusqlite::Result<(u32, u32)> {
    let word = |pragma| connection.query_row(pragma, [], |row| row.get::<_, u32>(0));
    Ok((word("PRAGMA application_id")?, word("PRAGMA user_version")?))
}

/// Whether the file has a nonempty log.
fn has_log(path: &Path) -> bool {
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    std::fs::metadata(log).is_ok_and(|found| found.len() > 0)
}

/// The environment variable that names the store.
pub const STORE_VARIABLE: &str = "LANEWORK_STORE";

/// The store's file: `given`, else the value of [`STORE_VARIABLE`], else [`default_place`].
///
/// # Errors
/// If no file is named and there is no home folder.
pub fn place(given: Option<&Path>) -> Result<PathBuf> {
    choose(given, std::env::var_os(STORE_VARIABLE))
}

fn choose(given: Option<&Path>, variable: Option<OsString>) -> Result<PathBuf> {
    match (given, variable.filter(|name| !name.is_empty())) {
        (Some(path), _) => Ok(path.to_owned()),
        (None, Some(name)) => Ok(name.into()),
        (None, None) => default_place(),
    }
}

/// `lanework/history.sqlite` in the user's data folder, as defined by XDG, macOS or Windows.
///
/// # Errors
/// If there is no home folder.
pub fn default_place() -> Result<PathBuf> {
    let folder = data_folder().ok_or(StoreError::NoPlace)?;
    Ok(folder.join("lanework").join("history.sqlite"))
}

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::Filter;
    use crate::record::{NewPoint, NewRun, Outcome, RunCommand, RunId};
    use lanework_lab::DeviceRecord;
    use serde_json::json;
    use std::collections::BTreeMap;

    fn begin(store: &mut Store) -> Result<RunId> {
        let device = DeviceRecord {
            name: "G".to_owned(),
            backend: "cuda".to_owned(),
            driver: "1".to_owned(),
            uuid: None,
            compute_capability: "9.0".to_owned(),
            multiprocessors: 1,
        };
        let (command, request) = (["sweep".to_owned()], json!({}));
        store.begin(&NewRun {
            kind: RunCommand::Sweep,
            command: &command,
            request: &request,
            points: 1000,
            device: &device,
            revision: None,
        })
    }

    #[test]
    fn a_full_disk_keeps_committed_runs() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("s");
        let mut store = Store::write(&path).expect("a store");
        let run = begin(&mut store).expect("a run");
        // SQLite treats this limit like a full disk.
        let set = store.connection.query_row("PRAGMA max_page_count = 40", [], |row| row.get(0));
        assert_eq!(set, Ok(40));
        let point = |position| {
            let why = "x".repeat(3000);
            NewPoint::without(position, Outcome::Skipped, &why, BTreeMap::new())
        };
        let full = (0..1000).find_map(|at| Some((at, store.add(run, &point(at)).err()?)));
        let (kept, error) = full.expect("the store fills");
        assert!(matches!(error, StoreError::Full(_)), "{error}");
        assert!(error.to_string().contains("is full") && kept > 5, "{kept}: {error}");
        drop(store);
        let store = Store::read(&path).expect("a store");
        assert_eq!(store.points(run).expect("points").len(), kept);
        assert_eq!(store.runs(&Filter::default()).expect("runs")[0].points_done, kept);
    }

    #[test]
    fn an_immutable_store_may_have_any_file_name() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("50%? a#b é.sqlite");
        begin(&mut Store::write(&path).expect("a store")).expect("a run");
        let before = std::fs::read_dir(folder.path()).expect("a folder").count();
        let store = Store::immutable(&path).expect("a store");
        assert_eq!(store.runs(&Filter::default()).expect("runs").len(), 1);
        assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), before);
    }

    #[test]
    fn the_option_comes_before_the_variable() {
        let variable = || Some(OsString::from("v"));
        assert_eq!(choose(Some(Path::new("o")), variable()).ok(), Some("o".into()));
        assert_eq!(choose(None, variable()).ok(), Some("v".into()));
        let default = choose(None, Some(OsString::new())).expect("a home folder");
        assert!(default.ends_with("lanework/history.sqlite"), "{default:?}");
    }
}
