//! The kernel language: Rust functions that build PTX.
//!
//! `#[kernel]` and `#[device]` rewrite a Rust function into one that, when called, *stages* the
//! kernel: every expression on run-time values becomes a typed handle ([`Var`]) and an
//! instruction. Ordinary Rust values in the body (literals, generics, `#[constant]` parameters)
//! stay ordinary Rust values, so that `if`, shapes and unrolled loops on them are resolved while
//! staging.
//!
//! # From CUDA C++
//!
//! | CUDA C++ | here |
//! |---|---|
//! | `threadIdx.x`, `blockIdx`, `blockDim`, `gridDim` | `thread_idx.x`, `block_idx`, `block_dim`, `grid_dim`, all `u32` |
//! | `__shared__ float tile[32][33]` | `let tile = shared::<f32>([32, 33]);` then `tile[[y, x]]`; without `mut` |
//! | `extern __shared__ float s[]` | `let s = shared_slice::<f32>();` and `.shared_bytes(4 * n)` at the launch |
//! | `__syncthreads()`, `__syncwarp()` | `sync_threads()`, `sync_warp(FULL_MASK)` |
//! | `atomicAdd(&x[i], 1)` | `atomic_add(&mut x[i], 1)` |
//! | `__shfl_down_sync(mask, v, 16)` | `shfl_down_sync(FULL_MASK, v, 16)` |
//! | `__ballot_sync(mask, p)`, `__popc(x)` | `ballot_sync(FULL_MASK, p)`, `popc(x)` |
//! | `__device__ float f(float x)` | `#[device] fn f(x: f32) -> f32`, also with `&[T]`, `&mut f32` and early `return` |
//! | `template <int N>`, `constexpr` | `<const N: u32>`, or a parameter `#[constant] n: u32` |
//! | `sinf(x)`, `powf(x, y)`, `fmodf(x, y)` | `x.sin()`, `x.powf(y)`, `x % y` |
//! | `__sinf(x)`, `__expf(x)`, `rsqrtf(x)` | `fast::sin(x)`, `fast::exp(x)`, `fast::rsqrt(x)` |
//! | `#pragma unroll` | `#[unroll] for i in 0..N`, whose `i` is a host value |
//! | `__constant__ float w[9]` | `const W: [f32; 9] = [..];`, a `static`, or a parameter `#[constant] w: [f32; 9]` |
//! | `float a[4]` | `let mut a = [0.0f32; 4];`: registers, or local memory where a run-time index is used |
//! | `printf("%d", i)` | `println!("{i}")` |
//!
//! # What differs from Rust
//!
//! - There are no implicit conversions in arithmetic: `thread_idx.x` is a `u32` and `x.len()` a `usize`,
//!   so their sum needs `as`. Integers of any two types are compared as the numbers they are, so a
//!   guard reads `i < x.len()`; any integer type may index, and step a range.
//! - Integer arithmetic wraps; division by zero returns what the GPU returns and does not trap.
//! - Structs, enums and their `impl` blocks are marked `#[device]`; the host uses them as
//!   before. They may be parameters, variables, arguments and results, and may lie in buffers (but for enums with
//!   data) and shared memory, where `x[i].mass` loads that field alone. A struct in a buffer has no padding, and no
//!   `bool`, tuple or enum. In a kernel, `a += b` on structs is `a = a + b`: it needs `Add`.
//! - `match`, `if let`, `let ... else`, `while let` and `matches!` take literals, ranges, constants,
//!   variants, tuples, structs, arrays, `|`, `@` and guards. A name in capitals is a constant. There
//!   is `Option`, with `Some`, `None`, `?` and Rust's methods, in registers and local memory; no `Result`.
//! - A closure is called by its name or passed to a `#[device]` function as `f: impl Fn(f32) -> f32`;
//!   one with `return` declares its return type. It is staged anew at each call, and cannot be stored.
//! - Ranges, slices and arrays have iterators, each chain of which is one loop: `map`, `filter`, `zip`, `sum`, `fold`
//!   and others; no `collect`.
//! - `let x;` may be assigned later, on every path to its first use.
//! - `break` takes no value. A `loop` left by `return` alone may end a `#[device]` function.
//! - A `for` with `..=` or `.step_by(s)` wraps past the largest value of its type, as in CUDA: keep
//!   the bound plus the step below it.
//! - A function that a kernel calls is marked `#[device]`; the host can call it, too. An ordinary Rust
//!   function takes host values only and is called in a block, `const { tiles(N) }`.
//! - On [`Var`], `sqrt`, `exp`, `powi`, `min`, `count_ones` and others are methods as in Rust;
//!   `f32::max(a, b)` is written `a.max(b)`.

#![doc(test(attr(deny(unused_variables, unused_mut, unused_assignments))))]

mod arithmetic;
mod assertion;
mod asynchrony;
mod builder;
mod call;
mod capture;
mod cast;
mod compare;
mod connect;
mod control;
mod counted;
mod current;
mod data;
mod directive;
mod exchange;
pub mod fast;
mod flight;
mod fold;
mod frames;
pub mod functions;
pub mod host;
mod identifier;
mod inline;
mod intrinsics;
mod items;
mod iterate;
mod join;
mod jumps;
mod labels;
mod locals;
mod loops;
mod math;
mod memory;
mod merge;
mod mixed;
mod never;
mod number;
mod numbering;
mod operands;
mod operation;
mod operators;
mod optimize;
mod pending;
mod print;
mod promote;
pub mod rt;
mod scalar;
mod stage;
pub mod tensor_cores;
mod twins;
mod value;
mod var;
mod variable;

pub use asynchrony::{
    Arrival, Atomic, CacheHint, ClusterArrival, Consumer, Evict, Filled, Filling, IntoPart,
    Mbarrier, Mbarriers, NamedBarrier, NamedBarriers, Order, Part, Pipeline, PixelOffsets,
    Producer, Remote, RemoteMbarrier, Role, Scope, Signal, Span, SpanMut, TensorPixels,
    TensorTiles, TileAt, Waiter, WrittenTensor,
};
pub use data::{Data, OptionOf, OrderingOf};
pub use lanework_abi::Storable;
#[doc(hidden)]
pub use lanework_abi::{
    CheckSite, Definition, FaultRecord, IndexKind, Parameter, ParameterKind, StageError,
    StageOptions, Staged, Tile,
};
pub use lanework_ptx::Swizzle;
pub use memory::{Place, ReadPlace, RegisterArray, Shared, SharedSlice, Slice, SliceMut};
pub use number::{Element, Float, Integer, Number};
pub use scalar::Scalar;
pub use var::{Mut, Var};

/// Names that every file with kernels needs.
pub mod prelude {
    pub use crate::asynchrony::{
        CacheHint, Evict, Order, Scope, add_async, and_async, atomic, bulk_add, bulk_and,
        bulk_commit, bulk_load, bulk_max, bulk_min, bulk_or, bulk_prefetch, bulk_send, bulk_store,
        bulk_wait, bulk_wait_read, bulk_xor, cluster_arrive, cluster_block_idx, cluster_dim,
        cluster_idx, cluster_rank, cluster_size, cluster_sync, elect_sync, fence,
        fence_proxy_async, fence_proxy_async_shared, fence_sc, grid_sync, l2_policy,
        launch_dependents, load_acquire, load_hinted, load_relaxed, max_async, mbarrier, mbarriers,
        min_async, named_barrier, named_barriers, or_async, pipeline, prefetch_l1, prefetch_l2,
        store_async, store_hinted, store_relaxed, store_release, wait_for_dependencies, warp_roles,
        xor_async,
    };
    pub use crate::fast;
    pub use crate::functions::{
        acos, acosh, asin, asinh, atan, atan2, atanh, cbrt, cos, cosh, erf, erfc, exp, exp_m1,
        exp2, hypot, ln, ln_1p, log2, log10, powf, powi, sin, sin_cos, sinh, tan, tanh,
    };
    pub use crate::host::{
        abs, brev, ceil, clz, f32_from_bits, f64_from_bits, ffs, floor, fma, max, min, mul_hi,
        popc, rcp, round, select, sqrt, trunc,
    };
    pub use crate::intrinsics::*;
    pub use crate::memory::{registers, shared, shared_dynamic, shared_slice};
    pub use crate::tensor_cores::{
        Accumulator, B1, CopyPipeline, E4m3, E5m2, FragmentA, FragmentB, FragmentC, Matrix,
        MatrixMut, NoSwizzle, S4, SharedTile, SharedTiles, Swizzle32, Swizzle64, Swizzle128, Tf32,
        Transposed, U4, ldmatrix, ldmatrix_trans, movmatrix, stmatrix, stmatrix_trans,
    };
    pub use crate::twins::*;
    pub use crate::{
        Consumer, Element, Filled, Filling, Float, Integer, Mbarrier, Mbarriers, NamedBarrier,
        NamedBarriers, Number, Part, Pipeline, Place, Producer, RegisterArray, Remote,
        RemoteMbarrier, Role, Shared, SharedSlice, Slice, SliceMut, Span, SpanMut, Swizzle, Var,
        Waiter,
    };

    /// What a kernel calls under these names.
    #[doc(hidden)]
    pub mod staged {
        pub use crate::asynchrony::{
            add_async, and_async, atomic, bulk_add, bulk_and, bulk_commit, bulk_load, bulk_max,
            bulk_min, bulk_or, bulk_prefetch, bulk_send, bulk_store, bulk_wait, bulk_wait_read,
            bulk_xor, cluster_arrive, cluster_rank, cluster_size, cluster_sync, elect_sync, fence,
            fence_proxy_async, fence_proxy_async_shared, fence_sc, grid_sync, l2_policy,
            launch_dependents, load_acquire, load_hinted, load_relaxed, max_async, mbarrier,
            mbarriers, min_async, named_barrier, named_barriers, or_async, pipeline, prefetch_l1,
            prefetch_l2, store_async, store_hinted, store_relaxed, store_release,
            wait_for_dependencies, warp_roles, xor_async,
        };
        pub use crate::intrinsics::*;
        pub use crate::memory::{registers, shared, shared_dynamic, shared_slice};
        pub use crate::tensor_cores::{
            ldmatrix, ldmatrix_trans, movmatrix, stmatrix, stmatrix_trans,
        };
    }
}
