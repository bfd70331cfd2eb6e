//! The sanitizer's findings as text, as JSON and as SARIF.

use crate::sources;
use lanework::{KindInfo, Report, ReportKind};
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

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
        Finding { target: target.to_owned(), file, excerpt, other, report }
    }

    fn column(&self) -> u32 {
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
            Some(index) => folded[*index].report.count += finding.report.count,
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

/// A finding as text.
pub fn describe(finding: &Finding) -> String {
    let report = &finding.report;
    let red = anstyle::AnsiColor::Red.on_default().bold();
    let mut text = format!("{red}error[{}]{red:#}: {}\n", report.kind, report.message);
    let triple = |[x, y, z]: [u32; 3]| format!("({x},{y},{z})");
    if report.kind != ReportKind::Leak {
        let line = report.line();
        let column = match finding.column() {
            0 => String::new(),
            column => format!(":{column}"),
        };
        let _ = writeln!(text, "  --> {}:{line}{column}", finding.file);
        excerpt(&mut text, line, finding.column(), finding.excerpt.as_deref());
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
    help: &'a str,
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
    instruction: &'a str,
    block: [u32; 3],
    thread: [u32; 3],
}

/// The findings as JSON.
pub fn json<'a>(
    findings: &'a [Finding],
    checked: &'a [String],
    stopped: &'a [String],
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
            instruction: &other.instruction,
            block: other.block,
            thread: other.thread,
        });
        ReportJson {
            kind: report.kind.name(),
            target: &finding.target,
            file: &finding.file,
            line: report.line(),
            column: finding.column(),
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
            help: &report.help,
        }
    });
    FindingsJson { checked, stopped, reports: reports.collect() }
}

/// The findings as a SARIF log, which CI systems show in the source.
pub fn sarif(findings: &[Finding]) -> Value {
    let place = |file: &str, line: u32, column: u32| {
        let mut region = json!({ "startLine": line.max(1) });
        if column > 0 {
            region["startColumn"] = column.into();
        }
        json!({ "physicalLocation": { "artifactLocation": { "uri": file }, "region": region } })
    };
    let results: Vec<Value> = findings
        .iter()
        .map(|finding| {
            let report = &finding.report;
            let mut result = json!({
                "ruleId": report.kind.name(),
                "level": report.kind.info().level.name(),
                "message": { "text": format!("{} (help: {})", report.message, report.help) },
                "occurrenceCount": report.count,
                "locations": [place(&finding.file, report.line(), finding.column())],
                "properties": {
                    "kernel": report.kernel,
                    "block": report.block,
                    "thread": report.thread,
                },
            });
            if let Some(other) = &report.other {
                let mut other = match &other.location {
                    Some(at) => place(&at.file, at.line, at.column),
                    None => place(&finding.file, other.text_line, 0),
                };
                other["message"] = json!({ "text": "the other access" });
                result["relatedLocations"] = json!([other]);
            }
            result
        })
        .collect();
    let rule = |kind: &KindInfo| {
        json!({
            "id": kind.name,
            "shortDescription": { "text": kind.what },
            "help": { "text": kind.help },
            "defaultConfiguration": { "level": kind.level.name() },
        })
    };
    let rules: Vec<Value> = ReportKind::TABLE.iter().map(rule).collect();
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "lanework check",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": rules,
            } },
            "results": results,
        }],
    })
}
