//! The profiler: a kernel's counters line by line with remarks, its occupancy, and modelled cache hit rates.

mod cache;
mod instruction;
mod pattern;
mod record;
mod remarks;

pub use cache::CacheRecord;
pub use pattern::pattern;
pub use record::{BranchRecord, LineRecord, ProfileRecord};

use crate::occupancy;
use crate::record::SampleRecord;
use crate::specs::{Gpu, specs};
use lanework::sim::{Blocks, Keep, Touch, Trace, Wanted};
use lanework::{
    Counters, Dim3, InstructionProfile, Prepared, Profile, PtxArg, PtxModule, PtxShape, Resources,
    Result,
};
use std::collections::{BTreeMap, HashMap};

/// A kernel that can be run on the emulator again and again.
pub trait Subject {
    /// The entry's name.
    fn entry(&self) -> String;
    /// Blocks, threads of a block, and bytes of dynamic shared memory.
    fn shape(&self) -> (Dim3, Dim3, u32);
    /// What it takes of a multiprocessor.
    fn resources(&self) -> Resources;
    /// Whether its blocks may wait for each other, so that all of them must run.
    fn waits(&self) -> bool;
    /// Counts a run.
    ///
    /// # Errors
    /// When the kernel goes wrong.
    fn profile(&mut self, blocks: Blocks) -> Result<Profile>;
    /// Keeps what some blocks do.
    ///
    /// # Errors
    /// When the kernel goes wrong.
    fn trace(&mut self, blocks: Blocks, wanted: Wanted) -> Result<Trace>;
}

impl Subject for Prepared<'_> {
    fn entry(&self) -> String {
        self.module().entries().next().map(|entry| entry.name.clone()).unwrap_or_default()
    }
    fn shape(&self) -> (Dim3, Dim3, u32) {
        Prepared::shape(self)
    }
    fn resources(&self) -> Resources {
        Prepared::resources(self)
    }
    fn waits(&self) -> bool {
        Prepared::blocks_may_wait(self)
    }
    fn profile(&mut self, blocks: Blocks) -> Result<Profile> {
        Prepared::profile(self, blocks)
    }
    fn trace(&mut self, blocks: Blocks, wanted: Wanted) -> Result<Trace> {
        Prepared::trace(self, blocks, wanted)
    }
}

/// A kernel from a file, with its arguments.
pub struct PtxLaunch<'a> {
    /// The module, on the emulator.
    pub module: &'a PtxModule,
    /// The entry.
    pub entry: String,
    /// The launch's shape.
    pub shape: PtxShape,
    /// The entry's arguments.
    pub arguments: &'a [PtxArg<'a>],
}

impl Subject for PtxLaunch<'_> {
    fn entry(&self) -> String {
        self.entry.clone()
    }
    fn shape(&self) -> (Dim3, Dim3, u32) {
        (self.shape.grid, self.shape.block, self.shape.dynamic_shared)
    }
    fn resources(&self) -> Resources {
        let none = Resources { registers: 0, local_bytes: 0, estimated: true, static_shared: 0 };
        self.module.resources(&self.entry).unwrap_or(none)
    }
    fn waits(&self) -> bool {
        self.shape.cooperative || self.module.blocks_may_wait(&self.entry)
    }
    fn profile(&mut self, blocks: Blocks) -> Result<Profile> {
        self.module.profile(&self.entry, self.shape, self.arguments, blocks)
    }
    fn trace(&mut self, blocks: Blocks, wanted: Wanted) -> Result<Trace> {
        self.module.trace(&self.entry, self.shape, self.arguments, blocks, wanted)
    }
}

/// What lines a profile is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// Lines of the source, where the PTX names them; else of the PTX.
    Source,
    /// Lines of the PTX.
    Ptx,
}

/// Sectors at most that the model of the caches is fed with.
const REPLAYED: u64 = 1 << 20;

/// Profiles a kernel on the emulator, for `gpu`.
///
/// # Errors
/// When the kernel goes wrong.
pub fn profile(
    subject: &mut dyn Subject,
    blocks: Blocks,
    by: By,
    gpu: &Gpu,
) -> Result<ProfileRecord> {
    let (grid, block, dynamic) = subject.shape();
    let arch = specs().architecture(gpu.capability());
    let resources = occupancy::on(arch, subject.resources(), block.count() as u32, dynamic);
    let profile = subject.profile(blocks)?;
    let wanted = Wanted { accesses: Keep::First, most: 1 << 16, ..Wanted::default() };
    let touches = first_blocks(subject, 1, wanted)?.touches;
    let counters = profile.counters.clone();
    let flops: Vec<u64> = profile.instructions.iter().map(of_instruction).collect();
    let classes = classes(&profile.instructions.iter().collect::<Vec<_>>());
    let sector_bytes = 32 * counters.sectors();
    let flops_in_all: u64 = flops.iter().sum();
    let asked = profile.counters.global_load.sectors + profile.counters.global_store.sectors;
    let modelled_caches = match asked {
        0 => None,
        _ => {
            let per_block = (asked / profile.blocks_run.max(1)).max(1);
            let count = (REPLAYED / per_block).clamp(1, profile.blocks);
            let most = 2 * REPLAYED.max(per_block) as usize;
            let wanted = Wanted { accesses: Keep::Sectors, most, ..Wanted::default() };
            let trace = first_blocks(subject, count, wanted)?;
            let (resident, shared) = (resources.resident_blocks, resources.shared_bytes);
            Some(cache::replay(&trace, gpu, arch, resident, shared))
        }
    };
    Ok(ProfileRecord {
        kernel: subject.entry(),
        grid: grid.to_array(),
        block: block.to_array(),
        gpu: gpu.name.clone(),
        sampled: (profile.blocks_run < profile.blocks)
            .then_some(SampleRecord { blocks_counted: profile.blocks_run, blocks: profile.blocks }),
        resources,
        counters,
        classes,
        flops: flops_in_all,
        sector_bytes,
        intensity: intensity(flops_in_all, sector_bytes),
        lines: lines(&profile, &flops, &touches, by),
        modelled_caches,
    })
}

/// Traces the first blocks; all run where they may wait for each other.
fn first_blocks(subject: &mut dyn Subject, count: u64, wanted: Wanted) -> Result<Trace> {
    match subject.waits() {
        true => subject.trace(Blocks::All, Wanted { only: Some(0..count), ..wanted }),
        false => subject.trace(Blocks::Range { first: 0, count }, wanted),
    }
}

/// Operations per byte; `None` where there is no byte.
fn intensity(flops: u64, bytes: u64) -> Option<f64> {
    (bytes > 0).then(|| flops as f64 / bytes as f64)
}

/// Warp instructions by class.
fn classes(all: &[&InstructionProfile]) -> BTreeMap<&'static str, u64> {
    let mut classes = BTreeMap::new();
    for one in all.iter().filter(|one| one.counters.warp_instructions > 0) {
        *classes.entry(instruction::class(&one.origin.name)).or_default() +=
            one.counters.warp_instructions;
    }
    classes
}

fn of_instruction(one: &InstructionProfile) -> u64 {
    let Counters { warp_instructions, lane_instructions, .. } = one.counters;
    instruction::flops(&one.origin.name, warp_instructions, lane_instructions)
}

/// Cycles that the counts would take a multiprocessor one after the other: it issues four instructions
/// a cycle, and its L1 and shared memory give 128 bytes.
fn weight(counters: &Counters) -> f64 {
    counters.warp_instructions as f64 / 4.0
        + counters.sectors() as f64 / 4.0
        + counters.wavefronts() as f64
}

/// A file, a line, and for PTX that is no text the number of the instruction.
type Place = (Option<String>, u32, u32);

/// The instructions put together by line.
fn lines(profile: &Profile, flops: &[u64], touches: &[Touch], by: By) -> Vec<LineRecord> {
    let touch_of: HashMap<u32, &Touch> =
        touches.iter().map(|touch| (touch.place.instruction, touch)).collect();
    let mut groups: BTreeMap<Place, Vec<u32>> = BTreeMap::new();
    for (index, one) in profile.instructions.iter().enumerate() {
        let place = match (&one.origin.location, by) {
            (Some(location), By::Source) => (Some(location.file.clone()), location.line, 0),
            (_, By::Source) => (None, one.origin.text_line, 0),
            // What was never text has no lines: each instruction is its own.
            (_, By::Ptx) => (None, one.origin.text_line, index as u32),
        };
        groups.entry(place).or_default().push(index as u32);
    }
    let total = weight(&profile.counters).max(1.0);
    let of = |index: &u32| &profile.instructions[*index as usize].counters;
    let line = |((file, line, _), instructions): (Place, Vec<u32>)| {
        let counters = Counters::sum(instructions.iter().map(of));
        let mut said: Vec<String> = Vec::new();
        for index in &instructions {
            let origin = &profile.instructions[*index as usize].origin;
            for remark in remarks::remarks(of(index), origin, touch_of.get(index).copied()) {
                if !said.contains(&remark) {
                    said.push(remark);
                }
            }
        }
        let flops = instructions.iter().map(|index| flops[*index as usize]).sum();
        let share = weight(&counters) / total;
        let all: Vec<&InstructionProfile> =
            instructions.iter().map(|index| &profile.instructions[*index as usize]).collect();
        let sector_bytes = 32 * counters.sectors();
        let branches = all.iter().filter(|one| one.counters.divergent_branches > 0);
        LineRecord {
            file,
            line,
            branches: branches.map(|one| BranchRecord::of(one)).collect(),
            names: all.iter().map(|one| one.origin.name.clone()).collect(),
            instructions,
            counters,
            classes: classes(&all),
            flops,
            sector_bytes,
            intensity: intensity(flops, sector_bytes),
            share,
            remarks: said,
        }
    };
    groups.into_iter().map(line).filter(|line| line.counters.warp_instructions > 0).collect()
}
