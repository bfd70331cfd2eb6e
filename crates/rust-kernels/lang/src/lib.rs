//! The kernel language: Rust functions that generate PTX.
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
//! - There are no implicit conversions in arithmetic: `thread_idx.x` is a `u32` and `x.len()` a `usize`, so their sum
//!   needs `as`. Integers of any two types are compared by value, so a guard is written `i < x.len()`; any integer type
//!   may index an array or step a range.
//! - Integer arithmetic wraps; division by zero returns what the GPU returns and does not trap.
//! - Structs, enums and their `impl` blocks are marked `#[device]`; the host uses them as before. They may be
//!   parameters, variables, arguments and results, and may be stored in buffers (except enums with data) and in shared
//!   memory, where `x[i].mass` loads only that field. A struct in a buffer may have padding, and hold `bool`s, tuples and
//!   enums without data. In a kernel, `a += b` on structs is `a = a + b`: it needs `Add`.
//! - `match`, `if let`, `let ... else`, `while let` and `matches!` take literals, ranges, constants,
//!   variants, tuples, structs, arrays, `|`, `@` and guards. A name in capitals is a constant. `Option` and `Result`
//!   work with `?` and Rust's methods, in registers and local memory; `?` converts errors by `From`.
//! - A closure is called by its name or passed to a `#[device]` function as `f: impl Fn(f32) -> f32`; a closure with
//!   `return` declares its return type. It is inlined at each call, and cannot be stored.
//! - Ranges, slices and arrays have iterators; each chain becomes one loop: `map`, `filter`, `zip`, `sum`, `fold`
//!   and others; no `collect`.
//! - `let x;` may be assigned later, on every path to its first use.
//! - `break` takes a value in a `loop`, as in Rust. A `#[device]` function may end with a `loop` that is left only by
//!   `return`.
//! - A `for` with `..=` or `.step_by(s)` wraps past the largest value of its type, as in CUDA: keep
//!   the bound plus the step below it.
//! - A function that a kernel calls is marked `#[device]`; the host can call it, too. An ordinary Rust
//!   function takes host values only and is called in a block, `const { tiles(N) }`.
//! - On [`Var`], `sqrt`, `exp`, `powi`, `min`, `count_ones` and others are methods as in Rust;
//!   `f32::max(a, b)` is written `a.max(b)`.

#![doc(test(attr(deny(unused_variables, unused_mut, unused_assignments))))]

mod api;
mod asynchrony;
mod data;
mod emit;
mod flow;
mod intrinsics;
mod library;
mod math;
mod memory;
mod scalar;
pub mod tensor_cores;

pub use crate::asynchrony::bulk::{Span, SpanMut};
pub use crate::asynchrony::cache::{CacheHint, Evict};
pub use crate::asynchrony::cluster::ClusterArrival;
pub use crate::asynchrony::mbarrier::{Arrival, Mbarrier, Mbarriers, Signal, Waiter};
pub use crate::asynchrony::ordered::{Atomic, Order, Scope};
pub use crate::asynchrony::part::{IntoPart, Part};
pub use crate::asynchrony::pipeline::Pipeline;
pub use crate::asynchrony::pipeline::ends::{Consumer, Filled, Filling, Producer};
pub use crate::asynchrony::remote::{Remote, RemoteMbarrier};
pub use crate::asynchrony::roles::{NamedBarrier, NamedBarriers, Role};
pub use crate::asynchrony::tensor::{PixelOffsets, TensorPixels, TensorTiles, WrittenTensor};
pub use crate::asynchrony::tensor_map::TileAt;
pub use crate::data::leaves::Data;
pub use crate::data::place::{Place, ReadPlace};
pub use crate::library::option::OptionOf;
pub use crate::library::ordering::OrderingOf;
pub use crate::memory::registers::RegisterArray;
pub use crate::memory::shared::Shared;
pub use crate::memory::shared_slice::SharedSlice;
pub use crate::memory::slice::{Slice, SliceMut};
pub use crate::scalar::number::{Element, Float, Integer, Number};
pub use crate::scalar::var::{Mut, Scalar, Var};
pub use api::{host, prelude, rt};
pub use lanework_abi::Storable;
pub use lanework_ptx::Swizzle;
pub use math::{fast, functions};

#[doc(hidden)]
pub use lanework_abi::{
    CheckSite, Definition, FaultRecord, IndexKind, Parameter, ParameterKind, StageError,
    StageOptions, Staged, Tile,
};
