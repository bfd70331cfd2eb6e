//! `ldmatrix`, `stmatrix`, `mma` and `wmma`: instructions on matrices spread over a warp's lanes.

pub(crate) mod group;
pub(crate) mod multiply;
pub(crate) mod narrow;
pub(crate) mod registers;
pub(crate) mod rows;
pub(crate) mod sum;
pub(crate) mod tile;

use crate::fault::{FaultKind, RawFault};
use crate::instructions::matrix::registers::Places;
use crate::instructions::matrix::rows::{rows, tile, transpose};
use crate::instructions::matrix::tile::FactorRegisters;
use crate::instrument::event::Wants;
use crate::machine::context::{Body, Tiers, fault};
use crate::machine::slot::Slot;
use crate::machine::{Op, Stop, Warp};
use lanework_ptx_ir::kernel::MemorySpace;
use lanework_ptx_ir::opcode::matrix::{self as opcode, ElementType, MatrixOp};

/// A matrix instruction with its registers; operations point to it with their immediate.
pub struct Plan {
    /// The operation.
    pub op: MatrixOp,
    /// Destinations.
    pub dst: Vec<Slot>,
    /// Sources, as [`MatrixOp`] orders them.
    pub src: Vec<Slot>,
    /// Whether its accesses are reported to the instrument.
    pub observed: bool,
    /// The positions of a product's elements.
    pub places: Places,
    /// The registers of A and B, if each register of the product holds parts of lines.
    pub factors: Option<[FactorRegisters; 2]>,
}

impl Plan {
    /// A plan for an instruction with these registers.
    pub fn new(op: MatrixOp, dst: Vec<Slot>, src: Vec<Slot>, observed: bool) -> Plan {
        let (places, factors) = match &op {
            MatrixOp::Multiply(this) if this.quads.is_none() => {
                (Places::new(this), Some(FactorRegisters::of(this)))
            }
            _ => (Places::default(), None),
        };
        Plan { op, dst, src, observed, places, factors }
    }
}

impl Plan {
    /// The handler; products gain from registers of 256 bits. Unless `computes`, products compute nothing.
    pub fn handler(&self, computes: bool) -> Tiers {
        match &self.op {
            MatrixOp::Multiply(_) | MatrixOp::Group(_) if computes => {
                Tiers::large::<Product<{ cfg!(target_arch = "x86_64") }>, Product<false>>()
            }
            _ => Tiers::cold::<Matrix>(),
        }
    }
}

/// The handler of matrix instructions other than products.
pub struct Matrix;

// SAFETY: `run` returns what `Op::next` gives, or null after the warp was stopped (`stop_at`, `fault`).
unsafe impl Body for Matrix {
    unsafe fn run(op: &Op, warp: &mut Warp) -> *const Op {
        // SAFETY: the immediate is the address of a plan that lives as long as the code; the assembler gave it slots of this
        // warp's register file (`Body::run`).
        unsafe {
            let plan = &*std::ptr::with_exposed_provenance::<Plan>(op.imm as usize);
            if warp.mask != u32::MAX {
                return partial(op, warp);
            }
            let done = match &plan.op {
                MatrixOp::Rows { .. } => rows(op, warp, plan),
                MatrixOp::Tile { .. } => tile(op, warp, plan),
                MatrixOp::Transpose => {
                    transpose(warp, plan);
                    Ok(())
                }
                // These have their own handler, unless they compute nothing.
                MatrixOp::Multiply(_) | MatrixOp::Group(_) => Ok(()),
            };
            match done {
                Ok(()) => op.leave(),
                Err(raw) => fault(warp, op, raw),
            }
        }
    }
}

/// The handler of products, on hosts with AVX2 or on any.
pub struct Product<const AVX2: bool>;

// SAFETY: `run` returns what `Op::next` gives, or null after the warp was stopped (`stop_at`, `fault`).
unsafe impl<const AVX2: bool> Body for Product<AVX2> {
    #[inline(always)]
    unsafe fn run(op: &Op, warp: &mut Warp) -> *const Op {
        // SAFETY: the immediate is the address of a plan that the code owns, whose slots are in this warp's register
        // file (`Body::run`).
        unsafe {
            let plan = &*std::ptr::with_exposed_provenance::<Plan>(op.imm as usize);
            if warp.mask != u32::MAX {
                return partial(op, warp);
            }
            match &plan.op {
                MatrixOp::Multiply(this) => match this.quads {
                    Some(by_rows) => multiply::multiply(warp, this, by_rows, plan),
                    None if this.a == ElementType::F64 => multiply::doubles(warp, this, plan),
                    None if this.a.is_integer() => multiply::integers(warp, this, plan),
                    None => multiply::floats::<AVX2>(warp, this, plan),
                },
                MatrixOp::Group(this) => {
                    if (*warp.context).hook.wants(Wants::COPIES)
                        && let Err(raw) = tell_operands(op, warp, this, plan)
                    {
                        return fault(warp, op, raw);
                    }
                    let done = match this.d {
                        ElementType::S32 => group::integers(warp, this, plan),
                        _ => group::floats::<AVX2>(warp, this, plan),
                    };
                    if let Err(raw) = done {
                        return fault(warp, op, raw);
                    }
                }
                _ => {}
            }
            op.leave()
        }
    }
}

/// Reports to the instrument which shared memory a warpgroup's product reads.
///
/// # Safety
/// The warp runs this plan's operation (as [`Body::run`] requires), so that the plan's
/// slots are in its register file.
#[cold]
unsafe fn tell_operands(
    op: &Op,
    warp: &mut Warp,
    this: &opcode::GroupMultiply,
    plan: &Plan,
) -> Result<(), RawFault> {
    // SAFETY: `op` was assembled for this warp's register file (`Body::run`), so its slots are in it; the worker owns
    // the context for as long as its warps run (`Body::run`).
    unsafe {
        let chunks = group::chunks_read(warp, this, plan)?;
        let accumulates = group::counts(warp, this, plan);
        let context = &mut *warp.context;
        let instruction = context.place(warp, op).instruction;
        let shared = context.shared;
        // Chunks outside of shared memory are a fault of the product itself.
        let inside = chunks.iter().all(|chunk| shared.holds(*chunk, *chunk, 16));
        if let (Some(instrument), true) = (context.instrument(Wants::COPIES), inside) {
            instrument.product_reads(warp, instruction, &chunks, accumulates);
        }
        Ok(())
    }
}

/// The fault of a warp that lacks lanes.
pub fn incomplete(warp: &Warp) -> RawFault {
    RawFault {
        kind: FaultKind::Unsupported,
        lane: warp.mask.trailing_zeros(),
        address: None,
        bytes: 0,
        space: MemorySpace::Generic,
        access: None,
        note: format!(
            "a matrix instruction needs all 32 lanes of its warp, {} are active",
            warp.mask.count_ones()
        ),
    }
}

#[cold]
fn partial(op: &Op, warp: &mut Warp) -> *const Op {
    if warp.may_align() {
        return warp.stop_at(op, Stop::Align);
    }
    let raw = incomplete(warp);
    fault(warp, op, raw)
}
