//! Which threads hold a row.

use super::kernels::{AHEAD, How, Kind, MOST};
use super::normal::{Normal, Operands, Rows};
use super::{collect, passes, ring, spread};
use crate::workspace::Layout;
use crate::{Plan, Workspace};
use lanework::{Device, Error, Result};

/// The ways to hold a row; `Best` chooses. Where a row cannot be held so, it is read as often as it is needed.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// The fastest one for a shape.
    Best,
    /// By one block or less.
    Held,
    /// By several blocks, of which each thread has at most so many vectors.
    Spread(usize),
    /// The same, by bulk copies.
    Ring(usize),
    /// By nobody: it is read twice, by as many blocks as there is room for.
    Passes,
}

/// Vectors that a thread holds while there are threads: enough loads in flight, and not so many registers that few blocks run.
const VECTORS: usize = 2;
/// Threads of a row that one block holds, so that another block runs beside it.
const PREFERRED: usize = 512;
/// Blocks up to which rows are fetched before the launch before has ended: 4 rows of 1024 take 4 % less time on an H200, 132 rows 2 % more.
const FEW: u32 = 16;
/// The most threads of a row that one block holds.
const THREADS: usize = 1024;

pub(super) fn refuse(why: String, help: &str) -> Error {
    Error::Request { why, help: help.to_owned() }
}

/// The number of blocks, where a launch can have as many.
fn grid(blocks: usize) -> Result<u32> {
    match u32::try_from(blocks) {
        Ok(blocks) if blocks < 1 << 31 => Ok(blocks),
        _ => Err(refuse(
            format!("{blocks} groups of rows; the limit is 2^31 - 1"),
            "give the rows in parts",
        )),
    }
}

/// The threads that hold a row of `vectors`, and how many of them each has: at most `most`, and while there are threads, `each`, or
/// those of one warp `of_lane`.
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

/// Blocks that a multiprocessor is to hold whose threads have `values` numbers each, so that enough rows are read at once. Rows of halves
/// have half the bytes, so that more of them are needed, even where a thread then has few registers.
fn resident(kind: Kind, values: usize, block: u32, halves: bool, peeled: bool) -> u32 {
    let with = |registers: u32| (65536 / (block * registers)).min(2048 / block).clamp(1, 32);
    match values {
        // Results of a layer norm take more registers than 40, which is worse than few threads only where those are very few.
        16 if halves && (peeled || kind == Kind::LayerNorm && with(48) * block >= 1280) => with(48),
        16 if halves => with(40),
        24 if halves => with(48),
        32.. => with(64),
        _ => 1,
    }
}

/// How rows are spread over blocks: vectors of a thread, parts of a row, rows at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Shares {
    vectors: usize,
    parts: usize,
    groups: usize,
}

/// The same of `blocks`, whose threads have `slice` elements together for each of their vectors, of which they have at most `most`.
fn shares(rows: &Rows, slice: usize, blocks: usize, most: usize) -> Option<Shares> {
    let fewest = rows.n.div_ceil(slice * blocks);
    let vectors = rows.rows.saturating_mul(rows.n).div_ceil(slice * blocks);
    let vectors = vectors.clamp(fewest, most.max(fewest));
    let parts = rows.n.div_ceil(slice * vectors);
    let groups = (blocks / parts.max(1)).min(rows.rows);
    (vectors <= most && parts <= blocks).then_some(Shares { vectors, parts, groups })
}

/// The parts that blocks share a row in, of `rows` rows of so many tiles.
fn shared_by(rows: usize, tiles: usize, multiprocessors: u32) -> u32 {
    let room = (passes::RESIDENT * multiprocessors) as usize / rows;
    room.min(tiles).clamp(1, passes::THREADS as usize) as u32
}

/// Who holds a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Chosen {
    Held { threads: u32, vectors: usize },
    Spread(Shares),
    Ring(Shares),
    Passes,
}

impl Way {
    fn choose<T: Normal>(
        self,
        device: &Device,
        rows: &Rows,
        how: How,
        peeled: bool,
        most: impl Fn(usize) -> usize,
    ) -> Chosen {
        let info = device.info();
        let multiprocessors = info.multiprocessors.max(1) as usize;
        let adjacent = rows.step == (1, 1);
        let vectors = if peeled { rows.n / T::VECTOR } else { rows.n.div_ceil(T::VECTOR) };
        let of_lane = match how.kind {
            _ if T::VECTOR < 8 => VECTORS,
            // With one more it has too few registers.
            Kind::LayerNorm if !peeled => 3,
            _ => most(MOST),
        };
        let each = if peeled { of_lane } else { VECTORS };
        let held = held(vectors, most(MOST), each, of_lane)
            .map(|(threads, vectors)| Chosen::Held { threads, vectors });
        let spread = |most: usize| {
            let (slice, blocks) = (spread::THREADS as usize * T::VECTOR, spread::RESIDENT as usize);
            shares(rows, slice, blocks * multiprocessors, most)
                .filter(|_| adjacent)
                .map(Chosen::Spread)
        };
        let ring = |wanted: usize| {
            let slice = ring::THREADS as usize * T::VECTOR;
            let plain = !how.gamma && !how.beta;
            let wanted = if plain { wanted } else { wanted.min(most(ring::PREFERRED)) };
            shares(rows, slice, multiprocessors, wanted)
                .filter(|shares| how.wide && shares.parts <= collect::PARTS)
                .map(Chosen::Ring)
        };
        let of_ring = most(ring::MOST) * ring::THREADS as usize * T::VECTOR;
        // Copies ahead need a device that has them, and several rows of each block.
        let ahead = info.compute_capability >= (9, 0)
            && rows.rows.saturating_mul(rows.n) >= 4 * multiprocessors * of_ring;
        let chosen = match self {
            Way::Best if ahead && held.is_none() => {
                ring(most(ring::PREFERRED)).or_else(|| ring(most(ring::MOST)))
            }
            // Where a block for each row would leave most multiprocessors idle, several share it.
            Way::Best if rows.n >= 16384 && 4 * rows.rows <= multiprocessors => {
                spread(most(MOST)).or(held)
            }
            Way::Best => held.or_else(|| spread(most(MOST))),
            Way::Held => held,
            Way::Spread(most) => spread(most),
            Way::Ring(most) => ring(most),
            Way::Passes => None,
        };
        chosen
            .or_else(|| spread(most(MOST)).filter(|_| !matches!(self, Way::Held | Way::Passes)))
            .unwrap_or(Chosen::Passes)
    }
}

/// The launch of a softmax or a norm.
pub(super) fn plan<'a, T: Normal>(
    device: &Device,
    operands: Operands<'a, T>,
    rows: Rows,
    (kind, gamma, beta): (Kind, bool, bool),
    way: Way,
    workspace: &Workspace,
) -> Result<Plan<'a>> {
    let Rows { rows: count, n, row, step, .. } = rows;
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
    // Rows whose vectors lie alike in both, with some elements before and behind them.
    let alike =
        aligned[0] % 16 == aligned[1] % 16 && (count == 1 || row.0 % vector == row.1 % vector);
    let peeled = !wide
        && alike
        && step == (1, 1)
        && aligned[2..].iter().all(|address| address.is_multiple_of(16))
        && n >= 33 * vector;
    let phase = aligned[0] / size_of::<T>() as u64 % vector as u64;
    // 16 bytes of halves become 32.
    let most = |vectors: usize| (vectors * size_of::<T>() / size_of::<f32>()).max(1);
    let capability = device.info().compute_capability;
    let how = How {
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
    let chosen = way.choose::<T>(device, &rows, how, peeled, most);
    let mut scratch = None;
    let mut steps = Vec::new();
    let mut room = |cells: usize| -> Result<_> {
        let mut layout = Layout::default();
        let (cells, done) = (layout.zeroed::<u64>(cells), layout.zeroed::<u32>(1));
        let space = scratch.insert(workspace.reserve(&layout)?);
        Ok((space.view(cells), space.view(done)))
    };
    let launch = match chosen {
        Chosen::Held { threads, vectors } => {
            let block = if threads > 32 { threads } else { 256 };
            let resident = resident(kind, vectors * vector, block, vector == 8, peeled);
            let full = wide
                && n == threads as usize * vectors * vector
                && count % (block / threads) as usize == 0;
            let blocks = grid(count.div_ceil((block / threads) as usize))?;
            // Where all blocks run at once, latency counts; else the registers that it takes.
            let ahead = wide && vectors <= AHEAD && blocks <= device.info().multiprocessors;
            let fetches = how.overlaps && wide && blocks <= FEW;
            let how = How {
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
                ..how
            };
            T::held(operands, &rows, how).grid(blocks).block(block)
        }
        Chosen::Spread(Shares { vectors, parts, groups }) => {
            let (threads, ahead) = (spread::THREADS, vectors <= AHEAD);
            let how = How { vectors, threads, block: threads, ahead, ..how };
            let space = room(4 * parts * groups)?;
            let launch = T::spread(operands, space, &rows, (parts as u32, groups as u32), how);
            launch.grid((parts * groups) as u32).block(spread::THREADS).cooperative()
        }
        Chosen::Ring(Shares { vectors, parts, groups }) => {
            let (threads, block, delay) = (ring::THREADS, ring::BLOCK, ring::DELAY);
            let full = n.is_multiple_of(threads as usize * vector * vectors);
            let how = How { full, vectors, threads, block, delay, ..how };
            let how = How { stages: ring::stages(how), ..how };
            let space = room(ring::cells(delay, (parts, groups)))?;
            let launch = T::ring(operands, space, &rows, (parts as u32, groups as u32), how);
            let launch = launch.shared_bytes(ring::shared_bytes(how));
            launch.grid((parts * groups) as u32).block(ring::BLOCK).cooperative()
        }
        Chosen::Passes => {
            let multiprocessors = device.info().multiprocessors.max(1);
            let parts = shared_by(count, n.div_ceil(passes::tile(vector)), multiprocessors);
            let threads = passes::THREADS;
            let how = How { vectors: passes::VECTORS, threads, block: threads, ..how };
            let blocks = grid(count.saturating_mul(parts as usize))?;
            let mut layout = Layout::default();
            let space = layout.scratch::<f32>(2 * blocks as usize);
            let memory = scratch.insert(workspace.reserve(&layout)?);
            let (to, from) = (memory.view(space), memory.view(space));
            steps.push(T::parts(operands.x, to, &rows, parts, how).grid(blocks).block(threads));
            T::results(operands, from, &rows, parts, how).grid(blocks).block(threads)
        }
    };
    steps.push(launch);
    // The others wait for each other's blocks, or have few of them.
    let programmatic = how.overlaps && matches!(chosen, Chosen::Held { .. } | Chosen::Passes);
    // SAFETY: elements are guarded by the rows' number and length, which gamma and beta have, too; wide accesses are aligned, as
    // `wide` says; and blocks have as many cells as they publish in.
    let prepared = steps.into_iter().map(|launch| unsafe {
        let launch = if programmatic { launch.programmatic() } else { launch };
        launch.prepare_unchecked(device)
    });
    Ok(Plan::new(prepared.collect::<Result<_>>()?, scratch))
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
        let of = |rows, n| Rows { rows, n, row: (n, n), step: (1, 1), eps: 0.0 };
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
