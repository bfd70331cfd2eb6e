//! Predicted limits of a profiled kernel: speed of light, stalls, a roofline in text; and two profiles line by line.

use lanework::report::{LineRecord, ProfileRecord, Sources, TensorType};
use lanework_lab::Gpu;
use lanework_terminal::output::{duration, short_count};
use lanework_terminal::table::{Column, Table, listed, prose, shown};
use serde_json::Value;
use std::collections::BTreeMap;

/// Width of a full bar, and of the roofline.
const BAR: usize = 40;
/// Rows of the roofline.
const ROWS: usize = 8;
/// Columns of the roofline for a step of its scale.
const STEP: f64 = 4.0;
/// Stalls that are listed.
const STALLS: usize = 5;

/// Speed of light, issue slots, stalls and roofline of a kernel, from the JSON form of its prediction.
pub fn describe(found: &Value, record: &ProfileRecord, gpu: &Gpu) -> String {
    let name = found["gpu"].as_str().unwrap_or_default();
    let mut text = prose(&format!("Speed of light on {name}, predicted"));
    let mut table =
        Table::new([Column::name("unit"), Column::number("busy"), Column::text("while it runs")]);
    let parts = found["utilization"].as_object().into_iter().flatten();
    for (name, part) in parts {
        let part = part.as_f64().unwrap_or_default();
        let filled = (part.min(1.0) * BAR as f64).round() as usize;
        table.row([name.to_owned(), format!("{:.0} %", 100.0 * part), "#".repeat(filled)]);
    }
    text.push_str(&shown(&table));
    text.push_str(&prose(
        "The launch is left out. A unit that is always busy works at the rate that it can sustain: for DRAM below the nominal \
         bandwidth. The FP32 pipe also multiplies integers.",
    ));
    text.push_str(&stalls(found));
    text + &roofline(found, record, gpu)
}

/// The shares of warp cycles that issue, and that wait, by reason, of the lines that the prediction lists.
fn stalls(found: &Value) -> String {
    let lines = || found["lines"].as_array().into_iter().flatten();
    let issued: f64 = lines().filter_map(|line| line["issued"].as_f64()).sum();
    let mut lost: BTreeMap<&str, f64> = BTreeMap::new();
    for (name, cycles) in lines().filter_map(|line| line["lost"].as_object()).flatten() {
        *lost.entry(name.as_str()).or_default() += cycles.as_f64().unwrap_or_default();
    }
    let mut reasons: Vec<(f64, &str)> =
        lost.into_iter().map(|(name, cycles)| (cycles, name)).collect();
    reasons.sort_by(|a, b| b.0.total_cmp(&a.0));
    let all = issued + reasons.iter().map(|(cycles, _)| cycles).sum::<f64>();
    let share = |cycles: f64| format!("{:.0} %", 100.0 * cycles / all.max(1.0));
    let notable = reasons.iter().take(STALLS).filter(|(cycles, _)| *cycles > all / 200.0);
    let named: Vec<String> =
        notable.map(|(cycles, name)| format!("{name} {}", share(*cycles))).collect();
    listed(
        "  ",
        &format!("warp cycles, predicted: issuing {}, {}", share(issued), named.join(", ")),
    )
}

/// The kernel under the roofline of the GPU: operations per byte of its sectors, and per second of its predicted time.
fn roofline(found: &Value, record: &ProfileRecord, gpu: &Gpu) -> String {
    let (bandwidth, peak) = (gpu.bandwidth_gb_s, peak(record, gpu));
    let whole = record.sampled.map_or(1.0, |part| part.blocks as f64 / part.blocks_counted as f64);
    let flops = record.flops as f64 * whole;
    let time = found["predicted_ns"].as_f64().unwrap_or(f64::MAX);
    let Some(intensity) = record.intensity.filter(|intensity| *intensity > 0.0) else {
        let bytes = record.sector_bytes as f64 * whole;
        return listed(
            "  ",
            &format!(
                "no floating-point operations: {:.0} GB/s of sectors in {}, of {bandwidth:.0} GB/s of memory",
                bytes / time,
                duration(time)
            ),
        );
    };
    let rate = flops / time;
    let roof = (intensity * bandwidth).min(peak);
    let mut text = listed(
        "  ",
        &format!(
            "roofline: {intensity:.2} floating-point operations per byte of sectors; {rate:.0} GFLOP/s of {roof:.0} ({:.0} %)",
            100.0 * rate / roof
        ),
    );
    for row in picture(intensity, rate, bandwidth, peak) {
        text.push_str(&format!("  {row}\n"));
    }
    text + &prose(match record.tensor_flops.is_empty() {
        true => {
            "roofline: GFLOP/s over operations per byte, both on logarithmic scales; o: this kernel; /: memory; =: FP32 without \
             tensor cores. Sectors that hit a cache may lift a kernel above the roof."
        }
        false => {
            "roofline: GFLOP/s over operations per byte, both on logarithmic scales; o: this kernel; /: memory; =: tensor cores, \
             and FP32 for the operations outside them. Sectors that hit a cache may lift a kernel above the roof."
        }
    })
}

/// The peak rate in GFLOP/s of the kernel's mix of operations: each kind at the peak of its unit, one after another.
fn peak(record: &ProfileRecord, gpu: &Gpu) -> f64 {
    let half = gpu.bf16_tflops;
    let of = |kind: TensorType| match kind {
        TensorType::Half => half,
        TensorType::Tf32 => gpu.tf32_tflops,
        // Twice the rate of half precision where tensor cores have 8-bit floats.
        TensorType::Fp8 => half.map(|rate| 2.0 * rate),
        // On the GPUs that have them for double precision, their rate is that of FP32 without tensor cores.
        TensorType::Double => None,
    };
    let rate = |kind: TensorType| of(kind).unwrap_or(gpu.fp32_tflops);
    let tensor: u64 = record.tensor_flops.values().sum();
    let lanes = record.flops.saturating_sub(tensor) as f64 / gpu.fp32_tflops;
    let products = record.tensor_flops.iter().map(|(kind, flops)| *flops as f64 / rate(*kind));
    match record.flops {
        0 => 1e3 * gpu.fp32_tflops,
        flops => 1e3 * flops as f64 / (lanes + products.sum::<f64>()),
    }
}

/// Rows of a plot with logarithmic axes, whose scales contain the kernel: a row or four columns stand for a factor that
/// is a power of two.
fn picture(intensity: f64, rate: f64, bandwidth: f64, peak: f64) -> Vec<String> {
    let middle = (BAR / 2) as f64;
    let ridge = (peak / bandwidth).log2();
    let below = (peak / rate.max(1e-9)).log2();
    let per_row = (below / (ROWS - 1) as f64).ceil().max(1.0);
    let from_ridge = intensity.log2() - ridge;
    let per_step = (from_ridge.abs() / (middle / STEP)).ceil().max(1.0);
    let row_of = |rate: f64| ((peak / rate).log2() / per_row).round().max(0.0) as usize;
    let intensity_at =
        |column: usize| 2f64.powf(ridge + (column as f64 - middle) / STEP * per_step);
    let mut rows = vec![vec![' '; BAR + 1]; ROWS];
    for (row, cells) in rows.iter_mut().enumerate() {
        for (column, cell) in cells.iter_mut().enumerate() {
            let roof = (intensity_at(column) * bandwidth).min(peak);
            if row_of(roof) == row {
                *cell = if roof < peak { '/' } else { '=' };
            }
        }
    }
    let column = (middle + STEP * from_ridge / per_step).round() as usize;
    rows[(below / per_row).round().max(0.0) as usize][column] = 'o';
    let of = |(row, cells): (usize, Vec<char>)| {
        let label = figure(peak / 2f64.powf(row as f64 * per_row));
        format!("{label:>9} |{}", cells.into_iter().collect::<String>().trim_end())
    };
    let mut drawn: Vec<String> = rows.into_iter().enumerate().map(of).collect();
    let [left, center, right] = [0, BAR / 2, BAR].map(|column| figure(intensity_at(column)));
    drawn.push(format!("{:>9} +{}", "", "-".repeat(BAR + 1)));
    drawn.push(format!("{:>9}  {left:<18}{center:^5}{right:>18}", ""));
    drawn
}

/// A label of an axis.
fn figure(value: f64) -> String {
    match value {
        ..0.095 => format!("{value:.3}"),
        ..0.95 => format!("{value:.2}"),
        ..9.5 => format!("{value:.1}"),
        _ => format!("{value:.0}"),
    }
}

/// A profile with the text of each of its lines.
pub struct Listing<'a> {
    /// The name of the kernel.
    pub name: &'a str,
    /// The profile.
    pub record: &'a ProfileRecord,
    /// The texts, from [`texts`].
    pub texts: &'a [String],
}

/// The text of each line of a profile. Two profiles may have lines of the same file name, or of two PTX texts.
pub fn texts(record: &ProfileRecord, sources: &Sources) -> Vec<String> {
    record.lines.iter().map(|line| sources.line(line.file.as_deref(), line.line)).collect()
}

/// A line of one of two profiles.
struct Listed<'a> {
    text: &'a str,
    record: &'a LineRecord,
}

/// Two profiles line by line: lines with the same text are compared, in order.
pub fn against(ours: &Listing<'_>, theirs: &Listing<'_>) -> String {
    let (name, other_name) = (ours.name, theirs.name);
    let (ours, theirs) = (lines(ours), lines(theirs));
    let mut differ = false;
    let mut table = Table::new([
        Column::number("line"),
        Column::number("other").rank(3),
        Column::number("warp instr.").rank(1),
        Column::number("sectors").rank(0),
        Column::number("conflicts").rank(2),
        Column::text("source").rank(4),
    ]);
    let mut totals = BTreeMap::new();
    for (ours, theirs) in pairs(&ours, &theirs) {
        let count = |of: fn(&lanework::Counters) -> u64| {
            [ours, theirs].map(|one| one.map(|one| of(&one.record.counters)))
        };
        let figures = [
            count(|c| c.warp_instructions),
            count(|c| c.global_load.sectors + c.global_store.sectors + c.global_atomic.sectors),
            count(|c| c.shared_load.bank_conflicts + c.shared_store.bank_conflicts),
        ];
        for (index, [a, b]) in figures.iter().enumerate() {
            let total = totals.entry(index).or_insert((0, 0));
            *total = (total.0 + a.unwrap_or(0), total.1 + b.unwrap_or(0));
        }
        if figures.iter().all(|[a, b]| a == b) {
            continue;
        }
        differ = true;
        let number = |one: Option<&Listed<'_>>| match one.map(|one| one.record) {
            None => "-".to_owned(),
            // What the compiler adds to the lines of the source.
            Some(line) if line.file.is_none() && line.line == 0 => "other".to_owned(),
            Some(line) if line.file.is_none() => format!("ptx:{}", line.line),
            Some(line) => line.line.to_string(),
        };
        let shown = |[a, b]: [Option<u64>; 2]| match (a.unwrap_or(0), b.unwrap_or(0)) {
            (0, 0) => String::new(),
            (a, b) if a == b => short_count(a as f64),
            (a, b) => format!("{} / {}", short_count(a as f64), short_count(b as f64)),
        };
        let [instructions, sectors, conflicts] = figures.map(shown);
        let text = ours.or(theirs).map_or(String::new(), |one| one.text.to_owned());
        table.row([number(ours), number(theirs), instructions, sectors, conflicts, text]);
    }
    let sum = |index: usize| totals.get(&index).copied().unwrap_or_default();
    let ratio = |(a, b): (u64, u64), what: &str| match (a, b) {
        (a, b) if a == b => format!("equal {what}"),
        (0, b) => format!("no {what}, the other {}", short_count(b as f64)),
        (a, 0) => format!("{} {what}, the other none", short_count(a as f64)),
        (a, b) if a < b => format!("{:.2}x fewer {what}", b as f64 / a as f64),
        (a, b) => format!("{:.2}x more {what}", a as f64 / b as f64),
    };
    let all = ["warp instructions", "global sectors", "bank conflicts"];
    let told: Vec<String> =
        all.iter().enumerate().map(|(index, what)| ratio(sum(index), what)).collect();
    let told = prose(&format!("{name} against {other_name}: {}", told.join(", ")));
    if !differ {
        return told + &prose("No line has other counts.");
    }
    told + &shown(&table)
        + &prose(
            "Lines whose counts differ, as this kernel's / the other's; -: only the other kernel has the line.",
        )
}

fn lines<'a>(listing: &Listing<'a>) -> Vec<Listed<'a>> {
    let lines = listing.record.lines.iter().zip(listing.texts);
    lines.map(|(record, text)| Listed { text, record }).collect()
}

/// Pairs the lines of a longest common subsequence; the others stand alone, in order.
fn pairs<'a>(
    ours: &'a [Listed<'a>],
    theirs: &'a [Listed<'a>],
) -> Vec<(Option<&'a Listed<'a>>, Option<&'a Listed<'a>>)> {
    let (n, m) = (ours.len(), theirs.len());
    let mut longest = vec![vec![0usize; m + 1]; n + 1];
    for i in (0..n).rev() {
        for j in (0..m).rev() {
            longest[i][j] = match ours[i].text == theirs[j].text {
                true => longest[i + 1][j + 1] + 1,
                false => longest[i + 1][j].max(longest[i][j + 1]),
            };
        }
    }
    let (mut i, mut j, mut found) = (0, 0, Vec::new());
    while i < n || j < m {
        if i < n && j < m && ours[i].text == theirs[j].text {
            found.push((Some(&ours[i]), Some(&theirs[j])));
            (i, j) = (i + 1, j + 1);
        } else if j == m || (i < n && longest[i + 1][j] >= longest[i][j + 1]) {
            found.push((Some(&ours[i]), None));
            i += 1;
        } else {
            found.push((None, Some(&theirs[j])));
            j += 1;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::picture;

    #[test]
    fn the_kernel_is_under_its_roof() {
        // The ridge is at 16 operations per byte; the kernel reaches half of the memory's roof at 4.
        let rows = picture(4.0, 50.0, 25.0, 400.0);
        let row = rows.iter().position(|row| row.contains('o')).unwrap();
        let column = rows[row].find('o').unwrap();
        let roof = rows.iter().position(|row| row.chars().nth(column) == Some('/')).unwrap();
        assert_eq!((row, roof), (3, 2));
        assert!(rows[0].contains('='));
        assert!(rows[rows.len() - 1].contains(" 16 "), "{rows:#?}");
    }

    #[test]
    fn the_scale_contains_every_kernel() {
        for (intensity, rate) in [(0.02, 0.5), (0.1, 3.0), (1.0, 900.0), (4000.0, 0.001)] {
            let rows = picture(intensity, rate, 4800.0, 67_000.0);
            let at = rows.iter().position(|row| row.contains('o')).expect("the kernel");
            let label =
                |row: &String| row.split('|').next().unwrap().trim().parse::<f64>().unwrap();
            let factor = label(&rows[0]) / label(&rows[1]).max(1e-3);
            let shown = 67_000.0 / factor.powf(at as f64);
            assert!((shown / rate).log2().abs() <= 0.6 * factor.log2(), "{shown} {rate} {rows:#?}");
        }
    }
}
