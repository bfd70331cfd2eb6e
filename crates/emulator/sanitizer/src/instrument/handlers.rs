//! The operations that the sanitizer inserts into a kernel, and their data.
//!
//! Access checks are monomorphized for each SIMD level and know the [`Sanitizer`] by its type, so no call goes through a vtable.

use crate::async_proxy::wgmma::registers::{Accumulators, RegisterUse};
use crate::fast::{HalfWarpAddresses, LoadGroup, groups};
use crate::initialization::registers::{Followed, RegisterStep};
use crate::instrument::Sanitizer;
use lanework_engine::ablation::FastPath;
use lanework_engine::context::{Body, Tiers, baseline};
use lanework_engine::insertion::{BeforeAccess, Inserted, Plan};
use lanework_engine::lanes::addresses;
use lanework_engine::machine::{Op, Warp};
use lanework_engine::site::AccessSite;
use lanework_engine::slot::{SCALAR, both};
use lanework_ptx_ir::analysis::{Analyses, may_wait};
use lanework_ptx_ir::kernel::{Kernel, MemoryKind, MemoryOp, MemorySpace, Opcode};
use lanework_ptx_ir::memory_layout::{SHARED_WINDOW, WINDOW};
use lanework_ptx_ir::opcode::asynchrony::AsyncOp;
use std::collections::HashMap;

/// Checks the access of the next memory instruction by any path; see
/// [`lanework_engine::instrument::Instrument::access_operation`] for the operands. With `INLINED`, the paths are compiled
/// for the SIMD level.
pub struct CheckAccess<const INLINED: bool>;

// SAFETY: `run` only reads the warp, and returns what `Op::next` or `Warp::pause_at` gives.
unsafe impl<const INLINED: bool> Body for CheckAccess<INLINED> {
    #[inline(always)]
    unsafe fn run(op: &Op, warp: &mut Warp) -> *const Op {
        // SAFETY: the assembler inserted this operation for the sanitizer: `op.c` is an index of
        // the warp's site table, `op.b` a slot of its register file, and `context.hook` holds a
        // `Sanitizer`. The warp runs inside its context and on one worker, so no other code uses the
        // hook now.
        unsafe {
            let (site, instruction) = (&*warp.site(op.c), op.imm as u32);
            let sanitizer = warp.instrument::<Sanitizer>();
            if sanitizer.signals.pending()
                && site.order.strong.is_none()
                && let Some(stopped) = pause(op, warp, sanitizer)
            {
                return stopped;
            }
            let at = addresses(warp, op.b, site.offset);
            match sanitizer.probe.in_trial() {
                true => sanitizer.probe.follow(warp, instruction, site, &at.0),
                false => sanitizer.signals.note(warp, instruction, site, &at.0),
            }
            sanitizer.probe.note(site);
            if let Some(checkers) = &mut sanitizer.checkers {
                checkers.before_access(warp, instruction, site, &at.0);
                match INLINED {
                    true => checkers.access.access_inlined(warp, instruction, site, &at.0),
                    false => checkers.access.access(warp, instruction, site, &at.0),
                }
            }
            op.next(warp)
        }
    }
}

/// Pauses a warp that has just signaled others; returns what its handler must return. The probe then lets other clusters
/// run, too.
#[cold]
fn pause(op: &Op, warp: &mut Warp, sanitizer: &mut Sanitizer) -> Option<*const Op> {
    if !warp.can_pause() || !sanitizer.signals.pauses(warp) {
        return None;
    }
    sanitizer.probe.note_sync();
    Some(warp.pause_at(op))
}

/// The same for weak loads and stores with a scalar-form address.
pub struct CheckRun<const SHARED: bool, const LOADS: bool>;

// SAFETY: `run` only reads the warp, and returns what `Op::next` or `Warp::pause_at` gives.
unsafe impl<const SHARED: bool, const LOADS: bool> Body for CheckRun<SHARED, LOADS> {
    #[inline(always)]
    unsafe fn run(op: &Op, warp: &mut Warp) -> *const Op {
        // SAFETY: as in `CheckAccess`: the assembler made the operands of this operation for the
        // sanitizer. `Plan::before_access` returns it only if the address is in scalar form.
        unsafe {
            let (site, instruction) = (&*warp.site(op.c), op.imm as u32);
            let sanitizer = warp.instrument::<Sanitizer>();
            // No closures: they would not be compiled for the SIMD level.
            if !sanitizer.probe.in_trial()
                && !sanitizer.signals.pending()
                && let Some(checkers) = &mut sanitizer.checkers
                && (LOADS || SHARED || !checkers.in_flight)
                && FastPath::HalfWarps.on()
                && let Some(form) = HalfWarpAddresses::of_scalar(op, warp, site.offset)
            {
                let access = &mut checkers.access;
                // Single words are loaded in groups, which have their own path.
                let large = u64::from(site.bytes) * u64::from(site.count) > 4;
                let paths = (!LOADS || large) && FastPath::WholeLines.on();
                if paths
                    && site.space != MemorySpace::Constant
                    && is_full(warp, site, &form)
                    && access.whole_lines::<SHARED, LOADS>(warp, instruction, site, form.base)
                    || access.half_warps_of::<SHARED, LOADS>(warp, instruction, site, &form)
                {
                    return op.next(warp);
                }
            }
            any_path(op, warp)
        }
    }
}

/// Whether all lanes of a warp access adjacent elements.
#[inline(always)]
fn is_full(warp: &Warp, site: &AccessSite, form: &HalfWarpAddresses) -> bool {
    let bytes = u64::from(site.bytes) * u64::from(site.count);
    form.stride == bytes && warp.mask == u32::MAX
}

/// The same for weak loads and stores by generic addresses.
pub struct CheckGeneric<const LOADS: bool>;

// SAFETY: `run` only reads the warp, and returns what `Op::next` or `Warp::pause_at` gives.
unsafe impl<const LOADS: bool> Body for CheckGeneric<LOADS> {
    #[inline(always)]
    unsafe fn run(op: &Op, warp: &mut Warp) -> *const Op {
        // SAFETY: as in `CheckRun`.
        unsafe {
            let (site, instruction) = (&*warp.site(op.c), op.imm as u32);
            let sanitizer = warp.instrument::<Sanitizer>();
            if !sanitizer.probe.in_trial()
                && !sanitizer.signals.pending()
                && let Some(checkers) = &mut sanitizer.checkers
                && (LOADS || !checkers.in_flight)
                && FastPath::WholeLines.on()
                && let Some(form) = HalfWarpAddresses::of_scalar(op, warp, site.offset)
                && is_full(warp, site, &form)
            {
                let access = &mut checkers.access;
                let from = both(form.base, |base| base.wrapping_sub(SHARED_WINDOW));
                let done = if from[0] < WINDOW && from[1] < WINDOW {
                    access.whole_lines::<true, LOADS>(warp, instruction, site, from)
                } else if from[0].min(from[1]) >= 3 * WINDOW {
                    // Outside the windows, so in global memory, if the whole run is inside an allocation.
                    access.whole_lines::<false, LOADS>(warp, instruction, site, form.base)
                } else {
                    false
                };
                if done {
                    return op.next(warp);
                }
            }
            any_path(op, warp)
        }
    }
}

/// The same for loads and stores of local memory.
pub struct CheckLocal<const LOADS: bool>;

// SAFETY: `run` only reads the warp, and returns what `Op::next` or `Warp::pause_at` gives.
unsafe impl<const LOADS: bool> Body for CheckLocal<LOADS> {
    #[inline(always)]
    unsafe fn run(op: &Op, warp: &mut Warp) -> *const Op {
        // SAFETY: as in `CheckRun`.
        unsafe {
            let site = &*warp.site(op.c);
            let sanitizer = warp.instrument::<Sanitizer>();
            if !sanitizer.probe.in_trial()
                && !sanitizer.signals.pending()
                && let Some(checkers) = &mut sanitizer.checkers
                && (LOADS || !checkers.in_flight)
                && let Some(form) = HalfWarpAddresses::of_scalar(op, warp, site.offset)
                && form.stride == 0
                && form.base[0] == form.base[1]
                && checkers.access.local_of_all::<LOADS>(warp, site, form.base[0])
            {
                return op.next(warp);
            }
            any_path(op, warp)
        }
    }
}

#[inline(never)]
unsafe fn any_path(op: &Op, warp: &mut Warp) -> *const Op {
    // SAFETY: `op` and `warp` are those of `CheckRun::run`, whose operands are laid out as for
    // `CheckAccess`.
    unsafe { baseline::<CheckAccess<false>>(op, warp) }
}

/// Checks a group of loads from shared or global memory. The immediate is the address of the
/// [`LoadGroup`], the site belongs to the first load.
pub struct CheckGroup<const SHARED: bool>;

// SAFETY: `run` only reads the warp, and returns what `Op::next` or `Warp::pause_at` gives.
unsafe impl<const SHARED: bool> Body for CheckGroup<SHARED> {
    #[inline(always)]
    unsafe fn run(op: &Op, warp: &mut Warp) -> *const Op {
        // SAFETY: the immediate is the exposed address of a boxed `LoadGroup` in `InsertedOperations`, which
        // the assembled code keeps alive. Site, slot and hook are as in `CheckAccess`.
        unsafe {
            let group = &*std::ptr::with_exposed_provenance::<LoadGroup>(op.imm as usize);
            let sanitizer = warp.instrument::<Sanitizer>();
            if sanitizer.signals.pending()
                && let Some(stopped) = pause(op, warp, sanitizer)
            {
                return stopped;
            }
            if sanitizer.probe.in_trial() {
                let site = &*warp.site(op.c);
                for member in &group.members {
                    let at = addresses(warp, op.b, member.offset);
                    sanitizer.probe.follow(warp, member.instruction, site, &at.0);
                }
            }
            let Some(checkers) = &mut sanitizer.checkers else { return op.next(warp) };
            let form = match op.b & SCALAR {
                0 => None,
                _ => HalfWarpAddresses::of_scalar(op, warp, group.lowest),
            };
            let (access, last_addresses) = (&mut checkers.access, &mut *checkers.last_addresses);
            // No closures: they would not be compiled for the SIMD level.
            let done = match form {
                Some(form) if warp.mask == u32::MAX => match form.stride {
                    0 => access.group::<SHARED, true>(warp.index, group, form.base, last_addresses),
                    4 => {
                        access.group::<SHARED, false>(warp.index, group, form.base, last_addresses)
                    }
                    _ => false,
                },
                _ => false,
            };
            match done {
                true => op.next(warp),
                false => each_member(op, warp),
            }
        }
    }
}

/// The same, load by load.
pub struct CheckMembers;

// SAFETY: `run` only reads the warp, and returns what `Op::next` or `Warp::pause_at` gives.
unsafe impl Body for CheckMembers {
    unsafe fn run(op: &Op, warp: &mut Warp) -> *const Op {
        // SAFETY: as in `CheckGroup`, the immediate is the address of a `LoadGroup` that the code
        // keeps alive; site, slot and hook are as in `CheckAccess`.
        unsafe {
            let sanitizer = warp.instrument::<Sanitizer>();
            if sanitizer.signals.pending()
                && let Some(stopped) = pause(op, warp, sanitizer)
            {
                return stopped;
            }
            if sanitizer.probe.in_trial() {
                let group = &*std::ptr::with_exposed_provenance::<LoadGroup>(op.imm as usize);
                let site = &*warp.site(op.c);
                for member in &group.members {
                    let at = addresses(warp, op.b, member.offset);
                    sanitizer.probe.follow(warp, member.instruction, site, &at.0);
                }
            }
            each_member(op, warp)
        }
    }
}

#[inline(never)]
unsafe fn each_member(op: &Op, warp: &mut Warp) -> *const Op {
    // SAFETY: called by `CheckGroup` and `CheckMembers` with their operation, whose immediate is
    // the address of a `LoadGroup` that the code keeps alive.
    unsafe {
        let group = &*std::ptr::with_exposed_provenance::<LoadGroup>(op.imm as usize);
        let site = &*warp.site(op.c);
        let sanitizer = warp.instrument::<Sanitizer>();
        if let Some(checkers) = &mut sanitizer.checkers {
            for member in &group.members {
                let at = addresses(warp, op.b, member.offset);
                checkers.access.access(warp, member.instruction, site, &at.0);
            }
        }
        op.next(warp)
    }
}

/// Tracks uninitialized registers. The immediate is the address of a [`RegisterStep`].
pub struct StepRegisters;

// SAFETY: `run` only reads the warp, and returns what `Op::next` gives.
unsafe impl Body for StepRegisters {
    unsafe fn run(op: &Op, warp: &mut Warp) -> *const Op {
        // SAFETY: the immediate is the exposed address of a boxed `RegisterStep` in `InsertedOperations`,
        // which the assembled code keeps alive. The warp runs inside its context, whose hook holds
        // a `Sanitizer` because this code was assembled for it.
        unsafe {
            let step = &*std::ptr::with_exposed_provenance::<RegisterStep>(op.imm as usize);
            let instruction = warp.instruction(op);
            if let Some(checkers) = &mut warp.instrument::<Sanitizer>().checkers {
                let access = &mut checkers.access;
                let (position, reports) = (&access.position, &mut access.reports);
                checkers.registers.step(position, reports, warp, instruction, step);
            }
            op.next(warp)
        }
    }
}

/// Notes that a warp executes `setmaxnreg`. The immediate is the address of the instruction's number.
pub struct NoteRegisterChange;

// SAFETY: `run` only reads the warp, and returns what `Op::next` gives.
unsafe impl Body for NoteRegisterChange {
    unsafe fn run(op: &Op, warp: &mut Warp) -> *const Op {
        // SAFETY: the immediate is the exposed address of a boxed number in `InsertedOperations`, which the
        // assembled code keeps alive. The warp runs inside its context, whose hook holds a `Sanitizer` because
        // this code was assembled for it.
        unsafe {
            let instruction = *std::ptr::with_exposed_provenance::<u32>(op.imm as usize);
            let index = warp.index;
            if let Some(checkers) = &mut warp.instrument::<Sanitizer>().checkers {
                checkers.changes_registers(index, instruction);
            }
            op.next(warp)
        }
    }
}

/// Tracks registers of warpgroup products. The immediate is the address of a [`RegisterUse`].
pub struct StepProducts;

// SAFETY: `run` only reads the warp, and returns what `Op::next` gives.
unsafe impl Body for StepProducts {
    unsafe fn run(op: &Op, warp: &mut Warp) -> *const Op {
        // SAFETY: the immediate is the exposed address of a boxed `RegisterUse` in `InsertedOperations`, which
        // the assembled code keeps alive. Context and hook are as in `StepRegisters`.
        unsafe {
            let this = &*std::ptr::with_exposed_provenance::<RegisterUse>(op.imm as usize);
            let instruction = warp.instruction(op);
            if let Some(checkers) = &mut warp.instrument::<Sanitizer>().checkers {
                checkers.products.step(&mut checkers.access, warp, instruction, this);
            }
            op.next(warp)
        }
    }
}

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
    /// Whether the kernel polls memory in a loop.
    pub waits: bool,
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
            waits: may_wait(kernel, &analyses.cfg),
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
        (MemorySpace::Local, MemoryKind::Load) => {
            Some(Tiers::large::<CheckLocal<true>, CheckAccess<false>>())
        }
        (MemorySpace::Local, MemoryKind::Store) => {
            Some(Tiers::large::<CheckLocal<false>, CheckAccess<false>>())
        }
        (MemorySpace::Generic, MemoryKind::Load) => {
            Some(Tiers::large::<CheckGeneric<true>, CheckAccess<false>>())
        }
        (MemorySpace::Generic, MemoryKind::Store) => {
            Some(Tiers::large::<CheckGeneric<false>, CheckAccess<false>>())
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
