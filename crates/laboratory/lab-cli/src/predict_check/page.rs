//! The page `docs/results/time.md`: figures of merit by suite, an ablation, the worst kernels, and every kernel.

use super::pair::MeasuredPair;
use super::stats::Summary;
use lanework::time::machine::GpuModel;
use lanework_terminal::output::duration;
use std::fmt::Write;

/// The suites.
const SUITES: [&str; 3] = ["ladders", "tuning", "test"];
/// Kernels in the list of the worst.
const WORST: usize = 20;

/// The model with one part at a time switched off, by its data.
pub fn ablations(model: &GpuModel) -> Vec<(&'static str, GpuModel)> {
    let without = |change: &dyn Fn(&mut GpuModel)| {
        let mut model = model.clone();
        change(&mut model);
        model
    };
    vec![
        (
            "no launch and ramp",
            without(&|model| {
                model.timings.ramp_ns = 0.0;
                model.timings.graph_launch_ns = 0.0;
                model.timings.event_launch_ns = 0.0;
            }),
        ),
        ("no L1", without(&|model| model.architecture.l1_per_sm = 0)),
        (
            "unlimited L2 bandwidth",
            without(&|model| {
                model.timings.l2_bytes_per_sm = 1e6;
                model.timings.l2_port_bytes = 1e6;
            }),
        ),
        ("unlimited memory bandwidth", without(&|model| model.gpu.bandwidth_gb_s = 1e9)),
        (
            "no cost of short accesses to memory",
            without(&|model| {
                model.timings.dram_short_reads = 1.0;
                model.timings.dram_short_writes = 1.0;
                model.timings.l2_partial_write = 1.0;
            }),
        ),
        (
            "memory latencies of an L1 hit",
            without(&|model| {
                model.timings.l2_latency = model.timings.l1_latency;
                model.timings.dram_latency = model.timings.l1_latency;
            }),
        ),
        (
            "arithmetic latencies of 1 cycle",
            without(&|model| {
                for latency in [
                    &mut model.timings.fma_latency,
                    &mut model.timings.alu_latency,
                    &mut model.timings.imad_latency,
                    &mut model.timings.predicate_latency,
                    &mut model.timings.branch_penalty,
                ] {
                    *latency = 1.0;
                }
            }),
        ),
        ("no gap between blocks", without(&|model| model.timings.block_start = 0.0)),
    ]
}

fn percent(part: f64) -> String {
    format!("{:.1} %", 100.0 * part)
}

/// The rows of the table of figures: of the model, and of the roofline.
fn rows(pairs: &[MeasuredPair]) -> Vec<(String, Summary)> {
    let mut rows = Vec::new();
    for suite in SUITES {
        let of: Vec<MeasuredPair> =
            pairs.iter().filter(|pair| pair.suite == suite).cloned().collect();
        if of.is_empty() {
            continue;
        }
        rows.push((suite.to_owned(), Summary::of(&of)));
        let roofline = of.into_iter().map(|pair| MeasuredPair {
            predicted_ns: pair.roofline_ns,
            interval_ns: [pair.roofline_ns; 2],
            ..pair
        });
        rows.push((format!("{suite}, roofline"), Summary::of(&roofline.collect::<Vec<_>>())));
    }
    rows
}

/// The figures as text.
pub fn summary(pairs: &[MeasuredPair]) -> String {
    let mut text = String::new();
    for pair in pairs {
        let _ = writeln!(
            text,
            "{:44} {:>12} {:>12} {:>8} {}",
            pair.name,
            duration(pair.measured_ns),
            duration(pair.predicted_ns),
            format!("{:+.1} %", 100.0 * pair.error()),
            pair.limiter,
        );
    }
    for (name, found) in rows(pairs) {
        let _ = writeln!(
            text,
            "{name}: {} kernels, median error {}, mean {}, p90 {}, Spearman {:.3}, {} of {} pairs ordered, {} covered",
            found.count,
            percent(found.median),
            percent(found.mean),
            percent(found.ninetieth),
            found.spearman,
            percent(found.ordered),
            found.pairs,
            percent(found.coverage),
        );
    }
    text
}

/// The page.
pub fn text(gpu: &str, pairs: &[MeasuredPair], ablated: &[(&str, f64)]) -> String {
    let mut text = format!(
        "# Predicted and measured times, {gpu}\n\n\
         `lanework-lab predict-check --programs docs/results/time/programs.json --ablation --output docs/results` writes\n\
         this page. Ladders: medians of cold launches, in `docs/results/h200`. Programs: Nsight Compute's\n\
         `gpu__time_duration`, caches flushed, clocks not locked; `docs/results/time/split.json` has the halves.\n\
         The error is predicted over measured time, less 1. The roofline is the larger of the times for the necessary\n\
         bytes and operations (ladders) or for the measured bytes and instructions (programs).\n\n\
         ![predicted against measured times](time/scatter.svg)\n\n\
         | kernels | number | median error | mean | p90 | Spearman | pairs ordered | intervals that hold |\n\
         | --- | --- | --- | --- | --- | --- | --- | --- |\n"
    );
    for (name, found) in rows(pairs) {
        let coverage =
            if name.contains("roofline") { "-".to_owned() } else { percent(found.coverage) };
        let _ = writeln!(
            text,
            "| {name} | {} | {} | {} | {} | {:.3} | {} of {} | {coverage} |",
            found.count,
            percent(found.median),
            percent(found.mean),
            percent(found.ninetieth),
            found.spearman,
            percent(found.ordered),
            found.pairs,
        );
    }
    if ablated.len() > 1 {
        text.push_str("\n## Ablation\n\nMedian error of the ladders with a part of the model switched off.\n\n| part | median error |\n| --- | --- |\n");
        for (name, median) in ablated {
            let _ = writeln!(text, "| {name} | {} |", percent(*median));
        }
    }
    text.push_str("\n## Worst kernels\n\n");
    let mut sorted: Vec<&MeasuredPair> = pairs.iter().collect();
    let distance = |pair: &MeasuredPair| (pair.predicted_ns / pair.measured_ns).ln().abs();
    sorted.sort_by(|a, b| distance(b).total_cmp(&distance(a)));
    table(&mut text, sorted.iter().take(WORST).copied());
    text.push_str("\n## All kernels\n\n");
    table(&mut text, pairs.iter());
    text
}

fn table<'a>(text: &mut String, pairs: impl Iterator<Item = &'a MeasuredPair>) {
    text.push_str("| kernel | measured | predicted | error | limit | interval holds |\n| --- | --- | --- | --- | --- | --- |\n");
    for pair in pairs {
        let _ = writeln!(
            text,
            "| {} | {} | {} | {:+.0} % | {} | {} |",
            pair.name,
            duration(pair.measured_ns),
            duration(pair.predicted_ns),
            100.0 * pair.error(),
            pair.limiter,
            if pair.covered() { "yes" } else { "no" },
        );
    }
}
