//! Faults of kernels and launches: each report says what happened, where, and what to do, and the launch stops.

use crate::common::{START, device, kernel, load, run, upload};
use lanework_emulator::{Emulator, Fault, FaultKind, LaunchConfig, Limits, NullObserver, Options};

fn fault(body: &str, block: [u32; 3]) -> Fault {
    let text = kernel(&format!("{START}{body}"));
    let faults = [false, true].map(|all_varying| {
        run(&text, all_varying, [4, 1, 1], block, &[7; 256], 256)
            .map(|r| r.outcome)
            .expect_err("faults")
    });
    assert_eq!(faults[0], faults[1], "both engines report the same");
    faults[0].clone()
}

#[test]
fn a_read_past_the_end_names_line_block_thread_and_allocation() {
    let f = fault(
        ".loc 1 31 22\n ld.global.u32 %r6, [%rd4+64]; st.global.u32 [%rd5], %r6; ret;",
        [64, 1, 1],
    );
    assert_eq!(f.kind, FaultKind::OutOfBounds);
    let location = f.location.clone().expect("a source line");
    assert_eq!((location.file.as_str(), location.line, location.column), ("kernel.rs", 31, 22));
    assert_eq!((f.block, f.thread), ([3, 0, 0], [48, 0, 0]));
    let near = f.allocation.clone().expect("an allocation");
    assert_eq!((near.name.as_str(), near.bytes, near.offset, near.distance), ("in", 1024, 1024, 0));
    let text = f.to_string();
    assert!(text.contains("out-of-bounds global read: 4 bytes at in+1024"), "{text}");
    assert!(
        text.contains("kernel.rs:31:22") && text.contains("thread (48,0,0) of block (3,0,0)"),
        "{text}"
    );
    assert!(text.contains("help:"), "{text}");
}

#[test]
fn a_barrier_that_counts_does_not_meet_one_that_only_waits() {
    let f = fault(
        ".reg .pred %q; mov.u32 %r6, %tid.x; setp.lt.u32 %q, %r6, 32; @%q bra COUNT;
        bar.sync 0; ret;
        COUNT: bar.red.popc.u32 %r6, 0, %q; ret;",
        [64, 1, 1],
    );
    assert_eq!(f.kind, FaultKind::BarrierDivergence);
    assert!(f.message.contains("at barrier 0 some warps combine a value"), "{f}");
}

#[test]
fn line_0_is_the_line_before() {
    let f = fault(
        ".loc 1 31 22\n add.u32 %r7, %r1, 1;\n .loc 1 0 22\n ld.global.u32 %r6, [%rd4+1024]; ret;",
        [64, 1, 1],
    );
    assert_eq!(f.location.expect("a source line").line, 31);
}

#[test]
fn misaligned_goes_before_outside_but_not_for_a_wild_address() {
    let f = fault("st.global.u32 [%rd5+4097], %r1; ret;", [64, 1, 1]);
    assert_eq!(f.kind, FaultKind::Misaligned);
    assert!(f.message.contains("4 bytes at out+4097 (0x"), "{f}");
    let f = fault("mov.u64 %rd6, 0xCDCDCDCDCDCD; ld.global.u32 %r6, [%rd6]; ret;", [32, 1, 1]);
    assert_eq!(f.kind, FaultKind::OutOfBounds);
    // The address is far from every allocation, so the message has both the address and the nearest allocation.
    assert!(f.message.contains("4 bytes at 0xcdcdcdcdcdcd, "), "{f}");
    assert!(f.message.contains(" bytes away from the nearest allocation: out+"), "{f}");
}

#[test]
fn writes_atomics_and_scattered_accesses_are_bounded_too() {
    let f = fault("st.global.u32 [%rd5+4], %r1; ret;", [64, 1, 1]);
    assert_eq!((f.kind, f.block, f.thread), (FaultKind::OutOfBounds, [3, 0, 0], [63, 0, 0]));
    let f = fault("atom.global.add.u32 %r6, [%rd5+-4], 1; ret;", [64, 1, 1]);
    assert_eq!((f.kind, f.block, f.thread), (FaultKind::OutOfBounds, [0, 0, 0], [0, 0, 0]));
    assert_eq!(f.allocation.expect("near").name, "out");
    let scattered = "mul.lo.u32 %r6, %r1, %r1; and.b32 %r6, %r6, 511; mul.wide.u32 %rd6, %r6, 4;
        add.s64 %rd7, %rd1, %rd6; ld.global.u32 %r7, [%rd7]; st.global.u32 [%rd5], %r7; ret;";
    let f = fault(scattered, [64, 1, 1]);
    // The first thread whose square modulo 512 is at least 256, the size in words.
    assert_eq!((f.kind, f.block, f.thread), (FaultKind::OutOfBounds, [0, 0, 0], [16, 0, 0]));
}

#[test]
fn null_misaligned_and_freed_memory() {
    let f = fault("mov.u64 %rd6, 16; ld.global.u32 %r6, [%rd6]; ret;", [32, 1, 1]);
    assert_eq!((f.kind, f.address), (FaultKind::Null, Some(16)));
    let f = fault("ld.global.u32 %r6, [%rd4+2]; ret;", [32, 1, 1]);
    assert_eq!(f.kind, FaultKind::Misaligned);
    let f = fault("ld.global.v4.u32 {%r6,%r7,%r8,%r9}, [%rd4]; ret;", [32, 1, 1]);
    assert_eq!((f.kind, f.thread), (FaultKind::Misaligned, [1, 0, 0]));

    let emulator = device(false);
    let text =
        kernel(&format!("{START} ld.global.u32 %r6, [%rd4]; st.global.u32 [%rd5], %r6; ret;"));
    let program = load(&emulator, &text).expect("loads");
    let gone = emulator.allocate(128, "gone").expect("memory");
    emulator.free(gone).expect("once");
    assert!(emulator.free(gone).is_err(), "twice");
    let launch = LaunchConfig::new("k", [1, 1, 1], [32, 1, 1]);
    let arguments: [&[u8]; 3] = [&gone.to_le_bytes(), &gone.to_le_bytes(), &[0; 4]];
    let f = emulator.launch(&program, &launch, &arguments, &mut NullObserver).expect_err("freed");
    assert_eq!(
        (f.kind, f.allocation.expect("near").name.as_str()),
        (FaultKind::UseAfterFree, "gone")
    );
}

#[test]
fn shared_and_local_memory_are_bounded() {
    let f = fault(
        ".shared .align 4 .b8 tile[128]; mov.u32 %r6, tile; shl.b32 %r7, %r3, 2; add.s32 %r6, %r6, %r7;
         st.shared.u32 [%r6+1100], %r3; ret;",
        [64, 1, 1],
    );
    // 128 bytes of static and 1024 bytes of dynamic shared memory.
    assert_eq!((f.kind, f.thread), (FaultKind::OutOfBounds, [13, 0, 0]));
    assert!(f.message.contains("shared write: 4 bytes at offset 1152"), "{}", f.message);
    let f = fault(
        ".local .align 4 .b8 stack[16]; mov.u64 %rd6, stack; ld.local.u32 %r6, [%rd6+16]; ret;",
        [32, 1, 1],
    );
    assert_eq!(f.kind, FaultKind::OutOfBounds);
}

#[test]
fn shared_memory_does_not_leak_between_blocks() {
    let text = kernel(&format!(
        "{START} .shared .align 4 .b8 tile[256]; mov.u32 %r6, tile; shl.b32 %r7, %r3, 2; add.s32 %r6, %r6, %r7;
         ld.shared.u32 %r8, [%r6]; st.shared.u32 [%r6], %r1; st.global.u32 [%rd5], %r8; ret;"
    ));
    for all_varying in [false, true] {
        let run = run(&text, all_varying, [4, 1, 1], [64, 1, 1], &[0; 256], 256).expect("runs");
        assert!(run.words.iter().all(|w| *w == 0xCDCD_CDCD));
    }
}

#[test]
fn barriers_that_part_of_a_warp_reaches() {
    let f = fault(
        "setp.lt.u32 %p1, %r3, 7; @!%p1 bra OVER;\n.loc 1 9 5\n bar.sync 0; OVER: st.global.u32 [%rd5], %r1; ret;",
        [64, 1, 1],
    );
    assert_eq!(f.kind, FaultKind::BarrierDivergence);
    assert_eq!(f.location.expect("a line").line, 9);
    assert!(f.message.contains("7 threads of warp 0"), "{}", f.message);
}

#[test]
fn lanes_that_return_early_hold_up_no_barrier() {
    let early = kernel(&format!(
        "{START} setp.ge.u32 %p1, %r3, 40; @%p1 bra OVER; bar.sync 0; st.global.u32 [%rd5], %r1; OVER: ret;"
    ));
    for all_varying in [false, true] {
        let done = run(&early, all_varying, [1, 1, 1], [64, 1, 1], &[0; 64], 64).expect("runs");
        assert_eq!((done.words[39], done.words[40]), (39, 0xCDCD_CDCD));
    }
}

#[test]
fn whole_warps_that_skip_or_cross_barriers() {
    // Other warps do not wait for a warp that has exited, but for a warp at a different barrier.
    let skip = kernel(&format!(
        "{START} setp.lt.u32 %p1, %r3, 32; @%p1 bra OVER; bar.sync 0; st.global.u32 [%rd5], %r1; OVER: ret;"
    ));
    let done = run(&skip, false, [1, 1, 1], [64, 1, 1], &[0; 64], 64).expect("runs");
    assert_eq!(done.words[40], 40);
    let f = fault(
        "setp.lt.u32 %p1, %r3, 32; @%p1 bra ONE;\n.loc 1 8 1\n bar.sync 0; ret; ONE:\n.loc 1 9 1\n bar.sync 1; ret;",
        [64, 1, 1],
    );
    assert_eq!((f.kind, f.location.expect("a line").line), (FaultKind::Deadlock, 9));
    let f = fault("bar.sync 0, 96; ret;", [64, 1, 1]);
    assert_eq!(f.kind, FaultKind::Deadlock);
    assert!(f.message.contains("waits for 96 threads, 64 arrived"), "{}", f.message);
}

#[test]
fn traps_and_endless_loops_end() {
    let f = fault("setp.eq.u32 %p1, %r1, 70; @%p1 trap; ret;", [64, 1, 1]);
    assert_eq!((f.kind, f.block, f.thread), (FaultKind::Trap, [1, 0, 0], [6, 0, 0]));
    let f = fault("LOOP: add.u32 %r6, %r6, 1; bra LOOP;", [32, 1, 1]);
    assert_eq!(f.kind, FaultKind::InstructionLimit);
}

#[test]
fn launches_past_the_limits_are_refused_before_they_run() {
    let emulator = Emulator::new(Options {
        limits: Limits { shared: 4096, ..Limits::default() },
        ..Options::default()
    });
    let plain = load(&emulator, &kernel("ret;")).expect("loads");
    let required = load(&emulator, &kernel("ret;").replace("n)\n{", "n)\n.reqntid 32, 8, 1\n{"))
        .expect("loads");
    let most = load(&emulator, &kernel("ret;").replace("n)\n{", "n)\n.maxntid 128, 1, 1\n{"))
        .expect("loads");
    let arguments: [&[u8]; 3] = [&[0; 8], &[0; 8], &[0; 4]];
    let base = LaunchConfig::new("k", [1, 1, 1], [32, 1, 1]);
    let cases = [
        (&plain, LaunchConfig { block: [33, 33, 1], ..base.clone() }, "1089 threads per block"),
        (&plain, LaunchConfig { block: [1, 1, 65], ..base.clone() }, "65 threads in z"),
        (&plain, LaunchConfig { block: [0, 1, 1], ..base.clone() }, "the block has size 0 in x"),
        (&plain, LaunchConfig { grid: [1, 65_536, 1], ..base.clone() }, "65536 blocks in y"),
        (&plain, LaunchConfig { grid: [1, 1, 0], ..base.clone() }, "the grid has size 0 in z"),
        (
            &plain,
            LaunchConfig { dynamic_shared: 4097, ..base.clone() },
            "4097 bytes of shared memory",
        ),
        (&required, base.clone(), "requires 32 x 8 x 1"),
        (&most, LaunchConfig { block: [256, 1, 1], ..base.clone() }, "at most 128"),
    ];
    for (program, launch, says) in cases {
        let f = emulator.launch(program, &launch, &arguments, &mut NullObserver).expect_err(says);
        assert_eq!(f.kind, FaultKind::LimitExceeded, "{f}");
        assert!(f.message.contains(says) && !f.help.is_empty(), "{f}");
        assert!(f.to_string().contains("in the launch of `k`"), "{f}");
    }
    let f = emulator
        .launch(&plain, &base, &arguments[..2], &mut NullObserver)
        .expect_err("two arguments");
    assert_eq!(f.kind, FaultKind::BadArguments);
    let f = emulator
        .launch(&plain, &LaunchConfig { entry: "kk", ..base }, &arguments, &mut NullObserver)
        .expect_err("no such kernel");
    assert!(f.help.contains("k"), "{f}");
}

#[test]
fn unknown_instructions_are_named() {
    let emulator = device(false);
    for (body, says) in [
        ("frobnicate.u32 %r1, %r2;", "unknown instruction `frobnicate.u32`"),
        ("add.cc.f32 %f1, %f2, %f3;", "modifier `.cc`"),
        ("add.u32 %r1, %r2;", "operands"),
        ("add.u32 %r1, %r2, %nothing;", "`%nothing` is not declared"),
    ] {
        let error = load(&emulator, &kernel(&format!("{START}\n{body}\nret;"))).expect_err(body);
        assert!(error.message.contains(says), "{error}");
        assert!(error.text_line > 0 && error.function == "k", "{error:?}");
    }
}

#[test]
fn memory_runs_out_with_a_remedy() {
    let emulator = Emulator::new(Options {
        limits: Limits { memory: 1 << 20, ..Limits::default() },
        ..Options::default()
    });
    let half = emulator.allocate(1 << 19, "half").expect("fits");
    let error = emulator.allocate((1 << 19) + 1, "more").expect_err("does not fit");
    assert!(error.to_string().contains("524288 of 1048576 are free"), "{error}");
    assert!(emulator.read(half + (1 << 19) - 1, &mut [0; 2]).is_err());
    assert_eq!((emulator.memory_used(), emulator.memory_total()), (1 << 19, 1 << 20));
    emulator.free(half).expect("live");
    assert_eq!(emulator.memory_used(), 0);
}

#[test]
fn a_launch_as_a_whole_is_stopped_by_instructions_and_by_time() {
    let options = |total, time| Options {
        total_instructions: total,
        time_limit: time,
        workers: Some(2),
        ..Options::default()
    };
    let (soon, words) = (std::time::Duration::from_millis(30), [0; 4]);
    let endless = "L: add.u32 %r1, %r1, 1; bra L;";
    let meeting = "L: bar.sync 0; bra L;";
    let short = "add.u32 %r1, %r1, 1; ret;";
    for (body, grid, options, kind) in [
        (endless, [1, 1, 1], options(Some(10_000), None), FaultKind::InstructionLimit),
        (endless, [1, 1, 1], options(None, Some(soon)), FaultKind::TimeLimit),
        (meeting, [1, 1, 1], options(Some(10_000), None), FaultKind::InstructionLimit),
        (meeting, [1, 1, 1], options(None, Some(soon)), FaultKind::TimeLimit),
        (short, [0x7fff_ffff, 9, 1], options(Some(100_000), None), FaultKind::InstructionLimit),
        (short, [0x7fff_ffff, 9, 1], options(None, Some(soon)), FaultKind::TimeLimit),
    ] {
        let emulator = Emulator::new(options);
        let program = load(&emulator, &kernel(&format!("{START} {body}"))).expect(body);
        let input = upload(&emulator, "in", &words);
        let arguments: [&[u8]; 3] =
            [&input.to_le_bytes(), &input.to_le_bytes(), &4u32.to_le_bytes()];
        let launch = LaunchConfig::new("k", grid, [64, 1, 1]);
        let fault =
            emulator.launch(&program, &launch, &arguments, &mut NullObserver).expect_err("stopped");
        assert_eq!(fault.kind, kind, "{fault}");
        assert!(!fault.help.is_empty(), "{fault}");
    }
}

#[test]
fn the_limit_of_a_checked_launch_gives_the_warps_positions() {
    let options = Options {
        max_instructions: Some(100_000),
        checks: Some(lanework_emulator::sanitize::Checks::default()),
        ..Options::default()
    };
    let emulator = Emulator::new(options);
    // Warp 1 waits, warp 4 has exited, and the others count forever.
    let body = "mov.u32 %r9, %tid.x; shr.u32 %r9, %r9, 5;
        setp.eq.u32 %p1, %r9, 4; @%p1 ret;
        setp.eq.u32 %p1, %r9, 1; @%p1 bra WAIT;
        L: add.u32 %r1, %r1, 1; setp.ne.u32 %p2, %r1, 0;
        @%p2 bra L;
        ret; WAIT: bar.sync 0; ret;";
    let text = kernel(&format!("{START} {body}"));
    let program = load(&emulator, &text).expect(body);
    let input = upload(&emulator, "in", &[0; 4]);
    let arguments: [&[u8]; 3] = [&input.to_le_bytes(), &input.to_le_bytes(), &4u32.to_le_bytes()];
    let launch = LaunchConfig::new("k", [1; 3], [160, 1, 1]);
    let checked = emulator.check(&program, &launch, &arguments).expect("starts");
    let fault = checked.fault.expect("stopped");
    assert_eq!(fault.kind, FaultKind::InstructionLimit);
    let line = |part: &str| 1 + text.lines().position(|line| line.contains(part)).expect(part);
    for words in [
        format!("; warps 0, 2-3 at line {} of the PTX text", line("L: add")),
        format!("; warp 1 waiting at a barrier at line {} of the PTX text", line("WAIT: bar")),
    ] {
        assert!(fault.message.contains(&words), "{fault}");
    }
    assert!(!fault.message.contains("4 at"), "{fault}");
}

#[test]
fn a_checked_launch_tells_a_spin_from_a_loop_that_changes_memory() {
    let run = |body: &str, words: &[u32]| {
        let checks = Some(lanework_emulator::sanitize::Checks::default());
        let options = Options { max_instructions: Some(1 << 20), checks, ..Options::default() };
        let emulator = Emulator::new(options);
        let text = kernel(&format!("{START}\n{body}"));
        let program = load(&emulator, &text).expect(body);
        let input = upload(&emulator, "flag", words);
        let arguments: [&[u8]; 3] =
            [&input.to_le_bytes(), &input.to_le_bytes(), &4u32.to_le_bytes()];
        let launch = LaunchConfig::new("k", [1; 3], [32, 1, 1]);
        let checked = emulator.check(&program, &launch, &arguments).expect("starts");
        let limit = checked.fault.is_some_and(|f| f.kind == FaultKind::InstructionLimit);
        (checked.reports, limit)
    };
    let spin =
        "L: ld.volatile.global.u32 %r1, [%rd1];\n setp.eq.u32 %p1, %r1, 0;\n @%p1 bra L;\n ret;";
    let (reports, limit) = run(spin, &[0; 4]);
    assert!(!limit && reports.len() == 1, "{reports:?}");
    assert_eq!(reports[0].instruction, "ld.volatile.global.u32");
    assert!(reports[0].message.contains("polls the 4 bytes at flag+0"), "{}", reports[0].message);
    // The counter is in memory, not in registers, and another thread may read it.
    let counts = "L: red.global.add.u32 [%rd1], 1;\n bra L;";
    let (reports, limit) = run(counts, &[0; 4]);
    assert!(limit && reports.is_empty(), "{reports:?}");
    // Adding 0 does not change memory.
    let (reports, limit) = run("L: red.global.add.u32 [%rd1], 0;\n bra L;", &[0; 4]);
    assert!(!limit && reports.len() == 1, "{reports:?}");
}
