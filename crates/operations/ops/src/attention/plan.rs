//! Plans attention: checks the operands, selects the kernel and builds the launches.

use super::choice::{self, AttentionKernel, Division, KeyParts};
use super::problem::{Half, KernelOptions};
use super::request::{
    AttentionOperands, AttentionRequest, Memory, Results, Split, map, strides, tiled, tiles,
};
use super::{hopper, plain, warps};
use crate::workspace::WorkspaceLayout;
use crate::{Plan, Tensor, TensorMut, Workspace};
use lanework::prelude::*;
use lanework::{Prepared, Result, View, ViewMut};

/// Options of an attention call.
#[derive(Debug)]
pub(super) struct Asked<'a, T: Half> {
    pub q: Tensor<'a, T, 4>,
    pub k: Tensor<'a, T, 4>,
    pub v: Tensor<'a, T, 4>,
    pub causal: bool,
    pub scale: Option<f32>,
    /// Never divide the keys, even if that is faster.
    pub whole: bool,
    pub log_sums: Option<TensorMut<'a, f32, 3>>,
}

/// Builds the launches.
pub(super) fn plan<'a, T: Half>(
    asked: Asked<'a, T>,
    out: Results<'a, T>,
    workspace: &Workspace,
    path: Option<AttentionKernel>,
) -> Result<Plan<'a>> {
    let Asked { q, k, v, causal, scale, whole, log_sums } = asked;
    let request = AttentionRequest {
        q: (q.shape(), q.strides()),
        k: (k.shape(), k.strides()),
        v: (v.shape(), v.strides()),
        out: (out.shape, out.strides),
        log_sums: log_sums.as_ref().map(|logs| (logs.shape(), logs.strides())),
        scale,
    };
    request.check()?;
    if q.is_empty() {
        return Ok(Plan::new(vec![], []));
    }
    let device = q.device().clone();
    let head = q.shape()[3];
    let scale = scale.unwrap_or(1.0 / (head as f32).sqrt()) * std::f32::consts::LOG2_E;
    let options = KernelOptions {
        causal,
        wide: matches!(out.memory, Memory::Wide(_)),
        log_sums: log_sums.is_some(),
        split: false,
        overlaps: device.info().compute_capability >= (9, 0),
    };
    let reads =
        |x: &Tensor<'a, T, 4>| tiled(x.clone().into_view().address(), x.shape(), x.strides(), 8);
    let fits = [&q, &k, &v].into_iter().all(reads) && out.fit() && k.shape()[2] > 0;
    let path = path.unwrap_or_else(|| match device.info().compute_capability.0 {
        8.. if fits => choice::select(&request, &device, causal, whole),
        _ => AttentionKernel::Plain,
    });

    // Every kernel takes all outputs; it never writes the dummies of unused ones.
    let mut layout = WorkspaceLayout::default();
    let counter = layout.zeroed::<u32>(64);
    let parts = match path {
        AttentionKernel::Split(split) => split.count() * q.len() / head,
        AttentionKernel::InParts(_, parts) => parts.parts as usize * q.len() / head,
        _ => 0,
    };
    let (sums, weights) = (layout.scratch::<f32>(parts * head), layout.scratch::<f32>(2 * parts));
    let scratch = workspace.reserve(&layout)?;
    let unused = || scratch.view(counter);
    let log_sums = log_sums.map_or_else(|| unused().cast(), TensorMut::into_view);
    let prepared = match path {
        AttentionKernel::Hopper(_) | AttentionKernel::Warps => {
            let operands =
                AttentionOperands { q, k, v, out, log_sums, counter: unused(), unused: unused() };
            let context = (&device, &request, scale, options);
            let division = Division::fastest(head as u32, request.q.0[2] as u32, causal);
            match (path, head, KeyParts::keys(head, request.k.0[2])) {
                (AttentionKernel::Hopper(most), 64, _) => {
                    on_hopper::<T, 64, 128>(operands, context, (most, division), None)?
                }
                (AttentionKernel::Hopper(most), _, 160) => {
                    on_hopper::<T, 128, 160>(operands, context, (most, division), None)?
                }
                (AttentionKernel::Hopper(most), ..) => {
                    on_hopper::<T, 128, 128>(operands, context, (most, division), None)?
                }
                (_, 64, _) => on_warps::<T, 64, 4, 8>(operands, context)?,
                _ => on_warps::<T, 128, 8, 16>(operands, context)?,
            }
        }
        AttentionKernel::InParts(most, parts) => {
            let operands =
                AttentionOperands { q, k, v, out, log_sums, counter: unused(), unused: unused() };
            let context = (&device, &request, scale, options);
            let how_much = (most, Division::of_groups(head as u32, parts.groups));
            let memory = || (scratch.view(sums), scratch.view(weights));
            let steps = match (head, KeyParts::keys(head, request.k.0[2])) {
                (64, _) => {
                    on_hopper_in_parts::<T, 64, 128, 2>(operands, context, how_much, parts, memory)?
                }
                (_, 160) => on_hopper_in_parts::<T, 128, 160, 4>(
                    operands, context, how_much, parts, memory,
                )?,
                _ => on_hopper_in_parts::<T, 128, 128, 4>(
                    operands, context, how_much, parts, memory,
                )?,
            };
            return Ok(Plan::new(steps.into(), [scratch]));
        }
        AttentionKernel::Split(split) => {
            let operands =
                AttentionOperands { q, k, v, out, log_sums, counter: unused(), unused: unused() };
            let context = (&device, &request, scale, options);
            // Fastest on an H200: three stages, if tiles are small enough to leave room for them.
            let parts = || (scratch.view(sums), scratch.view(weights));
            let steps = match (head, split.rows) {
                (64, 16) => in_parts::<T, 64, 16, 3, 4, 8, 2, 2>(operands, context, split, parts)?,
                (64, 32) => in_parts::<T, 64, 32, 3, 4, 8, 4, 2>(operands, context, split, parts)?,
                (64, _) => in_parts::<T, 64, 64, 2, 4, 8, 8, 2>(operands, context, split, parts)?,
                (_, 16) => in_parts::<T, 128, 16, 2, 8, 16, 2, 4>(operands, context, split, parts)?,
                (_, 32) => in_parts::<T, 128, 32, 2, 8, 16, 4, 4>(operands, context, split, parts)?,
                _ => in_parts::<T, 128, 64, 2, 8, 16, 8, 4>(operands, context, split, parts)?,
            };
            return Ok(Plan::new(steps.into(), [scratch]));
        }
        AttentionKernel::Plain => {
            let work = request.work(1, None);
            let (narrow, wide) = match out.memory {
                Memory::Rounded(view) => (view, unused().cast()),
                Memory::Wide(view) => (unused().cast(), view),
            };
            let launch = plain::attention_plain(
                q.into_view(),
                k.into_view(),
                v.into_view(),
                narrow,
                wide,
                log_sums,
                strides(request.q.1),
                strides(request.k.1),
                strides(request.v.1),
                work,
                scale,
                head as u32,
                options,
            );
            let grid = (work.rows.div_ceil(plain::WARPS), work.pairs.min(65_535));
            let launch = launch.grid(grid).block(32 * plain::WARPS);
            // SAFETY: the kernel compares rows, keys and heads with their extents, and `Tensor` checked the extents against the
            // buffers.
            unsafe { launch.prepare_unchecked(&device)? }
        }
    };
    Ok(Plan::new(vec![prepared], [scratch]))
}

/// The device, the request, the score scale times log2(e), and the kernel options.
pub(super) type LaunchContext<'a> = (&'a Device, &'a AttentionRequest, f32, KernelOptions);

pub(super) fn on_hopper<'a, T: Half, const HEAD: u32, const KEYS: u32>(
    operands: AttentionOperands<'a, T>,
    (device, request, scale, options): LaunchContext<'_>,
    (most, division): (u32, Division),
    parts: Option<KeyParts>,
) -> Result<Prepared<'a>> {
    let AttentionOperands { q, k, v, out, log_sums, counter, unused } = operands;
    let options = KernelOptions { overlaps: false, split: parts.is_some(), ..options };
    let work =
        request.work(64 * division.groups, options.causal.then_some(device.info().multiprocessors));
    let work = parts.map_or(work, |parts| parts.divide(work));
    let (q, k, v) = (map(q, 64)?, map(k, KEYS)?, map(v, KEYS)?);
    // The kernel takes both result types; the unused one refers to a dummy buffer.
    let (rounded, lies, wide) = match out.memory {
        Memory::Rounded(view) => (view, tiles(out.shape, out.strides, 64), unused.cast()),
        Memory::Wide(view) => (unused.cast(), tiles([1, 1, 1, 64], [64, 64, 64, 1], 64), view),
    };
    let rounded = TensorMapMut::of_view(device, rounded, &lies)?;
    let launch = hopper::attention_hopper::<T, HEAD, KEYS>(
        &q, &k, &v, rounded, wide, log_sums, counter, work, scale, division, options,
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
    operands: AttentionOperands<'a, T>,
    context: LaunchContext<'_>,
    (most, division): (u32, Division),
    parts: KeyParts,
    memory: impl Fn() -> (ViewMut<'a, f32>, ViewMut<'a, f32>),
) -> Result<[Prepared<'a>; 2]> {
    let (device, request, scale, options) = context;
    let AttentionOperands { q, k, v, out, log_sums, counter, unused } = operands;
    let work = parts.divide(request.work(64 * division.groups, None));
    let (sums, weights) = memory();
    let in_parts = Results { memory: Memory::Wide(sums), shape: out.shape, strides: out.strides };
    let first = AttentionOperands { q, k, v, out: in_parts, log_sums: weights, counter, unused };
    let first = on_hopper::<T, HEAD, KEYS>(first, context, (most, division), Some(parts))?;
    let (sums, weights) = memory();
    // The unused result type refers to a dummy buffer that is not written.
    let (narrow, wide) = match out.memory {
        Memory::Rounded(view) => (view, memory().1),
        Memory::Wide(view) => (memory().1.cast(), view),
    };
    let launch = plain::combine_rows::<T, HEAD, PER>(
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
    let blocks = (work.pairs * work.rows).div_ceil(plain::COMBINE_WARPS);
    let launch = launch.grid(blocks).block(32 * plain::COMBINE_WARPS);
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
    operands: AttentionOperands<'a, T>,
    (device, request, scale, options): LaunchContext<'_>,
    split: Split,
    parts: impl Fn() -> (ViewMut<'a, f32>, ViewMut<'a, f32>),
) -> Result<[Prepared<'a>; 2]> {
    let AttentionOperands { q, k, v, out, log_sums, unused, .. } = operands;
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
        KernelOptions { split: true, wide: true, log_sums: true, ..options },
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
    let launch = plain::combine_parts::<T, HEAD, PER>(
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
    let launch = launch.grid(work.pairs * work.rows).block(32 * plain::COMBINE_WARPS);
    // SAFETY: the grid has a block for every row, the first launch stores all parts of each row, and `Tensor` checked the operands'
    // extents against their buffers.
    let second = unsafe { launch.prepare_unchecked(device)? };
    Ok([first, second])
}

pub(super) fn on_warps<'a, T: Half, const HEAD: u32, const STEPS: usize, const ACROSS: usize>(
    operands: AttentionOperands<'a, T>,
    (device, request, scale, options): LaunchContext<'_>,
) -> Result<Prepared<'a>> {
    let AttentionOperands { q, k, v, out, log_sums, .. } = operands;
    let words = match out.memory {
        Memory::Rounded(view) => view.cast::<u32>(),
        Memory::Wide(view) => view.cast(),
    };
    let work = request.work(warps::QUERIES, None);
    let options = KernelOptions { overlaps: false, ..options };
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
