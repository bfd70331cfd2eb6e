//! Matrix products of random types, shapes, strides and options.
//!
//! The reference is computed in f64 from the rounded factors. An element may differ by the rounding errors of its sum, `(k + 8) u
//! |alpha| sum |a b|` with the unit roundoff `u` of the sums, of the epilogue, and of its own type. Integers are exact; 8-bit
//! floats are summed with 14 bits.

use half::{bf16, f16};
use lanework::prelude::*;
use lanework::{Buffer, Device};
use lanework_ops::{
    Fp8E4m3, Fp8E5m2, Gemm, GemmElement, Precision, Tensor, TensorMut, function, gemm, grouped,
};
use rand::Rng;
use rand::rngs::StdRng;
use rayon::prelude::*;

/// A type of factors or results, on the host.
trait FactorElement: GemmElement + bytemuck::Pod + Sync {
    /// Unit roundoff; 0 for integers.
    const ROUNDOFF: f64;
    /// A random factor.
    fn draw(rng: &mut StdRng) -> Self;
    fn value(self) -> f64;
    /// Contents of gaps and initial contents of outputs: NaN, or a pattern.
    fn poison() -> Self;
    fn same_bits(self, other: Self) -> bool {
        bytemuck::bytes_of(&self) == bytemuck::bytes_of(&other)
    }
}

macro_rules! numbers {
    ($($t:ty: $roundoff:expr, |$x:ident| $draw:expr, $value:expr, $poison:expr;)*) => {$(
        impl FactorElement for $t {
            const ROUNDOFF: f64 = $roundoff;
            fn draw(rng: &mut StdRng) -> Self {
                let $x: f32 = rng.random_range(-2.0..2.0);
                $draw
            }
            fn value(self) -> f64 {
                let $x = self;
                $value
            }
            fn poison() -> Self {
                $poison
            }
        }
    )*};
}

numbers! {
    f32: f32::EPSILON as f64 / 2.0, |x| x, f64::from(x), f32::NAN;
    f64: f64::EPSILON / 2.0, |x| f64::from(x) * 1.000_000_001, x, f64::NAN;
    f16: 1.0 / 2048.0, |x| f16::from_f32(x), x.to_f64(), f16::NAN;
    bf16: 1.0 / 256.0, |x| bf16::from_f32(x), x.to_f64(), bf16::NAN;
    i8: 0.0, |x| (x * 60.0) as i8, f64::from(x), -51;
    i32: 0.0, |x| (x * 1000.0) as i32, f64::from(x), -842_150_451;
    Fp8E4m3: 0.0625, |x| Fp8E4m3::from_f32(x), f64::from(x.to_f32()), Fp8E4m3(0x7f);
    Fp8E5m2: 0.125, |x| Fp8E5m2::from_f32(x), f64::from(x.to_f32()), Fp8E5m2(0x7f);
}

/// A matrix or a batch of them: host and device memory, and layout.
struct Placed<T: FactorElement> {
    host: Vec<T>,
    device: Buffer<T>,
    shape: [usize; 3],
    strides: [usize; 3],
    first: usize,
}

impl<T: FactorElement> Placed<T> {
    /// Draws random strides: rows or columns adjacent, sometimes neither, gaps, an offset.
    fn draw(device: &Device, rng: &mut StdRng, shape: [usize; 3], output: bool) -> Placed<T> {
        let [batch, rows, columns] = shape;
        // Half of them with TMA alignment: lines and batches at multiples of 16 bytes.
        let unit = if rng.random_range(0..2) == 0 { 16 } else { 1 };
        let gap = |rng: &mut StdRng| match rng.random_range(0..4) {
            0 => unit * rng.random_range(1..9),
            1 => 16,
            _ => 0,
        };
        let apart = if unit == 1 && rng.random_range(0..8) == 0 { 2 } else { 1 };
        let (row, column, size) = if rng.random_range(0..3) > 0 {
            let row = (columns * apart).max(1).next_multiple_of(unit) + gap(rng);
            (row, apart, row * rows)
        } else {
            let column = (rows * apart).max(1).next_multiple_of(unit) + gap(rng);
            (apart, column, column * columns)
        };
        let first = if rng.random_range(0..4) == 0 { unit * rng.random_range(1..20) } else { 0 };
        let step = size + gap(rng);
        let step = if !output && batch > 1 && rng.random_range(0..6) == 0 { 0 } else { step };
        let length = first + step.max(size) * batch.max(1) + gap(rng);
        let mut host = vec![T::poison(); length];
        let strides = [step, row, column];
        for i in 0..batch {
            for y in 0..rows {
                for x in 0..columns {
                    host[first + i * step + y * row + x * column] = T::draw(rng);
                }
            }
        }
        let device = device.upload(&host).expect("memory");
        Placed { host, device, shape, strides, first }
    }

    fn place(&self, i: usize, y: usize, x: usize) -> usize {
        let [batch, row, column] = self.strides;
        self.first + i % self.shape[0] * batch + y * row + x * column
    }

    fn value(&self, i: usize, y: usize, x: usize) -> f64 {
        self.host[self.place(i, y, x)].value()
    }

    fn tensor(&self) -> lanework::Result<Tensor<'_, T, 3>> {
        Tensor::with_strides(&self.device, self.shape, self.strides, self.first)
    }
}

#[device]
fn bent(x: f32) -> f32 {
    if x < 0.0 { 0.25 * x } else { x + 1.0 }
}

fn extent(rng: &mut StdRng, most: usize) -> usize {
    match rng.random_range(0..8) {
        0 => 1,
        1 => rng.random_range(0..3),
        2 => 8 * rng.random_range(1..(most / 8).max(2)),
        _ => rng.random_range(1..most.max(2)),
    }
}

/// Uses the `erf` of the kernel language, which has its own accuracy tests.
fn gelu(x: f64) -> f64 {
    0.5 * x * (1.0 + lanework::math::erf(x * std::f64::consts::FRAC_1_SQRT_2))
}

/// Maximum number of multiply-adds that the host computes per problem.
const MOST_PRODUCTS: usize = 1 << 24;

/// Solves a random product and compares it.
pub fn draw(device: &Device, rng: &mut StdRng, size: usize) -> Result<(), String> {
    match rng.random_range(0..13) {
        0..=3 => solved::<f32, f32, f32>(device, rng, size),
        4 => solved::<f64, f64, f64>(device, rng, size),
        5 => solved::<f16, f16, f32>(device, rng, size),
        6 => solved::<f16, f16, f16>(device, rng, size),
        7 => solved::<bf16, bf16, f32>(device, rng, size),
        8 => solved::<bf16, bf16, bf16>(device, rng, size),
        9 => solved::<i8, i8, i32>(device, rng, size),
        10 => solved::<i8, i8, f32>(device, rng, size),
        11 => solved::<Fp8E4m3, Fp8E4m3, f32>(device, rng, size),
        _ => match rng.random_range(0..3) {
            0 => solved::<Fp8E4m3, Fp8E5m2, bf16>(device, rng, size),
            1 => solved::<Fp8E5m2, Fp8E4m3, f16>(device, rng, size),
            _ => solved::<Fp8E5m2, Fp8E5m2, f32>(device, rng, size),
        },
    }
}

fn solved<A: FactorElement, B: FactorElement, C: FactorElement>(
    device: &Device,
    rng: &mut StdRng,
    size: usize,
) -> Result<(), String> {
    let told = |error: lanework::Error| error.to_string();
    let edge = (size as f64).sqrt() as usize * 2;
    let (m, n, k) = (extent(rng, edge), extent(rng, edge), extent(rng, edge));
    let batch = if rng.random_range(0..4) == 0 { rng.random_range(0..4) } else { 1 };
    let a = Placed::<A>::draw(device, rng, [batch, m, k], false);
    let of_b = if rng.random_range(0..5) == 0 { 1 } else { batch };
    let b = Placed::<B>::draw(device, rng, [of_b, k, n], false);
    let mut c = Placed::<C>::draw(device, rng, [batch, m, n], true);
    let integers = C::ROUNDOFF == 0.0;
    let (alpha, beta) = match rng.random_range(0..4) {
        0 if integers => (-2.0, 3.0),
        0 => (0.75, -0.5),
        1 => (1.0, 1.0),
        2 if !integers => (-1.25, 0.0),
        _ => (1.0, 0.0),
    };
    if beta == 0.0 {
        // Elements that are not read may be NaN.
        for (i, y, x) in
            (0..batch).flat_map(|i| (0..m).flat_map(move |y| (0..n).map(move |x| (i, y, x))))
        {
            let at = c.place(i, y, x);
            c.host[at] = C::poison();
        }
        c.device.upload(&c.host).map_err(told)?;
    }
    let f32s = A::KIND.name() == "f32";
    let eight_bits = A::KIND.bytes() == 1;
    let precision = match rng.random_range(0..6) {
        0 if f32s => Precision::TensorFloat32,
        1 if f32s || eight_bits => Precision::Accurate,
        2 if f32s || A::KIND.name() == "f64" => Precision::Compensated,
        _ => Precision::Full,
    };
    let bias =
        (rng.random_range(0..4) == 0).then(|| Placed::<C>::draw(device, rng, [1, 1, n], false));
    let bias = bias.as_ref().filter(|bias| bias.strides[2] > 0);
    let scales = (eight_bits && !integers && rng.random_range(0..2) == 0).then(|| {
        let rows = if rng.random_range(0..2) == 0 { 1 } else { m };
        let columns = if rng.random_range(0..2) == 0 { 1 } else { n };
        [
            Placed::<f32>::draw(device, rng, [1, 1, rows], false),
            Placed::<f32>::draw(device, rng, [1, 1, columns], false),
        ]
    });
    let activation = rng.random_range(0..10);
    let computes_f32 = !integers && C::KIND.name() != "f64";
    let mut product: Gemm<'_, 3> = gemm(a.tensor().map_err(told)?, b.tensor().map_err(told)?)
        .alpha(alpha)
        .beta(beta)
        .precision(precision);
    if let Some(bias) = bias {
        let vector = Tensor::with_strides(&bias.device, [n], [bias.strides[2]], bias.first);
        product = product.bias(vector.map_err(told)?);
    }
    if let Some([of_a, of_b]) = &scales {
        let vector = |s: &'_ Placed<f32>| (s.shape[2], s.strides[2], s.first);
        let ((rows, row, first), (columns, column, start)) = (vector(of_a), vector(of_b));
        product = product.scales(
            Tensor::with_strides(&of_a.device, [rows], [row], first).map_err(told)?,
            Tensor::with_strides(&of_b.device, [columns], [column], start).map_err(told)?,
        );
    }
    product = match activation {
        0 => product.relu(),
        1 if !integers => product.gelu(),
        2 if computes_f32 => product.map(function!(bent)).relu(),
        _ => product,
    };
    let said = format!(
        "{} x {} in {} {batch} x {m} x {n} x {k}, strides {:?} {:?} {:?}, first {} {} {}, alpha {alpha} beta {beta} {precision:?} \
         bias {} scales {} activation {activation}",
        A::KIND.name(),
        B::KIND.name(),
        C::KIND.name(),
        a.strides,
        b.strides,
        c.strides,
        a.first,
        b.first,
        c.first,
        bias.is_some(),
        scales.is_some(),
    );
    let output =
        TensorMut::with_strides(&mut c.device, c.shape, c.strides, c.first).map_err(told)?;
    match rng.random_range(0..3) {
        0 => product.prepare(output).and_then(|mut plan| {
            plan.launch()?;
            if beta == 0.0 { plan.launch() } else { Ok(()) }
        }),
        1 => grouped([product]).run([output]),
        _ => product.run(output),
    }
    .map_err(|error| format!("{said}: {error}"))?;
    let got = c.device.download().map_err(|error| format!("{said}: {error}"))?;

    let unit = match (C::KIND.name(), precision) {
        _ if A::ROUNDOFF == 0.0 => 0.0,
        // Tensor cores sum products of 8-bit floats with 14 bits, 32 of them at a time.
        _ if A::KIND.bytes() == 1 => {
            (k as f64 / 32.0 + 1.0) * f64::powi(2.0, -13) / (k as f64 + 8.0)
        }
        ("f64", Precision::Compensated) => f64::powi(2.0, -60),
        ("f64", _) => f64::powi(2.0, -53),
        (_, Precision::Compensated) => f64::powi(2.0, -45),
        (_, Precision::TensorFloat32) => {
            f64::powi(2.0, -10) / (k as f64 + 8.0) * 2.0 + f64::powi(2.0, -24)
        }
        _ => f64::powi(2.0, -24),
    };
    let own = if C::KIND.name() == "f64" { f64::powi(2.0, -53) } else { f64::powi(2.0, -24) };
    let wrong = |place: (usize, usize, usize)| -> Option<String> {
        let (i, y, x) = place;
        let (mut sum, mut size) = (0.0f64, 0.0f64);
        for at in 0..k {
            let term = a.value(i, y, at) * b.value(i, at, x);
            sum += term;
            size += term.abs();
        }
        let scale = scales.as_ref().map_or(1.0, |[of_a, of_b]| {
            of_a.value(0, 0, if of_a.shape[2] == 1 { 0 } else { y })
                * of_b.value(0, 0, if of_b.shape[2] == 1 { 0 } else { x })
        });
        let before = if beta == 0.0 { 0.0 } else { beta * c.value(i, y, x) };
        let added = bias.map_or(0.0, |bias| bias.value(0, 0, x));
        let mut want = alpha * scale * sum + before + added;
        let plain = want;
        let whole = (alpha * scale).abs() * size + before.abs() + added.abs();
        match activation {
            0 => want = want.max(0.0),
            1 if !integers => want = gelu(want),
            2 if computes_f32 => {
                want = (if want < 0.0 { 0.25 * want } else { want + 1.0 }).max(0.0)
            }
            _ => {}
        }
        let found = got[c.place(i, y, x)].value();
        let most = 1.2
            * ((k as f64 + 8.0) * unit * (alpha * scale).abs() * size + 8.0 * own * (whole + 1.0))
            + 1.01 * C::ROUNDOFF * (want.abs() + 1e-4);
        let most = if integers { 0.0 } else { most };
        let differs = |want: f64| (found - want).abs() > most || found.is_nan();
        // `bent` jumps at 0: if rounding may move a number across it, both results are right.
        let jumps = activation == 2 && computes_f32 && plain.abs() <= most;
        let is_other = jumps && !differs(if plain < 0.0 { 1.0 } else { 0.0 });
        (differs(want) && !is_other)
            .then(|| format!("{said}: element {place:?} is {found}, not {want} within {most:e}"))
    };
    // Large products are compared at some evenly spaced elements.
    let (all, most) = (batch * m * n, (MOST_PRODUCTS / k.max(1)).max(500));
    let apart = (all / most).max(1) | 1;
    let start = rng.random_range(0..apart);
    let picked = (0..all.div_ceil(apart)).into_par_iter();
    let places = picked.map(|i| (i * apart + start).min(all.saturating_sub(1)));
    let places = places.map(|at| (at / (m * n), at / n % m, at % n));
    if let Some(why) = places.find_map_first(wrong) {
        return Err(why);
    }
    let mut inside = vec![false; got.len()];
    for (i, y) in (0..batch).flat_map(|i| (0..m).map(move |y| (i, y))) {
        let [_, _, apart] = c.strides;
        let first = c.place(i, y, 0);
        (0..n).for_each(|x| inside[first + x * apart] = true);
    }
    match (0..got.len()).find(|at| !inside[*at] && !got[*at].same_bits(c.host[*at])) {
        Some(at) => {
            Err(format!("{said}: element {at} of the output's buffer, in a gap, was written"))
        }
        None => Ok(()),
    }
}
