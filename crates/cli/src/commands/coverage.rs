//! `lanework coverage`: what the emulator knows of each instruction, asked of its decoder.

use crate::args::CoverageArgs;
use crate::failure::{Failure, Outcome};
use crate::output::{print, print_json, table};
use lanework_lab::conformance::{Coverage, Covered, coverage};
use serde::Serialize;
use std::collections::BTreeMap;

/// An instruction in JSON.
#[derive(Serialize)]
struct CoverageJson<'a> {
    opcode: &'a str,
    chapter: &'a str,
    exact: Vec<&'a str>,
    /// Forms with their bounds.
    within: BTreeMap<&'a str, &'a str>,
    /// Forms with the reasons.
    refused: BTreeMap<&'a str, &'a str>,
}

/// Shows the table, or every form of one instruction.
///
/// # Errors
/// When there is no such instruction.
pub fn run(args: &CoverageArgs) -> Outcome {
    let named = |found: &Coverage| args.opcode.as_ref().is_none_or(|name| found.opcode == *name);
    let found: Vec<Coverage> = coverage().into_iter().filter(named).collect();
    if found.is_empty() {
        let help = "give its name without modifiers, such as `cvt`";
        return Err(Failure::input("the PTX manual has no such instruction", help));
    }
    if args.json {
        return print_json(&found.iter().map(json).collect::<Vec<_>>());
    }
    if args.opcode.is_some() {
        let mut rows = table(&["form", "emulator"]);
        for (form, covered) in found.iter().flat_map(|found| &found.forms) {
            let says = match covered {
                Covered::Exact => "exact".to_owned(),
                Covered::Within(bound) => format!("within a bound: {bound}"),
                Covered::Refused(why) => format!("refused: {why}"),
            };
            rows.add_row([form.name.clone(), says]);
        }
        return print(&format!("{rows}\n"));
    }
    let mut rows = table(&["instruction", "exact", "within a bound", "refused", "refused forms"]);
    let mut sums = [0; 3];
    for found in &found {
        let counts = found.counts();
        for (sum, count) in sums.iter_mut().zip(counts) {
            *sum += count;
        }
        let [exact, within, refused] = counts.map(|count| count.to_string());
        rows.add_row([found.opcode.clone(), exact, within, refused, some(&found.refused())]);
    }
    print(&format!(
        "{rows}\n{} forms exact, {} within a bound, {} refused\n",
        sums[0], sums[1], sums[2]
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
        opcode: &found.opcode,
        chapter: found.chapter[0],
        exact: Vec::new(),
        within: BTreeMap::new(),
        refused: BTreeMap::new(),
    };
    for (form, covered) in &found.forms {
        match covered {
            Covered::Exact => all.exact.push(&form.name),
            Covered::Within(bound) => drop(all.within.insert(&form.name, bound)),
            Covered::Refused(why) => drop(all.refused.insert(&form.name, why)),
        }
    }
    all.exact.dedup();
    all
}
