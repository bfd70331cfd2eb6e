//! `lanework explain`: the meaning of a name in a report.

use crate::args::ExplainArgs;
use crate::problem::nearest;
use lanework::time::limits::Limit;
use lanework::time::sm::pipes::Stall;
use lanework::{Counters, ReportKind};
use lanework_terminal::failure::{Failure, Outcome};
use lanework_terminal::output::{print, print_json};
use lanework_terminal::table::{listed, prose};
use serde::Serialize;

/// A name in JSON.
#[derive(Serialize)]
struct Explained {
    name: String,
    /// `term`, `finding`, `counter`, `stall`, `limit` or `verdict`.
    of: &'static str,
    meaning: String,
    /// The remedy for a finding.
    help: Option<&'static str>,
    /// The metrics of Nsight Compute whose sum is the same count.
    metrics: Vec<String>,
}

/// Explains one name, or lists all.
///
/// # Errors
/// If nothing has the name; names the nearest ones.
pub fn run(args: &ExplainArgs) -> Outcome {
    let mut all = all();
    if let Some(name) = &args.name {
        if !all.iter().any(|explained| explained.name == *name) {
            let names: Vec<&str> = all.iter().map(|explained| explained.name.as_str()).collect();
            let near = match related(name, &all) {
                related if related.is_empty() => nearest(name, &names),
                related => related,
            };
            return Err(Failure::input(
                format_args!("no report has the name `{name}`"),
                match near.as_slice() {
                    [] => "`lanework explain` lists every name".to_owned(),
                    near => format!(
                        "did you mean {}? `lanework explain` lists every name",
                        near.join(" or ")
                    ),
                },
            ));
        }
        all.retain(|explained| explained.name == *name);
    }
    if args.json {
        return print_json(&all);
    }
    let one = args.name.is_some();
    print(&all.iter().map(|explained| explained.text(one)).collect::<String>())
}

/// Words of reports and of NVIDIA's tools, by their start, with the names that they belong to.
const WORDS: [(&str, &[&str]); 12] = [
    ("coalesc", &["global_load.sectors", "global_load.ideal_sectors"]),
    ("excess", &["global_load.sectors", "global_load.ideal_sectors"]),
    ("occupan", &["not_selected", "long_scoreboard"]),
    ("latency", &["long_scoreboard", "short_scoreboard", "wait"]),
    ("stall", &["long_scoreboard", "short_scoreboard", "wait"]),
    ("bank", &["shared_load.bank_conflicts", "shared_store.bank_conflicts"]),
    ("conflict", &["shared_load.bank_conflicts", "shared_store.bank_conflicts"]),
    ("diverg", &["divergent_branches", "barrier-divergence"]),
    ("spill", &["local_load.bytes", "local_store.bytes"]),
    ("issue", &["warp_instructions", "not_selected"]),
    ("bandwidth", &["global_load.sectors", "global_store.sectors"]),
    ("sync", &["race", "barrier-divergence", "inactive-lane"]),
];

/// The names that a common word belongs to; else the names that end with the word or whose part it is.
fn related<'a>(word: &str, all: &'a [Explained]) -> Vec<&'a str> {
    let word = word.to_lowercase();
    let names = all.iter().map(|explained| explained.name.as_str());
    if let Some((_, known)) = WORDS.iter().find(|(start, _)| word.starts_with(start)) {
        return names.filter(|name| known.contains(name)).collect();
    }
    let is_part = |name: &&str| name.split(['.', '_', '-']).any(|part| part == word);
    names.filter(is_part).take(3).collect()
}

impl Explained {
    /// A line of the list, or with `one` the whole explanation.
    fn text(&self, one: bool) -> String {
        let mut text = listed(&format!("{}: ", self.name), &self.meaning);
        if one {
            text.extend(self.help.map(prose));
            if !self.metrics.is_empty() {
                text.push_str(&prose(&format!("In Nsight Compute: {}.", self.metrics.join(" + "))));
            }
        }
        text
    }
}

/// Terms of the documentation.
const TERMS: [(&str, &str); 9] = [
    (
        "warp",
        "32 threads that execute each instruction together. The threads of a warp are called its lanes.",
    ),
    (
        "multiprocessor",
        "The GPU's counterpart of a CPU core. It runs one or more blocks at a time.",
    ),
    (
        "occupancy",
        "The number of warps that a multiprocessor holds at the same time, divided by the maximum that it can hold. More of them hide more latency.",
    ),
    ("sector", "32 bytes, the smallest unit of a global memory transaction."),
    ("request", "One load or store instruction of a warp, with the addresses of its lanes."),
    (
        "coalesced",
        "The lanes of a warp access neighboring addresses, so the request needs as few sectors as possible.",
    ),
    (
        "bank conflict",
        "Shared memory has 32 banks, and each bank serves one 4-byte word at a time. Lanes that access different words of one bank take a separate pass for each word.",
    ),
    ("wavefront", "One pass of a request through the banks of shared memory or the L1 cache."),
    (
        "divergent branch",
        "A branch that some lanes of a warp take and others do not. The warp then executes both sides, one after the other.",
    ),
];

/// Every name: terms, findings, counters, stall reasons, limits, verdicts.
fn all() -> Vec<Explained> {
    let finding = |kind: &lanework::KindInfo| Explained {
        name: kind.name.to_owned(),
        of: "finding",
        meaning: kind.what.to_owned(),
        help: Some(kind.help),
        metrics: Vec::new(),
    };
    let term = |(name, meaning): &(&str, &str)| Explained {
        name: (*name).to_owned(),
        of: "term",
        meaning: (*meaning).to_owned(),
        help: None,
        metrics: Vec::new(),
    };
    let mut all: Vec<Explained> = TERMS.iter().map(term).collect();
    all.extend(ReportKind::TABLE.iter().map(finding));
    for (counter, _) in Counters::default().each() {
        let of_group = counter.group.map(|group| format!("{} ", group.doc)).unwrap_or_default();
        all.push(Explained {
            name: counter.path(),
            of: "counter",
            meaning: format!("{of_group}{}", counter.row.doc),
            help: None,
            metrics: counter.metrics().into_iter().map(|metric| format!("{metric}.sum")).collect(),
        });
    }
    all.extend(Stall::ALL.iter().map(|stall| Explained {
        name: stall.name().to_owned(),
        of: "stall",
        meaning: format!("A reason why a warp does not issue: {}.", stall.meaning()),
        help: None,
        metrics: Vec::new(),
    }));
    let limits = Limit::all().map(|limit| (limit.name(), limit.meaning()));
    let share = "How busy a unit is while the kernel runs; the busiest unit limits the time.";
    all.extend(limits.chain([("speed of light", share)]).map(|(name, meaning)| Explained {
        name: name.to_owned(),
        of: "limit",
        meaning: meaning.to_owned(),
        help: None,
        metrics: Vec::new(),
    }));
    #[cfg(feature = "judge")]
    all.extend(lanework_judge::KINDS.iter().map(|(name, what)| Explained {
        name: (*name).to_owned(),
        of: "verdict",
        meaning: format!("The candidate is refused or wrong: {what}."),
        help: None,
        metrics: Vec::new(),
    }));
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_words_lead_to_names() {
        let all = all();
        for (word, known) in WORDS {
            for name in known {
                assert!(all.iter().any(|explained| explained.name == *name), "{word}: {name}");
            }
            assert_eq!(related(word, &all).len(), known.len(), "{word}");
        }
        assert_eq!(related("Coalesced", &all)[0], "global_load.sectors");
        assert_eq!(related("sectors", &all).len(), 3);
        assert!(related("racee", &all).is_empty());
        // No term has the name of something else.
        for (term, _) in TERMS {
            assert_eq!(all.iter().filter(|one| one.name == term).count(), 1, "{term}");
        }
    }
}
