//! The sanitizer's findings in the formats of CI systems: JUnit's XML, and annotations of GitHub Actions.
//!
//! In JUnit's terms every checked kernel is a test case, and its findings are its failures. Findings that belong to no
//! kernel, such as leaks and failed calls, are failures of the case `program`. Warnings do not fail a case; they are
//! its output. If the check is not complete, the case `check` has an error.

use crate::findings::Finding;
use crate::findings::sarif::Repository;
use lanework::emulator::sanitize::readable_name;
use std::fmt::Write;
use std::path::Path;

/// The case of findings that belong to no kernel.
const PROGRAM: &str = "program";

/// The findings as JUnit's XML. `names` are the checked kernels, and `incomplete` says why the check ended early.
pub fn junit(findings: &[Finding], names: &[String], incomplete: &[String]) -> String {
    let repository = Repository::here();
    let mut cases: Vec<(String, Vec<&Finding>)> = Vec::new();
    for name in names.iter().map(|name| readable_name(name).into_owned()) {
        if !cases.iter().any(|(known, _)| *known == name) {
            cases.push((name, Vec::new()));
        }
    }
    for finding in findings {
        let name = match finding.target.as_str() {
            "" => PROGRAM.to_owned(),
            target => readable_name(target).into_owned(),
        };
        match cases.iter_mut().find(|(known, _)| *known == name) {
            Some((_, found)) => found.push(finding),
            None => cases.push((name, vec![finding])),
        }
    }
    let failed = |found: &[&Finding]| found.iter().any(|finding| is_error(finding));
    let tests = cases.len() + usize::from(!incomplete.is_empty());
    let failures = cases.iter().filter(|(_, found)| failed(found)).count();
    let errors = usize::from(!incomplete.is_empty());
    let counts = format!("tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\"");
    let mut xml = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites {counts}>\n\
         <testsuite name=\"lanework check\" {counts} skipped=\"0\">\n"
    );
    for (name, found) in &cases {
        let _ = write!(xml, "<testcase classname=\"lanework\" name=\"{}\">", escaped(name));
        let (wrong, warned): (Vec<&Finding>, Vec<&Finding>) =
            found.iter().partition(|finding| is_error(finding));
        let texts = |all: &[&Finding]| -> String {
            all.iter().map(|finding| text(&repository, finding)).collect()
        };
        // Readers of JUnit's XML expect at most one failure for each case.
        if let Some(first) = wrong.first() {
            let _ = write!(
                xml,
                "\n<failure type=\"{}\" message=\"{}\">{}</failure>\n",
                first.report.kind.name(),
                escaped(&first.report.message),
                escaped(&texts(&wrong)),
            );
        }
        if !warned.is_empty() {
            let _ = write!(xml, "\n<system-out>{}</system-out>\n", escaped(&texts(&warned)));
        }
        xml.push_str("</testcase>\n");
    }
    if let Some(first) = incomplete.first() {
        let _ = write!(
            xml,
            "<testcase classname=\"lanework\" name=\"check\">\n\
             <error type=\"incomplete\" message=\"{}\">{}</error>\n</testcase>\n",
            escaped(first),
            escaped(&incomplete.join("\n")),
        );
    }
    xml.push_str("</testsuite>\n</testsuites>\n");
    xml
}

/// The findings as workflow commands of GitHub Actions, one line each; the runner shows them at their source lines.
pub fn annotations(findings: &[Finding]) -> String {
    let repository = Repository::here();
    let mut lines = String::new();
    for finding in findings {
        let report = &finding.report;
        let mut places = Vec::new();
        if !finding.file.is_empty() {
            places.push(format!("file={}", property(&file(&repository, finding))));
            places.push(format!("line={}", report.line().max(1)));
        }
        if finding.column() > 0 {
            places.push(format!("col={}", finding.column()));
        }
        let title = match report.kernel.as_str() {
            "" => report.kind.name().to_owned(),
            kernel => format!("{} in {}", report.kind.name(), readable_name(kernel)),
        };
        places.push(format!("title={}", property(&title)));
        let message = data(&format!("{}\nhelp: {}", report.message, report.help));
        let level = report.kind.info().level.name();
        let _ = writeln!(lines, "::{level} {}::{message}", places.join(","));
    }
    lines
}

fn is_error(finding: &Finding) -> bool {
    finding.report.kind.info().level.name() == "error"
}

/// The file of a finding, relative to the root of the repository if it is inside.
fn file(repository: &Repository, finding: &Finding) -> String {
    repository.path(Path::new(&finding.file), finding.folder.as_deref()).display().to_string()
}

/// A finding in three lines: its place, its message and its remedy.
fn text(repository: &Repository, finding: &Finding) -> String {
    let report = &finding.report;
    let place = match finding.file.as_str() {
        "" => String::new(),
        _ => format!("{}:{}: ", file(repository, finding), report.line()),
    };
    let kind = report.kind.name();
    format!("{place}{kind}: {}\n  help: {}\n", report.message, report.help)
}

/// Text inside an element or an attribute of XML 1.0, which forbids most control characters.
fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\n' | '\t' => safe.push(character),
            '\u{FFFE}' | '\u{FFFF}' => safe.push('\u{FFFD}'),
            control if control < ' ' => safe.push('\u{FFFD}'),
            other => safe.push(other),
        }
    }
    safe
}

/// The message of a workflow command.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// A property of a workflow command, which a comma or a colon would end.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn special_characters_do_not_end_an_element_or_a_command() {
        assert_eq!(escaped("a<b>&\"c\"\u{1b}\n"), "a&lt;b&gt;&amp;&quot;c&quot;\u{FFFD}\n");
        assert_eq!(data("50% of\r\nf<int, 2>::g"), "50%25 of%0D%0Af<int, 2>::g");
        assert_eq!(property("f<int, 2>::g"), "f<int%2C 2>%3A%3Ag");
    }
}
