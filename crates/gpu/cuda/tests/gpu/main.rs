//! The driver backend on a real GPU. Without one, each test prints SKIPPED and the reason; with LANEWORK_REQUIRE_GPU=1
//! it fails instead.

mod faults;
mod hopper;
mod launches;
mod memory;
mod order;
mod support;

use lanework_cuda::{CudaError, Gpu, devices};

#[test]
fn missing_gpus_are_explained_in_one_line() {
    match devices() {
        Ok(found) => {
            for (index, info) in found.iter().enumerate() {
                assert_eq!(info.index, index);
                assert!(!info.name.is_empty() && info.warp_size == 32, "{info:?}");
                assert!(info.max_threads_per_block >= 512 && info.multiprocessors > 0, "{info:?}");
                assert!(info.shared_per_block_optin >= info.shared_per_block, "{info:?}");
                assert!(info.peak_memory_bandwidth() > 1e10, "{info:?}");
            }
        }
        Err(CudaError::Unavailable { why }) => {
            assert!(!why.is_empty() && !why.contains('\n'), "{why:?}");
            assert!(why.contains(';'), "a remedy follows the cause: {why}");
        }
        Err(other) => panic!("listing GPUs failed in another way: {other}"),
    }
}

#[test]
fn a_wrong_index_is_an_error_on_every_machine() {
    match Gpu::open(1000) {
        Err(CudaError::NoSuchDevice { index: 1000, count }) => assert!(count < 1000),
        Err(CudaError::Unavailable { .. }) => {}
        other => panic!("opened GPU 1000: {other:?}"),
    }
}

#[test]
fn opening_twice_shares_the_gpu() {
    let Some(gpu) = support::gpu("opening_twice_shares_the_gpu") else { return };
    let again = Gpu::open(0).expect("the GPU opens again");
    assert!(gpu.same(&again));
    let address = gpu.allocate(16).expect("16 bytes fit");
    again.write(address, &[7; 16]).expect("both handles know the allocation");
    again.free(address).expect("either handle frees it");
    let (free, total) = gpu.memory_info().expect("the driver tells");
    assert!(0 < free && free <= total && total >= gpu.info().memory_bytes / 2, "{free} of {total}");
    assert!(!gpu.raw_context().is_null());
}
