//! How a program finds the driver: functions by name, versions, errors in words, and the names of earlier versions.

pub mod older;
pub mod private;
pub mod procedures;
pub mod unsupported;
