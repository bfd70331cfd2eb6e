//! The store: the history of measured and counted runs in one SQLite file, with every raw sample.
//!
//! A run is one command: a climb, a sweep, a benchmark. It has points, one per problem, each written in a transaction of
//! its own when it is done, so that an interrupted run leaves its finished points; and a point has entries, one per
//! kernel. Times and counts are entries of different kinds and are never shown as one.
//!
//! Writers of several processes take turns (write-ahead log, busy timeout). The file says which program and which
//! version of the schema it belongs to; older ones are migrated when they are opened, newer ones and files of other
//! programs are refused before SQLite touches them. Nothing here prints.

mod compare;
mod csv;
mod error;
mod export;
mod filter;
mod place;
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
pub use place::{STORE_VARIABLE, default_place, place};
pub use record::{
    EntryRow, KernelRow, Kind, NewEntry, NewPoint, NewRun, Outcome, PointRow, RunId, RunRow, Shown,
};
pub use schema::SCHEMA;
pub use store::Store;
