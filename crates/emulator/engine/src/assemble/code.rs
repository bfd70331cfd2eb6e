//! What assembly makes: the operations of a kernel, and what they need beside them.

use crate::asynchrony;
use crate::fuse::fma::FmaSequence;
use crate::fuse::fusion::Fusion;
use crate::insertion::Plan as Insertions;
use crate::machine::Op;
use crate::matrix::plan::Plan;
use crate::shape::{Form, Shape};
use crate::site::Site;
use crate::slot::Slot;
use crate::texture;
use lanework_ptx_ir::kernel::SpecialRegister;
use std::sync::Arc;

/// Something that is written into the register file before a kernel runs.
#[derive(Clone, Copy, Debug)]
pub enum Prefill {
    /// A special register.
    Special(SpecialRegister),
    /// A constant in scalar form.
    Constant(u64),
    /// A constant predicate.
    Truth(bool),
}

/// An assembled kernel.
pub struct Code {
    /// Operations; the last never falls through.
    pub ops: Vec<Op>,
    /// The origin of each operation.
    pub origin_of: Vec<u32>,
    /// What the operands of each operation are.
    pub shapes: Vec<Shape>,
    /// Bytes of one warp's register file.
    pub register_bytes: usize,
    /// The registers in it, each with its form.
    pub reserved: Vec<(Slot, Form)>,
    /// What the register file starts with.
    pub prefill: Vec<(Slot, Prefill)>,
    /// Memory instructions, as they start.
    pub sites: Vec<Site>,
    /// Where each register lies; [`NO_SLOT`](crate::slot::NO_SLOT) for one that nothing uses.
    pub slots: Vec<Slot>,
    /// Fused multiply-add sequences that one operation runs (superinstructions).
    pub chains: Vec<Box<FmaSequence>>,
    /// Where handlers run several operations, in order.
    pub fusions: Vec<Fusion>,
    /// The instructions of each basic block as pairs of both, in the order of blocks, when counting.
    pub runs: Vec<(u32, u32)>,
    /// The operation that each basic block starts with and the one that counts it, when counting.
    pub visits: Vec<(u32, u32)>,
    /// Matrix instructions; operations hold their addresses.
    pub plans: Vec<Arc<Plan>>,
    /// What the instrument has inserted; operations hold addresses in it.
    pub plan: Option<Arc<dyn Insertions>>,
    /// Asynchronous instructions, likewise.
    pub async_plans: Vec<Arc<asynchrony::plan::Plan>>,
    /// Texture instructions; likewise.
    pub texture_plans: Vec<Arc<texture::plan::Plan>>,
}

// SAFETY: the only pointers inside are the empty regions of sites, which workers replace in copies.
unsafe impl Send for Code {}
// SAFETY: see `Send`: shared code is only read.
unsafe impl Sync for Code {}
