//! Compares the accesses of a kernel's first blocks: a small grid runs on copies of the arguments, and the addresses of the same
//! instruction of the same thread in two blocks are compared.

use super::launch::{Ready, given, maps, upload};
use super::source::Ptx;
use crate::args::KernelArgs;
use lanework::emulator::{Blocks, Keep, Options, Space, TraceConfig, TracedAccess};
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
    /// Whether the entry, or a function of the file, has this special register.
    pub fn uses(&self, register: &str) -> bool {
        let is_start = |line: &str| line.contains(".entry") || line.contains(".func");
        let mut inside = true;
        self.ptx.text.lines().any(|line| {
            if is_start(line) {
                let named = || line.split([' ', '\t', '(']).any(|word| word == self.entry);
                inside = !line.contains(".entry") || named();
            }
            inside && line.contains(register)
        })
    }

    /// Whether it reads a block's index on this axis.
    pub fn reads_axis(&self, axis: usize) -> bool {
        let name = ["%ctaid.x", "%ctaid.y", "%ctaid.z"][axis];
        self.uses(name) || ["%ctaid,", "%ctaid;", "%clusterid"].iter().any(|all| self.uses(all))
    }
}

/// A number for each axis.
pub type Axes = [u32; 3];

/// Warp instructions, seconds and accesses after which the probe stops; what it has seen by then counts.
const INSTRUCTIONS: u64 = 1 << 22;
const SECONDS: u64 = 10;
const ACCESSES: usize = 1 << 17;

/// An access whose address moves by a constant from block to block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cover {
    /// The argument.
    pub argument: usize,
    /// The size of its array in bytes.
    pub bytes: u64,
    /// The least offset in block 0.
    pub first: u64,
    /// Bytes from a block to the next one on each axis.
    pub strides: [i64; 3],
    /// Bytes from a thread to the next one on each axis; 0 if unknown.
    pub threads: [u64; 3],
}

impl Cover {
    /// The number of blocks on each axis that cover the array.
    pub fn blocks(&self, cluster: Axes) -> Axes {
        [0, 1, 2].map(|axis| {
            let own = self.strides[axis].unsigned_abs();
            if own == 0 {
                return 1;
            }
            // An axis ends where a larger step begins: a row ends where the next row begins.
            let blocks = (0..3).filter(|other| *other != axis).map(|other| {
                let step = self.strides[other].unsigned_abs();
                if step > own || step == own && other > axis { step } else { 0 }
            });
            let steps = self.threads.into_iter().filter(|step| *step >= own).chain(blocks);
            let pitch = steps.filter(|step| *step > 0).min().filter(|step| *step < self.bytes);
            let extent = match pitch {
                Some(pitch) => pitch,
                // A part of the array that begins later, such as the second of three planes.
                None if self.strides[axis] > 0 => self.bytes - self.first / own * own,
                None => self.bytes,
            };
            let count = u32::try_from(extent.div_ceil(own)).unwrap_or(u32::MAX).max(1);
            count.next_multiple_of(cluster[axis])
        })
    }
}

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
pub struct Probe {
    module: PtxModule,
    buffers: Vec<Option<Buffer<u8>>>,
    /// Accesses that move from block to block.
    pub covered: Vec<Cover>,
    /// Their instructions.
    moving: BTreeSet<u32>,
    /// Whether the second block of each axis accesses global memory.
    pub works: [bool; 3],
    /// Blocks of a cluster.
    pub cluster: Axes,
    /// Whether the first block faulted before its first access, as in a launch that is refused.
    pub refused: bool,
}

/// The first access of an instruction by each warp of a block.
type Touches = BTreeMap<(u32, u32), TracedAccess>;

impl Probe {
    /// Runs the first blocks.
    ///
    /// # Errors
    /// If the emulator does not support the kernel, or its arguments do not fit the memory.
    pub fn of(kernel: &FileKernel<'_>, shape: PtxShape) -> Result<Probe, Failure> {
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
        let cluster = shape.cluster.map_or([1; 3], Dim3::to_array);
        let (covered, moving) = (Vec::new(), BTreeSet::new());
        let mut probe =
            Probe { module, buffers, covered, moving, works: [false; 3], cluster, refused: false };
        // Three blocks on x: a step that is three times another one may come from the grid's own extent.
        probe.compare(kernel, shape, [3, 2, 2])?;
        if probe.linear([3, 2, 2]) {
            let first = probe.covered.clone();
            probe.compare(kernel, shape, [2, 2, 2])?;
            match probe.linear([2, 2, 2]) {
                // The kernel numbers its blocks through all axes, so one axis suffices.
                true => probe.covered.iter_mut().for_each(|one| one.strides[1..].fill(0)),
                false => probe.covered = first,
            }
        }
        Ok(probe)
    }

    /// Whether the kernel numbers its blocks through all axes of this grid, by the steps on y and z.
    fn linear(&self, grid: Axes) -> bool {
        let steps = [1, i64::from(grid[0]), i64::from(grid[0] * grid[1])];
        let is_linear = |one: &Cover| {
            let [x, y, z] = one.strides;
            x != 0 && y == x * steps[1] && (z == 0 || z == x * steps[2])
        };
        !self.covered.is_empty() && self.covered.iter().all(is_linear)
    }

    /// Runs the first block and its neighbors in a grid of this many clusters, and compares their accesses.
    fn compare(
        &mut self,
        kernel: &FileKernel<'_>,
        shape: PtxShape,
        clusters: Axes,
    ) -> Result<(), Failure> {
        let grid = [0, 1, 2].map(|axis| clusters[axis] * self.cluster[axis]);
        let (first, faulted) = self.touches(kernel, shape, grid, [0; 3])?;
        self.refused = faulted && first.is_empty();
        let mut next = Vec::new();
        for axis in 0..3 {
            if !kernel.reads_axis(axis) {
                next.push(Touches::new());
                continue;
            }
            let mut at = [0; 3];
            at[axis] = self.cluster[axis];
            let (touches, faulted) = self.touches(kernel, shape, grid, at)?;
            self.works[axis] = faulted || !touches.is_empty();
            next.push(touches);
        }
        let instructions: BTreeSet<u32> =
            first.keys().map(|(instruction, _)| *instruction).collect();
        self.covered.clear();
        self.moving.clear();
        for instruction in instructions {
            let of = |touches: &Touches| -> Touches {
                let own = touches.range((instruction, 0)..=(instruction, u32::MAX));
                own.map(|(place, touch)| (*place, touch.clone())).collect()
            };
            let own = of(&first);
            let mut strides = [0; 3];
            let mut constant = true;
            for axis in 0..3 {
                match step(&own, &of(&next[axis])) {
                    BlockStep::Of(stride) => strides[axis] = stride / i64::from(self.cluster[axis]),
                    BlockStep::Absent => {}
                    BlockStep::Varies => constant = false,
                }
            }
            let least = own.values().flat_map(lanes).map(|(_, address)| address).min();
            let Some(least) = least.filter(|_| constant && strides != [0; 3]) else { continue };
            let Some((argument, base, bytes)) = self.argument(least) else { continue };
            self.moving.insert(instruction);
            let (first, threads) = (least - base, thread_steps(&own, shape.block));
            self.covered.push(Cover { argument, bytes, first, strides, threads });
        }
        // In a product of matrices, only the result moves on both axes; the operands do not tell the extent of the other.
        let moved = |one: &Cover| one.strides.map(|stride| stride != 0);
        let all = self
            .covered
            .iter()
            .map(moved)
            .fold([false; 3], |all, one| [0, 1, 2].map(|axis| all[axis] || one[axis]));
        if self.covered.iter().any(|one| moved(one) == all) {
            self.covered.retain(|one| moved(one) == all);
        }
        Ok(())
    }

    /// The accesses of the block at this place of a grid, and whether it faulted.
    fn touches(
        &self,
        kernel: &FileKernel<'_>,
        shape: PtxShape,
        grid: Axes,
        at: Axes,
    ) -> Result<(Touches, bool), Failure> {
        let [x, y, _] = grid.map(u64::from);
        let [i, j, k] = at.map(u64::from);
        let block = i + x * (j + y * k);
        // Blocks that wait for each other must all run.
        let waits = shape.cooperative || self.module.blocks_may_wait(kernel.entry);
        let blocks = match waits {
            true => Blocks::All,
            false => {
                Blocks::Range { first: block, count: self.cluster.iter().product::<u32>().into() }
            }
        };
        let wanted = TraceConfig {
            accesses: Keep::FirstOfWarp,
            most: ACCESSES,
            only: Some(block..block + 1),
            ..TraceConfig::default()
        };
        let maps = maps(kernel.ready, &self.buffers)?;
        let arguments = given(kernel.ready, &self.buffers, &maps);
        let shape = PtxShape { grid: Dim3 { x: grid[0], y: grid[1], z: grid[2] }, ..shape };
        let (trace, faulted) =
            self.module.trace_to_fault(kernel.entry, shape, &arguments, blocks, wanted)?;
        let global = trace.touches.into_iter().filter(|touch| touch.space == Space::Global);
        let touches =
            global.map(|touch| ((touch.place.instruction, touch.place.warp), touch)).collect();
        Ok((touches, faulted))
    }

    /// Runs the block at this place of a grid, and returns whether it accesses the arguments.
    ///
    /// # Errors
    /// As [`Probe::of`].
    pub fn block(
        &self,
        kernel: &FileKernel<'_>,
        shape: PtxShape,
        grid: Axes,
        at: Axes,
    ) -> Result<Reached, Failure> {
        let (touches, faulted) = self.touches(kernel, shape, grid, at)?;
        let moving = |((instruction, _), _): (&(u32, u32), _)| self.moving.contains(instruction);
        Ok(match (faulted, touches.iter().any(moving)) {
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

/// The step of an instruction's accesses between two blocks.
fn step(ours: &Touches, theirs: &Touches) -> BlockStep {
    let mut found = BlockStep::Absent;
    for (place, touch) in ours {
        let Some(other) = theirs.get(place) else { continue };
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

/// The step of an instruction's accesses from a thread to the next one on each axis of a block; 0 if it varies.
fn thread_steps(touches: &Touches, block: Dim3) -> [u64; 3] {
    let by_thread: BTreeMap<u32, u64> = touches
        .iter()
        .flat_map(|((_, warp), touch)| lanes(touch).map(move |(lane, at)| (32 * warp + lane, at)))
        .collect();
    let extents = [block.x, block.y, block.z];
    let mut distance = 1;
    extents.map(|extent| {
        let own = distance;
        distance *= extent;
        let steps: BTreeSet<u64> = by_thread
            .iter()
            .filter(|(thread, _)| *thread / own % extent + 1 < extent)
            .filter_map(|(thread, at)| Some(by_thread.get(&(thread + own))?.abs_diff(*at)))
            .collect();
        if steps.len() == 1 { steps.into_iter().sum() } else { 0 }
    })
}
