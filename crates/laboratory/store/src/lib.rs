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
mod error;
mod export;
mod filter;
mod read;
mod record;
mod samples;
mod schema;
mod store;
mod write;

pub use compare::{Side, Sides};
pub use error::{Result, StoreError};
pub use export::{Exported, Format, export};
pub use filter::{Filter, since};
pub use record::{
    EntryRow, KernelRow, NewEntry, NewPoint, NewRun, Outcome, PointRow, RunCommand, RunId, RunRow,
    Shown,
};
pub use schema::SCHEMA;
pub use store::{STORE_VARIABLE, Store, default_place, place};
