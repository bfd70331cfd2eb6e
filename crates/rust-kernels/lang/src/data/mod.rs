//! The values of the kernel language: scalars, and tuples, arrays, `#[device]` structs and enums of
//! them.
//!
//! A value is a sequence of scalars, its *leaves*, each with a type and an offset in memory. A type
//! says how to take its leaves apart and put them together ([`Data`]); what is done with them
//! (registers, moves, selections, loads, stores, parameters) is written once, on the leaves
//! (`operations`). What a leaf is while staging is the value's [`Kind`]: a handle, a variable, or
//! a place in memory.

pub(crate) mod bounds_check;
pub(crate) mod compare;
pub(crate) mod convert;
pub(crate) mod leaves;
pub(crate) mod operations;
pub(crate) mod place;
pub(crate) mod receive;
pub(crate) mod tuples;
pub(crate) mod variable;
