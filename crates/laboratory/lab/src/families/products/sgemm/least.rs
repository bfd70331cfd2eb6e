//! The least work of a product: its operations and bytes, and the least times on known GPUs.

use lanework_bench::{Gpu, specs};
use lanework_ladders::sgemm::Shape;

/// The operations, the traffic without reuse and the working set of `held` bytes; then the least times of known GPUs.
pub(super) fn least(shape: Shape, held: u64) -> Vec<String> {
    let (flops, loads) = (shape.flops(), naive_loads(shape));
    let mut lines = vec![
        format!("operations m n (2 k + 3) = {flops}"),
        format!("naive traffic m n (2 k + 1) loads and m n stores of 4 bytes = {loads} bytes"),
        format!(
            "working set {}, arithmetic reuse {:.0}x",
            binary_bytes(held),
            loads as f64 / held as f64
        ),
    ];
    lines.extend(specs().gpus.iter().map(|gpu| floors(shape, held, gpu)));
    lines
}

/// Bytes moved if every multiply-add reads both its factors, and C is read and written.
fn naive_loads(shape: Shape) -> u64 {
    let Shape { m, n, k, .. } = shape;
    4 * u64::from(m) * u64::from(n) * (2 * u64::from(k) + 2)
}

/// The least times by a GPU's arithmetic and memory.
fn floors(shape: Shape, held: u64, gpu: &Gpu) -> String {
    let arithmetic = shape.flops() as f64 / gpu.fp32_tflops / 1e9;
    let [naive, once] =
        [naive_loads(shape), held].map(|bytes| bytes as f64 / gpu.bandwidth_gb_s / 1e6);
    format!(
        "{}: at least {} by arithmetic, {} by moving each number once, {} by naive traffic",
        gpu.name,
        time(arithmetic),
        time(once),
        time(naive)
    )
}

/// Bytes in the largest binary unit below them, such as `768 KiB`.
fn binary_bytes(bytes: u64) -> String {
    let unit =
        [(30, "GiB"), (20, "MiB"), (10, "KiB")].into_iter().find(|(log, _)| bytes >> log > 0);
    let Some((log, name)) = unit else { return format!("{bytes} B") };
    let amount = bytes as f64 / (1u64 << log) as f64;
    let digits = usize::from(amount.fract() != 0.0);
    format!("{amount:.digits$} {name}")
}

/// Milliseconds in a suitable unit.
fn time(ms: f64) -> String {
    match ms {
        ms if ms < 0.001 => format!("{:.0} ns", ms * 1e6),
        ms if ms < 1.0 => format!("{:.1} us", ms * 1e3),
        ms => format!("{ms:.2} ms"),
    }
}
