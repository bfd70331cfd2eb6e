//! Tests of `mma`.

use crate::matrices::numbers::Type::{self, *};
use crate::matrices::{load_lanes, registers, store_lanes, warp};
use half::f16;

/// Position (row, k) of element `i` of A, by the manual.
fn place_a(ty: Type, m: usize, lane: usize, i: usize) -> (usize, usize) {
    let (group, thread) = (lane / 4, lane % 4);
    let per = (32 / ty.bits()).max(1);
    let (register, rest) = (i / per, i % per);
    if m == 8 {
        return (group, thread * per + rest);
    }
    // Registers alternate between the two row groups, and every second register advances along k.
    let row = if register.is_multiple_of(2) { group } else { group + 8 };
    (row, thread * per + rest + 4 * per * (register / 2))
}

/// Position (k, column) of element `i` of B.
fn place_b(ty: Type, lane: usize, i: usize) -> (usize, usize) {
    let per = (32 / ty.bits()).max(1);
    ((lane % 4) * per + i % per + (i / per) * 4 * per, lane / 4)
}

/// Position (row, column) of element `i` of C and D.
fn place_c(lane: usize, i: usize) -> (usize, usize) {
    let row = if i < 2 { lane / 4 } else { lane / 4 + 8 };
    (row, (lane % 4) * 2 + (i & 1))
}

/// Packs a matrix into words, lane by lane.
fn pack(ty: Type, elements: usize, of: impl Fn(usize, usize) -> i64) -> Vec<u32> {
    let words = (elements * ty.bits()).div_ceil(32);
    let mut packed = vec![0u32; 32 * words];
    for lane in 0..32 {
        for i in 0..elements {
            let (bits, at) = (ty.encode(of(lane, i)), i * ty.bits());
            packed[lane * words + at / 32] |= (bits << (at % 32)) as u32;
            if ty.bits() == 64 {
                packed[lane * words + at / 32 + 1] = (bits >> 32) as u32;
            }
        }
    }
    packed
}

/// Runs one `mma` on integers and compares every element.
fn check_mma((m, n, k): (usize, usize, usize), [d, a, b, c]: [Type; 4], more: &str) {
    let mut state = (m * 100 + k * 7 + a.bits()) as u64 + 99;
    let left: Vec<i64> = (0..m * k).map(|_| a.small(&mut state)).collect();
    let right: Vec<i64> = (0..k * n).map(|_| b.small(&mut state)).collect();
    let plus: Vec<i64> = (0..m * n).map(|_| c.small(&mut state)).collect();
    let counts = [m * k / 32, k * n / 32, m * n / 32];
    let packed = [
        pack(a, counts[0], |lane, i| {
            let (row, at) = place_a(a, m, lane, i);
            left[row * k + at]
        }),
        pack(b, counts[1], |lane, i| {
            let (at, column) = place_b(b, lane, i);
            right[at * n + column]
        }),
        pack(c, counts[2], |lane, i| {
            let (row, column) = place_c(lane, i);
            plus[row * n + column]
        }),
    ];
    let want = pack(d, counts[2], |lane, i| {
        let (row, column) = place_c(lane, i);
        let products = (0..k).map(|at| left[row * k + at] * right[at * n + column]);
        plus[row * n + column] + products.sum::<i64>()
    });
    let mut input = Vec::new();
    let mut text = String::new();
    let mut lists = Vec::new();
    for (part, words) in packed.iter().enumerate() {
        let count = words.len() / 32;
        let (first, at) = (10 + 16 * part, input.len());
        text += &load_lanes(first, count, at);
        input.extend_from_slice(words);
        lists.push(wide_list(&mut text, first, count, a == Type::F64, true));
    }
    let count = want.len() / 32;
    let result = wide_list(&mut text, 60, count, a == Type::F64, false);
    text += &format!(
        "mma.sync.aligned.m{m}n{n}k{k}.row.col{more}.{}.{}.{}.{} {result}, {}, {}, {};\n",
        d.name(),
        a.name(),
        b.name(),
        c.name(),
        lists[0],
        lists[1],
        lists[2]
    );
    if a == Type::F64 {
        for i in 0..count / 2 {
            text +=
                &format!("mov.b64 {{%r{}, %r{}}}, %rd{};\n", 60 + 2 * i, 61 + 2 * i, 60 + 2 * i);
        }
    }
    text += &store_lanes(60, count);
    let got = warp(&text, &input, want.len());
    for (i, (got, want)) in got.iter().zip(&want).enumerate() {
        let name = format!("m{m}n{n}k{k} {a:?} {c:?}");
        assert_eq!(got, want, "{name} lane {} word {}", i / count, i % count);
    }
}

/// The registers of an operand; a 64-bit register `%rd{i}` combines `%r{i}` and the next one.
fn wide_list(text: &mut String, first: usize, count: usize, wide: bool, make: bool) -> String {
    if !wide {
        return registers(first, count);
    }
    let mut names = Vec::new();
    for i in (first..first + count).step_by(2) {
        if make {
            *text += &format!("mov.b64 %rd{i}, {{%r{i}, %r{}}};\n", i + 1);
        }
        names.push(format!("%rd{i}"));
    }
    format!("{{{}}}", names.join(", "))
}

#[test]
fn mma_multiplies_halves() {
    for k in [8, 16] {
        check_mma((16, 8, k), [F32, F16, F16, F32], "");
        check_mma((16, 8, k), [F16, F16, F16, F16], "");
        check_mma((16, 8, k), [F32, Bf16, Bf16, F32], "");
    }
}

#[test]
fn mma_multiplies_tf32_and_doubles() {
    check_mma((16, 8, 4), [F32, Tf32, Tf32, F32], "");
    check_mma((16, 8, 8), [F32, Tf32, Tf32, F32], "");
    check_mma((8, 8, 4), [F64, F64, F64, F64], "");
    check_mma((16, 8, 4), [F64, F64, F64, F64], "");
    check_mma((16, 8, 8), [F64, F64, F64, F64], "");
    check_mma((16, 8, 16), [F64, F64, F64, F64], "");
}

#[test]
fn mma_multiplies_integers() {
    for (a, b) in [(S8, S8), (U8, U8), (S8, U8), (U8, S8)] {
        check_mma((8, 8, 16), [S32, a, b, S32], "");
        check_mma((16, 8, 16), [S32, a, b, S32], "");
        check_mma((16, 8, 32), [S32, a, b, S32], ".satfinite");
    }
    for (a, b) in [(S4, S4), (U4, S4)] {
        check_mma((8, 8, 32), [S32, a, b, S32], "");
        check_mma((16, 8, 32), [S32, a, b, S32], "");
        check_mma((16, 8, 64), [S32, a, b, S32], "");
    }
}

#[test]
fn integer_sums_wrap_around_or_are_clamped() {
    let body = |more: &str| {
        format!(
            "mov.u32 %r10, 0x7f7f7f7f; mov.u32 %r20, 0x7fffffff; mov.u32 %r21, 0;
            mma.sync.aligned.m8n8k16.row.col{more}.s32.s8.s8.s32 {{%r30, %r31}}, {{%r10}}, {{%r10}},
                {{%r20, %r21}};{}",
            store_lanes(30, 2)
        )
    };
    let sum = 16 * 127 * 127;
    let wrapped = warp(&body(""), &[0], 64);
    assert!(wrapped.chunks(2).all(|pair| pair == [0x7fff_ffff + sum, sum]));
    let clamped = warp(&body(".satfinite"), &[0], 64);
    assert!(clamped.chunks(2).all(|pair| pair == [0x7fff_ffff, sum]));
}

#[test]
fn products_are_summed_together_and_truncated_below_the_largest() {
    // One instruction adds 4096 * 4096, 1 * 1 and -4096 * 4096 to 0.5. It keeps 25 bits below the largest
    // term, so this sum is exact.
    assert_eq!(cancelling("0f3F000000"), 1.5);
    // It drops the part of 0.75 below 2^(24 - 25).
    assert_eq!(cancelling("0f3F400000"), 1.5);
}

/// Returns a lane's result of `start` + 2^24 + 1 - 2^24 in one `mma`.
fn cancelling(start: &str) -> f32 {
    let one = u32::from(f16::from_f32(1.0).to_bits());
    let big = u32::from(f16::from_f32(4096.0).to_bits());
    let minus = u32::from(f16::from_f32(-4096.0).to_bits());
    // Along k, A has 4096, 1, -4096, 0 and B has 4096, 1, 4096, 0.
    let body = format!(
        "and.b32 %r50, %r1, 3; mov.u32 %r10, 0; mov.u32 %r11, 0;
        setp.eq.u32 %p1, %r50, 0; setp.eq.u32 %p2, %r50, 1;
        @%p1 mov.u32 %r10, {}; @%p1 mov.u32 %r11, {};
        @%p2 mov.u32 %r10, {minus}; @%p2 mov.u32 %r11, {big};
        mov.f32 %f1, {start};
        mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {{%f2, %f3, %f4, %f5}}, {{%r10, %r10}},
            {{%r11}}, {{%f1, %f1, %f1, {start}}};
        mov.b32 %r30, %f2; mov.b32 %r31, %f5;{}",
        one << 16 | big,
        one << 16 | big,
        store_lanes(30, 2)
    );
    let got = warp(&body, &[0], 64);
    assert!(got.iter().all(|word| *word == got[0]));
    f32::from_bits(got[0])
}
