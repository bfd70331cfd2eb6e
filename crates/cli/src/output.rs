//! Output: tables that fit the terminal, progress while waiting, JSON for machines.

use crate::failure::Failure;
use comfy_table::{ColumnConstraint, ContentArrangement, Table, TableComponent, presets};
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;
use std::io::{IsTerminal, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Prints text to standard output. A closed pipe ends the command without a message.
///
/// # Errors
/// When the output cannot be written.
pub fn print(text: &str) -> Result<(), Failure> {
    let mut out = anstream::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()?;
    Ok(())
}

/// Writes a file.
///
/// # Errors
/// When it cannot be written, with its path.
pub fn write(path: &Path, text: &str) -> Result<(), Failure> {
    std::fs::write(path, text).map_err(|error| {
        Failure::input(
            format_args!("{} cannot be written: {error}", path.display()),
            "check the path",
        )
    })
}

/// Whether [`print_json`] was called.
static PRINTED_JSON: AtomicBool = AtomicBool::new(false);

/// Whether standard output has its JSON value.
pub fn json_was_printed() -> bool {
    PRINTED_JSON.load(Ordering::Relaxed)
}

/// Prints one JSON value and a line end.
///
/// # Errors
/// When the output cannot be written.
pub fn print_json(value: &impl Serialize) -> Result<(), Failure> {
    PRINTED_JSON.store(true, Ordering::Relaxed);
    let text = serde_json::to_string_pretty(value).map_err(|error| {
        Failure::Check(format!("the result cannot be written as JSON: {error}"))
    })?;
    print(&format!("{text}\n"))
}

/// A table with this header, as wide as the terminal, or 120 columns into a file.
pub fn table(header: &[&str]) -> Table {
    let mut table = Table::new();
    table.load_preset(presets::NOTHING);
    table.set_style(TableComponent::HeaderLines, '─');
    table.set_style(TableComponent::MiddleHeaderIntersections, '─');
    table.set_content_arrangement(ContentArrangement::Dynamic);
    if !std::io::stdout().is_terminal() {
        table.set_width(120);
    }
    table.set_header(header.to_vec());
    // Names are copied into the next command, so the first column is never wrapped.
    if let Some(names) = table.column_mut(0) {
        names.set_constraint(ColumnConstraint::ContentWidth);
    }
    table
}

/// A progress line on standard error, on a terminal only.
pub struct Spinner(ProgressBar);

impl Spinner {
    /// A spinner with this text.
    pub fn new(what: &str) -> Self {
        let bar = ProgressBar::new_spinner();
        if let Ok(style) = ProgressStyle::with_template("{spinner} {msg} ({elapsed})") {
            bar.set_style(style);
        }
        bar.set_message(what.to_owned());
        bar.enable_steady_tick(Duration::from_millis(120));
        Spinner(bar)
    }

    /// Replaces the text.
    pub fn say(&self, what: &str) {
        self.0.set_message(what.to_owned());
    }
}

impl Drop for Spinner {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

/// Nanoseconds in a suitable unit.
pub fn duration(ns: f64) -> String {
    match ns {
        ns if ns < 1e3 => format!("{ns:.0} ns"),
        ns if ns < 1e6 => format!("{:.2} us", ns / 1e3),
        ns if ns < 1e9 => format!("{:.3} ms", ns / 1e6),
        ns => format!("{:.3} s", ns / 1e9),
    }
}

/// Bytes in a suitable unit, rounded to one decimal; whole ones without.
pub fn bytes(bytes: u64) -> String {
    let mut size = bytes as f64;
    for unit in ["B", "KB", "MB"] {
        // What rounds to the next unit is given in that one.
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

/// A count with thousands separators.
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

/// A count in about six characters: whole up to 99,999, then three decimals and a letter.
pub fn short_count(count: f64) -> String {
    match count {
        // What rounds to the next form is given in that one.
        count if count < 99_999.5 => thousands(count.round() as u64),
        count if count < 999.5e3 => format!("{:.0} k", count / 1e3),
        count if count < 999.9995e6 => format!("{:.3} M", count / 1e6),
        count => format!("{:.3} G", count / 1e9),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_have_units_and_separators() {
        assert_eq!(duration(1_234.0), "1.23 us");
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
}
