//! Builds the launches of a softmax or a norm for the variant that [`super::choice`] selects.

use super::choice::{SelectedVariant, Shares, Variant};
use super::kernels::{AHEAD, RowConfig, RowOperation};
use super::normal::{Normal, RowLayout, RowOperands};
use super::{passes, ring, spread};
use crate::workspace::WorkspaceLayout;
use crate::{Plan, Workspace};
use lanework::{Device, Error, Result};

/// Maximum number of blocks for which rows are prefetched before the previous launch ends: 4 rows of 1024 take 4 %
/// less time on an H200, 132 rows 2 % more.
const FEW: u32 = 16;

pub(super) fn refuse(why: String, help: &str) -> Error {
    Error::Request { why, help: help.to_owned() }
}

/// The number of blocks, or an error if it exceeds the limit of a launch.
fn grid(blocks: usize) -> Result<u32> {
    match u32::try_from(blocks) {
        Ok(blocks) if blocks < 1 << 31 => Ok(blocks),
        _ => Err(refuse(
            format!("{blocks} groups of rows; the limit is 2^31 - 1"),
            "give the rows in parts",
        )),
    }
}

/// Minimum resident blocks for threads with `values` elements each, to load enough rows concurrently. Rows of 16-bit
/// types have half the bytes, so they need more blocks, even with fewer registers per thread.
fn resident(kind: RowOperation, values: usize, block: u32, halves: bool, peeled: bool) -> u32 {
    let with = |registers: u32| (65536 / (block * registers)).min(2048 / block).clamp(1, 32);
    match values {
        // Layer norm needs over 40 registers. Too few registers cost more than few threads, unless very few run.
        16 if halves && (peeled || kind == RowOperation::LayerNorm && with(48) * block >= 1280) => {
            with(48)
        }
        16 if halves => with(40),
        24 if halves => with(48),
        32.. => with(64),
        _ => 1,
    }
}

/// The number of parts that share a row, for `rows` rows of `tiles` tiles.
fn shared_by(rows: usize, tiles: usize, multiprocessors: u32) -> u32 {
    let room = (passes::RESIDENT * multiprocessors) as usize / rows;
    room.min(tiles).clamp(1, passes::THREADS as usize) as u32
}

/// Builds the launches of a softmax or a norm.
pub(super) fn plan<'a, T: Normal>(
    device: &Device,
    operands: RowOperands<'a, T>,
    rows: RowLayout,
    (kind, gamma, beta): (RowOperation, bool, bool),
    variant: Variant,
    workspace: &Workspace,
) -> Result<Plan<'a>> {
    let RowLayout { rows: count, n, row, step, .. } = rows;
    if count == 0 || n == 0 {
        return Ok(Plan::new(vec![], []));
    }
    let vector = T::VECTOR;
    let aligned = [
        operands.x.address(),
        operands.y.address(),
        if gamma { operands.gamma.address() } else { 0 },
        if beta { operands.beta.address() } else { 0 },
    ];
    let stride = |stride: usize| count == 1 || stride.is_multiple_of(vector);
    let wide = step == (1, 1)
        && n.is_multiple_of(vector)
        && stride(row.0)
        && stride(row.1)
        && aligned.iter().all(|address| address.is_multiple_of(16));
    // Vectors of input and output rows have the same phase; some elements precede and follow them.
    let alike =
        aligned[0] % 16 == aligned[1] % 16 && (count == 1 || row.0 % vector == row.1 % vector);
    let peeled = !wide
        && alike
        && step == (1, 1)
        && aligned[2..].iter().all(|address| address.is_multiple_of(16))
        && n >= 33 * vector;
    let phase = aligned[0] / size_of::<T>() as u64 % vector as u64;
    // 16 bytes of a 16-bit type widen to 32.
    let most = |vectors: usize| (vectors * size_of::<T>() / size_of::<f32>()).max(1);
    let capability = device.info().compute_capability;
    let config = RowConfig {
        kind,
        gamma,
        beta,
        wide,
        full: false,
        vectors: 0,
        threads: 0,
        block: 0,
        resident: 1,
        peeled: false,
        phase: 0,
        ahead: false,
        overlaps: capability >= (9, 0),
        fetches: false,
        stages: 0,
        delay: 0,
        reduces: capability >= (8, 0),
    };
    let chosen = variant.choose::<T>(device, &rows, config, peeled, most);
    let mut scratch = None;
    let mut steps = Vec::new();
    let mut room = |cells: usize| -> Result<_> {
        let mut layout = WorkspaceLayout::default();
        let (cells, done) = (layout.zeroed::<u64>(cells), layout.zeroed::<u32>(1));
        let space = scratch.insert(workspace.reserve(&layout)?);
        Ok((space.view(cells), space.view(done)))
    };
    let launch = match chosen {
        SelectedVariant::Held { threads, vectors } => {
            let block = if threads > 32 { threads } else { 256 };
            let resident = resident(kind, vectors * vector, block, vector == 8, peeled);
            let full = wide
                && n == threads as usize * vectors * vector
                && count % (block / threads) as usize == 0;
            let blocks = grid(count.div_ceil((block / threads) as usize))?;
            // If all blocks run concurrently, latency matters; otherwise registers do.
            let ahead = wide && vectors <= AHEAD && blocks <= device.info().multiprocessors;
            let fetches = config.overlaps && wide && blocks <= FEW;
            let config = RowConfig {
                full,
                vectors,
                threads,
                block,
                resident,
                fetches,
                peeled,
                wide: wide || peeled,
                phase,
                ahead,
                ..config
            };
            T::held(operands, &rows, config).grid(blocks).block(block)
        }
        SelectedVariant::Spread(Shares { vectors, parts, groups }) => {
            let (threads, ahead) = (spread::THREADS, vectors <= AHEAD);
            let config = RowConfig { vectors, threads, block: threads, ahead, ..config };
            let space = room(4 * parts * groups)?;
            let launch = T::spread(operands, space, &rows, (parts as u32, groups as u32), config);
            launch.grid((parts * groups) as u32).block(spread::THREADS).cooperative()
        }
        SelectedVariant::Ring(Shares { vectors, parts, groups }) => {
            let (threads, block, delay) = (ring::THREADS, ring::BLOCK, ring::DELAY);
            let full = n.is_multiple_of(threads as usize * vector * vectors);
            let config = RowConfig { full, vectors, threads, block, delay, ..config };
            let config = RowConfig { stages: ring::stages(config), ..config };
            let space = room(ring::cells(delay, (parts, groups)))?;
            let launch = T::ring(operands, space, &rows, (parts as u32, groups as u32), config);
            let launch = launch.shared_bytes(ring::shared_bytes(config));
            launch.grid((parts * groups) as u32).block(ring::BLOCK).cooperative()
        }
        SelectedVariant::Passes => {
            let multiprocessors = device.info().multiprocessors.max(1);
            // No part is empty, even if as many elements as possible are outside of vectors.
            let inside = if peeled { n - 2 * (vector - 1) } else { n };
            let parts = shared_by(count, inside.div_ceil(passes::tile(vector)), multiprocessors);
            let threads = passes::THREADS;
            let vectors = passes::VECTORS;
            let wide = wide || peeled;
            let config =
                RowConfig { vectors, threads, block: threads, peeled, wide, phase, ..config };
            let blocks = grid(count.saturating_mul(parts as usize))?;
            let mut layout = WorkspaceLayout::default();
            let space = layout.scratch::<f32>(2 * blocks as usize);
            let memory = scratch.insert(workspace.reserve(&layout)?);
            let (to, from) = (memory.view(space), memory.view(space));
            steps.push(T::parts(operands.x, to, &rows, parts, config).grid(blocks).block(threads));
            T::results(operands, from, &rows, parts, config).grid(blocks).block(threads)
        }
    };
    steps.push(launch);
    // The other variants wait for blocks of their own launch, or have few blocks.
    let programmatic =
        config.overlaps && matches!(chosen, SelectedVariant::Held { .. } | SelectedVariant::Passes);
    // SAFETY: the kernels compare elements with the number of rows and their length, which is also the length of gamma and beta;
    // `wide` implies alignment for wide accesses; and the scratch memory has all cells that the blocks publish in.
    let prepared = steps.into_iter().map(|launch| unsafe {
        let launch = if programmatic { launch.programmatic() } else { launch };
        launch.prepare_unchecked(device)
    });
    Ok(Plan::new(prepared.collect::<Result<_>>()?, scratch))
}
