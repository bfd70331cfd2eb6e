//! The operations that the sanitizer inserts into a kernel, and their data.

use crate::async_proxy::wgmma::registers::{Accumulators, RegisterUse};
use crate::fast::group::{LoadGroup, groups};
use crate::initialization::registers::{Followed, RegisterStep};
use crate::instrument::handlers::{
    CheckAccess, CheckGroup, CheckMembers, CheckRun, NoteRegisterChange, StepProducts,
    StepRegisters,
};
use lanework_engine::handler::Tiers;
use lanework_engine::insertion::{BeforeAccess, Inserted, Plan};
use lanework_ptx_ir::analysis::Analyses;
use lanework_ptx_ir::kernel::{Kernel, MemoryKind, MemoryOp, MemorySpace, Opcode};
use lanework_ptx_ir::opcode::asynchrony::AsyncOp;
use std::collections::HashMap;

/// Operations inserted into one kernel. Their immediates are addresses of the boxed data.
pub struct InsertedOperations {
    /// Tracked registers.
    pub followed: Followed,
    /// Registers that warpgroup products use.
    pub accumulators: Accumulators,
    /// By instruction: its effect on tracked registers.
    steps: HashMap<usize, Box<RegisterStep>>,
    /// By instruction: its use of product registers.
    uses: HashMap<usize, Box<RegisterUse>>,
    /// By instruction: the loads checked before it; `None` if an earlier group checks it.
    groups: HashMap<usize, Option<Box<LoadGroup>>>,
    /// By instruction: the operation for an access with a scalar-form address.
    runs: HashMap<usize, Tiers>,
    /// By instruction: whether it accesses shared memory.
    shared: Vec<bool>,
    /// The `setmaxnreg` instructions.
    register_changes: HashMap<usize, Box<u32>>,
}

impl InsertedOperations {
    /// Plans the operations for a kernel.
    pub fn for_kernel(kernel: &Kernel, analyses: &Analyses) -> InsertedOperations {
        let followed = Followed::find(kernel, analyses);
        let accumulators = Accumulators::find(kernel);
        let (mut steps, mut uses, mut runs) = (HashMap::new(), HashMap::new(), HashMap::new());
        let mut shared = vec![false; kernel.insts.len()];
        let mut register_changes = HashMap::new();
        for (i, inst) in kernel.insts.iter().enumerate() {
            steps.extend(followed.step(inst).map(|step| (i, Box::new(step))));
            uses.extend(accumulators.of(inst).map(|this| (i, Box::new(this))));
            if matches!(inst.opcode, Opcode::Async(AsyncOp::Registers { .. })) {
                register_changes.insert(i, Box::new(inst.origin));
            }
            let Opcode::Memory(op) = &inst.opcode else { continue };
            shared[i] = op.space == MemorySpace::Shared;
            runs.extend(check_run(op).map(|tiers| (i, tiers)));
        }
        let blocks = analyses.cfg.blocks.iter();
        let groups =
            blocks.flat_map(|block| groups(&kernel.insts[block.start..block.end], block.start));
        let group =
            |members: Vec<_>| (!members.is_empty()).then(|| Box::new(LoadGroup::new(members)));
        let groups = groups.map(|(i, members)| (i, group(members))).collect();
        InsertedOperations {
            followed,
            accumulators,
            steps,
            uses,
            groups,
            runs,
            shared,
            register_changes,
        }
    }
}

/// The operation for accesses that may have a constant stride in each half of a warp.
fn check_run(op: &MemoryOp) -> Option<Tiers> {
    if op.order.strong.is_some() {
        return None;
    }
    match (op.space, op.kind) {
        (MemorySpace::Shared, MemoryKind::Load) => {
            Some(Tiers::large::<CheckRun<true, true>, CheckAccess<false>>())
        }
        (MemorySpace::Shared, MemoryKind::Store) => {
            Some(Tiers::large::<CheckRun<true, false>, CheckAccess<false>>())
        }
        (MemorySpace::Global | MemorySpace::Constant, MemoryKind::Load) => {
            Some(Tiers::large::<CheckRun<false, true>, CheckAccess<false>>())
        }
        (MemorySpace::Global, MemoryKind::Store) => {
            Some(Tiers::large::<CheckRun<false, false>, CheckAccess<false>>())
        }
        _ => None,
    }
}

/// The address of data, as an immediate.
fn address<T>(of: &T) -> u64 {
    std::ptr::from_ref(of).expose_provenance() as u64
}

// SAFETY: every immediate is the address of a `RegisterStep`, `RegisterUse`, `LoadGroup` or number that is boxed in `self` and
// never moved or changed, and goes with handlers that expect this type. `CheckRun` and `CheckGroup` take the operands of a general
// access operation.
unsafe impl Plan for InsertedOperations {
    fn before(&self, instruction: usize) -> Vec<Inserted> {
        let step = self
            .steps
            .get(&instruction)
            .map(|step| Inserted { tiers: Tiers::cold::<StepRegisters>(), imm: address(&**step) });
        let accumulate = self
            .uses
            .get(&instruction)
            .map(|this| Inserted { tiers: Tiers::cold::<StepProducts>(), imm: address(&**this) });
        let change = self
            .register_changes
            .get(&instruction)
            .map(|at| Inserted { tiers: Tiers::cold::<NoteRegisterChange>(), imm: address(&**at) });
        step.into_iter().chain(accumulate).chain(change).collect()
    }

    fn before_access(&self, instruction: usize, scalar: bool) -> BeforeAccess {
        match self.groups.get(&instruction) {
            Some(None) => BeforeAccess::Nothing,
            Some(Some(group)) => {
                let tiers = match self.shared[instruction] {
                    true => Tiers::large::<CheckGroup<true>, CheckMembers>(),
                    false => Tiers::large::<CheckGroup<false>, CheckMembers>(),
                };
                BeforeAccess::Own(Inserted { tiers, imm: address(&**group) })
            }
            None => match self.runs.get(&instruction) {
                Some(tiers) if scalar => BeforeAccess::Special(*tiers),
                _ => BeforeAccess::General,
            },
        }
    }

    fn addresses(&self) -> Vec<u64> {
        let steps = self.steps.values().map(|step| address(&**step));
        let uses = self.uses.values().map(|this| address(&**this));
        let groups = self.groups.values().flatten().map(|group| address(&**group));
        let changes = self.register_changes.values().map(|at| address(&**at));
        steps.chain(uses).chain(groups).chain(changes).collect()
    }
}
