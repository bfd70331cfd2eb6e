//! Measures the debugger on the ladders: for the launch of one rung of each ladder that has the most steps, the time of a
//! recording relative to a plain run of the same code, and the memory of the recording, as rows of a table. Once for the
//! code that runs normally, once for the code with names that the debugger builds.
//!
//! Usage: `cargo run --release -p lanework --example debugger_overhead -- LANEWORK RUNG...`, where `LANEWORK` is the
//! command. Without rungs, it takes the second rung of each ladder.

use lanework::emulator::saved::SavedMemory;
use lanework::emulator::{Emulator, Options, Schedule};
use lanework::ptx::Module;
use lanework::tool::{Record, Saved, read};
use lanework_debug::session::BUDGET;
use lanework_debug::timeline::{DebugTarget, Timeline};
use std::error::Error;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

/// A launch with its PTX, and the launches that its process made before.
struct Launches {
    all: Vec<Saved>,
    texts: Vec<(u64, String)>,
}

/// The launches of a rung: as it runs normally, or as the debugger builds it.
fn launches(lanework: &str, rung: &str, names: bool) -> Result<Launches, Box<dyn Error>> {
    let folder = std::env::temp_dir().join(format!("lanework-overhead-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let first = if names { "1" } else { "1 optimized" };
    let mut command = Command::new(lanework);
    command.args(["run", rung, "--device", "emulator"]).stdout(Stdio::null());
    command.env("LANEWORK_TOOL", "save").env("LANEWORK_TOOL_FOLDER", &folder);
    let status = command.env("LANEWORK_TOOL_SAVE", first).status()?;
    let records = read(Path::new(&folder));
    std::fs::remove_dir_all(&folder)?;
    if !status.success() {
        return Err(format!("`lanework run {rung}` failed").into());
    }
    let mut found = Launches { all: Vec::new(), texts: Vec::new() };
    for record in records?.into_iter().flatten() {
        match record {
            Record::Saved(saved) => found.all.push(*saved),
            Record::Module(_, id, text) => found.texts.push((id, text)),
            _ => {}
        }
    }
    Ok(found)
}

/// The fastest of three runs, in milliseconds.
fn best(mut run: impl FnMut()) -> f64 {
    let mut time = || {
        let start = Instant::now();
        run();
        start.elapsed().as_secs_f64() * 1e3
    };
    (0..3).map(|_| time()).fold(f64::INFINITY, f64::min)
}

/// The figures of one launch.
struct Figures {
    steps: u64,
    run: f64,
    record: f64,
    bytes: [u64; 2],
}

/// Measures the launch with the most steps.
fn measure(launches: &Launches) -> Result<Option<Figures>, Box<dyn Error>> {
    let mut most: Option<Figures> = None;
    let mut memory = SavedMemory::default();
    for saved in launches.all.iter().filter(|saved| saved.refused.is_empty()) {
        memory.apply(&saved.memory)?;
        let text = launches.texts.iter().find(|(id, _)| Some(*id) == saved.module);
        let Some((_, text)) = text else { continue };
        let module = Module::parse(text).map_err(|problems| problems.to_string())?;
        let emulator = Emulator::new(Options { workers: Some(1), ..Options::default() });
        let program = saved.launch.restore(&module, &memory, &emulator)?;
        let config = saved.launch.config();
        let arguments: Vec<&[u8]> = saved.launch.arguments.iter().map(Vec::as_slice).collect();
        let target = DebugTarget {
            emulator: &emulator,
            program: &program,
            config: &config,
            arguments: &arguments,
        };
        let first = Timeline::record(target, Schedule::InOrder, BUDGET)?;
        first.restore()?;
        if most.as_ref().is_some_and(|most| most.steps >= first.steps()) {
            continue;
        }
        let record = best(|| {
            let recorded = Timeline::record(target, Schedule::InOrder, BUDGET);
            let _ = recorded.map(|timeline| timeline.restore());
        });
        let run = best(|| drop(emulator.run(&program, &config, &arguments)));
        most = Some(Figures { steps: first.steps(), run, record, bytes: first.bytes() });
    }
    Ok(most)
}

/// The second rung of each ladder.
fn rungs(lanework: &str) -> Result<Vec<String>, Box<dyn Error>> {
    let output = Command::new(lanework).arg("list").output()?;
    let text = String::from_utf8(output.stdout)?;
    let first = |line: &str| line.split_whitespace().next().map(str::to_owned);
    let all = text.lines().filter_map(first).filter(|word| word.split('/').count() == 2);
    let all: Vec<String> = all.collect();
    let ladder = |rung: &str| rung.split('/').next().unwrap_or_default().to_owned();
    let is_second = |at: usize| {
        let own = ladder(&all[at]);
        all[..at].iter().filter(|other| ladder(other) == own).count() == 1
    };
    Ok((0..all.len()).filter(|at| is_second(*at)).map(|at| all[at].clone()).collect())
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut words = std::env::args().skip(1);
    let lanework = words.next().ok_or("give the path of the command `lanework`, then rungs")?;
    let mut chosen: Vec<String> = words.collect();
    if chosen.is_empty() {
        chosen = rungs(&lanework)?;
    }
    println!(
        "| rung | steps | run | record | ratio | named: steps | run | record | ratio | memory | snapshots |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|");
    for rung in chosen {
        let normal = measure(&launches(&lanework, &rung, false)?)?;
        let named = measure(&launches(&lanework, &rung, true)?)?;
        let (Some(normal), Some(named)) = (normal, named) else {
            println!("| {rung} | no launch could be saved | | | | | | | | | |");
            continue;
        };
        let [before, snapshots] = named.bytes.map(|bytes| bytes as f64 / 1e6);
        let row = |of: &Figures| {
            let Figures { steps, run, record, .. } = of;
            format!("{steps} | {run:.1} ms | {record:.1} ms | {:.1}", record / run)
        };
        let (normal, named) = (row(&normal), row(&named));
        println!("| {rung} | {normal} | {named} | {before:.1} MB | {snapshots:.1} MB |");
    }
    Ok(())
}
