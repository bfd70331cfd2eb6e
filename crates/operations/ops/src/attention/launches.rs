//! Launches of the tensor-core attention kernels.

use super::combine;
use super::division::Division;
use super::elements::Half;
use super::hopper;
use super::operands::{Memory, Operands, Results, map, tiles};
use super::parts::Parts;
use super::problem::Options;
use super::request::{Request, strides};
use super::split::Split;
use super::warps;
use lanework::prelude::*;
use lanework::{Prepared, Result, View, ViewMut};

/// The device, the request, the score scale times log2(e), and the kernel options.
pub(super) type How<'a> = (&'a Device, &'a Request, f32, Options);

pub(super) fn on_hopper<'a, T: Half, const HEAD: u32, const KEYS: u32>(
    operands: Operands<'a, T>,
    (device, request, scale, options): How<'_>,
    (most, division): (u32, Division),
    parts: Option<Parts>,
) -> Result<Prepared<'a>> {
    let Operands { q, k, v, out, log_sums, counter, unused } = operands;
    let options = Options { overlaps: false, split: parts.is_some(), ..options };
    let work =
        request.work(64 * division.groups, options.causal.then_some(device.info().multiprocessors));
    let work = parts.map_or(work, |parts| parts.of(work));
    let (q, k, v) = (map(q, 64)?, map(k, KEYS)?, map(v, KEYS)?);
    // The kernel takes both result types; the unused one refers to a dummy buffer.
    let (rounded, lies, wide) = match out.memory {
        Memory::Rounded(view) => (view, tiles(out.shape, out.strides, 64), unused.cast()),
        Memory::Wide(view) => (unused.cast(), tiles([1, 1, 1, 64], [64, 64, 64, 1], 64), view),
    };
    let rounded = TensorMapMut::of_view(device, rounded, &lies)?;
    let launch = hopper::attention_hopper::<T, HEAD, KEYS>(
        &q, &k, &v, &rounded, wide, log_sums, counter, work, scale, division, options,
    );
    let launch = launch
        .grid(work.tiles.min(most))
        .block(division.threads())
        .shared_bytes(division.shared_bytes(HEAD, KEYS));
    // SAFETY: the tensor maps clip tile copies to the tensors, whose extents `Tensor` checked against their buffers; the kernel
    // stores rows only below the number of queries.
    unsafe { launch.prepare_unchecked(device) }
}

/// The two launches of the Hopper kernel with divided keys: the parts, and the combination.
pub(super) fn on_hopper_in_parts<
    'a,
    T: Half,
    const HEAD: u32,
    const KEYS: u32,
    const PER: usize,
>(
    operands: Operands<'a, T>,
    how: How<'_>,
    (most, division): (u32, Division),
    parts: Parts,
    memory: impl Fn() -> (ViewMut<'a, f32>, ViewMut<'a, f32>),
) -> Result<[Prepared<'a>; 2]> {
    let (device, request, scale, options) = how;
    let Operands { q, k, v, out, log_sums, counter, unused } = operands;
    let work = parts.of(request.work(64 * division.groups, None));
    let (sums, weights) = memory();
    let in_parts = Results { memory: Memory::Wide(sums), shape: out.shape, strides: out.strides };
    let first = Operands { q, k, v, out: in_parts, log_sums: weights, counter, unused };
    let first = on_hopper::<T, HEAD, KEYS>(first, how, (most, division), Some(parts))?;
    let (sums, weights) = memory();
    // The unused result type refers to a dummy buffer that is not written.
    let (narrow, wide) = match out.memory {
        Memory::Rounded(view) => (view, memory().1),
        Memory::Wide(view) => (memory().1.cast(), view),
    };
    let launch = combine::combine_rows::<T, HEAD, PER>(
        View::from(sums),
        View::from(weights),
        narrow,
        wide,
        log_sums,
        work,
        scale,
        options,
    );
    let launch = if options.overlaps { launch.programmatic() } else { launch };
    let blocks = (work.pairs * work.rows).div_ceil(combine::WARPS);
    let launch = launch.grid(blocks).block(32 * combine::WARPS);
    // SAFETY: the grid has a warp for every row, the first launch stores all parts of each row, and `Tensor` checked the operands'
    // extents against their buffers.
    let second = unsafe { launch.prepare_unchecked(device)? };
    Ok([first, second])
}

/// The two launches of the sm_80 kernel with divided keys: the parts, and the combination.
pub(super) fn in_parts<
    'a,
    T: Half,
    const HEAD: u32,
    const ROWS: u32,
    const STAGES: u32,
    const STEPS: usize,
    const ACROSS: usize,
    const SCORES: usize,
    const PER: usize,
>(
    operands: Operands<'a, T>,
    (device, request, scale, options): How<'_>,
    split: Split,
    parts: impl Fn() -> (ViewMut<'a, f32>, ViewMut<'a, f32>),
) -> Result<[Prepared<'a>; 2]> {
    let Operands { q, k, v, out, log_sums, unused, .. } = operands;
    let work = request.grouped(split);
    let (sums, weights) = parts();
    let launch = warps::attention_warps::<T, HEAD, ROWS, STAGES, STEPS, ACROSS, SCORES>(
        q.into_view(),
        k.into_view(),
        v.into_view(),
        sums.cast(),
        weights,
        strides(request.q.1),
        strides(request.k.1),
        strides(request.v.1),
        work,
        scale,
        Options { split: true, wide: true, log_sums: true, ..options },
    );
    let launch = launch
        .grid((work.down, work.pairs.min(65_535), work.parts))
        .block(128)
        .shared_bytes(warps::shared_bytes(HEAD, ROWS, STAGES));
    // SAFETY: as in `on_warps`; the scratch memory has room for the parts of every row.
    let first = unsafe { launch.prepare_unchecked(device)? };
    let (narrow, wide) = match out.memory {
        Memory::Rounded(view) => (view, unused.cast()),
        Memory::Wide(view) => (unused.cast(), view),
    };
    let (sums, weights) = parts();
    let launch = combine::combine_parts::<T, HEAD, PER>(
        View::from(sums),
        View::from(weights),
        narrow,
        wide,
        log_sums,
        work,
        split.count() as u32,
        scale,
        options,
    );
    let launch = if options.overlaps { launch.programmatic() } else { launch };
    let launch = launch.grid(work.pairs * work.rows).block(32 * combine::WARPS);
    // SAFETY: the grid has a block for every row, the first launch stores all parts of each row, and `Tensor` checked the operands'
    // extents against their buffers.
    let second = unsafe { launch.prepare_unchecked(device)? };
    Ok([first, second])
}

pub(super) fn on_warps<'a, T: Half, const HEAD: u32, const STEPS: usize, const ACROSS: usize>(
    operands: Operands<'a, T>,
    (device, request, scale, options): How<'_>,
) -> Result<Prepared<'a>> {
    let Operands { q, k, v, out, log_sums, .. } = operands;
    let words = match out.memory {
        Memory::Rounded(view) => view.cast::<u32>(),
        Memory::Wide(view) => view.cast(),
    };
    let work = request.work(warps::QUERIES, None);
    let options = Options { overlaps: false, ..options };
    let launch = warps::attention_warps::<T, HEAD, 64, 2, STEPS, ACROSS, 8>(
        q.into_view(),
        k.into_view(),
        v.into_view(),
        words,
        log_sums,
        strides(request.q.1),
        strides(request.k.1),
        strides(request.v.1),
        work,
        scale,
        options,
    );
    let launch = launch
        .grid((work.down, work.pairs.min(65_535)))
        .block(128)
        .shared_bytes(warps::shared_bytes(HEAD, warps::QUERIES, 2));
    // SAFETY: the kernel compares rows of queries and keys with their extents before it copies or stores them, and `Tensor` checked
    // the extents against the buffers.
    unsafe { launch.prepare_unchecked(device) }
}
