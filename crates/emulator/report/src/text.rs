//! Formats a profile as text: the totals of the kernel, its hot spots, and tables of its lines with their cost, memory
//! traffic and work. Also formats the verdict of a check in one line.

use crate::layout::{Block, Cell, Column, Table, columns, excerpt, join};
use crate::record::{LineRecord, ProfileRecord, Sources};
use lanework_emulator::sanitize::{Level, Report, readable_name};
use lanework_emulator::words::{Row, beside_optimum, bytes, short_count, thousands};
use lanework_emulator::{Bulk, Counters, Distributed, Global, Shared};
use std::collections::BTreeSet;
use std::path::Path;

/// Maximum width of a hot spot's code.
const CODE: usize = 60;
/// Number of hot spots.
const HOT: usize = 5;

/// Width of the text.
const WIDTH: usize = 100;

/// Formats a profile in at most 100 columns, unless a name is longer.
pub fn describe(name: &str, record: &ProfileRecord, sources: &Sources) -> String {
    join(&profile_blocks(name, record, sources, WIDTH), WIDTH)
}

/// Formats a profile as blocks for lines of `width` columns.
pub fn profile_blocks(
    name: &str,
    record: &ProfileRecord,
    sources: &Sources,
    width: usize,
) -> Vec<Block> {
    let shape = |axes: [u32; 3]| {
        let used = if axes[2] > 1 {
            3
        } else if axes[1] > 1 {
            2
        } else {
            1
        };
        axes[..used].iter().map(u32::to_string).collect::<Vec<_>>().join("x")
    };
    let mut blocks = vec![Block::text(format!(
        "{name}: {} of {}, on the emulator",
        counted(&shape(record.grid), "block"),
        counted(&shape(record.block), "thread")
    ))];
    if let Some(sample) = record.sampled {
        blocks.push(Block::text(format!(
            "SAMPLED: counts are of {} of {} blocks",
            thousands(sample.blocks_counted),
            thousands(sample.blocks)
        )));
    }
    blocks.extend(totals(record));
    blocks.extend(hot_spots(record, sources, width));
    blocks.extend(tables(record, sources));
    blocks.push(Block::text(""));
    blocks
}

/// A number or a shape with a noun in the singular or the plural.
fn counted(count: &str, noun: &str) -> String {
    if count == "1" { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

fn percent(part: u64, whole: u64) -> String {
    format!("{:.0} %", 100.0 * part as f64 / whole.max(1) as f64)
}

/// The totals of the kernel, with one row per counter.
fn totals(record: &ProfileRecord) -> Vec<Block> {
    let c = &record.counters;
    let mut rows: Vec<Row> = vec![c.instructions_row()];
    let mut classes: Vec<_> = record.classes.iter().collect();
    classes.sort_by(|a, b| b.1.cmp(a.1).then(a.0.cmp(b.0)));
    let shares: Vec<String> = classes
        .iter()
        .map(|(class, count)| format!("{class}\u{a0}{}", percent(**count, c.warp_instructions)))
        .collect();
    rows.push(("", shares.join(", ")));
    rows.extend(c.traffic_rows());
    if let Some(intensity) = record.intensity {
        let text = format!(
            "{} floating-point operations, {} of sectors: {intensity:.2} per byte",
            short_count(record.flops as f64),
            bytes(record.sector_bytes)
        );
        rows.push(("work", text));
    }
    let r = &record.resources;
    let spills =
        if r.spill_bytes > 0 { format!(", {} B spilled", r.spill_bytes) } else { String::new() };
    rows.push((
        "occupancy",
        format!(
            "{:.0} % of {}: {} resident, limited by {} (~{} registers{spills}, {} B shared)",
            100.0 * r.occupancy,
            record.gpu,
            r.resident_blocks,
            r.limiter,
            r.registers,
            thousands(r.shared_bytes.into())
        ),
    ));
    if let Some(caches) = &record.modeled_caches {
        rows.push((
            "caches",
            format!(
                "modeled, first {}: L1 {}, L2 {} of loads; {} from memory",
                counted(&thousands(caches.blocks), "block"),
                percent(caches.l1_hits, caches.l1_sectors),
                percent(caches.l2_hits, caches.l2_sectors),
                bytes(caches.memory_bytes)
            ),
        ));
    }
    let block = |(name, text): Row| Block::labeled(format!("  {name:<15}"), text);
    rows.into_iter().map(block).collect()
}

/// The lines with the largest shares, with remarks on their counters.
fn hot_spots(record: &ProfileRecord, sources: &Sources, width: usize) -> Vec<Block> {
    let mut lines: Vec<&LineRecord> = record.lines.iter().collect();
    lines.sort_by(|a, b| b.share.total_cmp(&a.share));
    let title =
        "Hot spots (share of issue slots, sectors and wavefronts, in cycles of one multiprocessor)";
    let mut blocks = vec![Block::text(""), Block::text(title)];
    for line in lines.iter().take(HOT).filter(|line| line.share >= 0.01) {
        let label = format!("  {:>3.0} %  ", 100.0 * line.share);
        let place = place(line);
        let room = width.saturating_sub(columns(&label) + columns(&place) + 2);
        let code = excerpt(&code(line, sources), room.min(CODE));
        blocks.push(Block::labeled(label, format!("{place}\u{a0}\u{a0}{code}").trim_end()));
        for remark in &line.remarks {
            blocks.push(Block::labeled(format!("{:9}", ""), remark.as_str()));
        }
    }
    blocks
}

/// Maximum width of a `file:line`.
const PLACE: usize = 22;

/// All tables, with an explanation of their headers.
pub fn tables(record: &ProfileRecord, sources: &Sources) -> Vec<Block> {
    let tables = [listing(record, sources), memory(record), work(record)];
    let tables = tables.into_iter().filter(|table| !table.is_empty());
    let mut blocks: Vec<Block> =
        tables.flat_map(|table| [Block::text(""), Block::Table(table)]).collect();
    blocks.push(Block::text(""));
    blocks.push(Block::text(
        "Counted by the emulator: instructions, requests, barriers and branches per warp; flops and bytes of all \
         lanes. per request (opt): sectors of 32 bytes, or wavefronts of shared memory, and their optimum; excess: \
         those above it, in shared memory bank conflicts; diverg.: divergent branches; contention: lanes of \
         atomics with the address of a lower lane of the request; bulk: copies that threads start, by the bytes of \
         global memory.",
    ));
    blocks
}

/// Formats a line as `file:line`.
pub fn place(line: &LineRecord) -> String {
    let number = line.instructions.first().copied().unwrap_or(0);
    let file = line.file.as_deref().map_or("ptx", |file| {
        Path::new(file).file_name().and_then(|name| name.to_str()).unwrap_or(file)
    });
    match (line.line, line.instructions.len()) {
        (0, 1) => format!("instruction {number}"),
        (0, _) => "(no line)".to_owned(),
        (line, _) => format!("{file}:{line}"),
    }
}

/// A cell with `file:line`; its short form keeps the end.
fn short_place(line: &LineRecord) -> Cell {
    let place = place(line);
    let short = match place.chars().count() {
        0..=PLACE => place.clone(),
        long => format!("…{}", place.chars().skip(long + 1 - PLACE).collect::<String>()),
    };
    Cell::from(place).short(short)
}

/// The code of a line, or its instructions if there is no source text.
pub fn code(line: &LineRecord, sources: &Sources) -> String {
    let code = sources.line(line.file.as_deref(), line.line);
    if code.is_empty() {
        let mut names: Vec<&str> = line.names.iter().map(String::as_str).collect();
        names.dedup();
        return names.join(", ");
    }
    code
}

/// A bar of eight columns.
fn bar(share: f64) -> String {
    let eighths = (share * 64.0).round() as usize;
    let mut text = "█".repeat(eighths / 8);
    if !eighths.is_multiple_of(8) {
        text.push(['▏', '▎', '▍', '▌', '▋', '▊', '▉'][eighths % 8 - 1]);
    }
    text
}

/// A count; empty for zero.
fn blank(count: u64) -> Cell {
    Cell::from(if count == 0 { String::new() } else { short_count(count as f64) })
}

/// Lists every line with its cost.
fn listing(record: &ProfileRecord, sources: &Sources) -> Table {
    let mut table = Table::new([
        Column::name("line"),
        Column::label("share").rank(4),
        Column::number("instr.").rank(0),
        Column::number("lanes").rank(3),
        Column::number("sectors").rank(1),
        Column::number("wavefr.").rank(1),
        Column::excerpt("code").rank(2),
    ]);
    for line in &record.lines {
        let c: &Counters = &line.counters;
        table.row([
            short_place(line),
            bar(line.share.min(1.0)).into(),
            short_count(c.warp_instructions as f64).into(),
            format!("{:.1}", c.active_lanes()).into(),
            blank(c.sectors()),
            blank(c.wavefronts()),
            code(line, sources).into(),
        ]);
    }
    table
}

/// Traffic of a kind of access: requests, units per request, optimal units per request, excess
/// units, and bytes.
type Traffic = (u64, f64, f64, u64, u64);

fn in_sectors(s: &Global) -> Traffic {
    let each = |count: u64| count as f64 / s.requests.max(1) as f64;
    let excess = s.sectors.saturating_sub(s.ideal_sectors);
    (s.requests, each(s.sectors), each(s.ideal_sectors), excess, s.bytes)
}

fn in_wavefronts(b: &Shared) -> Traffic {
    let each = |count: u64| count as f64 / b.requests.max(1) as f64;
    let ideal = b.wavefronts.saturating_sub(b.bank_conflicts);
    (b.requests, each(b.wavefronts), each(ideal), b.bank_conflicts, b.bytes)
}

fn in_bulk(s: &Bulk) -> Traffic {
    let each = |count: u64| count as f64 / s.requests.max(1) as f64;
    let excess = s.sectors.saturating_sub(s.ideal_sectors);
    (s.requests, each(s.sectors), each(s.ideal_sectors), excess, s.bytes)
}

fn in_shared(s: &Distributed) -> Traffic {
    let each = s.bytes as f64 / s.requests.max(1) as f64;
    (s.requests, each, each, 0, s.bytes)
}

/// The memory traffic of each line, with one row per kind of access.
fn memory(record: &ProfileRecord) -> Table {
    let mut table = Table::new([
        Column::name("memory"),
        Column::label("access").rank(0),
        Column::number("requests").rank(3),
        Column::number("per request (opt)").rank(1),
        Column::label("").rank(1),
        Column::number("excess").rank(2),
        Column::number("bytes").rank(4),
    ]);
    for line in &record.lines {
        let c = &line.counters;
        let kinds = [
            ("global load", "sectors", in_sectors(&c.global_load)),
            ("global store", "sectors", in_sectors(&c.global_store)),
            ("global atomic", "sectors", in_sectors(&c.global_atomic)),
            ("local load", "sectors", in_sectors(&c.local_load)),
            ("local store", "sectors", in_sectors(&c.local_store)),
            ("shared load", "wavefronts", in_wavefronts(&c.shared_load)),
            ("shared store", "wavefronts", in_wavefronts(&c.shared_store)),
            ("shared atomic", "wavefronts", in_wavefronts(&c.shared_atomic)),
            ("shared copy", "wavefronts", in_wavefronts(&c.shared_copy)),
            ("bulk load", "sectors", in_bulk(&c.bulk_load)),
            ("bulk store", "sectors", in_bulk(&c.bulk_store)),
            ("bulk reduce", "sectors", in_bulk(&c.bulk_reduce)),
            ("bulk shared", "bytes", in_shared(&c.bulk_shared)),
        ];
        let mut name = short_place(line);
        for (kind, unit, (requests, each, ideal, excess, bytes)) in kinds {
            if requests == 0 {
                continue;
            }
            table.row([
                std::mem::take(&mut name),
                kind.into(),
                short_count(requests as f64).into(),
                beside_optimum(each, ideal).into(),
                unit.into(),
                blank(excess),
                short_count(bytes as f64).into(),
            ]);
        }
    }
    table
}

/// The work of each line: instructions by class, arithmetic, barriers, divergence, contention.
fn work(record: &ProfileRecord) -> Table {
    let mut table = Table::new([
        Column::name("work"),
        Column::number("flops").rank(1),
        Column::number("per B").rank(3),
        Column::number("barriers").rank(2),
        Column::number("diverg.").rank(2),
        Column::number("contention").rank(4),
        Column::text("instructions by class").rank(0),
    ]);
    for line in &record.lines {
        let c = &line.counters;
        let mut classes: Vec<_> = line.classes.iter().collect();
        classes.sort_by(|a, b| b.1.cmp(a.1).then(a.0.cmp(b.0)));
        let classes: Vec<String> = classes
            .iter()
            .map(|(class, count)| format!("{class}\u{a0}{}", short_count(**count as f64)))
            .collect();
        let per_byte = match line.intensity {
            Some(intensity) if line.flops > 0 => format!("{intensity:.2}"),
            _ => String::new(),
        };
        table.row([
            short_place(line),
            blank(line.flops),
            per_byte.into(),
            blank(c.barriers),
            blank(c.divergent_branches),
            blank(c.atomic_collisions),
            classes.join(", ").into(),
        ]);
    }
    table
}

/// The last lines of a check.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verdict {
    /// Name of the checked kernel, or the number of kernels.
    pub kernels: String,
    /// Number of errors as text; empty if zero.
    pub errors: String,
    /// Number of warnings as text; empty if zero.
    pub warnings: String,
}

/// Summarizes a check of the kernels with these names.
pub fn verdict<'a>(
    names: &[String],
    found: impl IntoIterator<Item = &'a Report> + Clone,
) -> Verdict {
    let kernels = match names {
        // The program only copied and filled memory.
        [] => "the program".to_owned(),
        [only] => only.clone(),
        names => format!("{} kernels", names.len()),
    };
    let words = |level: Level| {
        let of_level = found.clone().into_iter().filter(|one| one.kind.info().level == level);
        let of_level: Vec<&Report> = of_level.collect();
        let (all, times) = (of_level.len(), of_level.iter().map(|one| one.count).sum::<u64>());
        let found_in: BTreeSet<&str> = of_level.iter().map(|one| one.kernel.as_str()).collect();
        let place = match (names, found_in.len()) {
            // Calls of the host, alone or in addition.
            _ if found_in.contains("") => "the program".to_owned(),
            ([_], _) => kernels.clone(),
            (_, 1) => found_in.iter().map(|kernel| readable_name(kernel)).collect(),
            (_, many) => format!("{many} kernels"),
        };
        match all {
            0 => String::new(),
            1 if times == 1 => format!("1 {} in {place}, once", level.name()),
            1 => format!("1 {} in {place}, {times} times", level.name()),
            many => format!("{many} {}s in {place}, {times} times in all", level.name()),
        }
    };
    let (errors, warnings) = (words(Level::Error), words(Level::Warning));
    Verdict { kernels, errors, warnings }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lanework_emulator::sanitize::ReportKind;

    #[test]
    fn a_bar_has_eight_parts_of_eight() {
        assert_eq!(bar(0.0), "");
        assert_eq!(bar(1.0), "████████");
        assert_eq!(bar(0.5 + 1.0 / 64.0), "████▏");
    }

    #[test]
    fn a_verdict_names_the_kernels_with_findings() {
        let found = |kernel: &str, count| Report {
            kernel: kernel.to_owned(),
            count,
            ..Report::new(ReportKind::Race)
        };
        let names = ["step".to_owned(), "sum".to_owned()];
        let said = |names: &[String], found: &[Report]| verdict(names, found).errors;
        let of_step = [found("_Z4stepPf", 295), found("_Z4stepPf", 5)];
        assert_eq!(said(&names, &of_step), "2 errors in step, 300 times in all");
        assert_eq!(
            said(&names, &[found("a", 1), found("b", 1)]),
            "2 errors in 2 kernels, 2 times in all"
        );
        // A call of the host is no fault of the kernel.
        assert_eq!(said(&names[..1], &[found("", 1)]), "1 error in the program, once");
        assert_eq!(said(&names[..1], &[found("_Z4stepPf", 1)]), "1 error in step, once");
        assert_eq!(verdict(&names, &of_step).kernels, "2 kernels");
    }

    #[test]
    fn traffic_is_per_request_with_its_optimum() {
        let sectors = Global { requests: 2, sectors: 64, ideal_sectors: 8, ..Global::default() };
        assert_eq!(in_sectors(&sectors), (2, 32.0, 4.0, 56, 0));
        let banks = Shared { requests: 2, wavefronts: 64, bank_conflicts: 62, ..Shared::default() };
        assert_eq!(in_wavefronts(&banks), (2, 32.0, 1.0, 62, 0));
    }
}
