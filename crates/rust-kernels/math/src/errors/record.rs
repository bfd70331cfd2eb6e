//! The result of a measurement of one function in one format: a line of text, as the examples print it and
//! `docs/results/h200/math.txt` keeps it.

use super::Worst;
use std::fmt;

/// The arguments that were tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Numbers of `f32`.
    Single,
    /// Numbers of `f64`.
    Double,
    /// Pairs of `f32`.
    SinglePairs,
    /// Pairs of `f64`.
    DoublePairs,
}

impl Kind {
    /// All of them, with their names in a line.
    pub const ALL: [(Kind, &str); 4] = [
        (Kind::Single, "f32"),
        (Kind::Double, "f64"),
        (Kind::SinglePairs, "f32 pairs"),
        (Kind::DoublePairs, "f64 pairs"),
    ];

    /// Whether the format is `f64`.
    pub fn is_double(self) -> bool {
        matches!(self, Kind::Double | Kind::DoublePairs)
    }

    fn name(self) -> &'static str {
        Kind::ALL.iter().find(|(kind, _)| *kind == self).map_or("", |(_, name)| name)
    }
}

/// The largest error of a function in one format.
///
/// ```
/// use lanework_math::errors::Record;
/// let line = "exp f32: 4294967296 judged, 0 of another kind, 0.8088 ulp at 0xc0bad240";
/// assert_eq!(Record::parse(line).unwrap().to_string(), line);
/// assert_eq!(Record::parse(&format!("{line}; bound 0.85; ok")).unwrap().to_string(), line);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// The function.
    pub name: String,
    /// The arguments that were tried.
    pub kind: Kind,
    /// The number of these arguments.
    pub judged: u64,
    /// How many results were a NaN where there is a value, an infinity or a zero of the wrong sign, or the reverse.
    pub other: u64,
    /// The largest error and its arguments.
    pub worst: Worst,
}

impl Record {
    /// The record of a line; `None` if the line holds no record.
    pub fn parse(line: &str) -> Option<Record> {
        let (head, rest) = line.split_once(": ")?;
        let (name, kind) = head.split_once(' ')?;
        let (kind, _) = Kind::ALL.into_iter().find(|(_, known)| *known == kind)?;
        let (judged, rest) = rest.split_once(" judged, ")?;
        let (other, rest) = rest.split_once(" of another kind, ")?;
        let (ulps, rest) = rest.split_once(" ulp at ")?;
        let mut at = [0; 2];
        // What follows a semicolon is about the run.
        for (bits, word) in at.iter_mut().zip(rest.split(';').next()?.split(' ')) {
            *bits = u64::from_str_radix(word.strip_prefix("0x")?, 16).ok()?;
        }
        Some(Record {
            name: name.into(),
            kind,
            judged: judged.parse().ok()?,
            other: other.parse().ok()?,
            worst: Worst { ulps: ulps.parse().ok()?, at },
        })
    }

    /// The arguments of the largest error, in hexadecimal.
    pub fn arguments(&self) -> Vec<String> {
        let pairs = matches!(self.kind, Kind::SinglePairs | Kind::DoublePairs);
        let width = if self.kind.is_double() { 18 } else { 10 };
        self.worst.at[..1 + usize::from(pairs)]
            .iter()
            .map(|bits| format!("{bits:#0width$x}"))
            .collect()
    }
}

impl fmt::Display for Record {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Record { name, kind, judged, other, worst } = self;
        let (kind, at) = (kind.name(), self.arguments().join(" "));
        write!(
            f,
            "{name} {kind}: {judged} judged, {other} of another kind, {:.4} ulp at {at}",
            worst.ulps
        )
    }
}
