//! The launch of attention for its operands: what they have to be, and which kernel works on them.

use super::combine;
use super::division::Division;
use super::elements::Half;
use super::hopper;
use super::plain;
use super::problem::Options;
use super::request::{Request, strides};
use super::split::Split;
use super::warps;
use crate::workspace::Layout;
use crate::{Plan, Tensor, TensorMut, Workspace};
use lanework::lang::tensor_cores::SwizzleMode;
use lanework::prelude::*;
use lanework::{Prepared, Result, View, ViewMut};

/// Keys from which on blocks of 160 are faster than blocks of 128 on an H200, for heads of 128 elements.
const LONG: usize = 4096;

/// The kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Path {
    /// Of Hopper's tensor cores, with TMA, by at most as many blocks.
    Hopper(u32),
    /// Of the tensor cores of sm_80 and later.
    Warps,
    /// Of the same tensor cores, with keys divided into parts.
    Split(Split),
    /// Of every device.
    Plain,
}

/// What a call says.
#[derive(Debug)]
pub(super) struct Asked<'a, T: Half> {
    pub q: Tensor<'a, T, 4>,
    pub k: Tensor<'a, T, 4>,
    pub v: Tensor<'a, T, 4>,
    pub causal: bool,
    pub scale: Option<f32>,
    pub log_sums: Option<TensorMut<'a, f32, 3>>,
}

/// Where the results go.
#[derive(Debug)]
pub struct Results<'a, T: Half> {
    pub(super) memory: Memory<'a, T>,
    shape: [usize; 4],
    strides: [usize; 4],
}

/// The results, rounded or as f32.
#[derive(Debug)]
pub enum Memory<'a, T: Half> {
    Rounded(ViewMut<'a, T>),
    Wide(ViewMut<'a, f32>),
}

impl<'a, T: Half> Results<'a, T> {
    /// Rounded results.
    pub(super) fn narrow(out: TensorMut<'a, T, 4>) -> Self {
        let (shape, strides) = (out.shape(), out.strides());
        Results { memory: Memory::Rounded(out.into_view()), shape, strides }
    }

    /// Results as f32.
    pub(super) fn wide(out: TensorMut<'a, f32, 4>) -> Self {
        let (shape, strides) = (out.shape(), out.strides());
        Results { memory: Memory::Wide(out.into_view()), shape, strides }
    }

    /// Whether the kernels of tensor cores can store them: rounded ones by TMA, others two at a time.
    fn fit(&self) -> bool {
        match &self.memory {
            Memory::Rounded(view) => tiled(view.address(), self.shape, self.strides, 8),
            Memory::Wide(view) => tiled(view.address(), self.shape, self.strides, 2),
        }
    }
}

/// Whether rows start at multiples of `unit` elements, or, of 8 elements, where TMA can copy them.
fn tiled(address: u64, shape: [usize; 4], strides: [usize; 4], unit: usize) -> bool {
    let mut steps = strides.into_iter().zip(shape).take(3);
    address.is_multiple_of(if unit == 8 { 16 } else { 8 })
        && steps.all(|(stride, extent)| {
            extent == 1 || stride.is_multiple_of(unit) && (1..1 << 39).contains(&stride)
        })
}

/// Tiles of `rows` rows, 64 columns at a time.
fn tiles(shape: [usize; 4], mut strides: [usize; 4], rows: u32) -> Tiles<4> {
    for axis in 0..3 {
        if shape[axis] == 1 {
            strides[axis] = shape[3]; // of any size that TMA takes
        }
    }
    Tiles::new(shape, [1, 1, rows, 64]).strides(strides).swizzle(Swizzle128::SWIZZLE)
}

/// The map of a tensor whose tiles of `rows` rows are loaded.
fn map<'a, T: Half>(tensor: Tensor<'a, T, 4>, rows: u32) -> Result<TensorMap<'a, T, 4>> {
    let tiles = tiles(tensor.shape(), tensor.strides(), rows);
    TensorMap::of_view(&tensor.device().clone(), tensor.into_view(), &tiles)
}

/// The launch.
pub(super) fn plan<'a, T: Half>(
    asked: Asked<'a, T>,
    out: Results<'a, T>,
    workspace: &Workspace,
    path: Option<Path>,
) -> Result<Plan<'a>> {
    let Asked { q, k, v, causal, scale, log_sums } = asked;
    let request = Request {
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
    let options = Options {
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
        8.. if fits => request.path(&device, causal),
        _ => Path::Plain,
    });

    // Every kernel takes all outputs; what stands for the ones that are not wanted is never written.
    let mut layout = Layout::default();
    let counter = layout.zeroed::<u32>(64);
    let parts = match path {
        Path::Split(split) => split.count() * q.len() / head,
        _ => 0,
    };
    let (sums, weights) = (layout.scratch::<f32>(parts * head), layout.scratch::<f32>(2 * parts));
    let scratch = workspace.reserve(&layout)?;
    let unused = || scratch.view(counter);
    let log_sums = log_sums.map_or_else(|| unused().cast(), TensorMut::into_view);
    let prepared = match path {
        Path::Hopper(_) | Path::Warps => {
            let operands = Operands { q, k, v, out, log_sums, counter: unused(), unused: unused() };
            let how = (&device, &request, scale, options);
            match (path, head) {
                (Path::Hopper(most), 64) => on_hopper::<T, 64, 128>(operands, how, most)?,
                (Path::Hopper(most), _) if request.k.0[2] >= LONG => {
                    on_hopper::<T, 128, 160>(operands, how, most)?
                }
                (Path::Hopper(most), _) => on_hopper::<T, 128, 128>(operands, how, most)?,
                (_, 64) => on_warps::<T, 64, 4, 8>(operands, how)?,
                _ => on_warps::<T, 128, 8, 16>(operands, how)?,
            }
        }
        Path::Split(split) => {
            let operands = Operands { q, k, v, out, log_sums, counter: unused(), unused: unused() };
            let how = (&device, &request, scale, options);
            // What was fastest on an H200: three stages where few rows leave room for them.
            let parts = || (scratch.view(sums), scratch.view(weights));
            let steps = match (head, split.rows) {
                (64, 16) => in_parts::<T, 64, 16, 3, 4, 8, 2, 2>(operands, how, split, parts)?,
                (64, 32) => in_parts::<T, 64, 32, 3, 4, 8, 4, 2>(operands, how, split, parts)?,
                (64, _) => in_parts::<T, 64, 64, 2, 4, 8, 8, 2>(operands, how, split, parts)?,
                (_, 16) => in_parts::<T, 128, 16, 2, 8, 16, 2, 4>(operands, how, split, parts)?,
                (_, 32) => in_parts::<T, 128, 32, 2, 8, 16, 4, 4>(operands, how, split, parts)?,
                _ => in_parts::<T, 128, 64, 2, 8, 16, 8, 4>(operands, how, split, parts)?,
            };
            return Ok(Plan::new(steps.into(), [scratch]));
        }
        Path::Plain => {
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
            // SAFETY: rows, keys and heads are below their numbers, and the tensors have been checked to lie in their buffers.
            unsafe { launch.prepare_unchecked(&device)? }
        }
    };
    Ok(Plan::new(vec![prepared], [scratch]))
}

/// What the kernel for Hopper reads and writes.
struct Operands<'a, T: Half> {
    q: Tensor<'a, T, 4>,
    k: Tensor<'a, T, 4>,
    v: Tensor<'a, T, 4>,
    out: Results<'a, T>,
    log_sums: ViewMut<'a, f32>,
    counter: ViewMut<'a, u32>,
    /// Memory for what is neither read nor written.
    unused: ViewMut<'a, u32>,
}

/// The device, what is asked for, the scale of the scores times log2(e), and what the kernel does.
type How<'a> = (&'a Device, &'a Request, f32, Options);

fn on_hopper<'a, T: Half, const HEAD: u32, const KEYS: u32>(
    operands: Operands<'a, T>,
    (device, request, scale, options): How<'_>,
    most: u32,
) -> Result<Prepared<'a>> {
    let Operands { q, k, v, out, log_sums, counter, unused } = operands;
    let options = Options { overlaps: false, ..options };
    let division = Division::of(HEAD, request.q.0[2] as u32, options.causal);
    let work =
        request.work(64 * division.groups, options.causal.then_some(device.info().multiprocessors));
    let (q, k, v) = (map(q, 64)?, map(k, KEYS)?, map(v, KEYS)?);
    // The kernel takes both kinds of results; those that are not wanted stand for unused memory.
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
    // SAFETY: tiles are copied within the tensors, and rows are stored only where there are queries.
    unsafe { launch.prepare_unchecked(device) }
}

/// The launch that leaves parts, and the one that combines them.
fn in_parts<
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
    // SAFETY: as of `on_warps`; there is room for the parts of every row.
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
    // SAFETY: there is a block for every row, whose parts the launch before has stored, and the tensors have been checked to lie in
    // their buffers.
    let second = unsafe { launch.prepare_unchecked(device)? };
    Ok([first, second])
}

fn on_warps<'a, T: Half, const HEAD: u32, const STEPS: usize, const ACROSS: usize>(
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
    // SAFETY: rows of queries and keys are copied and stored only where there are some, and the tensors have been checked to lie
    // in their buffers.
    unsafe { launch.prepare_unchecked(device) }
}
