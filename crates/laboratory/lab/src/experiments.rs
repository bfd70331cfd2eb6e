//! The experiments that the ladders reproduce: id, command, and the figure of the command's output.
//!
//! A ladder declares the experiment of each rung; that experiment is a climb of the ladder. `data/experiments.json`
//! holds the rest: sweeps, single figures of a climb, and commands without a ladder. A row there with the id and name
//! of a rung replaces the climb.

use crate::families::{Family, families};
use lanework::Backend;
use lanework_ladders::Language;
use serde::Deserialize;
use std::sync::OnceLock;

/// One experiment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Experiment {
    /// Its id.
    pub id: String,
    /// The rung or the subject.
    pub what: String,
    /// The command, after `lanework`.
    pub command: String,
    /// The reported figure.
    pub figure: Figure,
}

/// The figure of a command's output that an experiment reports.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Figure {
    /// Of a climb: the time or the counts of the rung of this name.
    Rung(String),
    /// Of a sweep: the time or the counts of the rung of this name at each point.
    Sweep(String),
    /// Of a climb: the time of the host's version.
    Host,
    /// Of a climb: the first line of its analysis.
    Analysis,
    /// Of `streams`: both times.
    Streams,
    /// Of `hello`: the number of lines that the device printed.
    Lines,
    /// Of `devices`: their number.
    Devices,
}

/// The data file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    source: Source,
    experiments: Vec<Row>,
}

/// The source of the ids, in both languages.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Source {
    en: String,
    zh: String,
}

/// An experiment in the data file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    id: String,
    what: String,
    command: String,
    /// The command on the emulator, if the sizes of `command` would take minutes there.
    emulated: Option<String>,
    figure: Figure,
}

fn file() -> &'static File {
    static FILE: OnceLock<File> = OnceLock::new();
    FILE.get_or_init(|| {
        serde_json::from_str(include_str!("../data/experiments.json"))
            .expect("tested: the experiments are read")
    })
}

/// The source of the experiment ids, in a sentence.
pub fn experiments_source(language: Language) -> &'static str {
    match language {
        Language::English => &file().source.en,
        Language::Chinese => &file().source.zh,
    }
}

/// Every experiment in the order of the ids, with its command for this backend.
pub fn experiments(backend: Backend) -> Vec<Experiment> {
    let rows = &file().experiments;
    let mut all = Vec::new();
    for ladder in families().iter().map(Family::with_peer) {
        for rung in ladder.rungs {
            let is_id = rung.experiment.starts_with(|c: char| c.is_ascii_uppercase());
            let replaced = rows
                .iter()
                .any(|row| (row.id.as_str(), row.what.as_str()) == (rung.experiment, rung.name));
            if is_id && !replaced {
                all.push(Experiment {
                    id: rung.experiment.to_owned(),
                    what: rung.name.to_owned(),
                    command: format!("climb {}", ladder.name),
                    figure: Figure::Rung(rung.name.to_owned()),
                });
            }
        }
    }
    all.extend(rows.iter().map(|row| {
        let emulated = row.emulated.as_ref().filter(|_| backend == Backend::Emulator);
        Experiment {
            id: row.id.clone(),
            what: row.what.clone(),
            command: emulated.unwrap_or(&row.command).clone(),
            figure: row.figure.clone(),
        }
    }));
    all.sort_by_key(|experiment| {
        let (series, number) = experiment.id.split_at(1);
        (series.to_owned(), number.parse::<u32>().unwrap_or(0))
    });
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_id_has_its_row() {
        let all = experiments(Backend::Emulator);
        let series = [("A", 0, 14), ("B", 1, 9), ("C", 1, 4), ("D", 1, 4), ("E", 1, 3)];
        for (letter, first, last) in series {
            for number in first..=last {
                let id = format!("{letter}{number}");
                assert!(all.iter().any(|experiment| experiment.id == id), "{id} is missing");
            }
        }
    }

    #[test]
    fn commands_are_smaller_on_the_emulator() {
        let command = |backend| {
            let all = experiments(backend);
            all.into_iter().find(|experiment| experiment.id == "E2").expect("E2").command
        };
        assert!(command(Backend::Cuda).ends_with("--size 1024"));
        assert!(command(Backend::Emulator).ends_with("--size 128"));
    }
}
