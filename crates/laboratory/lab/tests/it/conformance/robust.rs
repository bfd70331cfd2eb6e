//! No program makes the emulator panic, hang, or compute different results in different engines. The programs are random
//! ones of every form of every instruction, and mutated modules of real compilers.
//!
//! The test runs a fixed set of seeds; `LANEWORK_FUZZ_SECONDS=600` continues with new seeds for that time.

use lanework::emulator::sanitize::Checks;
use lanework::emulator::{CountingObserver, Emulator, LaunchConfig, Limits, NullObserver, Options};
use lanework::ptx::{Module, StateSpace};
use lanework_lab::conformance::{InstructionForm, OperandKind, forms};
use std::fmt::Write;
use std::time::{Duration, Instant};

/// Bytes of the buffer that pointers point to.
const BUFFER: usize = 1 << 14;

/// xorshift64*.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    fn below(&mut self, count: usize) -> usize {
        (self.next() >> 11) as usize % count.max(1)
    }

    fn one_in(&mut self, count: usize) -> bool {
        self.below(count) == 0
    }

    fn of<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }
}

fn options() -> Options {
    Options {
        limits: Limits { memory: 4 << 20, local: 1 << 14, ..Limits::default() },
        workers: Some(1),
        max_instructions: Some(20_000),
        total_instructions: Some(60_000),
        time_limit: Some(Duration::from_secs(20)),
        verify: true,
        ..Options::default()
    }
}

/// Counts of programs by the last stage that they reached.
#[derive(Default, Debug)]
struct Tally {
    texts: u64,
    parsed: u64,
    loaded: u64,
    ran: u64,
    ended_well: u64,
}

/// An engine and an observer.
#[derive(Clone, Copy, PartialEq)]
enum RunMode {
    Plain,
    Varying,
    Counted,
    Checked,
}

/// Runs an entry and returns its memory and its output, or `None` if it failed.
fn run(module: &Module, entry: &str, sizes: &[u64], mode: RunMode) -> Option<(Vec<u8>, String)> {
    let mut options = options();
    options.all_varying = mode == RunMode::Varying;
    options.checks = (mode == RunMode::Checked).then(Checks::default);
    let emulator = Emulator::new(options);
    let program = emulator.load(module).ok()?;
    let buffer = emulator.allocate(BUFFER as u64, "buffer").expect("memory");
    let bytes: Vec<u8> =
        (0..BUFFER as u32).map(|i| (i.wrapping_mul(0x9E37_79B1) >> 23) as u8).collect();
    emulator.write(buffer, &bytes).expect("in bounds");
    let arguments: Vec<Vec<u8>> = sizes
        .iter()
        .map(|size| match size {
            8 => buffer.to_le_bytes().to_vec(),
            size => (0..*size).map(|i| if i == 0 { 33 } else { 0 }).collect(),
        })
        .collect();
    let arguments: Vec<&[u8]> = arguments.iter().map(Vec::as_slice).collect();
    let launch =
        LaunchConfig { dynamic_shared: 512, ..LaunchConfig::new(entry, [2, 1, 1], [40, 1, 1]) };
    let result = match mode {
        RunMode::Plain | RunMode::Varying => {
            emulator.launch(&program, &launch, &arguments, &mut NullObserver)
        }
        RunMode::Counted => {
            emulator.launch(&program, &launch, &arguments, &mut CountingObserver::default())
        }
        RunMode::Checked => {
            emulator.check(&program, &launch, &arguments).map(|checked| checked.outcome)
        }
    };
    match result {
        Ok(outcome) => {
            let mut after = vec![0; BUFFER];
            emulator.read(buffer, &mut after).expect("in bounds");
            Some((after, outcome.printed))
        }
        Err(fault) => {
            assert!(!fault.to_string().is_empty());
            None
        }
    }
}

/// Parses, validates, loads and runs a text in every way.
fn exercise(text: &str, tally: &mut Tally) {
    tally.texts += 1;
    let Ok(module) = Module::parse(text) else { return };
    tally.parsed += 1;
    let _ = module.validate();
    for entry in module.entries().take(2) {
        let sizes: Vec<u64> = entry.params.iter().map(|p| p.size()).collect();
        let plain = run(&module, &entry.name, &sizes, RunMode::Plain);
        tally.ran += 1;
        tally.ended_well += u64::from(plain.is_some());
        let varying = run(&module, &entry.name, &sizes, RunMode::Varying);
        let counted = run(&module, &entry.name, &sizes, RunMode::Counted);
        run(&module, &entry.name, &sizes, RunMode::Checked);
        // Racy programs may leave different memory in different schedules, but an observer must not change it.
        assert!(plain == varying, "the engines differ\n{text}");
        assert!(plain == counted, "counting changes results\n{text}");
    }
    let loads = Emulator::new(options()).load(&module).is_ok();
    tally.loaded += u64::from(loads);
}

fn register(kind: OperandKind, random: &mut Random) -> String {
    let prefix = match (kind, kind.bytes()) {
        (OperandKind::Pred, _) => "p",
        (_, 2) => "h",
        (_, 8) => "l",
        _ => "r",
    };
    format!("%{prefix}{}", random.below(6))
}

/// A program of some forms with random registers, guards and branches.
fn program(forms: &[InstructionForm], random: &mut Random) -> String {
    let mut text = String::from(
        ".version 8.7\n.target sm_90a\n.address_size 64\n.func callee() { ret; }\n\
         .visible .entry k(.param .u64 in, .param .u32 n)\n{\n\
         .reg .pred %p<8>; .reg .b16 %h<16>; .reg .b32 %r<130>; .reg .b64 %l<20>;\n\
         .reg .b64 %m; .reg .b32 %s; .shared .align 16 .b8 cell[2048];\n\
         ld.param.u64 %m, [in]; mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x;\n\
         mad.lo.u32 %r2, %r1, 40, %r0; mul.wide.u32 %l0, %r2, 32; add.u64 %m, %m, %l0;\n\
         mov.u32 %s, cell; mad.lo.u32 %s, %r0, 32, %s;\n\
         ld.global.b32 %r3, [%m]; ld.global.b64 %l1, [%m+8]; ld.global.b16 %h0, [%m+16];\n\
         ld.global.b32 %r4, [%m+20]; setp.lt.s32 %p0, %r3, %r4; setp.gt.u32 %p1, %r0, 7;\n",
    );
    let count = 4 + random.below(24);
    let labels = 3;
    let mut placed = 0;
    for i in 0..count {
        if placed < labels && random.one_in(count / labels + 1) {
            let _ = writeln!(text, "L{placed}:");
            placed += 1;
        }
        if random.one_in(6) {
            // Mostly forward; the instruction limits end backward loops.
            let back = placed > 0 && random.one_in(12);
            let to = if back {
                random.below(placed)
            } else {
                placed + random.below(labels - placed + 1)
            };
            let to = if to >= labels { "END".to_owned() } else { format!("L{to}") };
            let not = if random.one_in(2) { "!" } else { "" };
            let _ = writeln!(text, "@{not}%p{} bra {to};", random.below(6));
        }
        let form = random.of(forms);
        if !form.runs() && !random.one_in(8) {
            continue;
        }
        let mut body = form.text.clone();
        for (kind, name) in form.operands.iter().zip(["$a", "$b", "$c", "$e"]) {
            body = body.replace(name, &register(*kind, random));
        }
        for (kind, name) in form.results.iter().zip(["$d", "$q"]) {
            body = body.replace(name, &register(*kind, random));
        }
        let body = body.replace('$', "%");
        let single = body.matches(';').count() == 1 && !body.contains('{');
        let guard = if single && random.one_in(5) {
            format!("@%p{} ", random.below(6))
        } else {
            String::new()
        };
        let _ = writeln!(text, "{guard}{body} // {i}");
    }
    for label in placed..labels {
        let _ = writeln!(text, "L{label}:");
    }
    text.push_str(
        "END:\nst.global.b32 [%m], %r3; st.global.b64 [%m+8], %l1; st.global.b16 [%m+16], %h0;\n",
    );
    text.push_str("st.global.b32 [%m+24], %r5; ret;\n}\n");
    text
}

fn modules() -> Vec<String> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/data/compilers");
    let mut paths: Vec<_> = std::fs::read_dir(folder)
        .expect("test data")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|e| e == "ptx"))
        .collect();
    paths.sort();
    let read = |path| std::fs::read_to_string(path).expect("text");
    paths.into_iter().map(read).filter(|text: &String| text.len() < 40_000).collect()
}

/// A module with some of its words replaced by others of it, or by extremes; lines removed or duplicated.
fn mutated(text: &str, random: &mut Random) -> String {
    const EXTREMES: &[&str] = &[
        "0",
        "1",
        "-1",
        "31",
        "32",
        "4294967295",
        "0x8000000000000000",
        "2147483648",
        "%r1",
        "%rd1",
        "%f1",
        "%p1",
        "%tid.x",
        "%laneid",
        "%ntid.x",
        "65536",
        "-2147483648",
        "0f7FFFFFFF",
        "_",
    ];
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let words: Vec<&str> =
        text.split([' ', ',', '\t', '\n', ';']).filter(|w| !w.is_empty()).collect();
    for _ in 0..1 + random.below(4) {
        let at = random.below(lines.len());
        match random.below(5) {
            0 => drop(lines.remove(at)),
            1 => {
                let line = lines[random.below(lines.len())].clone();
                lines.insert(at, line);
            }
            _ => {
                let parts: Vec<&str> = lines[at].split(' ').collect();
                let place = random.below(parts.len());
                let with = if random.one_in(2) { *random.of(EXTREMES) } else { *random.of(&words) };
                let end = if parts[place].ends_with(';') {
                    ";"
                } else if parts[place].ends_with(',') {
                    ","
                } else {
                    ""
                };
                let new: Vec<String> = parts
                    .iter()
                    .enumerate()
                    .map(
                        |(i, part)| {
                            if i == place { format!("{with}{end}") } else { (*part).to_owned() }
                        },
                    )
                    .collect();
                lines[at] = new.join(" ");
            }
        }
    }
    lines.join("\n")
}

fn more_time() -> Option<Duration> {
    let seconds = std::env::var("LANEWORK_FUZZ_SECONDS").ok()?;
    seconds.parse().ok().map(Duration::from_secs)
}

/// Calls `once` with `least` seeds, then with more until the requested time is over.
fn repeat(least: u64, mut once: impl FnMut(&mut Random, &mut Tally)) {
    let (start, mut tally) = (Instant::now(), Tally::default());
    let mut seed = 0u64;
    while seed < least || more_time().is_some_and(|time| start.elapsed() < time) {
        seed += 1;
        once(&mut Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1), &mut tally);
    }
    eprintln!("{tally:?}");
    assert!(tally.parsed * 4 > tally.texts, "most texts are PTX: {tally:?}");
    assert!(tally.ended_well > 0, "{tally:?}");
}

#[test]
fn random_programs_of_every_form() {
    let forms = forms();
    repeat(150, |random, tally| exercise(&program(&forms, random), tally));
}

#[test]
fn real_modules_with_mutations() {
    let modules = modules();
    assert!(modules.iter().any(|text| text.contains(StateSpace::Shared.name())));
    repeat(60, |random, tally| {
        let text = random.of(&modules).clone();
        exercise(&mutated(&text, random), tally);
    });
}
