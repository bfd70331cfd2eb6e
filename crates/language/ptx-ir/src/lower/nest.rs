//! What is known of functions that are called over the stack; see [`super::recursion`].

use super::symbol::Symbol;
use crate::kernel::*;
use lanework_ptx::{Function, Variable};
use std::collections::HashSet;

/// Bytes of a frame before anything else: the number of the call to return to.
pub(super) const HEAD: u32 = 16;

/// A nest, and what is known of it so far.
pub(super) struct Nest<'m> {
    pub(super) members: HashSet<&'m str>,
    /// The base of the current frame: a local address.
    pub(super) sp: Reg,
    /// The functions that are called, the one from outside first.
    pub(super) bodies: Vec<Body<'m>>,
    /// The calls inside; the number of one is its index plus 1.
    pub(super) calls: Vec<CallSite>,
    /// The body that is being lowered.
    pub(super) current: usize,
    /// Its instructions.
    pub(super) first: usize,
    pub(super) last: usize,
}

/// A function of a nest.
pub(super) struct Body<'m> {
    pub(super) function: &'m Function,
    pub(super) entry: Label,
    pub(super) epilogue: Label,
    pub(super) params: Vec<Symbol>,
    pub(super) returns: Vec<Symbol>,
    /// Bytes of its frame so far, and their alignment.
    pub(super) bytes: u32,
    pub(super) align: u32,
    /// The instructions of its way back, and the registers that it returns values in.
    pub(super) dispatch: (usize, usize),
    pub(super) results: Vec<Reg>,
}

/// A call inside a nest.
pub(super) struct CallSite {
    /// The body that it is in, and the one that it calls.
    pub(super) caller: usize,
    pub(super) callee: usize,
    pub(super) back: Label,
    /// Where the caller's registers are saved and restored: instructions that do nothing until then.
    pub(super) save: usize,
    pub(super) restore: usize,
    /// Results that arrive in registers, which are not restored.
    pub(super) keep: Vec<Reg>,
}

/// A constant that is the size of a frame: of this nest and body, negated or not.
pub(super) struct FrameSize {
    pub(super) inst: usize,
    pub(super) nest: usize,
    pub(super) body: usize,
    /// Added to the size, which is negated first if so.
    pub(super) offset: u64,
    pub(super) negated: bool,
}

impl Body<'_> {
    /// Makes room for a variable in the frame; gives its offset.
    pub(super) fn place(&mut self, variable: &Variable) -> u32 {
        let align = variable.alignment().clamp(1, 1024).next_power_of_two();
        self.align = self.align.max(align);
        let bytes = variable.size().min(1 << 30) as u32;
        let at = self.bytes.min(1 << 30).next_multiple_of(align);
        self.bytes = at.saturating_add(bytes);
        at
    }

    /// Makes room for a saved register.
    pub(super) fn place_register(&mut self) -> u32 {
        let at = self.bytes.min(1 << 30).next_multiple_of(8);
        self.bytes = at + 8;
        at
    }
}
