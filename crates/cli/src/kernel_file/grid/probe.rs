//! Runs single blocks of a kernel on copies of the arguments, and compares their accesses.
//!
//! The step of an instruction is the distance between the addresses that the same thread accesses in two blocks. It is measured
//! in two small grids of different size: a step that depends on the grid does not tell how many blocks the data takes.

use super::tiles::{Axes, Footprint, Spans, joined};
use crate::args::KernelArgs;
use crate::kernel_file::launch::{Ready, given, maps, upload};
use crate::kernel_file::source::Ptx;
use lanework::emulator::{AccessKind, Blocks, Keep, Options, Space, TraceConfig, TracedAccess};
use lanework::{Buffer, Device, Dim3, PtxModule, PtxShape};
use lanework_terminal::failure::Failure;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// A kernel with its arguments.
pub struct FileKernel<'a> {
    /// The options of the command.
    pub args: &'a KernelArgs,
    /// The text.
    pub ptx: &'a Ptx,
    /// The module, on any device.
    pub module: &'a PtxModule,
    /// The entry.
    pub entry: &'a str,
    /// The arguments.
    pub ready: &'a [Ready],
}

impl FileKernel<'_> {
    /// Whether the entry, or a function of the file, has this special register or the address of this variable.
    pub fn uses(&self, register: &str) -> bool {
        let is_start = |line: &str| line.contains(".entry") || line.contains(".func");
        let mut inside = true;
        self.ptx.text.lines().any(|line| {
            if is_start(line) {
                let named = || line.split([' ', '\t', '(']).any(|word| word == self.entry);
                inside = !line.contains(".entry") || named();
            }
            inside && line.contains(register) && !line.trim_start().starts_with(".extern")
        })
    }

    /// Whether it reads a block's index on this axis.
    pub fn reads_axis(&self, axis: usize) -> bool {
        let name = ["%ctaid.x", "%ctaid.y", "%ctaid.z"][axis];
        self.uses(name) || ["%ctaid,", "%ctaid;", "%clusterid"].iter().any(|all| self.uses(all))
    }
}

/// Warp instructions, seconds and accesses after which a run stops; what it has seen by then counts.
const INSTRUCTIONS: u64 = 1 << 22;
const SECONDS: u64 = 10;
const ACCESSES: usize = 1 << 17;

/// The extents of the two grids on each axis that the kernel reads.
const GRIDS: [u32; 2] = [3, 4];

/// The accesses of one block to the arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reached {
    /// None that moves from block to block.
    Nothing,
    /// In bounds.
    Inside,
    /// Out of bounds, or the block did not end.
    Fault,
}

/// A kernel on an emulator of its own, and what its first blocks access.
pub struct Probe<'a> {
    kernel: &'a FileKernel<'a>,
    shape: PtxShape,
    module: PtxModule,
    buffers: Vec<Option<Buffer<u8>>>,
    /// The parts of the arguments that block 0 touches and other blocks touch elsewhere.
    pub footprints: Vec<Footprint>,
    /// The instructions of these accesses.
    moving: BTreeSet<u32>,
    /// Whether the second block of each axis accesses global memory.
    pub works: [bool; 3],
    /// Blocks of a cluster.
    pub cluster: Axes,
    /// Whether the first block faulted before its first access, as in a launch that is refused.
    pub refused: bool,
    /// Whether steps depend on the number of blocks.
    pub follows_grid: bool,
    /// Whether the first block faults: it is in every grid.
    pub faults: bool,
    /// Set if blocks take their work from a counter in memory.
    pub queue: Option<Queue>,
    /// The accesses to each argument so far. What runs both read and write has its contents of the command line again before
    /// the next run.
    accessed: BTreeMap<usize, Accessed>,
}

/// Accesses of a block by instruction and warp.
type Touches = BTreeMap<(u32, u32), Vec<TracedAccess>>;

/// The steps of an instruction on each axis.
type Steps = BTreeMap<u32, [i64; 3]>;

impl<'a> Probe<'a> {
    /// Runs the first blocks.
    ///
    /// # Errors
    /// If the emulator does not support the kernel, or its arguments do not fit the memory.
    pub fn of(kernel: &'a FileKernel<'a>, shape: PtxShape) -> Result<Probe<'a>, Failure> {
        let mut options = Options {
            total_instructions: Some(INSTRUCTIONS),
            time_limit: Some(Duration::from_secs(SECONDS)),
            ..Options::default()
        };
        if let Some(bytes) = kernel.args.memory_limit {
            options.limits.memory = bytes;
        }
        let device = Device::emulator_within(options);
        let module = kernel.ptx.load(&device)?;
        let buffers = upload(&device, kernel.ready)?;
        let mut probe = Probe {
            kernel,
            shape,
            module,
            buffers,
            footprints: Vec::new(),
            moving: BTreeSet::new(),
            works: [false; 3],
            cluster: shape.cluster.map_or([1; 3], Dim3::to_array),
            refused: false,
            follows_grid: false,
            faults: false,
            queue: None,
            accessed: BTreeMap::new(),
        };
        probe.compare()?;
        Ok(probe)
    }

    /// The grid with this extent, in clusters, on each axis that the kernel reads.
    fn grid_of(&self, extent: u32) -> Axes {
        [0, 1, 2].map(|axis| match self.kernel.reads_axis(axis) {
            true => extent * self.cluster[axis],
            false => self.cluster[axis],
        })
    }

    /// Finds the steps and the footprints.
    fn compare(&mut self) -> Result<(), Failure> {
        let grids = GRIDS.map(|extent| self.grid_of(extent));
        let first = self.touches(grids[0], [0; 3], &Keep::FirstOfWarp)?;
        self.refused = first.faulted && first.touches.is_empty();
        self.faults = first.faulted;
        // What the first block does alone, and after it has run once: it finds no work, or other work, in a queue.
        let has_atomics = first.touches.values().flatten().any(|of| of.kind == AccessKind::Atomic);
        let alone = match has_atomics {
            true => {
                let once = self.touches_of(grids[0], [0; 3], &Keep::FirstOfWarp, true)?;
                Some([once, self.run(grids[0], [0; 3], &Keep::FirstOfWarp, true)?])
            }
            false => None,
        };
        let mut steps = self.steps(grids[0], &first.touches)?;
        steps.retain(|_, step| *step != [0; 3]);
        let again = self.touches(grids[1], [0; 3], &Keep::FirstOfWarp)?;
        let others = self.steps(grids[1], &again.touches)?;
        let paired = |instruction: &u32, step: &[i64; 3]| Some((*step, *others.get(instruction)?));
        let pairs: Vec<_> =
            steps.iter().filter_map(|(instruction, step)| paired(instruction, step)).collect();
        if pairs.iter().any(|(one, other)| one != other) {
            // Blocks that the kernel numbers through all axes need one axis only.
            let is_linear = |(one, other): &([i64; 3], [i64; 3])| {
                one[0] == other[0] && is_linear(*one, grids[0]) && is_linear(*other, grids[1])
            };
            self.follows_grid = !pairs.iter().all(is_linear);
            steps.values_mut().for_each(|step| step[1..].fill(0));
            self.works[1..].fill(false);
        }
        self.moving = steps.keys().copied().collect();
        self.queue = alone.and_then(|[once, repeated]| self.queue_of(&once, &repeated));
        // Loops over the grid start at the same place in every grid; other kernels, such as those that count blocks from the
        // end of the grid, do not.
        let [ours, theirs] =
            [&first.touches, &again.touches].map(|of| self.spans(of, Some(&self.moving)));
        self.follows_grid |= ours != theirs;
        let every = Keep::Of(self.moving.iter().copied().collect());
        let all = self.touches(grids[0], [0; 3], &every)?;
        let same = self.touches(grids[1], [0; 3], &every)?;
        let ended = !all.faulted && !all.cut && !same.faulted && !same.cut;
        // Loops over the grid touch more than their first accesses, and in every grid something else.
        let loops = ended && self.spans(&all.touches, None) != self.spans(&same.touches, None);
        let from = if loops { &first.touches } else { &all.touches };
        let is_cluster = self.cluster != [1; 3];
        let whole = ended && !loops && !is_cluster;
        let mut groups: BTreeMap<(usize, [i64; 3], bool, u32), BTreeSet<u32>> = BTreeMap::new();
        for (instruction, step) in &steps {
            let own = from.range((*instruction, 0)..=(*instruction, u32::MAX));
            let Some(touch) = own.flat_map(|(_, touches)| touches).next() else { continue };
            let least = lanes(touch).map(|(_, at)| at).min();
            let Some((argument, ..)) = least.and_then(|at| self.argument(at)) else { continue };
            // Each access of an unrolled loop over the grid is a footprint of its own.
            let own = if loops { *instruction } else { 0 };
            let key = (argument, *step, touch.kind != AccessKind::Load, own);
            groups.entry(key).or_default().insert(*instruction);
        }
        for ((argument, strides, writes, _), instructions) in groups {
            let spans = self.spans(from, Some(&instructions)).remove(&argument).unwrap_or_default();
            let bytes = self.buffers[argument].as_ref().map_or(0, |one| one.len() as u64);
            self.footprints.push(Footprint { argument, bytes, spans, strides, writes, whole });
        }
        // In a product of matrices, only the result moves on both axes; the operands do not tell the extent of the other.
        let moved = |one: &Footprint| one.strides.map(|stride| stride != 0);
        let all = self
            .footprints
            .iter()
            .map(moved)
            .fold([false; 3], |all, one| [0, 1, 2].map(|axis| all[axis] || one[axis]));
        if self.footprints.iter().any(|one| moved(one) == all) {
            self.footprints.retain(|one| moved(one) == all);
        }
        Ok(())
    }

    /// The queue of a block that, after it has run once, begins to load elsewhere or finds no work.
    fn queue_of(&self, once: &Ran, again: &Ran) -> Option<Queue> {
        if [once, again].iter().any(|ran| ran.faulted || ran.cut) {
            return None;
        }
        let loads = |ran: &Ran| -> BTreeMap<(u32, u32), u64> {
            let of_place = |(place, touches): (&(u32, u32), &Vec<TracedAccess>)| {
                let touch = touches.first().filter(|touch| touch.kind == AccessKind::Load)?;
                Some((*place, lanes(touch).next()?.1))
            };
            ran.touches.iter().filter_map(of_place).collect()
        };
        let others = loads(again);
        let mut queue: Option<Queue> = None;
        let mut largest = 0;
        for (place, at) in loads(once) {
            // A load that all blocks begin at the same place, or that the block makes no more: the queue is empty.
            let parts = match others.get(&place) {
                Some(other) if *other == at || self.moving.contains(&place.0) => continue,
                Some(other) => {
                    self.argument(at).map(|(_, base, bytes)| (bytes, bytes - (at - base), *other))
                }
                None => None,
            };
            let found = queue.get_or_insert(Queue { parts: None });
            // The largest array tells the number of parts.
            if let Some((bytes, rest, other)) = parts.filter(|(bytes, ..)| *bytes > largest) {
                largest = bytes;
                found.parts = u32::try_from(rest.div_ceil(other.abs_diff(at))).ok();
            }
        }
        queue
    }

    /// The steps of block 0's accesses to the next block on each axis of a grid.
    fn steps(&mut self, grid: Axes, first: &Touches) -> Result<Steps, Failure> {
        let mut steps: BTreeMap<u32, Option<[i64; 3]>> =
            first.keys().map(|(instruction, _)| (*instruction, Some([0; 3]))).collect();
        for axis in 0..3 {
            if !self.kernel.reads_axis(axis) {
                continue;
            }
            let mut at = [0; 3];
            at[axis] = self.cluster[axis];
            let next = self.touches(grid, at, &Keep::FirstOfWarp)?;
            self.works[axis] = next.faulted || !next.touches.is_empty();
            for (instruction, steps) in &mut steps {
                let Some(known) = steps else { continue };
                match step(*instruction, first, &next.touches) {
                    BlockStep::Of(step) => known[axis] = step / i64::from(self.cluster[axis]),
                    BlockStep::Absent => {}
                    BlockStep::Varies => *steps = None,
                }
            }
        }
        Ok(steps.into_iter().filter_map(|(at, steps)| Some((at, steps?))).collect())
    }

    /// Offsets that accesses touch in each argument: all accesses, or those of some instructions.
    fn spans(&self, touches: &Touches, only: Option<&BTreeSet<u32>>) -> BTreeMap<usize, Spans> {
        let mut spans: BTreeMap<usize, Spans> = BTreeMap::new();
        let wanted = |at: u32| only.is_none_or(|only| only.contains(&at));
        for ((_, _), touches) in touches.iter().filter(|((at, _), _)| wanted(*at)) {
            for touch in touches {
                for (_, at) in lanes(touch) {
                    let Some((argument, base, _)) = self.argument(at) else { continue };
                    let of = spans.entry(argument).or_default();
                    let (start, end) = (at - base, at - base + u64::from(touch.bytes));
                    match of.last_mut() {
                        Some(last) if last.1 == start => last.1 = end,
                        _ => of.push((start, end)),
                    }
                }
            }
        }
        spans.into_iter().map(|(argument, of)| (argument, joined(of))).collect()
    }

    /// The part of an argument that the block at this place of a grid writes; of a footprint of loads, the part that it reads.
    ///
    /// # Errors
    /// As [`Probe::of`].
    pub fn part(&mut self, footprint: &Footprint, grid: Axes, at: Axes) -> Result<Spans, Failure> {
        let every = Keep::Of(self.moving.iter().copied().collect());
        let mut ran = self.touches(grid, at, &every)?;
        for touches in ran.touches.values_mut() {
            touches.retain(|touch| (touch.kind != AccessKind::Load) == footprint.writes);
        }
        Ok(self.spans(&ran.touches, None).remove(&footprint.argument).unwrap_or_default())
    }

    /// Whether blocks wait for each other, so that all of them must run.
    pub fn blocks_wait(&self) -> bool {
        self.shape.cooperative || self.module.blocks_may_wait(self.kernel.entry)
    }

    /// The accesses of the block at this place of a grid to global memory, with the contents of the command line.
    fn touches(&mut self, grid: Axes, at: Axes, accesses: &Keep) -> Result<Ran, Failure> {
        let alone = !self.blocks_wait();
        self.touches_of(grid, at, accesses, alone)
    }

    /// The same; `alone` runs no other block of the grid, even if the block may wait for others.
    fn touches_of(
        &mut self,
        grid: Axes,
        at: Axes,
        accesses: &Keep,
        alone: bool,
    ) -> Result<Ran, Failure> {
        for (index, of) in &self.accessed {
            if of.read
                && of.written
                && let (Some(buffer), Ready::Memory { array, .. }) =
                    (&mut self.buffers[*index], &self.kernel.ready[*index])
            {
                buffer.upload(&array.bytes)?;
            }
        }
        self.run(grid, at, accesses, alone)
    }

    /// The same, with the contents that earlier runs left.
    fn run(&mut self, grid: Axes, at: Axes, accesses: &Keep, alone: bool) -> Result<Ran, Failure> {
        let [x, y, _] = grid.map(u64::from);
        let [i, j, k] = at.map(u64::from);
        let block = i + x * (j + y * k);
        let (kernel, shape) = (self.kernel, self.shape);
        let blocks = match alone {
            false => Blocks::All,
            true => {
                Blocks::Range { first: block, count: self.cluster.iter().product::<u32>().into() }
            }
        };
        let wanted = TraceConfig {
            accesses: accesses.clone(),
            most: ACCESSES,
            only: Some(block..block + 1),
            ..TraceConfig::default()
        };
        let shape = PtxShape { grid: Dim3 { x: grid[0], y: grid[1], z: grid[2] }, ..shape };
        let (trace, faulted) = {
            let maps = maps(kernel.ready, &self.buffers)?;
            let arguments = given(kernel.ready, &self.buffers, &maps);
            self.module.trace_to_fault(kernel.entry, shape, &arguments, blocks, wanted)?
        };
        let mut touches = Touches::new();
        for touch in trace.touches.into_iter().filter(|touch| touch.space == Space::Global) {
            if let Some(at) = lanes(&touch).next()
                && let Some((argument, ..)) = self.argument(at.1)
            {
                let of = self.accessed.entry(argument).or_default();
                of.read |= touch.kind != AccessKind::Store;
                of.written |= touch.kind != AccessKind::Load;
            }
            let place = (touch.place.instruction, touch.place.warp);
            touches.entry(place).or_default().push(touch);
        }
        Ok(Ran { touches, faulted, cut: trace.cut })
    }

    /// Runs the block at this place of a grid, and returns whether it accesses the arguments.
    ///
    /// # Errors
    /// As [`Probe::of`].
    pub fn block(&mut self, grid: Axes, at: Axes) -> Result<Reached, Failure> {
        let ran = self.touches(grid, at, &Keep::FirstOfWarp)?;
        let moves = ran.touches.keys().any(|(instruction, _)| self.moving.contains(instruction));
        Ok(match (ran.faulted, moves) {
            (true, _) => Reached::Fault,
            (false, true) => Reached::Inside,
            (false, false) => Reached::Nothing,
        })
    }

    /// The argument with this address, its first address and its size.
    fn argument(&self, address: u64) -> Option<(usize, u64, u64)> {
        self.buffers.iter().enumerate().find_map(|(index, buffer)| {
            let buffer = buffer.as_ref()?;
            let (base, bytes) = (buffer.address(), buffer.len() as u64);
            (base..base + bytes).contains(&address).then_some((index, base, bytes))
        })
    }
}

/// A queue of work.
#[derive(Clone, Copy, Debug)]
pub struct Queue {
    /// The parts that the data have, if a block takes one of them; else any number of blocks does all the work.
    pub parts: Option<u32>,
}

/// The kinds of accesses to an argument.
#[derive(Clone, Copy, Default)]
struct Accessed {
    read: bool,
    written: bool,
}

/// A block's accesses.
struct Ran {
    touches: Touches,
    /// Whether a fault ended the block.
    faulted: bool,
    /// Whether accesses are missing.
    cut: bool,
}

/// Whether steps are those of blocks that are numbered through all axes of this grid.
fn is_linear([x, y, z]: [i64; 3], grid: Axes) -> bool {
    let [width, height, _] = grid.map(i64::from);
    let is = |given: i64, blocks: i64| given == 0 || given == x * blocks;
    x != 0 && is(y, width) && is(z, width * height)
}

/// The active lanes and their addresses.
fn lanes(touch: &TracedAccess) -> impl Iterator<Item = (u32, u64)> {
    let active = (0..32).filter(|lane| touch.mask >> lane & 1 != 0);
    active.map(|lane| (lane, touch.addresses[lane as usize]))
}

/// The step of an access from one block to another.
enum BlockStep {
    /// The same in all threads.
    Of(i64),
    /// No thread makes the access in both blocks.
    Absent,
    /// Different, so it depends on data.
    Varies,
}

/// The step of an instruction's first accesses between two blocks.
fn step(instruction: u32, ours: &Touches, theirs: &Touches) -> BlockStep {
    let mut found = BlockStep::Absent;
    for (place, touches) in ours.range((instruction, 0)..=(instruction, u32::MAX)) {
        let (Some(touch), Some(others)) = (touches.first(), theirs.get(place)) else { continue };
        let Some(other) = others.first() else { continue };
        for (lane, address) in lanes(touch).filter(|(lane, _)| other.mask >> lane & 1 != 0) {
            let step = other.addresses[lane as usize].wrapping_sub(address).cast_signed();
            match found {
                BlockStep::Absent => found = BlockStep::Of(step),
                BlockStep::Of(before) if before == step => {}
                _ => return BlockStep::Varies,
            }
        }
    }
    found
}
