//! The shadow memory of a finished launch, and its footprint.
//!
//! *Algorithm.* One pass over the shadow lines of 16 cells. Each field of a cell names the
//! instruction of its last access. Adjacent cells that one source line accessed form a run, and the
//! runs of a source line form one set of bytes. A line whose cells all hold the same epoch is
//! detected by one comparison and added as one run.

use crate::findings::report::CodeLocation;
use crate::footprint::byte_set::ByteSet;
use crate::footprint::{AccessMode, AccessedBytes, Footprint};
use crate::races::epoch::{self, LINE, PackedEpoch};
use crate::races::shadow_memory::{LineView, ShadowMemory};
use crate::races::{FinishedLaunches, FinishedOrder, is_known};
use lanework_ptx_ir::kernel::{Kernel, Opcode, Scope};
use std::sync::Arc;

/// Maximum number of source lines per access mode; further lines share one set without a source
/// line.
const MOST_SOURCE_LINES: usize = 16;

/// The fields of a shadow cell and their access modes.
const FIELDS: [AccessMode; 7] = [
    AccessMode::Write,
    AccessMode::Read,
    AccessMode::Read,
    AccessMode::StrongWrite,
    AccessMode::StrongWrite,
    AccessMode::StrongRead,
    AccessMode::StrongRead,
];
/// Index of the weak write in [`FIELDS`].
const WRITE: usize = 0;
/// Indices of the two weak reads.
const READS: [usize; 2] = [1, 2];
/// Index of the first strong access.
const STRONG: usize = 3;

/// Sentinel: no source line.
const NO_SOURCE: u16 = u16::MAX;

/// Sentinel: the instruction's source line has not been looked up yet.
const UNKNOWN: u16 = u16::MAX - 1;

/// The bytes of one field, as runs of cells of one source line.
#[derive(Default)]
struct FieldRuns {
    /// The open run: source line, first byte, end.
    open: Option<(u16, u64, u64)>,
    /// Sets by source line.
    sets: Vec<(u16, ByteSet)>,
}

impl FieldRuns {
    #[inline(always)]
    fn add(&mut self, source: u16, start: u64, end: u64) {
        if let Some((of, _, last)) = &mut self.open
            && *of == source
            && *last == start
        {
            *last = end;
            return;
        }
        self.close();
        self.open = Some((source, start, end));
    }

    #[inline(never)]
    fn close(&mut self) {
        let Some((source, start, end)) = self.open.take() else { return };
        let place = |source: u16| self.sets.iter().position(|(of, _)| *of == source);
        let (source, known) = match place(source) {
            None if self.sets.len() >= MOST_SOURCE_LINES => (NO_SOURCE, place(NO_SOURCE)),
            known => (source, known),
        };
        match known {
            Some(index) => self.sets[index].1.append(start, end),
            None => self.sets.push((source, ByteSet::range(start, end))),
        }
    }
}

/// The source lines of a kernel, numbered by first use.
struct SourceLines<'a> {
    kernel: &'a Kernel,
    /// By instruction.
    numbers: Vec<u16>,
    /// By number: an instruction of the source line.
    firsts: Vec<usize>,
}

impl SourceLines<'_> {
    /// The number of the source line of an access.
    #[inline(always)]
    fn of(&mut self, access: PackedEpoch) -> u16 {
        let instruction = epoch::instruction(access) as usize;
        match self.numbers.get(instruction).copied() {
            Some(UNKNOWN) => self.look_up(instruction),
            number => number.unwrap_or(NO_SOURCE),
        }
    }

    #[cold]
    fn look_up(&mut self, instruction: usize) -> u16 {
        let origins = &self.kernel.origins;
        let place = |of: usize| match &origins[of].location {
            Some(at) => (at.file.as_str(), at.line),
            None => ("", origins[of].text_line),
        };
        let known = self.firsts.iter().position(|first| place(*first) == place(instruction));
        let number = known.unwrap_or_else(|| {
            self.firsts.push(instruction);
            self.firsts.len() - 1
        });
        let number = if number < usize::from(UNKNOWN) { number as u16 } else { NO_SOURCE };
        self.numbers[instruction] = number;
        number
    }

    /// The source line of a number.
    fn spot(&self, number: u16) -> Option<CodeLocation> {
        let origin = &self.kernel.origins[*self.firsts.get(usize::from(number))?];
        Some(CodeLocation { location: origin.location.clone(), text_line: origin.text_line })
    }
}

/// Position of a shadow line in global memory.
#[derive(Clone, Copy)]
struct LineCells {
    /// Address of the first cell.
    start: u64,
    /// Bytes per cell.
    grain: u64,
    /// End of the allocation, which may be inside the line.
    end: u64,
}

impl LineCells {
    /// First byte and end of a cell; `None` for a cell after the end of the allocation.
    #[inline(always)]
    fn bytes(self, number: u64) -> Option<(u64, u64)> {
        let at = self.start + number * self.grain;
        (at < self.end).then(|| (at, (at + self.grain).min(self.end)))
    }
}

/// A filter of accesses.
type Kept<'a> = &'a dyn Fn(PackedEpoch) -> bool;

/// State of the pass.
struct FootprintPass<'a> {
    /// The accesses to add; all if `None`.
    keeps: Option<Kept<'a>>,
    sources: SourceLines<'a>,
    /// By field.
    runs: [FieldRuns; FIELDS.len()],
    observed: FieldRuns,
}

impl FootprintPass<'_> {
    /// Adds one field of a shadow line.
    #[inline(always)]
    fn add_field(&mut self, field: usize, cells: &[PackedEpoch; LINE], place: LineCells) {
        let runs = &mut self.runs[field];
        // Mostly half a warp has accessed all cells in one epoch by one instruction, or no cell was
        // accessed: one comparison decides.
        let differ = cells.iter().fold(0, |differ, cell| differ | cell ^ cells[0]);
        if differ == 0 && cells[0] == 0 {
            return;
        }
        if differ & !epoch::LANES == 0 && cells[0] != 0 && self.keeps.is_none() {
            let end = (place.start + LINE as u64 * place.grain).min(place.end);
            return runs.add(self.sources.of(cells[0]), place.start, end);
        }
        for (number, cell) in (0u64..).zip(cells) {
            if *cell != 0
                && self.keeps.is_none_or(|keeps| keeps(*cell))
                && let Some((start, end)) = place.bytes(number)
            {
                runs.add(self.sources.of(*cell), start, end);
            }
        }
    }

    /// Adds a shadow line.
    #[inline(always)]
    fn add_line(&mut self, line: &LineView<'_>, place: LineCells) {
        if let Some(writes) = line.writes {
            self.add_field(WRITE, writes, place);
        }
        for (field, reads) in READS.into_iter().zip(line.reads) {
            self.add_field(field, reads, place);
        }
        let Some(strong) = line.strong else { return };
        for (number, cell) in (0u64..).zip(strong) {
            let Some((start, end)) = place.bytes(number) else { return };
            let accesses = cell.writes.into_iter().chain(cell.reads);
            let kept =
                |access: PackedEpoch| access != 0 && self.keeps.is_none_or(|keeps| keeps(access));
            for (field, access) in (STRONG..).zip(accesses).filter(|(_, access)| kept(*access)) {
                self.runs[field].add(self.sources.of(access), start, end);
            }
            if cell.polled != 0 {
                self.observed.add(0, start, end);
            }
        }
    }

    fn finish(mut self) -> Footprint {
        self.observed.close();
        let observed = self.observed.sets.into_iter().map(|(_, set)| set).next();
        let mut numbered: Vec<(AccessMode, u16, ByteSet)> = Vec::new();
        for (mode, mut runs) in FIELDS.into_iter().zip(self.runs) {
            runs.close();
            for (source, set) in runs.sets {
                match numbered.iter_mut().find(|(of, at, _)| (*of, *at) == (mode, source)) {
                    Some((.., known)) => *known = known.union(&set),
                    None => numbered.push((mode, source, set)),
                }
            }
        }
        let accesses = numbered.into_iter().map(|(mode, source, bytes)| AccessedBytes {
            mode,
            line: self.sources.spot(source),
            bytes,
        });
        Footprint { accesses: accesses.collect(), observed: observed.unwrap_or_default() }
    }
}

/// The shadow of a global allocation.
pub struct AllocationShadow {
    /// Address of the allocation.
    pub start: u64,
    /// Size in bytes.
    pub bytes: u64,
    /// Its shadow cells.
    pub shadow: ShadowMemory,
}

/// The shadow memory of a finished launch. The footprint is computed only on demand, since most
/// launches are ordered with all others.
pub struct LaunchShadow {
    kernel: Arc<Kernel>,
    /// Launches by the kernel.
    launched: Option<FinishedLaunches>,
    order: FinishedOrder,
    /// Sorted by address.
    allocations: Vec<AllocationShadow>,
    /// Whether the kernel has printed text.
    pub printed: bool,
}

impl LaunchShadow {
    /// For a finished launch of a kernel.
    pub fn new(
        kernel: Arc<Kernel>,
        mut allocations: Vec<AllocationShadow>,
        launched: Option<FinishedLaunches>,
        order: FinishedOrder,
    ) -> LaunchShadow {
        allocations.sort_by_key(|allocation| allocation.start);
        LaunchShadow { kernel, allocations, launched, order, printed: false }
    }

    /// The blocks of the first launches by the kernel, in the order of their numbers.
    pub fn launching_blocks(&self) -> Vec<u64> {
        let list = self.launched.iter().flat_map(|launched| &launched.list);
        list.map(|point| point.block).collect()
    }

    /// The accesses that do not happen before launch `number` (from 0) by the kernel.
    pub fn not_before_launch(&self, number: usize) -> Footprint {
        let Some(launched) = &self.launched else { return Footprint::default() };
        let Some(point) = launched.list.get(number) else { return Footprint::default() };
        self.footprint_of(&|access| !point.is_after(&self.order.epochs, access))
    }

    /// The footprint without accesses to the queue of launches.
    pub fn footprint_without_queue(&self) -> Footprint {
        self.footprint_of(&|_| true)
    }

    /// The accessed allocations: start and end address.
    pub fn allocations(&self) -> impl Iterator<Item = (u64, u64)> {
        self.allocations.iter().map(|one| (one.start, one.start + one.bytes))
    }

    /// Computes the footprint by a pass over all shadow cells.
    pub fn footprint(&self) -> Footprint {
        self.pass(None)
    }

    /// The weak writes that the grid did not release to the host while it ran, by a fence of system scope and a
    /// later strong write.
    pub fn withheld_from_host(&self) -> Footprint {
        let FinishedOrder { epochs, host_knows } = &self.order;
        let mut withheld = self.footprint_of(&|access| !is_known(host_knows, epochs, access));
        withheld.accesses.retain(|access| access.mode == AccessMode::Write);
        withheld
    }

    /// The strong writes of system scope, which `.volatile` writes have. The host may poll for them while the grid runs;
    /// an atomic of a narrower scope is not one for the host.
    pub fn signals_to_host(&self) -> Footprint {
        let mut of_system = vec![false; self.kernel.origins.len()];
        for inst in &self.kernel.insts {
            if let Opcode::Memory(op) = &inst.opcode
                && (op.order.strong == Some(Scope::System) || op.order.data)
                && let Some(known) = of_system.get_mut(inst.origin as usize)
            {
                *known = true;
            }
        }
        if !of_system.contains(&true) {
            return Footprint::default();
        }
        let is_signal = |access: PackedEpoch| {
            of_system.get(epoch::instruction(access) as usize).copied().unwrap_or(false)
        };
        let mut signals = self.footprint_of(&is_signal);
        signals.accesses.retain(|access| access.mode == AccessMode::StrongWrite);
        signals
    }

    /// The footprint of some accesses, without those to the queue of launches.
    fn footprint_of(&self, keeps: &dyn Fn(PackedEpoch) -> bool) -> Footprint {
        self.pass(Some(keeps))
    }

    fn pass(&self, keeps: Option<Kept<'_>>) -> Footprint {
        let queue = self.launched.as_ref().filter(|_| keeps.is_some()).map(|of| of.queue);
        let numbers = vec![UNKNOWN; self.kernel.origins.len()];
        let sources = SourceLines { kernel: &self.kernel, numbers, firsts: Vec::new() };
        let (runs, observed) = Default::default();
        let mut pass = FootprintPass { sources, runs, observed, keeps };
        let others = self.allocations.iter().filter(|one| Some(one.start) != queue);
        for AllocationShadow { start, bytes, shadow } in others {
            let (grain, end) = (shadow.grain(), start + bytes);
            shadow.lines(|line| {
                let start = start + line.first as u64 * grain;
                if start < end {
                    pass.add_line(&line, LineCells { start, grain, end });
                }
            });
        }
        pass.finish()
    }
}
