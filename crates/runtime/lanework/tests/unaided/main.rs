//! Kernels that Rust programmers wrote as ordinary Rust before reading what kernels support, as written. Each compares with its own
//! reference on the host.
//!
//! Of the first dozen (`bits` to `windows` below), two are not here: one stores references in a struct and an enum in a buffer, the other
//! implements `Add` by `+=`. Some types there have other names, and in `scan` the bound of the host's generic function is corrected to
//! `lanework::Storable`.
//!
//! Of the second dozen (`intervals`, `run_length`, `fractals`, `caches`, `checksums`, `chains`, `rays`, `heaps`, `opcodes`, `neighbors`),
//! two are not here: one uses `char`, the other a trait that does not exist. Of the third (`encoder`, `ledger`, `semirings`, `interpreter`,
//! `clerks`, `fixed_point`, `dates`, `lookup`, `calculator`, `life`, `centers`), one is not here: it passes functions as `fn(&T) -> u8`.

#![allow(clippy::all, unused_macros, dead_code, unused_variables)]

mod bits;
mod caches;
mod calculator;
mod centers;
mod chains;
mod checksums;
mod clerks;
mod dates;
mod encoder;
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
mod neighbors;
mod opcodes;
mod quantizer;
mod rays;
mod run_length;
mod scan;
mod semirings;
mod small;
mod softmax;
mod utf8;
mod windows;
