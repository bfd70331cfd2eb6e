//! `network.cu`: layers of neural networks and their optimizer.

use crate::Case;
use crate::case::{args, bits, floats, integer_floats};

const UNIT: &str = "network";

pub fn cases() -> Vec<Case> {
    let mut cases = vec![softmax(), softmax_online(), layer_norm(), rms_norm(), attention(false)];
    cases.extend([attention(true), activations(), adam(), cross_entropy(), embed(), pool()]);
    cases
}

fn softmax_of(row: &[f32]) -> Vec<f64> {
    let top = row.iter().copied().fold(f32::MIN, f32::max);
    let powers: Vec<f64> = row.iter().map(|v| f64::from(v - top).exp()).collect();
    let sum: f64 = powers.iter().sum();
    powers.iter().map(|power| power / sum).collect()
}

fn scaled(seed: u64, n: usize, by: f32) -> Vec<f32> {
    floats(seed, n).into_iter().map(|v| v * by).collect()
}

fn narrow(values: impl IntoIterator<Item = f64>) -> Vec<f32> {
    values.into_iter().map(|v| v as f32).collect()
}

fn softmax() -> Case {
    let (rows, cols) = (5usize, 300usize);
    let x = scaled(1, rows * cols, 10.0);
    Case::new(UNIT, "softmax, a block per row")
        .with("in", &x)
        .with("out", &vec![0f32; rows * cols])
        .run("softmax_rows", rows as u32, 128, args!["in", "out", cols as i32])
        .expects_within("out", &narrow(x.chunks(cols).flat_map(softmax_of)), 1e-6)
}

fn softmax_online() -> Case {
    let (rows, cols) = (9usize, 77usize);
    let x = scaled(2, rows * cols, 10.0);
    Case::new(UNIT, "softmax in one pass")
        .with("in", &x)
        .with("out", &vec![0f32; rows * cols])
        .run("softmax_online", 3, (32, 4), args!["in", "out", rows as i32, cols as i32])
        .expects_within("out", &narrow(x.chunks(cols).flat_map(softmax_of)), 1e-5)
}

fn layer_norm() -> Case {
    let (rows, cols) = (4usize, 200usize);
    let x = scaled(3, rows * cols, 4.0);
    let (scale, shift) = (floats(4, cols), floats(5, cols));
    let mut out = Vec::new();
    for row in x.chunks(cols) {
        let mean = row.iter().map(|&v| f64::from(v)).sum::<f64>() / cols as f64;
        let squares = row.iter().map(|&v| (f64::from(v) - mean).powi(2)).sum::<f64>() / cols as f64;
        for (i, &v) in row.iter().enumerate() {
            let unit = (f64::from(v) - mean) / (squares + 1e-5).sqrt();
            out.push((unit * f64::from(scale[i]) + f64::from(shift[i])) as f32);
        }
    }
    Case::new(UNIT, "layer norm")
        .with("in", &x)
        .with("scale", &scale)
        .with("shift", &shift)
        .with("out", &vec![0f32; rows * cols])
        .run(
            "layer_norm",
            rows as u32,
            64,
            args!["in", "scale", "shift", "out", cols as i32, 1e-5f32],
        )
        .expects_within("out", &out, 1e-5)
}

fn rms_norm() -> Case {
    let (rows, cols) = (3usize, 256usize);
    let x = scaled(6, rows * cols, 4.0);
    let unit = |row: &[f32]| {
        let squares = row.iter().map(|&v| f64::from(v).powi(2)).sum::<f64>() / cols as f64;
        row.iter().map(|&v| f64::from(v) / (squares + 1e-5).sqrt()).collect::<Vec<_>>()
    };
    Case::new(UNIT, "root mean square norm")
        .with("in", &x)
        .with("out", &vec![0f32; rows * cols])
        .run("rms_norm", rows as u32, 32, args!["in", "out", (cols / 4) as i32])
        .expects_within("out", &narrow(x.chunks(cols).flat_map(unit)), 1e-5)
}

fn attention(causal: bool) -> Case {
    const D: usize = 16;
    let (heads, length) = (2usize, 64usize);
    let n = heads * length * D;
    let (q, k, v) = (scaled(7, n, 2.0), scaled(8, n, 2.0), floats(9, n));
    let mut out = Vec::new();
    for query in 0..heads * length {
        let head = query / length * length;
        let seen = if causal { query % length + 1 } else { length };
        let dot = |key: usize| -> f32 {
            let pair = |d: usize| f64::from(q[query * D + d]) * f64::from(k[(head + key) * D + d]);
            ((0..D).map(pair).sum::<f64>() * 0.25) as f32
        };
        let weights = softmax_of(&(0..seen).map(dot).collect::<Vec<_>>());
        for d in 0..D {
            let term = |(key, w): (usize, &f64)| w * f64::from(v[(head + key) * D + d]);
            out.push(weights.iter().enumerate().map(term).sum::<f64>() as f32);
        }
    }
    Case::new(UNIT, if causal { "causal attention" } else { "attention" })
        .with("q", &q)
        .with("k", &k)
        .with("v", &v)
        .with("out", &vec![0f32; n])
        .run(
            "_Z9attentionILi16EEvPKfS1_S1_Pfifb",
            heads as u32,
            length as u32,
            args!["q", "k", "v", "out", length as i32, 0.25f32, u8::from(causal)],
        )
        .expects_within("out", &out, 1e-5)
}

/// The error function, by its series and its continued fraction.
pub fn erf(x: f64) -> f64 {
    let z = x.abs();
    let value = if z < 3.0 {
        let (mut term, mut sum) = (z, z);
        for n in 1..100 {
            term *= -z * z / f64::from(n);
            sum += term / f64::from(2 * n + 1);
        }
        sum * 2.0 / std::f64::consts::PI.sqrt()
    } else {
        let fraction = (1..60).rev().fold(z, |tail, n| z + f64::from(n) / 2.0 / tail);
        1.0 - (-z * z).exp() / fraction / std::f64::consts::PI.sqrt()
    };
    value.copysign(x)
}

fn activations() -> Case {
    let x = scaled(10, 300, 6.0);
    let map = |f: &dyn Fn(f64) -> f64| narrow(x.iter().map(|&v| f(f64::from(v))));
    let mut case = Case::new(UNIT, "activations").with("in", &x);
    for name in ["gelu", "silu", "soft", "hyperbolic"] {
        case = case.with(name, &[0f32; 300]);
    }
    case.run("activations", 3, 128, args!["in", "gelu", "silu", "soft", "hyperbolic", 300i32])
        .expects_within("gelu", &map(&|v| 0.5 * v * (1.0 + erf(v * 0.5f64.sqrt()))), 1e-6)
        .expects_within("silu", &map(&|v| v / (1.0 + (-v).exp())), 1e-6)
        .expects_within("soft", &map(&|v| v.exp().ln_1p()), 1e-6)
        .expects_within("hyperbolic", &map(&f64::tanh), 1e-6)
}

fn adam() -> Case {
    let n = 200;
    let (weights, gradient) = (floats(11, n), floats(12, n));
    let moments: Vec<f32> = floats(13, 2 * n).into_iter().map(f32::abs).collect();
    let (mut after, mut kept) = (Vec::new(), Vec::new());
    for i in 0..n {
        let g = f64::from(gradient[i]);
        let m = 0.9 * f64::from(moments[2 * i]) + 0.1 * g;
        let v = 0.999 * f64::from(moments[2 * i + 1]) + 0.001 * g * g;
        let (mean, square) = (m / (1.0 - 0.9f64.powi(3)), v / (1.0 - 0.999f64.powi(3)));
        after.push((f64::from(weights[i]) - 0.01 * mean / (square.sqrt() + 1e-8)) as f32);
        kept.extend([m as f32, v as f32]);
    }
    let mut options: Vec<u8> =
        [0.01f32, 0.9, 0.999, 1e-8].iter().flat_map(|v| v.to_le_bytes()).collect();
    options.extend(3i32.to_le_bytes());
    Case::new(UNIT, "Adam, options by value")
        .with("weights", &weights)
        .with("gradient", &gradient)
        .with("moments", &moments)
        .run("adam", 2, 128, args!["weights", "gradient", "moments", n as i32, options])
        .expects_within("moments", &kept, 1e-6)
        .expects_within("weights", &after, 1e-4)
}

fn cross_entropy() -> Case {
    let (rows, classes) = (6usize, 50usize);
    let x = scaled(14, rows * classes, 5.0);
    let label: Vec<i32> = (0..rows).map(|i| (bits(15, i) % classes as u64) as i32).collect();
    let (mut loss, mut gradient) = (Vec::new(), Vec::new());
    for (row, &right) in x.chunks(classes).zip(&label) {
        let mut chances = softmax_of(row);
        loss.push(-chances[right as usize].ln() as f32);
        chances[right as usize] -= 1.0;
        gradient.extend(narrow(chances));
    }
    Case::new(UNIT, "cross entropy")
        .with("logits", &x)
        .with("label", &label)
        .with("loss", &vec![0f32; rows])
        .with("gradient", &vec![0f32; x.len()])
        .run(
            "cross_entropy",
            rows as u32,
            32,
            args!["logits", "label", "loss", "gradient", classes as i32],
        )
        .expects_within("loss", &loss, 1e-6)
        .expects_within("gradient", &gradient, 1e-6)
}

fn embed() -> Case {
    let (tokens, rows, width) = (12usize, 5usize, 40usize);
    let token: Vec<i32> = (0..tokens).map(|i| (bits(16, i) % rows as u64) as i32).collect();
    let table = integer_floats(17, rows * width, 99);
    let (mut out, mut added) = (Vec::<f32>::new(), table.clone());
    for &t in &token {
        let row = &table[t as usize * width..][..width];
        out.extend(row);
        row.iter().zip(&mut added[t as usize * width..]).for_each(|(v, sum)| *sum += v);
    }
    Case::new(UNIT, "embedding and back")
        .with("token", &token)
        .with("table", &table)
        .with("out", &vec![0f32; tokens * width])
        .run("embed", tokens as u32, 32, args!["token", "table", "out", width as i32])
        .run("embed_back", tokens as u32, 32, args!["token", "out", "table", width as i32])
        .expects("out", &out)
        .expects("table", &added)
}

fn pool() -> Case {
    let (w, h) = (40usize, 12usize);
    let x = floats(18, w * h);
    let (mut out, mut place) = (Vec::new(), Vec::new());
    for i in 0..w / 2 * h / 2 {
        let (column, row) = (i % (w / 2), i / (w / 2));
        let at = |k: usize| x[(2 * row + k / 2) * w + 2 * column + k % 2];
        let best = (1..4).fold(0, |best, k| if at(k) > at(best) { k } else { best });
        out.push(at(best));
        place.push(best as u8);
    }
    Case::new(UNIT, "pooling")
        .with("in", &x)
        .with("out", &vec![0f32; out.len()])
        .with("place", &vec![9u8; out.len()])
        .run("pool", (h / 2) as u32, (w / 2) as u32, args!["in", "out", "place", w as i32])
        .expects("out", &out)
        .expects("place", &place)
}
