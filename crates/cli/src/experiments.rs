//! The experiments of the notes: for each its id, what it is, the command that reproduces it, and
//! which figure of that command's JSON is its own.

use lanework::Backend;
use lanework_lab::families;

/// One experiment.
#[derive(Clone, Debug)]
pub struct Experiment {
    /// Its id in the notes.
    pub id: &'static str,
    /// The rung, or what is shown.
    pub what: &'static str,
    /// The command, after `lanework`.
    pub command: String,
    /// Where its figure is.
    pub figure: Figure,
}

/// Which figure of a command's output an experiment reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Figure {
    /// Of the rung called so in a climb.
    Rung(&'static str),
    /// Of the rung called so at each point of a sweep.
    Sweep(&'static str),
    /// Time of the host's version in a climb.
    Host,
    /// Both times of the streams.
    Streams,
    /// Number of lines that the device printed.
    Lines,
    /// Number of devices.
    Devices,
    /// The analysis of a climb, on paper.
    Analysis,
}

/// Every experiment, in the order of the ids. Where the sizes of the notes would take the emulator
/// minutes, it is asked for smaller ones.
pub fn experiments(backend: Backend) -> Vec<Experiment> {
    let gpu = backend == Backend::Cuda;
    let pick = |on_gpu: &'static str, emulated: &'static str| if gpu { on_gpu } else { emulated };
    let mut all = Vec::new();
    let mut add = |id, what, command: String, figure| {
        all.push(Experiment { id, what, command, figure });
    };
    for family in families() {
        let ladder = family.with_peer();
        for rung in ladder.rungs {
            let known = rung.experiment.starts_with(|c: char| c.is_ascii_uppercase());
            let swept = matches!(rung.experiment, "E2" | "E3");
            if known && !swept {
                let command = format!("climb {}", ladder.name);
                add(rung.experiment, rung.name, command, Figure::Rung(rung.name));
            }
        }
    }
    let sweep =
        |ladder: &str, rungs: &str, axes: &str| format!("sweep {ladder} --rungs {rungs} {axes}");
    let tiles = pick("--tile 1,2,4,8,16,32,64 --size 1024", "--tile 1,2,4,8,16,32,64 --size 128");
    let shared = pick("--tile 1,2,4,8,16,32 --size 1024", "--tile 1,2,4,8,16,32 --size 128");
    let blocks = pick("--block 8,16,32 --size 2048", "--block 8,16,32 --size 1024");
    let sizes =
        pick("--block 16 --size 512,1024,2048,8096,16192", "--block 16 --size 512,1024,2048");
    add("A0", "devices", "devices".to_owned(), Figure::Devices);
    add("B1", "hello", "hello --blocks 5 --threads 2x2".to_owned(), Figure::Lines);
    add("B7", "host", "climb transpose".to_owned(), Figure::Host);
    for rung in ["naive", "padded"] {
        add("B8", rung, sweep("transpose", "naive,padded", blocks), Figure::Sweep(rung));
        add("B9", rung, sweep("transpose", "naive,padded", sizes), Figure::Sweep(rung));
    }
    add("C4", "streams", "streams".to_owned(), Figure::Streams);
    add("D", "analysis", "climb sgemm".to_owned(), Figure::Analysis);
    let register = "register-tile";
    add("E2", register, sweep("int-matmul", register, tiles), Figure::Sweep(register));
    let tile = "shared-tile";
    add("E3", tile, sweep("int-matmul", tile, shared), Figure::Sweep(tile));
    all.sort_by_key(|experiment| {
        let (family, number) = experiment.id.split_at(1);
        (family.to_owned(), number.parse::<u32>().unwrap_or(0))
    });
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_id_of_the_notes_has_its_row() {
        let ids: Vec<&str> =
            experiments(Backend::Emulator).iter().map(|experiment| experiment.id).collect();
        let notes = [("A", 0, 14), ("B", 1, 9), ("C", 1, 4), ("D", 1, 4), ("E", 1, 3)];
        for (family, first, last) in notes {
            for number in first..=last {
                let id = format!("{family}{number}");
                assert!(ids.contains(&id.as_str()), "{id} is missing");
            }
        }
    }
}
