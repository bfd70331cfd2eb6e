//! The operations that the sanitizer inserts into a kernel, and the data that they refer to.

use super::group::{Group, JudgeGroup};
use super::judge::JudgeStore;
use super::products::{Accumulate, Accumulators, Use};
use super::undefined::{Follow, Followed, Step};
use crate::engine::assemble::together;
use crate::engine::instrument::{BeforeAccess, Inserted, Plan};
use crate::engine::op::Tiers;
use lanework_ptx_ir::analyses::Analyses;
use lanework_ptx_ir::kernel::{Action, Kernel, MemoryKind, MemorySpace};
use std::collections::HashMap;

/// What is inserted into one kernel. Operations hold the addresses of what is boxed here.
pub struct Checks {
    /// Registers that are followed.
    pub followed: Followed,
    /// Registers that products of warpgroups accumulate in.
    pub accumulators: Accumulators,
    /// By instruction: what it does with followed registers.
    steps: HashMap<usize, Box<Step>>,
    /// By instruction: what it does with accumulators.
    uses: HashMap<usize, Box<Use>>,
    /// By instruction: the loads that are judged before it; none for one judged with an earlier one.
    groups: HashMap<usize, Option<Box<Group>>>,
    /// By instruction: the quick check of its access, where it has one, and its number in the kernel.
    quick: HashMap<usize, (Tiers, u32)>,
    /// By instruction: whether its access goes to shared memory.
    shared: Vec<bool>,
}

impl Checks {
    /// For a kernel.
    pub fn of(kernel: &Kernel, analyses: &Analyses) -> Checks {
        let followed = Followed::find(kernel, analyses);
        let accumulators = Accumulators::find(kernel);
        let (mut steps, mut uses, mut quick) = (HashMap::new(), HashMap::new(), HashMap::new());
        let mut shared = vec![false; kernel.insts.len()];
        for (i, inst) in kernel.insts.iter().enumerate() {
            steps.extend(followed.step(inst).map(|step| (i, Box::new(step))));
            uses.extend(accumulators.of(inst).map(|this| (i, Box::new(this))));
            let Action::Memory(op) = &inst.action else { continue };
            shared[i] = op.space == MemorySpace::Shared;
            let store = matches!(op.kind, MemoryKind::Store)
                && op.ty.size() == 4
                && op.count == 1
                && op.order.strong.is_none();
            let tiers = match op.space {
                MemorySpace::Global if store => Tiers::of::<JudgeStore<false>>(),
                MemorySpace::Shared if store => Tiers::of::<JudgeStore<true>>(),
                _ => continue,
            };
            quick.insert(i, (tiers, inst.origin));
        }
        let blocks = analyses.cfg.blocks.iter();
        let groups = blocks
            .flat_map(|block| together::groups(&kernel.insts[block.start..block.end], block.start));
        let group = |members: Vec<_>| (!members.is_empty()).then(|| Box::new(Group::new(members)));
        let groups = groups.map(|(i, members)| (i, group(members))).collect();
        Checks { followed, accumulators, steps, uses, groups, quick, shared }
    }
}

/// The address of data as an immediate.
fn address<T>(of: &T) -> u64 {
    std::ptr::from_ref(of).expose_provenance() as u64
}

impl Plan for Checks {
    fn before(&self, instruction: usize) -> Vec<Inserted> {
        let step = self
            .steps
            .get(&instruction)
            .map(|step| Inserted { tiers: Tiers::cold::<Follow>(), imm: address(&**step) });
        let accumulate = self
            .uses
            .get(&instruction)
            .map(|this| Inserted { tiers: Tiers::cold::<Accumulate>(), imm: address(&**this) });
        step.into_iter().chain(accumulate).collect()
    }

    fn before_access(&self, instruction: usize, scalar: bool) -> BeforeAccess {
        match self.groups.get(&instruction) {
            Some(None) => return BeforeAccess::Nothing,
            Some(Some(group)) => {
                let tiers = match self.shared[instruction] {
                    true => Tiers::of::<JudgeGroup<true>>(),
                    false => Tiers::of::<JudgeGroup<false>>(),
                };
                return BeforeAccess::Own(Inserted { tiers, imm: address(&**group) });
            }
            None => {}
        }
        match self.quick.get(&instruction) {
            Some((tiers, origin)) if scalar => {
                BeforeAccess::Own(Inserted { tiers: *tiers, imm: (*origin).into() })
            }
            _ => BeforeAccess::General,
        }
    }
}
