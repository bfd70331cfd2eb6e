//! Checks that every text has a translation and every translation a text, and that the findings and faults of kernels
//! with planted bugs are translated.

use super::catalog::{Catalog, TemplatePart};
use super::english::{english_in, is_name};
use super::literals::{Literal, literals, sources};
use super::spacing::is_chinese;
use super::translate::{self, is_code, text};
use lanework::{Device, Error};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The crates whose texts reach the terminal.
const CRATES: &[&str] = &[
    "cli",
    "terminal",
    "laboratory/lab-cli",
    "laboratory/lab",
    "laboratory/verify",
    "laboratory/bench",
    "laboratory/store",
    "laboratory/judge",
    "emulator/report",
    "emulator/debug-tui",
    "emulator/sanitizer",
    "emulator/counters",
    "emulator/time",
    "emulator/emulator",
    "emulator/engine",
    "language/ptx",
    "language/ptx-ir",
    "gpu/cuda",
    "runtime/abi",
    "runtime/lanework",
    "runtime/runtime",
    "laboratory/ladders",
    "laboratory/exercises",
];

/// Files whose texts are internal or data.
const SILENT: &[&str] = &[
    "language/ptx/src/instructions/",
    "language/ptx/src/requirements.rs",
    "language/ptx-ir/src/inspect/",
    "emulator/counters/src/counters.rs",
    // PTX, and a page in English.
    "laboratory/lab-cli/src/latencies.rs",
    "laboratory/lab-cli/src/predict_check/",
    "emulator/sanitizer/src/findings/kinds.rs",
    "emulator/sanitizer/src/fast/equivalence.rs",
    "laboratory/lab/src/conformance/access.rs",
    "laboratory/lab/src/conformance/catalog/",
    "laboratory/lab/src/conformance/combine/",
    "laboratory/lab/src/conformance/expand.rs",
    "laboratory/lab/src/conformance/form.rs",
    "laboratory/lab/src/fidelity/probes",
    "emulator/sanitizer/src/lib.rs",
    "laboratory/lab-cli/src/book",
    "cli/src/findings/sarif.rs",
    // Both languages.
    "laboratory/exercises/src/ladders.rs",
    "cli/src/program/ptxas.rs",
    "terminal/src/words",
    "emulator/engine/src/assemble/verify",
    "emulator/engine/src/memory/guest",
    "laboratory/store/src/export.rs",
    "laboratory/ladders/src/intro.rs",
    "laboratory/bench/src/harness.rs",
    "laboratory/bench/src/simulated.rs",
    "emulator/report/src/pictures/svg.rs",
    "emulator/debug-tui/src/picture.rs",
    "runtime/lanework/src/lib.rs",
    // Diagnostics of the compiler.
    "runtime/abi/src/lib.rs",
];

/// Functions and macros whose texts users do not read.
const INTERNAL: &str = "\
    panic expect unreachable assert assert_eq assert_ne debug_assert unwrap_or_else expect_err \
    todo cfg env";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The texts of the crates that may reach a user, each with its file and line.
fn texts() -> Vec<(String, Literal)> {
    texts_of(CRATES)
}

/// The texts of these crates, each with its file and line.
fn texts_of(crates: &[&str]) -> Vec<(String, Literal)> {
    let mut found = Vec::new();
    for name in crates {
        for path in sources(&root().join(name).join("src")) {
            let text = std::fs::read_to_string(&path).expect("a source can be read");
            let short = path.to_string_lossy().replace('\\', "/");
            let short = short.rsplit_once("/../").map_or(short.as_str(), |(_, short)| short);
            found.extend(literals(&text).into_iter().map(|one| (short.to_owned(), one)));
        }
    }
    found
}

/// Normalizes a text: one space for several spaces or line ends, and `{}` for each inserted value.
fn plain(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(open) = rest.find('{') {
        out.push_str(&rest[..open]);
        let inside = &rest[open + 1..];
        if let Some(other) = inside.strip_prefix('{') {
            out.push('{');
            rest = other;
        } else {
            out.push_str("{}");
            rest = inside.split_once('}').map_or("", |(_, rest)| rest);
        }
    }
    out.push_str(rest);
    out.replace("}}", "}").split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn pairs_of_lines_have_the_same_holes() {
    let mut wrong = Vec::new();
    let catalog = Catalog::chinese();
    let mut known = BTreeMap::new();
    for entry in catalog.entries() {
        let holes = |parts: &[TemplatePart]| -> BTreeSet<&str> {
            let hole = |part: &TemplatePart| match part {
                TemplatePart::Hole(name) => Some(*name),
                TemplatePart::Text(_) => None,
            };
            parts.iter().filter_map(hole).collect()
        };
        if !holes(&entry.chinese).is_subset(&holes(&entry.parts)) {
            wrong.push(format!("{:?}: holes that the English text has not", entry.place));
        }
        let english: String = entry.parts.iter().map(shown).collect();
        if !english.is_ascii() {
            wrong.push(format!("{:?}: a line without its partner, or not English", entry.place));
        }
        let shape: String = entry
            .parts
            .iter()
            .map(|part| match part {
                TemplatePart::Text(text) => text,
                TemplatePart::Hole(_) => "{}",
            })
            .collect();
        if let Some(before) = known.insert(shape, entry.place) {
            wrong.push(format!("{:?}: the same as {before:?}", entry.place));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn shown(part: &TemplatePart) -> String {
    match part {
        TemplatePart::Text(text) => (*text).to_owned(),
        TemplatePart::Hole(name) => format!("{{{name}}}"),
    }
}

#[test]
fn every_catalog_entry_occurs_in_a_source() {
    let mut all = String::new();
    // The driver prints its own texts in English, but its findings reach this terminal.
    for (_, literal) in texts().into_iter().chain(texts_of(&["cuda-programs/driver"])) {
        // Lines of doc comments make one text.
        all.push_str(if literal.of == "doc" { " " } else { "\u{1}" });
        all.push_str(&plain(&literal.text));
    }
    let mut stale = Vec::new();
    for entry in Catalog::chinese().entries() {
        // clap's texts are in clap, and composed texts are in no source.
        if matches!(entry.place.0, "clap" | "composed") {
            continue;
        }
        let gone = entry.parts.iter().find(|part| match part {
            TemplatePart::Text(text) => {
                let words = text.trim_matches(|c: char| !c.is_ascii_alphanumeric());
                words.contains(' ') && !all.contains(words)
            }
            TemplatePart::Hole(_) => false,
        });
        if let Some(gone) = gone {
            let english: String = entry.parts.iter().map(shown).collect();
            let (area, line) = entry.place;
            stale.push(format!("words/zh/{area}.txt:{line}: {english}\n    not found: {gone:?}"));
        }
    }
    assert!(stale.is_empty(), "{} entries are in no source\n{}", stale.len(), stale.join("\n"));
}

/// Texts that reach no user, or only as parts of others.
const UNSPOKEN: &str = include_str!("../../words/unspoken.txt");

/// Functions that take the header of a column.
const HEADERS: &[&str] = &[
    "Column::name",
    "Column::label",
    "Column::number",
    "Column::text",
    "Column::excerpt",
    "short",
];

#[test]
fn every_header_has_a_translation() {
    let catalog = Catalog::chinese();
    let mut missing = Vec::new();
    for (file, literal) in texts() {
        let silent = SILENT.iter().any(|silent| file.starts_with(silent));
        let text = literal.text.trim();
        let english = text.split(' ').any(|word| {
            word.len() > 1
                && word.chars().all(|c| c.is_ascii_lowercase() || c == '.')
                && !is_name(word)
        });
        if silent || !HEADERS.contains(&literal.of.as_str()) || !english || text.contains('{') {
            continue;
        }
        if translate::term(&catalog, text) == text {
            missing.push(format!("# {file}:{}\n{text}\n", literal.line));
        }
    }
    assert!(
        missing.is_empty(),
        "{} headers have no translation\n{}",
        missing.len(),
        missing.join("\n")
    );
}

#[test]
fn every_text_has_a_translation() {
    let catalog = Catalog::chinese();
    let unspoken: BTreeSet<&str> = UNSPOKEN.lines().collect();
    let mut missing: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (file, literal) in texts() {
        // Some sources hold both languages.
        let silent = literal.text.contains(is_chinese)
            || SILENT.iter().any(|silent| file.starts_with(silent));
        if silent || unspoken.contains(plain(&literal.text).as_str()) {
            continue;
        }
        if literal.of == "doc"
            || literal.of.ends_with('=')
            || INTERNAL.split(' ').any(|known| known == literal.of)
        {
            continue;
        }
        // Each value that is inserted becomes a name.
        let mut number = 0;
        let mut text = String::new();
        let mut rest = literal.text.as_str();
        while let Some(open) = rest.find('{') {
            text.push_str(&rest[..open]);
            let Some((hole, after)) = rest[open..].split_once('}') else { break };
            // A hole with only a width produces blanks.
            match hole.strip_prefix("{:").is_some_and(|width| width.parse::<u32>().is_ok()) {
                true => text.push_str("  "),
                false => {
                    number += 1;
                    text.push_str(&format!("X{number}"));
                }
            }
            rest = after;
        }
        text.push_str(rest);
        for line in text.lines().filter(|line| english_in(line)) {
            let said = translate::text(&catalog, line);
            if !english_in(&said) {
                continue;
            }
            // A text of several lines is one entry.
            let whole = translate::text(&catalog, &text);
            if english_in(&whole) {
                let place = format!("{file}:{}", literal.line);
                missing.entry(plain(&literal.text)).or_default().push(place);
                break;
            }
        }
    }
    let mut by_file: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (text, places) in &missing {
        by_file.entry(places[0].clone()).or_default().push(text.clone());
    }
    let list: Vec<String> =
        by_file.iter().map(|(place, texts)| format!("# {place}\n{}\n", texts.join("\n"))).collect();
    assert!(
        missing.is_empty(),
        "{} texts have no translation; name their holes, add the Chinese line, and put them into words/zh:\n{}",
        missing.len(),
        list.join("\n")
    );
}

#[path = "../../../runtime/lanework/tests/sanitizer/planted.rs"]
mod planted;

/// The lines of a text that are still English.
fn left(catalog: &Catalog, english: &str) -> Vec<String> {
    let said = text(catalog, english);
    let wrong = said.lines().filter(|line| !is_code(line) && english_in(line));
    wrong.map(|line| format!("{line}\n    of {english:?}")).collect()
}

/// The lines of a source's findings and faults that are still English, and the number of findings.
fn of_unit(catalog: &Catalog, unit: &planted::Unit) -> (Vec<String>, usize) {
    let (mut wrong, mut findings) = (Vec::new(), 0);
    for plant in planted::planted(unit.cuda).iter().filter(|plant| !plant.bugs.is_empty()) {
        let device = Device::emulator_limited(Some(1 << 14)).sanitized();
        match planted::run(&device, unit, plant) {
            Ok(()) => {}
            Err(Error::Sanitizer(reports)) => {
                findings += reports.found.len();
                for report in &reports.found {
                    wrong.extend(left(catalog, &report.to_string()));
                }
                if let Some(fault) = &reports.stopped {
                    wrong.extend(left(catalog, &fault.to_string()));
                }
            }
            Err(other) => wrong.extend(left(catalog, &other.to_string())),
        }
    }
    (wrong, findings)
}

#[test]
fn findings_and_faults_of_planted_bugs_are_chinese() {
    let catalog = Catalog::chinese();
    let (mut wrong, mut findings) = (Vec::new(), 0);
    std::thread::scope(|scope| {
        let catalog = &catalog;
        let of = |unit| scope.spawn(move || of_unit(catalog, unit));
        let threads: Vec<_> = planted::UNITS.iter().map(of).collect();
        for thread in threads {
            let (lines, count) = thread.join().expect("a source is run");
            wrong.extend(lines);
            findings += count;
        }
    });
    wrong.sort();
    wrong.dedup();
    assert!(wrong.is_empty(), "{} lines are English\n{}", wrong.len(), wrong.join("\n"));
    assert!(findings > 300, "{findings} findings");
}
