//! Softmax, layer norm and RMS norm of random shapes, strides and types, compared with the host's in `f64`.

use half::{bf16, f16};
use lanework::Device;
use lanework_ops::{Tensor, TensorMut, nn};
use rand::Rng;
use rand::rngs::StdRng;

/// An element type and its host conversions.
trait NormElement: nn::Normal {
    /// Tolerance of a result of about 1, for inputs of about 1.
    const TOLERANCE: f64;
    fn from_f64(x: f64) -> Self;
    fn to(self) -> f64;
}

macro_rules! numbers {
    ($($t:ty, $tolerance:expr, $of:expr, $to:expr;)*) => {$(
        impl NormElement for $t {
            const TOLERANCE: f64 = $tolerance;
            fn from_f64(x: f64) -> Self {
                $of(x)
            }
            fn to(self) -> f64 {
                $to(self)
            }
        }
    )*};
}

numbers! {
    f32, 1e-5, |x| x as f32, f64::from;
    f16, 1.0 / 1024.0, f16::from_f64, f16::to_f64;
    bf16, 1.0 / 128.0, bf16::from_f64, bf16::to_f64;
}

/// Layout of a matrix: strides, first element, elements after it.
type MatrixPlace = ([usize; 2], usize, usize);

fn place(rng: &mut StdRng, [rows, n]: [usize; 2]) -> MatrixPlace {
    let (gap, first) = match rng.random_range(0..3) {
        0 => (0, 8 * rng.random_range(0..2)),
        1 => (n.next_multiple_of(8) - n, 0),
        _ => (rng.random_range(0..9), rng.random_range(0..5)),
    };
    let strides = if rng.random_bool(0.15) { [1, rows + gap] } else { [n + gap, 1] };
    (strides, first, first + (rows - 1) * strides[0] + (n - 1) * strides[1] + 1)
}

fn solve<T: NormElement>(device: &Device, rng: &mut StdRng, size: usize) -> Result<(), String> {
    let n = match rng.random_range(0..5) {
        0 => rng.random_range(1..40),
        1 => 8 * rng.random_range(1..=size / 8),
        2 => 1 << rng.random_range(0..=size.ilog2()),
        3 => rng.random_range(1..=size),
        _ => rng.random_range(1..=1500.min(size)),
    };
    let rows = rng.random_range(1..=(size / n).clamp(1, 70));
    let shape = [rows, n];
    let (from, x_first, x_length) = place(rng, shape);
    let (to, y_first, y_length) = place(rng, shape);
    // Some rows are far from 0.
    let shift = if rng.random_bool(0.3) { 8.0 } else { 0.0 };
    let mut host = |length: usize| -> Vec<T> {
        (0..length).map(|_| T::from_f64(rng.random_range(-2.0..2.0) + shift)).collect()
    };
    let (x_host, gamma_host, beta_host) = (host(x_length), host(n), host(n));
    let kind = rng.random_range(0..3u32);
    let (gamma, beta) = (rng.random_bool(0.5), rng.random_bool(0.5));
    let eps = 10f32.powi(-rng.random_range(2..7));
    let described = format!(
        "kind {kind} of {shape:?} {}, strides {from:?} from {x_first} and {to:?} from {y_first}, gamma {gamma}, beta {beta}, eps {eps}",
        std::any::type_name::<T>()
    );
    let fail = |why: String| format!("{described}: {why}");
    let run = || -> lanework::Result<Vec<T>> {
        let x = device.upload(&x_host)?;
        let (on_gamma, on_beta) = (device.upload(&gamma_host)?, device.upload(&beta_host)?);
        let mut y = device.uninit::<T>(y_length + 3)?;
        y.fill_bytes(crate::gaps::POISON)?;
        let tensor = Tensor::with_strides(&x, shape, from, x_first)?;
        let output = TensorMut::with_strides(&mut y, shape, to, y_first)?;
        if kind == 0 {
            nn::softmax(tensor).run(output)?;
        } else {
            let norm = if kind == 1 { nn::layer_norm(tensor) } else { nn::rms_norm(tensor) };
            let norm = if gamma { norm.gamma(&on_gamma) } else { norm };
            let norm = if beta { norm.beta(&on_beta) } else { norm };
            norm.eps(eps).run(output)?;
        }
        y.download()
    };
    let y = run().map_err(|error| fail(error.to_string()))?;
    let mut written = vec![false; y.len()];
    // For large problems, only some rows are compared.
    let stride = (rows * n).div_ceil(400_000).min(rows);
    for row in 0..rows {
        (0..n).for_each(|i| written[y_first + row * to[0] + i * to[1]] = true);
        if row % stride != stride - 1 {
            continue;
        }
        let x = |i: usize| x_host[x_first + row * from[0] + i * from[1]].to();
        let mean_of = |f: &dyn Fn(f64) -> f64| (0..n).map(|i| f(x(i))).sum::<f64>() / n as f64;
        let most = (0..n).map(x).fold(f64::NEG_INFINITY, f64::max);
        let exponentials = mean_of(&|x| (x - most).exp()) * n as f64;
        let mean = if kind == 1 { mean_of(&|x| x) } else { 0.0 };
        let root = (mean_of(&|x| (x - mean).powi(2)) + f64::from(eps)).sqrt();
        // If the numbers differ little, the f32 rounding error of the mean matters more.
        let lost = 1e-6 * mean.abs() / root;
        for i in 0..n {
            let (want, bound) = if kind == 0 {
                let want = (x(i) - most).exp() / exponentials;
                // The smallest f16 values are subnormal.
                (want, T::TOLERANCE * want + 3e-8)
            } else {
                let plain = (x(i) - mean) / root;
                let factor = if gamma { gamma_host[i].to() } else { 1.0 };
                let summand = if beta { beta_host[i].to() } else { 0.0 };
                let scale = (plain * factor).abs() + summand.abs();
                (plain * factor + summand, T::TOLERANCE * scale + lost * factor.abs() + 1e-5)
            };
            let got = y[y_first + row * to[0] + i * to[1]].to();
            if (got - want).abs() > bound || got.is_nan() {
                return Err(fail(format!("row {row}, element {i}: {got}, not {want}")));
            }
        }
    }
    crate::gaps::keep_poison(&y, &written).map_err(fail)
}

/// Solves a random softmax, layer norm or RMS norm and compares it.
pub fn draw(device: &Device, rng: &mut StdRng, size: usize) -> Result<(), String> {
    match rng.random_range(0..3) {
        0 => solve::<f32>(device, rng, size),
        1 => solve::<f16>(device, rng, size),
        _ => solve::<bf16>(device, rng, size),
    }
}
