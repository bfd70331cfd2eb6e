//! Split-K for every family: with few results of long sums, the k steps are divided into parts that are computed as a batch of
//! products, and a second kernel reduces them in order.
//!
//! Families that divide k themselves are excluded: true FP32 (`ffma.rs`), FP64 with as many tiles as multiprocessors
//! (`double/units.rs`), clusters that share a tile of some thousand steps (`hopper/divided.rs`).

use super::added::{Parts, add};
use super::element::ElementKind;
use super::epilogue::Epilogue;
use super::problem::{Extents, Matrix, Output, Precision, Problem, Strides};
use super::recipe::Recipe;
use super::skinny;
use super::source::{Destination, Source};
use crate::workspace::Layout;
use lanework::{Result, View};

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

/// Number of steps from which the gain exceeds the second launch, with and without clusters that divide k anyway.
fn least(problem: &Problem<'_>) -> usize {
    if problem.sums() == ElementKind::F64 { 2048 } else { 32_768 }
}

/// The division of a problem, if it pays off.
pub(super) fn division(problem: &Problem<'_>) -> Option<Division> {
    let Extents { batch, m, n, k } = problem.extents;
    let others =
        problem.a.kind == ElementKind::F32 && problem.precision != Precision::TensorFloat32;
    let compensated = problem.precision == Precision::Compensated;
    // Factors in the workspace belong to a family that has already decided.
    let given = |matrix: &Matrix<'_>| matches!(matrix.memory, Source::Memory(_));
    let whole =
        problem.one_kernel || others || compensated || !given(&problem.a) || !given(&problem.b);
    let processors = problem.device.info().multiprocessors.max(1) as usize;
    let lines = skinny::suits(problem) && m.max(n) >= 2 * processors;
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
    problem: Problem<'a>,
    layout: &mut Layout,
    Division { each, parts, rest }: Division,
    chosen: impl Fn(Problem<'a>, &mut Layout) -> Result<Recipe<'a>>,
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
            Destination::Scratch(all.bytes(part * results * bytes, parts * results * bytes));
        let strides = Strides { batch: results, row: pitch, column: 1 };
        Output { kind: problem.sums(), memory, strides }
    };
    let mut recipes = vec![chosen(part(&problem, 0, (parts, each), to(0, parts)), layout)?];
    if rest > 0 {
        let last = part(&problem, parts * each, (1, rest), to(parts, 1));
        recipes.push(chosen(last, layout)?);
    }
    let parts = Parts { count: count as u32, results: results as u32, pitch: pitch as u32 };
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
    problem: &Problem<'a>,
    first: usize,
    (parts, each): (usize, usize),
    c: Output<'a>,
) -> Problem<'a> {
    // The batch stride of a factor is the distance of `each` steps along k.
    let of = |matrix: &Matrix<'a>, along: usize| {
        let bytes = first * along * matrix.kind.bytes();
        let memory = match matrix.memory {
            Source::Memory(view) => Source::Memory(view.part(bytes..)),
            Source::Scratch(part) => Source::Scratch(part),
        };
        Matrix { memory, strides: Strides { batch: each * along, ..matrix.strides }, ..*matrix }
    };
    Problem {
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
    use crate::gemm::{bias, choose::chosen};
    use crate::{GemmElement, Plan, Tensor, TensorMut, Workspace, gemm};
    use half::{bf16, f16};
    use lanework::Device;

    fn of<T: GemmElement, C: GemmElement>([m, n, k]: [usize; 3]) -> Result<Option<Division>> {
        let device = Device::emulator();
        let (a, b) = (device.uninit::<T>(m * k)?, device.uninit::<T>(n * k)?);
        let mut c = device.uninit::<C>(m * n)?;
        let product = gemm(Tensor::new(&a, [m, k])?, Tensor::new(&b, [k, n])?);
        Ok(division(&product.problem(TensorMut::new(&mut c, [m, n])?)?))
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
            let mut layout = Layout::default();
            let division = Division { each: 256, parts: 2, rest: 88 };
            let recipe = bias::converted(problem, &mut layout, |problem, layout| {
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
    fn divided_products_are_those_of_the_host() -> Result<()> {
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
