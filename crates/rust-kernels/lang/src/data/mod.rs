//! The values of the kernel language: scalars, and tuples, arrays, `#[device]` structs and enums of
//! them.
//!
//! A value is a sequence of scalars, its *leaves*, each with a type and an offset in memory. Each
//! type implements splitting into leaves and assembly from them ([`Data`]). Operations (registers,
//! moves, selections, loads, stores, parameters) are written once, on leaves (`operations`). A
//! value's [`Kind`] determines what a leaf is while staging: a handle, a variable, or a place in
//! memory.

pub(crate) mod bounds_check;
pub(crate) mod convert;
pub(crate) mod generic;
pub(crate) mod handles;
pub(crate) mod leaves;
pub(crate) mod names;
pub(crate) mod operations;
pub(crate) mod place;
pub(crate) mod slices;
pub(crate) mod tuples;
pub(crate) mod variable;
