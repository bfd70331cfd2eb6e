//! `lanework-lab coverage`: the parts of each instruction that the emulator implements, and how far its results
//! are known to agree with a GPU's.

use crate::args::CoverageArgs;
use lanework_lab::conformance::{Coverage, Covered, Fidelity, coverage};
use lanework_terminal::failure::{Failure, Outcome};
use lanework_terminal::output::{print, print_json};
use lanework_terminal::table::{Column, Table, shown};
use serde::Serialize;
use std::collections::BTreeMap;

/// An instruction in JSON.
#[derive(Serialize)]
struct CoverageJson<'a> {
    opcode: &'a str,
    chapter: &'a str,
    /// Forms whose results equal an H200's bit for bit.
    measured: Vec<&'a str>,
    /// Forms that were not compared with a GPU.
    unmeasured: Vec<&'a str>,
    /// Forms with the reasons.
    refused: BTreeMap<&'a str, &'a str>,
}

/// Shows the table, or every form of one instruction.
///
/// # Errors
/// If the instruction is unknown.
pub fn run(args: &CoverageArgs) -> Outcome {
    let named =
        |found: &Coverage| args.opcode.as_ref().is_none_or(|name| found.opcode.name() == name);
    let found: Vec<Coverage> = coverage().into_iter().filter(named).collect();
    if found.is_empty() {
        let help = "give its name without modifiers, such as `cvt`";
        return Err(Failure::input("the PTX manual has no such instruction", help));
    }
    if args.json {
        return print_json(&found.iter().map(json).collect::<Vec<_>>());
    }
    if args.opcode.is_some() {
        let mut rows = Table::new([Column::name("form"), Column::text("emulator").rank(0)]);
        for (form, covered) in found.iter().flat_map(|found| &found.forms) {
            let says = match covered {
                Covered::Runs(Fidelity::Measured) => "measured".to_owned(),
                Covered::Runs(Fidelity::Unmeasured) => "unmeasured".to_owned(),
                Covered::Refused(why) => format!("refused: {why}"),
            };
            rows.row([form.name.clone(), says]);
        }
        return print(&shown(&rows));
    }
    let mut rows = Table::new([
        Column::name("instruction"),
        Column::number("measured").rank(1),
        Column::number("unmeasured").rank(1),
        Column::number("refused").rank(1),
        Column::text("refused forms").rank(2),
    ]);
    let mut sums = [0; 3];
    for found in &found {
        let counts = found.counts();
        for (sum, count) in sums.iter_mut().zip(counts) {
            *sum += count;
        }
        let [measured, unmeasured, refused] = counts.map(|count| count.to_string());
        let names = some(&found.refused());
        rows.row([found.opcode.to_string(), measured, unmeasured, refused, names]);
    }
    print(&format!(
        "{}{} forms measured, {} unmeasured, {} refused\n",
        shown(&rows),
        sums[0],
        sums[1],
        sums[2]
    ))
}

/// The first few of a list.
pub fn some(names: &[&str]) -> String {
    let mut text = names.iter().take(3).copied().collect::<Vec<_>>().join(", ");
    if names.len() > 3 {
        text.push_str(&format!(" and {} more", names.len() - 3));
    }
    text
}

fn json(found: &Coverage) -> CoverageJson<'_> {
    let mut all = CoverageJson {
        opcode: found.opcode.name(),
        chapter: found.chapter[0],
        measured: Vec::new(),
        unmeasured: Vec::new(),
        refused: BTreeMap::new(),
    };
    for (form, covered) in &found.forms {
        match covered {
            Covered::Runs(Fidelity::Measured) => all.measured.push(&form.name),
            Covered::Runs(Fidelity::Unmeasured) => all.unmeasured.push(&form.name),
            Covered::Refused(why) => drop(all.refused.insert(&form.name, why)),
        }
    }
    all.measured.dedup();
    all.unmeasured.dedup();
    all
}
