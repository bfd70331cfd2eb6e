//! Entry points: functions by name, versions, private tables, and older names.

pub mod exports;
pub mod failures;
pub mod host_findings;
pub mod memory_names;
pub mod nvtx;
pub mod older;
pub mod private;
pub mod procedures;
pub mod unsupported;
