//! `assert!`, `assert_eq!`, `panic!` and `unreachable!` in kernels and in device functions.

use lanework::prelude::*;

#[device]
fn quotient(x: u32, y: u32) -> u32 {
    assert!(y != 0, "{x} divided by {y}");
    x / y
}

#[device]
fn name_of(kind: u32) -> u32 {
    if kind == 0 {
        10
    } else if kind == 1 {
        20
    } else {
        unreachable!("kind {kind}");
    }
}

#[kernel]
fn divided(out: &mut [u32], least: u32, #[constant] most: u32) {
    let i = thread_idx.x;
    assert!(most.is_power_of_two(), "{most} is not a power of two");
    assert_eq!(out.len() as u32 % 2, 0);
    debug_assert!(i <= least + 31);
    assert_ne!(i, most, "too far");
    out[i] = quotient(64, i + least) + name_of(i / 16);
}

#[kernel]
fn panics(out: &mut [u32], at: u32) {
    let i = thread_idx.x;
    if i == at {
        panic!("thread {i} gives up");
    }
    out[i] = 1;
}

#[test]
fn assertions_that_hold_change_nothing() {
    for device in Device::for_tests("language") {
        let mut out = device.zeros::<u32>(32).unwrap();
        divided(&mut out, 1, 64).grid(1).block(32).launch(&device).unwrap();
        let expected: Vec<u32> = (0..32).map(|i| quotient(64, i + 1) + name_of(i / 16)).collect();
        assert_eq!(out.download().unwrap(), expected);
    }
}

/// The error of a launch. The emulator reports it at once, a GPU at the next wait.
fn failure(device: &Device, launched: lanework::Result<()>) -> String {
    launched.and_then(|()| device.synchronize()).unwrap_err().to_string()
}

#[test]
fn a_failed_assertion_is_reported_with_its_thread() {
    for device in Device::for_tests("language") {
        let mut out = device.zeros::<u32>(32).unwrap();
        let launched = divided(&mut out, 0, 64).grid(1).block(32).launch(&device);
        let text = failure(&device, launched);
        assert!(text.contains("assertion failed: y != 0"), "{text}");
        assert!(text.contains("assertions.rs:7:5"), "{text}");
        assert!(text.contains("of block (0,0,0)"), "{text}");

        let mut out = device.zeros::<u32>(8).unwrap();
        let launched = panics(&mut out, 5).grid(1).block(8).launch(&device);
        let error = failure(&device, launched);
        assert!(error.contains("gives up") && error.contains("thread (5,0,0)"), "{error}");
        // The other threads continued.
        assert_eq!(out.download().unwrap(), [1, 1, 1, 1, 1, 0, 1, 1]);
    }
}

#[test]
fn an_assertion_on_constants_rejects_them() {
    let device = Device::emulator();
    let mut out = device.zeros::<u32>(32).unwrap();
    let error = divided(&mut out, 1, 63).grid(1).block(32).launch(&device).unwrap_err();
    assert!(error.to_string().contains("63 is not a power of two"), "{error}");
}

#[test]
fn unchecked_launches_stop_at_a_panic() {
    let device = Device::emulator();
    let mut out = device.zeros::<u32>(8).unwrap();
    // SAFETY: every index is below the length.
    let error = unsafe { panics(&mut out, 5).grid(1).block(8).launch_unchecked(&device) };
    assert!(error.unwrap_err().to_string().contains("trap"));
}
