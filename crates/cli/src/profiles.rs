//! A profile in words: the kernel as a whole, its hot spots, and its lines with their counts.

use crate::output::{bytes, short_count, thousands};
use crate::subject::Sources;
use lanework_lab::{BanksRecord, CountsRecord, LineRecord, ProfileRecord, SectorsRecord};
use std::path::Path;

/// Hot spots that are shown.
const HOT: usize = 5;
/// Columns of the listing's code.
const CODE: usize = 36;

/// The profile as text of at most 100 columns.
pub fn describe(name: &str, record: &ProfileRecord, sources: &Sources) -> String {
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
    let mut text = format!(
        "{name}: {} blocks of {} threads, on the emulator\n",
        shape(record.grid),
        shape(record.block)
    );
    if let Some(sample) = record.sampled {
        text.push_str(&format!(
            "SAMPLED: counts are of {} of {} blocks\n",
            thousands(sample.blocks_counted),
            thousands(sample.blocks)
        ));
    }
    text.push_str(&totals(record));
    text.push_str(&hot_spots(record, sources));
    text.push_str(&listing(record, sources));
    text.push('\n');
    text
}

fn percent(part: u64, whole: u64) -> String {
    format!("{:.0} %", 100.0 * part as f64 / whole.max(1) as f64)
}

/// The kernel as a whole, a line for each thing that it did.
fn totals(record: &ProfileRecord) -> String {
    let c = &record.counters;
    let mut rows: Vec<(&str, String)> = Vec::new();
    rows.push((
        "instructions",
        format!(
            "{} of warps, {:.1} of 32 lanes active",
            thousands(c.warp_instructions),
            c.active_lanes()
        ),
    ));
    let mut classes: Vec<_> = record.classes.iter().collect();
    classes.sort_by(|a, b| b.1.cmp(a.1).then(a.0.cmp(b.0)));
    let shares: Vec<String> = classes
        .iter()
        .take(5)
        .map(|(class, count)| format!("{class} {}", percent(**count, c.warp_instructions)))
        .collect();
    rows.push(("", shares.join(", ")));
    let sectors = |name, s: &SectorsRecord| {
        (s.requests > 0).then(|| {
            let each = |count: u64| count as f64 / s.requests as f64;
            let text = format!(
                "{} requests, {} sectors: {:.2} each, ideal {:.2}",
                thousands(s.requests),
                thousands(s.sectors),
                each(s.sectors),
                each(s.ideal_sectors)
            );
            (name, text)
        })
    };
    rows.extend(sectors("global loads", &c.global_load));
    rows.extend(sectors("global stores", &c.global_store));
    rows.extend(sectors("global atomics", &c.global_atomic));
    rows.extend(sectors("local loads", &c.local_load));
    rows.extend(sectors("local stores", &c.local_store));
    let banks = |name, b: &BanksRecord| {
        (b.requests > 0).then(|| {
            let text = format!(
                "{} requests, {} wavefronts, {} bank conflicts",
                thousands(b.requests),
                thousands(b.wavefronts),
                thousands(b.bank_conflicts)
            );
            (name, text)
        })
    };
    rows.extend(banks("shared loads", &c.shared_load));
    rows.extend(banks("shared stores", &c.shared_store));
    rows.extend(banks("shared atomics", &c.shared_atomic));
    rows.extend(banks("shared copies", &c.shared_copy));
    if c.atomic_collisions > 0 {
        rows.push((
            "contention",
            format!(
                "{} lanes of atomics wait for a lower lane's address",
                thousands(c.atomic_collisions)
            ),
        ));
    }
    if c.barriers + c.divergent_branches > 0 {
        let text = format!(
            "{} arrivals; {} branches part their warp",
            thousands(c.barriers),
            thousands(c.divergent_branches)
        );
        rows.push(("barriers", text));
    }
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
    if let Some(caches) = &record.modelled_caches {
        rows.push((
            "caches",
            format!(
                "modelled, first {} blocks: L1 {}, L2 {} of loads; {} from memory",
                thousands(caches.blocks),
                percent(caches.l1_hits, caches.l1_sectors),
                percent(caches.l2_hits, caches.l2_sectors),
                bytes(caches.memory_bytes)
            ),
        ));
    }
    rows.iter().map(|(name, text)| format!("  {name:<15}{text}\n")).collect()
}

/// The place of a line in few letters.
fn place(line: &LineRecord) -> String {
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

/// The code of a line; of what has no text, its instructions.
fn code(line: &LineRecord, sources: &Sources) -> String {
    let code = sources.line(line.file.as_deref(), line.line);
    if code.is_empty() { line.names.join(", ") } else { code }
}

/// The lines that weigh most, with what is remarkable about them.
fn hot_spots(record: &ProfileRecord, sources: &Sources) -> String {
    let mut lines: Vec<&LineRecord> = record.lines.iter().collect();
    lines.sort_by(|a, b| b.share.total_cmp(&a.share));
    let mut text = String::from(
        "\nHot spots (issue slots, sectors and wavefronts in cycles of a multiprocessor)\n",
    );
    for line in lines.iter().take(HOT).filter(|line| line.share >= 0.01) {
        let code = sources.line(line.file.as_deref(), line.line);
        text.push_str(&format!(
            "  {:>3.0} %  {}  {}\n",
            100.0 * line.share,
            place(line),
            cut(&code, 60)
        ));
        for remark in &line.remarks {
            text.push_str(&format!("         {remark}\n"));
        }
    }
    text
}

/// At most `most` characters of a text.
fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some(_) => text.chars().take(most - 1).chain(['…']).collect(),
        None => text.to_owned(),
    }
}

/// A bar of eight columns.
fn bar(share: f64) -> String {
    let eighths = (share * 64.0).round() as usize;
    let mut text = "█".repeat(eighths / 8);
    if !eighths.is_multiple_of(8) {
        text.push(['▏', '▎', '▍', '▌', '▋', '▊', '▉'][eighths % 8 - 1]);
    }
    format!("{text:<8}")
}

/// Every line with its counts.
fn listing(record: &ProfileRecord, sources: &Sources) -> String {
    let mut text = format!(
        "\n{:<22} {:<8} {:>7} {:>5} {:>7} {:>7}  code\n",
        "line", "share", "instr.", "lanes", "sectors", "wavefr."
    );
    for line in &record.lines {
        let c: &CountsRecord = &line.counters;
        let blank = |count: u64| if count == 0 { String::new() } else { short_count(count as f64) };
        let code = code(line, sources);
        let place = place(line);
        let place = match place.chars().count() {
            0..=22 => place,
            long => format!("…{}", place.chars().skip(long - 21).collect::<String>()),
        };
        text.push_str(&format!(
            "{place:<22} {} {:>7} {:>5.1} {:>7} {:>7}  {}\n",
            bar(line.share.min(1.0)),
            short_count(c.warp_instructions as f64),
            c.active_lanes(),
            blank(c.sectors()),
            blank(c.wavefronts()),
            cut(&code, CODE)
        ));
    }
    text.push_str("Counts by the emulator, per warp; sectors of 32 bytes, wavefronts through shared memory's banks.\n");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_and_cuts_fit_their_columns() {
        assert_eq!(bar(0.0), "        ");
        assert_eq!(bar(1.0), "████████");
        assert_eq!(bar(0.5).chars().count(), 8);
        assert_eq!(cut("abcdef", 4), "abc…");
        assert_eq!(cut("abc", 4), "abc");
    }
}
