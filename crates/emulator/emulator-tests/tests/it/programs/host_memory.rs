//! Kernels on host memory: registered ranges are checked to the byte; if the host trusts kernels, any
//! address is allowed.

use crate::common::load;
use lanework_emulator::{
    Emulator, Fault, FaultKind, LaunchConfig, MemoryError, NullObserver, Options, Outcome,
};

fn device(all_varying: bool) -> Emulator {
    Emulator::on_host_memory(Options { all_varying, ..Options::default() })
}

/// Returns a kernel with three addresses and a count as parameters.
fn kernel(body: &str) -> String {
    format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n\
         .visible .global .align 4 .u32 extra[2] = {{100, 200}};\n\
         .visible .entry k(.param .u64 a, .param .u64 b, .param .u32 n)\n{{\n\
         .reg .pred %p<3>; .reg .u32 %r<9>; .reg .u16 %h<9>; .reg .u64 %rd<9>;\n\
         ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b]; ld.param.u32 %r1, [n];\n\
         mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x;\n\
         mad.lo.u32 %r4, %r2, %r3, %r4;\n{body}\n ret;\n}}\n"
    )
}

/// `b[i] = a[i] + extra[1]` for words.
const ADD: &str = "setp.ge.u32 %p1, %r4, %r1; @%p1 bra DONE;
    mul.wide.u32 %rd3, %r4, 4; add.u64 %rd4, %rd1, %rd3; add.u64 %rd5, %rd2, %rd3;
    ld.global.u32 %r5, [%rd4]; ld.global.u32 %r6, [extra+4]; add.u32 %r5, %r5, %r6;
    st.global.u32 [%rd5], %r5; DONE:";

/// `b[i] = a[i]` for bytes.
const BYTES: &str = "setp.ge.u32 %p1, %r4, %r1; @%p1 bra DONE; cvt.u64.u32 %rd3, %r4;
    add.u64 %rd4, %rd1, %rd3; add.u64 %rd5, %rd2, %rd3;
    ld.u8 %h1, [%rd4]; st.u8 [%rd5], %h1; DONE:";

fn launch(
    device: &Emulator,
    body: &str,
    a: *const u8,
    b: *mut u8,
    n: u32,
) -> Result<Outcome, Fault> {
    let program = load(device, &kernel(body)).expect("it loads");
    let (a, b) = ((a as u64).to_le_bytes(), (b as u64).to_le_bytes());
    let arguments: [&[u8]; 3] = [&a, &b, &n.to_le_bytes()];
    let config = LaunchConfig::new("k", [n.div_ceil(64), 1, 1], [64, 1, 1]);
    device.launch(&program, &config, &arguments, &mut NullObserver)
}

#[test]
fn kernels_use_registered_host_ranges_in_place_and_nothing_else() {
    for all_varying in [false, true] {
        let device = device(all_varying);
        let mut a: Vec<u32> = (0..300).collect();
        let mut b = vec![0u32; 300];
        let (from, to) = (a.as_mut_ptr().cast::<u8>(), b.as_mut_ptr().cast::<u8>());
        // SAFETY: both vectors outlive the launches, and no other code uses them while a launch runs.
        unsafe {
            device.register_host_memory(from, 1200, "a").expect("free");
            device.register_host_memory(to, 1200, "b").expect("free");
        }
        launch(&device, ADD, from, to, 300).expect("it runs");
        assert!(b.iter().enumerate().all(|(i, v)| *v == i as u32 + 200));

        let fault = launch(&device, ADD, from, to, 301).expect_err("one too many");
        assert_eq!(fault.kind, FaultKind::OutOfBounds);
        assert_eq!(fault.allocation.expect("near").name, "a");

        device.unregister_host_memory(to).expect("registered");
        let fault = launch(&device, ADD, from, to, 300).expect_err("no longer there");
        assert_eq!(fault.kind, FaultKind::UseAfterFree);
        let twice = device.unregister_host_memory(to);
        assert!(matches!(twice, Err(MemoryError::NotRegistered { .. })), "{twice:?}");
    }
}

#[test]
fn bounds_hold_to_the_byte_wherever_a_range_starts() {
    for all_varying in [false, true] {
        for skip in 0..33 {
            let device = device(all_varying);
            let mut a: Vec<u8> = (0..200).collect();
            let mut b = vec![0u8; 200];
            let (from, to) = (a.as_mut_ptr(), b.as_mut_ptr());
            // SAFETY: both vectors outlive the launches, and no other code uses them while a launch runs.
            unsafe {
                device.register_host_memory(from, 200, "a").expect("free");
                device.register_host_memory(to.add(skip), 100, "b").expect("free");
            }
            launch(&device, BYTES, from, to.wrapping_add(skip), 100).expect("it runs");
            assert!((0..100).all(|i| b[skip + i] == i as u8));
            assert!(b[..skip].iter().chain(&b[skip + 100..]).all(|v| *v == 0));
            launch(&device, BYTES, from, to.wrapping_add(skip), 101).expect_err("past the end");
            let before = to.wrapping_add(skip).wrapping_sub(1);
            launch(&device, BYTES, from, before, 1).expect_err("before the start");
            assert!(b[..skip].iter().chain(&b[skip + 100..]).all(|v| *v == 0));
        }
    }
}

#[test]
fn alignment_is_the_addresss_own() {
    let device = device(false);
    let mut bytes = vec![0u8; 256];
    let start = bytes.as_mut_ptr();
    let even = start.wrapping_add(start.align_offset(16));
    // SAFETY: the vector outlives the launches, and no other code uses it while a launch runs.
    unsafe { device.register_host_memory(even.add(3), 128, "odd").expect("free") };
    // Alignment depends on the address of a word, not on the start of the range.
    launch(&device, ADD, even.wrapping_add(4), even.wrapping_add(4), 31).expect("it runs");
    let fault = launch(&device, ADD, even.wrapping_add(3), even.wrapping_add(4), 1);
    assert_eq!(fault.expect_err("misaligned").kind, FaultKind::Misaligned);
    let fault = launch(&device, ADD, even.wrapping_add(35), even.wrapping_add(4), 1);
    assert_eq!(fault.expect_err("misaligned").kind, FaultKind::Misaligned);
}

#[test]
fn trusted_host_addresses_are_valid_until_a_range_is_registered() {
    for all_varying in [false, true] {
        let device = device(all_varying);
        let mut a: Vec<u32> = (0..100).collect();
        let mut b = vec![0u32; 100];
        let (from, to) = (a.as_mut_ptr().cast::<u8>(), b.as_mut_ptr().cast::<u8>());
        launch(&device, ADD, from, to, 100).expect_err("addresses are not trusted");
        // SAFETY: the launches below only access the two vectors, or fault.
        unsafe { device.trust_addresses() };
        launch(&device, ADD, from, to, 100).expect("it runs");
        assert!(b.iter().enumerate().all(|(i, v)| *v == i as u32 + 200));
        let null = launch(&device, ADD, std::ptr::null(), to, 1).expect_err("null");
        assert_eq!(null.kind, FaultKind::Null);
        // SAFETY: `from` points to the 100 words of `a`, which outlives the launches below.
        unsafe { device.register_host_memory(from, 400, "a").expect("free") };
        let fault = launch(&device, ADD, from, to, 100).expect_err("`b` is not registered");
        assert_eq!(fault.kind, FaultKind::OutOfBounds);
        device.unregister_host_memory(from).expect("registered");
        launch(&device, ADD, from, to, 100).expect("it runs again");
    }
}

#[test]
fn addresses_of_other_spaces_are_never_the_hosts() {
    let device = device(false);
    let mut word = [0u32; 4];
    let at = word.as_mut_ptr().cast::<u8>();
    // SAFETY: every launch below faults.
    unsafe { device.trust_addresses() };
    for address in [0x1000u64, 0x0100_0000, 0x7000_0000, 0x8fff_fff0, 0xffff_fff0] {
        for body in [
            "cvt.u32.u64 %r5, %rd1; ld.shared.u32 %r6, [%r5];",
            "cvt.u32.u64 %r5, %rd1; st.shared.u32 [%r5], %r1;",
            "ld.local.u32 %r6, [%rd1];",
            "add.u64 %rd3, %rd1, 0x100000000; ld.u32 %r6, [%rd3];",
            "add.u64 %rd3, %rd1, 0x200000000; st.u32 [%rd3], %r1;",
            "add.u64 %rd3, %rd1, 0x300000000; ld.u32 %r6, [%rd3];",
            "add.u64 %rd3, %rd1, 0x100000000; ld.global.u32 %r6, [%rd3];",
        ] {
            let wild = std::ptr::with_exposed_provenance(address as usize);
            let fault = launch(&device, body, wild, at, 1).expect_err(body);
            assert_eq!(fault.kind, FaultKind::OutOfBounds, "{address:#x}: {body}");
        }
    }
}

#[test]
fn invalid_host_ranges_are_not_registered() {
    let mut word = [0u32; 4];
    let start = word.as_mut_ptr().cast::<u8>();
    let wild = |address: usize| std::ptr::with_exposed_provenance_mut::<u8>(address);
    let on_host = device(false);
    // SAFETY: `word` outlives the registration; the other ranges are refused.
    let answers = unsafe {
        [
            (
                Emulator::new(Options::default()).register_host_memory(start, 16, "x"),
                "its own addresses",
            ),
            (on_host.register_host_memory(wild(16), 16, "null"), "host program has no memory"),
            (on_host.register_host_memory(start, 0, "empty"), "host program has no memory"),
            (
                on_host.register_host_memory(start, u64::MAX, "endless"),
                "host program has no memory",
            ),
            (on_host.register_host_memory(wild(0x1_8000_0000), 16, "window"), "shared and local"),
            (
                on_host.register_host_memory(wild(0xffff_fff8), 16, "into the window"),
                "shared and local",
            ),
        ]
    };
    for (answer, why) in answers {
        let text = answer.expect_err(why).to_string();
        assert!(text.contains(why), "{text}");
    }
    // SAFETY: `word` outlives the registration, and no launch runs.
    unsafe {
        on_host.register_host_memory(start.add(4), 8, "middle").expect("free");
        for (offset, bytes) in [(0, 5), (4, 8), (5, 1), (11, 2), (0, 16)] {
            let text = on_host
                .register_host_memory(start.add(offset), bytes, "over")
                .expect_err("it overlaps");
            assert!(text.to_string().contains("overlaps `middle`"), "{text}");
        }
        on_host.register_host_memory(start, 4, "before").expect("free");
        on_host.register_host_memory(start.add(12), 4, "after").expect("free");
    }
    let freed = on_host.free(start as u64);
    assert!(matches!(freed, Err(MemoryError::NotAllocated { .. })), "{freed:?}");
}

#[test]
fn allocations_of_a_device_on_host_memory_have_bounds_too() {
    let device = device(false);
    let a = device.allocate(400, "a").expect("memory");
    let words: Vec<u8> = (0..100u32).flat_map(u32::to_le_bytes).collect();
    device.write(a, &words).expect("in bounds");
    let pointer = std::ptr::with_exposed_provenance_mut::<u8>(a as usize);
    launch(&device, ADD, pointer, pointer, 100).expect("it runs");
    launch(&device, ADD, pointer, pointer, 101).expect_err("past the end");
    let mut back = [0; 4];
    device.read(a + 396, &mut back).expect("in bounds");
    assert_eq!(u32::from_le_bytes(back), 299);
    device.read(a + 398, &mut back).expect_err("past the end");
    device.free(a).expect("live");
    launch(&device, ADD, pointer, pointer, 100).expect_err("freed");
}
