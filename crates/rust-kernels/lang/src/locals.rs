//! Blocks of local memory that hold the arrays of variables.

use crate::value::Register;
use lanework_ptx::ScalarType;
use std::collections::HashMap;

/// The arrays of a kernel that are indexed at run time.
#[derive(Default)]
pub(crate) struct Locals {
    /// The home of every variable in local memory: block, offset and type.
    pub homes: HashMap<Register, (usize, u64, ScalarType)>,
    /// The blocks of local memory that hold variables.
    pub blocks: Vec<Block>,
    /// The registers that hold the addresses of symbols.
    pub addresses: HashMap<usize, Register>,
    /// Bytes of constant memory taken.
    pub constant_bytes: u64,
}

/// A block of local memory.
pub(crate) struct Block {
    /// Its symbol in the builder.
    pub symbol: usize,
    /// Its bytes.
    pub bytes: u64,
    /// The block that took over its variables, and where in it they begin.
    pub moved: Option<(usize, u64)>,
}
