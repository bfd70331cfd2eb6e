//! The state of a spin: the memory that it changes ([`MemoryChanges`]), and the registers that decide how
//! it continues ([`SpinRegisters`]). A spin that returns to an earlier state never ends.
//!
//! During a livelock trial, the memory-change tracker compares written bytes with their old values, and
//! records the bytes that are read.

use lanework_engine::event::{AccessKind, Space, generic_space};
use lanework_engine::guest;
use lanework_engine::machine::Warp;
use lanework_engine::site::AccessSite;
use lanework_ptx_ir::analysis::cfg::ControlFlowGraph;
use lanework_ptx_ir::kernel::{Inst, Kernel, MemorySpace, Opcode};
use lanework_ptx_ir::opcode::memory::WarpOp;
use std::collections::HashMap;

/// Maximum bytes of one lane's access.
const MOST_BYTES: usize = 32;

/// Maximum number of global reads recorded; a warp that reads more does not merely spin.
const MOST_READS: usize = 1 << 12;

/// Bytes on the host and their value at one time.
#[derive(Clone, Copy)]
pub struct ByteSnapshot {
    host: *const u8,
    bytes: usize,
    value: [u8; MOST_BYTES],
}

// SAFETY: the pointer refers to a launch's memory. The launch holds that memory's lock, and moves
// instruments between threads only before and after workers run.
unsafe impl Send for ByteSnapshot {}

impl ByteSnapshot {
    /// Captures the value of some bytes, at most [`MOST_BYTES`].
    ///
    /// # Safety
    /// `host` is valid for reads of `bytes` bytes.
    pub unsafe fn capture(host: *const u8, bytes: usize) -> ByteSnapshot {
        let mut value = [0; MOST_BYTES];
        // SAFETY: `bytes` bytes are readable at `host`, as this function requires; another launch writes them by guest
        // accesses only.
        unsafe { guest::read_bytes(host, &mut value[..bytes.min(MOST_BYTES)]) };
        ByteSnapshot { host, bytes: bytes.min(MOST_BYTES), value }
    }

    /// Whether the bytes still have this value.
    ///
    /// # Safety
    /// The bytes are still allocated, as required by [`ByteSnapshot::capture`].
    pub unsafe fn unchanged(&self) -> bool {
        // SAFETY: `capture` read the same range, which is still allocated, as this function requires.
        unsafe { ByteSnapshot::capture(self.host, self.bytes).value == self.value }
    }
}

/// A read in a spin.
#[derive(Clone, Copy)]
pub struct SpinRead {
    /// The instruction.
    pub instruction: u32,
    /// Its lowest lane.
    pub lane: u32,
    /// The address that this lane reads.
    pub address: u64,
    /// The space.
    pub space: MemorySpace,
    /// Size in bytes.
    pub bytes: u32,
    strong: bool,
}

/// Global bytes that spinning warps read, with their values.
pub struct SpinReads(Vec<ByteSnapshot>);

impl SpinReads {
    /// Whether it is empty: then other clusters cannot end the spin.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds others.
    pub fn with(mut self, others: SpinReads) -> SpinReads {
        self.0.extend(others.0);
        self
    }

    /// Whether all bytes are unchanged.
    ///
    /// # Safety
    /// The launch still holds the memory's lock.
    pub unsafe fn unchanged(&self) -> bool {
        // SAFETY: nothing is freed while a launch holds the memory's lock (required above), so the
        // captured ranges are still allocated.
        self.0.iter().all(|held| unsafe { held.unchanged() })
    }
}

/// Memory accesses of one block during a trial.
pub struct MemoryChanges {
    changed: bool,
    /// Writes in progress, with the old values.
    under_way: Vec<ByteSnapshot>,
    reads: HashMap<(u64, usize), *const u8>,
    /// By warp: a read that it spins on.
    pub looks: Vec<Option<SpinRead>>,
}

// SAFETY: the pointers are those of `ByteSnapshot`s and of global reads: memory of the launch,
// whose instruments move between threads only while no worker runs.
unsafe impl Send for MemoryChanges {}

impl MemoryChanges {
    /// For a block of this many warps.
    pub fn new(warps: usize) -> MemoryChanges {
        MemoryChanges {
            changed: false,
            under_way: Vec::new(),
            reads: HashMap::new(),
            looks: vec![None; warps],
        }
    }

    /// Records a change by something other than an access.
    pub fn note_change(&mut self) {
        self.changed = true;
    }

    /// Whether memory has changed since the trial began.
    pub fn changed(&mut self) -> bool {
        for held in self.under_way.drain(..) {
            // SAFETY: `access` captured the range from `lane_host`, so it is in the block's own
            // memory, which outlives the trial, or in global memory, where nothing is freed during
            // a launch.
            self.changed |= unsafe { !held.unchanged() };
        }
        self.changed || self.reads.len() > MOST_READS
    }

    /// Whether global memory was read.
    pub fn has_reads(&self) -> bool {
        !self.reads.is_empty()
    }

    /// The global bytes that were read, with their current values.
    pub fn reads(&self) -> SpinReads {
        // SAFETY: `access` recorded ranges in global memory that `lane_host` had checked, and
        // nothing is freed there during a launch.
        let held = self
            .reads
            .iter()
            .map(|((_, bytes), host)| unsafe { ByteSnapshot::capture(*host, *bytes) });
        SpinReads(held.collect())
    }

    /// Records a warp's access before it executes.
    pub fn access(&mut self, warp: &Warp, instruction: u32, site: &AccessSite, at: &[u64; 32]) {
        let bytes = usize::from(site.bytes) * usize::from(site.count);
        let (reads, writes) = (site.kind != AccessKind::Store, site.kind != AccessKind::Load);
        if self.changed() {
            return;
        }
        if reads && site.space != MemorySpace::Parameter && site.space != MemorySpace::Constant {
            let strong = site.order.strong.is_some();
            let look = &mut self.looks[warp.index as usize];
            if strong || look.is_none_or(|look| !look.strong) {
                let lane = warp.mask.trailing_zeros() & 31;
                let (address, space) = (at[lane as usize], site.space);
                let bytes = bytes as u32;
                *look = Some(SpinRead { instruction, lane, address, space, bytes, strong });
            }
        }
        for lane in (0..32).filter(|lane| warp.mask >> lane & 1 != 0) {
            let address = at[lane as usize];
            let host = warp.lane_host(site.space, lane, address, bytes as u64);
            let Some(host) = host else { continue };
            if writes {
                self.changed |= bytes > MOST_BYTES;
                // SAFETY: `lane_host` returned an address that it had checked for `bytes` bytes.
                self.under_way.push(unsafe { ByteSnapshot::capture(host, bytes) });
            }
            if reads && is_global(site.space, address) {
                self.reads.insert((host as u64, bytes), host);
            }
        }
    }
}

/// Whether an address is in global memory.
fn is_global(space: MemorySpace, address: u64) -> bool {
    match space {
        MemorySpace::Global => true,
        MemorySpace::Generic => generic_space(address) == Space::Global,
        _ => false,
    }
}

/// The registers that decide how the spinning warps of a cluster continue.
///
/// *Algorithm.* The code of a spin is the strongly connected component of the control-flow graph that the
/// warp is in: a warp that leaves it does not come back. A backward slice (Weiser, "Program Slicing", 1981)
/// within that code finds the registers that reach a guard, an address, a stored value, or any other
/// operation with an effect. Other registers, such as a counter of tries that is read after the loop, decide
/// nothing while the spin lasts.
///
/// A forward slice from reads of the clock finds the registers that change with time alone. They do not
/// count either: the probe moves the clock ahead instead, so a wait with a timeout ends.
#[derive(Clone, Default)]
pub struct SpinRegisters {
    /// Whether each register decides and does not depend on the clock.
    pub deciding: Vec<bool>,
    /// Whether a register that decides depends on the clock.
    pub timed: bool,
}

impl SpinRegisters {
    /// For warps at these instructions.
    pub fn at(kernel: &Kernel, cfg: &ControlFlowGraph, instructions: &[u32]) -> SpinRegisters {
        let at = |inst: &&Inst| instructions.contains(&inst.origin);
        let blocks = kernel.insts.iter().enumerate().filter(|(_, inst)| at(inst));
        let mut starts: Vec<usize> = blocks.map(|(i, _)| cfg.block_of(i)).collect();
        starts.dedup();
        let mut within = vec![false; cfg.blocks.len()];
        for start in starts {
            if !within[start] {
                component(cfg, start, &mut within);
            }
        }
        let code = || {
            let blocks = cfg.blocks.iter().zip(&within).filter(|(_, within)| **within);
            blocks.flat_map(|(block, _)| &kernel.insts[block.start..block.end])
        };
        let mut decides = vec![false; kernel.registers.len()];
        for inst in code() {
            let effects = inst.src.iter().filter_map(|src| src.register());
            let effects = effects.filter(|_| inst.opcode.has_effect());
            effects.chain(inst.guard.map(|(r, _)| r)).for_each(|r| decides[r as usize] = true);
        }
        slice(code, &mut decides, |inst, decides| {
            let wanted = inst.is_alu() && inst.writes().any(|r| decides[r as usize]);
            wanted.then(|| inst.src.iter().filter_map(|src| src.register()).collect())
        });
        let mut timed = vec![false; kernel.registers.len()];
        slice(code, &mut timed, |inst, timed| {
            let reads = || inst.reads().any(|r| timed[r as usize]);
            let changes = is_clock(inst) || !matches!(inst.opcode, Opcode::Memory(_)) && reads();
            changes.then(|| inst.writes().collect())
        });
        let both = |(decides, timed): (&bool, &bool)| *decides && *timed;
        let depends = decides.iter().zip(&timed).any(both);
        let deciding = decides.iter().zip(&timed).map(|(decides, timed)| *decides && !timed);
        SpinRegisters { deciding: deciding.collect(), timed: depends }
    }
}

fn is_clock(inst: &Inst) -> bool {
    matches!(inst.opcode, Opcode::Warp(WarpOp::Clock { .. }))
}

/// Adds registers up to a fixed point; `more` returns the registers that an instruction adds.
fn slice<'a, I: Iterator<Item = &'a Inst>>(
    code: impl Fn() -> I,
    found: &mut [bool],
    more: impl Fn(&Inst, &[bool]) -> Option<Vec<u32>>,
) {
    loop {
        let mut changed = false;
        for inst in code() {
            for r in more(inst, found).unwrap_or_default() {
                changed |= !std::mem::replace(&mut found[r as usize], true);
            }
        }
        if !changed {
            return;
        }
    }
}

/// Marks the blocks that a block reaches and that reach it.
fn component(cfg: &ControlFlowGraph, start: usize, within: &mut [bool]) {
    let reached = |next: &dyn Fn(usize) -> Vec<usize>| {
        let mut seen = vec![false; cfg.blocks.len()];
        let mut open = vec![start];
        seen[start] = true;
        while let Some(block) = open.pop() {
            for other in next(block) {
                if !std::mem::replace(&mut seen[other], true) {
                    open.push(other);
                }
            }
        }
        seen
    };
    let forward = reached(&|block| cfg.successors(block).to_vec());
    let backward = reached(&|block| cfg.predecessors(block).to_vec());
    for (within, (a, b)) in within.iter_mut().zip(forward.iter().zip(&backward)) {
        *within |= a & b;
    }
}
