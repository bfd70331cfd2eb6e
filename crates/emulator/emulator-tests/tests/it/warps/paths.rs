//! The fast paths of the checks report what the reference path reports: random sequences of accesses, whatever their size, space
//! and kind, are checked by both.

use crate::common::{START, kernel, load, next, upload};
use lanework_emulator::sanitize::{Checks, Report, ReportKind};
use lanework_emulator::{Emulator, LaunchConfig, Options};
use std::collections::BTreeSet;

/// The findings in a body, run by two blocks of 64 threads.
fn findings(text: &str, checks: Checks) -> Vec<Report> {
    let emulator = Emulator::new(Options { checks: Some(checks), ..Options::default() });
    let program = load(&emulator, text).unwrap_or_else(|why| panic!("loads: {why}\n{text}"));
    let [input, out] = ["in", "out"].map(|name| upload(&emulator, name, &[0; 2048]));
    let launch = LaunchConfig::new("k", [2, 1, 1], [64, 1, 1]);
    let arguments: [&[u8]; 3] = [&input.to_le_bytes(), &out.to_le_bytes(), &2048u32.to_le_bytes()];
    emulator.check(&program, &launch, &arguments).expect("is launched").reports
}

/// The kinds of findings, each with its memory. Threads that race with each other are checked in another order by the fast paths,
/// so that the accesses that are reported, and how many are, may differ.
fn kinds(reports: &[Report]) -> BTreeSet<(ReportKind, &'static str)> {
    let memory = |report: &Report| {
        let named = |space: &&&str| report.message.contains(**space);
        ["global", "shared", "local"].iter().find(named).copied().unwrap_or_default()
    };
    reports.iter().map(|report| (report.kind, memory(report))).collect()
}

/// A random choice.
fn one<'a>(state: &mut u64, of: &[&'a str]) -> &'a str {
    of[next(state) as usize % of.len()]
}

/// A memory, by the form of its addresses: the suffix of instructions and the register with its first byte.
const MEMORIES: [(&str, &str); 5] =
    [(".global", "%rd20"), ("", "%rd20"), (".shared", "%rd21"), ("", "%rd22"), (".local", "%rd23")];

/// An access by each thread to an element of its own, to its neighbor's, or to one that all threads share.
fn access(state: &mut u64) -> String {
    let (space, base) = MEMORIES[next(state) as usize % MEMORIES.len()];
    let (ty, bytes, register) = match next(state) % 5 {
        0 => ("u8", 1, "%r30"),
        1 => ("u16", 2, "%h3"),
        2 => ("f64", 8, "%d1"),
        _ => ("u32", 4, "%r30"),
    };
    let index = match (space, next(state) % 8) {
        (".local", n) => format!("mov.u32 %r31, {};", n % 4),
        (_, 0) => "xor.b32 %r31, %r3, 1;".to_owned(),
        (_, 1) => "mov.u32 %r31, 5;".to_owned(),
        (_, 2) => "mul.lo.u32 %r31, %r3, 37; and.b32 %r31, %r31, 63;".to_owned(),
        _ => "mov.u32 %r31, %r3;".to_owned(),
    };
    let at = format!("{index} mad.wide.u32 %rd30, %r31, {bytes}, {base};");
    let guard = one(state, &["", "", "", "@%p1 ", "@%p2 "]);
    let code = match next(state) % 6 {
        0 | 1 => format!("{guard}ld{space}.{ty} {register}, [%rd30];"),
        2 if space != ".local" && bytes == 4 => {
            let end = one(state, &["add.u32 %r32, [%rd30], 1;", "cas.b32 %r32, [%rd30], 0, 1;"]);
            format!("{guard}atom{space}.{end}")
        }
        2 if space != ".local" && bytes == 8 => {
            let ends = ["add.u64 %rd31, [%rd30], 1;", "cas.b64 %rd31, [%rd30], 0, 1;"];
            let end = one(state, &ends);
            match next(state) % 2 {
                0 => format!("{guard}atom{space}.{end}"),
                _ => format!("{guard}red{space}.add.u64 [%rd30], 1;"),
            }
        }
        _ => format!("{guard}st{space}.{ty} [%rd30], {register};"),
    };
    let change = one(state, &["", "", "add.u32 %r30, %r30, 1;", "add.f64 %d1, %d1, %d1;"]);
    let order = one(state, &["", "", "", "", "bar.sync 0;", "bar.warp.sync -1;"]);
    format!("{at} {code} {change} {order}\n")
}

/// A kernel of random accesses.
fn random_kernel(state: &mut u64) -> String {
    let accesses: String = (0..2 + next(state) % 4).map(|_| access(state)).collect();
    // Each block has a part of `out`. Memory is written before, in most kernels.
    let fill = match next(state) % 4 {
        0 => "",
        _ => "mul.wide.u32 %rd30, %r3, 8; add.u64 %rd30, %rd30, %rd21; st.shared.u64 [%rd30], %rd21;
              st.local.v4.u32 [%rd23], {%r3, %r3, %r3, %r3}; st.local.v4.u32 [%rd23+16], {%r3, %r3, %r3, %r3};
              bar.sync 0;",
    };
    kernel(&format!(
        "{START} .shared .align 16 .b8 tile[512]; .local .align 16 .b8 own[32];
        mad.wide.u32 %rd20, %r4, 1024, %rd2; mov.u64 %rd21, tile; cvta.shared.u64 %rd22, %rd21;
        mov.u64 %rd23, own; mov.u32 %r30, %r3; mov.u16 %h3, 7; mov.f64 %d1, 0d3FF0000000000000;
        and.b32 %r33, %r3, 3; setp.eq.u32 %p1, %r33, 1; setp.lt.u32 %p2, %r3, 40;
        {fill}\n{accesses} ret;"
    ))
}

#[test]
fn fast_paths_report_what_the_reference_path_reports() {
    let (mut state, mut with_races, mut without) = (77, 0, 0);
    for round in 0..600 {
        let text = random_kernel(&mut state);
        let fast = findings(&text, Checks::default());
        let reference = findings(&text, Checks::default().by_lane());
        assert_eq!(kinds(&fast), kinds(&reference), "round {round}\n{text}");
        let races = fast.iter().any(|report| report.kind == ReportKind::Race);
        *(if races { &mut with_races } else { &mut without }) += 1;
    }
    assert!(with_races > 50 && without > 50, "{with_races} with races, {without} without");
}
