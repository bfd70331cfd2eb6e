//! Performance properties as unit tests: assertions on a launch's counters.

use lanework::emulator::{Blocks, Keep, TraceConfig};
use lanework::prelude::*;

#[kernel]
fn transpose(src: &[f32], dst: &mut [f32], n: u32, #[constant] pad: u32) {
    let tile = shared::<f32>([32, 32 + pad]);
    let (x, y) = (block_idx.x * 32 + thread_idx.x, block_idx.y * 32 + thread_idx.y);
    tile[[thread_idx.y, thread_idx.x]] = src[y * n + x];
    sync_threads();
    let (x, y) = (block_idx.y * 32 + thread_idx.x, block_idx.x * 32 + thread_idx.y);
    dst[y * n + x] = tile[[thread_idx.x, thread_idx.y]];
}

fn counted(pad: u32) -> lanework::Profile {
    let emulator = Device::emulator();
    let src = emulator.upload(&[1.0f32; 64 * 64]).expect("memory");
    let mut dst = emulator.zeros::<f32>(64 * 64).expect("memory");
    transpose(&src, &mut dst, 64, pad)
        .grid((2, 2))
        .block((32, 32))
        .profile(&emulator)
        .expect("runs")
}

#[test]
fn a_padded_transpose_is_coalesced_and_free_of_conflicts() {
    let counters = counted(1).counters;
    counters.assert_coalesced();
    counters.assert_no_bank_conflicts();
    counters.assert_no_divergence();
    assert_eq!(counters.global_store.sectors_per_request(), 4.0);
    assert_eq!(counters.global_load.efficiency(), 1.0);
    assert_eq!(counters.global_load.bytes, 4 * 64 * 64);
}

#[test]
#[should_panic(expected = "shared loads had 3968 bank conflicts in 128 requests (31.00 each)")]
fn an_unpadded_tile_fails_the_assertion_with_the_reason() {
    counted(0).counters.assert_no_bank_conflicts();
}

/// The message of a failed assertion.
fn said(assertion: impl FnOnce() + std::panic::UnwindSafe) -> String {
    let panic = std::panic::catch_unwind(assertion).expect_err("the assertion fails");
    *panic.downcast::<String>().expect("words")
}

#[test]
fn an_assertion_on_a_profile_names_the_line() {
    let good = counted(1);
    good.assert_no_bank_conflicts();
    good.assert_coalesced();
    good.assert_no_divergence();
    let bad = counted(0);
    let text = said(move || bad.assert_no_bank_conflicts());
    assert!(text.contains("3968 bank conflicts"), "{text}");
    assert!(text.contains("profile.rs:13:"), "{text}");
    assert!(text.contains("`ld.shared.f32`, 3968 bank conflicts in 128 requests"), "{text}");
    assert_eq!(counted(0).line(13).shared_load.bank_conflicts, 3968);
    assert_eq!(counted(0).line(1), lanework::Counters::default());
}

#[kernel]
fn strided(src: &[f32], dst: &mut [f32]) {
    let i = thread_idx.x;
    let x = src[i * 8];
    if i < 16 {
        dst[i] = x;
    }
}

#[test]
fn strides_and_divergence_are_named_with_their_lines() {
    let counted = || {
        let emulator = Device::emulator();
        let src = emulator.upload(&[1.0f32; 256]).expect("memory");
        let mut dst = emulator.zeros::<f32>(32).expect("memory");
        strided(&src, &mut dst).grid(1).block(32).profile(&emulator).expect("runs")
    };
    let text = said(move || counted().assert_coalesced());
    assert!(text.contains("28 excess global sectors") && text.contains("`ld.global"), "{text}");
    let line = counted()
        .instructions
        .iter()
        .find(|one| one.counters.divergent_branches > 0)
        .map(|one| one.line());
    let text = said(move || counted().assert_no_divergence());
    assert!(text.contains(&format!("profile.rs:{}", line.expect("a divergent branch"))), "{text}");
}

#[test]
fn unwrapping_an_error_prints_the_same_text() {
    let device = Device::emulator().sanitized();
    let src = device.uninit::<f32>(256).expect("memory");
    let mut dst = device.zeros::<f32>(32).expect("memory");
    let error = strided(&src, &mut dst).grid(1).block(32).launch(&device).expect_err("unwritten");
    assert_eq!(format!("{error:?}"), error.to_string());
    assert!(error.to_string().starts_with("error[uninitialized]: "), "{error}");
}

#[test]
fn instructions_have_their_place_and_add_up() {
    let profile = counted(0);
    let sum = lanework::Counters::sum(profile.instructions.iter().map(|one| &one.counters));
    assert_eq!(sum, profile.counters);
    let worst = profile.instructions.iter().max_by_key(|one| one.counters.bank_conflicts());
    let worst = &worst.expect("instructions").origin;
    assert!(worst.name.starts_with("ld.shared"), "{}", worst.name);
    let place = worst.location.as_ref().expect("a place in the source");
    assert!(place.file.ends_with("profile.rs") && place.line == 13, "{place:?}");
}

#[test]
fn a_trace_contains_only_the_requested_blocks() {
    let emulator = Device::emulator();
    let src = emulator.upload(&[1.0f32; 64 * 64]).expect("memory");
    let mut dst = emulator.zeros::<f32>(64 * 64).expect("memory");
    let launch = transpose(&src, &mut dst, 64, 0).grid((2, 2)).block((32, 32));
    let mut prepared = launch.prepare(&emulator).expect("compiles");
    let range = Blocks::Range { first: 2, count: 1 };
    let counted = prepared.profile(range).expect("runs");
    assert_eq!(counted.blocks_run, 1);
    let most = 1 << 20;
    let wanted = TraceConfig { steps: true, accesses: Keep::Sectors, most, only: None };
    let trace = prepared.trace(range, wanted).expect("runs");
    assert_eq!(trace.steps.len() as u64, counted.counters.warp_instructions);
    assert!(trace.steps.iter().all(|(place, _)| place.block == 2) && !trace.cut);
    let global = &counted.counters;
    let requests = global.global_load.requests + global.global_store.requests;
    assert_eq!(trace.reaches.len() as u64, requests);
    let sectors = global.global_load.sectors + global.global_store.sectors;
    assert_eq!(trace.sectors.len() as u64, sectors);
    let first = TraceConfig { steps: false, accesses: Keep::First, most, only: None };
    let touches = prepared.trace(range, first).expect("runs").touches;
    let places: std::collections::HashSet<u32> =
        touches.iter().map(|touch| touch.place.instruction).collect();
    assert_eq!(places.len(), touches.len(), "one access of each instruction");
    let few = TraceConfig { steps: true, accesses: Keep::Nothing, most: 10, only: None };
    let cut = prepared.trace(range, few).expect("runs");
    assert!(cut.cut && cut.steps.len() == 10);
}
