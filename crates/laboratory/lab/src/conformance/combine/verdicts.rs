//! ptxas's recorded verdict on each candidate: a line per form of the catalogue with the accepted operands, each as
//! `position:way`.

use super::operands::OperandCandidate;
use std::collections::{BTreeMap, BTreeSet};

/// The record, built in.
static RECORDED: &str = include_str!("../../../data/operands.txt");

const HEAD: &str = "\
# Which ways to write an operand ptxas accepts, by instruction: `a:sum` is `$a+5` in place of `$a`.
# Made by: LANEWORK_BLESS=1 PTXAS=/path/to/ptxas cargo test -p lanework-lab --test it conformance::operands
";

/// The accepted ways, by the text of the form.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Verdicts {
    accepted: BTreeMap<String, BTreeSet<String>>,
}

impl Verdicts {
    /// The verdicts of ptxas 13.0.
    pub fn recorded() -> Verdicts {
        let lines = RECORDED.lines().filter(|line| !line.starts_with('#'));
        let rows = lines.filter_map(|line| line.split_once('\t'));
        let words = |ways: &str| ways.split_whitespace().map(str::to_owned).collect();
        Verdicts { accepted: rows.map(|(text, ways)| (text.to_owned(), words(ways))).collect() }
    }

    /// Whether ptxas accepts a candidate.
    pub fn accepts(&self, candidate: &OperandCandidate) -> bool {
        self.accepted.get(&candidate.base).is_some_and(|ways| ways.contains(&candidate.what))
    }

    /// Notes that ptxas accepts a candidate.
    pub fn note(&mut self, candidate: &OperandCandidate) {
        let ways = self.accepted.entry(candidate.base.clone()).or_default();
        ways.insert(candidate.what.clone());
    }

    /// The record as a file.
    pub fn text(&self) -> String {
        let mut text = HEAD.to_owned();
        for (form, ways) in &self.accepted {
            let ways: Vec<&str> = ways.iter().map(String::as_str).collect();
            text.push_str(&format!("{form}\t{}\n", ways.join(" ")));
        }
        text
    }
}
