//! Memory that a kernel reads or writes: an operand's own, or a part of the workspace that one step of the plan fills and another reads.

use crate::workspace::{Part, Scratch};
use lanework::{Storable, View, ViewMut};

/// Where a factor lies.
#[derive(Clone, Copy)]
pub(crate) enum Source<'a> {
    /// In a buffer of the caller's.
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

    /// What its address is, as far as alignment goes: a part of the workspace is aligned to 256 bytes.
    pub fn address(self) -> u64 {
        match self {
            Source::Memory(view) => view.address(),
            Source::Scratch(_) => 0,
        }
    }
}

/// Where results go.
pub(crate) enum Destination<'a> {
    /// To a buffer of the caller's.
    Memory(ViewMut<'a, u8>),
    /// To the workspace.
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

    /// As of [`Source`].
    pub fn address(&self) -> u64 {
        match self {
            Destination::Memory(view) => view.address(),
            Destination::Scratch(_) => 0,
        }
    }

    /// The same once more.
    ///
    /// # Safety
    /// As of [`ViewMut::again`].
    pub unsafe fn again(&self) -> Destination<'a> {
        match self {
            // SAFETY: the caller's.
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
