//! `lanework-lab fidelity`: the accuracy of the emulator's counts, against a GPU's hardware counters.

use crate::args::FidelityArgs;
use lanework::Device;
use lanework_lab::{Deviation, Hardware, launch_corpus};
use lanework_terminal::failure::{Failure, Outcome};
use lanework_terminal::output::{print, print_data, print_json, read_text};
use lanework_terminal::table::{Column, Table, prose, shown};
use std::fs;
use std::path::Path;

/// Where the repository keeps an H200's counts.
const KEPT: &str = "crates/laboratory/lab/data/h200/fidelity.json";

/// The tables that `scripts/fidelity.sh` writes.
const TABLES: [&str; 3] = ["kernels", "probes", "sweep"];

/// Launches everything on a GPU, or reads the counts recorded there, or compares.
///
/// # Errors
/// If a launch fails, or a file cannot be read or written.
pub fn run(args: &FidelityArgs) -> Outcome {
    if args.metrics {
        return print_data(
            &Hardware::metrics().map(|name| format!("{name}\n")).collect::<String>(),
        );
    }
    if let Some(device) = &args.launch {
        return launch(args, device);
    }
    if let Some(folder) = &args.ncu {
        return store(folder, args.results.as_deref().unwrap_or(Path::new(KEPT)));
    }
    let hardware = match &args.results {
        Some(file) => read(file)?,
        None => Hardware::recorded(),
    };
    let (deviations, _) = compare(&hardware, args.data.as_deref(), &args.only)?;
    if deviations.is_empty() {
        let help = "give a part of a name; `lanework-lab fidelity --json` lists them";
        return Err(Failure::input("no launch with such a name has counts of a GPU", help));
    }
    if args.json {
        return print_json(&deviations);
    }
    let mut rows = Table::new([
        Column::name("launch"),
        Column::label("counter").rank(1),
        Column::number("emulator").rank(3),
        Column::number("GPU").rank(3),
        Column::number("error").rank(1),
    ]);
    let far: Vec<&Deviation> = deviations.iter().filter(|one| !one.within_a_hundredth()).collect();
    for one in &far {
        rows.row([
            one.launch.clone(),
            one.counter.to_owned(),
            one.emulated.to_string(),
            one.measured.to_string(),
            one.error.map_or(String::new(), |error| format!("{:+.1} %", 100.0 * error)),
        ]);
    }
    let within = deviations.len() - far.len();
    let told = format!(
        "{within} of {} counters are within 1 % of the GPU's ({:.1} %); the others:",
        deviations.len(),
        100.0 * within as f64 / deviations.len().max(1) as f64,
    );
    print(&(prose(&told) + &shown(&rows)))
}

fn wanted<'a>(args: &'a FidelityArgs) -> impl Fn(&str) -> bool + 'a {
    move |name| {
        let skipped =
            args.skip.as_ref().is_some_and(|skip| skip.split(',').any(|part| name.contains(part)));
        name.contains(&args.only) && !skipped
    }
}

/// Launches the corpus and lists it.
fn launch(args: &FidelityArgs, device: &str) -> Outcome {
    let device = Device::open(device)?;
    let mut said = String::new();
    launch_corpus(&device, args.data.as_deref(), &wanted(args), &mut |launched| {
        said.push_str(&format!("{}\t{}\n", launched.name, launched.entry));
        Ok(())
    })?;
    print(&said)
}

fn text_of(path: &Path) -> Result<String, Failure> {
    read_text(path, "give a table that scripts/fidelity.sh wrote")
}

/// Collects the profiler's tables in one file.
fn store(folder: &Path, results: &Path) -> Outcome {
    let mut hardware = Hardware { gpu: "NVIDIA H200".to_owned(), ..Hardware::default() };
    for name in TABLES {
        let table = text_of(&folder.join(format!("{name}.csv")))?;
        let launches = text_of(&folder.join(format!("{name}.txt")))?;
        let read = hardware.read(&table, &launches);
        read.map_err(|why| {
            Failure::input(
                format_args!("{name}.csv: {why}"),
                "record it again with scripts/fidelity.sh",
            )
        })?;
    }
    fs::write(results, hardware.to_json())?;
    print(&format!("{} launches are in {}\n", hardware.launches.len(), results.display()))
}

/// The counts of a GPU, from a file.
///
/// # Errors
/// If it cannot be read.
fn read(file: &Path) -> Result<Hardware, Failure> {
    serde_json::from_str(&text_of(file)?).map_err(|error| {
        Failure::input(
            format_args!("{}: {error}", file.display()),
            "record it again with scripts/fidelity.sh",
        )
    })
}

/// Every counter of every launch that the GPU counted too, and the names of the other launches.
///
/// # Errors
/// If a launch fails.
pub fn compare(
    hardware: &Hardware,
    data: Option<&Path>,
    only: &str,
) -> Result<(Vec<Deviation>, Vec<String>), Failure> {
    let (mut deviations, mut uncounted) = (Vec::new(), Vec::new());
    launch_corpus(&Device::emulator(), data, &|name| name.contains(only), &mut |launched| {
        if let Some(profile) = &launched.profile {
            deviations.extend(hardware.compare(&launched.name, &profile.counters));
        }
        if !hardware.launches.contains_key(&launched.name) {
            uncounted.push(launched.name);
        }
        Ok(())
    })?;
    Ok((deviations, uncounted))
}
