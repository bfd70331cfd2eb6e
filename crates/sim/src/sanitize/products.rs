//! `wgmma`: the accumulator's registers are the product's until its group has been waited for.

use super::checker::Checker;
use super::order::{self, Tag};
use super::report::{Report, ReportKind};
use crate::ir::{Action, Inst, Kernel, MemoryKind, MemorySpace, Reg, Src};
use crate::matrix::ops::MatrixOp;
use crate::op::{Body, Op, Warp};

/// The registers that products of warpgroups accumulate in, and those that their values are moved to.
#[derive(Clone, Default)]
pub struct Accumulators {
    index: Vec<Option<u32>>,
    /// How many there are.
    pub count: usize,
    /// Whether the kernel has local memory, where code for debugging keeps what is in flight, too: the
    /// driver's compiler waits there by itself.
    keeps: bool,
}

/// What an instruction does with accumulators.
#[derive(Clone, Default)]
pub struct Use {
    /// A product starts in them.
    starts: Vec<u32>,
    /// One is moved, or something else is written to it.
    moved: Option<(Option<u32>, u32)>,
    /// They are used.
    used: Vec<u32>,
}

fn register(src: &Src) -> Option<Reg> {
    match src {
        Src::Reg(r) => Some(*r),
        _ => None,
    }
}

fn is_product(inst: &Inst) -> bool {
    matches!(inst.action, Action::Matrix(MatrixOp::Group(_)))
}

fn is_move(inst: &Inst) -> bool {
    matches!(inst.action, Action::Pure(_)) && inst.src.len() == 1
}

impl Accumulators {
    /// Finds them.
    pub fn find(kernel: &Kernel) -> Accumulators {
        let mut found = vec![false; kernel.registers.len()];
        for inst in kernel.insts.iter().filter(|inst| is_product(inst)) {
            inst.dst.iter().flatten().for_each(|r| found[*r as usize] = true);
        }
        if !found.contains(&true) {
            return Accumulators::default();
        }
        loop {
            let mut changed = false;
            for inst in kernel.insts.iter().filter(|inst| is_move(inst)) {
                if inst.src.iter().filter_map(register).any(|r| found[r as usize]) {
                    for r in inst.dst.iter().flatten() {
                        changed |= !std::mem::replace(&mut found[*r as usize], true);
                    }
                }
            }
            if !changed {
                break;
            }
        }
        let mut count = 0;
        let number = |found: bool| {
            found.then(|| {
                count += 1;
                count - 1
            })
        };
        let index: Vec<Option<u32>> = found.into_iter().map(number).collect();
        Accumulators { index, count: count as usize, keeps: kernel.local_bytes > 0 }
    }

    /// What an instruction does with them, if anything.
    pub fn of(&self, inst: &Inst) -> Option<Use> {
        if self.count == 0 {
            return None;
        }
        let number = |r: Reg| self.index[r as usize];
        let to: Vec<u32> = inst.dst.iter().flatten().filter_map(|r| number(*r)).collect();
        let kept = match &inst.action {
            Action::Memory(op) if matches!(op.kind, MemoryKind::Store) => {
                self.keeps && matches!(op.space, MemorySpace::Local | MemorySpace::Generic)
            }
            _ => false,
        };
        let from = if kept { &inst.src[..1] } else { &inst.src[..] };
        let from: Vec<u32> = from.iter().filter_map(register).filter_map(number).collect();
        let this = match inst {
            _ if is_product(inst) => Use { starts: to, ..Use::default() },
            _ if is_move(inst) => {
                let moved = to.first().map(|to| (from.first().copied(), *to));
                Use { moved, ..Use::default() }
            }
            _ => Use { used: from, ..Use::default() },
        };
        let nothing = this.starts.is_empty() && this.moved.is_none() && this.used.is_empty();
        (!nothing).then_some(this)
    }
}

/// Tells checks of an instruction with accumulators; the immediate is the address of a [`Use`].
pub struct Accumulate;

impl Body for Accumulate {
    unsafe fn run(op: &Op, warp: &mut Warp) -> *const Op {
        // SAFETY: the immediate is the address of a use that lives as long as the code; the context
        // outlives the warp's run.
        unsafe {
            let this = &*std::ptr::with_exposed_provenance::<Use>(op.imm as usize);
            let context = &mut *warp.context;
            let instruction = context.place(warp, op).instruction;
            if let Some(checks) = &mut context.checks {
                checks.accumulate(warp, instruction, this);
            }
            op.next(warp)
        }
    }
}

/// The products of a block's warps that are under way.
pub struct Products {
    accumulators: usize,
    /// By warp and accumulator: the group that must be waited for, from 1, and the product.
    flying: Vec<(u32, Tag)>,
    committed: Vec<u32>,
}

impl Products {
    /// For blocks of this many warps.
    pub fn new(warps: usize, accumulators: usize) -> Products {
        let flying = vec![(0, 0); warps * accumulators];
        Products { accumulators, flying, committed: vec![0; warps] }
    }

    /// A block starts.
    pub fn start(&mut self) {
        self.flying.fill((0, 0));
        self.committed.fill(0);
    }
}

impl Checker {
    fn accumulate(&mut self, warp: &Warp, instruction: u32, this: &Use) {
        let w = warp.index as usize;
        let first = w * self.products.accumulators;
        if !this.starts.is_empty() {
            let tag = order::tag(self.order.segment_of(warp.index), instruction);
            let group = self.products.committed[w] + 1;
            for r in &this.starts {
                self.products.flying[first + *r as usize] = (group, tag);
            }
        }
        if let Some((from, to)) = this.moved {
            let value = from.map_or((0, 0), |from| self.products.flying[first + from as usize]);
            self.products.flying[first + to as usize] = value;
        }
        for r in &this.used {
            let (group, tag) = self.products.flying[first + *r as usize];
            let (kind, other) = (ReportKind::AsyncOrder, order::instruction(tag));
            if group == 0 || self.again(kind, instruction, other) {
                continue;
            }
            let lane = warp.mask.trailing_zeros() & 31;
            let report = Report {
                message: "an accumulator is used while its `wgmma` may still be writing it"
                    .to_owned(),
                help: "commit the product and wait for its group (`wgmma.wait_group`) first"
                    .to_owned(),
                other: Some(self.other(tag)),
                ..self.new_report(kind, warp.index, lane, instruction)
            };
            self.keep(instruction, other, report);
        }
    }

    /// `wgmma.commit_group`.
    pub fn product_commit(&mut self, w: usize) {
        self.products.committed[w] += 1;
    }

    /// `wgmma.wait_group`: all groups are done but the latest `keep`.
    pub fn product_wait(&mut self, w: usize, keep: u32) {
        let done = self.products.committed[w].saturating_sub(keep);
        let first = w * self.products.accumulators;
        let mine = &mut self.products.flying[first..first + self.products.accumulators];
        mine.iter_mut().filter(|(group, _)| *group <= done).for_each(|flying| *flying = (0, 0));
    }
}
