//! The page `docs/results/time.md` of measured kernels with their predictions: figures of merit by suite, an ablation,
//! the worst kernels, and every kernel.

use lanework::time::machine::GpuModel;
use lanework_terminal::output::duration;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write;

/// The suites.
const SUITES: [&str; 5] = ["ladders", "tuning", "test", "later", "other GPUs"];

/// Kernels in the list of the worst.
const WORST: usize = 20;

/// A measured kernel with its prediction.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct MeasuredPair {
    /// The ladder or the program.
    pub problem: String,
    /// The rung or the kernel.
    pub name: String,
    /// `ladders`, the half of the programs, `tuning` or `test`, `later` for programs that were measured later, or `other GPUs`.
    pub suite: String,
    /// Measured nanoseconds.
    pub measured_ns: f64,
    /// Predicted nanoseconds.
    pub predicted_ns: f64,
    /// The predicted interval.
    pub interval_ns: [f64; 2],
    /// The predicted limit.
    pub limiter: String,
    /// The larger of the times that the bytes and the operations take at the GPU's rates.
    pub roofline_ns: f64,
    /// Predicted nanoseconds by the part of the model that is switched off.
    #[serde(default)]
    pub without: BTreeMap<String, f64>,
}

impl MeasuredPair {
    /// Predicted over measured time, less 1.
    pub fn error(&self) -> f64 {
        self.predicted_ns / self.measured_ns - 1.0
    }

    /// Whether the interval holds the measured time.
    pub fn covered(&self) -> bool {
        self.interval_ns[0] <= self.measured_ns && self.measured_ns <= self.interval_ns[1]
    }
}

/// The figures of a set of predictions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Summary {
    /// Number of kernels.
    pub count: usize,
    /// Median of the absolute errors.
    pub median: f64,
    /// Mean of the absolute errors.
    pub mean: f64,
    /// 90th percentile of the absolute errors.
    pub ninetieth: f64,
    /// Spearman's rank correlation.
    pub spearman: f64,
    /// Pairs of one problem whose measured times differ by more than 10 %.
    pub pairs: usize,
    /// Fraction of these pairs in the predicted order.
    pub ordered: f64,
    /// Fraction of the intervals that hold the measured time.
    pub coverage: f64,
}

impl Summary {
    /// The figures of these predictions.
    pub fn of(pairs: &[MeasuredPair]) -> Summary {
        if pairs.is_empty() {
            return Summary::default();
        }
        let mut errors: Vec<f64> = pairs.iter().map(|pair| pair.error().abs()).collect();
        errors.sort_by(f64::total_cmp);
        let count = pairs.len();
        let (mut compared, mut ordered) = (0, 0);
        for (at, one) in pairs.iter().enumerate() {
            for other in pairs[at + 1..].iter().filter(|other| other.problem == one.problem) {
                if (one.measured_ns / other.measured_ns).ln().abs() > 1.1f64.ln() {
                    compared += 1;
                    let measured = one.measured_ns < other.measured_ns;
                    ordered += usize::from(measured == (one.predicted_ns < other.predicted_ns));
                }
            }
        }
        let measured: Vec<f64> = pairs.iter().map(|pair| pair.measured_ns).collect();
        let predicted: Vec<f64> = pairs.iter().map(|pair| pair.predicted_ns).collect();
        Summary {
            count,
            median: errors[count / 2],
            mean: errors.iter().sum::<f64>() / count as f64,
            ninetieth: errors[(count * 9 / 10).min(count - 1)],
            spearman: spearman(&measured, &predicted),
            pairs: compared,
            ordered: ordered as f64 / compared.max(1) as f64,
            coverage: pairs.iter().filter(|pair| pair.covered()).count() as f64 / count as f64,
        }
    }
}

fn ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
    let mut ranks = vec![0.0; values.len()];
    for (rank, at) in order.into_iter().enumerate() {
        ranks[at] = rank as f64;
    }
    ranks
}

/// Spearman's rank correlation.
pub fn spearman(one: &[f64], other: &[f64]) -> f64 {
    let (a, b) = (ranks(one), ranks(other));
    let n = a.len() as f64;
    let distance: f64 = a.iter().zip(&b).map(|(a, b)| (a - b) * (a - b)).sum();
    if n < 2.0 { 1.0 } else { 1.0 - 6.0 * distance / (n * (n * n - 1.0)) }
}

/// The model with one part at a time switched off, by its data.
pub fn ablations(model: &GpuModel) -> Vec<(&'static str, GpuModel)> {
    let without = |change: &dyn Fn(&mut GpuModel)| {
        let mut model = model.clone();
        change(&mut model);
        model
    };
    vec![
        (
            "launch and ramp",
            without(&|model| {
                model.timings.ramp_ns = 0.0;
                model.timings.launch_ns = 0.0;
                model.timings.graph_launch_ns = 0.0;
                model.timings.event_launch_ns = 0.0;
            }),
        ),
        ("the L1", without(&|model| model.architecture.l1_per_sm = 0)),
        (
            "the bandwidth of the L2",
            without(&|model| {
                model.timings.l2_bytes_per_sm = 1e6;
                model.timings.l2_shared_copies = 1e6;
                model.timings.l2_port_bytes = 1e6;
            }),
        ),
        ("the bandwidth of device memory", without(&|model| model.gpu.bandwidth_gb_s = 1e9)),
        (
            "the cost of short accesses to memory",
            without(&|model| {
                model.timings.dram_half_lines = 1.0;
                model.timings.l2_partial_write = 1.0;
                model.timings.l2_single_sector = 1.0;
                model.timings.l1_store_line = 1.0;
                model.timings.l1_store_part = 1.0;
            }),
        ),
        ("the queues of device memory", without(&|model| model.timings.dram_queue = 0.0)),
        (
            "the latencies of the L2 and of device memory",
            without(&|model| {
                model.timings.l2_latency = model.timings.l1_latency;
                model.timings.dram_latency = model.timings.l1_latency;
            }),
        ),
        (
            "the latencies of arithmetic",
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
        (
            "the rate at which blocks start",
            without(&|model| {
                model.timings.block_start = 0.0;
                model.timings.block_interval = 0.0;
            }),
        ),
        (
            "the cost of atomics and swaps on one address",
            without(&|model| {
                model.timings.atomic_address_interval = 0.0;
                model.timings.atomic_float_interval = 0.0;
                model.timings.swap_interval = 0.0;
                model.timings.swap_round = 0.0;
                model.timings.swap_contender = 0.0;
            }),
        ),
        (
            "the link to the host",
            without(&|model| {
                model.timings.host_gb_s = 1e9;
                model.timings.host_both_gb_s = 1e9;
                model.timings.host_latency_ns = 0.0;
            }),
        ),
        (
            "the first fetch of code",
            without(&|model| model.timings.code_bytes_per_clock = f64::INFINITY),
        ),
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

/// The figures of kernels without one part of the model, by part. Only kernels that were predicted without parts count; the
/// first row is the whole model.
pub fn ablated(pairs: &[MeasuredPair]) -> Vec<(String, Summary)> {
    let known: Vec<&MeasuredPair> = pairs.iter().filter(|pair| !pair.without.is_empty()).collect();
    let parts: BTreeSet<&String> = known.iter().flat_map(|pair| pair.without.keys()).collect();
    let whole: Vec<MeasuredPair> = known.iter().copied().cloned().collect();
    let mut rows = vec![("the whole model".to_owned(), Summary::of(&whole))];
    for part in parts {
        let of = known.iter().filter_map(|pair| {
            let predicted_ns = *pair.without.get(part)?;
            let scale = predicted_ns / pair.predicted_ns;
            let interval_ns = pair.interval_ns.map(|end| end * scale);
            Some(MeasuredPair { predicted_ns, interval_ns, ..(*pair).clone() })
        });
        rows.push((part.clone(), Summary::of(&of.collect::<Vec<_>>())));
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
pub fn text(
    gpu: &str,
    pairs: &[MeasuredPair],
    notes: &str,
    causes: &HashMap<String, String>,
) -> String {
    let mut text = format!(
        "# Predicted and measured times, {gpu}\n\n\
         `lanework-lab predict-check --rungs docs/results/time/rungs.json --programs docs/results/time/programs.json\n\
         --others docs/results/time/others.json --output docs/results` writes this page. Ladders: medians of cold launches,\n\
         in `docs/results/h200`; `rungs.json` has the output of `lanework-lab predict-check --json`.\n\
         Programs: Nsight Compute's `gpu__time_duration`, caches flushed, clocks not locked;\n\
         `docs/results/time/split.json` has the halves. Other GPUs: times that others published,\n\
         `docs/results/time/others.json`.\n\
         The error is the predicted time divided by the measured time, minus 1. A pair is ordered if the faster of two\n\
         kernels is predicted to be faster; only pairs of one problem whose measured times differ by more than 10 %\n\
         count. The roofline is the larger of the times for the necessary bytes and operations (ladders) or for the\n\
         measured bytes and instructions (programs).\n\n\
         {notes}\n\
         ![predicted against measured times](time/scatter.svg)\n\n\
         | kernels | number | median error | mean | p90 | Spearman | pairs ordered | measured times inside the interval |\n\
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
    for suite in SUITES {
        let of: Vec<MeasuredPair> =
            pairs.iter().filter(|pair| pair.suite == suite).cloned().collect();
        let rows = ablated(&of);
        if rows.len() < 2 {
            continue;
        }
        let _ = writeln!(
            text,
            "\n## Without parts of the model: {suite}\n\n{} kernels, each predicted with one part of the model switched off.\n\n\
             | without | median error | mean | p90 | pairs ordered |\n| --- | --- | --- | --- | --- |",
            rows[0].1.count
        );
        for (name, found) in rows {
            let _ = writeln!(
                text,
                "| {name} | {} | {} | {} | {} |",
                percent(found.median),
                percent(found.mean),
                percent(found.ninetieth),
                percent(found.ordered),
            );
        }
    }
    text.push_str("\n## Worst kernels\n\n");
    let mut sorted: Vec<&MeasuredPair> = pairs.iter().collect();
    let distance = |pair: &MeasuredPair| (pair.predicted_ns / pair.measured_ns).ln().abs();
    sorted.sort_by(|a, b| distance(b).total_cmp(&distance(a)));
    let worst = || sorted.iter().take(WORST).copied();
    table(&mut text, worst());
    text.push('\n');
    for (pair, cause) in worst().filter_map(|pair| Some((pair, causes.get(&pair.name)?))) {
        let _ = writeln!(text, "- {}: {cause}", pair.name);
    }
    text.push_str("\n## All kernels\n\n");
    table(&mut text, pairs.iter());
    text
}

fn table<'a>(text: &mut String, pairs: impl Iterator<Item = &'a MeasuredPair>) {
    text.push_str("| kernel | measured | predicted | error | limit | inside the interval |\n| --- | --- | --- | --- | --- | --- |\n");
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rank_correlation_depends_only_on_the_order() {
        assert_eq!(spearman(&[1.0, 2.0, 3.0], &[10.0, 200.0, 201.0]), 1.0);
        assert_eq!(spearman(&[1.0, 2.0, 3.0], &[3.0, 2.0, 1.0]), -1.0);
    }

    #[test]
    fn errors_orders_and_intervals_are_counted() {
        let pair = |name: &str, measured_ns, predicted_ns| MeasuredPair {
            problem: "p".to_owned(),
            name: name.to_owned(),
            suite: "ladders".to_owned(),
            measured_ns,
            predicted_ns,
            interval_ns: [0.9 * predicted_ns, 1.1 * predicted_ns],
            limiter: String::new(),
            roofline_ns: 1.0,
            without: BTreeMap::from([("the L1".to_owned(), 2.0 * predicted_ns)]),
        };
        let found = Summary::of(&[pair("a", 100.0, 105.0), pair("b", 200.0, 100.0)]);
        assert_eq!((found.count, found.pairs, found.ordered), (2, 1, 0.0));
        assert_eq!(found.coverage, 0.5);
        assert!((found.mean - 0.275).abs() < 1e-9);
        let rows = ablated(&[pair("a", 100.0, 105.0), pair("b", 200.0, 100.0)]);
        assert_eq!((rows[1].0.as_str(), rows.len()), ("the L1", 2));
        assert!((rows[1].1.mean - 0.55).abs() < 1e-9);
    }
}
