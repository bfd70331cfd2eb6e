//! Formats numbers and counters as text.

use crate::counters::{Bulk, Counters, Global, Shared};
use std::fmt;

/// Formats bytes in a suitable unit, rounded to at most one decimal.
pub fn bytes(bytes: u64) -> String {
    let mut size = bytes as f64;
    for unit in ["B", "KB", "MB"] {
        // A value that rounds up to the next unit is shown in that unit.
        if size < 1023.95 {
            return in_unit(size, unit);
        }
        size /= 1024.0;
    }
    in_unit(size, "GB")
}

fn in_unit(size: f64, unit: &str) -> String {
    let tenths = (10.0 * size).round() / 10.0;
    if tenths.fract() == 0.0 {
        format!("{tenths:.0} {unit}")
    } else {
        format!("{tenths:.1} {unit}")
    }
}

/// Formats a count with thousands separators.
pub fn thousands(count: u64) -> String {
    let digits = count.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Formats a count in about six characters: in full up to 99,999, then with a suffix.
pub fn short_count(count: f64) -> String {
    match count {
        // A value that rounds up to the next form is shown in that form.
        count if count < 99_999.5 => thousands(count.round() as u64),
        count if count < 999.5e3 => format!("{:.0} k", count / 1e3),
        count if count < 999.9995e6 => format!("{:.3} M", count / 1e6),
        count => format!("{:.3} G", count / 1e9),
    }
}

/// Formats a mean per request and its optimum, as `16.50 (8)`.
pub fn beside_optimum(mean: f64, optimum: f64) -> String {
    let short = |figure: f64| {
        let text = format!("{figure:.2}");
        text.strip_suffix(".00").map_or(text.clone(), str::to_owned)
    };
    format!("{} ({})", short(mean), short(optimum))
}

impl Global {
    /// Formats sectors per request and the optimum, as `16.50 (8)`; `-` without requests.
    pub fn per_request(&self) -> String {
        match self.requests {
            0 => "-".to_owned(),
            _ => beside_optimum(self.sectors_per_request(), self.ideal_sectors_per_request()),
        }
    }
}

/// A name and its numbers.
pub type Row = (&'static str, String);

/// Formats a row as a line of two columns.
pub fn row((name, text): &Row) -> String {
    format!("  {name:<15}{text}\n")
}

fn sectors(name: &'static str, s: &Global) -> Option<Row> {
    let each = |count: u64| count as f64 / s.requests as f64;
    (s.requests > 0).then(|| {
        let text = format!(
            "{} requests, {} sectors: {:.2} each, optimal {:.2}",
            thousands(s.requests),
            thousands(s.sectors),
            each(s.sectors),
            each(s.ideal_sectors)
        );
        (name, text)
    })
}

fn copies(name: &'static str, s: &Bulk) -> Option<Row> {
    (s.requests > 0).then(|| {
        let text = format!(
            "{} copies, {} of global memory, {} sectors, optimal {}",
            thousands(s.requests),
            bytes(s.bytes),
            thousands(s.sectors),
            thousands(s.ideal_sectors)
        );
        (name, text)
    })
}

fn banks(name: &'static str, b: &Shared) -> Option<Row> {
    (b.requests > 0).then(|| {
        let text = format!(
            "{} requests, {} wavefronts, {} bank conflicts",
            thousands(b.requests),
            thousands(b.wavefronts),
            thousands(b.bank_conflicts)
        );
        (name, text)
    })
}

impl Counters {
    /// The instruction counts as a row.
    pub fn instructions_row(&self) -> Row {
        let lanes = self.active_lanes();
        let warps = thousands(self.warp_instructions);
        ("instructions", format!("{warps} warp instructions, {lanes:.1} of 32 lanes active"))
    }

    /// Memory traffic, contention, barriers and branches as rows; omits zero counts.
    pub fn traffic_rows(&self) -> Vec<Row> {
        let mut rows: Vec<Row> = Vec::new();
        rows.extend(sectors("global loads", &self.global_load));
        rows.extend(sectors("global stores", &self.global_store));
        rows.extend(sectors("global atomics", &self.global_atomic));
        rows.extend(sectors("local loads", &self.local_load));
        rows.extend(sectors("local stores", &self.local_store));
        rows.extend(copies("bulk loads", &self.bulk_load));
        rows.extend(copies("bulk stores", &self.bulk_store));
        rows.extend(copies("bulk reduction", &self.bulk_reduce));
        if self.bulk_shared.requests > 0 {
            let (copies, moved) =
                (thousands(self.bulk_shared.requests), bytes(self.bulk_shared.bytes));
            let text = format!("{copies} copies, {moved}, from shared to shared memory");
            rows.push(("bulk shared", text));
        }
        rows.extend(banks("shared loads", &self.shared_load));
        rows.extend(banks("shared stores", &self.shared_store));
        rows.extend(banks("shared atomics", &self.shared_atomic));
        rows.extend(banks("shared copies", &self.shared_copy));
        if self.atomic_collisions > 0 {
            let lanes = thousands(self.atomic_collisions);
            let text = format!("{lanes} lanes of atomics share the address of a lower lane");
            rows.push(("contention", text));
        }
        if self.barriers + self.divergent_branches > 0 {
            let (arrivals, branches) =
                (thousands(self.barriers), thousands(self.divergent_branches));
            let text = match self.divergent_branches {
                1 => format!("{arrivals} arrivals; 1 divergent branch"),
                _ => format!("{arrivals} arrivals; {branches} divergent branches"),
            };
            rows.push(("barriers", text));
        }
        rows
    }
}

/// Formats the totals as `lanework profile` prints them, with one line per kind of traffic.
impl fmt::Display for Counters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&row(&self.instructions_row()))?;
        self.traffic_rows().iter().try_for_each(|one| f.write_str(&row(one)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_have_units_and_separators() {
        assert_eq!(bytes(48 * 1024), "48 KB");
        assert_eq!(bytes(1023), "1023 B");
        assert_eq!(bytes(1535), "1.5 KB");
        assert_eq!(bytes((1 << 20) - 1), "1 MB");
        assert_eq!(bytes(1_999_999), "1.9 MB");
        assert_eq!(bytes(3 << 29), "1.5 GB");
        assert_eq!(thousands(1_048_576), "1,048,576");
        assert_eq!(thousands(7), "7");
        assert_eq!(short_count(99_999.0), "99,999");
        assert_eq!(short_count(41.7), "42");
        assert_eq!(short_count(99_999.7), "100 k");
        assert_eq!(short_count(999_600.0), "1.000 M");
        assert_eq!(short_count(7_340_059.0), "7.340 M");
    }

    #[test]
    fn counts_are_shown_with_their_optimum() {
        let of = |sectors, ideal_sectors| {
            Global { requests: 8, sectors, ideal_sectors, ..Global::default() }.per_request()
        };
        // 16-byte accesses take four times the sectors of 4-byte accesses, and both are optimal.
        assert_eq!((of(128, 128).as_str(), of(32, 32).as_str()), ("16 (16)", "4 (4)"));
        assert_eq!(of(132, 64), "16.50 (8)");
        assert_eq!(Global::default().per_request(), "-");
    }

    #[test]
    fn counters_print_only_nonzero_values() {
        let mut counters =
            Counters { warp_instructions: 1000, lane_instructions: 16_000, ..Counters::default() };
        counters.global_load =
            Global { requests: 2, sectors: 64, ideal_sectors: 8, ..Global::default() };
        assert_eq!(
            counters.to_string(),
            "  instructions   1,000 warp instructions, 16.0 of 32 lanes active\n  \
             global loads   2 requests, 64 sectors: 32.00 each, optimal 4.00\n"
        );
    }
}
