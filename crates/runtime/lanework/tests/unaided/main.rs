//! Kernels that a Rust programmer wrote as ordinary Rust before reading what kernels support, as written.
//!
//! Two of twelve are not here: one stores references in a struct and an enum in a buffer, the other implements `Add` by `+=`. Some
//! types have other names. In `scan`, the bound of the host's generic function is corrected to `lanework::Storable`.
//! `intervals` is from a second dozen by another programmer.

#![allow(clippy::all, unused_macros)]

mod bits;
mod hash;
mod intervals;
mod lines;
mod machine;
mod macros;
mod quantizer;
mod scan;
mod small;
mod softmax;
mod utf8;
mod windows;
