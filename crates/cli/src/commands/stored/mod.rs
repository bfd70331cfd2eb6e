//! Commands that show stored runs.

#[cfg(feature = "report")]
mod gather;
#[cfg(feature = "history")]
pub mod history;
#[cfg(feature = "report")]
pub mod report;
