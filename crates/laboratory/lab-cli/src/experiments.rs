//! `lanework-lab experiments`: the experiments that the ladders reproduce, listed, or run in sequence.

use crate::args::ExperimentsArgs;
use lanework::{Backend, Device};
use lanework_lab::{Experiment, Figure, experiments, experiments_source};
use lanework_terminal::failure::{Failure, Outcome};
use lanework_terminal::output::{duration, print, print_json, short_count};
use lanework_terminal::progress::Progress;
use lanework_terminal::table::{Cell, Column, Table, Tone, prose, shown};
use lanework_terminal::{check_time_limit, words};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The result of an experiment.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Shown {
    /// Its id.
    pub id: String,
    /// The rung, or a name of the figure.
    pub what: String,
    /// The command that ran.
    pub command: String,
    /// Name of the device.
    pub device: String,
    /// Version of its driver.
    pub driver: String,
    /// Whether every result equalled the host's.
    pub verified: bool,
    /// Whether it does not run on this device.
    pub skipped: bool,
    /// The figure, as text.
    pub figure: String,
}

impl Shown {
    /// Verdict and figure, for a cell of a table.
    pub fn cell(&self) -> String {
        match (self.verified, self.skipped) {
            (true, _) => format!("verified: {}", self.figure),
            (false, true) => self.figure.clone(),
            (false, false) => "NOT VERIFIED".to_owned(),
        }
    }
}

/// The outcome of a command: whether it succeeded, and its output.
struct Ran {
    success: bool,
    text: String,
}

/// Seconds of sampling of a rung by default.
const SAMPLING: f64 = 5.0;

/// Lists the experiments, or runs them all by their own commands.
///
/// # Errors
/// If the device is unknown, a command cannot be started, or an experiment was not verified.
pub fn run(args: &ExperimentsArgs) -> Outcome {
    let device = Device::open(&args.on.device)?;
    check_time_limit(args.time_limit, device.backend())?;
    let limit = (device.backend() == Backend::Cuda).then_some(args.time_limit.unwrap_or(SAMPLING));
    let rows = experiments(device.backend());
    if !args.run {
        return list(&rows, args.json);
    }
    let program = lanework()?;
    let info = device.info();
    let mut ran: HashMap<String, Ran> = HashMap::new();
    let mut found = Vec::new();
    let progress = Progress::of("running", rows.len() as u64);
    for row in rows {
        progress.next(&format!("{} {}: lanework {}", row.id, row.what, row.command));
        if !ran.contains_key(&row.command) {
            let result = execute(&program, &row, &info.id, limit)?;
            if let (Some(folder), Some(ladder)) = (&args.output, row.command.strip_prefix("climb "))
            {
                keep(folder, ladder, &result.text)?;
            }
            ran.insert(row.command.clone(), result);
        }
        let result = &ran[&row.command];
        let figure = figure(&row, &result.text);
        let skipped = figure.as_ref().is_some_and(|figure| figure.starts_with("skipped"));
        found.push(Shown {
            id: row.id.clone(),
            what: row.what.clone(),
            command: format!("lanework {}", row.command),
            device: info.name.clone(),
            driver: info.driver.clone(),
            verified: result.success && figure.is_some() && !skipped,
            skipped,
            figure: figure.unwrap_or_else(|| "no figure".to_owned()),
        });
        if let Some(folder) = &args.output {
            let text = serde_json::to_string_pretty(&found).unwrap_or_default();
            keep(folder, "experiments", &text)?;
        }
    }
    drop(progress);
    if args.json {
        print_json(&found)?;
    } else {
        let mut rows = Table::new([
            Column::name("id"),
            Column::label("what").rank(0),
            Column::text("command").rank(3),
            Column::label("verified").rank(0),
            Column::text("figure").rank(0),
        ]);
        for row in &found {
            let verified = match (row.verified, row.skipped) {
                (true, _) => Cell::from("yes").tone(Tone::Good),
                (false, true) => Cell::from("skipped").tone(Tone::Weak),
                (false, false) => Cell::from("NO").tone(Tone::Bad),
            };
            let cell = |text: &String| Cell::from(text.as_str());
            rows.row([
                cell(&row.id),
                cell(&row.what),
                cell(&row.command),
                verified,
                cell(&row.figure),
            ]);
        }
        let told = format!(
            "{} (driver {}). Sectors are per load and per store request.",
            info.name, info.driver
        );
        print(&(shown(&rows) + &prose(&told)))?;
    }
    let wrong: Vec<&str> = found
        .iter()
        .filter(|row| !row.verified && !row.skipped)
        .map(|row| row.id.as_str())
        .collect();
    if wrong.is_empty() {
        return Ok(());
    }
    Err(Failure::Check(format!("not verified: {}", wrong.join(", "))))
}

fn list(rows: &[Experiment], json: bool) -> Outcome {
    if json {
        let rows: Vec<Value> = rows
            .iter()
            .map(|row| {
                let command = format!("lanework {}", row.command);
                serde_json::json!({ "id": row.id, "what": row.what, "command": command })
            })
            .collect();
        return print_json(&rows);
    }
    let mut table = Table::new([
        Column::name("id"),
        Column::label("what").rank(0),
        Column::text("command").rank(0),
    ]);
    for row in rows {
        table.row([row.id.clone(), row.what.clone(), format!("lanework {}", row.command)]);
    }
    let source = experiments_source(words::of_kernels());
    let told = format!("{source}\nRun them all with `lanework-lab experiments --run`.");
    print(&(shown(&table) + &prose(&told)))
}

/// Writes `text` to `NAME.json` in the folder, which is created if it is missing.
fn keep(folder: &Path, name: &str, text: &str) -> Result<(), Failure> {
    let place = folder.join(format!("{name}.json"));
    let written = std::fs::create_dir_all(folder).and_then(|()| std::fs::write(&place, text));
    written.map_err(|error| {
        let help = "choose a folder that you may write to";
        Failure::input(format_args!("{} cannot be written: {error}", place.display()), help)
    })
}

/// The program `lanework`, which cargo builds into the folder of this one.
///
/// # Errors
/// If it is not there.
fn lanework() -> Result<PathBuf, Failure> {
    let program = std::env::current_exe()?;
    let program = program.with_file_name(format!("lanework{}", std::env::consts::EXE_SUFFIX));
    if program.is_file() {
        return Ok(program);
    }
    Err(Failure::input(
        format_args!("the experiments run {}, which does not exist", program.display()),
        "build it with the same profile: cargo build --release -p lanework-cli",
    ))
}

/// Runs an experiment's command.
fn execute(
    program: &Path,
    row: &Experiment,
    device: &str,
    limit: Option<f64>,
) -> Result<Ran, Failure> {
    let mut command = Command::new(program);
    command.args(row.command.split(' '));
    if row.figure != Figure::Devices {
        command.args(["--device", device]);
    }
    if row.figure != Figure::Lines {
        command.arg("--json");
    }
    if let Some(seconds) = limit
        && ["climb", "sweep"].iter().any(|timed| row.command.starts_with(timed))
    {
        command.args(["--time-limit", &seconds.to_string()]);
    }
    let output = command.output()?;
    Ok(Ran {
        success: output.status.success(),
        text: String::from_utf8_lossy(&output.stdout).into_owned(),
    })
}

/// The figure in a command's output, in words; `None` if the output lacks it.
fn figure(row: &Experiment, text: &str) -> Option<String> {
    if row.figure == Figure::Lines {
        let lines = text.lines().filter(|line| line.starts_with("Hello World from Thread")).count();
        return (lines > 0).then(|| format!("{lines} lines from the device"));
    }
    let json: Value = serde_json::from_str(text).ok()?;
    match &row.figure {
        Figure::Rung(name) => rung_figure(&json, name),
        Figure::Sweep(name) => {
            let points: Option<Vec<String>> = json["points"]
                .as_array()?
                .iter()
                .map(|point| Some(format!("{} {}", point_name(point)?, rung_figure(point, name)?)))
                .collect();
            Some(points?.join("; "))
        }
        Figure::Host => json["host"]["median_ns"].as_f64().map(duration),
        Figure::Streams => {
            json["verified"].as_bool().filter(|verified| *verified)?;
            match (json["serial_ns"].as_f64(), json["overlapped_ns"].as_f64()) {
                (Some(serial), Some(overlapped)) => Some(format!(
                    "one stream {}, several {}",
                    duration(serial),
                    duration(overlapped)
                )),
                _ => Some("the same result; time is not modeled".to_owned()),
            }
        }
        Figure::Devices => Some(match json.as_array()?.len() {
            1 => "1 device".to_owned(),
            count => format!("{count} devices"),
        }),
        Figure::Analysis => Some(json["analysis"].as_array()?.first()?.as_str()?.to_owned()),
        Figure::Lines => None,
    }
}

/// The name of a point: its tile or block, and its size.
fn point_name(point: &Value) -> Option<String> {
    let edge = ["tile", "block"].iter().find_map(|name| point[*name].as_u64());
    let size = point["size"][0].as_u64()?;
    Some(edge.map_or(format!("{size}:"), |edge| format!("{edge} at {size}:")))
}

/// The figure of a verified rung: its time and rate, or its counts.
fn rung_figure(climb: &Value, name: &str) -> Option<String> {
    if let Some(why) = climb["skipped_peers"][name].as_str() {
        return Some(format!("skipped: {why}"));
    }
    let rung = climb["rungs"].as_array()?.iter().find(|rung| rung["name"] == name)?;
    if let Some(why) = rung["skipped"].as_str() {
        return Some(format!("skipped: {why}"));
    }
    rung["verified"].as_bool().filter(|verified| *verified)?;
    let registers = || {
        let taken = &rung["resources"];
        Some(format!(
            ", {} registers, {} B spilled, {:.0} % occupied",
            taken["registers"].as_u64()?,
            taken["spill_bytes"].as_u64()?,
            100.0 * taken["occupancy"].as_f64()?
        ))
    };
    let taken =
        if climb["tile"].is_u64() { registers().unwrap_or_default() } else { String::new() };
    if let Some(median) = rung["time"]["median_ns"].as_f64() {
        let rate = match rung["time"]["gigaflops_per_second"].as_f64() {
            // With fewer operations than bytes, memory sets the time: GB/s is the better figure.
            Some(rate) if climb["flops"].as_u64()? > climb["bytes"].as_u64()? => {
                format!("{rate:.0} GFLOP/s")
            }
            _ => format!("{:.0} GB/s", rung["time"]["gigabytes_per_second"].as_f64()?),
        };
        return Some(format!("{}, {rate}{taken}", duration(median)));
    }
    let counters = &rung["counters"];
    let per_request = |kind: &str| {
        let (sectors, requests) =
            (counters[kind]["sectors"].as_f64()?, counters[kind]["requests"].as_f64()?);
        Some(if requests == 0.0 { 0.0 } else { sectors / requests })
    };
    let conflicts = counters["shared_load"]["bank_conflicts"].as_u64()?
        + counters["shared_store"]["bank_conflicts"].as_u64()?;
    Some(format!(
        "{:.1} / {:.1} sectors, {} conflicts, {} instr.{taken}",
        per_request("global_load")?,
        per_request("global_store")?,
        short_count(conflicts as f64),
        short_count(counters["warp_instructions"].as_f64()?),
    ))
}
