//! The names of the functions that kernels call without an import of their own.

/// Intrinsics without a meaning for a single host thread: positions, memory spaces, barriers and fences, exchanges
/// between threads, asynchronous copies, clusters, roles, tensor cores, clocks. A device function that uses one cannot
/// run on the host.
pub const DEVICE_ONLY: &str = "
    thread_idx block_idx block_dim grid_dim lane_id lane_mask_lt active_mask
    registers shared shared_dynamic shared_slice address_of load_nc load_volatile
    sync_threads sync_threads_count sync_warp barrier threadfence threadfence_block
    threadfence_system
    shfl_sync shfl_up_sync shfl_down_sync shfl_xor_sync ballot_sync any_sync all_sync match_any_sync
    reduce_add_sync reduce_min_sync reduce_max_sync reduce_and_sync reduce_or_sync reduce_xor_sync
    atomic_add atomic_sub atomic_min atomic_max atomic_and atomic_or atomic_xor atomic_exch
    atomic_cas atomic_inc atomic_dec
    cp_async cp_async_filled cp_async_commit cp_async_wait
    cluster_idx cluster_dim cluster_block_idx cluster_rank cluster_size cluster_sync cluster_arrive
    mbarrier mbarriers named_barrier named_barriers pipeline bulk_commit bulk_wait bulk_wait_read
    fence_proxy_async fence_proxy_async_shared atomic
    add_async and_async max_async min_async or_async store_async xor_async bulk_add bulk_and
    bulk_load bulk_max bulk_min bulk_or bulk_prefetch bulk_send bulk_store bulk_xor grid_sync
    l2_policy launch_dependents load_acquire load_hinted load_relaxed prefetch_l1 prefetch_l2
    store_hinted store_relaxed store_release wait_for_dependencies warp_roles
    elect_sync fence fence_sc
    ldmatrix ldmatrix_trans movmatrix stmatrix stmatrix_trans
    clock clock64 globaltimer nanosleep scheduling_barrier
";

/// Whether `name` is such an intrinsic.
pub fn is_device_only(name: &str) -> bool {
    DEVICE_ONLY.split_whitespace().any(|known| known == name)
}

/// The functions of the prelude that also run on the host.
const ALSO_ON_HOST: &str = "\
    abs brev ceil clz f32_from_bits f64_from_bits ffs floor fma max min mul_hi popc rcp round select sqrt trunc \
    acos acosh asin asinh atan atan2 atanh cbrt cos cosh erf erfc exp exp_m1 exp2 hypot ln ln_1p log2 log10 \
    powf powi sin sin_cos sinh tan tanh";

/// The functions that kernels call without an import of their own.
pub fn intrinsics() -> impl Iterator<Item = &'static str> {
    DEVICE_ONLY.split_whitespace().chain(ALSO_ON_HOST.split_whitespace())
}
