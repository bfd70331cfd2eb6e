//! Attention beside what was published for Hopper: verified, then timed, on the shapes of the FlashAttention-3 paper.
//!
//! ```text
//! cargo run --release -p lanework-ops --example attention
//! python3 scripts/attention_peers.py    # cuDNN and FlashAttention-2 on the same shapes, where PyTorch is
//! ```
//!
//! 16,384 tokens of 2,048 elements: as many heads and batches as that makes. Published figures: Shah, Bikshandi, Zhang, Thakkar,
//! Ramani and Dao, "FlashAttention-3", 2024 (arXiv 2407.08608), figure 5, FP16 forward on an H100 80GB SXM5.

use half::bf16;
use lanework::{Backend, Buffer, Device, Result};
use lanework_ops::{Plan, Tensor, TensorMut, attention};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

/// Rows of all operands, and the elements of a token.
const TOKENS: usize = 16_384;
const WIDTH: usize = 2_048;
const LENGTHS: [usize; 6] = [512, 1024, 2048, 4096, 8192, 16_384];

/// Published TFLOP/s by head dimension, causal or not, for [`LENGTHS`].
const PUBLISHED: [(usize, bool, [f64; 6]); 4] = [
    (128, false, [467.0, 565.0, 625.0, 638.0, 646.0, 648.0]),
    (128, true, [292.0, 423.0, 521.0, 579.0, 602.0, 616.0]),
    (64, false, [333.0, 392.0, 460.0, 476.0, 496.0, 497.0]),
    (64, true, [197.0, 265.0, 371.0, 420.0, 460.0, 473.0]),
];

/// Heads on the host and on the device.
struct Problem {
    host: [Vec<bf16>; 3],
    on_device: [Buffer<bf16>; 3],
}

/// `[batch, heads, length, head]` of as many tokens.
fn shape(length: usize, head: usize) -> [usize; 4] {
    [TOKENS / length, WIDTH / head, length, head]
}

fn prepare<'a>(
    problem: &'a Problem,
    out: &'a mut Buffer<bf16>,
    shape: [usize; 4],
    causal: bool,
) -> Result<Plan<'a>> {
    let [q, k, v] = &problem.on_device;
    let of = |x: &'a Buffer<bf16>| Tensor::new(x, shape);
    let this = attention(of(q)?, of(k)?, of(v)?);
    let this = if causal { this.causal() } else { this };
    this.prepare(TensorMut::new(out, shape)?)
}

/// The largest difference of some rows from an f64 reference, in units of what rounding weights and results allows.
fn error(problem: &Problem, out: &Buffer<bf16>, shape: [usize; 4], causal: bool) -> Result<f64> {
    let [.., length, head] = shape;
    let [q, k, v] = &problem.host;
    let mut worst = 0.0f64;
    for i in 0..8 {
        let row = (i * 104_729 + i * i * 7_919 + 13) % (TOKENS * WIDTH / head);
        let first = row / length * length;
        let seen = if causal { row % length + 1 } else { length };
        let of = |x: &[bf16], row: usize, column: usize| x[row * head + column].to_f64();
        let scores: Vec<f64> = (first..first + seen)
            .map(|key| (0..head).map(|c| of(q, row, c) * of(k, key, c)).sum::<f64>())
            .map(|product| product / (head as f64).sqrt())
            .collect();
        let most = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let weights: Vec<f64> = scores.iter().map(|score| (score - most).exp()).collect();
        let sum: f64 = weights.iter().sum();
        let mut got = vec![bf16::ZERO; head];
        out.download_part(row * head, &mut got)?;
        for (c, got) in got.into_iter().enumerate() {
            let values = weights.iter().zip(first..).map(|(w, key)| w / sum * of(v, key, c));
            let want: f64 = values.sum();
            let off = (got.to_f64() - want).abs() / (1.0 / 256.0 + want.abs() / 128.0);
            worst = if off.is_nan() { f64::INFINITY } else { worst.max(off) };
        }
    }
    Ok(worst)
}

/// The median time of a launch in nanoseconds, of launches one after the other.
fn time(device: &Device, plan: Plan<'_>, flops: f64) -> Result<f64> {
    let launches = ((3e12 / flops) as usize).clamp(2, 40);
    let graph = device.record_owned(vec![plan.into_job("attention")], launches)?;
    let mut times = Vec::new();
    for round in 0..10 {
        let start = device.event()?;
        graph.launch()?;
        let time = device.event()?.nanoseconds_since(&start)? / launches as f64;
        if round > 0 {
            times.push(time);
        }
    }
    times.sort_by(f64::total_cmp);
    Ok(times[times.len() / 2])
}

fn main() -> Result<()> {
    let device = Device::best();
    if device.backend() == Backend::Emulator {
        println!("SKIPPED: there is no GPU to time on");
        return Ok(());
    }
    println!("{}; TFLOP/s: ours, published for FlashAttention-3 on an H100", device.info().name);
    let mut random = StdRng::seed_from_u64(1);
    // Four uniform numbers: close to a normal distribution of variance 1.
    let mut normal = || {
        let sum: f32 = (0..4).map(|_| random.random_range(-0.5..0.5f32)).sum();
        bf16::from_f32(sum * 3f32.sqrt())
    };
    let host = [(); 3].map(|()| (0..TOKENS * WIDTH).map(|_| normal()).collect::<Vec<_>>());
    let [q, k, v] = host.each_ref().map(|x| device.upload(x));
    let problem = Problem { host, on_device: [q?, k?, v?] };
    let mut out = device.uninit::<bf16>(TOKENS * WIDTH)?;
    for (head, causal, published) in PUBLISHED {
        for (length, published) in LENGTHS.into_iter().zip(published) {
            let shape = shape(length, head);
            out.fill_bytes(0xff)?;
            prepare(&problem, &mut out, shape, causal)?.launch()?;
            let error = error(&problem, &out, shape, causal)?;
            assert!(error <= 1.0, "{shape:?}, causal {causal}: {error} times what rounding allows");
            let pairs = (TOKENS * WIDTH / head) as f64 * length as f64;
            let flops = 4.0 * pairs * head as f64 * if causal { 0.5 } else { 1.0 };
            let plan = prepare(&problem, &mut out, shape, causal)?;
            let speed = flops / time(&device, plan, flops)? / 1e3;
            let what = if causal { "causal" } else { "full" };
            let ratio = speed / published;
            println!("{head:4} {what:6} {length:6} {speed:6.0} {published:6.0}  {ratio:.3}");
        }
    }
    Ok(())
}
