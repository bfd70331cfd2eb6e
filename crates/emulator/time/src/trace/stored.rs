//! Stores traces in files, so that another version of the model, or one with a part switched off, can predict the same
//! launches without running their programs again.
//!
//! A file has the length of a JSON header, the header, and the numbers of each block, little-endian. The header has the
//! PTX text, from which the kernel and its machine code are derived again.

use crate::sass::bounds::register_limit;
use crate::sass::{MachineCode, start_assembling, tools};
use crate::trace::chain::WaitChain;
use crate::trace::sample::registers as registers_of;
use crate::trace::work::{GridWork, HeavyBlocks};
use crate::trace::{
    AccessTarget, BlockTrace, GlobalRange, KernelTrace, Recurrence, Runs, SyncStep, TraceStep,
    Traffic, WarpTrace,
};
use lanework_engine::device::Device;
use lanework_engine::event::AccessKind;
use lanework_engine::launch::Options;
use lanework_ptx::Module;
use lanework_ptx_ir::analysis::Analyses;
use serde::{Deserialize, Serialize};
use std::io::{Error, ErrorKind, Result};
use std::path::Path;
use std::sync::Arc;

/// A trace without its numbers.
#[derive(Serialize, Deserialize)]
struct Header {
    text: String,
    entry: String,
    grid: [u32; 3],
    block: [u32; 3],
    cluster: u64,
    shared_bytes: u32,
    /// Registers per thread of the program's cubin or of ptxas.
    registers: Option<u32>,
    allocations: Vec<GlobalRange>,
    sampled: GridWork,
    heavy: Option<HeavyBlocks>,
    polls: bool,
    #[serde(default)]
    chain: WaitChain,
    #[serde(default)]
    recurrences: Vec<Recurrence>,
    blocks: Vec<BlockHeader>,
}

#[derive(Serialize, Deserialize)]
struct BlockHeader {
    block: u64,
    complete: bool,
    tokens: usize,
    sectors: usize,
    /// By warp: instructions, and the numbers of steps, accesses and synchronizations.
    warps: Vec<(u64, usize, usize, usize)>,
}

/// A trace from a file.
pub struct StoredTrace {
    /// The kernel.
    pub entry: String,
    /// Blocks in the grid by axis.
    pub grid: [u32; 3],
    /// Threads per block by axis.
    pub block: [u32; 3],
    /// The trace.
    pub trace: KernelTrace,
}

const TARGETS: [AccessTarget; 5] = [
    AccessTarget::Shared,
    AccessTarget::Global,
    AccessTarget::Local,
    AccessTarget::Constant,
    AccessTarget::Bulk,
];

/// Writes a trace and the PTX of its kernel to a file.
///
/// # Errors
/// If the file cannot be written.
pub fn write(
    trace: &KernelTrace,
    (text, entry): (&str, &str),
    block: [u32; 3],
    path: &Path,
) -> Result<()> {
    let warp = |warp: &WarpTrace| {
        (warp.instructions, warp.steps.len(), warp.traffic.len(), warp.waits.len())
    };
    let header = Header {
        text: tools::only(text, entry),
        entry: entry.to_owned(),
        grid: trace.grid,
        block,
        cluster: trace.cluster,
        shared_bytes: trace.shared_bytes,
        registers: trace.exact_registers.then_some(trace.registers),
        allocations: trace.allocations.clone(),
        sampled: trace.sampled.clone(),
        heavy: trace.heavy,
        polls: trace.polls,
        chain: trace.chain,
        recurrences: trace.recurrences.clone(),
        blocks: trace
            .blocks
            .iter()
            .map(|block| BlockHeader {
                block: block.block,
                complete: block.complete,
                tokens: block.tokens.len(),
                sectors: block.sectors.len(),
                warps: block.warps.iter().map(warp).collect(),
            })
            .collect(),
    };
    let header = serde_json::to_vec(&header)?;
    let mut to = (header.len() as u64).to_le_bytes().to_vec();
    to.extend(header);
    for block in &trace.blocks {
        put(&mut to, block.tokens.iter().copied());
        to.extend(block.sectors.iter().flat_map(|sector| sector.to_le_bytes()));
        for warp in &block.warps {
            put(&mut to, warp.steps.iter().flat_map(|step| [step.run, step.mask]));
            put(&mut to, warp.traffic.iter().flat_map(numbers));
            put(
                &mut to,
                warp.waits.iter().flat_map(|of| {
                    [of.step, of.token, u32::from(of.arrives) | u32::from(of.waits) << 1]
                }),
            );
        }
    }
    std::fs::write(path, to)
}

fn put(to: &mut Vec<u8>, values: impl Iterator<Item = u32>) {
    to.extend(values.flat_map(u32::to_le_bytes));
}

/// Number of values of an access in a file.
const OF_ACCESS: usize = 12;

fn numbers(record: &Traffic) -> [u32; OF_ACCESS] {
    let target = TARGETS.iter().position(|one| *one == record.target).unwrap_or_default();
    let kind = AccessKind::ALL.iter().position(|one| *one == record.kind).unwrap_or_default();
    [
        record.step,
        target as u32,
        kind as u32,
        record.wavefronts,
        record.lines,
        record.first,
        record.sectors,
        record.collisions,
        record.rounds,
        record.bytes,
        record.token,
        0,
    ]
}

fn invalid(what: impl std::fmt::Display) -> Error {
    Error::new(ErrorKind::InvalidData, what.to_string())
}

/// The rest of a file.
struct TraceReader<'a>(&'a [u8]);

impl<'a> TraceReader<'a> {
    fn bytes(&mut self, count: usize) -> Result<&'a [u8]> {
        let (found, rest) =
            self.0.split_at_checked(count).ok_or_else(|| invalid("the file ends early"))?;
        self.0 = rest;
        Ok(found)
    }

    /// The next rows of `N` values.
    fn rows<const N: usize>(&mut self, count: usize) -> Result<Vec<[u32; N]>> {
        let bytes = self.bytes(4 * N * count)?;
        let value = |bytes: &[u8]| u32::from_le_bytes(bytes.try_into().unwrap_or_default());
        let row = |row: &[u8]| std::array::from_fn(|at| value(&row[4 * at..4 * at + 4]));
        Ok(bytes.chunks_exact(4 * N).map(row).collect())
    }
}

/// Reads a trace. With `listed`, ptxas and nvdisasm generate its machine code again if they are installed; otherwise the
/// model replaces them, and estimates the registers.
///
/// # Errors
/// If the file cannot be read or was written by another version, or its kernel cannot run.
pub fn read(path: &Path, capability: u32, listed: bool) -> Result<StoredTrace> {
    let file = std::fs::read(path)?;
    let mut from = TraceReader(&file);
    let length = u64::from_le_bytes(from.bytes(8)?.try_into().unwrap_or_default());
    let header: Header = serde_json::from_slice(from.bytes(length as usize)?)?;
    let code = match listed {
        true => start_assembling(&header.text, &header.entry, capability).finish(),
        false => MachineCode {
            register_limit: register_limit(&header.text, &header.entry),
            ..MachineCode::default()
        },
    };
    let module = Module::parse(&header.text).map_err(invalid)?;
    let device = Device::new(Options::default());
    let program = device.load(&module).map_err(invalid)?;
    let kernel = program.kernel(&header.entry).ok_or_else(|| invalid("the kernel cannot run"))?;
    let kernel = Arc::clone(kernel);
    let blocks = header.blocks.iter().map(|block| read_block(&mut from, block));
    let blocks = blocks.collect::<Result<Vec<BlockTrace>>>()?;
    let threads: u32 = header.block.iter().product();
    let of_ptxas = code.registers.or(header.registers.filter(|_| listed));
    let registers = kernel.entry_registers.or(of_ptxas);
    Ok(StoredTrace {
        trace: KernelTrace {
            runs: Arc::new(Runs::new(&kernel, &Analyses::new(&kernel))),
            grid: header.grid,
            threads,
            cluster: header.cluster,
            shared_bytes: header.shared_bytes,
            registers: registers_of(
                &program,
                &header.entry,
                (registers, code.register_limit),
                threads,
            ),
            exact_registers: registers.is_some(),
            listing: code.listing,
            allocations: header.allocations,
            blocks,
            sampled: header.sampled,
            heavy: header.heavy,
            polls: header.polls,
            chain: header.chain,
            recurrences: header.recurrences,
            kernel,
        },
        entry: header.entry,
        grid: header.grid,
        block: header.block,
    })
}

fn read_block(from: &mut TraceReader<'_>, header: &BlockHeader) -> Result<BlockTrace> {
    let tokens = from.rows::<1>(header.tokens)?.into_iter().flatten().collect();
    let sectors = from.rows::<2>(header.sectors)?;
    let sectors = sectors.iter().map(|[low, high]| u64::from(*low) | u64::from(*high) << 32);
    let sectors = sectors.collect();
    let mut warps = Vec::new();
    for &(instructions, steps, traffic, waits) in &header.warps {
        let steps = from.rows::<2>(steps)?.into_iter().map(|[run, mask]| TraceStep { run, mask });
        let steps = steps.collect();
        let access = |of: [u32; OF_ACCESS]| Traffic {
            step: of[0],
            target: TARGETS[of[1] as usize % TARGETS.len()],
            kind: AccessKind::ALL[of[2] as usize % AccessKind::ALL.len()],
            wavefronts: of[3],
            lines: of[4],
            first: of[5],
            sectors: of[6],
            collisions: of[7],
            rounds: of[8],
            bytes: of[9],
            token: of[10],
        };
        let traffic = from.rows::<OF_ACCESS>(traffic)?.into_iter().map(access).collect();
        let sync = |[step, token, bits]: [u32; 3]| SyncStep {
            step,
            token,
            arrives: bits & 1 != 0,
            waits: bits & 2 != 0,
        };
        let waits = from.rows::<3>(waits)?.into_iter().map(sync).collect();
        warps.push(WarpTrace { steps, traffic, waits, instructions });
    }
    Ok(BlockTrace { block: header.block, warps, sectors, tokens, complete: header.complete })
}
