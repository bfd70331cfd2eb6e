//! Memory that a kernel reads: an operand's own, or a part of the workspace that an earlier step of the plan fills.

use crate::workspace::{Part, Scratch};
use lanework::{Storable, View};

/// Where an operand lies.
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

impl std::fmt::Debug for Source<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Source::Memory(view) => view.fmt(f),
            Source::Scratch(_) => f.write_str("workspace"),
        }
    }
}
