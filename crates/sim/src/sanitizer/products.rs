//! `wgmma`: registers are the product's until its group has been waited for, and the product sees what
//! threads wrote to them only behind `wgmma.fence`.
//!
//! A GPU reads and writes the registers of a product while its warps go on: until the wait, accumulators
//! may be touched only by further products, and registers that hold A may only be read. The emulator
//! does products when they are issued, so that a run does not show the error; these books do. Compilers
//! put copies (`mov`) anywhere and remove them later: copies are followed, and are no error themselves.

use super::checker::Checker;
use super::instrument::Sanitizer;
use super::operands::Reading;
use super::order::{self, Tag};
use super::report::{Report, ReportKind};
use crate::engine::op::{Body, Op, Warp};
use lanework_ptx_ir::dataflow::{Direction, Facts, VariableAnalysis, solve_variables};
use lanework_ptx_ir::kernel::{Action, Inst, Kernel, MemoryKind, MemorySpace, Reg, Src};
use lanework_ptx_ir::opcode::Alu;
use lanework_ptx_ir::opcode::matrix::MatrixOp;

/// The registers that products of warpgroups read and write, and those that are copied from or to them.
#[derive(Clone, Default)]
pub struct Accumulators {
    index: Vec<Option<u32>>,
    /// How many there are.
    pub count: usize,
    /// Whether the kernel has local memory, where code for debugging keeps what is in flight, too: the
    /// driver's compiler waits there by itself.
    keeps: bool,
}

/// What an instruction does with these registers.
#[derive(Clone)]
pub enum Use {
    /// A product starts: its accumulators, and the registers that hold A.
    Starts(Vec<u32>, Vec<u32>),
    /// Values are moved from some to others.
    Copies(Vec<u32>, Vec<u32>),
    /// They are read, and written; the latter needs a fence before a product, unless it is `kept`.
    Ordinary {
        /// Sources.
        reads: Vec<u32>,
        /// Destinations.
        writes: Vec<u32>,
        /// What is written comes back from local memory, where code for debugging keeps everything.
        kept: bool,
    },
}

fn register(src: &Src) -> Option<Reg> {
    match src {
        Src::Reg(r) => Some(*r),
        _ => None,
    }
}

fn is_copy(inst: &Inst) -> bool {
    matches!(inst.action, Action::Alu(Alu::Move(_)))
}

/// The accumulators and the registers with A of a product.
fn of_product(inst: &Inst) -> Option<(impl Iterator<Item = Reg>, impl Iterator<Item = Reg>)> {
    let Action::Matrix(MatrixOp::Group(this)) = &inst.action else { return None };
    let factors = if this.registers { &inst.src[2..6] } else { &[] };
    Some((inst.dst.iter().flatten().copied(), factors.iter().filter_map(register)))
}

/// Which registers are connected by copies, either way, to those of products.
struct Connected;

impl VariableAnalysis for Connected {
    type Fact = bool;
    const DIRECTION: Direction = Direction::Forward;

    fn transfer(&mut self, _: usize, inst: &Inst, facts: &mut Facts<bool>) {
        let mut found = false;
        self.inputs(inst, &mut |r| found |= *facts.get(r));
        if found {
            self.inputs(inst, &mut |r| facts.meet(r, &true));
        }
    }

    fn inputs(&self, inst: &Inst, each: &mut dyn FnMut(usize)) {
        if is_copy(inst) {
            let from = inst.src.iter().filter_map(register);
            from.chain(inst.writes()).for_each(|r| each(r as usize));
        }
    }
}

impl Accumulators {
    /// Finds them.
    pub fn find(kernel: &Kernel) -> Accumulators {
        let mut found = vec![false; kernel.registers.len()];
        for (accumulators, factors) in kernel.insts.iter().filter_map(of_product) {
            accumulators.chain(factors).for_each(|r| found[r as usize] = true);
        }
        if !found.contains(&true) {
            return Accumulators::default();
        }
        let found = solve_variables(kernel, &mut Connected, found);
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
        if let Some((accumulators, factors)) = of_product(inst) {
            let [accumulators, factors] =
                [accumulators.filter_map(number).collect(), factors.filter_map(number).collect()];
            return Some(Use::Starts(accumulators, factors));
        }
        let to: Vec<u32> = inst.dst.iter().flatten().filter_map(|r| number(*r)).collect();
        let local = |space| matches!(space, MemorySpace::Local | MemorySpace::Generic);
        let (stores, loads) = match &inst.action {
            Action::Memory(op) if self.keeps && local(op.space) => {
                (matches!(op.kind, MemoryKind::Store), matches!(op.kind, MemoryKind::Load))
            }
            _ => (false, false),
        };
        let from = if stores { &inst.src[..1] } else { &inst.src[..] };
        let from: Vec<u32> = from.iter().filter_map(register).filter_map(number).collect();
        if to.is_empty() && from.is_empty() {
            return None;
        }
        Some(match is_copy(inst) {
            true => Use::Copies(from, to),
            false => Use::Ordinary { reads: from, writes: to, kept: loads },
        })
    }
}

/// Tells checks of an instruction with these registers; the immediate is the address of a [`Use`].
pub struct Accumulate;

impl Body for Accumulate {
    unsafe fn run(op: &Op, warp: &mut Warp) -> *const Op {
        // SAFETY: the immediate is the address of a use that lives as long as the code; the context
        // outlives the warp's run.
        unsafe {
            let this = &*std::ptr::with_exposed_provenance::<Use>(op.imm as usize);
            let context = &mut *warp.context;
            let instruction = context.place(warp, op).instruction;
            if let Some(checks) = &mut context.hook.typed::<Sanitizer>().checker {
                checks.accumulate(warp, instruction, this);
            }
            op.next(warp)
        }
    }
}

/// What is known of one register of one warp.
#[derive(Clone, Copy, Default)]
struct Held {
    /// The group that must be waited for, from 1; 0 for none.
    group: u32,
    /// The product that has the register.
    product: Tag,
    /// Whether it accumulates there, not only reads A from it.
    accumulates: bool,
    /// What wrote the register last, if it was no product, and the fences that the warp had run then.
    writer: Option<(Tag, u32)>,
}

/// The products of a block's warps that are under way.
pub struct Products {
    accumulators: usize,
    /// By warp and register.
    held: Vec<Held>,
    committed: Vec<u32>,
    fences: Vec<u32>,
    /// By warp.
    pub(super) reading: Vec<Vec<Reading>>,
    /// By a warpgroup's first warp: what the products that were waited for hand over.
    pub(super) have_read: Vec<Vec<u32>>,
}

impl Products {
    /// For blocks of this many warps.
    pub fn new(warps: usize, accumulators: usize) -> Products {
        let held = vec![Held::default(); warps * accumulators];
        let (committed, fences) = (vec![0; warps], vec![0; warps]);
        let reading = (0..warps).map(|_| Vec::new()).collect();
        let have_read = vec![Vec::new(); warps];
        Products { accumulators, held, committed, fences, reading, have_read }
    }

    /// A block starts.
    pub fn start(&mut self) {
        self.held.fill(Held::default());
        self.committed.fill(0);
        self.fences.fill(0);
        self.reading.iter_mut().for_each(Vec::clear);
        self.have_read.iter_mut().for_each(Vec::clear);
    }

    /// The group that a warp's products belong to, from 1.
    pub(super) fn next_group(&self, w: usize) -> u32 {
        self.committed[w] + 1
    }

    fn of(&mut self, warp: usize, register: u32) -> &mut Held {
        &mut self.held[warp * self.accumulators + register as usize]
    }
}

impl Checker {
    fn accumulate(&mut self, warp: &Warp, instruction: u32, this: &Use) {
        let w = self.slot(warp.index);
        let tag = order::tag(self.order.segment_of(warp.index), instruction);
        match this {
            Use::Starts(accumulators, factors) => {
                self.product_starts(warp, tag, [accumulators, factors]);
            }
            Use::Copies(from, to) => {
                let mut value = Held::default();
                for r in from {
                    let held = *self.products.of(w, *r);
                    value.writer = value.writer.max(held.writer);
                    if held.accumulates && held.group > value.group {
                        value = Held { writer: value.writer, ..held };
                    }
                }
                // Other lanes may keep what is in flight there.
                let nothing = value.group == 0 && value.writer.is_none();
                if !nothing || warp.mask == warp.live {
                    to.iter().for_each(|r| *self.products.of(w, *r) = value);
                }
            }
            Use::Ordinary { reads, writes, kept } => {
                for r in reads {
                    let held = *self.products.of(w, *r);
                    if held.accumulates {
                        self.touched_early(warp, instruction, held, "read");
                    }
                }
                let lane = warp.mask.trailing_zeros() & 31;
                let now = (order::with_lane(tag, lane), self.products.fences[w]);
                for r in writes {
                    let held = *self.products.of(w, *r);
                    self.touched_early(warp, instruction, held, "written");
                    self.products.of(w, *r).writer = (!kept).then_some(now);
                }
            }
        }
    }

    fn product_starts(&mut self, warp: &Warp, tag: Tag, [accumulators, factors]: [&[u32]; 2]) {
        let (w, instruction) = (self.slot(warp.index), order::instruction(tag));
        let fences = self.products.fences[w];
        if fences == 0 {
            let message = "the warpgroup's first product has no `wgmma.fence` before it".to_owned();
            self.product_report(warp, instruction, None, message);
        }
        for (registers, accumulates) in [(factors, false), (accumulators, true)] {
            for r in registers {
                let held = *self.products.of(w, *r);
                if held.accumulates != accumulates {
                    let verb = if accumulates { "written" } else { "read" };
                    self.touched_early(warp, instruction, held, verb);
                }
                if let Some((writer, then)) = held.writer
                    && then == fences
                    && fences > 0
                {
                    let message =
                        "a product uses a register that was written with no `wgmma.fence` between"
                            .to_owned();
                    self.product_report(warp, instruction, Some(writer), message);
                }
                let group = self.products.next_group(w);
                let writer = if accumulates { None } else { held.writer };
                *self.products.of(w, *r) = Held { group, product: tag, accumulates, writer };
            }
        }
    }

    fn touched_early(&mut self, warp: &Warp, instruction: u32, held: Held, verb: &str) {
        if held.group == 0 {
            return;
        }
        let product = self.other(held.product).instruction;
        let message =
            format!("a register of `{product}` is {verb} before the product is waited for");
        self.product_report(warp, instruction, Some(held.product), message);
    }

    fn product_report(
        &mut self,
        warp: &Warp,
        instruction: u32,
        with: Option<Tag>,
        message: String,
    ) {
        let (kind, other) = (ReportKind::AsyncOrder, with.map_or(0, order::instruction));
        if self.again(kind, instruction, other) {
            return;
        }
        let help = match message.contains("`wgmma.fence`") {
            true => "run `wgmma.fence` in all warps of the warpgroup after the writes",
            false => "run `wgmma.commit_group` and `wgmma.wait_group` first",
        };
        let lane = warp.mask.trailing_zeros() & 31;
        let report = Report {
            message,
            help: help.to_owned(),
            other: with.map(|tag| self.other(tag)),
            ..self.new_report(kind, warp.index, lane, instruction)
        };
        self.keep(instruction, other, report);
    }

    /// `wgmma.fence`.
    pub fn product_fence(&mut self, w: usize) {
        let w = self.slot(w as u32);
        self.products.fences[w] += 1;
    }

    /// `wgmma.commit_group`.
    pub fn product_commit(&mut self, w: usize) {
        let w = self.slot(w as u32);
        self.products.committed[w] += 1;
    }

    /// `wgmma.wait_group`: all groups are done but the latest `keep`.
    pub fn product_wait(&mut self, warp: usize, keep: u32) {
        let w = self.slot(warp as u32);
        let done = self.products.committed[w].saturating_sub(keep);
        let first = w * self.products.accumulators;
        let mine = &mut self.products.held[first..first + self.products.accumulators];
        for held in mine.iter_mut().filter(|held| held.group <= done) {
            (held.group, held.accumulates) = (0, false);
        }
        self.products_have_read(warp, done);
    }
}
