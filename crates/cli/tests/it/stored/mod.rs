//! Commands that read or write stored runs.

mod compare;
mod history;
#[cfg(feature = "report")]
mod report;
