//! Kernels that Rust programmers wrote as ordinary Rust before reading what kernels support, as written. Each compares with its own
//! reference on the host.
//!
//! Of the first dozen (`bits` to `windows` below), two are not here: one stores references in a struct and an enum in a buffer, the other
//! implements `Add` by `+=`. Some types have other names, in all dozens (the workspace limits how often a name is used), and in `scan` the bound of the host's generic function is corrected to
//! `lanework::Storable`.
//!
//! Of the second dozen (`characters`, `intervals`, `run_length`, `fractals`, `caches`, `checksums`, `chains`, `rays`, `heaps`, `opcodes`,
//! `neighbors`), one is not here: its host code names a trait that does not exist. The third dozen is complete: `encoder`, `ledger`,
//! `semirings`, `interpreter`, `clerks`, `fixed_point`, `dates`, `lookup`, `calculator`, `life`, `filters`, `centers`.
//!
//! The fourth dozen is complete: `accounts`, `tokens`, `tables`, `shortest`, `stack_machine`, `mandelbrot`,
//! `calendar`, `best`, `experiments`, `packets`, `sparse`, `chess`.

#![allow(clippy::all, unused_macros, dead_code, unused_variables)]

mod accounts;
mod best;
mod bits;
mod caches;
mod calculator;
mod calendar;
mod centers;
mod chains;
mod characters;
mod checksums;
mod chess;
mod clerks;
mod dates;
mod encoder;
mod experiments;
mod filters;
mod fixed_point;
mod fractals;
mod hash;
mod heaps;
mod interpreter;
mod intervals;
mod ledger;
mod life;
mod lines;
mod lookup;
mod machine;
mod macros;
mod mandelbrot;
mod neighbors;
mod opcodes;
mod packets;
mod quantizer;
mod rays;
mod run_length;
mod scan;
mod semirings;
mod shortest;
mod small;
mod softmax;
mod sparse;
mod stack_machine;
mod tables;
mod tokens;
mod utf8;
mod windows;
