//! The sanitizer's findings as text and as JSON.

pub mod checked;
mod ci;
mod sarif;
pub mod selection;

use crate::program::ProgramJson;
use lanework::emulator::SourceLocation;
use lanework::emulator::sanitize::{self, CodeLocation, Quote};
use lanework::report::Sources;
use lanework::{Report, ReportKind};
use lanework_terminal::ErrorJson;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A report of the sanitizer with its source line.
pub struct Finding {
    /// The report.
    pub report: Report,
    /// The kernel, as the user names it.
    pub target: String,
    /// The file: of the source, or of the PTX text.
    pub file: String,
    at: Quote,
    other: Option<Quote>,
    /// Its occurrences by access: `reads of x` and their number.
    accesses: Vec<(String, u64)>,
    /// The folder of the PTX file, which relative paths may be relative to.
    pub folder: Option<PathBuf>,
}

/// The text of a file; rungs are built into this program.
pub fn sources() -> Sources {
    Sources::with(lanework_ladders::source_text)
}

/// The name of a file, and its line of this number if it can be read.
fn place(file: &str, line: u32, text: Option<(&str, &str)>) -> (String, Option<String>) {
    let nth = |text: &str| text.lines().nth((line as usize).checked_sub(1)?).map(str::to_owned);
    match (file, text) {
        ("", Some((name, text))) => (name.to_owned(), nth(text)),
        (file, text) => {
            // A relative path may be relative to the folder of the PTX.
            let beside = text.and_then(|(name, _)| Some(Path::new(name).parent()?.join(file)));
            let read = sources().read(file);
            let read = read.or_else(|| std::fs::read_to_string(beside?).ok());
            (file.to_owned(), read.as_deref().and_then(nth))
        }
    }
}

impl Finding {
    /// A report of the kernel called `target`; `text` is the name and the text of its PTX file.
    pub fn new(report: Report, target: &str, text: Option<(&str, &str)>) -> Finding {
        let file = report.location.as_ref().map_or("", |location| location.file.as_str());
        let quote = |(file, source): (String, Option<String>), line: u32| Quote {
            place: format!("{file}:{line}"),
            source,
        };
        let (file, source) = place(file, report.line(), text);
        let at = quote((file.clone(), source), report.line());
        let other = report.other.as_ref().map(|other| {
            let (file, line) = match &other.location {
                Some(location) => (location.file.as_str(), location.line),
                None => ("", other.text_line),
            };
            quote(place(file, line, text), line)
        });
        let folder = text.and_then(|(name, _)| Path::new(name).parent().map(Path::to_owned));
        let accesses = vec![(access(&report), report.count)];
        Finding { target: target.to_owned(), file, at, other, accesses, folder, report }
    }

    /// Adds the occurrences of a finding at the same place.
    fn absorb(&mut self, mut other: Finding) {
        if other.report.distance > self.report.distance {
            std::mem::swap(self, &mut other);
        }
        for (access, count) in other.accesses {
            match self.accesses.iter_mut().find(|(known, _)| *known == access) {
                Some((_, known)) => *known += count,
                None => self.accesses.push((access, count)),
            }
        }
        self.report.absorb(other.report);
        self.report.counted = match self.accesses.as_slice() {
            [_] => String::new(),
            all => {
                let parts = all.iter().map(|(access, count)| format!("{count} {access}"));
                parts.collect::<Vec<_>>().join(", ")
            }
        };
    }

    /// Its column, 0 when unknown.
    pub fn column(&self) -> u32 {
        self.report.location.as_ref().map_or(0, |location| location.column)
    }
}

/// The access of a report, in words: `reads of x`.
fn access(report: &Report) -> String {
    let verb = match report.instruction.split('.').next().unwrap_or_default() {
        "ld" | "ldu" => "reads",
        "st" => "writes",
        "atom" | "red" => "atomics",
        _ => "accesses",
    };
    match &report.allocation {
        Some(near) => format!("{verb} of {}", near.name),
        None => verb.to_owned(),
    }
}

/// Merges findings of one kind at one line of one kernel, and adds their counts. Races of the same two lines are one finding,
/// whichever access was found first; the one whose threads are furthest apart gives the remedy.
pub fn fold(findings: Vec<Finding>) -> Vec<Finding> {
    let mut places: BTreeMap<(String, ReportKind, String, String), usize> = BTreeMap::new();
    let mut folded: Vec<Finding> = Vec::new();
    for finding in findings {
        let other = finding.other.as_ref().map_or(String::new(), |other| other.place.clone());
        let mut here = format!("{}:{}", finding.file, finding.report.line());
        let mut other = other;
        if finding.report.kind == ReportKind::Race && !other.is_empty() && other < here {
            std::mem::swap(&mut here, &mut other);
        }
        let name = match (finding.report.kind, finding.report.operations()) {
            (ReportKind::Leak | ReportKind::FailedCall, _) => finding.report.message.clone(),
            (_, Some((one, other))) => format!("{one} {other}"),
            _ => finding.target.clone(),
        };
        let key = (name, finding.report.kind, here, other);
        match places.get(&key) {
            Some(index) => folded[*index].absorb(finding),
            None => {
                places.insert(key, folded.len());
                folded.push(finding);
            }
        }
    }
    folded
}

/// A finding as text, for a terminal.
pub fn describe(finding: &Finding) -> String {
    let Finding { report, at, other, .. } = finding;
    let text = sanitize::describe(report, at, other.as_ref(), true) + "\n";
    // A finding outside of kernels has a place if the program's call is known.
    let has_place = report.kernel.is_empty() && !report.kind.is_of_streams();
    match text.split_once('\n').filter(|_| has_place && report.location.is_some()) {
        Some((message, rest)) => {
            let line = report.line().to_string();
            let margin = " ".repeat(line.len());
            let quoted = at.source.as_deref().map_or(String::new(), |source| {
                format!("{margin} |\n{line} | {}\n{margin} |\n", source.trim_end())
            });
            let callers = report.callers.iter().map(|caller| format!("  = called at {caller}\n"));
            let callers: String = callers.collect();
            format!("{message}\n  --> {}\n{quoted}{callers}{rest}", at.place)
        }
        None => text,
    }
}

/// All findings of a check in JSON.
#[derive(Serialize)]
pub struct FindingsJson<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    program: Option<ProgramJson>,
    checked: &'a [String],
    stopped: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a ErrorJson>,
    reports: Vec<ReportJson<'a>>,
}

impl FindingsJson<'_> {
    /// The findings of a program.
    pub fn of(self, program: Option<ProgramJson>) -> Self {
        FindingsJson { program, ..self }
    }
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
    allocated: &'a str,
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

/// The findings as JSON; `error` is the reason why the check of a kernel is incomplete.
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
        let line = |spot: &'a CodeLocation| match &spot.location {
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
            allocated: &report.allocated,
            help: &report.help,
        }
    });
    FindingsJson { program: None, checked, stopped, error, reports: reports.collect() }
}
