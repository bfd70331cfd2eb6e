//! `lanework climb`: a ladder from the bottom up. `lanework climb multi-gpu`: the ladder of all-reduces, on several
//! GPUs or several emulated devices.

use crate::args::{ClimbArgs, ClimbOptions, ProblemOptions};
use crate::commands::kernels::look;
use crate::problem::{
    check_rung, find_family, nothing_runs, read_arrays, request, with_parameters,
};
use crate::saving::{Plan, Point, RunKind, Saving};
use crate::tables;
use lanework::{Backend, Device};
use lanework_lab::several::{SeveralRecord, SeveralRungRecord, climb_several};
use lanework_lab::{ClimbRecord, ClimbSettings, DeviceRecord, Family, RungRecord, climb, families};
use lanework_ladders::RungInfo;
use lanework_ladders::multi_gpu::{LONGEST, ladder};
use lanework_terminal::check_time_limit;
use lanework_terminal::failure::{Failure, Outcome};
use lanework_terminal::output::{duration, print, print_data, print_json, thousands};
use lanework_terminal::progress::Progress;
use lanework_terminal::table::{Cell, Column, Table, Tone, prose, shown};
use serde_json::json;
use std::time::Duration;

/// Climbs a ladder, or all of them, and shows the counts or times of each rung.
///
/// # Errors
/// Unknown names, shapes that do not fit, an unknown device, or a wrong result of a rung.
pub fn run(args: &ClimbArgs) -> Outcome {
    if let Some(count) = args.gpus {
        return Err(Failure::input(
            format_args!("--gpus {count} is for the ladder multi-gpu"),
            "remove --gpus, or climb multi-gpu",
        ));
    }
    let families = match &args.ladder {
        Some(name) => vec![find_family(name)?],
        None => families(),
    };
    let own = args.arrays.given().count() + args.problem.0.len() + args.options.rungs.len();
    if args.all && own + usize::from(args.options.numbers.element.is_some()) > 0 {
        return Err(Failure::input(
            "--all climbs every ladder on its default problem",
            "name a ladder to choose sizes, types, arrays and rungs",
        ));
    }
    families.iter().try_for_each(|family| check_rungs(family, &args.options.rungs))?;
    if let ([family], Some(rung)) = (&families[..], &args.explain) {
        return explain(args, family, rung);
    }
    let device = Device::open(&args.options.on.device)?;
    check_time_limit(args.options.time_limit, device.backend())?;
    let mut request =
        with_parameters(request(&args.options.numbers, device.backend())?, &args.problem);
    let chosen: Vec<&str> = args.options.rungs.iter().map(String::as_str).collect();
    for family in &families {
        read_arrays(&mut request, &args.arrays, family)?;
        family.check_used(&chosen, &request)?;
    }
    let device_record = DeviceRecord::of(&device);
    let plan = Plan {
        kind: RunKind::Climb,
        request: json!({"ladder": args.ladder, "problem": request.in_words(), "rungs": args.options.rungs}),
        points: families.len(),
        device: &device_record,
    };
    let mut saving =
        args.options.save.open()?.map(|store| Saving::begin(store, &plan)).transpose()?;
    let mut records = Vec::new();
    for (position, family) in families.iter().enumerate() {
        let case = family.case(&request)?;
        let record = {
            let what = format!("climbing {}", (family.ladder)().name);
            let progress = Progress::of(&what, steps(family, &args.options.rungs));
            let mut next = |rung: &str| progress.next(rung);
            climb(family, case.as_ref(), &device, &settings(&args.options), &mut next)?
        };
        if let Some(saving) = &mut saving {
            saving.add(position, &Point::Climb(&record))?;
        }
        if !args.options.json {
            print(&tables::describe(&record, device.backend()))?;
        }
        records.push(record);
    }
    if let Some(saving) = saving {
        saving.finish(&args.options.save)?;
    }
    match (args.options.json, records.as_slice()) {
        (false, _) => {}
        (true, [record]) if !args.all => print_json(record)?,
        (true, records) => print_json(&records)?,
    }
    records.iter().try_for_each(|record| failures(record).and(ran(&[record])))
}

/// Shows a rung: its idea, source and picture, and the counts of the rung before and its own.
///
/// # Errors
/// An unknown rung, a problem that does not fit, or a wrong result.
fn explain(args: &ClimbArgs, family: &Family, rung: &str) -> Outcome {
    let ladder = family.with_peer();
    check_rung(&ladder, rung)?;
    let place = ladder.rungs.iter().position(|known| known.name == rung).unwrap_or(0);
    let device = Device::emulator();
    let mut request =
        with_parameters(request(&args.options.numbers, device.backend())?, &args.problem);
    read_arrays(&mut request, &args.arrays, family)?;
    let case = family.case(&request)?;
    // The rung before may be skipped on this problem.
    let skipped = |info: &&RungInfo| case.skips(info.name, &device).is_some();
    let before = ladder.rungs[..place].iter().rev().find(|info| !skipped(info));
    let names: Vec<String> =
        before.iter().map(|info| info.name.to_owned()).chain([rung.to_owned()]).collect();
    let settings = ClimbSettings { rungs: names.clone(), ..settings(&args.options) };
    let record = {
        let progress = Progress::of(&format!("climbing {}", ladder.name), 1 + names.len() as u64);
        let mut next = |rung: &str| progress.next(rung);
        climb(family, case.as_ref(), &device, &settings, &mut next)?
    };
    failures(&record)?;
    ran(&[&record])?;
    let Some((now, earlier)) = record.rungs.split_last() else { return Ok(()) };
    print(&tables::story::explained(&record, earlier.last(), now))?;
    if let Some(code) = tables::story::source(record.ladder, rung) {
        print_data(&format!("\n{code}\n"))?;
    }
    look::draw_rung(&format!("{}/{rung}", record.ladder), &request_options(args))
}

/// The problem of a climb, for one rung.
fn request_options(args: &ClimbArgs) -> ProblemOptions {
    ProblemOptions {
        parameters: args.problem.clone(),
        numbers: args.options.numbers.clone(),
        arrays: args.arrays.clone(),
    }
}

/// Steps of a climb: the host's, and each rung that was chosen.
pub fn steps(family: &Family, rungs: &[String]) -> u64 {
    let chosen = |rung: &&RungInfo| rungs.is_empty() || rungs.iter().any(|name| name == rung.name);
    1 + family.with_peer().rungs.iter().filter(chosen).count() as u64
}

/// Seconds of sampling of a rung by default.
const SAMPLING: f64 = 15.0;

/// The settings of a climb from its options.
pub fn settings(options: &ClimbOptions) -> ClimbSettings {
    ClimbSettings {
        rungs: options.rungs.clone(),
        seed: options.numbers.seed.unwrap_or(1),
        time_limit: Duration::from_secs_f64(options.time_limit.unwrap_or(SAMPLING)),
    }
}

/// Checks that the ladder of `family` has these rungs.
///
/// # Errors
/// If a rung is unknown; names the nearest ones.
pub fn check_rungs(family: &Family, rungs: &[String]) -> Outcome {
    let ladder = family.with_peer();
    rungs.iter().try_for_each(|rung| check_rung(&ladder, rung))
}

/// Checks that at least one rung ran at some point.
///
/// # Errors
/// If all were skipped, with the reason of the first.
pub fn ran(points: &[&ClimbRecord]) -> Outcome {
    let skipped =
        |rung: &RungRecord| Some(format!("{} is skipped: {}", rung.name, rung.skipped.as_ref()?));
    if points.iter().flat_map(|point| &point.rungs).any(|rung| rung.skipped.is_none()) {
        return Ok(());
    }
    let of_rungs = points.iter().flat_map(|point| &point.rungs).find_map(skipped);
    let mut peers = points.iter().flat_map(|point| &point.skipped_peers);
    let of_peers = || peers.next().map(|(name, why)| format!("{name} is skipped: {why}"));
    of_rungs.or_else(of_peers).map_or(Ok(()), |why| Err(nothing_runs(&why)))
}

/// The failure of a climb in which a rung was not verified.
///
/// # Errors
/// The names of the rungs and their errors.
pub fn failures(record: &ClimbRecord) -> Outcome {
    let wrong = |rung: &RungRecord| Some(format!("  {}: {}", rung.name, rung.error.as_deref()?));
    let wrong: Vec<String> = record.rungs.iter().filter_map(wrong).collect();
    if wrong.is_empty() {
        return Ok(());
    }
    Err(Failure::Check(format!("{} rungs were not verified\n{}", wrong.len(), wrong.join("\n"))))
}

/// The ladder of all-reduces, which runs on several devices.
pub const MULTI_GPU: &str = "multi-gpu";

/// Default number of devices.
const DEVICES: u32 = 2;

/// Seconds of sampling of a rung of [`MULTI_GPU`] by default.
const MULTI_GPU_SAMPLING: f64 = 2.0;

/// Climbs the ladder and shows the time of each rung, or, on emulated devices, whether its sums are right.
///
/// # Errors
/// Options that the ladder does not take, unknown devices, or a wrong sum.
pub fn run_multi_gpu(args: &ClimbArgs) -> Outcome {
    let size = check_options(args)?;
    let ladder = ladder();
    args.options.rungs.iter().try_for_each(|rung| check_rung(&ladder, rung))?;
    let devices = devices(&args.options.on.device, args.gpus.unwrap_or(DEVICES) as usize)?;
    let backend = devices[0].backend();
    check_time_limit(args.options.time_limit, backend)?;
    let default = if backend == Backend::Cuda { 1 << 26 } else { 1 << 16 };
    let limit = Duration::from_secs_f64(args.options.time_limit.unwrap_or(MULTI_GPU_SAMPLING));
    let record = {
        let progress = Progress::of("climbing multi-gpu", 1 + ladder.rungs.len() as u64);
        let mut next = |rung: &str| progress.next(rung);
        let length = size.unwrap_or(default) as usize;
        climb_several(&devices, length, &args.options.rungs, limit, &mut next)?
    };
    if args.options.json {
        print_json(&record)?;
    } else {
        print(&describe_multi_gpu(&record))?;
    }
    let wrong =
        |rung: &SeveralRungRecord| Some(format!("  {}: {}", rung.name, rung.error.as_ref()?));
    let wrong: Vec<String> = record.rungs.iter().filter_map(wrong).collect();
    if wrong.is_empty() {
        return Ok(());
    }
    Err(Failure::Check(format!("{} rungs were not verified\n{}", wrong.len(), wrong.join("\n"))))
}

/// The size, if given.
///
/// # Errors
/// Refuses options that this ladder does not take.
fn check_options(args: &ClimbArgs) -> Result<Option<u64>, Failure> {
    let numbers = &args.options.numbers;
    let own = numbers.alpha.is_some() || numbers.beta.is_some() || numbers.seed.is_some();
    let typed = numbers.element.as_deref().is_some_and(|element| element != "f32");
    let other = args.problem.0.iter().find(|(name, _)| *name != "size");
    let given = args.arrays.given().count() > 0 || args.options.save.save;
    if own || typed || given || other.is_some() {
        return Err(Failure::input(
            "the ladder multi-gpu adds vectors of f32 of one size",
            "it takes --size, --gpus, --rungs, --time-limit, --device and --json",
        ));
    }
    let size = args.problem.0.iter().find_map(|(_, values)| values.first().copied());
    match size {
        Some(size) if size > LONGEST => Err(Failure::input(
            format_args!("--size {size} exceeds {LONGEST}"),
            "add vectors of up to 2^31 elements",
        )),
        size => Ok(size),
    }
}

/// The devices of a climb.
fn devices(name: &str, count: usize) -> Result<Vec<Device>, Failure> {
    match name {
        "best" => Ok(Device::several(count)),
        "emulator" => Ok(Device::emulators(count)),
        "cuda" | "cuda:0" => {
            Ok((0..count).map(Device::cuda).collect::<lanework::Result<Vec<_>>>()?)
        }
        other => Err(Failure::input(
            format_args!(
                "--device {other} names one device, and the ladder multi-gpu runs on several"
            ),
            "use --device best, emulator or cuda, and --gpus for their number",
        )),
    }
}

fn describe_multi_gpu(record: &SeveralRecord) -> String {
    let device = record.devices.first();
    let name = device.map_or("", |device| device.name.as_str());
    let mut text = prose(&format!(
        "{} of {} f32 on {} x {name}",
        record.ladder,
        thousands(record.size),
        record.devices.len()
    ));
    let timed = record.rungs.iter().any(|rung| rung.time.is_some());
    let mut columns = vec![Column::name("rung"), Column::label("result")];
    if timed {
        columns.push(Column::number("time"));
        columns.push(Column::number("95 % interval").rank(3));
        columns.push(Column::number("link GB/s").rank(1));
        columns.push(Column::number("speedup").rank(2));
    }
    let mut table = Table::new(columns);
    for rung in &record.rungs {
        let verdict = match (&rung.skipped, rung.verified) {
            (Some(_), _) => Cell::from("skipped").tone(Tone::Weak),
            (None, true) => Cell::from("bit-exact").tone(Tone::Good),
            (None, false) => Cell::from("WRONG").tone(Tone::Bad),
        };
        let mut row = vec![Cell::from(rung.name), verdict];
        if timed {
            let of = |text: Option<String>| Cell::from(text.unwrap_or_default());
            let time = rung.time.as_ref();
            row.push(of(time.map(|time| duration(time.median_ns))));
            row.push(of(time.map(|time| {
                let [low, high] = time.interval_ns;
                format!("{} .. {}", duration(low), duration(high))
            })));
            row.push(of(rung.link_bandwidth.map(|bytes| format!("{:.1}", bytes / 1e9))));
            row.push(of(rung.speedup.map(|speedup| format!("{speedup:.2}x"))));
        }
        table.row(row);
    }
    text.push_str(&shown(&table));
    for rung in &record.rungs {
        if let Some(why) = &rung.skipped {
            text.push_str(&prose(&format!("{} was skipped: {why}", rung.name)));
        }
    }
    text.push_str(&prose(if timed {
        "link GB/s: bytes that each device has to receive, 2 (n - 1) / n of a vector, divided by the time."
    } else {
        "The emulator does not model time: every rung ran, and its sums were compared."
    }));
    text
}
