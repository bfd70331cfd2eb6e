//! Tests of the debugger, by its commands and by its recording.

mod adapter;
mod cases;
mod common;
mod compilers;
mod launches;
mod replay;
mod units;
