//! Scans of random shapes, strides and types, compared with `f64` or exact sums.

use half::{bf16, f16};
use lanework::Device;
use lanework_ops::{Tensor, TensorMut, scan};
use rand::Rng;
use rand::rngs::StdRng;

/// An element type and its host conversions.
trait ScanElement: scan::Scannable + bytemuck::Pod {
    /// Unit roundoff of the type; 0 for integers.
    const ROUNDOFF: f64;
    /// Unit roundoff of sums, before they are rounded to the type.
    const OF_SUMS: f64;
    /// Initial values of maxima and minima.
    const RANGE: (f64, f64);
    fn from_f64(x: f64) -> Self;
    fn to(self) -> f64;
}

macro_rules! numbers {
    ($($t:ty, $roundoff:expr, $of_sums:expr, $range:expr, $of:expr, $to:expr;)*) => {$(
        impl ScanElement for $t {
            const ROUNDOFF: f64 = $roundoff;
            const OF_SUMS: f64 = $of_sums;
            const RANGE: (f64, f64) = $range;
            fn from_f64(x: f64) -> Self {
                $of(x)
            }
            fn to(self) -> f64 {
                $to(self)
            }
        }
    )*};
}

const SINGLE: f64 = f32::EPSILON as f64;
const INFINITE: (f64, f64) = (f64::NEG_INFINITY, f64::INFINITY);

numbers! {
    i32, 0.0, 0.0, (i32::MIN as f64, i32::MAX as f64), |x: f64| (x * 100.0) as i32, f64::from;
    u32, 0.0, 0.0, (u32::MIN as f64, u32::MAX as f64), |x: f64| (x.abs() * 100.0) as u32, f64::from;
    i64, 0.0, 0.0, (i64::MIN as f64, i64::MAX as f64), |x: f64| (x * 1e6) as i64, |x| x as f64;
    u64, 0.0, 0.0, (u64::MIN as f64, u64::MAX as f64), |x: f64| (x.abs() * 1e6) as u64, |x| x as f64;
    f32, SINGLE, SINGLE, INFINITE, |x| x as f32, f64::from;
    f64, f64::EPSILON, f64::EPSILON, INFINITE, |x| x, |x| x;
    f16, 1.0 / 2048.0, SINGLE, INFINITE, f16::from_f64, f16::to_f64;
    bf16, 1.0 / 256.0, SINGLE, INFINITE, bf16::from_f64, bf16::to_f64;
}

/// A host operation: its initial value, and its step.
type Step = (f64, fn(f64, f64) -> f64);

fn solve<T: ScanElement>(device: &Device, rng: &mut StdRng, size: usize) -> Result<(), String> {
    let n = match rng.random_range(0..4) {
        0 => rng.random_range(1..40),
        1 => rng.random_range(1..=size),
        2 => rng.random_range(1..=size.min(64)) * 16,
        _ => rng.random_range(1..=2000.min(size)),
    };
    let rows = rng.random_range(1..=(size / n).clamp(1, 40));
    let shape = [rows, n];
    let whole = rng.random_bool(0.3);
    let mut place = |transposed: bool| {
        let (gap, first) = match whole || rng.random_bool(0.4) {
            true => (0, rng.random_range(0..2) * 8),
            false => (rng.random_range(0..9), rng.random_range(0..5)),
        };
        let strides = if transposed { [1, rows + gap] } else { [n + gap, 1] };
        (strides, first, first + (rows - 1) * strides[0] + (n - 1) * strides[1] + 1)
    };
    let (from, x_first, x_length) = place(false);
    let (to, y_first, y_length) = place(false);
    let transposed = !whole && rng.random_bool(0.2);
    let (from, x_length) = match transposed {
        true => ([1, rows], x_first + rows * n),
        false => (from, x_length),
    };
    let host: Vec<T> = (0..x_length).map(|_| T::from_f64(rng.random_range(-2.0..2.0))).collect();
    let exclusive = rng.random_bool(0.5);
    let kind = rng.random_range(0..4u32);
    let described = format!(
        "{} of {shape:?} {}, strides {from:?} from {x_first} and {to:?} from {y_first}, exclusive {exclusive}, kind {kind}, whole {whole}",
        "scan",
        std::any::type_name::<T>()
    );
    let fail = |why: String| format!("{described}: {why}");
    let run = || -> lanework::Result<Vec<T>> {
        let x = device.upload(&host)?;
        let mut y = device.uninit::<T>(y_length + 3)?;
        y.fill_bytes(crate::gaps::POISON)?;
        let tensor = Tensor::with_strides(&x, shape, from, x_first)?;
        let scan = if exclusive { scan::exclusive(tensor) } else { scan::inclusive(tensor) };
        let scan = match kind {
            0 => scan.min(),
            1 => scan.max(),
            _ => scan,
        };
        let scan = if whole { scan } else { scan.last_axis() };
        scan.run(TensorMut::with_strides(&mut y, shape, to, y_first)?)?;
        y.download()
    };
    let y = run().map_err(|error| fail(error.to_string()))?;
    let (start, combine): Step = match kind {
        0 => (T::RANGE.1, f64::min),
        1 => (T::RANGE.0, f64::max),
        _ => (0.0, |x, y| x + y),
    };
    let mut written = vec![false; y.len()];
    let (mut sum, mut magnitude) = (start, 0.0f64);
    for row in 0..rows {
        if row == 0 || !whole {
            (sum, magnitude) = (start, 0.0);
        }
        for i in 0..n {
            let x = host[x_first + row * from[0] + i * from[1]].to();
            let after = combine(sum, x);
            let want = if exclusive { sum } else { after };
            (sum, magnitude) = (after, magnitude + x.abs());
            let at = y_first + row * to[0] + i * to[1];
            written[at] = true;
            let got = y[at].to();
            // A sum of n numbers is a tree of limited depth, with a chain of a few numbers per level.
            let bound = T::ROUNDOFF * want.abs() + 64.0 * T::OF_SUMS * magnitude;
            let same = got == want || (got - want).abs() <= if kind > 1 { bound } else { 0.0 };
            if !same {
                return Err(fail(format!("row {row}, element {i}: {got}, not {want}")));
            }
        }
    }
    crate::gaps::keep_poison(&y, &written).map_err(fail)
}

/// Solves a random scan and compares it.
pub fn draw(device: &Device, rng: &mut StdRng, size: usize) -> Result<(), String> {
    match rng.random_range(0..8) {
        0 => solve::<i32>(device, rng, size),
        1 => solve::<u32>(device, rng, size),
        2 => solve::<i64>(device, rng, size),
        3 => solve::<u64>(device, rng, size),
        4 => solve::<f32>(device, rng, size),
        5 => solve::<f64>(device, rng, size),
        6 => solve::<f16>(device, rng, size),
        _ => solve::<bf16>(device, rng, size),
    }
}
