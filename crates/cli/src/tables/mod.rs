//! Climbs as tables: verification, counts or times, and the reason why a rung is faster; and predicted times as text.

pub mod limits;
pub mod points;
pub mod story;

use lanework::Backend;
use lanework::ptx::cpp_names;
use lanework::report::Sources;
use lanework::time::predict::{LineLoss, Prediction};
use lanework_lab::{Accuracy, ClimbRecord, RungRecord, TimeRecord};
use lanework_terminal::output::{duration, short_count, thousands};
use lanework_terminal::table::{Cell, Column, Table, Tone, listed, prose, shown};
use serde_json::Value;

/// The climb as text.
pub fn describe(record: &ClimbRecord, backend: Backend) -> String {
    let settings: Vec<String> =
        record.settings.iter().map(|(name, value)| format!(", {name} {value}")).collect();
    let mut text = prose(&format!(
        "{} of {} {} on {} (driver {}){}, seed {}",
        record.ladder,
        record.size_in_words(),
        record.element,
        record.device.name,
        record.device.driver,
        settings.concat(),
        record.seed,
    ));
    for line in &record.analysis {
        text.push_str(&listed("  ", line));
    }
    text.push_str(&match backend {
        Backend::Emulator => counted(record),
        Backend::Cuda => timed(record),
    });
    text.push_str(&story::steps(record));
    text.push_str(&errors(record));
    for (peer, why) in &record.skipped_peers {
        text.push_str(&prose(&format!("\n{peer} was skipped: {why}")));
    }
    if let Some(host) = &record.host {
        text.push_str(&prose(&format!(
            "\nhost ({}): {} serially, median of {}, host clock",
            host.experiment,
            duration(host.median_ns),
            host.samples
        )));
    }
    text
}

/// The verdict on the result of a rung.
fn verdict(rung: &RungRecord) -> Cell {
    match (&rung.accuracy, &rung.skipped) {
        (_, Some(_)) => Cell::from("skipped").tone(Tone::Weak),
        (Some(Accuracy::BitExact), _) => Cell::from("bit-exact").tone(Tone::Good),
        (Some(Accuracy::WithinBound { .. }), _) => {
            Cell::from("within tolerance").short("tolerance").tone(Tone::Good)
        }
        (None, None) => Cell::from(match rung.rejection {
            Some("wrong") => "WRONG",
            Some(_) => "LOW PRECISION",
            None => "NO",
        })
        .tone(Tone::Bad),
    }
}

/// The columns that both tables begin with.
fn first_columns() -> Vec<Column> {
    vec![Column::name("rung"), Column::label("exp.").rank(9), Column::label("verified").rank(2)]
}

/// The columns of registers and occupancy.
fn of_resources() -> [Column; 2] {
    [Column::number("regs").rank(5), Column::number("occup.").rank(5)]
}

/// Registers and occupancy.
fn resources(rung: &RungRecord) -> [Cell; 2] {
    let Some(taken) = &rung.resources else { return [Cell::default(), Cell::default()] };
    let about = if taken.estimated { "~" } else { "" };
    let registers = match taken.spill_bytes {
        0 => format!("{about}{}", taken.registers),
        bytes => format!("{about}{} +{bytes} B", taken.registers),
    };
    [registers.into(), format!("{:.0} %", 100.0 * taken.occupancy).into()]
}

/// The predicted time.
fn predicted_time(rung: &RungRecord) -> String {
    rung.predicted.as_ref().map_or(String::new(), |found| duration(found.predicted_ns))
}

/// The table of counts.
fn counted(record: &ClimbRecord) -> String {
    let mut columns = first_columns();
    columns.extend([
        Column::number("sectors/load (opt)").short("s/load (opt)").rank(1),
        Column::number("sectors/store (opt)").short("s/store (opt)").rank(1),
        Column::number("bank conflicts").rank(3),
        Column::number("predicted").rank(2),
        Column::number("warp instr.").rank(4),
        Column::number("instr./warp").rank(8),
        Column::number("lanes").rank(7),
    ]);
    columns.extend(of_resources());
    let mut rows = Table::new(columns);
    for rung in &record.rungs {
        let mut row = vec![rung.name.into(), rung.experiment.into(), verdict(rung)];
        if let Some(counters) = &rung.counters {
            let conflicts =
                counters.shared_load.bank_conflicts + counters.shared_store.bank_conflicts;
            row.extend([
                counters.global_load.per_request().into(),
                counters.global_store.per_request().into(),
                short_count(conflicts as f64).into(),
                predicted_time(rung).into(),
                short_count(counters.warp_instructions as f64).into(),
                rung.instructions_per_warp().map_or(String::new(), short_count).into(),
                rung.active_lanes().map_or(String::new(), |lanes| format!("{lanes:.1}")).into(),
            ]);
            row.extend(resources(rung));
        }
        rows.row(row);
    }
    let mut text = shown(&rows);
    if let Some(sample) = record.rungs.iter().find_map(|rung| rung.sampled) {
        text.push_str(&prose(&format!(
            "Counts are of a sample of blocks ({} of {} for the first such rung); every element was verified.",
            thousands(sample.blocks_counted),
            thousands(sample.blocks)
        )));
    }
    text + &prose(
        "Counted by the emulator, which does not model time. sectors/load, sectors/store: 32-byte sectors per \
         warp request to global memory (opt: what the lanes' bytes fill at best); bank conflicts: excess \
         wavefronts of shared memory, at best 0; lanes: mean of active lanes, at best 32; regs: 32-bit registers \
         per thread, estimated; occup.: on an H200.",
    ) + &prose(PREDICTED)
}

/// The table of times.
fn timed(record: &ClimbRecord) -> String {
    let computes = record.work.flops > 0;
    let cycles = record.rungs.iter().any(|rung| rung.figures.contains_key("cycles"));
    let host = record.rungs.iter().any(|rung| rung.figures.contains_key("host_ns"));
    let mut columns = first_columns();
    columns.extend([
        Column::number("median").rank(0),
        Column::number("+-").rank(4),
        Column::number("GB/s").rank(if computes { 6 } else { 1 }),
    ]);
    columns.extend(computes.then(|| Column::number("GFLOP/s").rank(1)));
    columns.extend(of_resources());
    columns.push(Column::number("vs before").rank(3));
    let predicted = record.rungs.iter().any(|rung| rung.predicted.is_some());
    columns.extend(predicted.then(|| Column::number("predicted").rank(4)));
    columns.extend(cycles.then(|| Column::number("cycles").rank(7)));
    columns.extend(host.then(|| Column::number("host part").rank(7)));
    let mut rows = Table::new(columns);
    for rung in &record.rungs {
        let mut row = vec![rung.name.into(), rung.experiment.into(), verdict(rung)];
        if let Some(time) = &rung.time {
            let rate = |figure: f64| rate(time, figure);
            let half = (time.interval_ns[1] - time.interval_ns[0]) / time.median_ns / 2.0;
            row.extend([
                duration(time.median_ns).into(),
                format!("{:.2} %", 100.0 * half).into(),
                rate(time.gigabytes_per_second),
            ]);
            row.extend(computes.then(|| rate(time.gigaflops_per_second)));
            row.extend(resources(rung));
            let ratio = rung.speedup.map_or(String::new(), |ratio| format!("{ratio:.2}x"));
            row.push(ratio.into());
            row.extend(predicted.then(|| predicted_time(rung).into()));
            let figure = |name: &str| rung.figures.get(name).copied();
            if cycles {
                row.push(figure("cycles").map_or(String::new(), short_count).into());
            }
            if host {
                row.push(figure("host_ns").map_or(String::new(), duration).into());
            }
        }
        rows.row(row);
    }
    let mut text = shown(&rows);
    for rung in &record.rungs {
        if let Some(why) = rung.time.as_ref().and_then(|time| time.invalid.as_ref()) {
            text.push_str(&prose(&format!("{}: INVALID: {why}", rung.name)));
        }
    }
    text + &prose(
        "GPU event time, cold cache; +-: half of the median's 95 % interval; GB/s counts each input read once \
         and each output written once.",
    ) + &match predicted {
        true => prose(PREDICTED),
        false => String::new(),
    }
}

/// Ladders and `lanework predict` time one launch with empty caches, as Nsight Compute does.
const PREDICTED: &str = "predicted: a time by the model with cold caches, not a measurement. \
                         The order of the rungs may differ at other sizes.";

/// A rate, unless the time cannot be right.
fn rate(time: &TimeRecord, figure: f64) -> Cell {
    match &time.invalid {
        Some(_) => Cell::from("INVALID").tone(Tone::Bad),
        None => format!("{figure:.0}").into(),
    }
}

/// The errors of rungs that round.
fn errors(record: &ClimbRecord) -> String {
    let mut rows = Table::new([
        Column::name("rung"),
        Column::number("max rel. error"),
        Column::number("mean rel. error"),
        Column::number("normwise"),
        Column::number("of bound"),
    ]);
    for rung in &record.rungs {
        let Some(Accuracy::WithinBound {
            max_relative, mean_relative, normwise, bound_used, ..
        }) = rung.accuracy
        else {
            continue;
        };
        rows.row([
            rung.name.to_owned(),
            format!("{max_relative:.2e}"),
            format!("{mean_relative:.2e}"),
            format!("{normwise:.2e}"),
            format!("{:.0} %", 100.0 * bound_used),
        ]);
    }
    match rows.is_empty() {
        true => String::new(),
        false => format!("\nErrors against FP64 on the host\n{}", shown(&rows)),
    }
}

/// Lines of a kernel that are listed.
const LISTED: usize = 8;

/// One line: the kernel, its predicted time with the interval, and the limit.
pub fn predicted_line(kernel: &str, found: &Value) -> String {
    let ns = |value: &Value| duration(value.as_f64().unwrap_or_default());
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let [low, high] = [0, 1].map(|end| ns(&found["interval_ns"][end]));
    // One unit is enough for both ends of the interval.
    let low = match (low.split_once(' '), high.split_once(' ')) {
        (Some((number, unit)), Some((_, other))) if unit == other => number,
        _ => &low,
    };
    let caches = match found["protocol"].as_str() {
        Some("warm") => "warm caches",
        _ => "cold caches",
    };
    let (kernel, time) = (cpp_names::readable(kernel), ns(&found["predicted_ns"]));
    let (gpu, limit) = (text(&found["gpu"]), text(&found["limiter"]));
    let line = match found["cut"].as_bool() {
        Some(true) => format!(
            "{kernel}: predicted {time} ({low} to {high}) on {gpu}, {caches}, limited by {limit}; only part of a block was traced"
        ),
        _ => format!(
            "{kernel}: predicted {time} ({low} to {high}) on {gpu}, {caches}, limited by {limit}"
        ),
    };
    listed("", &line)
}

/// The registers per thread of a prediction, and whether they are estimated.
pub fn predicted_registers(found: &Value) -> Option<(u32, bool)> {
    let registers = u32::try_from(found["registers"].as_u64()?).ok()?;
    Some((registers, found["registers_estimated"].as_bool().unwrap_or(true)))
}

/// A prediction with the lines that lose most.
pub fn describe_prediction(name: &str, found: &Prediction, sources: &Sources) -> String {
    let mut text = predicted_line(name, &found.value());
    text.push_str(&listed(
        "  ",
        &format!(
            "{} of {} blocks traced; {} resident blocks per multiprocessor, limited by {}; {:.1} waves",
            found.traced, found.blocks, found.resident.0, found.resident.1, found.waves,
        ),
    ));
    for note in &found.notes {
        text.push_str(&listed("  ", &format!("wider interval: {note}")));
    }
    let all: f64 = found.lines.iter().map(LineLoss::cycles).sum();
    let mut table = Table::new([
        Column::name("line"),
        Column::number("warp cycles").short("cycles").rank(0),
        Column::label("lost to").rank(1),
        Column::text("source").rank(2),
    ]);
    for line in found.lines.iter().take(LISTED) {
        let file = line.file.as_deref();
        let place = match file.and_then(|file| file.rsplit('/').next()) {
            Some(file) => format!("{file}:{}", line.line),
            None => format!("ptx:{}", line.line),
        };
        table.row([
            place,
            format!("{:.1} %", 100.0 * line.cycles() / all.max(1.0)),
            line.reason().name().to_owned(),
            sources.line(file, line.line),
        ]);
    }
    text + &shown(&table)
        + &prose(
            "Predicted, not measured. Reasons have Nsight Compute's names. The instruction that waits is charged: after a \
             barrier the next line, for a load the line that uses its value.",
        )
}
