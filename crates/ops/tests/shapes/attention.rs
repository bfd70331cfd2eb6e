//! Random attention: shapes, grouped heads, strides of both orders, gaps, element types, options.

use half::{bf16, f16};
use lanework::{Backend, Device};
use lanework_ops::{AttentionResult, Half, Tensor, TensorMut, attention};
use rand::Rng;
use rand::rngs::StdRng;

/// A tensor of four dimensions in a buffer: how it lies.
#[derive(Clone, Copy, Debug)]
struct Lies {
    shape: [usize; 4],
    strides: [usize; 4],
    first: usize,
    length: usize,
}

impl Lies {
    /// Rows without gaps or with, heads before or behind the sequence, at an offset; `unit` divides gaps and offset.
    fn drawn(shape: [usize; 4], rng: &mut StdRng, unit: usize) -> Lies {
        let [batch, heads, rows, head] = shape;
        let gap =
            |rng: &mut StdRng| if rng.random_bool(0.5) { 0 } else { unit * rng.random_range(1..4) };
        let inner = head + gap(rng);
        let (of_head, of_row, block) = if rng.random_bool(0.5) {
            let of_head = rows * inner + gap(rng);
            (of_head, inner, heads * of_head)
        } else {
            let of_row = heads * inner + gap(rng);
            (inner, of_row, rows * of_row)
        };
        let of_batch = block + gap(rng);
        let first = gap(rng);
        let strides = [of_batch, of_head, of_row, 1];
        Lies { shape, strides, first, length: first + batch * of_batch + gap(rng) }
    }

    /// Where an element lies.
    fn at(&self, index: [usize; 4]) -> usize {
        self.first + index.iter().zip(self.strides).map(|(i, stride)| i * stride).sum::<usize>()
    }
}

/// An element type and how the host converts it.
trait Number: Half + AttentionResult<Self> {
    const ERROR: f64;
    fn of(x: f64) -> Self;
    fn number(self) -> f64;
}

impl Number for bf16 {
    const ERROR: f64 = 1.0 / 128.0;
    fn of(x: f64) -> Self {
        bf16::from_f64(x)
    }
    fn number(self) -> f64 {
        self.to_f64()
    }
}

impl Number for f16 {
    const ERROR: f64 = 1.0 / 1024.0;
    fn of(x: f64) -> Self {
        f16::from_f64(x)
    }
    fn number(self) -> f64 {
        self.to_f64()
    }
}

/// What stands in outputs before.
const POISON: f64 = 12345.0;

/// The sizes of a problem.
fn sizes(device: &Device, rng: &mut StdRng, size: usize) -> [usize; 6] {
    let head = if rng.random_bool(0.5) { 64 } else { 128 };
    let share = rng.random_range(1..4);
    let (mut batch, mut groups) = (rng.random_range(1..3), rng.random_range(1..3));
    let mut length = || match rng.random_range(0..5) {
        0 => rng.random_range(1..4),
        1 => 64 * rng.random_range(1..4),
        _ => rng.random_range(1..300),
    };
    let (mut rows, mut keys) = (length(), length());
    if device.backend() == Backend::Cuda {
        (rows, keys) = (4 * rows + 1, 4 * keys);
    }
    // The host's reference takes as long as there are pairs of queries and keys.
    let most = (4 * size).min(400_000);
    while batch * groups * share * rows * keys > most && batch * groups > 1 {
        (batch, groups) = (1, 1);
    }
    while share * rows * keys > most {
        if rng.random_bool(0.5) { rows = rows.div_ceil(2) } else { keys = keys.div_ceil(2) }
    }
    [batch, groups, share, rows, keys, head]
}

fn solve<T: Number>(device: &Device, rng: &mut StdRng, size: usize) -> Result<(), String>
where
    f32: AttentionResult<T>,
{
    let [batch, groups, share, rows, keys, head] = sizes(device, rng, size);
    let heads = groups * share;
    // Multiples of 8 elements are what TMA takes.
    let unit = if rng.random_bool(0.7) { 8 } else { 1 };
    let of_q = Lies::drawn([batch, heads, rows, head], rng, unit);
    let of_k = Lies::drawn([batch, groups, keys, head], rng, unit);
    let of_v = Lies::drawn([batch, groups, keys, head], rng, unit);
    let of_out = Lies::drawn([batch, heads, rows, head], rng, unit);
    let causal = rng.random_bool(0.5);
    let scale = if rng.random_bool(0.5) { None } else { Some(rng.random_range(0.01..0.5f32)) };
    let wide = rng.random_bool(0.3);
    let what = format!(
        "{} q {of_q:?}, k {of_k:?}, v {of_v:?}, out {of_out:?}, causal {causal}, scale {scale:?}, f32 {wide}",
        T::NAME
    );
    let mut numbers = |lies: &Lies| -> Vec<T> {
        let mut x = vec![T::of(f64::NAN); lies.length];
        for i in indices(lies.shape) {
            x[lies.at(i)] = T::of(rng.random_range(-2.0..2.0));
        }
        x
    };
    let [q, k, v] = [&of_q, &of_k, &of_v].map(&mut numbers);
    let why = |error: lanework::Error| format!("{what}: {error}");
    let upload = |x: &[T]| device.upload(x).map_err(why);
    let (on_q, on_k, on_v) = (upload(&q)?, upload(&k)?, upload(&v)?);
    let tensor =
        |x, lies: &Lies| Tensor::with_strides(x, lies.shape, lies.strides, lies.first).map_err(why);
    let mut this = attention(tensor(&on_q, &of_q)?, tensor(&on_k, &of_k)?, tensor(&on_v, &of_v)?);
    if causal {
        this = this.causal();
    }
    if let Some(scale) = scale {
        this = this.scale(scale);
    }
    let mut logs = device.upload(&vec![f32::NAN; batch * heads * rows]).map_err(why)?;
    this = this.log_sum_exp(TensorMut::new(&mut logs, [batch, heads, rows]).map_err(why)?);
    let Lies { shape, strides, first, length } = of_out;
    let out: Vec<f64> = if wide {
        let mut out = device.upload(&vec![POISON as f32; length]).map_err(why)?;
        this.run(TensorMut::with_strides(&mut out, shape, strides, first).map_err(why)?)
            .map_err(why)?;
        out.download().map_err(why)?.into_iter().map(f64::from).collect()
    } else {
        let mut out = device.upload(&vec![T::of(POISON); length]).map_err(why)?;
        this.run(TensorMut::with_strides(&mut out, shape, strides, first).map_err(why)?)
            .map_err(why)?;
        out.download().map_err(why)?.into_iter().map(T::number).collect()
    };
    let logs = logs.download().map_err(why)?;
    let scale = scale.map_or(1.0 / (head as f64).sqrt(), f64::from);
    let mut seen_places = vec![false; length];
    // Of a large problem, every so many rows are compared; of all, the places are known.
    let every = (batch * heads * rows * keys).div_ceil(16_000);
    for (i, [b, h, row, _]) in indices([batch, heads, rows, 1]).enumerate() {
        (0..head).for_each(|c| seen_places[of_out.at([b, h, row, c])] = true);
        if i % every != 0 {
            continue;
        }
        let seen = if causal { (row + 1 + keys).saturating_sub(rows).min(keys) } else { keys };
        let number = |x: &[T], lies: &Lies, at| x[lies.at(at)].number();
        let scores: Vec<f64> = (0..seen)
            .map(|key| {
                let product = |c| {
                    number(&q, &of_q, [b, h, row, c]) * number(&k, &of_k, [b, h / share, key, c])
                };
                scale * (0..head).map(product).sum::<f64>()
            })
            .collect();
        let most = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let weights: Vec<f64> = scores.iter().map(|score| (score - most).exp()).collect();
        let sum: f64 = weights.iter().sum();
        let (log, want) = (f64::from(logs[(b * heads + h) * rows + row]), most + sum.ln());
        if !(log == want || (log - want).abs() <= 1e-4 * (1.0 + want.abs())) {
            return Err(format!(
                "{what}: the logarithm of row {row} of head {h}: {log}, not {want}"
            ));
        }
        for c in 0..head {
            let value = |key: usize| number(&v, &of_v, [b, h / share, key, c]);
            let want: f64 = weights.iter().enumerate().map(|(key, w)| w / sum * value(key)).sum();
            let place = of_out.at([b, h, row, c]);
            // Weights are rounded, and so may the result be: values are below 2.
            let error = (out[place] - want).abs();
            if error.is_nan() || error > 2.0 * T::ERROR {
                return Err(format!(
                    "{what}: row {row}, column {c} of head {h}: {}, not {want}",
                    out[place]
                ));
            }
        }
    }
    let poison = if wide { POISON } else { T::of(POISON).number() };
    match (0..length).find(|i| !seen_places[*i] && out[*i] != poison) {
        Some(place) => Err(format!("{what}: element {place}, in a gap, was written")),
        None => Ok(()),
    }
}

fn indices([a, b, c, d]: [usize; 4]) -> impl Iterator<Item = [usize; 4]> {
    (0..a * b * c * d).map(move |i| [i / (b * c * d), i / (c * d) % b, i / d % c, i % d])
}

/// A problem of attention, solved and compared.
pub fn draw(device: &Device, rng: &mut StdRng, size: usize) -> Result<(), String> {
    if rng.random_bool(0.7) {
        solve::<bf16>(device, rng, size)
    } else {
        solve::<f16>(device, rng, size)
    }
}
