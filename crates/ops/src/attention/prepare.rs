//! The launch of attention for its operands: what they have to be, and which kernel works on them.

use super::hopper::{self, Division};
use super::plain;
use super::problem::Options;
use super::request::{Request, strides};
use super::warps;
use super::{Attention, Half};
use crate::workspace::Layout;
use crate::{Plan, Tensor, TensorMut, Workspace};
use lanework::lang::tensor_cores::SwizzleMode;
use lanework::prelude::*;
use lanework::{Prepared, Result, ViewMut};

/// The kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Path {
    /// Of Hopper's tensor cores, with TMA.
    Hopper,
    /// Of the tensor cores of sm_80 and later.
    Warps,
    /// Of every device.
    Plain,
}

/// Where the results go: rounded, or as f32.
#[derive(Debug)]
pub struct Results<'a, T: Half> {
    narrow: Option<ViewMut<'a, T>>,
    wide: Option<ViewMut<'a, f32>>,
    shape: [usize; 4],
    strides: [usize; 4],
}

impl<'a, T: Half> Results<'a, T> {
    /// Rounded results.
    pub(super) fn narrow(out: TensorMut<'a, T, 4>) -> Self {
        let (shape, strides) = (out.shape(), out.strides());
        Results { narrow: Some(out.into_view()), wide: None, shape, strides }
    }

    /// Results as f32.
    pub(super) fn wide(out: TensorMut<'a, f32, 4>) -> Self {
        let (shape, strides) = (out.shape(), out.strides());
        Results { narrow: None, wide: Some(out.into_view()), shape, strides }
    }

    /// Whether two adjacent results may be stored at once.
    fn pairs(&self) -> bool {
        let (address, size) = match (&self.narrow, &self.wide) {
            (Some(view), _) => (view.address(), 2),
            (_, Some(view)) => (view.address(), 4),
            _ => (1, 1),
        };
        let steps = self.strides.iter().zip(self.shape).take(3);
        steps.clone().all(|(stride, extent)| extent == 1 || stride.is_multiple_of(2))
            && address.is_multiple_of(2 * size)
    }
}

/// Whether TMA can read it: rows that start at multiples of 16 bytes.
fn tiled<T: Half>(tensor: &Tensor<'_, T, 4>) -> bool {
    let address = tensor.clone().into_view().address();
    let steps = tensor.strides().into_iter().zip(tensor.shape()).take(3);
    address.is_multiple_of(16)
        && steps.clone().all(|(stride, extent)| {
            extent == 1 || stride.is_multiple_of(8) && stride > 0 && stride < 1 << 39
        })
}

/// The map of a tensor whose tiles of `rows` rows are loaded, 64 columns at a time.
fn map<'a, T: Half>(tensor: Tensor<'a, T, 4>, rows: u32) -> Result<TensorMap<'a, T, 4>> {
    let (device, shape) = (tensor.device().clone(), tensor.shape());
    let mut strides = tensor.strides();
    for axis in 0..3 {
        if shape[axis] == 1 {
            strides[axis] = shape[3]; // of any size that TMA takes
        }
    }
    let tiles = Tiles::new(shape, [1, 1, rows, 64]).strides(strides).swizzle(Swizzle128::SWIZZLE);
    TensorMap::of_view(&device, tensor.into_view(), &tiles)
}

/// The launch.
pub(super) fn plan<'a, T: Half>(
    attention: Attention<'a, T>,
    out: Results<'a, T>,
    workspace: &Workspace,
    path: Option<Path>,
) -> Result<Plan<'a>> {
    let Attention { q, k, v, causal, scale, log_sums } = attention;
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
    let options = Options { causal, wide: out.wide.is_some(), log_sums: log_sums.is_some() };
    let fits = [&q, &k, &v].into_iter().all(tiled) && out.pairs() && k.shape()[2] > 0;
    let path = path.unwrap_or(match device.info().compute_capability.0 {
        9 if fits => Path::Hopper,
        8.. if fits => Path::Warps,
        _ => Path::Plain,
    });

    // Every kernel takes all outputs; what stands for the ones that are not wanted is never written.
    let mut layout = Layout::default();
    let counter = layout.zeroed::<u32>(4);
    let scratch = workspace.reserve(&layout)?;
    let unused = || scratch.view(counter);
    let log_sums = log_sums.map_or_else(|| unused().cast(), TensorMut::into_view);
    let prepared = match path {
        Path::Hopper | Path::Warps => {
            let words = match (out.narrow, out.wide) {
                (Some(view), _) => view.cast::<u32>(),
                (_, Some(view)) => view.cast::<u32>(),
                _ => unused(),
            };
            let operands = Operands { q, k, v, words, log_sums, counter: unused() };
            let solve = match (path, head) {
                (Path::Hopper, 64) => on_hopper::<T, 64, 128>,
                (Path::Hopper, _) => on_hopper::<T, 128, 128>,
                (_, 64) => on_warps::<T, 64, 4, 8>,
                _ => on_warps::<T, 128, 8, 16>,
            };
            solve(&device, operands, &request, scale, options)?
        }
        Path::Plain => {
            let work = request.work(1, 1);
            let narrow = out.narrow.unwrap_or_else(|| unused().cast());
            let wide = out.wide.unwrap_or_else(|| unused().cast());
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
    words: ViewMut<'a, u32>,
    log_sums: ViewMut<'a, f32>,
    counter: ViewMut<'a, u32>,
}

fn on_hopper<'a, T: Half, const HEAD: u32, const KEYS: u32>(
    device: &Device,
    operands: Operands<'a, T>,
    request: &Request,
    scale: f32,
    options: Options,
) -> Result<Prepared<'a>> {
    let Operands { q, k, v, words, log_sums, counter } = operands;
    let division =
        Division { groups: if HEAD == 64 { 3 } else { 2 }, stages: 2, ordered: true, held: true };
    let together = if options.causal { u32::MAX } else { 1 };
    let work = request.work(64 * division.groups, together);
    let (q, k, v) = (map(q, 64)?, map(k, KEYS)?, map(v, KEYS)?);
    let launch = hopper::attention_hopper::<T, HEAD, KEYS>(
        &q, &k, &v, words, log_sums, counter, work, scale, division, options,
    );
    let blocks = work.tiles.min(device.info().multiprocessors.max(1));
    let launch = launch
        .grid(blocks)
        .block(division.threads())
        .shared_bytes(division.shared_bytes(HEAD, KEYS));
    // SAFETY: tiles are copied within the tensors, and rows are stored only where there are queries.
    unsafe { launch.prepare_unchecked(device) }
}

fn on_warps<'a, T: Half, const HEAD: u32, const STEPS: usize, const ACROSS: usize>(
    device: &Device,
    operands: Operands<'a, T>,
    request: &Request,
    scale: f32,
    options: Options,
) -> Result<Prepared<'a>> {
    let Operands { q, k, v, words, log_sums, .. } = operands;
    let work = request.work(warps::QUERIES, 1);
    let launch = warps::attention_warps::<T, HEAD, STEPS, ACROSS>(
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
        .shared_bytes(warps::shared_bytes(HEAD));
    // SAFETY: rows of queries and keys are copied and stored only where there are some, and the tensors have been checked to lie
    // in their buffers.
    unsafe { launch.prepare_unchecked(device) }
}
