//! The fallback family: tiles in shared memory, sums in registers, any element type, any strides, any device.
//!
//! A block computes 64 x 64 results; a thread computes 4 x 4 of them, 16 apart, so that a warp's stores and shared loads are
//! adjacent; k advances by 16. It loads one element at a time, which bounds its speed. Tests compare other families with it.

use crate::gemm::finish::{Finishing, Sum, finished, finishing};
use crate::gemm::problem::{Extents, GemmProblem, Precision, Recipe};
use crate::workspace::{Scratch, WorkspaceLayout};
use half::{bf16, f16};
use lanework::lang::Var;
use lanework::prelude::*;
use lanework::{Element, Prepared, Result};
use lanework_numbers::NumberType;

/// Edge of a block's result tile.
const TILE: u32 = 64;
/// k steps per load.
const DEPTH: u32 = 16;
/// Threads of a block, in rows of `SIDE`.
const THREADS: u32 = 256;
const SIDE: u32 = 16;
/// Edge of a thread's square of results.
const EDGE: u32 = TILE / SIDE;

/// Compile-time configuration of a kernel.
#[derive(Clone, Copy, Debug)]
struct TileConfig {
    /// The factors' types.
    kinds: (NumberType, NumberType),
    /// Whether A and B are row-major.
    by_rows: (bool, bool),
    compensated: bool,
}

/// The value of an 8-bit float, via an f16 that shares its upper bits, shifted if necessary.
#[device]
fn widened_fp8(bits: u32, #[constant] kind: NumberType) -> f32 {
    if kind == NumberType::E5m2 {
        let half = bits << 8;
        f16_bits(half)
    } else {
        // The exponent bias is 7; the bias of f16 is 15.
        let half = (bits & 0x80) << 8 | (bits & 0x7f) << 7;
        let value = f16_bits(half) * 256.0;
        if bits & 0x7f == 0x7f { f32::NAN } else { value }
    }
}

/// Converts f16 bits to f32.
#[device]
fn f16_bits(bits: u32) -> f32 {
    let sign = (bits & 0x8000) << 16;
    let rest = bits & 0x7fff;
    // The exponent bias is 15; the bias of f32 is 127. Shifting the bits and multiplying by 2^112 also handles subnormal numbers.
    let value = f32_from_bits(rest << 13) * f32_from_bits(0x7780_0000);
    let wide = if rest >= 0x7c00 { f32_from_bits(rest << 13 | 0x7f80_0000) } else { value };
    f32_from_bits(sign | bits_of(wide))
}

/// The bits of an f32.
#[device]
fn bits_of(x: f32) -> u32 {
    ptx!("mov.b32 {}, {};", out(u32), in(x))
}

/// Widens a factor's element to the accumulator type.
trait Widen: Sum {
    fn widened<T: Element>(x: Var<T>, kind: NumberType) -> Var<Self>;
    /// Adds `a * b` to `sums[0] + sums[1]`; `sums[1]` holds the rounding errors.
    fn compensated(a: Var<Self>, b: Var<Self>, sums: [Var<Self>; 2]) -> [Var<Self>; 2];
}

impl Widen for f32 {
    #[track_caller]
    fn widened<T: Element>(x: Var<T>, kind: NumberType) -> Var<f32> {
        use lanework::lang::rt::Cast;
        match kind {
            NumberType::E4m3 | NumberType::E5m2 => widened_fp8::staged(Cast::<u32>::cast(x), kind),
            _ => Cast::<f32>::cast(x),
        }
    }
    #[track_caller]
    fn compensated(a: Var<f32>, b: Var<f32>, sums: [Var<f32>; 2]) -> [Var<f32>; 2] {
        dot2::staged(a, b, sums)
    }
}

impl Widen for f64 {
    #[track_caller]
    fn widened<T: Element>(x: Var<T>, _: NumberType) -> Var<f64> {
        lanework::lang::rt::Cast::<f64>::cast(x)
    }
    #[track_caller]
    fn compensated(a: Var<f64>, b: Var<f64>, sums: [Var<f64>; 2]) -> [Var<f64>; 2] {
        dot2::staged(a, b, sums)
    }
}

impl Widen for i32 {
    #[track_caller]
    fn widened<T: Element>(x: Var<T>, _: NumberType) -> Var<i32> {
        lanework::lang::rt::Cast::<i32>::cast(x)
    }
    #[track_caller]
    fn compensated(a: Var<i32>, b: Var<i32>, [sum, rest]: [Var<i32>; 2]) -> [Var<i32>; 2] {
        [a * b + sum, rest]
    }
}

/// A step of a dot product in twice the precision (Ogita, Rump and Oishi 2005, `Dot2`): accumulates separately the
/// rounding errors of the product and of the addition, each of which is a number of the same type.
#[device]
pub(super) fn dot2<T: Float>(a: T, b: T, sums: [T; 2]) -> [T; 2] {
    let [sum, rest] = sums;
    // An explicit FMA, so the compiler cannot contract the product with the addition after it.
    let product = fma(a, b, T::ZERO);
    let below = fma(a, b, T::ZERO - product);
    let next = sum + product;
    let added = next - sum;
    let lost = (sum - (next - added)) + (product - added);
    [next, rest + (lost + below)]
}

/// The product: one result tile per block, for batches `block_idx.y`, `block_idx.y + grid_dim.y` and so on.
#[kernel(block = THREADS)]
fn tile<T: Element, P: Widen, S: Sum, O: Element>(
    a: &[T],
    b: &[T],
    c: &mut [O],
    bias: &[S],
    scale_a: &[f32],
    scale_b: &[f32],
    extents: [u32; 4],
    strides_a: [u64; 3],
    strides_b: [u64; 3],
    strides_c: [u64; 3],
    alpha: S,
    beta: S,
    #[constant] config: TileConfig,
    #[constant] finish: crate::gemm::finish::Finish,
) {
    let left = shared::<P>([DEPTH, TILE + 1]);
    let right = shared::<P>([DEPTH, TILE + 1]);
    let [batches, m, n, k] = extents;
    let t = thread_idx.x;
    let (ty, tx) = (t / SIDE, t % SIDE);
    let across = (n - 1) / TILE + 1;
    let (top, first) = (block_idx.x / across * TILE, block_idx.x % across * TILE);
    for batch in (block_idx.y..batches).step_by(grid_dim.y) {
        let mut sums = [P::ZERO; (EDGE * EDGE) as usize];
        let mut rests = [P::ZERO; (EDGE * EDGE) as usize];
        for depth in (0..k).step_by(DEPTH) {
            #[unroll]
            for part in 0..TILE * DEPTH / THREADS {
                let i = t + part * THREADS;
                let (line, step) =
                    if config.by_rows.0 { (i / DEPTH, i % DEPTH) } else { (i % TILE, i / TILE) };
                let (row, at) = (top + line, depth + step);
                let mut value = P::ZERO;
                if row < m && at < k {
                    let index = batch as u64 * strides_a[0]
                        + row as u64 * strides_a[1]
                        + at as u64 * strides_a[2];
                    value = <P as Widen>::widened(a[index], config.kinds.0);
                }
                left[[step, line]] = value;
                let (line, step) =
                    if config.by_rows.1 { (i % TILE, i / TILE) } else { (i / DEPTH, i % DEPTH) };
                let (column, at) = (first + line, depth + step);
                let mut value = P::ZERO;
                if column < n && at < k {
                    let index = batch as u64 * strides_b[0]
                        + at as u64 * strides_b[1]
                        + column as u64 * strides_b[2];
                    value = <P as Widen>::widened(b[index], config.kinds.1);
                }
                right[[step, line]] = value;
            }
            sync_threads();
            for step in 0..DEPTH {
                let mut of_a = [P::ZERO; EDGE as usize];
                let mut of_b = [P::ZERO; EDGE as usize];
                #[unroll]
                for i in 0..EDGE {
                    of_a[i] = left[[step, ty + i * SIDE]];
                    of_b[i] = right[[step, tx + i * SIDE]];
                }
                #[unroll]
                for i in 0..EDGE * EDGE {
                    let (x, y) = (of_a[i / EDGE], of_b[i % EDGE]);
                    if config.compensated {
                        let [sum, rest] = <P as Widen>::compensated(x, y, [sums[i], rests[i]]);
                        sums[i] = sum;
                        rests[i] = rest;
                    } else {
                        sums[i] = <P as Sum>::multiply_add(x, y, sums[i]);
                    }
                }
            }
            sync_threads();
        }
        #[unroll]
        for i in 0..EDGE * EDGE {
            let (row, column) = (top + ty + i / EDGE * SIDE, first + tx + i % EDGE * SIDE);
            if row < m && column < n {
                let at = batch as u64 * strides_c[0]
                    + row as u64 * strides_c[1]
                    + column as u64 * strides_c[2];
                let sum = if config.compensated { sums[i] + rests[i] } else { sums[i] };
                let mut before = S::ZERO;
                if finish.reads_c {
                    before = c[at] as S;
                }
                let value = finished(
                    sum as S,
                    before,
                    (row, column),
                    (alpha, beta),
                    bias,
                    (scale_a, scale_b),
                    finish,
                );
                c[at] = value as O;
            }
        }
    }
}

/// The launches of any problem.
pub(crate) fn recipe<'a>(problem: GemmProblem<'a>, _: &mut WorkspaceLayout) -> Result<Recipe<'a>> {
    Ok(Box::new(move |scratch| {
        let step = match (problem.a.kind, problem.c.kind) {
            (NumberType::F64, _) => prepared::<f64, f64, f64, f64>(problem, scratch),
            (NumberType::I8, NumberType::I32) => prepared::<i8, i32, i32, i32>(problem, scratch),
            (NumberType::I8, _) => prepared::<i8, i32, f32, f32>(problem, scratch),
            (NumberType::F16, NumberType::F16) => prepared::<f16, f32, f32, f16>(problem, scratch),
            (NumberType::F16, _) => prepared::<f16, f32, f32, f32>(problem, scratch),
            (NumberType::Bf16, NumberType::Bf16) => {
                prepared::<bf16, f32, f32, bf16>(problem, scratch)
            }
            (NumberType::Bf16, _) => prepared::<bf16, f32, f32, f32>(problem, scratch),
            (NumberType::F32, _) => prepared::<f32, f32, f32, f32>(problem, scratch),
            (_, NumberType::F16) => prepared::<u8, f32, f32, f16>(problem, scratch),
            (_, NumberType::Bf16) => prepared::<u8, f32, f32, bf16>(problem, scratch),
            _ => prepared::<u8, f32, f32, f32>(problem, scratch),
        };
        Ok(vec![step?])
    }))
}

fn prepared<'a, T: Element, P: Widen, S: Sum, O: Element>(
    problem: GemmProblem<'a>,
    scratch: &Scratch,
) -> Result<Prepared<'a>> {
    let config = TileConfig {
        kinds: (problem.a.kind, problem.b.kind),
        by_rows: (problem.a.strides.column <= 1, problem.b.strides.column <= 1),
        compensated: problem.precision == Precision::Compensated,
    };
    let Finishing { alpha, beta, bias, scale_a, scale_b, finish } =
        finishing::<S>(&problem, scratch);
    let Extents { batch, m, n, k } = problem.extents;
    let strides =
        |s: crate::gemm::operand::Strides| [s.batch as u64, s.row as u64, s.column as u64];
    let tiles = (m as u64).div_ceil(TILE.into()) * (n as u64).div_ceil(TILE.into());
    let tiles = u32::try_from(tiles).ok().filter(|tiles| *tiles < 1 << 31);
    let Some(tiles) = tiles else {
        return crate::gemm::operand::refused(
            format!("results of {m} x {n} are more than 2^31 tiles"),
            "multiply parts of the matrices",
        );
    };
    let launch = tile::<T, P, S, O>(
        problem.a.memory.elements::<T>(scratch),
        problem.b.memory.elements::<T>(scratch),
        problem.c.memory.elements::<O>(scratch),
        bias,
        scale_a,
        scale_b,
        [batch as u32, m as u32, n as u32, k as u32],
        strides(problem.a.strides),
        strides(problem.b.strides),
        strides(problem.c.strides),
        alpha,
        beta,
        config,
        finish,
    );
    // SAFETY: the kernel compares every index of A, B and C with the extents, which `Tensor` checked against the memory.
    // `Epilogue::check` checked that the vectors have one element, or one per row or column. Thread indices are below THREADS, so
    // shared-memory indices are in range.
    unsafe {
        launch
            .grid((tiles, batch.min(65_535) as u32, 1))
            .block(THREADS)
            .prepare_unchecked(&problem.device)
    }
}
