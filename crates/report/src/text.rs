//! A profile as text: the totals of the kernel, its hot spots, and its lines with their counts.

use crate::record::{LineRecord, ProfileRecord};
use crate::sources::Sources;
use crate::tables::{code, cut, place, tables, wrapped};
use lanework_sim::words::{Row, bytes, row, short_count, thousands};

/// The number of hot spots.
const HOT: usize = 5;

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
    text.push_str(&tables(record, sources));
    text.push('\n');
    text
}

fn percent(part: u64, whole: u64) -> String {
    format!("{:.0} %", 100.0 * part as f64 / whole.max(1) as f64)
}

/// The totals of the kernel, a row for each counter.
fn totals(record: &ProfileRecord) -> String {
    let c = &record.counters;
    let mut rows: Vec<Row> = vec![c.instructions_row()];
    let mut classes: Vec<_> = record.classes.iter().collect();
    classes.sort_by(|a, b| b.1.cmp(a.1).then(a.0.cmp(b.0)));
    let shares: Vec<String> = classes
        .iter()
        .map(|(class, count)| format!("{class} {}", percent(**count, c.warp_instructions)))
        .collect();
    rows.extend(wrapped(&shares, 83).into_iter().map(|line| ("", line)));
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
    rows.iter().map(row).collect()
}

/// Words in lines of at most `most` characters.
fn lines_of(words: &[&str], most: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in words {
        match lines.last_mut() {
            Some(line) if line.chars().count() + word.chars().count() < most => {
                line.push_str(&format!(" {word}"));
            }
            _ => lines.push((*word).to_owned()),
        }
    }
    lines
}

/// The lines with the largest shares, with remarks on their counts.
fn hot_spots(record: &ProfileRecord, sources: &Sources) -> String {
    let mut lines: Vec<&LineRecord> = record.lines.iter().collect();
    lines.sort_by(|a, b| b.share.total_cmp(&a.share));
    let mut text = String::from(
        "\nHot spots (share of issue slots, sectors and wavefronts, in cycles of one multiprocessor)\n",
    );
    for line in lines.iter().take(HOT).filter(|line| line.share >= 0.01) {
        let said = format!(
            "  {:>3.0} %  {}  {}",
            100.0 * line.share,
            place(line),
            cut(&code(line, sources), 60)
        );
        text.push_str(&format!("{}\n", cut(&said, 100)));
        for remark in &line.remarks {
            let words: Vec<&str> = remark.split(' ').collect();
            for (n, said) in lines_of(&words, 89).into_iter().enumerate() {
                let indent = if n == 0 { 9 } else { 11 };
                text.push_str(&format!("{:indent$}{said}\n", ""));
            }
        }
    }
    text
}
