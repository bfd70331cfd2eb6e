//! Names that every file with kernels needs, and their *twins*.
//!
//! The twin of `f` is the staged function that a kernel calls where its source has `f(..)`.
//!
//! A `#[device] fn f` is two items: the ordinary function `f` in the namespace of values, which the host
//! calls, and a type `f` in the namespace of types, whose function `staged` builds the call in a kernel;
//! `use m::f` imports both. Intrinsics follow the same rule: a module of the same name holds the staged
//! function. `twins_of!` makes these modules.
//!
//! Functions that make sense on the host (`min`, `fma`, `popc`...) are declared in [`crate::host`]. All
//! others are listed in the macros' `host.rs`; a device function that calls one of them
//! reports it when the host calls that device function.

pub use crate::Swizzle;
pub use crate::api::host::{
    abs, brev, ceil, clz, f32_from_bits, f64_from_bits, ffs, floor, fma, max, min, mul_hi, popc,
    rcp, round, select, sqrt, trunc,
};
pub use crate::asynchrony::bulk::{
    Span, SpanMut, bulk_add, bulk_and, bulk_commit, bulk_load, bulk_max, bulk_min, bulk_or,
    bulk_prefetch, bulk_send, bulk_store, bulk_wait, bulk_wait_read, bulk_xor, fence_proxy_async,
    fence_proxy_async_shared,
};
pub use crate::asynchrony::cache::{
    CacheHint, Evict, l2_policy, load_hinted, prefetch_l1, prefetch_l2, store_hinted,
};
pub use crate::asynchrony::cluster::{
    cluster_arrive, cluster_block_idx, cluster_dim, cluster_idx, cluster_rank, cluster_size,
    cluster_sync, grid_sync, launch_dependents, wait_for_dependencies,
};
pub use crate::asynchrony::mbarrier::{Mbarrier, Mbarriers, Waiter, mbarrier, mbarriers};
pub use crate::asynchrony::ordered::{
    Order, Scope, atomic, fence, fence_sc, load_acquire, load_relaxed, store_relaxed, store_release,
};
pub use crate::asynchrony::part::Part;
pub use crate::asynchrony::pipeline::ends::{Consumer, Filled, Filling, Producer};
pub use crate::asynchrony::pipeline::{Pipeline, pipeline};
pub use crate::asynchrony::remote::{
    Remote, RemoteMbarrier, add_async, and_async, max_async, min_async, or_async, store_async,
    xor_async,
};
pub use crate::asynchrony::roles::{
    NamedBarrier, NamedBarriers, Role, elect_sync, named_barrier, named_barriers, warp_roles,
};
pub use crate::data::place::Place;
pub use crate::intrinsics::*;
pub use crate::math::fast;
pub use crate::math::functions::{
    acos, acosh, asin, asinh, atan, atan2, atanh, cbrt, cos, cosh, erf, erfc, exp, exp_m1, exp2,
    hypot, ln, ln_1p, log2, log10, powf, powi, sin, sin_cos, sinh, tan, tanh,
};
pub use crate::memory::registers::{RegisterArray, registers};
pub use crate::memory::shared::{Shared, shared, shared_dynamic};
pub use crate::memory::shared_slice::{SharedSlice, shared_slice};
pub use crate::memory::slice::{Slice, SliceMut};
pub use crate::scalar::number::{Element, Float, Integer, Number};
pub use crate::scalar::var::Var;
pub use crate::tensor_cores::element::{B1, E4m3, E5m2, S4, Tf32, U4};
pub use crate::tensor_cores::fragment::load::{
    ldmatrix, ldmatrix_trans, movmatrix, stmatrix, stmatrix_trans,
};
pub use crate::tensor_cores::fragment::{FragmentA, FragmentB, FragmentC};
pub use crate::tensor_cores::product::accumulator::Accumulator;
pub use crate::tensor_cores::tile::pipeline::CopyPipeline;
pub use crate::tensor_cores::tile::source::{Matrix, MatrixMut};
pub use crate::tensor_cores::tile::swizzle::{NoSwizzle, Swizzle32, Swizzle64, Swizzle128};
pub use crate::tensor_cores::tile::tiles::SharedTiles;
pub use crate::tensor_cores::tile::{SharedTile, Transposed};
pub use half::{bf16, f16};

/// The staged functions, by their names.
#[doc(hidden)]
pub mod staged {
    pub use crate::asynchrony::{
        bulk::*, cache::*, cluster::*, mbarrier::*, ordered::*, pipeline::*, remote::*, roles::*,
    };
    pub use crate::intrinsics::*;
    pub use crate::memory::{registers::*, shared::*, shared_slice::*};
    pub use crate::tensor_cores::fragment::load::*;
}

/// `use std::mem::swap;`
#[doc(hidden)]
#[allow(missing_docs)]
pub mod swap {
    pub use crate::data::variable::swap as staged;
}

/// `use std::mem::replace;`
#[doc(hidden)]
#[allow(missing_docs)]
pub mod replace {
    pub use crate::data::variable::replace as staged;
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
