//! Split-K for every family: with few results of long sums, the k steps are divided into parts that are computed as a batch of
//! products, and a second kernel reduces them in order.
//!
//! Families that divide k themselves are excluded: true FP32 (`ffma`), FP64 with as many tiles as multiprocessors
//! (`double::persistent`), clusters that share a tile of some thousand steps (`hopper::results`).

use super::epilogue::Epilogue;
use super::finish::{Finish, Finishing, Sum, finished, finishing};
use super::operand::{MatrixOperand, OperandMemory, ProductOutput, ResultMemory, Strides, refused};
use super::problem::{Extents, GemmProblem, Precision, Recipe};
use crate::workspace::{Scratch, WorkspaceLayout};
use half::{bf16, f16};
use lanework::prelude::*;
use lanework::{Element, Prepared, Result, View};
use lanework_numbers::NumberType;

/// Results per block, in any family.
const TILE: (usize, usize) = (128, 64);
/// Parts begin at multiples of this many steps, which keeps TMA and 16-byte vectors aligned.
const STEP: usize = 256;

/// Division of k: parts of `each` steps, and one of the `rest`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Division {
    each: usize,
    parts: usize,
    rest: usize,
}

/// Minimum number of steps that repays the second launch, with and without clusters that divide k anyway.
fn least(problem: &GemmProblem<'_>) -> usize {
    if problem.sums() == NumberType::F64 { 2048 } else { 32_768 }
}

/// The division of a problem, if it pays off; `skinny` tells whether the kernels for few rows or columns support it.
pub(super) fn division(problem: &GemmProblem<'_>, skinny: bool) -> Option<Division> {
    let Extents { batch, m, n, k } = problem.extents;
    let others = problem.a.kind == NumberType::F32 && problem.precision != Precision::TensorFloat32;
    let compensated = problem.precision == Precision::Compensated;
    // Factors in the workspace belong to a family that has already decided.
    let given = |matrix: &MatrixOperand<'_>| matches!(matrix.memory, OperandMemory::Memory(_));
    let whole =
        problem.one_kernel || others || compensated || !given(&problem.a) || !given(&problem.b);
    let processors = problem.device.info().multiprocessors.max(1) as usize;
    let lines = skinny && m.max(n) >= 2 * processors;
    let tiles = m.div_ceil(TILE.0).saturating_mul(n.div_ceil(TILE.1));
    if batch != 1 || whole || lines || k < least(problem) || 4 * tiles > processors {
        return None;
    }
    let wanted = processors / tiles.max(1);
    let each = k.div_ceil(wanted).next_multiple_of(STEP);
    (each < k).then_some(Division { each, parts: k / each, rest: k % each })
}

/// The launches of the divided problem; `chosen` makes the launches of the parts.
pub(super) fn recipe<'a>(
    problem: GemmProblem<'a>,
    layout: &mut WorkspaceLayout,
    Division { each, parts, rest }: Division,
    chosen: impl Fn(GemmProblem<'a>, &mut WorkspaceLayout) -> Result<Recipe<'a>>,
) -> Result<Recipe<'a>> {
    let Extents { m, n, .. } = problem.extents;
    let bytes = problem.sums().bytes();
    let pitch = n.next_multiple_of(4);
    // Parts begin at multiples of the workspace alignment.
    let results = (m * pitch).next_multiple_of(64);
    let count = parts + usize::from(rest > 0);
    let all = layout.scratch::<u8>(count * results * bytes);
    let to = |part: usize, parts: usize| {
        let memory =
            ResultMemory::Scratch(all.bytes(part * results * bytes, parts * results * bytes));
        let strides = Strides { batch: results, row: pitch, column: 1 };
        ProductOutput { kind: problem.sums(), memory, strides }
    };
    let mut recipes = vec![chosen(part(&problem, 0, (parts, each), to(0, parts)), layout)?];
    if rest > 0 {
        let last = part(&problem, parts * each, (1, rest), to(parts, 1));
        recipes.push(chosen(last, layout)?);
    }
    let parts = SplitParts { count: count as u32, results: results as u32, pitch: pitch as u32 };
    Ok(Box::new(move |scratch| {
        let mut launches = Vec::new();
        for recipe in recipes {
            launches.extend(recipe(scratch)?);
        }
        launches.push(add(problem, scratch, View::from(scratch.view(all)), parts)?);
        Ok(launches)
    }))
}

/// The products of `parts` parts of `each` steps from step `first` on, without an epilogue.
fn part<'a>(
    problem: &GemmProblem<'a>,
    first: usize,
    (parts, each): (usize, usize),
    c: ProductOutput<'a>,
) -> GemmProblem<'a> {
    // The batch stride of a factor is the distance of `each` steps along k.
    let of = |matrix: &MatrixOperand<'a>, along: usize| {
        let bytes = first * along * matrix.kind.bytes();
        let memory = match matrix.memory {
            OperandMemory::Memory(view) => OperandMemory::Memory(view.part(bytes..)),
            OperandMemory::Scratch(part) => OperandMemory::Scratch(part),
        };
        MatrixOperand {
            memory,
            strides: Strides { batch: each * along, ..matrix.strides },
            ..*matrix
        }
    };
    GemmProblem {
        device: problem.device.clone(),
        extents: Extents { batch: parts, k: each, ..problem.extents },
        a: of(&problem.a, problem.a.strides.column),
        b: of(&problem.b, problem.b.strides.row),
        c,
        alpha: 1.0,
        beta: 0.0,
        epilogue: Epilogue::default(),
        ..*problem
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gemm::families::chosen;
    use crate::gemm::families::skinny;
    use crate::gemm::problem::with_vectors_converted;
    use crate::{GemmElement, Plan, Tensor, TensorMut, Workspace, gemm};
    use half::{bf16, f16};
    use lanework::Device;

    fn of<T: GemmElement, C: GemmElement>([m, n, k]: [usize; 3]) -> Result<Option<Division>> {
        let device = Device::emulator();
        let (a, b) = (device.uninit::<T>(m * k)?, device.uninit::<T>(n * k)?);
        let mut c = device.uninit::<C>(m * n)?;
        let product = gemm(Tensor::new(&a, [m, k])?, Tensor::new(&b, [k, n])?);
        let problem = product.problem(TensorMut::new(&mut c, [m, n])?)?;
        Ok(division(&problem, skinny::suits(&problem)))
    }

    /// A divided product of integers (exact), in every layout, with a full epilogue.
    fn check<T: GemmElement, C: GemmElement, B: GemmElement>(
        of: fn(f64) -> T,
        back: fn(C) -> f64,
        into: fn(f64) -> C,
        bias_of: fn(f64) -> B,
    ) -> Result<()> {
        let device = Device::emulator().sanitized();
        let [m, n, k] = [33, 20, 600];
        let number = |i: usize, seed: usize| ((i * 37 + i / 7 + seed) % 5) as f64 - 2.0;
        let (a, b): (Vec<f64>, Vec<f64>) = (
            (0..m * k).map(|i| number(i, 1)).collect(),
            (0..n * k).map(|i| number(i, 3)).collect(),
        );
        let upload = |x: &[f64]| device.upload(&x.iter().map(|x| of(*x)).collect::<Vec<T>>());
        let (on_a, on_b) = (upload(&a)?, upload(&b)?);
        let bias: Vec<f64> = (0..n).map(|i| i as f64 - 4.0).collect();
        let on_bias = device.upload(&bias.iter().map(|x| bias_of(*x)).collect::<Vec<B>>())?;
        for (by_rows_a, by_rows_b) in [(true, true), (true, false), (false, true)] {
            let (of_a, of_b) =
                (if by_rows_a { [k, 1] } else { [1, m] }, if by_rows_b { [n, 1] } else { [1, k] });
            let mut c = device.upload(&vec![into(3.0); m * n])?;
            let x = Tensor::with_strides(&on_a, [m, k], of_a, 0)?;
            let y = Tensor::with_strides(&on_b, [k, n], of_b, 0)?;
            let product = gemm(x, y).beta(2.0).bias(Tensor::new(&on_bias, [n])?).relu();
            let problem = product.problem(TensorMut::new(&mut c, [m, n])?)?;
            let mut layout = WorkspaceLayout::default();
            let division = Division { each: 256, parts: 2, rest: 88 };
            let recipe = with_vectors_converted(problem, &mut layout, |problem, layout| {
                recipe(problem, layout, division, chosen)
            })?;
            let scratch = Workspace::new(&device).reserve(&layout)?;
            Plan::new(recipe(&scratch)?, [scratch]).launch()?;
            for (i, found) in c.download()?.into_iter().enumerate() {
                let (y, x) = (i / n, i % n);
                let at_a = |step: usize| a[y * of_a[0] + step * of_a[1]];
                let at_b = |step: usize| b[step * of_b[0] + x * of_b[1]];
                let sum: f64 = (0..k).map(|step| at_a(step) * at_b(step)).sum();
                let want = back(into((sum + 6.0 + bias[x]).max(0.0)));
                assert_eq!(back(found), want, "{} at {y}, {x}", C::KIND.name());
            }
        }
        Ok(())
    }

    #[test]
    fn divided_products_match_the_host() -> Result<()> {
        check::<f64, f64, f64>(|x| x, |x| x, |x| x, |x| x)?;
        check::<bf16, bf16, bf16>(bf16::from_f64, bf16::to_f64, bf16::from_f64, bf16::from_f64)?;
        check::<f16, f16, f32>(f16::from_f64, f16::to_f64, f16::from_f64, |x| x as f32)?;
        check::<f16, f32, f32>(f16::from_f64, f64::from, |x| x as f32, |x| x as f32)?;
        check::<i8, i32, i32>(|x| x as i8, f64::from, |x| x as i32, |x| x as i32)?;
        check::<i8, f32, f32>(|x| x as i8, f64::from, |x| x as f32, |x| x as f32)
    }

    #[test]
    fn few_results_of_long_sums_are_divided() -> Result<()> {
        let bf16s = of::<bf16, bf16>([64, 64, 1_000_000])?;
        assert_eq!(bf16s, Some(Division { each: 7680, parts: 130, rest: 1600 }));
        let bytes = of::<i8, i32>([128, 64, 65536])?;
        assert_eq!(bytes, Some(Division { each: 512, parts: 128, rest: 0 }));
        assert_eq!(of::<bf16, f32>([64, 64, 16384])?, None); // clusters divide k
        assert_eq!(of::<bf16, f32>([4096, 4096, 65536])?, None);
        assert_eq!(of::<f32, f32>([64, 64, 1_000_000])?, None); // its family divides it
        Ok(())
    }
}

/// Threads of a block.
const THREADS: u32 = 256;

/// Number of thread groups that share the parts of a block's results: more if few results leave the device idle.
fn groups(results: usize, parts: u32, processors: usize) -> u32 {
    let wanted = (1024 * processors).div_ceil(results.max(1)) as u32;
    wanted.min(parts.div_ceil(4)).clamp(1, 8).next_power_of_two()
}

/// Reduces `parts` parts of `[batches, m, pitch]` elements each; `extents` are the used ones. Parts have type P; the epilogue
/// computes in S.
#[kernel(block = THREADS)]
#[allow(clippy::too_many_arguments)]
fn added<P: Sum, S: Sum, O: Element>(
    from: &[P],
    c: &mut [O],
    bias: &[S],
    scale_a: &[f32],
    scale_b: &[f32],
    extents: [u32; 3],
    strides_c: [u64; 3],
    parts: [u32; 3],
    alpha: S,
    beta: S,
    #[constant] finish: Finish,
    #[constant] groups: u32,
) {
    launch_dependents();
    wait_for_dependencies();
    let [batches, m, n] = extents;
    let [count, stride, pitch] = parts;
    let width = const { THREADS / groups };
    let (group, within) = (thread_idx.x / width, thread_idx.x % width);
    let i = block_idx.x * width + within;
    let inside = i < batches * m * pitch && i % pitch < n;
    let mut sum = P::ZERO;
    if inside {
        // Four loads are in flight.
        let mut part = group;
        while part + const { 3 * groups } < count {
            let at = part * stride + i;
            let next = stride * groups;
            let four = [from[at], from[at + next], from[at + 2 * next], from[at + 3 * next]];
            sum = sum + four[0] + four[1] + four[2] + four[3];
            part += const { 4 * groups };
        }
        while part < count {
            sum = sum + from[part * stride + i];
            part += groups;
        }
    }
    if groups > 1 {
        let sums = shared::<P>([groups, THREADS / groups]);
        sums[[group, within]] = sum;
        sync_threads();
        sum = P::ZERO;
        #[unroll]
        for g in 0..groups {
            sum = sum + sums[[g, within]];
        }
    }
    if inside && group == 0 {
        let (batch, row, column) = (i / pitch / m, i / pitch % m, i % pitch);
        let at =
            batch as u64 * strides_c[0] + row as u64 * strides_c[1] + column as u64 * strides_c[2];
        let mut before = S::ZERO;
        if finish.reads_c {
            before = c[at] as S;
        }
        let of_both = (scale_a, scale_b);
        let value = finished(sum as S, before, (row, column), (alpha, beta), bias, of_both, finish);
        c[at] = value as O;
    }
}

/// Layout of the parts: their number, the elements of each, and the row stride.
#[derive(Clone, Copy, Debug)]
pub(super) struct SplitParts {
    pub count: u32,
    pub results: u32,
    pub pitch: u32,
}

/// The launch that reduces the parts of a problem's results and finishes them. Parts have the accumulator type.
pub(super) fn add<'a>(
    problem: GemmProblem<'a>,
    scratch: &Scratch,
    from: View<'a, u8>,
    parts: SplitParts,
) -> Result<Prepared<'a>> {
    use NumberType as K;
    match (problem.sums(), problem.c.kind) {
        (K::F64, _) => typed::<f64, f64, f64>(problem, scratch, from, parts),
        (K::I32, K::I32) => typed::<i32, i32, i32>(problem, scratch, from, parts),
        (K::I32, _) => typed::<i32, f32, f32>(problem, scratch, from, parts),
        (_, K::F16) => typed::<f32, f32, f16>(problem, scratch, from, parts),
        (_, K::Bf16) => typed::<f32, f32, bf16>(problem, scratch, from, parts),
        _ => typed::<f32, f32, f32>(problem, scratch, from, parts),
    }
}

fn typed<'a, P: Sum, S: Sum, O: Element>(
    problem: GemmProblem<'a>,
    scratch: &Scratch,
    from: View<'a, u8>,
    SplitParts { count, results, pitch }: SplitParts,
) -> Result<Prepared<'a>> {
    let Finishing { alpha, beta, bias, scale_a, scale_b, finish } =
        finishing::<S>(&problem, scratch);
    let GemmProblem { device, extents: Extents { batch, m, n, .. }, c, .. } = problem;
    let processors = device.info().multiprocessors as usize;
    let groups = groups(results as usize, count, processors);
    let strides = c.strides;
    if u64::from(count) * u64::from(results) >= 1 << 32 {
        return refused(
            "parts of more than 2^32 results".to_owned(),
            "multiply parts of the matrices",
        );
    }
    let launch = added::<P, S, O>(
        from.cast::<P>(),
        c.memory.elements::<O>(scratch),
        bias,
        scale_a,
        scale_b,
        [batch as u32, m as u32, n as u32],
        [strides.batch as u64, strides.row as u64, strides.column as u64],
        [count, results, pitch],
        alpha,
        beta,
        finish,
        groups,
    );
    // SAFETY: an index is below the number of results, every part has that many elements, and `Tensor` checked that the output's
    // extents and strides stay in its memory. `Epilogue::check` checked that its vectors have one element, or one per row or
    // column.
    unsafe {
        launch
            .programmatic()
            .grid(results.div_ceil(THREADS / groups))
            .block(THREADS)
            .prepare_unchecked(&device)
    }
}

#[cfg(test)]
mod added_tests {
    use super::*;

    #[test]
    fn few_results_of_many_parts_are_shared_by_groups() {
        assert_eq!(groups(64 * 64, 128, 132), 8);
        assert_eq!(groups(64 * 64, 8, 132), 2);
        assert_eq!(groups(4096 * 4096, 128, 132), 1);
        assert_eq!(groups(1, 1, 132), 1);
    }
}
