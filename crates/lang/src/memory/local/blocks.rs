//! Blocks of local memory that hold the arrays of variables.

use crate::value::{Register, Value};
use lanework_ptx::ScalarType;
use std::collections::HashMap;

/// The arrays of a kernel that are indexed at run time.
#[derive(Default)]
pub(crate) struct Locals {
    /// The home of every variable in local memory: block, offset and type.
    pub(super) homes: HashMap<Register, (usize, u64, ScalarType)>,
    /// The blocks of local memory that hold variables.
    pub(super) blocks: Vec<Block>,
    /// The registers that hold the addresses of symbols.
    pub(super) addresses: HashMap<usize, Register>,
    /// Bytes of constant memory taken.
    pub(super) constant_bytes: u64,
}

/// A block of local memory.
pub(super) struct Block {
    /// Its symbol in the builder.
    pub symbol: usize,
    /// Its bytes.
    pub bytes: u64,
    /// The block that took over its variables, and where in it they begin.
    pub moved: Option<(usize, u64)>,
}

/// One scalar of an array: its value or its variable's register, its type, its offset in memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cell {
    pub(super) value: Value,
    pub(super) ty: ScalarType,
    pub(super) offset: u64,
}
