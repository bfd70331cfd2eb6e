//! Selects runs and entries.

use crate::error::{Result, StoreError};
use lanework_lab::timing::rfc3339;
use rusqlite::types::Value;
use std::time::{SystemTime, UNIX_EPOCH};

/// Criteria that select runs; empty ones match everything. Names must match completely, ignoring case, except that a
/// GPU's name may match in part.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// The ladder.
    pub ladder: Option<String>,
    /// The rung, or a library that its ladder compares with.
    pub rung: Option<String>,
    /// The user's kernel, by its name or its file.
    pub kernel: Option<String>,
    /// A part of the device's name.
    pub gpu: Option<String>,
    /// The earliest time, RFC 3339 in UTC; see [`since`].
    pub since: Option<String>,
    /// A prefix of the revision of the user's checkout.
    pub revision: Option<String>,
    /// The accepted verdicts.
    pub verdicts: Vec<String>,
    /// The accepted commands.
    pub kinds: Vec<&'static str>,
    /// Maximum number of runs, newest first.
    pub limit: Option<usize>,
}

impl Filter {
    /// SQL conditions on `run`, `r`, and their values; `entry` is the alias of the entries that must match, if any.
    pub(crate) fn conditions(&self) -> (String, Vec<Value>) {
        let mut values = Vec::new();
        let mut add = |text: &str, value: String| {
            values.push(Value::Text(value));
            text.replace('?', &format!("?{}", values.len()))
        };
        let mut of_run = Vec::new();
        if let Some(gpu) = &self.gpu {
            of_run.push(add("instr(lower(r.gpu), lower(?)) > 0", gpu.clone()));
        }
        if let Some(since) = &self.since {
            of_run.push(add("r.started >= ?", since.clone()));
        }
        if let Some(revision) = &self.revision {
            of_run.push(add("substr(r.revision, 1, length(?)) = ?", revision.clone()));
        }
        if !self.kinds.is_empty() {
            let kinds: Vec<String> =
                self.kinds.iter().map(|kind| add("?", (*kind).to_owned())).collect();
            of_run.push(format!("r.kind IN ({})", kinds.join(", ")));
        }
        let mut of_entry = Vec::new();
        if let Some(ladder) = &self.ladder {
            of_entry.push(add("lower(e.ladder) = lower(?)", ladder.clone()));
        }
        if let Some(rung) = &self.rung {
            of_entry.push(add("e.ladder IS NOT NULL AND lower(e.name) = lower(?)", rung.clone()));
        }
        if let Some(kernel) = &self.kernel {
            let text = "e.ladder IS NULL AND (lower(e.name) = lower(?) OR e.file = ?)";
            of_entry.push(add(text, kernel.clone()));
        }
        if !self.verdicts.is_empty() {
            let verdicts: Vec<String> =
                self.verdicts.iter().map(|verdict| add("lower(?)", verdict.clone())).collect();
            of_entry.push(format!("e.verdict IN ({})", verdicts.join(", ")));
        }
        if !of_entry.is_empty() {
            let of_entry = of_entry.join(" AND ");
            of_run
                .push(format!("EXISTS (SELECT 1 FROM entry e WHERE e.run = r.id AND {of_entry})"));
        }
        let text = of_run.iter().map(|condition| format!(" AND ({condition})")).collect();
        (text, values)
    }
}

/// Parses a time: a date, a time in UTC, or an age such as `7d`, `12h`, `30m`.
///
/// # Errors
/// A description of the valid forms.
pub fn since(text: &str) -> Result<String> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    since_at(text, now).ok_or_else(|| StoreError::Request {
        what: format!("`{text}` is not a time"),
        help: "give a date as 2026-11-22, a time as 2026-11-22T16:00:00Z, or how long ago as 7d, 12h or 30m".to_owned(),
    })
}

fn since_at(text: &str, now: u64) -> Option<String> {
    let units = [('d', 86_400), ('h', 3600), ('m', 60), ('w', 7 * 86_400)];
    if let Some((unit, seconds)) = units.into_iter().find(|(unit, _)| text.ends_with(*unit)) {
        let count: u64 = text.strip_suffix(unit)?.parse().ok()?;
        return Some(rfc3339(now.saturating_sub(count.checked_mul(seconds)?)));
    }
    let form = |text: &str, of: &str| {
        let fits = |(found, like): (char, char)| match like {
            '0' => found.is_ascii_digit(),
            like => found == like,
        };
        text.chars().count() == of.len() && text.chars().zip(of.chars()).all(fits)
    };
    let in_range = |at: usize, range: std::ops::RangeInclusive<u32>| {
        text.get(at..at + 2).and_then(|two| two.parse().ok()).is_some_and(|n| range.contains(&n))
    };
    let date = |whole: &str| form(text, whole) && in_range(5, 1..=12) && in_range(8, 1..=31);
    if date("0000-00-00") {
        return Some(format!("{text}T00:00:00Z"));
    }
    let time = date("0000-00-00T00:00:00Z")
        && in_range(11, 0..=23)
        && in_range(14, 0..=59)
        && in_range(17, 0..=59);
    time.then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_dates_or_how_long_ago() {
        let now = 1_795_363_200;
        for (text, expected) in [
            ("2026-11-22", Some("2026-11-22T00:00:00Z")),
            ("2026-11-22T10:20:30Z", Some("2026-11-22T10:20:30Z")),
            ("1d", Some("2026-11-21T16:00:00Z")),
            ("90m", Some("2026-11-22T14:30:00Z")),
            ("999999999999999999d", None),
            ("2026-13-01", None),
            ("2026-11-22T25:00:00Z", None),
            ("yesterday", None),
            ("2026-1-1", None),
            ("é", None),
            ("", None),
        ] {
            assert_eq!(since_at(text, now).as_deref(), expected, "{text}");
        }
    }
}
