//! Plans a softmax or a norm: selects the threads that hold a row, by its length, the number of rows and the device, and builds the
//! launches.

use super::kernels::{AHEAD, MOST, RowConfig, RowOperation};
use super::rows::{self, Normal, RowLayout, RowOperands};
use super::{exchange, passes, ring};
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
            let (threads, ahead) = (rows::THREADS, vectors <= AHEAD);
            let config = RowConfig { vectors, threads, block: threads, ahead, ..config };
            let space = room(4 * parts * groups)?;
            let launch = T::spread(operands, space, &rows, (parts as u32, groups as u32), config);
            launch.grid((parts * groups) as u32).block(rows::THREADS).cooperative()
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

/// Kernel variants; `Best` selects one. If a variant cannot hold a row in registers, it reads the row again.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variant {
    /// The fastest variant for a shape.
    Best,
    /// Rows held by at most one block.
    Held,
    /// Rows held by several blocks, with at most this many vectors per thread.
    Spread(usize),
    /// As `Spread`, with bulk copies.
    Ring(usize),
    /// Rows are not held: two passes with as many blocks as fit.
    Passes,
}

/// Preferred vectors per thread: enough loads in flight, and few enough registers for many blocks.
const VECTORS: usize = 2;
/// Vectors per lane if a warp holds an f32 row: blocks of two warps launch too slowly (65,536 rows of 320 took twice as long on an
/// H200).
const OF_LANE: usize = 4;
/// Preferred number of threads for a row held by one block; leaves room for a second block.
const PREFERRED: usize = 512;
/// Rows that are not whole vectors are read twice instead of being held by several blocks if they exceed this fraction
/// of the capacity of all blocks: on an H200, 1.3 times as fast from there on, and 2.7 times for 2000 rows of 50,257.
const SHARE: usize = 4;
/// Maximum number of threads per row that one block holds.
const THREADS: usize = 1024;

/// The threads that hold a row of `vectors`, and the number of vectors of each: at most `most`; preferably `each`, or
/// `of_lane` within one warp.
fn held(vectors: usize, most: usize, each: usize, of_lane: usize) -> Option<(u32, usize)> {
    let threads = match vectors {
        ..=8 => vectors.next_power_of_two(),
        9..=64 => vectors.div_ceil(VECTORS).next_power_of_two(),
        _ if vectors <= 32 * of_lane => 32,
        _ => vectors.div_ceil(each).next_multiple_of(32),
    };
    let threads = if vectors > PREFERRED * most { THREADS } else { threads.min(PREFERRED) };
    let each = vectors.div_ceil(threads);
    (each <= most).then_some((threads as u32, each))
}

/// How blocks share rows: vectors per thread, parts per row, concurrent rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shares {
    pub vectors: usize,
    pub parts: usize,
    pub groups: usize,
}

/// The distribution over `blocks`, each with `slice` elements per vector; at most `most` vectors per thread.
fn shares(rows: &RowLayout, slice: usize, blocks: usize, most: usize) -> Option<Shares> {
    let fewest = rows.n.div_ceil(slice * blocks);
    let vectors = rows.rows.saturating_mul(rows.n).div_ceil(slice * blocks);
    let vectors = vectors.clamp(fewest, most.max(fewest));
    let parts = rows.n.div_ceil(slice * vectors);
    let groups = (blocks / parts.max(1)).min(rows.rows);
    (vectors <= most && parts <= blocks).then_some(Shares { vectors, parts, groups })
}

/// The selected variant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SelectedVariant {
    Held { threads: u32, vectors: usize },
    Spread(Shares),
    Ring(Shares),
    Passes,
}

impl Variant {
    /// Selects the variant for rows of this shape on a device; `most` converts a limit of f32 vectors to vectors of T with as many
    /// registers.
    pub(super) fn choose<T: Normal>(
        self,
        device: &Device,
        rows: &RowLayout,
        config: RowConfig,
        peeled: bool,
        most: impl Fn(usize) -> usize,
    ) -> SelectedVariant {
        let info = device.info();
        let multiprocessors = info.multiprocessors.max(1) as usize;
        let adjacent = rows.step == (1, 1);
        let vectors = if peeled { rows.n / T::VECTOR } else { rows.n.div_ceil(T::VECTOR) };
        let of_lane = match config.kind {
            _ if T::VECTOR < 8 => OF_LANE,
            // One more vector would leave too few registers.
            RowOperation::LayerNorm if !peeled => 3,
            _ => most(MOST),
        };
        let each = if peeled { of_lane } else { VECTORS };
        let held = held(vectors, most(MOST), each, of_lane)
            .map(|(threads, vectors)| SelectedVariant::Held { threads, vectors });
        let spread = |most: usize| {
            let (slice, blocks) = (rows::THREADS as usize * T::VECTOR, rows::RESIDENT as usize);
            shares(rows, slice, blocks * multiprocessors, most)
                .filter(|_| adjacent)
                .map(SelectedVariant::Spread)
        };
        let ring = |wanted: usize| {
            let slice = ring::THREADS as usize * T::VECTOR;
            let plain = !config.gamma && !config.beta;
            let wanted = if plain { wanted } else { wanted.min(most(ring::PREFERRED)) };
            shares(rows, slice, multiprocessors, wanted)
                .filter(|shares| config.wide && shares.parts <= exchange::PARTS)
                .map(SelectedVariant::Ring)
        };
        // Whether the rows exceed a fraction of the capacity of all blocks.
        let room = rows::THREADS as usize * T::VECTOR * most(MOST) * rows::RESIDENT as usize;
        let many = rows.rows.saturating_mul(rows.n) > room * multiprocessors / SHARE;
        let of_ring = most(ring::MOST) * ring::THREADS as usize * T::VECTOR;
        // Copying ahead requires bulk copies and several rows per block.
        let ahead = info.compute_capability >= (9, 0)
            && rows.rows.saturating_mul(rows.n) >= 4 * multiprocessors * of_ring;
        let chosen = match self {
            // Blocks that share such rows would read them element by element and wait for each other.
            Variant::Best if peeled && held.is_none() && many => Some(SelectedVariant::Passes),
            Variant::Best if ahead && held.is_none() => {
                ring(most(ring::PREFERRED)).or_else(|| ring(most(ring::MOST)))
            }
            // If one block per row would leave most multiprocessors idle, several share a row.
            Variant::Best if rows.n >= 16384 && 4 * rows.rows <= multiprocessors => {
                spread(most(MOST)).or(held)
            }
            Variant::Best => held.or_else(|| spread(most(MOST))),
            Variant::Held => held,
            Variant::Spread(most) => spread(most),
            Variant::Ring(most) => ring(most),
            Variant::Passes => None,
        };
        chosen
            .or_else(|| {
                spread(most(MOST)).filter(|_| !matches!(self, Variant::Held | Variant::Passes))
            })
            .unwrap_or(SelectedVariant::Passes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_held_by_threads_with_two_vectors_until_there_are_many() {
        for (vectors, expected) in [
            (1, Some((1, 1))),
            (4, Some((4, 1))),
            (5, Some((8, 1))),
            (16, Some((8, 2))),
            (17, Some((16, 2))),
            (64, Some((32, 2))),
            (65, Some((64, 2))),
            (256, Some((128, 2))),
            (1024, Some((512, 2))),
            (4096, Some((512, 8))),
            (4097, Some((1024, 5))),
            (8192, Some((1024, 8))),
            (8193, None),
        ] {
            assert_eq!(held(vectors, 8, VECTORS, VECTORS), expected, "{vectors}");
        }
    }

    #[test]
    fn rows_are_spread_so_that_all_blocks_have_something() {
        let of = |rows, n| RowLayout { rows, n, row: (n, n), step: (1, 1), eps: 0.0 };
        assert_eq!(
            shares(&of(1, 1 << 20), 2048, 264, 8),
            Some(Shares { vectors: 2, parts: 256, groups: 1 })
        );
        assert_eq!(
            shares(&of(256, 1 << 20), 2048, 264, 8),
            Some(Shares { vectors: 8, parts: 64, groups: 4 })
        );
        assert_eq!(
            shares(&of(3, 40_000), 2048, 264, 8),
            Some(Shares { vectors: 1, parts: 20, groups: 3 })
        );
        assert_eq!(shares(&of(1, 1 << 23), 2048, 264, 8), None);
    }
}
