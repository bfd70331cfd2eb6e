//! Memory of a kernel operand: a caller's buffer, or a workspace part that one step of the plan fills and another reads.

use crate::workspace::{Part, Scratch};
use lanework::{Storable, View, ViewMut};

/// Memory of a factor.
#[derive(Clone, Copy)]
pub(crate) enum Source<'a> {
    /// In a caller's buffer.
    Memory(View<'a, u8>),
    /// In the workspace.
    Scratch(Part<u8>),
}

impl<'a> Source<'a> {
    /// The memory, once the workspace is reserved.
    pub fn elements<T: Storable>(self, scratch: &Scratch) -> View<'a, T> {
        match self {
            Source::Memory(view) => view.cast(),
            Source::Scratch(part) => View::from(scratch.view(part)).cast(),
        }
    }

    /// The address, for alignment checks: workspace parts are aligned to 256 bytes.
    pub fn address(self) -> u64 {
        match self {
            Source::Memory(view) => view.address(),
            Source::Scratch(_) => 0,
        }
    }
}

/// Memory of the results.
pub(crate) enum Destination<'a> {
    /// In a caller's buffer.
    Memory(ViewMut<'a, u8>),
    /// In the workspace.
    Scratch(Part<u8>),
}

impl<'a> Destination<'a> {
    /// The memory, once the workspace is reserved.
    pub fn elements<T: Storable>(self, scratch: &Scratch) -> ViewMut<'a, T> {
        match self {
            Destination::Memory(view) => view.cast(),
            Destination::Scratch(part) => scratch.view(part).cast(),
        }
    }

    /// As [`Source::address`].
    pub fn address(&self) -> u64 {
        match self {
            Destination::Memory(view) => view.address(),
            Destination::Scratch(_) => 0,
        }
    }

    /// Duplicates the mutable view.
    ///
    /// # Safety
    /// As [`ViewMut::again`].
    pub unsafe fn again(&self) -> Destination<'a> {
        match self {
            // SAFETY: this function has the contract of `ViewMut::again`, which it calls once, for the one view it holds.
            Destination::Memory(view) => Destination::Memory(unsafe { view.again() }),
            Destination::Scratch(part) => Destination::Scratch(*part),
        }
    }
}

impl std::fmt::Debug for Source<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Source::Memory(view) => view.fmt(f),
            Source::Scratch(_) => f.write_str("workspace"),
        }
    }
}

impl std::fmt::Debug for Destination<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Destination::Memory(view) => view.fmt(f),
            Destination::Scratch(_) => f.write_str("workspace"),
        }
    }
}
