//! Helpers of several rungs: a scan of one value per thread, and the cleanup of a launch whose blocks publish sums.

use lanework::prelude::*;

/// The inclusive sum up to this thread, and the sum of the whole block, by shuffles: within warps, then over the sums
/// of the warps. `threads` is a multiple of 32. Two calls need a barrier between them.
#[device]
pub(super) fn block_scan(value: f32, #[constant] threads: u32) -> (f32, f32) {
    let warps = threads / 32;
    let of_warps = shared::<f32>(warps);
    let (lane, warp) = (thread_idx.x % 32, thread_idx.x / 32);
    let mut sum = value;
    #[unroll]
    for delta in [1u32, 2, 4, 8, 16] {
        let left = shfl_up_sync(FULL_MASK, sum, delta);
        sum = select(lane >= delta, left + sum, sum);
    }
    if lane == 31 {
        of_warps[warp] = sum;
    }
    sync_threads();
    let mut before = 0.0f32;
    let mut total = 0.0f32;
    #[unroll]
    for w in 0..warps {
        let of_warp = of_warps[w];
        before = select(w < warp, before + of_warp, before);
        total += of_warp;
    }
    (before + sum, total)
}

/// Every block calls this when it no longer needs cells; the last one resets all cells to zero for the next launch.
#[device]
pub(super) fn leave_zeros(cells: &mut [u64], tickets: &mut [u32]) {
    let ended = shared::<u32>(1);
    sync_threads();
    if thread_idx.x == 0 {
        ended[0] = atomic(&mut tickets[1], Order::AcqRel, Scope::Device).add(1);
    }
    sync_threads();
    if ended[0] == grid_dim.x - 1 {
        for cell in (thread_idx.x..cells.len() as u32).step_by(block_dim.x) {
            cells[cell] = 0;
        }
        if thread_idx.x < 2 {
            tickets[thread_idx.x] = 0;
        }
    }
}
