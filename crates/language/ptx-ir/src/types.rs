//! Properties of registers and memory that opcodes and instructions share.

/// How a register is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Width {
    /// One bit per lane.
    Predicate,
    /// A 32-bit word per lane, or less.
    Word,
    /// A 64-bit word per lane.
    Wide,
}

/// Where an access goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MemorySpace {
    /// By the address's window.
    Generic,
    /// Global and constant memory.
    Global,
    /// Constant memory: global addresses that must not be written.
    Constant,
    /// The block's shared memory, by offset.
    Shared,
    /// The thread's local memory, by offset.
    Local,
    /// The kernel's parameters, by offset.
    Parameter,
}

/// The uniformity class of a register across lanes, from most to least known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum UniformityClass {
    /// Never written.
    Undefined,
    /// The same in all lanes.
    Uniform,
    /// The same in lanes 0-15, and in lanes 16-31.
    Halves,
    /// In each half, the first lane's value plus a stride per lane.
    Affine,
    /// Anything.
    Varying,
}

/// How an instruction treats the NaN of f32 arithmetic, for the pass `canonicalize_nans`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NanUse {
    /// The bits of an operand may affect the result.
    Observes,
    /// The kind of NaN of an operand changes nothing.
    Ignores,
    /// Arithmetic: ignores the NaN of operands and produces the host's NaN.
    Produces,
    /// It copies 32 bits.
    Copies,
}

/// An address operand: its space and its offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct AddressOperand {
    /// The state space.
    pub space: MemorySpace,
    /// Bytes added.
    pub offset: i64,
}
