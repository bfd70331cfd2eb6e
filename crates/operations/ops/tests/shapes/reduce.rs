//! Reductions of random arrays (any extents, strides, offsets, element types and options), compared with exact host sums.

use half::{bf16, f16};
use lanework::{Buffer, Device, Storable};
use lanework_ops::reduce::{self, Reducible, ReducibleFloat, Reduction};
use lanework_ops::{Tensor, TensorMut};
use rand::Rng;
use rand::rngs::StdRng;
use rand::seq::SliceRandom;

/// An exact host number: an integer, or a float with its rounding error.
#[derive(Clone, Copy, Debug)]
enum Exact {
    Integer(i128),
    Float(f64, f64),
}

/// An element type and its host conversions.
trait ReductionCase: Reducible + From<u8> {
    const POISON: Self;
    /// Unit roundoff of its sums; 0 for integers.
    const ROUNDOFF: f64;
    fn draw(rng: &mut StdRng) -> Self;
    fn exact(self) -> Exact;
    fn of_sum(sum: Self::Sum) -> Exact;
}

macro_rules! cases {
    ($($t:ty, $poison:expr, $roundoff:expr, $draw:expr, $exact:expr, $of_sum:expr;)*) => {$(
        impl ReductionCase for $t {
            const POISON: Self = $poison;
            const ROUNDOFF: f64 = $roundoff;
            fn draw(rng: &mut StdRng) -> Self {
                let draw: fn(&mut StdRng) -> Self = $draw;
                draw(rng)
            }
            fn exact(self) -> Exact {
                $exact(self)
            }
            fn of_sum(sum: Self::Sum) -> Exact {
                $of_sum(sum)
            }
        }
    )*};
}

/// Numbers of different magnitudes, some of them equal.
fn float(rng: &mut StdRng) -> f64 {
    let x: f64 = rng.random_range(-4.0..4.0);
    if rng.random_bool(0.3) { x.round() } else { x * 10f64.powi(rng.random_range(-3..3)) }
}

const SINGLE: f64 = f32::EPSILON as f64 / 2.0;
const DOUBLE: f64 = f64::EPSILON / 2.0;

cases! {
    i32, i32::MIN, 0.0, |rng| if rng.random_bool(0.5) { rng.random() } else { rng.random_range(-3..3) },
        |x| Exact::Integer(i128::from(x)), |x| Exact::Integer(i128::from(x));
    u32, u32::MAX, 0.0, |rng| if rng.random_bool(0.5) { rng.random() } else { rng.random_range(0..5) },
        |x| Exact::Integer(i128::from(x)), |x: u64| Exact::Integer(i128::from(x as i64));
    i64, i64::MIN, 0.0, |rng| if rng.random_bool(0.5) { rng.random() } else { rng.random_range(-3..3) },
        |x| Exact::Integer(i128::from(x)), |x| Exact::Integer(i128::from(x));
    u64, u64::MAX, 0.0, |rng| if rng.random_bool(0.5) { rng.random() } else { rng.random_range(0..5) },
        |x| Exact::Integer(i128::from(x)), |x: u64| Exact::Integer(i128::from(x as i64));
    f16, f16::NAN, SINGLE, |rng| f16::from_f64(float(rng)),
        |x: f16| Exact::Float(x.to_f64(), 0.0), |x| Exact::Float(f64::from(x), 0.0);
    bf16, bf16::NAN, SINGLE, |rng| bf16::from_f64(float(rng)),
        |x: bf16| Exact::Float(x.to_f64(), 0.0), |x| Exact::Float(f64::from(x), 0.0);
    f32, f32::NAN, SINGLE, |rng| float(rng) as f32,
        |x| Exact::Float(f64::from(x), 0.0), |x| Exact::Float(f64::from(x), 0.0);
    f64, f64::NAN, DOUBLE, float, |x| Exact::Float(x, 0.0), |x| Exact::Float(x, 0.0);
}

impl Exact {
    fn plus(self, other: Exact) -> Exact {
        match (self, other) {
            (Exact::Integer(a), Exact::Integer(b)) => Exact::Integer(a.wrapping_add(b)),
            (Exact::Float(a, low), Exact::Float(b, rest)) => {
                let sum = a + b;
                let of_b = sum - a;
                Exact::Float(sum, low + rest + ((a - (sum - of_b)) + (b - of_b)))
            }
            _ => unreachable!("one type"),
        }
    }

    fn times(self, other: Exact) -> Exact {
        match (self, other) {
            (Exact::Integer(a), Exact::Integer(b)) => Exact::Integer(a.wrapping_mul(b)),
            (Exact::Float(a, _), Exact::Float(b, _)) => Exact::Float(a * b, a.mul_add(b, -(a * b))),
            _ => unreachable!("one type"),
        }
    }

    fn magnitude(self) -> f64 {
        match self {
            Exact::Integer(_) => 0.0,
            Exact::Float(a, _) => a.abs(),
        }
    }
}

/// A three-dimensional array on the device and the host.
struct ReductionInput<T: ReductionCase> {
    shape: [usize; 3],
    strides: [usize; 3],
    first: usize,
    host: Vec<T>,
    device: Buffer<T>,
}

/// Strides without overlaps: dimensions in any order, with gaps.
fn strides(shape: [usize; 3], rng: &mut StdRng) -> [usize; 3] {
    let mut order = [2, 1, 0];
    if rng.random_bool(0.5) {
        order.shuffle(rng);
    }
    let (mut strides, mut step) = ([0; 3], 1);
    for axis in order {
        if rng.random_bool(0.2) {
            step += rng.random_range(0..5);
        }
        strides[axis] = step;
        step *= shape[axis].max(1);
    }
    strides
}

impl<T: ReductionCase> ReductionInput<T> {
    fn draw(
        device: &Device,
        shape: [usize; 3],
        rng: &mut StdRng,
    ) -> Result<ReductionInput<T>, String> {
        let strides = strides(shape, rng);
        let first = if rng.random_bool(0.3) { rng.random_range(0..9) } else { 0 };
        // Few distinct numbers, so many elements equal the extremum.
        let few = rng.random_bool(0.3);
        let number = |rng: &mut StdRng| match few {
            true => T::from(rng.random_range(0..4)),
            false => T::draw(rng),
        };
        let reach: usize = shape.iter().zip(strides).map(|(n, s)| n.saturating_sub(1) * s).sum();
        let mut host = vec![T::POISON; first + reach + 1 + rng.random_range(0..3)];
        for_each(shape, |index| host[place(first, strides, index)] = number(rng));
        let memory = device.upload(&host).map_err(|error| error.to_string())?;
        Ok(ReductionInput { shape, strides, first, host, device: memory })
    }

    fn tensor(&self) -> Tensor<'_, T, 3> {
        Tensor::with_strides(&self.device, self.shape, self.strides, self.first).expect("it fits")
    }

    fn at(&self, index: [usize; 3]) -> T {
        self.host[place(self.first, self.strides, index)]
    }
}

fn place(first: usize, strides: [usize; 3], index: [usize; 3]) -> usize {
    first + strides.iter().zip(index).map(|(stride, i)| stride * i).sum::<usize>()
}

fn for_each(shape: [usize; 3], mut each: impl FnMut([usize; 3])) {
    for i in 0..shape[0] {
        for j in 0..shape[1] {
            for k in 0..shape[2] {
                each([i, j, k]);
            }
        }
    }
}

/// Runs a reduction into an output with gaps, checks that the gaps keep their poison, and returns the results in row-major order.
fn results<T: ReductionCase, O: Storable + bytemuck::Pod + PartialEq>(
    device: &Device,
    reduction: Reduction<'_, T, O, 3>,
    (shape, axis): ([usize; 3], Option<usize>),
    poison: O,
    rng: &mut StdRng,
) -> Result<Vec<O>, String> {
    let say = |error: lanework::Error| error.to_string();
    let Some(axis) = axis else {
        if rng.random_bool(0.3) {
            return Ok(vec![reduction.value().map_err(say)?]);
        }
        let mut out = device.upload(&[poison; 1]).map_err(say)?;
        reduction.run(&mut out).map_err(say)?;
        return out.download().map_err(say);
    };
    let kept: Vec<usize> = (0..3).filter(|other| *other != axis).map(|axis| shape[axis]).collect();
    let reduction = reduction.axis(axis);
    if rng.random_bool(0.2) {
        return reduction.eval().and_then(|out| out.download()).map_err(say);
    }
    let strides = if rng.random_bool(0.5) { [kept[1] + 3, 1] } else { [1, kept[0] + 2] };
    let length = 2 + kept[0].max(1) * strides[0] + kept[1].max(1) * strides[1];
    let mut out = device.upload(&vec![poison; length]).map_err(say)?;
    let target = TensorMut::with_strides(&mut out, [kept[0], kept[1]], strides, 2).map_err(say)?;
    match rng.random_bool(0.5) {
        true => reduction.run(target).map_err(say)?,
        false => {
            let mut plan = reduction.prepare(target).map_err(say)?;
            plan.launch().map_err(say)?;
            plan.launch().map_err(say)?;
        }
    }
    let mut host = out.download().map_err(say)?;
    let mut values = Vec::new();
    for i in 0..kept[0] {
        for j in 0..kept[1] {
            values.push(std::mem::replace(&mut host[2 + i * strides[0] + j * strides[1]], poison));
        }
    }
    let same = |x: &O| bytemuck::bytes_of(x) == bytemuck::bytes_of(&poison);
    if !host.iter().all(same) {
        return Err("the gaps of the output were written".to_owned());
    }
    Ok(values)
}

/// The index sets that are reduced to one result each, in result order, each in position order.
fn sets(shape: [usize; 3], axis: Option<usize>) -> Vec<Vec<[usize; 3]>> {
    let count = axis.map_or(1, |axis| {
        (0..3).filter(|other| *other != axis).map(|other| shape[other]).product()
    });
    let mut sets = vec![Vec::new(); count];
    for_each(shape, |index| {
        let result = axis.map_or(0, |axis| {
            let kept: Vec<usize> = (0..3).filter(|other| *other != axis).collect();
            index[kept[0]] * shape[kept[1]] + index[kept[1]]
        });
        sets[result].push(index);
    });
    sets
}

/// Compares sums.
fn compare<T: ReductionCase>(
    got: &[T::Sum],
    terms: &[Vec<Exact>],
    compensated: bool,
    root: bool,
) -> Result<(), String> {
    for (i, (got, terms)) in got.iter().zip(terms).enumerate() {
        let zero = if T::ROUNDOFF == 0.0 { Exact::Integer(0) } else { Exact::Float(0.0, 0.0) };
        let exact = terms.iter().fold(zero, |sum, term| sum.plus(*term));
        let size: f64 = terms.iter().map(|term| term.magnitude()).sum();
        match (T::of_sum(*got), exact) {
            (Exact::Integer(got), Exact::Integer(want)) if got as i64 == want as i64 => {}
            (Exact::Float(got, _), Exact::Float(high, low)) => {
                let want = if root { (high + low).sqrt() } else { high + low };
                let n = terms.len() as f64;
                let plain = 2.0 * (8.0 + (n / 256.0).min(600.0)) * T::ROUNDOFF * size;
                let twice = 2.0 * T::ROUNDOFF * want.abs() + 4.0 * n * T::ROUNDOFF.powi(2) * size;
                let mut bound = if compensated { twice } else { plain } + 1e-37;
                if root {
                    bound =
                        if want == 0.0 { 1e-18 } else { bound / want } + 2.0 * T::ROUNDOFF * want;
                }
                if (got - want).abs() > bound || got.is_nan() {
                    return Err(format!(
                        "result {i} is {got:e}, not {want:e}: {:e} apart, {bound:e} allowed",
                        (got - want).abs()
                    ));
                }
            }
            (got, want) => return Err(format!("result {i} is {got:?}, not {want:?}")),
        }
    }
    Ok(())
}

/// The position of the extremum; NaN is more extreme than every number.
fn extreme<T: ReductionCase>(values: &[T], upwards: bool) -> usize {
    let nan = |x: &T| x.partial_cmp(x).is_none();
    if let Some(first) = values.iter().position(nan) {
        return first;
    }
    let ahead = |a: T, b: T| if upwards { a > b } else { a < b };
    (1..values.len()).fold(0, |best, i| if ahead(values[i], values[best]) { i } else { best })
}

/// Makes a norm of a tensor.
type Norm<T, S> = fn(Tensor<'_, T, 3>) -> Reduction<'_, T, S, 3>;

fn case<T: ReductionCase>(
    device: &Device,
    rng: &mut StdRng,
    size: usize,
    norm: Option<Norm<T, T::Sum>>,
    poison: T::Sum,
) -> Result<(), String>
where
    T::Sum: PartialEq + bytemuck::Pod,
{
    let size = if rng.random_bool(0.3) { size } else { size.min(3000) };
    let long = rng.random_range(1..=size.max(2));
    let mut shape = [long, rng.random_range(1..=(size / long).max(1)), 1];
    shape[2] = rng.random_range(1..=(size / (shape[0] * shape[1])).max(1));
    if rng.random_bool(0.05) {
        shape[rng.random_range(0..3usize)] = 0;
    }
    shape.shuffle(rng);
    let axis = if rng.random_bool(0.5) { Some(rng.random_range(0..3usize)) } else { None };
    let x = ReductionInput::<T>::draw(device, shape, rng)?;
    let y = ReductionInput::<T>::draw(device, shape, rng)?;
    let sets = sets(shape, axis);
    let compensated = rng.random_bool(0.4);
    let operation = rng.random_range(0..8);
    let told = |why: String| {
        let (strides, first) = (x.strides, x.first);
        format!(
            "operation {operation} of {} {shape:?}, strides {strides:?} from {first}, axis {axis:?}, compensated {compensated}: {why}",
            std::any::type_name::<T>()
        )
    };
    let terms = |term: &dyn Fn([usize; 3]) -> Exact| -> Vec<Vec<Exact>> {
        sets.iter().map(|set| set.iter().map(|index| term(*index)).collect()).collect()
    };
    let square = |index| x.at(index).exact().times(x.at(index).exact());
    let product = |index| x.at(index).exact().times(y.at(index).exact());
    let with =
        |sum: Reduction<'_, T, T::Sum, 3>, terms: Vec<Vec<Exact>>, root, rng: &mut StdRng| {
            let sum = if compensated { sum.compensated() } else { sum };
            let got = results(device, sum, (shape, axis), poison, rng)?;
            compare::<T>(&got, &terms, compensated, root)
        };
    let of_nothing = sets.first().is_some_and(Vec::is_empty);
    match operation {
        0 => with(reduce::sum(x.tensor()), terms(&|i| x.at(i).exact()), false, rng),
        1 => with(reduce::sum_of_squares(x.tensor()), terms(&square), false, rng),
        2 => with(reduce::dot(x.tensor(), y.tensor()), terms(&product), false, rng),
        3 => match norm {
            Some(norm) => with(norm(x.tensor()), terms(&square), true, rng),
            None => Ok(()),
        },
        _ if of_nothing => {
            let refused = reduce::min(x.tensor());
            let refused = axis.map_or(reduce::max(x.tensor()), |axis| refused.axis(axis));
            match refused.eval() {
                Err(error) if error.to_string().contains("has no elements") => Ok(()),
                Err(error) => Err(error.to_string()),
                Ok(_) => Err("an extreme element of none".to_owned()),
            }
        }
        4 | 5 => {
            let upwards = operation == 5;
            let extremes = if upwards { reduce::max(x.tensor()) } else { reduce::min(x.tensor()) };
            let got = results(device, extremes, (shape, axis), T::POISON, rng).map_err(told)?;
            let mut got = got.into_iter();
            sets.iter().try_for_each(|set| {
                let values: Vec<T> = set.iter().map(|index| x.at(*index)).collect();
                let want = values[extreme(&values, upwards)];
                match got.next() {
                    Some(got) if got == want => Ok(()),
                    got => Err(format!("{got:?} instead of {want:?}")),
                }
            })
        }
        _ => {
            let upwards = operation == 7;
            let places =
                if upwards { reduce::argmax(x.tensor()) } else { reduce::argmin(x.tensor()) };
            let got = results(device, places, (shape, axis), u64::MAX, rng).map_err(told)?;
            let mut got = got.into_iter();
            sets.iter().try_for_each(|set| {
                let values: Vec<T> = set.iter().map(|index| x.at(*index)).collect();
                let want = extreme(&values, upwards) as u64;
                match got.next() {
                    Some(got) if got == want => Ok(()),
                    got => Err(format!("place {got:?} instead of {want}")),
                }
            })
        }
    }
    .map_err(told)
}

/// Solves a random reduction of any element type and compares it.
pub fn draw(device: &Device, rng: &mut StdRng, size: usize) -> Result<(), String> {
    fn floats<T: ReductionCase + ReducibleFloat>(
        device: &Device,
        rng: &mut StdRng,
        size: usize,
        poison: T::Sum,
    ) -> Result<(), String>
    where
        T::Sum: PartialEq + bytemuck::Pod,
    {
        case::<T>(device, rng, size, Some(|x| reduce::norm2(x)), poison)
    }
    match rng.random_range(0..11) {
        0 => case::<i32>(device, rng, size, None, -1),
        1 => case::<u32>(device, rng, size, None, 1),
        2 => case::<i64>(device, rng, size, None, -1),
        10 => case::<u64>(device, rng, size, None, 1),
        3 => floats::<f16>(device, rng, size, f32::NAN),
        4 => floats::<bf16>(device, rng, size, f32::NAN),
        5 | 6 => floats::<f64>(device, rng, size, f64::NAN),
        _ => floats::<f32>(device, rng, size, f32::NAN),
    }
}
