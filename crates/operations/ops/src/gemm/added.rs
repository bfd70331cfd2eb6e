//! The reduction kernel of split-K: adds the partial results in order and applies the epilogue.

use super::element::ElementKind;
use super::finish::{Finish, Finishing, Sum, finished, finishing};
use super::problem::{Extents, Problem, refused};
use crate::workspace::Scratch;
use half::{bf16, f16};
use lanework::prelude::*;
use lanework::{Element, Prepared, Result, View};

/// Threads of a block.
const THREADS: u32 = 256;

/// Thread groups that share the parts of a block's results; more groups if there are too few results to fill the device.
fn groups(results: usize, parts: u32, processors: usize) -> u32 {
    let wanted = (1024 * processors).div_ceil(results.max(1)) as u32;
    wanted.min(parts.div_ceil(4)).clamp(1, 8).next_power_of_two()
}

/// Reduces `parts` parts of `[batches, m, pitch]` elements each; `extents` are the used ones. Parts have type P; the epilogue
/// computes in S.
#[kernel(block = THREADS)]
#[allow(clippy::too_many_arguments)]
fn added<P: Sum, S: Sum, O: Element>(
    from: &[P],
    c: &mut [O],
    bias: &[S],
    scale_a: &[f32],
    scale_b: &[f32],
    extents: [u32; 3],
    strides_c: [u64; 3],
    parts: [u32; 3],
    alpha: S,
    beta: S,
    #[constant] finish: Finish,
    #[constant] groups: u32,
) {
    launch_dependents();
    wait_for_dependencies();
    let [batches, m, n] = extents;
    let [count, stride, pitch] = parts;
    let width = const { THREADS / groups };
    let (group, within) = (thread_idx.x / width, thread_idx.x % width);
    let i = block_idx.x * width + within;
    let inside = i < batches * m * pitch && i % pitch < n;
    let mut sum = P::ZERO;
    if inside {
        // Four loads are in flight.
        let mut part = group;
        while part + const { 3 * groups } < count {
            let at = part * stride + i;
            let next = stride * groups;
            let four = [from[at], from[at + next], from[at + 2 * next], from[at + 3 * next]];
            sum = sum + four[0] + four[1] + four[2] + four[3];
            part += const { 4 * groups };
        }
        while part < count {
            sum = sum + from[part * stride + i];
            part += groups;
        }
    }
    if groups > 1 {
        let sums = shared::<P>([groups, THREADS / groups]);
        sums[[group, within]] = sum;
        sync_threads();
        sum = P::ZERO;
        #[unroll]
        for g in 0..groups {
            sum = sum + sums[[g, within]];
        }
    }
    if inside && group == 0 {
        let (batch, row, column) = (i / pitch / m, i / pitch % m, i % pitch);
        let at =
            batch as u64 * strides_c[0] + row as u64 * strides_c[1] + column as u64 * strides_c[2];
        let mut before = S::ZERO;
        if finish.reads_c {
            before = c[at] as S;
        }
        let of_both = (scale_a, scale_b);
        let value = finished(sum as S, before, (row, column), (alpha, beta), bias, of_both, finish);
        c[at] = value as O;
    }
}

/// Layout of the parts: their number, the elements of each, and the row stride.
#[derive(Clone, Copy, Debug)]
pub(super) struct Parts {
    pub count: u32,
    pub results: u32,
    pub pitch: u32,
}

/// The launch that reduces the parts of a problem's results and finishes them. Parts have the accumulator type.
pub(super) fn add<'a>(
    problem: Problem<'a>,
    scratch: &Scratch,
    from: View<'a, u8>,
    parts: Parts,
) -> Result<Prepared<'a>> {
    use ElementKind as K;
    match (problem.sums(), problem.c.kind) {
        (K::F64, _) => typed::<f64, f64, f64>(problem, scratch, from, parts),
        (K::I32, K::I32) => typed::<i32, i32, i32>(problem, scratch, from, parts),
        (K::I32, _) => typed::<i32, f32, f32>(problem, scratch, from, parts),
        (_, K::F16) => typed::<f32, f32, f16>(problem, scratch, from, parts),
        (_, K::Bf16) => typed::<f32, f32, bf16>(problem, scratch, from, parts),
        _ => typed::<f32, f32, f32>(problem, scratch, from, parts),
    }
}

fn typed<'a, P: Sum, S: Sum, O: Element>(
    problem: Problem<'a>,
    scratch: &Scratch,
    from: View<'a, u8>,
    Parts { count, results, pitch }: Parts,
) -> Result<Prepared<'a>> {
    let Finishing { alpha, beta, bias, scale_a, scale_b, finish } =
        finishing::<S>(&problem, scratch);
    let Problem { device, extents: Extents { batch, m, n, .. }, c, .. } = problem;
    let processors = device.info().multiprocessors as usize;
    let groups = groups(results as usize, count, processors);
    let strides = c.strides;
    if u64::from(count) * u64::from(results) >= 1 << 32 {
        return refused(
            "parts of more than 2^32 results".to_owned(),
            "multiply parts of the matrices",
        );
    }
    let launch = added::<P, S, O>(
        from.cast::<P>(),
        c.memory.elements::<O>(scratch),
        bias,
        scale_a,
        scale_b,
        [batch as u32, m as u32, n as u32],
        [strides.batch as u64, strides.row as u64, strides.column as u64],
        [count, results, pitch],
        alpha,
        beta,
        finish,
        groups,
    );
    // SAFETY: an index is below the number of results, every part has that many elements, and `Tensor` checked that the output's
    // extents and strides stay in its memory. `Epilogue::check` checked that its vectors have one element, or one per row or
    // column.
    unsafe {
        launch
            .programmatic()
            .grid(results.div_ceil(THREADS / groups))
            .block(THREADS)
            .prepare_unchecked(&device)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_results_of_many_parts_are_shared_by_groups() {
        assert_eq!(groups(64 * 64, 128, 132), 8);
        assert_eq!(groups(64 * 64, 8, 132), 2);
        assert_eq!(groups(4096 * 4096, 128, 132), 1);
        assert_eq!(groups(1, 1, 132), 1);
    }
}
