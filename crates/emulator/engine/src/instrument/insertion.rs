//! Operations that an instrument inserts before instructions, with the data that they refer to.

use crate::machine::handler::Tiers;
use std::any::Any;

/// An operation that an instrument has inserted.
pub struct Inserted {
    /// The handler.
    pub tiers: Tiers,
    /// Its immediate: mostly the address of data that lives as long as the [`Plan`].
    pub imm: u64,
}

/// The operation inserted before a memory instruction.
pub enum BeforeAccess {
    /// The instrument's general operation.
    General,
    /// A specialized one in place of the general one, with the same operands and immediate.
    Special(Tiers),
    /// A specialized one, with the operands of the general one; the immediate is the address of data.
    Own(Inserted),
    /// None: an earlier operation has reported the access.
    Nothing,
}

/// The operations that an instrument inserts into a kernel, and the data that they refer to.
///
/// # Safety
/// The engine runs the operations without a check. For each [`Inserted`], the handlers must accept an operation with this
/// immediate: if it is an address, the data must live at that address for as long as the plan and have the type that the
/// handlers take it for. Handlers in [`BeforeAccess::Special`] and [`BeforeAccess::Own`] must accept the operands that
/// [`Instrument::access_operation`](crate::instrument::Instrument::access_operation) lists.
pub unsafe trait Plan: Any + Send + Sync {
    /// The operations inserted before an instruction, by its index in the kernel.
    fn before(&self, instruction: usize) -> Vec<Inserted>;
    /// The operation inserted before a memory instruction; `scalar` is true if its address is in scalar form.
    fn before_access(&self, instruction: usize, scalar: bool) -> BeforeAccess;
    /// The addresses of its data: every immediate of an operation of its own is one of them.
    fn addresses(&self) -> Vec<u64>;
}
