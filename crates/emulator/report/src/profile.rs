//! Computes a profile from counters and traces: lines with their shares and remarks, occupancy and cache hit rates. Also
//! classifies PTX instructions and counts their floating-point operations.

use crate::cache::{self, Machine};
use crate::record::{
    BranchRecord, CacheRecord, LineRecord, ProfileRecord, SampleRecord, TensorType,
};
use crate::remarks::{divergence, remarks};
use lanework_emulator::{Blocks, Counters, Keep, Origin, Trace, TraceConfig, TracedAccess};
use lanework_ptx::{Instruction, Modifier, Opcode, ScalarType, StateSpace};
use std::collections::{BTreeMap, HashMap};

/// Kind of lines that a profile lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// Lines of the source if the PTX has line information, else of the PTX.
    Source,
    /// Lines of the PTX.
    Ptx,
}

/// Maximum number of sectors that the cache model replays.
const REPLAYED: u64 = 1 << 20;

/// Data that a profile needs in addition to the counters of a run.
#[derive(Clone, Debug, Default)]
pub struct Extras {
    /// The first access of each instruction, whose pattern remarks describe.
    pub touches: Vec<TracedAccess>,
    /// Results of the cache model; `None` without accesses to global memory or without a trace.
    pub caches: Option<CacheRecord>,
}

/// Traces the first blocks of a kernel for its profile. `waits` says whether blocks may wait for
/// each other, so that all of them have to run.
///
/// # Errors
/// Errors of `trace`.
pub fn extras<E>(
    counted: &Counted<'_>,
    gpu: &Machine,
    waits: bool,
    trace: &mut dyn FnMut(Blocks, TraceConfig) -> Result<Trace, E>,
) -> Result<Extras, E> {
    let mut first_blocks = |count: u64, wanted: TraceConfig| match waits {
        true => trace(Blocks::All, TraceConfig { only: Some(0..count), ..wanted }),
        false => trace(Blocks::Range { first: 0, count }, wanted),
    };
    let wanted = TraceConfig { accesses: Keep::First, most: 1 << 16, ..TraceConfig::default() };
    let touches = first_blocks(1, wanted)?.touches;
    let asked = counted.counters.global_load.sectors + counted.counters.global_store.sectors;
    let caches = match asked {
        0 => None,
        _ => {
            let per_block = (asked / counted.blocks_run.max(1)).max(1);
            let count = (REPLAYED / per_block).clamp(1, counted.blocks);
            let most = 2 * REPLAYED.max(per_block) as usize;
            let wanted = TraceConfig { accesses: Keep::Sectors, most, ..TraceConfig::default() };
            let trace = first_blocks(count, wanted)?;
            let takes = gpu.resources(counted.resources, counted.threads(), counted.dynamic_shared);
            Some(cache::replay(&trace, gpu, takes.resident_blocks, takes.shared_bytes))
        }
    };
    Ok(Extras { touches, caches })
}

/// Computes the profile of a counted run for `gpu`.
pub fn record(counted: &Counted<'_>, extras: Extras, by: By, gpu: &Machine) -> ProfileRecord {
    let flops: Vec<u64> = counted.instructions.iter().map(of_instruction).collect();
    let classes = classes(&counted.instructions.iter().collect::<Vec<_>>());
    let sector_bytes = 32 * counted.counters.sectors();
    let flops_in_all: u64 = flops.iter().sum();
    ProfileRecord {
        kernel: counted.kernel.to_owned(),
        grid: counted.grid,
        block: counted.block,
        gpu: gpu.name.clone(),
        sampled: (counted.blocks_run < counted.blocks)
            .then_some(SampleRecord { blocks_counted: counted.blocks_run, blocks: counted.blocks }),
        resources: gpu.resources(counted.resources, counted.threads(), counted.dynamic_shared),
        counters: counted.counters.clone(),
        classes,
        flops: flops_in_all,
        tensor_flops: tensor_flops(counted.instructions),
        sector_bytes,
        intensity: intensity(flops_in_all, sector_bytes),
        lines: lines(counted, &flops, &extras.touches, by),
        modeled_caches: extras.caches,
    }
}

/// Operations per byte; `None` without bytes.
fn intensity(flops: u64, bytes: u64) -> Option<f64> {
    (bytes > 0).then(|| flops as f64 / bytes as f64)
}

/// Sums warp instructions by class.
fn classes(all: &[&InstructionProfile]) -> BTreeMap<&'static str, u64> {
    let mut classes = BTreeMap::new();
    for one in all.iter().filter(|one| one.counters.warp_instructions > 0) {
        *classes.entry(class(&one.origin.name)).or_default() += one.counters.warp_instructions;
    }
    classes
}

fn of_instruction(one: &InstructionProfile) -> u64 {
    let Counters { warp_instructions, lane_instructions, .. } = one.counters;
    flops(&one.origin.name, warp_instructions, lane_instructions)
}

/// Cycles that a multiprocessor needs for these counts without overlap: it issues four instructions
/// per cycle, and its L1 and shared memory provide 128 bytes per cycle.
fn weight(counters: &Counters) -> f64 {
    counters.warp_instructions as f64 / 4.0
        + counters.sectors() as f64 / 4.0
        + counters.wavefronts() as f64
}

/// File and line; also the index of the instruction, for PTX that was never text.
type Place = (Option<String>, u32, u32);

/// Groups the instructions by line.
fn lines(
    profile: &Counted<'_>,
    flops: &[u64],
    touches: &[TracedAccess],
    by: By,
) -> Vec<LineRecord> {
    let touch_of: HashMap<u32, &TracedAccess> =
        touches.iter().map(|touch| (touch.place.instruction, touch)).collect();
    let mut groups: BTreeMap<Place, Vec<u32>> = BTreeMap::new();
    let has_lines = profile.instructions.iter().any(|one| one.origin.location.is_some());
    for (index, one) in profile.instructions.iter().enumerate() {
        let place = match (&one.origin.location, by) {
            (Some(location), By::Source) => (Some(location.file.clone()), location.line, 0),
            // What the compiler adds to the lines of the source, such as loads of the parameters.
            (None, By::Source) if has_lines => (None, 0, 0),
            (_, By::Source) => (None, one.origin.text_line, 0),
            // PTX that was never text has no line numbers, so each instruction is listed separately.
            (_, By::Ptx) => (None, one.origin.text_line, index as u32),
        };
        groups.entry(place).or_default().push(index as u32);
    }
    let total = weight(profile.counters).max(1.0);
    let of = |index: &u32| &profile.instructions[*index as usize].counters;
    let line = |((file, line, _), instructions): (Place, Vec<u32>)| {
        let counters = Counters::sum(instructions.iter().map(of));
        let mut said: Vec<String> = Vec::new();
        for index in &instructions {
            for remark in remarks(of(index), touch_of.get(index).copied()) {
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
        let branches: Vec<BranchRecord> = branches.map(|one| branch(one)).collect();
        said.extend(divergence(&branches));
        LineRecord {
            file,
            line,
            branches,
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
    let lines = groups.into_iter().map(line);
    let mut lines: Vec<LineRecord> =
        lines.filter(|line| line.counters.warp_instructions > 0).collect();
    if has_lines && lines.first().is_some_and(|line| line.file.is_none()) && by == By::Source {
        lines.rotate_left(1);
    }
    lines
}

fn branch(branch: &InstructionProfile) -> BranchRecord {
    let origin = &branch.origin;
    BranchRecord {
        column: origin.location.as_ref().map_or(0, |at| at.column),
        ptx_line: origin.text_line,
        executions: branch.counters.warp_instructions,
        divergent: branch.counters.divergent_branches,
    }
}

/// The counters of one PTX instruction.
#[derive(Clone, Debug, PartialEq)]
pub struct InstructionProfile {
    /// The instruction, with its line in the PTX and its source location.
    pub origin: Origin,
    /// Its counters.
    pub counters: Counters,
}

impl InstructionProfile {
    /// Line in the source, or in the PTX text if the source is unknown; 0 if both are unknown.
    pub fn line(&self) -> u32 {
        self.origin.location.as_ref().map_or(self.origin.text_line, |location| location.line)
    }
}

/// Resource usage of a compiled kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Resources {
    /// 32-bit registers per thread: on a GPU, those that the driver's compiler assigned; on the
    /// emulator, an estimate from register pressure.
    pub registers: u32,
    /// Bytes of local memory per thread (spills and arrays); estimated on the emulator.
    pub local_bytes: u32,
    /// Whether registers and local bytes are estimates.
    pub estimated: bool,
    /// Bytes of static shared memory per block.
    pub static_shared: u32,
}

/// A counted run.
#[derive(Clone, Copy, Debug)]
pub struct Counted<'a> {
    /// The entry.
    pub kernel: &'a str,
    /// Blocks in x, y and z.
    pub grid: [u32; 3],
    /// Threads per block in x, y and z.
    pub block: [u32; 3],
    /// Bytes of dynamic shared memory per block.
    pub dynamic_shared: u32,
    /// Resource usage of the kernel.
    pub resources: Resources,
    /// The counters of the whole kernel.
    pub counters: &'a Counters,
    /// The counters of each instruction.
    pub instructions: &'a [InstructionProfile],
    /// Number of blocks that ran.
    pub blocks_run: u64,
    /// Number of blocks in the grid.
    pub blocks: u64,
}

impl Counted<'_> {
    /// Threads per block.
    pub fn threads(&self) -> u32 {
        self.block.iter().product()
    }
}

/// The class of an instruction by its PTX name, such as `ld.global.f32`.
pub fn class(name: &str) -> &'static str {
    use Opcode::*;
    let instruction = Instruction::new(name, Vec::new());
    let in_space = |space| instruction.modifiers.iter().any(|m| m.state_space() == Some(space));
    let bits = float_bits(&instruction);
    match instruction.opcode {
        Ld | Ldu if in_space(StateSpace::Param) || in_space(StateSpace::Const) => "parameters",
        Ldmatrix | Stmatrix => "shared memory",
        Ld | Ldu | St | Prefetch | Prefetchu => match () {
            () if in_space(StateSpace::Shared) => "shared memory",
            () if in_space(StateSpace::Local) => "local memory",
            () => "global memory",
        },
        Atom | Red => "atomics",
        Cp | Mbarrier | Griddepcontrol => "asynchronous",
        Bar | Barrier | Membar | Fence => "barriers",
        Bra | Brx | Call | Ret | Exit | Trap => "control",
        Mma | Wmma | Wgmma | Tcgen05 => "matrix",
        Shfl | Vote | Match | Redux | Activemask | Elect => "warp",
        Cvt | Cvta => "conversions",
        Mov | Selp | Prmt | Slct | Isspacep => "moves",
        Set | Setp | Testp => "comparisons",
        Sin | Cos | Ex2 | Lg2 | Tanh | Rsqrt | Rcp | Sqrt | Div if bits.is_some() => {
            "special functions"
        }
        _ => match bits {
            Some(64) => "fp64",
            Some(32) => "fp32",
            Some(_) => "fp16",
            None => "integers",
        },
    }
}

/// Width in bits of the floats that an instruction computes with.
fn float_bits(instruction: &Instruction) -> Option<u32> {
    use ScalarType::*;
    instruction.modifiers.iter().find_map(|modifier| match modifier {
        Modifier::Type(F64) => Some(64),
        Modifier::Type(F32) | Modifier::F32x2 => Some(32),
        Modifier::Type(F16 | F16x2 | Bf16 | Bf16x2) => Some(16),
        _ => None,
    })
}

/// Floating-point operations per lane; a fused multiply-add counts as two.
fn of_lane(instruction: &Instruction) -> u64 {
    use Opcode::*;
    if float_bits(instruction).is_none() {
        return 0;
    }
    let pairs = [ScalarType::F16x2, ScalarType::Bf16x2].map(Modifier::Type);
    let packed = pairs.into_iter().chain([Modifier::F32x2]).any(|pair| instruction.has(pair));
    let each = match instruction.opcode {
        Fma | Mad => 2,
        Add | Sub | Mul | Div | Rcp | Sqrt | Rsqrt | Sin | Cos | Ex2 | Lg2 | Tanh => 1,
        _ => 0,
    };
    if packed { 2 * each } else { each }
}

/// Floating-point operations per warp of a matrix product.
fn of_product(instruction: &Instruction) -> u64 {
    let (opcode, modifiers) = (instruction.opcode, &instruction.modifiers);
    let wmma = opcode == Opcode::Wmma && modifiers.first() == Some(&Modifier::Mma);
    let float = |modifier: &Modifier| {
        matches!(modifier, Modifier::Tf32 | Modifier::E4m3 | Modifier::E5m2)
            || modifier.scalar_type().is_some_and(ScalarType::is_float)
    };
    if !(wmma || matches!(opcode, Opcode::Mma | Opcode::Wgmma)) || !modifiers.iter().any(float) {
        return 0;
    }
    let shape = modifiers.iter().find_map(|modifier| match modifier {
        Modifier::Shape { m, n, k } => Some(u64::from(*m) * u64::from(*n) * u64::from(*k)),
        _ => None,
    });
    // Four warps share a warpgroup's product.
    shape.map_or(0, |mnk| 2 * mnk / if opcode == Opcode::Wgmma { 4 } else { 1 })
}

/// Floating-point operations on tensor cores, by the type of their operands.
fn tensor_flops(all: &[InstructionProfile]) -> BTreeMap<TensorType, u64> {
    let mut sums = BTreeMap::new();
    for one in all {
        let instruction = Instruction::new(&one.origin.name, Vec::new());
        let flops = of_product(&instruction) * one.counters.warp_instructions;
        if flops > 0 {
            *sums.entry(tensor_type(&instruction.modifiers)).or_default() += flops;
        }
    }
    sums
}

/// The type of the operands of a matrix product, by its modifiers, which name the operands and the result.
fn tensor_type(modifiers: &[Modifier]) -> TensorType {
    let has = |wanted: &[Modifier]| modifiers.iter().any(|one| wanted.contains(one));
    let is_double = |one: &Modifier| one.scalar_type() == Some(ScalarType::F64);
    match () {
        () if has(&[Modifier::E4m3, Modifier::E5m2]) => TensorType::Fp8,
        () if has(&[Modifier::Tf32]) => TensorType::Tf32,
        () if modifiers.iter().any(is_double) => TensorType::Double,
        () => TensorType::Half,
    }
}

/// Floating-point operations of an instruction that `warps` warps and `lanes` lanes executed.
pub fn flops(name: &str, warps: u64, lanes: u64) -> u64 {
    let instruction = Instruction::new(name, Vec::new());
    of_lane(&instruction) * lanes + of_product(&instruction) * warps
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instructions_have_their_classes() {
        for (name, expected) in [
            ("ld.global.nc.f32", "global memory"),
            ("ld.param.u64", "parameters"),
            ("ld.f32", "global memory"),
            ("st.shared.v4.f32", "shared memory"),
            ("ldmatrix.sync.aligned.m8n8.x4.shared.b16", "shared memory"),
            ("fma.rn.f32", "fp32"),
            ("add.f64", "fp64"),
            ("add.s32", "integers"),
            ("setp.lt.f32", "comparisons"),
            ("sqrt.rn.f32", "special functions"),
            ("div.u32", "integers"),
            ("red.global.add.u32", "atomics"),
            ("cp.async.ca.shared.global", "asynchronous"),
            ("bar.sync", "barriers"),
        ] {
            assert_eq!(class(name), expected, "{name}");
        }
    }

    #[test]
    fn operations_are_counted_by_lane_and_by_warp() {
        assert_eq!(flops("fma.rn.f32", 2, 50), 100);
        assert_eq!(flops("fma.rn.f16x2", 1, 32), 128);
        assert_eq!(flops("add.s32", 1, 32), 0);
        assert_eq!(flops("setp.lt.f32", 1, 32), 0);
        let product = "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32";
        assert_eq!(flops(product, 3, 96), 3 * 2 * 16 * 8 * 16);
        assert_eq!(flops("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32", 1, 32), 0);
        let group = "wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16";
        assert_eq!(flops(group, 4, 128), 2 * 64 * 128 * 16);
    }
}
