//! Integration tests of the PTX crate: parsing, printing, validation.

mod common;
mod real;
mod robust;
mod round_trip;
mod samples;
mod tensor_memory;
