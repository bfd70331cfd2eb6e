//! The store: the history of measured and counted runs in one SQLite file, with every raw sample.
//!
//! A run is one command: a climb, a sweep, a benchmark. It has points, one per problem. Each completed point is
//! written in its own transaction, so an interrupted run keeps its finished points. A point has entries, one per
//! kernel. Times and counts are entries of different kinds and are never mixed.
//!
//! Writers from several processes take turns (write-ahead log, busy timeout). The file states its program and its
//! schema version. Opening an older version migrates it; newer versions and files of other programs are refused
//! before SQLite touches them. This crate prints nothing.

mod compare;
mod export;
mod read;
mod record;
mod store;
mod write;

pub use compare::{Side, Sides};
pub use export::{Exported, Format, export};
pub use read::{Filter, since};
pub use record::{
    EntryRow, KernelRow, NewEntry, NewPoint, NewRun, Outcome, PointRow, RunCommand, RunId, RunRow,
    Shown,
};
pub use store::{SCHEMA, STORE_VARIABLE, Store, default_place, place};

use rusqlite::ErrorCode;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// The result of a store operation.
pub type Result<T> = std::result::Result<T, StoreError>;

/// An error of the store.
#[derive(Debug, Error)]
pub enum StoreError {
    /// The file does not exist.
    #[error(
        "there is no store at {}\n  = help: `--save` on climb, sweep or bench makes one; `--store FILE` names another", .0.display()
    )]
    Missing(PathBuf),
    /// The home folder is unknown, so the store has no default location.
    #[error("the user's data folder is not known\n  = help: name a file with --store FILE")]
    NoPlace,
    /// The file cannot be opened.
    #[error("the store {} cannot be opened: {why}\n  = help: {help}", .path.display())]
    CannotOpen {
        /// The file.
        path: PathBuf,
        /// The cause.
        why: String,
        /// How to fix it.
        help: &'static str,
    },
    /// The file belongs to another program.
    #[error(
        "{} is not a store of Lanework: {why}; it is not changed\n  = help: name another file with --store FILE", .path.display()
    )]
    Foreign {
        /// The file.
        path: PathBuf,
        /// The kind of file found.
        why: String,
    },
    /// A newer Lanework wrote the file.
    #[error(
        "the store {} has schema {found}, this version supports schemas up to {known}; it is not changed\n  \
         = help: use the newer Lanework, or name another file with --store FILE", .path.display()
    )]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its schema version.
        found: u32,
        /// The newest schema version supported.
        known: u32,
    },
    /// The file or its disk is read-only.
    #[error(
        "the store {} is read-only\n  = help: check the permissions, or name another file with --store FILE", .0.display()
    )]
    ReadOnly(PathBuf),
    /// The disk is full.
    #[error(
        "the disk of the store {} is full: what was committed before is kept\n  = help: free some space, or name a file elsewhere with --store FILE", .0.display()
    )]
    Full(PathBuf),
    /// The file is damaged.
    #[error(
        "the store {} is damaged: {why}\n  = help: `sqlite3 FILE .recover` may recover its contents; move the file away to start a new store", .path.display()
    )]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The evidence of the damage.
        why: String,
    },
    /// Another process has held the lock of the file for too long.
    #[error(
        "the store {} is locked by another process\n  = help: wait for it, or name another file with --store FILE", .0.display()
    )]
    Locked(PathBuf),
    /// The run does not exist.
    #[error("the store {} has no run {id}\n  = help: `lanework history` lists the runs", .path.display())]
    NoRun {
        /// The file.
        path: PathBuf,
        /// The requested number.
        id: i64,
    },
    /// An invalid value.
    #[error("{what}\n  = help: {help}")]
    Request {
        /// The problem.
        what: String,
        /// The valid values.
        help: String,
    },
    /// Any other SQLite error.
    #[error("the store {} failed: {why}\n  = help: name another file with --store FILE", .path.display())]
    Failed {
        /// The file.
        path: PathBuf,
        /// SQLite's message.
        why: String,
    },
}

impl StoreError {
    /// Converts a SQLite error of the store at `path`.
    pub(crate) fn of(path: &Path, error: rusqlite::Error) -> StoreError {
        let path = path.to_owned();
        let why = error.to_string();
        match error.sqlite_error_code() {
            Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => StoreError::ReadOnly(path),
            Some(ErrorCode::DiskFull) => StoreError::Full(path),
            Some(ErrorCode::DatabaseCorrupt) => StoreError::Damaged { path, why },
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => StoreError::Locked(path),
            Some(ErrorCode::NotADatabase) => {
                StoreError::Foreign { path, why: "it is not a SQLite file".to_owned() }
            }
            Some(ErrorCode::CannotOpen) => {
                let help = "check that its folder is there and can be written";
                StoreError::CannotOpen { path, why, help }
            }
            _ => StoreError::Failed { path, why },
        }
    }
}
