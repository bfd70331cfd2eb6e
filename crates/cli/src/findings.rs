//! The sanitizer's findings as text and as JSON.

use crate::sources;
use crate::stopped::ErrorJson;
use lanework::sim::SourceLocation;
use lanework::sim::sanitize::Spot;
use lanework::{Level, Report, ReportKind};
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// A report of the sanitizer with its source line.
pub struct Finding {
    /// The report.
    pub report: Report,
    /// The kernel, as the user names it.
    pub target: String,
    /// The file: of the source, or of the PTX text.
    pub file: String,
    excerpt: Option<String>,
    other: Option<(String, Option<String>)>,
    /// The folder of the PTX file, which relative paths may be relative to.
    pub folder: Option<PathBuf>,
}

/// The name of a file, and its line of this number where it can be read.
fn place(file: &str, line: u32, text: Option<(&str, &str)>) -> (String, Option<String>) {
    let nth = |text: &str| text.lines().nth((line as usize).checked_sub(1)?).map(str::to_owned);
    match (file, text) {
        ("", Some((name, text))) => (name.to_owned(), nth(text)),
        (file, text) => {
            // A relative path may be relative to the folder of the PTX.
            let beside = text.and_then(|(name, _)| Some(Path::new(name).parent()?.join(file)));
            let read = sources::read(file);
            let read = read.or_else(|| std::fs::read_to_string(beside?).ok());
            (file.to_owned(), read.as_deref().and_then(nth))
        }
    }
}

impl Finding {
    /// A report of the kernel called `target`; `text` is the name and the text of its PTX file.
    pub fn new(report: Report, target: &str, text: Option<(&str, &str)>) -> Finding {
        let file = report.location.as_ref().map_or("", |location| location.file.as_str());
        let (file, excerpt) = place(file, report.line(), text);
        let other = report.other.as_ref().map(|other| {
            let (file, line) = match &other.location {
                Some(location) => (location.file.as_str(), location.line),
                None => ("", other.text_line),
            };
            let (file, excerpt) = place(file, line, text);
            (format!("{file}:{line}"), excerpt)
        });
        let folder = text.and_then(|(name, _)| Path::new(name).parent().map(Path::to_owned));
        Finding { target: target.to_owned(), file, excerpt, other, folder, report }
    }

    /// Its column, 0 when unknown.
    pub fn column(&self) -> u32 {
        self.report.location.as_ref().map_or(0, |location| location.column)
    }
}

/// Merges findings of one kind at one line of one kernel, and adds their counts.
pub fn fold(findings: Vec<Finding>) -> Vec<Finding> {
    let mut places: BTreeMap<(String, ReportKind, String, u32, String), usize> = BTreeMap::new();
    let mut folded: Vec<Finding> = Vec::new();
    for finding in findings {
        let other = finding.other.as_ref().map_or(String::new(), |(place, _)| place.clone());
        let line = finding.report.line();
        let name = match finding.report.kind {
            ReportKind::Leak => finding.report.message.clone(),
            _ => finding.target.clone(),
        };
        let key = (name, finding.report.kind, finding.file.clone(), line, other);
        match places.get(&key) {
            Some(index) => {
                let known = &mut folded[*index].report;
                known.count += finding.report.count;
                finding.report.also.into_iter().for_each(|pair| known.add_pair(pair));
            }
            None => {
                places.insert(key, folded.len());
                folded.push(finding);
            }
        }
    }
    folded
}

/// A line of source with a caret under the column.
fn excerpt(text: &mut String, line: u32, column: u32, source: Option<&str>) {
    let Some(source) = source.filter(|source| !source.trim().is_empty()) else { return };
    let number = line.to_string();
    let margin = " ".repeat(number.len());
    let source = source.trim_end();
    let start = match column {
        0 => source.chars().take_while(|c| c.is_whitespace()).count(),
        column => column as usize - 1,
    };
    let blank: String =
        source.chars().take(start).map(|c| if c == '\t' { '\t' } else { ' ' }).collect();
    let word = |c: &char| c.is_alphanumeric() || *c == '_' || *c == '.';
    let width = match column {
        0 => source.chars().count() - start,
        _ => source.chars().skip(start).take_while(word).count(),
    };
    let carets = "^".repeat(width.max(1));
    let _ = writeln!(text, "{margin} |\n{number} | {source}\n{margin} | {blank}{carets}");
}

/// Calls, or pairs of accesses, that a finding lists as text.
const MOST_LINES: usize = 8;

/// The calls around an instruction, the innermost first.
fn calls(text: &mut String, callers: &[SourceLocation]) {
    for at in callers.iter().take(MOST_LINES) {
        let _ = writeln!(text, "  = called at {at}");
    }
    if callers.len() > MOST_LINES {
        let _ = writeln!(text, "  = and {} calls around it", callers.len() - MOST_LINES);
    }
}

/// A finding as text.
pub fn describe(finding: &Finding) -> String {
    let report = &finding.report;
    let level = report.kind.info().level;
    let color = match level {
        Level::Error => anstyle::AnsiColor::Red,
        Level::Warning => anstyle::AnsiColor::Yellow,
    };
    let (color, name) = (color.on_default().bold(), level.name());
    let mut text = format!("{color}{name}[{}]{color:#}: {}\n", report.kind, report.message);
    let triple = |[x, y, z]: [u32; 3]| format!("({x},{y},{z})");
    if report.kind != ReportKind::Leak {
        let line = report.line();
        let column = match finding.column() {
            0 => String::new(),
            column => format!(":{column}"),
        };
        let _ = writeln!(text, "  --> {}:{line}{column}", finding.file);
        excerpt(&mut text, line, finding.column(), finding.excerpt.as_deref());
        calls(&mut text, &report.callers);
        let (thread, block) = (triple(report.thread), triple(report.block));
        let _ = write!(text, "  = thread {thread} of block {block} in `{}`", report.kernel);
        let _ = match report.instruction.as_str() {
            "" => writeln!(text),
            instruction => writeln!(text, ", `{instruction}`"),
        };
    }
    if let (Some(other), Some((place, source))) = (&report.other, &finding.other) {
        let (thread, block) = (triple(other.thread), triple(other.block));
        let _ = writeln!(
            text,
            "  = the other access: `{}` by thread {thread} of block {block}\n  --> {place}",
            other.instruction
        );
        let (line, column) =
            other.location.as_ref().map_or((other.text_line, 0), |at| (at.line, at.column));
        excerpt(&mut text, line, column, source.as_deref());
        calls(&mut text, &other.callers);
    }
    for pair in report.also.iter().take(MOST_LINES) {
        let _ = writeln!(
            text,
            "  = the same barrier is missing between {} and {}",
            pair.other, pair.access
        );
    }
    if report.also.len() > MOST_LINES {
        let _ = writeln!(text, "  = and {} more such pairs", report.also.len() - MOST_LINES);
    }
    if report.count > 1 {
        let _ = writeln!(text, "  = {} times in all", report.count);
    }
    let _ = writeln!(text, "  = help: {}\n", report.help);
    text
}

/// All findings of a check in JSON.
#[derive(Serialize)]
pub struct FindingsJson<'a> {
    checked: &'a [String],
    stopped: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a ErrorJson>,
    reports: Vec<ReportJson<'a>>,
}

/// A finding in JSON.
#[derive(Serialize)]
struct ReportJson<'a> {
    kind: &'static str,
    target: &'a str,
    file: &'a str,
    line: u32,
    column: u32,
    callers: Vec<CallJson<'a>>,
    kernel: &'a str,
    block: [u32; 3],
    thread: [u32; 3],
    instruction: &'a str,
    message: &'a str,
    count: u64,
    address: Option<u64>,
    size: u32,
    allocation: Option<AllocationJson<'a>>,
    other: Option<OtherJson<'a>>,
    also: Vec<PairJson<'a>>,
    help: &'a str,
}

/// A call around the instruction of a finding, in JSON.
#[derive(Serialize)]
struct CallJson<'a> {
    file: &'a str,
    line: u32,
    column: u32,
}

/// A further race that the same missing barrier explains, in JSON.
#[derive(Serialize)]
struct PairJson<'a> {
    file: &'a str,
    line: u32,
    other_file: &'a str,
    other_line: u32,
}

fn calls_json(callers: &[SourceLocation]) -> Vec<CallJson<'_>> {
    let calls = callers.iter();
    calls.map(|at| CallJson { file: &at.file, line: at.line, column: at.column }).collect()
}

/// The allocation or variable of a finding in JSON.
#[derive(Serialize)]
struct AllocationJson<'a> {
    name: &'a str,
    bytes: u64,
    offset: i64,
    distance: u64,
}

/// The other access of a race in JSON.
#[derive(Serialize)]
struct OtherJson<'a> {
    file: &'a str,
    line: u32,
    callers: Vec<CallJson<'a>>,
    instruction: &'a str,
    block: [u32; 3],
    thread: [u32; 3],
}

/// The findings as JSON; `error` is what stopped a kernel that was not checked to its end.
pub fn json<'a>(
    findings: &'a [Finding],
    checked: &'a [String],
    stopped: &'a [String],
    error: Option<&'a ErrorJson>,
) -> FindingsJson<'a> {
    let reports = findings.iter().map(|finding| {
        let report = &finding.report;
        let allocation = report.allocation.as_ref().map(|near| AllocationJson {
            name: &near.name,
            bytes: near.bytes,
            offset: near.offset,
            distance: near.distance,
        });
        let other = report.other.as_ref().map(|other| OtherJson {
            file: other.location.as_ref().map_or(&finding.file, |location| &location.file),
            line: other.location.as_ref().map_or(other.text_line, |location| location.line),
            callers: calls_json(&other.callers),
            instruction: &other.instruction,
            block: other.block,
            thread: other.thread,
        });
        let line = |spot: &'a Spot| match &spot.location {
            Some(at) => (at.file.as_str(), at.line),
            None => (finding.file.as_str(), spot.text_line),
        };
        let also = report.also.iter().map(|pair| {
            let ((file, line), (other_file, other_line)) = (line(&pair.access), line(&pair.other));
            PairJson { file, line, other_file, other_line }
        });
        ReportJson {
            kind: report.kind.name(),
            target: &finding.target,
            file: &finding.file,
            line: report.line(),
            column: finding.column(),
            callers: calls_json(&report.callers),
            kernel: &report.kernel,
            block: report.block,
            thread: report.thread,
            instruction: &report.instruction,
            message: &report.message,
            count: report.count,
            address: report.address,
            size: report.size,
            allocation,
            other,
            also: also.collect(),
            help: &report.help,
        }
    });
    FindingsJson { checked, stopped, error, reports: reports.collect() }
}
