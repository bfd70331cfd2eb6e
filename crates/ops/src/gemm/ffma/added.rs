//! Results of parts of the steps along k, added up in their order.

use crate::gemm::finish::{Finish, Finishing, finished};
use crate::gemm::problem::{Extents, Output};
use lanework::prelude::*;
use lanework::{Prepared, Result, View};

/// Threads of a block.
pub(super) const THREADS: u32 = 256;

/// Groups of a block's threads that share the parts of its results: more where there are few results to keep the device busy.
pub(super) fn groups(results: usize, parts: u32, processors: usize) -> u32 {
    let wanted = (1024 * processors).div_ceil(results.max(1)) as u32;
    wanted.min(parts.div_ceil(4)).clamp(1, 8).next_power_of_two()
}

/// The results of `parts` parts, each of `[batches, m, pitch]` elements, `extents` of them.
#[kernel(block = THREADS)]
pub(super) fn added(
    from: &[f32],
    c: &mut [f32],
    bias: &[f32],
    scale: &[f32],
    extents: [u32; 4],
    strides_c: [u32; 3],
    parts: [u32; 3],
    alpha: f32,
    beta: f32,
    #[constant] finish: Finish,
    #[constant] groups: u32,
) {
    launch_dependents();
    wait_for_dependencies();
    let [batches, m, n, _] = extents;
    let [count, stride, pitch] = parts;
    let width = const { THREADS / groups };
    let (group, within) = (thread_idx.x / width, thread_idx.x % width);
    let i = block_idx.x * width + within;
    let inside = i < batches * m * pitch && i % pitch < n;
    let mut sum = 0.0f32;
    if inside {
        // Four loads are on their way at a time.
        let mut part = group;
        while part + const { 3 * groups } < count {
            let at = part * stride + i;
            let next = stride * groups;
            let four = [from[at], from[at + next], from[at + 2 * next], from[at + 3 * next]];
            sum = sum + four[0] + four[1] + four[2] + four[3];
            part += const { 4 * groups };
        }
        while part < count {
            sum += from[part * stride + i];
            part += groups;
        }
    }
    if groups > 1 {
        let sums = shared::<f32>([groups, THREADS / groups]);
        sums[[group, within]] = sum;
        sync_threads();
        sum = 0.0;
        #[unroll]
        for g in 0..groups {
            sum += sums[[g, within]];
        }
    }
    if inside && group == 0 {
        let (row, column) = (i / pitch % m, i % pitch);
        let at = i / pitch / m * strides_c[0] + row * strides_c[1] + column * strides_c[2];
        let mut before = 0.0f32;
        if finish.reads_c {
            before = c[at];
        }
        c[at] = finished(sum, before, (row, column), (alpha, beta), bias, (scale, scale), finish);
    }
}

/// The launch that adds up the results of parts.
pub(super) fn add<'a>(
    device: &Device,
    from: View<'a, f32>,
    c: Output<'a>,
    extents: Extents,
    parts: [u32; 3],
    finishing: Finishing<'a, f32>,
) -> Result<Prepared<'a>> {
    let Extents { batch, m, n, k } = extents;
    let [count, results, _] = parts;
    let processors = device.info().multiprocessors as usize;
    let groups = groups(results as usize, count, processors);
    let Finishing { alpha, beta, bias, scale_a, finish, .. } = finishing;
    let launch = added(
        from,
        c.memory.cast::<f32>(),
        bias,
        scale_a,
        [batch as u32, m as u32, n as u32, k as u32],
        [c.strides.batch as u32, c.strides.row as u32, c.strides.column as u32],
        parts,
        alpha,
        beta,
        finish,
        groups,
    );
    // SAFETY: an index is below the number of results, of which each part has as many, and `lines` has checked the output's.
    unsafe {
        launch
            .programmatic()
            .grid(results.div_ceil(THREADS / groups))
            .block(THREADS)
            .prepare_unchecked(device)
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
