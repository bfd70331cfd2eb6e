//! The names that exist only inside kernels.

/// Intrinsics that make no sense for a single thread on the host: positions, memory spaces, barriers and fences, exchanges
/// among threads, asynchronous copies, clusters, roles, tensor cores, clocks. A device function that uses one cannot
/// run on the host.
const DEVICE_ONLY: &str = "
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

/// Whether it is such a name.
pub fn is_device_only(name: &str) -> bool {
    DEVICE_ONLY.split_whitespace().any(|known| known == name)
}

#[cfg(test)]
mod tests {
    use super::DEVICE_ONLY;
    use std::collections::BTreeSet;
    use std::path::Path;

    /// The names after `marker` up to the closing bracket, in every file of a folder.
    fn listed(folder: &Path, marker: &str, names: &mut BTreeSet<String>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                listed(&path, marker, names);
                continue;
            }
            let text = std::fs::read_to_string(&path).unwrap();
            for part in text.split(marker).skip(1) {
                let end = part.find('}').unwrap_or(part.len());
                let words = part[..end].split(|c: char| !c.is_alphanumeric() && c != '_');
                names.extend(words.filter(|word| !word.is_empty()).map(str::to_owned));
            }
        }
    }

    /// An intrinsic either has a version for the host or is in the list above.
    #[test]
    fn every_intrinsic_runs_on_the_host_or_is_known_not_to() {
        let lang = Path::new(env!("CARGO_MANIFEST_DIR")).join("../lang/src");
        let (mut twins, mut host) = (BTreeSet::new(), BTreeSet::new());
        listed(&lang, "\ntwins_of! {", &mut twins);
        listed(&lang, "pub use crate::api::host::{", &mut host);
        assert!(twins.len() > 60 && host.len() > 10, "{twins:?} {host:?}");
        let only: BTreeSet<String> = DEVICE_ONLY.split_whitespace().map(str::to_owned).collect();
        let unknown: Vec<_> =
            twins.iter().filter(|name| !host.contains(*name) && !only.contains(*name)).collect();
        assert!(
            unknown.is_empty(),
            "add {unknown:?} to DEVICE_ONLY, or a version for the host to lang/src/api/host.rs"
        );
        let both: Vec<_> = only.intersection(&host).collect();
        assert!(both.is_empty(), "{both:?} run on the host and are said not to");
    }
}
