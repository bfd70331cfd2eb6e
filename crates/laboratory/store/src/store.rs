//! Opens the store's file, which the user names or which is in the user's data folder: checks, settings, migrations.

use crate::error::{Result, StoreError};
use crate::schema::{APPLICATION, SCHEMA, STEPS, check_header, check_version};
use lanework_runtime::tuned::data_folder;
use rusqlite::{Connection, ErrorCode, OpenFlags, TransactionBehavior};
use std::ffi::OsString;
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
            // SQLite wants to write next to a file in a read-only folder. Without a leftover log, the file is
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::filter::Filter;
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
    fn a_full_disk_keeps_what_was_committed() {
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
    fn a_file_that_nobody_writes_is_read_whatever_its_name() {
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
