//! Random attention: shapes, grouped heads, strides of both orders, gaps, element types, options.

use half::{bf16, f16};
use lanework::{Backend, Device};
use lanework_ops::{AttentionResult, Half, Tensor, TensorMut, attention};
use rand::Rng;
use rand::rngs::StdRng;
use rayon::prelude::*;

/// Layout of a four-dimensional tensor in a buffer.
#[derive(Clone, Copy, Debug)]
struct Strided {
    shape: [usize; 4],
    strides: [usize; 4],
    first: usize,
    length: usize,
}

impl Strided {
    /// A random layout at an offset: with or without gaps (multiples of `unit`), heads before or after the sequence.
    fn drawn(shape: [usize; 4], rng: &mut StdRng, unit: usize) -> Strided {
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
        Strided { shape, strides, first, length: first + batch * of_batch + gap(rng) }
    }

    /// Index of an element.
    fn at(&self, index: [usize; 4]) -> usize {
        self.first + index.iter().zip(self.strides).map(|(i, stride)| i * stride).sum::<usize>()
    }
}

impl Strided {
    /// A row of a tensor.
    fn row<T: HeadElement>(&self, x: &[T], [batch, head, row]: [usize; 3]) -> Vec<f64> {
        let first = self.at([batch, head, row, 0]);
        x[first..first + self.shape[3]].iter().map(|x| x.number()).collect()
    }

    /// All rows of a head.
    fn rows<T: HeadElement>(&self, x: &[T], batch: usize, head: usize) -> Vec<f64> {
        (0..self.shape[2]).flat_map(|row| self.row(x, [batch, head, row])).collect()
    }
}

/// A row of results in f64, and its log-sum-exp.
struct ReferenceRow {
    results: Vec<f64>,
    log: f64,
}

impl ReferenceRow {
    fn of(query: &[f64], keys: &[f64], values: &[f64], scale: f64) -> ReferenceRow {
        let head = query.len();
        let product = |key: &[f64]| query.iter().zip(key).map(|(x, y)| x * y).sum::<f64>();
        let scores: Vec<f64> = keys.chunks_exact(head).map(|key| scale * product(key)).collect();
        let most = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let weights: Vec<f64> = scores.iter().map(|score| (score - most).exp()).collect();
        let sum: f64 = weights.iter().sum();
        let mut results = vec![0.0; head];
        for (weight, value) in weights.iter().zip(values.chunks_exact(head)) {
            for (result, value) in results.iter_mut().zip(value) {
                *result += weight / sum * value;
            }
        }
        ReferenceRow { results, log: most + sum.ln() }
    }

    /// Describes the first wrong result. Weights are rounded to `T`, and results may be; values are below 2.
    fn differs(&self, log: f64, got: impl Iterator<Item = f64>, bound: f64) -> Option<String> {
        let want = self.log;
        if !(log == want || (log - want).abs() <= 1e-4 * (1.0 + want.abs())) {
            return Some(format!("the logarithm is {log}, not {want}"));
        }
        let mut pairs = got.zip(&self.results).enumerate();
        let wrong = |(got, want): (f64, &f64)| got.is_nan() || (got - want).abs() > bound;
        let (c, (got, want)) = pairs.find(|(_, pair)| wrong(*pair))?;
        Some(format!("column {c} is {got}, not {want}"))
    }
}

/// An element type and its host conversions.
trait HeadElement: Half + AttentionResult<Self> + Sync {
    const ERROR: f64;
    fn from_f64(x: f64) -> Self;
    fn number(self) -> f64;
}

impl HeadElement for bf16 {
    const ERROR: f64 = 1.0 / 128.0;
    fn from_f64(x: f64) -> Self {
        bf16::from_f64(x)
    }
    fn number(self) -> f64 {
        self.to_f64()
    }
}

impl HeadElement for f16 {
    const ERROR: f64 = 1.0 / 1024.0;
    fn from_f64(x: f64) -> Self {
        f16::from_f64(x)
    }
    fn number(self) -> f64 {
        self.to_f64()
    }
}

/// Initial contents of outputs.
const POISON: f64 = 12345.0;

/// The sizes of a problem.
fn sizes(device: &Device, rng: &mut StdRng, size: usize) -> [usize; 6] {
    let head = if rng.random_bool(0.5) { 64 } else { 128 };
    let share = if rng.random_bool(0.2) { 8 } else { rng.random_range(1..5) };
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
    // As in decoding: few queries, many keys.
    if rng.random_bool(0.4) {
        rows = rng.random_range(1..6);
        keys = rng.random_range(500..3000);
        if device.backend() == Backend::Cuda {
            (rows, keys) = (rng.random_range(1..70), 20 * keys);
        }
    }
    // The host reference takes time proportional to the pairs of queries and keys.
    let most = (4 * size).min(400_000);
    while batch * groups * share * rows * keys > most && batch * groups > 1 {
        (batch, groups) = (1, 1);
    }
    while share * rows * keys > most {
        if rng.random_bool(0.5) { rows = rows.div_ceil(2) } else { keys = keys.div_ceil(2) }
    }
    [batch, groups, share, rows, keys, head]
}

fn solve<T: HeadElement>(device: &Device, rng: &mut StdRng, size: usize) -> Result<(), String>
where
    f32: AttentionResult<T>,
{
    let [batch, groups, share, rows, keys, head] = sizes(device, rng, size);
    let heads = groups * share;
    // TMA requires multiples of 8 elements.
    let unit = if rng.random_bool(0.7) { 8 } else { 1 };
    let of_q = Strided::drawn([batch, heads, rows, head], rng, unit);
    let of_k = Strided::drawn([batch, groups, keys, head], rng, unit);
    let of_v = Strided::drawn([batch, groups, keys, head], rng, unit);
    let of_out = Strided::drawn([batch, heads, rows, head], rng, unit);
    let causal = rng.random_bool(0.5);
    let scale = if rng.random_bool(0.5) { None } else { Some(rng.random_range(0.01..0.5f32)) };
    let wide = rng.random_bool(0.3);
    let what = format!(
        "{} q {of_q:?}, k {of_k:?}, v {of_v:?}, out {of_out:?}, causal {causal}, scale {scale:?}, f32 {wide}",
        T::NAME
    );
    let mut numbers = |lies: &Strided| -> Vec<T> {
        let mut x = vec![T::from_f64(f64::NAN); lies.length];
        for i in indices(lies.shape) {
            x[lies.at(i)] = T::from_f64(rng.random_range(-2.0..2.0));
        }
        x
    };
    let [q, k, v] = [&of_q, &of_k, &of_v].map(&mut numbers);
    let why = |error: lanework::Error| format!("{what}: {error}");
    let upload = |x: &[T]| device.upload(x).map_err(why);
    let (on_q, on_k, on_v) = (upload(&q)?, upload(&k)?, upload(&v)?);
    let tensor = |x, lies: &Strided| {
        Tensor::with_strides(x, lies.shape, lies.strides, lies.first).map_err(why)
    };
    let mut this = attention(tensor(&on_q, &of_q)?, tensor(&on_k, &of_k)?, tensor(&on_v, &of_v)?);
    if causal {
        this = this.causal();
    }
    if let Some(scale) = scale {
        this = this.scale(scale);
    }
    let mut logs = device.upload(&vec![f32::NAN; batch * heads * rows]).map_err(why)?;
    this = this.log_sum_exp(TensorMut::new(&mut logs, [batch, heads, rows]).map_err(why)?);
    let Strided { shape, strides, first, length } = of_out;
    let out: Vec<f64> = if wide {
        let mut out = device.upload(&vec![POISON as f32; length]).map_err(why)?;
        this.run(TensorMut::with_strides(&mut out, shape, strides, first).map_err(why)?)
            .map_err(why)?;
        out.download().map_err(why)?.into_iter().map(f64::from).collect()
    } else {
        let mut out = device.upload(&vec![T::from_f64(POISON); length]).map_err(why)?;
        this.run(TensorMut::with_strides(&mut out, shape, strides, first).map_err(why)?)
            .map_err(why)?;
        out.download().map_err(why)?.into_iter().map(T::number).collect()
    };
    let logs = logs.download().map_err(why)?;
    let scale = scale.map_or(1.0 / (head as f64).sqrt(), f64::from);
    for group in 0..batch * groups {
        let (b, g) = (group / groups, group % groups);
        let [keys_of, values_of] = [(&k, &of_k), (&v, &of_v)].map(|(x, lies)| lies.rows(x, b, g));
        let wrong = |i: usize| -> Option<String> {
            let (h, row) = (g * share + i / rows, i % rows);
            let query = of_q.row(&q, [b, h, row]);
            let seen = if causal { (row + 1 + keys).saturating_sub(rows).min(keys) } else { keys };
            let reference = ReferenceRow::of(&query, &keys_of[..seen * head], &values_of, scale);
            let log = f64::from(logs[(b * heads + h) * rows + row]);
            let got = (0..head).map(|c| out[of_out.at([b, h, row, c])]);
            let why = reference.differs(log, got, 2.0 * T::ERROR)?;
            Some(format!("{what}: row {row} of head {h}: {why}"))
        };
        if let Some(why) = (0..share * rows).into_par_iter().find_map_first(wrong) {
            return Err(why);
        }
    }
    let mut seen_places = vec![false; length];
    for [b, h, row, _] in indices([batch, heads, rows, 1]) {
        let first = of_out.at([b, h, row, 0]);
        seen_places[first..first + head].fill(true);
    }
    let poison = if wide { POISON } else { T::from_f64(POISON).number() };
    match (0..length).find(|i| !seen_places[*i] && out[*i] != poison) {
        Some(place) => Err(format!("{what}: element {place}, in a gap, was written")),
        None => Ok(()),
    }
}

fn indices([a, b, c, d]: [usize; 4]) -> impl Iterator<Item = [usize; 4]> {
    (0..a * b * c * d).map(move |i| [i / (b * c * d), i / (c * d) % b, i / d % c, i % d])
}

/// Solves a random attention problem and compares it.
pub fn draw(device: &Device, rng: &mut StdRng, size: usize) -> Result<(), String> {
    if rng.random_bool(0.7) {
        solve::<bf16>(device, rng, size)
    } else {
        solve::<f16>(device, rng, size)
    }
}
