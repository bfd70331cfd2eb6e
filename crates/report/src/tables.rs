//! The lines of a profile as tables: the cost of each, its memory traffic, its work.

use crate::record::{LineRecord, ProfileRecord};
use crate::sources::Sources;
use lanework_sim::words::short_count;
use lanework_sim::{Bulk, Counters, Distributed, Global, Shared};
use std::path::Path;

/// Columns of the places.
const PLACE: usize = 22;
/// Columns of the code.
const CODE: usize = 36;
/// Columns of the classes, and of what stands before them.
const CLASSES: usize = 33;
const BEFORE_CLASSES: usize = PLACE + 45;

/// All tables; each line of text has at most 100 columns.
pub fn tables(record: &ProfileRecord, sources: &Sources) -> String {
    listing(record, sources) + &memory(record) + &work(record)
}

/// The place of a line, as `file:line`.
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

/// The place cut to its columns, the end of a longer one.
fn short_place(line: &LineRecord) -> String {
    let place = place(line);
    match place.chars().count() {
        0..=PLACE => place,
        long => format!("…{}", place.chars().skip(long + 1 - PLACE).collect::<String>()),
    }
}

/// The code of a line; without source text, its instructions.
pub fn code(line: &LineRecord, sources: &Sources) -> String {
    let code = sources.line(line.file.as_deref(), line.line);
    if code.is_empty() { line.names.join(", ") } else { code }
}

/// At most `most` characters of a text.
pub fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some(_) => text.chars().take(most - 1).chain(['…']).collect(),
        None => text.to_owned(),
    }
}

/// Parts joined by `, `, in lines of at most `most` characters: nothing is left out.
pub fn wrapped(parts: &[String], most: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for part in parts {
        match lines.last_mut() {
            Some(line) if line.chars().count() + part.chars().count() + 3 <= most => {
                line.push_str(&format!(", {part}"));
            }
            Some(line) => {
                line.push(',');
                lines.push(part.clone());
            }
            None => lines.push(part.clone()),
        }
    }
    lines
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

/// A count; empty for zero.
fn blank(count: u64) -> String {
    if count == 0 { String::new() } else { short_count(count as f64) }
}

/// Every line with its cost.
fn listing(record: &ProfileRecord, sources: &Sources) -> String {
    let mut text = format!(
        "\n{:<PLACE$} {:<8} {:>7} {:>5} {:>7} {:>7}  code\n",
        "line", "share", "instr.", "lanes", "sectors", "wavefr."
    );
    for line in &record.lines {
        let c: &Counters = &line.counters;
        text.push_str(&format!(
            "{:<PLACE$} {} {:>7} {:>5.1} {:>7} {:>7}  {}\n",
            short_place(line),
            bar(line.share.min(1.0)),
            short_count(c.warp_instructions as f64),
            c.active_lanes(),
            blank(c.sectors()),
            blank(c.wavefronts()),
            cut(&code(line, sources), CODE)
        ));
    }
    text
}

/// The traffic of a kind of access: requests, units per request, the optimum per request, excess units,
/// and bytes.
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

/// The memory traffic of each line, a row for each kind of access.
fn memory(record: &ProfileRecord) -> String {
    let mut rows = String::new();
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
            let row = format!(
                "{name:<PLACE$} {kind:<13} {:>8} {each:>9.2} {unit:<10} {ideal:>6.2} {:>8} {:>10}",
                short_count(requests as f64),
                blank(excess),
                short_count(bytes as f64),
            );
            rows.push_str(row.trim_end());
            rows.push('\n');
            name.clear();
        }
    }
    if rows.is_empty() {
        return String::new();
    }
    format!(
        "\n{:<PLACE$} {:<13} {:>8} {:>9} {:<10} {:>6} {:>8} {:>10}\n{rows}",
        "memory", "access", "requests", "each", "", "ideal", "excess", "bytes"
    )
}

/// The work of each line: instructions by class, arithmetic, barriers, divergence, contention.
fn work(record: &ProfileRecord) -> String {
    let mut text = format!(
        "\n{:<PLACE$} {:>7} {:>6} {:>8} {:>7} {:>10}  instructions by class\n",
        "work", "flops", "per B", "barriers", "diverg.", "contention"
    );
    for line in &record.lines {
        let c = &line.counters;
        let mut classes: Vec<_> = line.classes.iter().collect();
        classes.sort_by(|a, b| b.1.cmp(a.1).then(a.0.cmp(b.0)));
        let classes: Vec<String> = classes
            .iter()
            .map(|(class, count)| format!("{class} {}", short_count(**count as f64)))
            .collect();
        let per_byte = match line.intensity {
            Some(intensity) if line.flops > 0 => format!("{intensity:.2}"),
            _ => String::new(),
        };
        let mut classes = wrapped(&classes, CLASSES).into_iter();
        let row = format!(
            "{:<PLACE$} {:>7} {per_byte:>6} {:>8} {:>7} {:>10}  {}",
            short_place(line),
            blank(line.flops),
            blank(c.barriers),
            blank(c.divergent_branches),
            blank(c.atomic_collisions),
            classes.next().unwrap_or_default()
        );
        text.push_str(row.trim_end());
        text.push('\n');
        for more in classes {
            text.push_str(&format!("{:<BEFORE_CLASSES$}{more}\n", ""));
        }
    }
    text.push_str(
        "\nCounted by the emulator: instructions, requests, barriers and branches per warp; flops and bytes \
         of\nall lanes. each: sectors of 32 bytes, or wavefronts of shared memory, per request; excess: \
         those\nabove the ideal, in shared memory bank conflicts; diverg.: divergent branches; contention: \
         lanes of\natomics with the address of a lower lane of the request; bulk: copies that threads start, by \
         the\nbytes of global memory.\n",
    );
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

    #[test]
    fn classes_are_wrapped_and_none_is_left_out() {
        let parts: Vec<String> = ["integers 12", "fp32 8", "global memory 4", "shared memory 2"]
            .map(str::to_owned)
            .into();
        let lines = wrapped(&parts, 22);
        assert_eq!(lines, ["integers 12, fp32 8,", "global memory 4,", "shared memory 2"]);
        assert!(wrapped(&[], 10).is_empty());
    }

    #[test]
    fn traffic_is_per_request_with_its_optimum() {
        let sectors = Global { requests: 2, sectors: 64, ideal_sectors: 8, ..Global::default() };
        assert_eq!(in_sectors(&sectors), (2, 32.0, 4.0, 56, 0));
        let banks = Shared { requests: 2, wavefronts: 64, bank_conflicts: 62, ..Shared::default() };
        assert_eq!(in_wavefronts(&banks), (2, 32.0, 1.0, 62, 0));
    }
}
