//! Tests of the debugger, by its commands and by its recording.

mod cases;
mod common;
mod replay;
