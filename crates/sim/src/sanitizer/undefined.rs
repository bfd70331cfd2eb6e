//! Registers that nothing has written: reported where their value reaches an address, a branch or
//! memory, and followed until then.
//!
//! Which registers may hold such a value is known before the run, and only they are followed, by an
//! operation beside each instruction that has to do with them. Kernels without pay nothing.

use super::checker::Checker;
use super::instrument::Sanitizer;
use super::report::{Report, ReportKind};
use crate::engine::op::{Body, Op, Warp};
use lanework_ptx_ir::analyses::Analyses;
use lanework_ptx_ir::dataflow::{Direction, Facts, VariableAnalysis, solve_variables};
use lanework_ptx_ir::kernel::{Action, Inst, Kernel, MemoryKind, MemorySpace, Reg, Src};

/// The registers of a kernel that are followed.
#[derive(Clone, Default)]
pub struct Followed {
    /// By register: its number among those followed.
    index: Vec<Option<u32>>,
    /// How many there are.
    pub count: usize,
    /// Those that are unwritten at the start.
    pub unwritten: Vec<u32>,
}

/// What an instruction does with followed registers.
#[derive(Clone, Default)]
pub struct Step {
    /// Those whose values end here, and in what: an address, a branch, memory.
    ends: Vec<(u32, &'static str)>,
    /// Those that results are made of.
    from: Vec<u32>,
    /// Results.
    to: Vec<u32>,
}

impl Followed {
    /// Finds them.
    pub fn find(kernel: &Kernel, analyses: &Analyses) -> Followed {
        let start: Vec<usize> = analyses.read_unwritten(kernel).collect();
        if start.is_empty() {
            return Followed::default();
        }
        let mut unwritten = vec![false; kernel.registers.len()];
        start.iter().for_each(|r| unwritten[*r] = true);
        let maybe = solve_variables(kernel, &mut MayBeUnwritten, unwritten);
        let mut count = 0;
        let number = |maybe: bool| {
            maybe.then(|| {
                count += 1;
                count - 1
            })
        };
        let index: Vec<Option<u32>> = maybe.into_iter().map(number).collect();
        let unwritten = start.iter().filter_map(|r| index[*r]).collect();
        Followed { index, count: count as usize, unwritten }
    }

    /// What an instruction does with them, if anything.
    pub fn step(&self, inst: &Inst) -> Option<Step> {
        if self.count == 0 {
            return None;
        }
        let of = |r: Reg| self.index[r as usize];
        let followed = |src: &[Src]| -> Vec<u32> {
            src.iter().filter_map(|src| src.register()).filter_map(of).collect()
        };
        let mut step = Step::default();
        let end = |list: Vec<u32>, what| list.into_iter().map(move |r| (r, what));
        step.ends.extend(inst.guard.and_then(|(r, _)| of(r)).map(|r| (r, "a branch")));
        match &inst.action {
            Action::Memory(op) => {
                step.ends.extend(end(followed(&inst.src[..1]), "an address"));
                // What is private to a thread or a block may hold it: of a tile that is not full, threads
                // put what they have where nobody looks.
                let private = matches!(op.space, MemorySpace::Local | MemorySpace::Shared);
                let kept = private && matches!(op.kind, MemoryKind::Store);
                if !matches!(op.kind, MemoryKind::Load) && !kept {
                    step.ends.extend(end(followed(&inst.src[1..]), "memory"));
                }
            }
            Action::AsyncCopy { .. } => step.ends.extend(end(followed(&inst.src), "an address")),
            Action::Barrier(_) => step.ends.extend(end(followed(&inst.src), "a barrier")),
            _ if makes(inst) => step.from = followed(&inst.src),
            _ => {}
        }
        step.to = inst.dst.iter().flatten().filter_map(|r| of(*r)).collect();
        let none = step.ends.is_empty() && step.from.is_empty() && step.to.is_empty();
        (!none).then_some(step)
    }
}

/// Which registers may hold a value that nothing has written, or one made from such a value: the forward
/// slice of those that are read unwritten, through registers only.
struct MayBeUnwritten;

impl VariableAnalysis for MayBeUnwritten {
    type Fact = bool;
    const DIRECTION: Direction = Direction::Forward;

    fn transfer(&mut self, _: usize, inst: &Inst, facts: &mut Facts<bool>) {
        let of_unwritten = |src: &Src| src.register().is_some_and(|r| *facts.get(r as usize));
        if makes(inst) && inst.src.iter().any(of_unwritten) {
            inst.writes().for_each(|r| facts.meet(r as usize, &true));
        }
    }
}

/// Whether an instruction makes its results of its sources in registers.
fn makes(inst: &Inst) -> bool {
    inst.is_alu() || matches!(inst.action, Action::Warp(_))
}

/// Follows registers; the immediate is the address of a [`Step`].
pub struct Follow;

impl Body for Follow {
    unsafe fn run(op: &Op, warp: &mut Warp) -> *const Op {
        // SAFETY: the immediate is the address of a step that lives as long as the code; the context
        // outlives the warp's run.
        unsafe {
            let step = &*std::ptr::with_exposed_provenance::<Step>(op.imm as usize);
            let context = &mut *warp.context;
            let instruction = context.place(warp, op).instruction;
            if let Some(checks) = &mut context.hook.typed::<Sanitizer>().checker {
                checks.follow(warp, instruction, step);
            }
            op.next(warp)
        }
    }
}

impl Checker {
    /// An instruction with followed registers, before it is done.
    fn follow(&mut self, warp: &Warp, instruction: u32, step: &Step) {
        let w = self.slot(warp.index) * self.followed.count;
        for (r, what) in &step.ends {
            let bad = self.unwritten_lanes[w + *r as usize] & warp.mask;
            if bad == 0
                || self.carries(instruction)
                || self.again(ReportKind::Uninitialized, instruction, 0)
            {
                continue;
            }
            let lane = bad.trailing_zeros();
            let report = self.new_report(ReportKind::Uninitialized, warp.index, lane, instruction);
            let message = format!(
                "uninitialised register: the value of a register that nothing has written reaches {what}"
            );
            let help = "give the variable a value on every path before it is used".to_owned();
            self.keep(instruction, 0, Report { message, help, ..report });
        }
        let lanes = &mut self.unwritten_lanes[w..w + self.followed.count];
        let bad = step.from.iter().fold(0, |bad, r| bad | lanes[*r as usize]);
        for r in &step.to {
            let old = &mut lanes[*r as usize];
            *old = (*old & !warp.mask) | (bad & warp.mask);
        }
    }

    /// At the start of a block.
    pub(super) fn forget_registers(&mut self) {
        if self.followed.count == 0 {
            return;
        }
        for lanes in self.unwritten_lanes.chunks_mut(self.followed.count) {
            lanes.fill(0);
            self.followed.unwritten.iter().for_each(|r| lanes[*r as usize] = u32::MAX);
        }
    }
}
