//! Planted bugs: CUDA C++ kernels, compiled by nvcc, which mark the lines that must be reported;
//! other lines, and correct kernels, must have no findings.

mod generated;
mod planted;
mod rust;

use lanework::{Checks, Device, Error, Report, ReportKind};
use planted::{Planted, UNITS, planted, run};

/// The differences between the expected and the reported findings of a kernel.
fn complaints(plant: &Planted, reports: &[Report]) -> Vec<String> {
    let mut complaints = Vec::new();
    // The lines of the two accesses, of further pairs in the finding, and of their callers.
    let lines = |report: &Report| {
        let other = report.other.iter();
        let (locations, callers): (Vec<_>, Vec<_>) =
            other.map(|other| (other.location.as_ref(), &other.callers)).unzip();
        let also = report.also.iter().flat_map(|pair| [&pair.access, &pair.other]);
        let locations = locations.into_iter().chain(also.map(|spot| spot.location.as_ref()));
        let calls = callers.into_iter().chain([&report.callers]).flatten().map(Some);
        let locations = locations.chain(calls).flatten().map(|location| location.line);
        locations.chain([report.line()]).collect::<Vec<u32>>()
    };
    for (kind, line) in &plant.bugs {
        if !reports.iter().any(|report| report.kind == *kind && lines(report).contains(line)) {
            complaints.push(format!("{}: no {kind} at line {line}", plant.name));
        }
    }
    for report in reports {
        let expected =
            |(kind, line): &(ReportKind, u32)| report.kind == *kind && lines(report).contains(line);
        if !plant.bugs.iter().chain(&plant.maybe).any(expected) {
            complaints.push(format!("{}: {}: {report}", plant.name, report.kind));
        }
    }
    complaints
}

#[test]
fn every_planted_bug_is_found_at_its_line_and_nothing_else() {
    let planted = || {
        UNITS.iter().flat_map(|unit| planted(unit.cuda).into_iter().map(move |plant| (unit, plant)))
    };
    let part = |parity: usize| {
        let mut wrong = Vec::new();
        for (unit, plant) in planted().skip(parity).step_by(2) {
            let checks = match plant.proxy_fences {
                true => Checks::default().with(ReportKind::ProxyFence),
                false => Checks::default(),
            };
            let device = Device::emulator_limited(Some(1 << 20)).sanitized_for(checks);
            match run(&device, unit, &plant) {
                Ok(()) => wrong.extend(complaints(&plant, &[])),
                Err(Error::Sanitizer(reports)) => wrong.extend(complaints(&plant, &reports.found)),
                Err(other) => wrong.push(format!("{}: {other}", plant.name)),
            }
        }
        wrong
    };
    let wrong: Vec<String> = std::thread::scope(|scope| {
        let halves = [0, 1].map(|parity| scope.spawn(move || part(parity)));
        halves.into_iter().flat_map(|half| half.join().expect("no panic")).collect()
    });
    let bugs: usize = planted().map(|(_, plant)| plant.bugs.len()).sum();
    let right = planted().filter(|(_, plant)| plant.bugs.is_empty()).count();
    println!("{bugs} bugs, {right} right kernels");
    assert!(wrong.is_empty(), "{} complaints:\n{}", wrong.len(), wrong.join("\n"));
    assert!(bugs >= 360 && right >= 240, "{bugs} bugs, {right} right kernels");
}

#[test]
fn one_missing_barrier_is_one_finding() {
    let expected = [("one_barrier_of_many_pairs", 1), ("two_barriers", 2), ("around_the_loop", 1)];
    let unit = UNITS.iter().find(|unit| unit.cuda.contains("around_the_loop")).expect("a source");
    for plant in planted(unit.cuda) {
        let Some((_, count)) = expected.iter().find(|(name, _)| plant.name == *name) else {
            continue;
        };
        let device = Device::emulator_limited(Some(1 << 20)).sanitized();
        let error = run(&device, unit, &plant).expect_err("a race");
        assert_eq!(error.reports().len(), *count, "{}: {error}", plant.name);
    }
}

#[test]
fn a_bug_in_a_function_names_the_calls_around_it() {
    let unit = UNITS.iter().find(|unit| unit.cuda.contains("in_a_helper")).expect("a source");
    let line = |text: &str| {
        1 + unit.cuda.lines().position(|line| line.contains(text)).expect("there") as u32
    };
    let calls = [
        ("in_a_helper", vec![line("2.0f * reversed"), line("twice(tile, x)")]),
        ("past_the_end", vec![line("load(in, i)")]),
    ];
    for (name, lines) in calls {
        let plant = planted(unit.cuda).into_iter().find(|plant| plant.name == name).expect("there");
        let device = Device::emulator_limited(Some(1 << 20)).sanitized();
        let error = run(&device, unit, &plant).expect_err("a bug");
        let callers = &error.reports()[0].callers;
        assert_eq!(callers.iter().map(|at| at.line).collect::<Vec<_>>(), lines, "{error}");
        assert!(
            error.to_string().contains(&format!("called at cuda/calls.cu:{}", lines[0])),
            "{error}"
        );
    }
}
