//! The sanitizer's findings as SARIF 2.1.0, which CI systems show in the source, and the repository that a command runs
//! in.
//!
//! Paths are relative to the root of the repository, as GitHub's code scanning requires; the root itself is in
//! `originalUriBaseIds`. Calls around an instruction, the other access of a race and further pairs are related
//! locations.

use crate::findings::Finding;
use lanework::emulator::SourceLocation;
use lanework::emulator::sanitize::CodeLocation;
use lanework::{KindInfo, ReportKind};
use serde_json::{Value, json};
use std::path::{Component, Path, PathBuf};

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

    /// A related location, and its relation to the finding.
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

/// A repository: its root, and the folder that the command runs in.
pub struct Repository {
    /// The folder that holds `.git`, else the current folder.
    root: Option<PathBuf>,
    here: PathBuf,
}

impl Repository {
    /// The repository of the current folder.
    pub fn here() -> Repository {
        let here = std::env::current_dir().and_then(|here| here.canonicalize()).unwrap_or_default();
        Repository::of(here)
    }

    fn of(here: PathBuf) -> Repository {
        let root = here.ancestors().find(|folder| folder.join(".git").exists());
        let root = root.or(Some(here.as_path())).filter(|root| root.is_absolute());
        Repository { root: root.map(Path::to_owned), here }
    }

    /// The root as a URI, which ends with a slash.
    pub fn root_uri(&self) -> Option<String> {
        self.root.as_ref().map(|root| format!("file://{}/", escaped(root).trim_end_matches('/')))
    }

    /// A file as a URI, and whether that is relative to the root. A relative path is tried in the current folder, in
    /// `folder`, and in the root; without a file in any of them it is returned unchanged.
    pub fn uri(&self, file: &Path, folder: Option<&Path>) -> (String, bool) {
        match self.path(file, folder) {
            outside if outside.is_absolute() => (format!("file://{}", escaped(&outside)), false),
            relative => (escaped(&relative), true),
        }
    }

    /// The same file as a path: relative to the root if it is inside, absolute if it is outside, and unchanged if a
    /// relative path leads to no file.
    pub fn path(&self, file: &Path, folder: Option<&Path>) -> PathBuf {
        let in_folder = folder.map(|folder| self.here.join(folder).join(file));
        let of_root = self.root.as_ref().map(|root| root.join(file));
        let places = [Some(self.here.join(file)), in_folder, of_root];
        let found = places.into_iter().flatten().find_map(|place| place.canonicalize().ok());
        let found = found.unwrap_or_else(|| file.to_owned());
        let inside = self.root.as_ref().and_then(|root| found.strip_prefix(root).ok());
        inside.map(Path::to_owned).unwrap_or(found)
    }
}

/// A path as part of a URI: with slashes, and other bytes escaped by RFC 3986.
fn escaped(path: &Path) -> String {
    let mut text = String::new();
    for part in path.components() {
        match part {
            Component::RootDir => {
                text = "/".to_owned();
                continue;
            }
            Component::CurDir => continue,
            _ => {}
        }
        if !text.is_empty() && !text.ends_with('/') {
            text.push('/');
        }
        for byte in part.as_os_str().to_string_lossy().bytes() {
            match byte {
                b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'+' => {
                    text.push(char::from(byte));
                }
                _ => text.push_str(&format!("%{byte:02X}")),
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_relative_to_the_root_wherever_the_command_runs() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path().canonicalize().expect("a path");
        let inner = root.join("a b/ptx");
        std::fs::create_dir_all(&inner).expect("a folder");
        std::fs::create_dir(root.join(".git")).expect("a folder");
        std::fs::write(root.join("a b/x.cu"), "").expect("a file");
        let repository = Repository::of(inner.clone());
        let expected = ("a%20b/x.cu".to_owned(), true);
        assert_eq!(repository.uri(Path::new("../x.cu"), None), expected);
        assert_eq!(repository.uri(&root.join("a b/x.cu"), None), expected);
        assert_eq!(repository.uri(Path::new("x.cu"), Some(&root.join("a b"))), expected);
        assert_eq!(repository.uri(Path::new("a b/x.cu"), None), expected);
        assert_eq!(repository.uri(Path::new("none/y.cu"), None), ("none/y.cu".to_owned(), true));
        let (outside, inside) = repository.uri(Path::new("/no/such/z.cu"), None);
        assert_eq!((outside.as_str(), inside), ("file:///no/such/z.cu", false));
        assert!(repository.root_uri().is_some_and(|uri| uri.ends_with('/')));
    }
}
