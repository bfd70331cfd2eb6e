//! Runs a kernel in several modes and compares the results.

use crate::verdicts::scene::{Host, Shape};
use crate::verdicts::text::Expected;
use lanework_emulator::sanitize::{Checks, Report};
use lanework_emulator::{Emulator, LaunchConfig, NullObserver, Options, Schedule};
use lanework_ptx::Module;
use std::fmt::Write;

/// Numbers the lines of a module, for messages.
pub fn numbered(module: &str) -> String {
    module.lines().enumerate().fold(String::new(), |mut text, (i, line)| {
        let _ = writeln!(text, "{:4} {line}", i + 1);
        text
    })
}

fn options() -> Options {
    Options {
        max_instructions: Some(1 << 24),
        total_instructions: Some(1 << 27),
        verify: true,
        ..Options::default()
    }
}

struct Memory {
    arguments: [u64; 4],
}

fn upload(emulator: &Emulator, shape: Shape, stride: u32) -> Memory {
    let allocate =
        |bytes: usize, name: &str| emulator.allocate(bytes as u64, name).expect("memory");
    let write = |at: u64, words: &[u32]| {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        emulator.write(at, &bytes).expect("in bounds");
    };
    let total = shape.total();
    let arguments = [
        allocate(4 * total, "in"),
        allocate(4 * total, "out"),
        allocate(4 * crate::verdicts::draw::WORDS, "sums"),
        allocate((stride * shape.blocks).max(16) as usize, "scratch"),
    ];
    write(arguments[0], &crate::verdicts::input(shape));
    write(arguments[2], &[0; crate::verdicts::draw::WORDS]);
    Memory { arguments }
}

fn words(emulator: &Emulator, at: u64, count: usize) -> Vec<u32> {
    let mut bytes = vec![0; 4 * count];
    emulator.read(at, &mut bytes).expect("in bounds");
    bytes.chunks(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect()
}

/// Loads the module and launches it; `run` gets the arguments and returns the findings.
fn launched<T>(
    options: Options,
    text: &str,
    shape: Shape,
    stride: u32,
    run: impl FnOnce(&Emulator, &dyn Fn() -> Launch, &Memory) -> Result<T, String>,
) -> Result<T, String> {
    let module = Module::parse(text).map_err(|why| format!("does not parse: {why}"))?;
    module.validate().map_err(|why| format!("is not valid: {why}"))?;
    let emulator = Emulator::new(options);
    let program = emulator.load(&module).map_err(|why| format!("does not load: {why}"))?;
    let memory = upload(&emulator, shape, stride);
    let cluster = (shape.cluster > 1).then_some([shape.cluster, 1, 1]);
    let launch = || Launch {
        program: program.clone(),
        config: LaunchConfig {
            cluster,
            ..LaunchConfig::new("k", [shape.blocks, 1, 1], [shape.threads, 1, 1])
        },
        arguments: memory.arguments.map(u64::to_le_bytes),
    };
    run(&emulator, &launch, &memory)
}

struct Launch {
    program: std::sync::Arc<lanework_emulator::Program>,
    config: LaunchConfig<'static>,
    arguments: [[u8; 8]; 4],
}

/// The findings of a checked run, and the memory after it.
struct Found {
    reports: Vec<Report>,
    out: Vec<u32>,
    sums: Vec<u32>,
}

/// Runs a kernel with checks and returns its findings.
fn findings(options: Options, text: &str, shape: Shape, stride: u32) -> Result<Found, String> {
    launched(options, text, shape, stride, |emulator, launch, memory| {
        let Launch { program, config, arguments } = launch();
        let arguments = [0, 1, 2, 3].map(|i| &arguments[i][..]);
        let checked = emulator
            .check(&program, &config, &arguments)
            .map_err(|fault| format!("cannot be checked: {fault}"))?;
        if let Some(fault) = checked.fault {
            return Err(format!("faults under checks: {fault}"));
        }
        let out = words(emulator, memory.arguments[1], shape.total());
        let sums = words(emulator, memory.arguments[2], crate::verdicts::draw::WORDS);
        Ok(Found { reports: checked.reports, out, sums })
    })
}

/// The modes whose findings must agree: fast paths, reference, and every register varying.
fn ways(schedule: Schedule) -> [(&'static str, Options); 3] {
    let checked = |checks: Checks, all_varying| Options {
        checks: Some(checks),
        all_varying,
        schedule,
        ..options()
    };
    [
        ("fast", checked(Checks::default(), false)),
        ("by lane", checked(Checks::default().by_lane(), false)),
        ("varying", checked(Checks::default(), true)),
    ]
}

fn compare(what: &str, of: &str, got: &[u32], expected: &[u32]) -> Result<(), String> {
    match got.iter().zip(expected).position(|(got, expected)| got != expected) {
        Some(i) => Err(format!("{what}: {of}[{i}] is {:#x}, not {:#x}", got[i], expected[i])),
        None => Ok(()),
    }
}

/// Checks a kernel without a defect.
pub fn right(text: &str, shape: Shape, stride: u32, host: &Host) -> Result<(), String> {
    let plain = [
        ("plain", options()),
        ("varying", Options { all_varying: true, ..options() }),
        ("in another order", Options { schedule: Schedule::Seeded(7), ..options() }),
    ];
    for (what, options) in plain {
        launched(options, text, shape, stride, |emulator, launch, memory| {
            let Launch { program, config, arguments } = launch();
            let arguments = [0, 1, 2, 3].map(|i| &arguments[i][..]);
            emulator
                .launch(&program, &config, &arguments, &mut NullObserver)
                .map_err(|fault| format!("{what}: {fault}"))?;
            compare(what, "out", &words(emulator, memory.arguments[1], shape.total()), &host.v)?;
            compare(
                what,
                "sums",
                &words(emulator, memory.arguments[2], crate::verdicts::draw::WORDS),
                &host.sums,
            )
        })?;
    }
    for schedule in [Schedule::InOrder, Schedule::Seeded(11)] {
        for (what, options) in ways(schedule) {
            let Found { reports, out, sums } = findings(options, text, shape, stride)?;
            if let Some(report) = reports.first() {
                return Err(format!(
                    "{what}, {schedule:?}: {} findings, such as {}: {report}",
                    reports.len(),
                    report.kind
                ));
            }
            compare(what, "out", &out, &host.v)?;
            compare(what, "sums", &sums, &host.sums)?;
        }
    }
    Ok(())
}

fn touches(report: &Report, lines: &[usize]) -> bool {
    let other = report.other.iter().map(|other| other.text_line);
    let also = report.also.iter().flat_map(|pair| [pair.access.text_line, pair.other.text_line]);
    lines.is_empty()
        || other.chain(also).chain([report.text_line]).any(|line| lines.contains(&(line as usize)))
}

/// Checks a kernel with one defect.
pub fn planted(text: &str, shape: Shape, stride: u32, expected: &Expected) -> Result<(), String> {
    for schedule in [Schedule::InOrder, Schedule::Seeded(11)] {
        let mut first: Option<Vec<Report>> = None;
        for (what, options) in ways(schedule) {
            let Found { mut reports, .. } = findings(options, text, shape, stride)?;
            // The number of occurrences of a race depends on the order in which lanes are checked.
            reports.iter_mut().for_each(|report| report.count = 1);
            let is = |report: &&Report| {
                expected.kinds.contains(&report.kind) && touches(report, &expected.lines)
            };
            if !reports.iter().any(|report| is(&report)) {
                let found: Vec<String> =
                    reports.iter().map(|report| format!("{}: {report}", report.kind)).collect();
                return Err(format!(
                    "{what}, {schedule:?}: none of {:?} at {:?} among {} findings {}",
                    expected.kinds,
                    expected.lines,
                    reports.len(),
                    found.join("; ")
                ));
            }
            if let Some(report) =
                reports.iter().find(|report| !is(report) && !expected.may.contains(&report.kind))
            {
                return Err(format!(
                    "{what}, {schedule:?}: beside {:?} at {:?} also {}: {report}",
                    expected.kinds, expected.lines, report.kind
                ));
            }
            // The time slices determine which pair of accesses is found first, and which other pairs are found at all.
            for report in &mut reports {
                (report.block, report.thread) = ([0; 3], [0; 3]);
                let other = report.other.iter_mut();
                other.for_each(|other| (other.block, other.thread) = ([0; 3], [0; 3]));
                report.also.clear();
            }
            match &first {
                None => first = Some(reports),
                Some(first) if *first != reports => {
                    return Err(format!(
                        "{what}, {schedule:?}: other findings: {first:#?} {reports:#?}"
                    ));
                }
                Some(_) => {}
            }
        }
    }
    Ok(())
}
