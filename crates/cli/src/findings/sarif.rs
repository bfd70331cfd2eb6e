//! The sanitizer's findings as SARIF 2.1.0, which CI systems show in the source.
//!
//! Paths are relative to the root of the repository, as GitHub's code scanning requires; the root itself is in
//! `originalUriBaseIds`. Calls around an instruction, the other access of a race and further pairs are related
//! locations.

use crate::findings::Finding;
use crate::findings::repository::Repository;
use lanework::emulator::SourceLocation;
use lanework::emulator::sanitize::CodeLocation;
use lanework::{KindInfo, ReportKind};
use serde_json::{Value, json};
use std::path::Path;

/// The name of the repository's root in the log.
const ROOT: &str = "SRCROOT";

/// Locations for one finding.
struct Places<'a> {
    repository: &'a Repository,
    finding: &'a Finding,
}

impl Places<'_> {
    /// A place in a file.
    fn at(&self, file: &str, line: u32, column: u32) -> Value {
        let folder = self.finding.folder.as_deref();
        let (uri, inside) = self.repository.uri(Path::new(file), folder);
        let mut artifact = json!({ "uri": uri });
        if inside {
            artifact["uriBaseId"] = ROOT.into();
        }
        let mut region = json!({ "startLine": line.max(1) });
        if column > 0 {
            region["startColumn"] = column.into();
        }
        json!({ "physicalLocation": { "artifactLocation": artifact, "region": region } })
    }

    /// A place that has to do with the finding, and how.
    fn related(&self, location: Option<&SourceLocation>, text_line: u32, what: &str) -> Value {
        let mut place = match location {
            Some(at) => self.at(&at.file, at.line, at.column),
            None => self.at(&self.finding.file, text_line, 0),
        };
        place["message"] = json!({ "text": what });
        place
    }

    fn all_related(&self) -> Vec<Value> {
        let report = &self.finding.report;
        let called = |at: &SourceLocation, what: &str| self.related(Some(at), 0, what);
        let mut all: Vec<Value> =
            report.callers.iter().map(|at| called(at, "called here")).collect();
        if let Some(other) = &report.other {
            let location = other.location.as_ref();
            all.push(self.related(location, other.text_line, "the other access"));
            let calls = other.callers.iter().map(|at| called(at, "the other access: called here"));
            all.extend(calls);
        }
        let spots = report.also.iter().flat_map(|pair| [&pair.other, &pair.access]);
        all.extend(spots.map(|CodeLocation { location, text_line }| {
            self.related(location.as_ref(), *text_line, "the same barrier is missing here")
        }));
        all
    }
}

/// The findings as a SARIF log.
pub fn sarif(findings: &[Finding]) -> Value {
    let repository = Repository::here();
    let result = |finding: &Finding| {
        let report = &finding.report;
        let places = Places { repository: &repository, finding };
        let mut result = json!({
            "ruleId": report.kind.name(),
            "level": report.kind.info().level.name(),
            "message": { "text": format!("{} (help: {})", report.message, report.help) },
            "occurrenceCount": report.count,
            "locations": [places.at(&finding.file, report.line(), finding.column())],
            "properties": {
                "kernel": report.kernel,
                "block": report.block,
                "thread": report.thread,
            },
        });
        let related = places.all_related();
        if !related.is_empty() {
            result["relatedLocations"] = related.into();
        }
        result
    };
    let rule = |kind: &KindInfo| {
        json!({
            "id": kind.name,
            "shortDescription": { "text": kind.what },
            "help": { "text": kind.help },
            "defaultConfiguration": { "level": kind.level.name() },
        })
    };
    let rules: Vec<Value> = ReportKind::TABLE.iter().map(rule).collect();
    let mut run = json!({
        "tool": { "driver": {
            "name": "lanework check",
            "version": env!("CARGO_PKG_VERSION"),
            "rules": rules,
        } },
        "results": findings.iter().map(result).collect::<Vec<Value>>(),
    });
    if let Some(root) = repository.root_uri() {
        run["originalUriBaseIds"] = json!({ ROOT: { "uri": root } });
    }
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [run],
    })
}
