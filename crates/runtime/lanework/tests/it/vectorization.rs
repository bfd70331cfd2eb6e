//! Counters follow ptxas's optimizations for sm_90: it vectorizes shared loads of adjacent
//! words, and aggregates a warp's atomics in one lane. Each row was observed in the output of
//! ptxas 13.0.

use lanework::emulator::Blocks;
use lanework::{Counters, Device, PtxArg, PtxShape};

/// The counts of a kernel of one warp: `%r5` is the thread's address in shared memory, `%rd1` global
/// memory, `%r2` an argument.
fn counted(base: &str, body: &str) -> Counters {
    let text = format!(
        ".version 8.1
.target sm_90
.address_size 64
.visible .entry k(.param .u64 o, .param .u32 n)
{{
    .reg .b32 %r<40>; .reg .b64 %rd<4>; .reg .f32 %f<40>; .reg .f64 %fd<40>;
    .shared .align 16 .b8 arr[4096];
    ld.param.u64 %rd1, [o]; ld.param.u32 %r2, [n]; mov.u32 %r3, %tid.x; mov.u32 %r4, arr;
    {base}
    {body}
    ret;
}}
"
    );
    let device = Device::emulator();
    let module = device.load_ptx(&text).expect("loads");
    let out = device.zeros::<u8>(4096).expect("memory");
    let arguments = [PtxArg::Memory(&out), PtxArg::Bytes(16u32.to_le_bytes().to_vec())];
    module.profile("k", PtxShape::new(1, 32), &arguments, Blocks::All).expect("runs").counters
}

fn loads(base: &str, offsets: &[u32], between: &str) -> u64 {
    let each = |(i, offset): (usize, &u32)| {
        let between = if i + 1 == offsets.len() / 2 { between } else { "" };
        format!("ld.shared.f32 %f{i}, [%r5+{offset}]; {between}")
    };
    let body: String = offsets.iter().enumerate().map(each).collect();
    counted(base, &body).shared_load.requests
}

/// Threads at a stride in bytes, a power of two.
fn strided(shift: u32) -> String {
    format!("shl.b32 %r8, %r3, {shift}; add.u32 %r5, %r4, %r8;")
}

#[test]
fn loads_of_adjacent_words_are_vectorized_where_the_address_is_known_to_be_even() {
    let every = |words: u32| (0..words).map(|word| 4 * word).collect::<Vec<u32>>();
    for (shift, offsets, expected) in [
        (4, every(4), 1),
        (4, vec![0, 4], 1),
        (4, vec![4, 8], 2),
        (4, vec![8, 12], 1),
        (4, vec![0, 4, 8], 1),
        (4, vec![4, 8, 12], 1),
        (4, vec![0, 4, 12], 1),
        (4, vec![0, 8], 2),
        (3, every(4), 2),
        (2, every(4), 4),
        (5, every(8), 2),
        (6, every(16), 4),
        (6, vec![12, 8, 4, 0], 1),
        (6, vec![0, 8, 4, 12, 20, 16, 28, 24], 2),
    ] {
        assert_eq!(loads(&strided(shift), &offsets, ""), expected, "{shift} {offsets:?}");
    }
    for (base, expected) in [
        ("mul.lo.u32 %r8, %r2, 16; add.u32 %r5, %r4, %r8;", 1),
        ("mad.lo.s32 %r5, %r3, 48, %r4;", 1),
        ("mad.lo.s32 %r5, %r3, 72, %r4;", 2),
        ("add.u32 %r5, %r4, %r2;", 4),
        ("and.b32 %r8, %r2, -16; add.u32 %r5, %r4, %r8;", 1),
        ("shl.b32 %r8, %r3, 4; add.u32 %r9, %r4, %r8; add.u32 %r5, %r9, 4;", 2),
    ] {
        assert_eq!(loads(base, &every(4), ""), expected, "{base}");
    }
}

#[test]
fn accesses_in_between_prevent_vectorization() {
    let offsets = [0, 4, 8, 12];
    let of = |between: &str| loads(&strided(4), &offsets, between);
    assert_eq!(of("st.shared.u32 [%r5+2048], %r2;"), 2);
    assert_eq!(of("bar.sync 0;"), 2);
    assert_eq!(of("st.global.u32 [%rd1], %r2;"), 1);
    assert_eq!(of("add.u32 %r5, %r5, 64;"), 2);
}

#[test]
fn a_vectorized_load_takes_the_wavefronts_of_a_wide_one() {
    let words: String = (0..4).map(|i| format!("ld.shared.f32 %f{i}, [%r5+{}];", 4 * i)).collect();
    let found = counted(&strided(4), &words).shared_load;
    assert_eq!((found.wavefronts, found.bank_conflicts), (4, 0));
    let found = counted("mov.u32 %r5, %r4;", &words).shared_load;
    assert_eq!((found.wavefronts, found.bank_conflicts), (2, 0));
    let doubles = "ld.shared.f64 %fd0, [%r5]; ld.shared.f64 %fd1, [%r5+8];";
    let found = counted(&strided(5), doubles).shared_load;
    assert_eq!((found.requests, found.wavefronts, found.bank_conflicts), (1, 8, 4));
}

#[test]
fn atomics_on_a_uniform_address_are_aggregated_in_one_lane() {
    let global = |body: &str| counted(&strided(4), body).global_atomic.sectors;
    let used = "st.shared.u32 [%r5], %r9;";
    for (body, expected) in [
        ("atom.global.add.u32 %r9, [%rd1], %r3;".to_owned(), 1),
        ("red.global.max.s32 [%rd1], %r3;".to_owned(), 1),
        (format!("atom.global.add.u32 %r9, [%rd1], 3; {used}"), 1),
        (format!("atom.global.add.u32 %r9, [%rd1], %r3; {used}"), 1),
        (format!("atom.global.max.s32 %r9, [%rd1], %r3; {used}"), 32),
        ("atom.global.exch.b32 %r9, [%rd1], %r3;".to_owned(), 32),
        ("red.global.add.f32 [%rd1], %f0;".to_owned(), 32),
    ] {
        assert_eq!(global(&body), expected, "{body}");
    }
    let shared = |body: &str| counted("mov.u32 %r5, %r4;", body).shared_atomic.wavefronts;
    assert_eq!(shared("atom.shared.add.u32 %r9, [%r5], 1;"), 1);
    assert_eq!(shared("red.shared.add.u32 [%r5], %r3;"), 1);
    assert_eq!(shared("red.shared.inc.u32 [%r5], %r3;"), 32);
    let two_words = "and.b32 %r8, %r3, 1; shl.b32 %r8, %r8, 2; add.u32 %r5, %r4, %r8;";
    let shared = |body: &str| counted(two_words, body).shared_atomic.wavefronts;
    assert_eq!(shared("atom.shared.add.u32 %r9, [%r5], 1;"), 1);
    assert_eq!(shared("atom.shared.add.u32 %r9, [%r5], 2;"), 16);
}
