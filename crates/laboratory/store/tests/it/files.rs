//! Files that are not a store, or have a different version: errors are clear, and the files stay unchanged.

use crate::common::begin;
use lanework_store::{Filter, NewPoint, RunCommand, SCHEMA, Store, StoreError};
use rusqlite::Connection;
use serde_json::json;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// Every file of a folder with its bytes.
fn contents(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry"));
    let named = entries.map(|entry| {
        let bytes = fs::read(entry.path()).unwrap_or_default();
        (entry.file_name().to_string_lossy().into_owned(), bytes)
    });
    named.collect()
}

/// The errors of opening `path` for reading and for writing; asserts that its folder stays unchanged.
fn refused(path: &Path) -> [StoreError; 2] {
    let folder = path.parent().expect("a folder");
    let before = contents(folder);
    let errors = [
        Store::read(path).expect_err("refused for reading"),
        Store::write(path).expect_err("refused for writing"),
    ];
    assert_eq!(contents(folder), before, "something was touched");
    for error in &errors {
        let text = error.to_string();
        assert!(text.contains("= help: ") && text.contains(&*path.to_string_lossy()), "{text}");
    }
    errors
}

#[test]
fn a_newer_schema_is_refused_and_not_changed() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("s");
    begin(&mut Store::write(&path).expect("a store"), RunCommand::Climb, &json!({}), 1);
    let connection = Connection::open(&path).expect("SQLite");
    connection.pragma_update(None, "user_version", SCHEMA + 1).expect("set");
    drop(connection);
    for error in refused(&path) {
        assert!(matches!(error, StoreError::Newer { found, .. } if found == SCHEMA + 1), "{error}");
    }
}

#[test]
fn foreign_files_are_refused_and_not_changed() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("s");
    for bytes in [&b"hello"[..], &[7; 5000], b"SQLite format 3\0"] {
        fs::write(&path, bytes).expect("written");
        for error in refused(&path) {
            assert!(matches!(error, StoreError::Foreign { .. }), "{error}");
        }
    }
    for settings in ["", "PRAGMA application_id = 99;", "PRAGMA user_version = 3;"] {
        fs::remove_file(&path).expect("removed");
        let connection = Connection::open(&path).expect("SQLite");
        connection.execute_batch(&format!("{settings} CREATE TABLE mine (x)")).expect("a table");
        drop(connection);
        let folder = path.parent().expect("a folder");
        let before = contents(folder);
        let error = Store::write(&path).expect_err("refused");
        assert!(matches!(error, StoreError::Foreign { .. }), "{settings}: {error}");
        assert!(Store::read(&path).is_err());
        assert_eq!(contents(folder), before, "{settings}: something was touched");
    }
    fs::create_dir(folder.path().join("d")).expect("a folder");
    for error in refused(&folder.path().join("d")) {
        assert!(error.to_string().contains("it is a folder"), "{error}");
    }
}

#[test]
fn a_damaged_file_is_an_error() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("s");
    let mut store = Store::write(&path).expect("a store");
    for _ in 0..200 {
        begin(&mut store, RunCommand::Climb, &json!({"text": "x".repeat(500)}), 1);
    }
    drop(store);
    let whole = fs::read(&path).expect("read");
    for from in (4096..whole.len()).step_by(4096) {
        let mut bytes = whole.clone();
        bytes[from..(from + 4096).min(whole.len())].fill(0xAB);
        fs::write(&path, &bytes).expect("written");
        // Not every page is read. Reading a damaged one gives an error, not a panic or wrong rows.
        match Store::read(&path).and_then(|store| store.runs(&Filter::default())) {
            Ok(runs) => assert!(runs.len() == 200 || runs.is_empty(), "{} runs", runs.len()),
            Err(error) => assert!(matches!(error, StoreError::Damaged { .. }), "{error}"),
        }
    }
    fs::write(&path, &whole[..whole.len() / 2]).expect("written");
    let error =
        Store::read(&path).and_then(|store| store.runs(&Filter::default())).expect_err("cut");
    assert!(matches!(error, StoreError::Damaged { .. }), "{error}");
}

#[test]
fn stores_that_do_not_open_give_the_reason() {
    let folder = tempfile::tempdir().expect("a folder");
    let missing = folder.path().join("s");
    let error = Store::read(&missing).expect_err("missing");
    assert!(matches!(error, StoreError::Missing(_)), "{error}");
    assert!(contents(folder.path()).is_empty(), "reading makes no file");
    let nowhere = folder.path().join("none").join("s");
    let error = Store::write(&nowhere).expect_err("no folder");
    assert!(matches!(error, StoreError::CannotOpen { .. }), "{error}");
    if cfg!(target_os = "linux") {
        // Not even root can create a file there.
        let error = Store::write(Path::new("/proc/lanework.sqlite")).expect_err("no file");
        assert!(
            matches!(error, StoreError::CannotOpen { .. } | StoreError::ReadOnly(_)),
            "{error}"
        );
    }
}

#[test]
fn a_read_only_store_is_read_and_not_written() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("s");
    begin(&mut Store::write(&path).expect("a store"), RunCommand::Climb, &json!({}), 1);
    let read_only = |on: bool| {
        for path in [path.as_path(), folder.path()] {
            let mut permissions = fs::metadata(path).expect("there").permissions();
            permissions.set_readonly(on);
            fs::set_permissions(path, permissions).expect("set");
        }
    };
    read_only(true);
    let obeyed = fs::write(folder.path().join("probe"), b"").is_err();
    let read = Store::read(&path).and_then(|store| store.runs(&Filter::default()));
    let written =
        Store::write(&path).and_then(|mut store| store.delete(&[lanework_store::RunId(1)]));
    read_only(false);
    assert_eq!(read.expect("read").len(), 1);
    if !obeyed {
        eprintln!(
            "SKIPPED: writing to a read-only store, since this user (root) may write everywhere"
        );
        return;
    }
    let error = written.expect_err("not written");
    assert!(matches!(error, StoreError::ReadOnly(_) | StoreError::CannotOpen { .. }), "{error}");
}

/// A store of the newest schema as SQL: one run with a timed rung, and one without points.
fn dump() -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("s");
    let mut store = Store::write(&path).expect("a store");
    let run = begin(&mut store, RunCommand::Sweep, &json!({"size": [1]}), 1);
    let point = NewPoint::of_timed(0, crate::common::timed(Some("transpose"), "padded", 1000.0));
    store.add(run, &point).expect("added");
    begin(&mut store, RunCommand::Climb, &json!({}), 1);
    drop(store);
    let connection = Connection::open(&path).expect("SQLite");
    let texts = |query: &str| -> Vec<String> {
        let mut statement = connection.prepare(query).expect("a query");
        let rows = statement.query_map([], |row| row.get(0)).expect("rows");
        rows.map(|row| row.expect("text")).collect()
    };
    let mut lines = texts(
        "SELECT sql || ';' FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%'",
    );
    for table in
        texts("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
    {
        let quoted =
            texts(&format!("SELECT 'quote(' || name || ')' FROM pragma_table_info('{table}')"));
        let values = quoted.join(" || ', ' || ");
        lines.extend(texts(&format!(
            "SELECT 'INSERT INTO {table} VALUES (' || {values} || ');' FROM {table}"
        )));
    }
    for pragma in ["application_id", "user_version"] {
        lines.extend(texts(&format!(
            "SELECT 'PRAGMA {pragma} = ' || {pragma} || ';' FROM pragma_{pragma}"
        )));
    }
    lines.join("\n") + "\n"
}

/// Every schema that a released Lanework may have written opens, and its runs are readable.
#[test]
fn every_older_schema_is_migrated() {
    let schemas = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/schemas");
    for version in 1..=SCHEMA {
        let file = schemas.join(format!("{version}.sql"));
        if version == SCHEMA && !file.exists() && std::env::var_os("LANEWORK_BLESS").is_some() {
            fs::write(&file, dump()).expect("written");
        }
        let sql = fs::read_to_string(&file).unwrap_or_else(|error| {
            panic!("{}: {error}: LANEWORK_BLESS=1 writes that of a new schema", file.display())
        });
        for write in [false, true] {
            let folder = tempfile::tempdir().expect("a folder");
            let path = folder.path().join("s");
            let connection = Connection::open(&path).expect("SQLite");
            connection.execute_batch(&sql).expect("the schema's SQL");
            drop(connection);
            let store = if write { Store::write(&path) } else { Store::read(&path) };
            let store = store.unwrap_or_else(|error| panic!("schema {version}: {error}"));
            let runs = store.runs(&Filter::default()).expect("runs");
            assert_eq!(runs.len(), 2, "schema {version}");
            let entries = store.entries(runs[0].id).expect("entries");
            assert_eq!(
                entries[0].timed,
                Some(crate::common::timed(Some("transpose"), "padded", 1000.0))
            );
            assert_eq!(runs[1].points_done, 0);
            drop(store);
            let connection = Connection::open(&path).expect("SQLite");
            let found: u32 = connection
                .query_row("PRAGMA user_version", [], |row| row.get(0))
                .expect("a version");
            assert_eq!(found, SCHEMA, "schema {version} was migrated");
        }
    }
}
