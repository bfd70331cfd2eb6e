//! Occupancy: resident blocks per multiprocessor, and the block size that maximizes it.

use crate::api::api;
use crate::devices::gpus::model;
use crate::launches::launch::LaunchConfig;
use crate::modules::function::Function;
use crate::pointers::*;
use crate::state::{Handle, table};
use crate::status::{Result, Status};

/// The block size, up to a limit, that gives the highest occupancy, and the grid size that fills the GPU.
fn best_block(
    function: &Function,
    dynamic: &dyn Fn(i32) -> usize,
    limit: i32,
) -> Result<(i32, i32)> {
    if limit < 0 {
        return Err(Status::InvalidValue);
    }
    let most = function.attribute(0)?;
    let limit = if limit > 0 { limit.min(most) } else { most };
    let (mut best, mut held) = (0, (0, 0));
    // Largest first, so that ties go to the largest size.
    for threads in (1..=(limit + 31) / 32).rev().map(|warps| (32 * warps).min(limit)) {
        let blocks = function.resident_blocks(threads as u32, dynamic(threads))? as i32;
        if blocks * threads > held.0 {
            held = (blocks * threads, blocks);
            best = threads;
        }
    }
    Ok((held.1 * model().multiprocessors(), best))
}

type DynamicShared = unsafe extern "C" fn(threads: i32) -> usize;

/// Stores the best block size and the grid size that fills the GPU.
///
/// # Safety
/// The program passed `callback` to be called with block sizes.
unsafe fn potential(
    blocks: Out<'_, i32>,
    threads: Out<'_, i32>,
    function: Handle,
    callback: Option<DynamicShared>,
    bytes: usize,
    limit: i32,
) -> Result {
    let function = table::<Function>().get(function)?;
    // SAFETY: the program passed the function to be called with block sizes.
    let dynamic = |threads| callback.map_or(bytes, |callback| unsafe { callback(threads) });
    let (of_blocks, of_threads) = best_block(&function, &dynamic, limit)?;
    blocks.store(of_blocks)?;
    threads.store(of_threads)
}

fn blocks(function: Handle, threads: i32, bytes: usize) -> Result<i32> {
    let threads = u32::try_from(threads).map_err(|_| Status::InvalidValue)?;
    Ok(table::<Function>().get(function)?.resident_blocks(threads, bytes)? as i32)
}

api! {
    fn cuOccupancyMaxActiveBlocksPerMultiprocessor(count: Out<'_, i32>, function: Handle, threads: i32, bytes: usize) {
        count.store(blocks(function, threads, bytes)?)
    }

    fn cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(count: Out<'_, i32>, function: Handle, threads: i32, bytes: usize, flags: u32) {
        if flags > 1 {
            return Err(Status::InvalidValue);
        }
        count.store(blocks(function, threads, bytes)?)
    }

    fn cuOccupancyMaxPotentialBlockSize(grid: Out<'_, i32>, block: Out<'_, i32>, function: Handle, callback: Option<DynamicShared>, bytes: usize, limit: i32) {
        // SAFETY: the caller passed `callback` to be called with block sizes.
        unsafe { potential(grid, block, function, callback, bytes, limit) }
    }

    fn cuOccupancyMaxPotentialBlockSizeWithFlags(grid: Out<'_, i32>, block: Out<'_, i32>, function: Handle, callback: Option<DynamicShared>, bytes: usize, limit: i32, _flags: u32) {
        // SAFETY: the caller passed `callback` to be called with block sizes.
        unsafe { potential(grid, block, function, callback, bytes, limit) }
    }

    fn cuOccupancyAvailableDynamicSMemPerBlock(bytes: Out<'_, usize>, function: Handle, blocks: i32, threads: i32) {
        let function = table::<Function>().get(function)?;
        let most = i32::try_from(model().limits.blocks_per_sm).unwrap_or(i32::MAX);
        if !(1..=most).contains(&blocks) || !(1..=1024).contains(&threads) {
            return Err(Status::InvalidValue);
        }
        let entry = function.entry()?;
        let static_shared = entry.resources.static_shared;
        let each = model().limits.shared_per_sm / blocks.cast_unsigned();
        // At most as much as a launch may request.
        let left = each.saturating_sub(static_shared).min(function.most_dynamic_shared(&entry));
        bytes.store(left as usize)
    }

    fn cuOccupancyMaxPotentialClusterSize(size: Out<'_, i32>, function: Handle, _config: In<'_, LaunchConfig>) {
        let largest = table::<Function>().get(function)?.most_cluster();
        size.store(largest)
    }

    fn cuOccupancyMaxActiveClusters(count: Out<'_, i32>, function: Handle, config: In<'_, LaunchConfig>) {
        let config = config.get()?;
        let threads = config.block.iter().try_fold(1u32, |all, &axis| all.checked_mul(axis));
        let threads = threads.and_then(|all| i32::try_from(all).ok()).ok_or(Status::InvalidValue)?;
        let each = blocks(function, threads, config.dynamic_shared as usize)?;
        let cluster = config.cluster()?;
        let blocks = |cluster: [u32; 3]| cluster.iter().fold(1u32, |all, &axis| all.saturating_mul(axis));
        let cluster = i32::try_from(cluster.map_or(1, blocks).max(1)).unwrap_or(i32::MAX);
        count.store(each * model().multiprocessors() / cluster)
    }
}
