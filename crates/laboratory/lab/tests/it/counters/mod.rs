//! The emulator's counters, against an H200's and in the documentation.

mod hardware;
mod page;
