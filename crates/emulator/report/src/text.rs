//! A profile as text: the totals of the kernel, its hot spots, and its lines with their counts.

use crate::layout::{Block, columns, excerpt, join};
use crate::record::{LineRecord, ProfileRecord};
use crate::sources::Sources;
use crate::tables::{code, place, tables};
use lanework_emulator::words::{Row, bytes, short_count, thousands};

/// Columns of the code of a hot spot.
const CODE: usize = 60;
/// The number of hot spots.
const HOT: usize = 5;

/// Columns of the text.
const WIDTH: usize = 100;

/// The profile as text of at most 100 columns, but where a name is longer.
pub fn describe(name: &str, record: &ProfileRecord, sources: &Sources) -> String {
    join(&profile_blocks(name, record, sources, WIDTH), WIDTH)
}

/// The profile in parts, for a line of so many columns.
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
        "{name}: {} blocks of {} threads, on the emulator",
        shape(record.grid),
        shape(record.block)
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

fn percent(part: u64, whole: u64) -> String {
    format!("{:.0} %", 100.0 * part as f64 / whole.max(1) as f64)
}

/// The totals of the kernel, a row for each counter.
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
    let block = |(name, text): Row| Block::labelled(format!("  {name:<15}"), text);
    rows.into_iter().map(block).collect()
}

/// The lines with the largest shares, with remarks on their counts.
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
        blocks.push(Block::labelled(label, format!("{place}\u{a0}\u{a0}{code}").trim_end()));
        for remark in &line.remarks {
            blocks.push(Block::labelled(format!("{:9}", ""), remark.as_str()));
        }
    }
    blocks
}
