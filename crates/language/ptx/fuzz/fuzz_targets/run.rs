//! No program makes the emulator panic, run past its limits, or return different results from its two engines. All
//! assembled code passes the verifier.
//!
//! Start from `../../laboratory/lab/data/compilers`, as for `parse`;
//! `crates/laboratory/lab/tests/it/conformance/robust.rs` has a bounded version that needs no nightly compiler, with
//! programs of every form of every instruction.
#![no_main]

use lanework_ptx::Module;
use lanework_emulator::{Emulator, LaunchConfig, Limits, Options, NullObserver};
use libfuzzer_sys::fuzz_target;
use std::time::Duration;

fuzz_target!(|text: &str| {
    let Ok(module) = Module::parse(text) else { return };
    let outcomes = [false, true].map(|all_varying| {
        let emulator = Emulator::new(Options {
            limits: Limits { memory: 16 << 20, local: 1 << 14, ..Limits::default() },
            workers: Some(1),
            max_instructions: Some(20_000),
            total_instructions: Some(60_000),
            time_limit: Some(Duration::from_secs(10)),
            all_varying,
            verify: true,
            ..Options::default()
        });
        let Ok(program) = emulator.load(&module) else { return Vec::new() };
        let buffer = emulator.allocate(1 << 14, "buffer").expect("memory");
        emulator.fill(buffer, 7, 1 << 14).expect("in bounds");
        let mut left = Vec::new();
        for entry in module.entries() {
            let bytes = |size: u64| match size {
                8 => buffer.to_le_bytes().to_vec(),
                size => vec![1; size.min(4096) as usize],
            };
            let arguments: Vec<Vec<u8>> = entry.params.iter().map(|p| bytes(p.size())).collect();
            let arguments: Vec<&[u8]> = arguments.iter().map(Vec::as_slice).collect();
            let launch = LaunchConfig::new(&entry.name, [2, 1, 1], [40, 1, 1]);
            let ended = emulator.launch(&program, &launch, &arguments, &mut NullObserver).is_ok();
            let mut memory = vec![0; 1 << 14];
            emulator.read(buffer, &mut memory).expect("in bounds");
            left.push(ended.then_some(memory));
            if !ended {
                break;
            }
        }
        left
    });
    assert_eq!(outcomes[0], outcomes[1], "the engines differ");
});
