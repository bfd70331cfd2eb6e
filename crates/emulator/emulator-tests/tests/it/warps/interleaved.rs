//! Warps advance at a similar pace, as on a GPU: kernels that rely on it give a GPU's results, and checks still find the
//! bug.

use lanework_emulator::sanitize::{Checks, ReportKind};
use lanework_emulator::{Emulator, LaunchConfig, NullObserver, Options, Schedule};
use lanework_ptx::Module;

/// Two warps exchange a word in each of 4 rounds. Instead of a barrier, only 64 iterations of other work separate a
/// round's reads from the next round's writes.
const ROUNDS: &str = "
.version 8.0
.target sm_80
.address_size 64
.visible .entry rounds(.param .u64 out)
{
    .reg .pred %p; .reg .b32 %r<9>; .reg .b64 %rd<3>;
    .shared .align 4 .b8 tile[256];
    mov.u32 %r1, %tid.x; mov.u32 %r2, tile;
    mad.lo.u32 %r3, %r1, 4, %r2;
    xor.b32 %r4, %r1, 32; mad.lo.u32 %r4, %r4, 4, %r2;
    mov.u32 %r5, %r1; mov.u32 %r6, 0;
ROUND:
    st.shared.u32 [%r3], %r5;
    bar.sync 0;
    ld.shared.u32 %r7, [%r4];
    add.u32 %r5, %r5, %r7;
    mov.u32 %r8, 0;
WORK:
    add.u32 %r8, %r8, 1; setp.lt.u32 %p, %r8, 64; @%p bra WORK;
    add.u32 %r6, %r6, 1; setp.lt.u32 %p, %r6, 4; @%p bra ROUND;
    ld.param.u64 %rd1, [out]; mul.wide.u32 %rd2, %r1, 4; add.u64 %rd1, %rd1, %rd2;
    st.global.u32 [%rd1], %r5;
    ret;
}
";

/// Returns the final value of each of the 64 threads, and the findings.
fn results(options: Options) -> (Vec<u32>, Vec<ReportKind>) {
    let module = Module::parse(ROUNDS).expect("parses");
    let checked = options.checks.is_some();
    let emulator = Emulator::new(options);
    let program = emulator.load(&module).expect("loads");
    let out = emulator.allocate(256, "out").expect("memory");
    let config = LaunchConfig::new("rounds", [1; 3], [64, 1, 1]);
    let argument = out.to_le_bytes();
    let arguments = [&argument[..]];
    let mut kinds = Vec::new();
    if checked {
        let run = emulator.check(&program, &config, &arguments).expect("is checked");
        kinds.extend(run.reports.iter().map(|report| report.kind));
    } else {
        emulator.launch(&program, &config, &arguments, &mut NullObserver).expect("runs");
    }
    let mut bytes = [0; 256];
    emulator.read(out, &mut bytes).expect("in bounds");
    let words = bytes.chunks(4).map(|w| u32::from_le_bytes([w[0], w[1], w[2], w[3]]));
    (words.collect(), kinds)
}

/// Expected values: after the first round, both threads of a pair have the same sum, which each later round doubles.
fn abreast() -> Vec<u32> {
    (0..64).map(|thread: u32| (thread + (thread ^ 32)) * 8).collect()
}

#[test]
fn warps_that_keep_abreast_hide_a_missing_barrier() {
    let interleaved = Options { schedule: Schedule::Interleaved, ..Options::default() };
    assert_eq!(results(interleaved).0, abreast());
    assert_ne!(results(Options::default()).0, abreast(), "in order, warps run far ahead");
}

#[test]
fn checks_find_the_race_under_an_interleaved_schedule() {
    let options = Options {
        schedule: Schedule::Interleaved,
        checks: Some(Checks::default()),
        ..Options::default()
    };
    assert_eq!(results(options).1, [ReportKind::Race]);
}
