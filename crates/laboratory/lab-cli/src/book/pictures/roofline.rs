//! The roofline of an H200 with the rungs of ladders as they were measured: nominal limits, least bytes of any solution.

use super::super::stored::read_json;
use super::wording::Words;
use lanework::report::pictures::drawing::{Anchor, Drawing, EMPTY, FAINT, FILLS, INK};
use lanework_lab::specs;
use serde_json::Value;
use std::path::Path;

/// The plot's corner and size, and its ranges: powers of ten of operations per byte and of GFLOP/s.
const LEFT: f64 = 70.0;
const TOP: f64 = 40.0;
const SIZE: (f64, f64) = (640.0, 330.0);
const X: (f64, f64) = (-2.0, 3.0);
const Y: (f64, f64) = (1.0, 5.0);

fn x(intensity: f64) -> f64 {
    LEFT + SIZE.0 * (intensity.log10() - X.0) / (X.1 - X.0)
}

fn y(rate: f64) -> f64 {
    TOP + SIZE.1 * (Y.1 - rate.log10()) / (Y.1 - Y.0)
}

/// The picture, from the stored climbs.
pub fn roofline(results: &Path, words: Words) -> String {
    let mut d = Drawing::new(760.0);
    let gpu = specs().gpu("H200").expect("tested: every GPU of the table is found");
    let (bandwidth, peak) = (gpu.bandwidth_gb_s, gpu.fp32_tflops * 1000.0);
    d.title((16.0, 22.0), words.of("FP32 on an H200", "H200 上的 FP32"));
    for power in X.0 as i32..=X.1 as i32 {
        let at = x(10f64.powi(power));
        d.line((at, TOP), (at, TOP + SIZE.1), EMPTY);
        let label = if power < 0 {
            format!("{}", 10f64.powi(power))
        } else {
            10i32.pow(power as u32).to_string()
        };
        d.text((at, TOP + SIZE.1 + 16.0), 11, Anchor::Middle, FAINT, &label);
    }
    for power in Y.0 as i32..=Y.1 as i32 {
        let at = y(10f64.powi(power));
        d.line((LEFT, at), (LEFT + SIZE.0, at), EMPTY);
        d.text(
            (LEFT - 8.0, at + 4.0),
            11,
            Anchor::End,
            FAINT,
            &10i32.pow(power as u32).to_string(),
        );
    }
    let ridge = peak / bandwidth;
    let low = 10f64.powf(X.0);
    d.line((x(low), y(low * bandwidth)), (x(ridge), y(peak)), INK);
    d.line((x(ridge), y(peak)), (LEFT + SIZE.0, y(peak)), INK);
    let memory = format!("{bandwidth} GB/s");
    d.text((x(0.9), y(0.9 * bandwidth) - 12.0), 12, Anchor::End, INK, &memory);
    let compute = format!("{} TFLOP/s", gpu.fp32_tflops);
    d.text((LEFT + SIZE.0 - 4.0, y(peak) - 7.0), 12, Anchor::End, INK, &compute);
    for (ladder, fill) in ["vector-add", "sum-squares", "matmul", "sgemm"].into_iter().zip(FILLS) {
        let Some(climb) = read_json(&results.join(format!("h200/{ladder}.json"))) else {
            continue;
        };
        let number = |value: &Value| value.as_f64().unwrap_or(0.0);
        let intensity = number(&climb["flops"]) / number(&climb["bytes"]).max(1.0);
        let rungs = climb["rungs"].as_array().into_iter().flatten();
        let rates: Vec<(String, f64)> = rungs
            .map(|rung| {
                let name = rung["name"].as_str().unwrap_or_default().to_owned();
                (name, number(&rung["time"]["gigaflops_per_second"]))
            })
            .filter(|(name, rate)| name != "cublas" && *rate >= 10f64.powf(Y.0))
            .collect();
        for (_, rate) in &rates {
            d.circle((x(intensity), y(*rate)), 5.0, fill);
        }
        let best = rates.iter().max_by(|a, b| a.1.total_cmp(&b.1));
        let Some((name, rate)) = best else { continue };
        let (dx, anchor) =
            if intensity > 100.0 { (-10.0, Anchor::End) } else { (10.0, Anchor::Start) };
        let said = format!("{ladder}/{name}");
        d.text((x(intensity) + dx, y(*rate) + 4.0), 11, anchor, INK, &said);
    }
    let below = TOP + SIZE.1;
    let axis = words.of(
        "operations per byte that any solution must move (horizontal), GFLOP/s (vertical); both axes are logarithmic",
        "横轴：运算数除以任何解法至少要搬运的字节数；纵轴：GFLOP/s；两轴均为对数",
    );
    let under = d.note((LEFT, below + 36.0), axis);
    let note = words.of(
        "A dot is a rung, measured on an H200. Left of the ridge the memory is the limit, right of it the arithmetic. Roofs are nominal.",
        "每个点是一级在 H200 上的实测。脊点左边受内存限制，右边受算力限制。上限为标称值。",
    );
    let height = d.note((LEFT, under + 4.0), note);
    d.finish(height)
}
