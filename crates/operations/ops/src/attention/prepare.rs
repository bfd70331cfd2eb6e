//! Plans attention: checks the operands, selects the kernel and builds the launches.

use super::choice::{self, Path};
use super::division::Division;
use super::elements::Half;
use super::launches::{in_parts, on_hopper, on_hopper_in_parts, on_warps};
use super::operands::{Memory, Operands, Results, tiled};
use super::parts::Parts;
use super::plain;
use super::problem::Options;
use super::request::{Request, strides};
use crate::workspace::Layout;
use crate::{Plan, Tensor, TensorMut, Workspace};
use lanework::Result;

/// Options of a call.
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
    path: Option<Path>,
) -> Result<Plan<'a>> {
    let Asked { q, k, v, causal, scale, whole, log_sums } = asked;
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
        8.. if fits => choice::of(&request, &device, causal, whole),
        _ => Path::Plain,
    });

    // Every kernel takes all outputs; the dummies for unused ones are never written.
    let mut layout = Layout::default();
    let counter = layout.zeroed::<u32>(64);
    let parts = match path {
        Path::Split(split) => split.count() * q.len() / head,
        Path::InParts(_, parts) => parts.parts as usize * q.len() / head,
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
            let division = Division::of(head as u32, request.q.0[2] as u32, causal);
            match (path, head, Parts::keys(head, request.k.0[2])) {
                (Path::Hopper(most), 64, _) => {
                    on_hopper::<T, 64, 128>(operands, how, (most, division), None)?
                }
                (Path::Hopper(most), _, 160) => {
                    on_hopper::<T, 128, 160>(operands, how, (most, division), None)?
                }
                (Path::Hopper(most), ..) => {
                    on_hopper::<T, 128, 128>(operands, how, (most, division), None)?
                }
                (_, 64, _) => on_warps::<T, 64, 4, 8>(operands, how)?,
                _ => on_warps::<T, 128, 8, 16>(operands, how)?,
            }
        }
        Path::InParts(most, parts) => {
            let operands = Operands { q, k, v, out, log_sums, counter: unused(), unused: unused() };
            let how = (&device, &request, scale, options);
            let how_much = (most, Division::of_groups(head as u32, parts.groups));
            let memory = || (scratch.view(sums), scratch.view(weights));
            let steps = match (head, Parts::keys(head, request.k.0[2])) {
                (64, _) => {
                    on_hopper_in_parts::<T, 64, 128, 2>(operands, how, how_much, parts, memory)?
                }
                (_, 160) => {
                    on_hopper_in_parts::<T, 128, 160, 4>(operands, how, how_much, parts, memory)?
                }
                _ => on_hopper_in_parts::<T, 128, 128, 4>(operands, how, how_much, parts, memory)?,
            };
            return Ok(Plan::new(steps.into(), [scratch]));
        }
        Path::Split(split) => {
            let operands = Operands { q, k, v, out, log_sums, counter: unused(), unused: unused() };
            let how = (&device, &request, scale, options);
            // Fastest on an H200: three stages if few rows leave room for them.
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
            // SAFETY: the kernel compares rows, keys and heads with their extents, and `Tensor` checked the extents against the
            // buffers.
            unsafe { launch.prepare_unchecked(&device)? }
        }
    };
    Ok(Plan::new(vec![prepared], [scratch]))
}
