//! Twins: what a kernel calls where its source says `f(..)`.
//!
//! A `#[device] fn f` is two items: the ordinary function `f` in the namespace of values, which the host
//! calls, and a type `f` in the namespace of types, whose function `staged` builds the call in a kernel;
//! `use m::f` imports both. Intrinsics follow the same rule: a module of the same name holds the staged
//! function. `twins! { f g }` in the file that declares `f` and `g` makes their modules; names that are
//! also names of files have theirs here.
//!
//! The functions that mean something on the host (`min`, `fma`, `popc`...) are declared for it in
//! [`crate::host`]; the names of all others stand in the list of the macros' `host/device_only.rs`, so
//! that a device function which calls one says so when the host calls it.

/// Makes the twins of intrinsics that the same file declares.
#[macro_export]
#[doc(hidden)]
macro_rules! twins {
    ($($name:ident)*) => {$(
        #[doc(hidden)]
        #[allow(missing_docs)]
        pub mod $name {
            pub use super::$name as staged;
        }
    )*};
}

/// `use std::mem::swap;`
#[doc(hidden)]
#[allow(missing_docs)]
pub mod swap {
    pub use crate::exchange::swap as staged;
}

/// `use std::mem::replace;`
#[doc(hidden)]
#[allow(missing_docs)]
pub mod replace {
    pub use crate::exchange::replace as staged;
}

macro_rules! twins_of {
    ($($name:ident)*) => {$(
        #[doc(hidden)]
        #[allow(missing_docs)]
        pub mod $name {
            pub use crate::prelude::staged::$name as staged;
        }
    )*};
}

twins_of! {
    cp_async cp_async_filled cp_async_commit cp_async_wait
    atomic_add atomic_sub atomic_min atomic_max atomic_and atomic_or atomic_xor atomic_exch atomic_cas
    atomic_inc atomic_dec
    popc clz brev ffs mul_hi
    clock clock64 globaltimer nanosleep scheduling_barrier
    sqrt rcp fma floor ceil round trunc f32_from_bits f64_from_bits
    lane_id lane_mask_lt
    min max abs select
    load_nc load_volatile address_of
    sync_threads barrier sync_threads_count sync_warp threadfence threadfence_block threadfence_system
    shfl_sync shfl_up_sync shfl_down_sync shfl_xor_sync
    ballot_sync any_sync all_sync match_any_sync active_mask
    reduce_add_sync reduce_min_sync reduce_max_sync reduce_and_sync reduce_or_sync reduce_xor_sync
    registers shared shared_dynamic shared_slice
    ldmatrix ldmatrix_trans movmatrix stmatrix stmatrix_trans
    mbarrier mbarriers named_barrier named_barriers pipeline bulk_commit bulk_wait bulk_wait_read fence_proxy_async
    fence_proxy_async_shared cluster_rank cluster_size cluster_sync cluster_arrive
    atomic bulk_add bulk_and bulk_load bulk_max bulk_min bulk_or bulk_prefetch bulk_send bulk_store bulk_xor
    add_async and_async max_async min_async or_async store_async xor_async
    elect_sync fence fence_sc grid_sync l2_policy launch_dependents load_acquire load_hinted load_relaxed
    prefetch_l1 prefetch_l2 store_hinted store_relaxed store_release wait_for_dependencies warp_roles
}
