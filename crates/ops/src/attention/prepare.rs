//! The launch of attention for its operands: what they have to be, and which kernel works on them.

use super::hopper::{self, Division};
use super::plain;
use super::problem::{Options, Strides, Work};
use super::{Attention, Half};
use crate::workspace::Layout;
use crate::{Plan, Tensor, TensorMut, Workspace};
use lanework::lang::tensor_cores::SwizzleMode;
use lanework::prelude::*;
use lanework::{Error, Prepared, Result, ViewMut};

/// The kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Path {
    /// Of tensor cores, with TMA.
    Hopper,
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

/// What does not depend on the type of the elements.
struct Request {
    q: ([usize; 4], [usize; 4]),
    k: ([usize; 4], [usize; 4]),
    v: ([usize; 4], [usize; 4]),
    out: ([usize; 4], [usize; 4]),
    log_sums: Option<([usize; 3], [usize; 3])>,
    scale: Option<f32>,
}

fn refuse<T>(why: String, help: &str) -> Result<T> {
    Err(Error::Request { why, help: help.to_owned() })
}

fn strides([batch, head, row, _]: [usize; 4]) -> Strides {
    Strides { batch: batch as u64, head: head as u64, row: row as u64 }
}

impl Request {
    /// Refuses operands that do not fit each other.
    fn check(&self) -> Result<()> {
        let ([batch, heads, rows, head], _) = self.q;
        if ![64, 128].contains(&head) {
            return refuse(
                format!("attention on heads of {head} elements, `q` has the shape {:?}", self.q.0),
                "heads of 64 and 128 elements are supported: pad `q`, `k` and `v` with zeros to one of them, and say `scale`",
            );
        }
        let [of_keys, kv_heads, keys, of_head] = self.k.0;
        if of_keys != batch || of_head != head {
            return refuse(
                format!("`q` has the shape {:?}, `k` {:?}", self.q.0, self.k.0),
                "both are [batch, heads, sequence, head dimension], with the same batches and head dimension",
            );
        }
        if self.v.0 != self.k.0 {
            return refuse(
                format!("`k` has the shape {:?}, `v` {:?}", self.k.0, self.v.0),
                "every key has a value: give both the same shape",
            );
        }
        if heads > 0 && (kv_heads == 0 || !heads.is_multiple_of(kv_heads)) {
            return refuse(
                format!("{heads} heads of queries do not share {kv_heads} heads of keys"),
                "the heads of `q` are a multiple of those of `k` and `v`",
            );
        }
        if self.out.0 != self.q.0 {
            return refuse(
                format!("`q` has the shape {:?}, the output {:?}", self.q.0, self.out.0),
                "there is a result for every element of `q`: give both the same shape",
            );
        }
        if let Some((shape, _)) = self.log_sums
            && shape != [batch, heads, rows]
        {
            return refuse(
                format!("`q` has the shape {:?}, the logarithms of the sums {shape:?}", self.q.0),
                "there is one for every query: [batch, heads, sequence]",
            );
        }
        for (name, (_, strides)) in [("q", self.q), ("k", self.k), ("v", self.v), ("out", self.out)]
        {
            if strides[3] != 1 {
                return refuse(
                    format!("the elements of a head of `{name}` are {} apart", strides[3]),
                    "the last dimension's stride has to be 1: the elements of a head are adjacent",
                );
            }
        }
        for (what, extent) in
            [("queries", rows), ("keys", keys), ("heads of all batches", batch * heads)]
        {
            if extent >= 1 << 31 {
                return refuse(format!("{extent} {what} exceed 2^31 - 1"), "split the problem");
            }
        }
        match self.scale {
            Some(scale) if !(scale > 0.0 && scale.is_finite()) => refuse(
                format!("the scale of the scores is {scale}"),
                "give a positive number, or none for the reciprocal square root of the head dimension",
            ),
            _ => Ok(()),
        }
    }

    fn work(&self, height: u32, together: u32) -> Work {
        let ([batch, heads, rows, _], _) = self.q;
        let [_, kv_heads, keys, _] = self.k.0;
        let pairs = (batch * heads) as u32;
        let down = (rows as u32).div_ceil(height);
        let log_sums = self.log_sums.map_or([0; 3], |(_, strides)| strides);
        Work {
            rows: rows as u32,
            keys: keys as u32,
            heads: heads as u32,
            share: (heads / kv_heads) as u32,
            pairs,
            together: together.min(pairs),
            down,
            tiles: down * pairs,
            out: strides(self.out.1),
            log_sums: strides([log_sums[0], log_sums[1], log_sums[2], 1]),
        }
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
    let hopper = device.info().compute_capability.0 == 9;
    let path = path.unwrap_or(if hopper && fits { Path::Hopper } else { Path::Plain });

    // Every kernel takes all outputs; what stands for the ones that are not wanted is never written.
    let mut layout = Layout::default();
    let counter = layout.zeroed::<u32>(4);
    let scratch = workspace.reserve(&layout)?;
    let unused = || scratch.view(counter);
    let log_sums = log_sums.map_or_else(|| unused().cast(), TensorMut::into_view);
    let prepared = match path {
        Path::Hopper => {
            let words = match (out.narrow, out.wide) {
                (Some(view), _) => view.cast::<u32>(),
                (_, Some(view)) => view.cast::<u32>(),
                _ => unused(),
            };
            let operands = Operands { q, k, v, words, log_sums, counter: unused() };
            if head == 64 {
                on_hopper::<T, 64, 128>(&device, operands, &request, scale, options)?
            } else {
                on_hopper::<T, 128, 128>(&device, operands, &request, scale, options)?
            }
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
