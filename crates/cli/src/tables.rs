//! A climb as tables: verification, counts or times, and the reason why a rung is faster.

use crate::output::{duration, short_count, table, thousands};
use lanework::Backend;
use lanework_lab::{Accuracy, ClimbRecord, RungRecord};

/// The climb in words.
pub fn describe(record: &ClimbRecord, backend: Backend) -> String {
    let settings: Vec<String> =
        record.settings.iter().map(|(name, value)| format!(", {name} {value}")).collect();
    let mut text = format!(
        "{} of {} {} on {} (driver {}){}, seed {}\n",
        record.ladder,
        record.size_in_words(),
        record.element,
        record.device.name,
        record.device.driver,
        settings.concat(),
        record.seed,
    );
    for line in &record.analysis {
        text.push_str(&format!("  {line}\n"));
    }
    text.push_str(&match backend {
        Backend::Emulator => counted(record),
        Backend::Cuda => timed(record),
    });
    text.push_str(&errors(record));
    for (peer, why) in &record.skipped_peers {
        text.push_str(&format!("\n{peer} was skipped: {why}\n"));
    }
    if let Some(host) = &record.host {
        text.push_str(&format!(
            "\nhost ({}): {} serially, median of {}, host clock\n",
            host.experiment,
            duration(host.median_ns),
            host.samples
        ));
    }
    text
}

/// The verdict on the result of a rung.
fn verdict(rung: &RungRecord) -> String {
    match (&rung.accuracy, &rung.skipped) {
        (_, Some(_)) => "skipped".to_owned(),
        (Some(Accuracy::BitExact), _) => "bit-exact".to_owned(),
        (Some(Accuracy::WithinBound { .. }), _) => "within tolerance".to_owned(),
        (None, None) => match rung.rejection {
            Some("wrong") => "WRONG".to_owned(),
            Some(_) => "LOW PRECISION".to_owned(),
            None => "NO".to_owned(),
        },
    }
}

/// Registers and occupancy, for two columns.
fn resources(rung: &RungRecord) -> [String; 2] {
    let Some(taken) = &rung.resources else { return [String::new(), String::new()] };
    let registers = match (taken.estimated, taken.spill_bytes) {
        (true, 0) => format!("~{}", taken.registers),
        (true, bytes) => format!("~{} +{bytes} B", taken.registers),
        (false, 0) => taken.registers.to_string(),
        (false, bytes) => format!("{} +{bytes} B", taken.registers),
    };
    [registers, format!("{:.0} %", 100.0 * taken.occupancy)]
}

/// The table of counts.
fn counted(record: &ClimbRecord) -> String {
    let mut rows = table(&[
        "rung",
        "exp.",
        "verified",
        "sectors/ load",
        "sectors/ store",
        "bank conflicts",
        "warp instr.",
        "instr./ warp",
        "lanes",
        "regs",
        "occup.",
    ]);
    for rung in &record.rungs {
        let mut row = vec![rung.name.to_owned(), rung.experiment.to_owned(), verdict(rung)];
        if let Some(counters) = &rung.counters {
            let conflicts =
                counters.shared_load.bank_conflicts + counters.shared_store.bank_conflicts;
            row.extend([
                format!("{:.2}", counters.global_load.sectors_per_request()),
                format!("{:.2}", counters.global_store.sectors_per_request()),
                short_count(conflicts as f64),
                short_count(counters.warp_instructions as f64),
                rung.instructions_per_warp().map_or(String::new(), short_count),
                rung.active_lanes().map_or(String::new(), |lanes| format!("{lanes:.1}")),
            ]);
            row.extend(resources(rung));
        }
        rows.add_row(row);
    }
    let mut text = format!("{rows}\n");
    if let Some(sample) = record.rungs.iter().find_map(|rung| rung.sampled) {
        text.push_str(&format!(
            "Counts are of a sample of blocks ({} of {} for the first such rung); every element was verified.\n",
            thousands(sample.blocks_counted),
            thousands(sample.blocks)
        ));
    }
    text.push_str(
        "Counted by the emulator, which does not model time. sectors/load, sectors/store: 32-byte sectors\n\
         per warp request to global memory; bank conflicts: excess wavefronts of shared memory; lanes:\n\
         mean of active lanes; regs: 32-bit registers per thread, estimated; occup.: on an H200.\n",
    );
    for rung in &record.rungs {
        if let Some(reason) = rung.reason.as_ref().or(rung.skipped.as_ref()) {
            text.push_str(&format!("  {:<16} {reason}\n", rung.name));
        }
    }
    text
}

/// The table of times.
fn timed(record: &ClimbRecord) -> String {
    let computes = record.work.flops > 0;
    let cycles = record.rungs.iter().any(|rung| rung.figures.contains_key("cycles"));
    let host = record.rungs.iter().any(|rung| rung.figures.contains_key("host_ns"));
    let mut header = vec!["rung", "exp.", "verified", "median", "+-", "GB/s"];
    header.extend(computes.then_some("GFLOP/s"));
    header.extend(["regs", "occup.", "vs before"]);
    header.extend(cycles.then_some("cycles"));
    header.extend(host.then_some("host part"));
    let mut rows = table(&header);
    for rung in &record.rungs {
        let mut row = vec![rung.name.to_owned(), rung.experiment.to_owned(), verdict(rung)];
        if let Some(time) = &rung.time {
            let speed = |figure: f64| match &time.invalid {
                Some(_) => "INVALID".to_owned(),
                None => format!("{figure:.0}"),
            };
            row.push(duration(time.median_ns));
            let half = (time.interval_ns[1] - time.interval_ns[0]) / time.median_ns / 2.0;
            row.push(format!("{:.2} %", 100.0 * half));
            row.push(speed(time.gigabytes_per_second));
            row.extend(computes.then(|| speed(time.gigaflops_per_second)));
            row.extend(resources(rung));
            row.push(rung.speedup.map_or(String::new(), |ratio| format!("{ratio:.2}x")));
            let figure = |name: &str| rung.figures.get(name).copied();
            if cycles {
                row.push(figure("cycles").map_or(String::new(), short_count));
            }
            if host {
                row.push(figure("host_ns").map_or(String::new(), duration));
            }
        }
        rows.add_row(row);
    }
    let mut text = format!("{rows}\n");
    for rung in &record.rungs {
        if let Some(why) = rung.time.as_ref().and_then(|time| time.invalid.as_ref()) {
            text.push_str(&format!("{}: INVALID: {why}\n", rung.name));
        }
        if let Some(why) = &rung.skipped {
            text.push_str(&format!("{}: skipped: {why}\n", rung.name));
        }
    }
    text.push_str(
        "GPU event time, cold cache; +-: half of the median's 95 % interval; GB/s counts each input read\n\
         once and each output written once.\n",
    );
    text
}

/// The errors of rungs that round.
fn errors(record: &ClimbRecord) -> String {
    let mut rows = table(&["rung", "max rel. error", "mean rel. error", "normwise", "of bound"]);
    let mut any = false;
    for rung in &record.rungs {
        let Some(Accuracy::WithinBound { max_relative, mean_relative, normwise, bound_used }) =
            rung.accuracy
        else {
            continue;
        };
        any = true;
        rows.add_row([
            rung.name.to_owned(),
            format!("{max_relative:.2e}"),
            format!("{mean_relative:.2e}"),
            format!("{normwise:.2e}"),
            format!("{:.0} %", 100.0 * bound_used),
        ]);
    }
    match any {
        false => String::new(),
        true => format!("\nErrors against FP64 on the host\n{rows}\n"),
    }
}
