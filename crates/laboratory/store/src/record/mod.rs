//! The records of the store: runs, points, entries.

mod new;
mod rows;
mod words;

pub use new::{NewEntry, NewPoint, NewRun};
pub use rows::{EntryRow, KernelRow, PointRow, RunRow};
pub use words::{Outcome, RunCommand, RunId, Shown};
