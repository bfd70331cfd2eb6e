//! `lanework list`: the ladders and their rungs.

use crate::args::ListArgs;
use lanework_ladders::Language;
use lanework_terminal::failure::Outcome;
use lanework_terminal::output::{print, print_json};
use lanework_terminal::table::{Cell, Column, Table, listed, prose, shown};
use lanework_terminal::words;
use serde::Serialize;

/// A ladder in JSON.
#[derive(Serialize)]
struct LadderJson {
    ladder: &'static str,
    title: &'static str,
    rungs: Vec<RungJson>,
}

/// A rung in JSON.
#[derive(Serialize)]
struct RungJson {
    name: &'static str,
    experiment: &'static str,
    idea: String,
    predicts: String,
    costs: String,
}

/// Lists every ladder with its rungs, experiments and ideas.
///
/// # Errors
/// If the output cannot be written.
pub fn run(args: &ListArgs) -> Outcome {
    let mut ladders = lanework_ladders::ladders();
    ladders.push(lanework_ladders::multi_gpu::ladder());
    if args.json {
        let ladders: Vec<LadderJson> = ladders.into_iter().map(json).collect();
        return print_json(&ladders);
    }
    let mut text = String::new();
    for ladder in ladders {
        let mut rungs = Table::new([
            Column::name("rung"),
            Column::label("experiment").short("exp.").rank(2),
            Column::text("idea").rank(1),
        ]);
        for rung in &ladder.rungs {
            let name = format!("{}/{}", ladder.name, rung.name);
            let idea = rung.header(words::of_kernels()).idea;
            rungs.row([Cell::from(name), rung.experiment.into(), idea.into()]);
        }
        text.push_str(&prose(&format!("{}: {}", ladder.name, ladder.title)));
        text.push_str(&shown(&rungs));
        if let Some(family) = lanework_lab::family(ladder.name) {
            let options = [family.parameters, family.arrays].concat();
            let options: Vec<String> = options.iter().map(|name| format!("--{name}")).collect();
            let elements = family.elements.join(", ");
            text.push_str(&listed(
                "takes ",
                &format!("{}; elements {elements}", options.join(", ")),
            ));
            text.push('\n');
        } else {
            text.push_str(&listed("takes ", "--size, --gpus; elements f32"));
            text.push('\n');
        }
    }
    text.push_str(&prose(
        "Climb one with `lanework climb LADDER`, run one with `lanework run LADDER/RUNG`.",
    ));
    print(&text)
}

fn json(ladder: lanework_ladders::Ladder) -> LadderJson {
    let rung = |rung: &lanework_ladders::RungInfo| {
        let lanework_ladders::Header { idea, predicts, costs } = rung.header(Language::English);
        RungJson { name: rung.name, experiment: rung.experiment, idea, predicts, costs }
    };
    LadderJson {
        ladder: ladder.name,
        title: ladder.title,
        rungs: ladder.rungs.iter().map(rung).collect(),
    }
}
