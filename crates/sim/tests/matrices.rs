//! Matrix instructions against host arithmetic, with each fragment's layout written as the PTX manual
//! tells it.

mod common;

use common::{START, kernel, next, random_words, run};
use half::{bf16, f16};
use lanework_sim::FaultKind;

const WARP: [u32; 3] = [32, 1, 1];
const ONE: [u32; 3] = [1, 1, 1];

/// Runs a body on one warp, with and without scalar forms.
fn warp(body: &str, input: &[u32], count: usize) -> Vec<u32> {
    let text = kernel(&format!("{START}\n{body}\nret;"));
    let [plain, varying] = [false, true].map(|all_varying| {
        run(&text, all_varying, ONE, WARP, input, count).unwrap_or_else(|f| panic!("{f}")).words
    });
    assert_eq!(plain, varying, "scalar forms change results");
    plain
}

/// A list of registers from `%r{first}` on.
fn registers(first: usize, count: usize) -> String {
    let names: Vec<String> = (first..first + count).map(|i| format!("%r{i}")).collect();
    format!("{{{}}}", names.join(", "))
}

/// Loads `count` words per lane to registers from `first` on; lane `l`'s lie at word `at + l * count`.
fn load_lanes(first: usize, count: usize, at: usize) -> String {
    let mut text = format!("mul.wide.u32 %rd6, %r1, {}; add.s64 %rd7, %rd1, %rd6;\n", count * 4);
    for i in 0..count {
        text += &format!("ld.global.u32 %r{}, [%rd7+{}];\n", first + i, (at + i) * 4);
    }
    text
}

/// Stores `count` words per lane likewise.
fn store_lanes(first: usize, count: usize) -> String {
    let mut text = format!("mul.wide.u32 %rd6, %r1, {}; add.s64 %rd7, %rd2, %rd6;\n", count * 4);
    for i in 0..count {
        text += &format!("st.global.u32 [%rd7+{}], %r{};\n", i * 4, first + i);
    }
    text
}

/// Copies lane `l`'s four input words to row `l` of a shared array with rows of `pitch` bytes.
fn fill_shared(pitch: usize) -> String {
    format!(
        ".shared .align 16 .b8 tile[{}];
        mov.u32 %r60, tile; mad.lo.u32 %r61, %r1, {pitch}, %r60;
        {} st.shared.v4.u32 [%r61], {{%r10, %r11, %r12, %r13}}; bar.warp.sync 0xffffffff;\n",
        32 * pitch,
        load_lanes(10, 4, 0),
    )
}

fn half(words: &[u32], row: usize, column: usize) -> u32 {
    words[row * 4 + column / 2] >> (16 * (column % 2)) & 0xffff
}

#[test]
fn ldmatrix_gives_each_lane_two_elements_of_each_matrix() {
    let input = random_words(128, 5);
    for count in [1, 2, 4] {
        for trans in ["", ".trans"] {
            let list = registers(20, count);
            let body = format!(
                "{} ldmatrix.sync.aligned.m8n8.x{count}{trans}.shared.b16 {list}, [%r61];{}",
                fill_shared(16),
                store_lanes(20, count)
            );
            let got = warp(&body, &input, 32 * count);
            for lane in 0..32 {
                for matrix in 0..count {
                    let (row, pair) = (lane / 4, 2 * (lane % 4));
                    let at = |half_at: usize| match trans {
                        "" => half(&input, 8 * matrix + row, half_at),
                        _ => half(&input, 8 * matrix + half_at, row),
                    };
                    let want = at(pair) | at(pair + 1) << 16;
                    assert_eq!(got[lane * count + matrix], want, "x{count}{trans} lane {lane}");
                }
            }
        }
    }
}

#[test]
fn ldmatrix_reads_rows_wherever_they_lie_also_by_generic_address() {
    // Lane `l` gives the address of row `31 - l`, and 32 bytes of it come from the instruction.
    let input = random_words(128, 6);
    let body = format!(
        "{} mov.u32 %r62, 31; sub.u32 %r62, %r62, %r1; mad.lo.u32 %r62, %r62, 16, %r60;
        cvt.u64.u32 %rd20, %r62; cvta.shared.u64 %rd20, %rd20; sub.s64 %rd20, %rd20, 32;
        ldmatrix.sync.aligned.m8n8.x4.b16 {}, [%rd20+32];{}",
        fill_shared(16),
        registers(20, 4),
        store_lanes(20, 4)
    );
    let got = warp(&body, &input, 128);
    for lane in 0..32 {
        for matrix in 0..4 {
            let row = 31 - (8 * matrix + lane / 4);
            assert_eq!(got[lane * 4 + matrix], input[row * 4 + lane % 4]);
        }
    }
}

#[test]
fn stmatrix_undoes_ldmatrix() {
    let input = random_words(128, 7);
    for trans in ["", ".trans"] {
        let body = format!(
            "{} ldmatrix.sync.aligned.m8n8.x4{trans}.shared.b16 {list}, [%r61];
            .shared .align 16 .b8 other[512]; mov.u32 %r62, other; mad.lo.u32 %r63, %r1, 16, %r62;
            stmatrix.sync.aligned.m8n8.x4{trans}.shared.b16 [%r63], {list};
            bar.warp.sync 0xffffffff; ld.shared.v4.u32 {list}, [%r63];{}",
            fill_shared(16),
            store_lanes(20, 4),
            list = registers(20, 4),
        );
        assert_eq!(warp(&body, &input, 128), input, "{trans}");
    }
}

#[test]
fn the_eight_rows_of_a_matrix_are_one_wavefront_unless_they_share_banks() {
    let input = random_words(128, 8);
    // Rows of 16 bytes fill all banks; rows 128 bytes apart start in one bank; 144 bytes apart do not.
    for (pitch, count, wavefronts) in
        [(16, 4, 4), (16, 1, 1), (128, 4, 32), (128, 2, 16), (144, 4, 4), (64, 4, 16)]
    {
        let body = format!(
            "{} ldmatrix.sync.aligned.m8n8.x{count}.shared.b16 {}, [%r61];",
            fill_shared(pitch),
            registers(20, count)
        );
        let text = kernel(&format!("{START}\n{body}\nret;"));
        let counters = run(&text, false, ONE, WARP, &input, 1).expect("runs").counters;
        let shared = counters.shared_load;
        assert_eq!((shared.requests, shared.wavefronts), (1, wavefronts), "pitch {pitch}");
        assert_eq!(shared.bank_conflicts, wavefronts - count as u64, "pitch {pitch}");
    }
}

#[test]
fn a_row_out_of_bounds_or_misaligned_is_a_fault() {
    let fault = |address: &str| {
        let body = format!(
            "{START} {} {address} ldmatrix.sync.aligned.m8n8.x4.shared.b16 {}, [%r61]; ret;",
            fill_shared(16),
            registers(20, 4)
        );
        run(&kernel(&body), false, ONE, WARP, &[0; 128], 1).map(|_| ()).expect_err("a fault")
    };
    let beyond = fault("add.u32 %r61, %r61, 1536;");
    assert_eq!((beyond.kind, beyond.thread), (FaultKind::OutOfBounds, [0, 0, 0]), "{beyond}");
    assert_eq!(fault("add.u32 %r61, %r61, 4;").kind, FaultKind::Misaligned);
    let beyond = fault("add.u32 %r61, %r61, 1040;");
    assert_eq!((beyond.kind, beyond.thread), (FaultKind::OutOfBounds, [31, 0, 0]), "{beyond}");
}

#[test]
fn part_of_a_warp_cannot_multiply() {
    let text = kernel(&format!(
        "{START} mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {}, {}, {{%r20}}, {}; ret;",
        registers(10, 4),
        registers(14, 2),
        registers(10, 4)
    ));
    let fault = run(&text, false, ONE, [20, 1, 1], &[0], 1).map(|_| ()).expect_err("a fault");
    assert_eq!(fault.kind, FaultKind::Unsupported);
    assert!(fault.message.contains("all 32 lanes") && fault.message.contains("20"), "{fault}");
}

/// One element as the host sees it.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Type {
    F16,
    Bf16,
    Tf32,
    F32,
    F64,
    S8,
    U8,
    S4,
    U4,
    S32,
}

impl Type {
    fn name(self) -> &'static str {
        match self {
            Type::F16 => "f16",
            Type::Bf16 => "bf16",
            Type::Tf32 => "tf32",
            Type::F32 => "f32",
            Type::F64 => "f64",
            Type::S8 => "s8",
            Type::U8 => "u8",
            Type::S4 => "s4",
            Type::U4 => "u4",
            Type::S32 => "s32",
        }
    }

    fn bits(self) -> usize {
        match self {
            Type::S4 | Type::U4 => 4,
            Type::S8 | Type::U8 => 8,
            Type::F16 | Type::Bf16 => 16,
            Type::F64 => 64,
            _ => 32,
        }
    }

    /// A whole number small enough that sums of products are exact in every type.
    fn encode(self, value: i64) -> u64 {
        match self {
            Type::F16 => u64::from(f16::from_f32(value as f32).to_bits()),
            Type::Bf16 => u64::from(bf16::from_f32(value as f32).to_bits()),
            // Bits below those that tf32 has must not matter.
            Type::Tf32 => u64::from((value as f32).to_bits() | 0x1abc),
            Type::F32 => u64::from((value as f32).to_bits()),
            Type::F64 => (value as f64).to_bits(),
            _ => value as u64 & ((1 << self.bits()) - 1),
        }
    }

    fn small(self, state: &mut u64) -> i64 {
        let word = i64::from(next(state));
        match self {
            Type::U8 => word % 256,
            Type::S8 => word % 256 - 128,
            Type::U4 => word % 16,
            Type::S4 => word % 16 - 8,
            Type::S32 => word % 100_000 - 50_000,
            Type::F16 => word % 15 - 7,
            _ => word % 31 - 15,
        }
    }
}

/// The manual's place of element `i` of A: (row, k).
fn place_a(ty: Type, m: usize, lane: usize, i: usize) -> (usize, usize) {
    let (group, thread) = (lane / 4, lane % 4);
    let per = (32 / ty.bits()).max(1);
    let (register, rest) = (i / per, i % per);
    if m == 8 {
        return (group, thread * per + rest);
    }
    // Registers alternate between the two row groups; every other one steps along k.
    let row = if register.is_multiple_of(2) { group } else { group + 8 };
    (row, thread * per + rest + 4 * per * (register / 2))
}

/// Of B: (k, column).
fn place_b(ty: Type, lane: usize, i: usize) -> (usize, usize) {
    let per = (32 / ty.bits()).max(1);
    ((lane % 4) * per + i % per + (i / per) * 4 * per, lane / 4)
}

/// Of C and D: (row, column).
fn place_c(lane: usize, i: usize) -> (usize, usize) {
    let row = if i < 2 { lane / 4 } else { lane / 4 + 8 };
    (row, (lane % 4) * 2 + (i & 1))
}

/// Lays a matrix out as words, lane by lane.
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

/// Runs one `mma` on whole numbers and compares every element.
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

/// The registers of an operand; 64-bit ones `%rd{i}` are made of `%r{i}` and the next.
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
    use Type::*;
    for k in [8, 16] {
        check_mma((16, 8, k), [F32, F16, F16, F32], "");
        check_mma((16, 8, k), [F16, F16, F16, F16], "");
        check_mma((16, 8, k), [F32, Bf16, Bf16, F32], "");
    }
}

#[test]
fn mma_multiplies_tf32_and_doubles() {
    use Type::*;
    check_mma((16, 8, 4), [F32, Tf32, Tf32, F32], "");
    check_mma((16, 8, 8), [F32, Tf32, Tf32, F32], "");
    check_mma((8, 8, 4), [F64, F64, F64, F64], "");
    check_mma((16, 8, 4), [F64, F64, F64, F64], "");
    check_mma((16, 8, 8), [F64, F64, F64, F64], "");
    check_mma((16, 8, 16), [F64, F64, F64, F64], "");
}

#[test]
fn mma_multiplies_integers() {
    use Type::*;
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
fn float_sums_are_rounded_after_each_product_in_the_order_of_k() {
    // 2^24 + 1 - 2^24 is 0 in f32 when added from left to right.
    let one = u32::from(f16::from_f32(1.0).to_bits());
    let big = u32::from(f16::from_f32(4096.0).to_bits());
    let minus = u32::from(f16::from_f32(-4096.0).to_bits());
    // A has 4096, 1, -4096, 0 along k and B has 4096, 1, 4096, 0.
    let body = format!(
        "and.b32 %r50, %r1, 3; mov.u32 %r10, 0; mov.u32 %r11, 0;
        setp.eq.u32 %p1, %r50, 0; setp.eq.u32 %p2, %r50, 1;
        @%p1 mov.u32 %r10, {}; @%p1 mov.u32 %r11, {};
        @%p2 mov.u32 %r10, {minus}; @%p2 mov.u32 %r11, {big};
        mov.f32 %f1, 0f3F000000;
        mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {{%f2, %f3, %f4, %f5}}, {{%r10, %r10}},
            {{%r11}}, {{%f1, %f1, %f1, 0f3F000000}};
        mov.b32 %r30, %f2; mov.b32 %r31, %f5;{}",
        one << 16 | big,
        one << 16 | big,
        store_lanes(30, 2)
    );
    let got = warp(&body, &[0], 64);
    let want = (((0.5f32 + 4096.0 * 4096.0) + 1.0) - 4096.0 * 4096.0).to_bits();
    assert!(got.iter().all(|word| *word == want), "{:?}", f32::from_bits(got[0]));
}

/// A whole matrix in memory, as words; `wide` rows or columns apart by `stride` elements.
fn in_memory(
    ty: Type,
    values: &[i64],
    (rows, columns): (usize, usize),
    by_rows: bool,
    stride: usize,
) -> Vec<u32> {
    let lines = if by_rows { rows } else { columns };
    let mut bytes = vec![0u8; (lines * stride * ty.bits() / 8).next_multiple_of(4)];
    for row in 0..rows {
        for column in 0..columns {
            let at = if by_rows { row * stride + column } else { column * stride + row };
            let (size, bits) = (ty.bits() / 8, ty.encode(values[row * columns + column]));
            bytes[at * size..][..size].copy_from_slice(&bits.to_le_bytes()[..size]);
        }
    }
    bytes.chunks(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect()
}

fn layout(by_rows: bool) -> &'static str {
    if by_rows { "row" } else { "col" }
}

/// Registers of a `wmma` fragment.
fn wmma_count(ty: Type, elements: usize, factor: bool) -> usize {
    if factor && ty == Type::F16 { 8 } else { (elements * ty.bits() / 32).div_ceil(32).max(1) }
}

fn check_wmma((m, n, k): (usize, usize, usize), [a, b, c]: [Type; 3], rows: [bool; 3]) {
    let mut state = (m * 31 + n * 7 + k) as u64 + a.bits() as u64;
    let left: Vec<i64> = (0..m * k).map(|_| a.small(&mut state)).collect();
    let right: Vec<i64> = (0..k * n).map(|_| b.small(&mut state)).collect();
    let plus: Vec<i64> = (0..m * n).map(|_| c.small(&mut state)).collect();
    let extents = [(m, k), (k, n), (m, n)];
    let strides: Vec<usize> = extents
        .iter()
        .zip(rows)
        .map(|((r, c), by_rows)| if by_rows { *c } else { *r } + 16)
        .collect();
    let types = [a, b, c];
    let mut input = Vec::new();
    let mut starts = Vec::new();
    for (part, values) in [&left, &right, &plus].into_iter().enumerate() {
        starts.push(input.len() * 4);
        input.extend(in_memory(types[part], values, extents[part], rows[part], strides[part]));
    }
    let sums: Vec<i64> = (0..m * n)
        .map(|i| {
            let products = (0..k).map(|at| left[i / n * k + at] * right[at * n + i % n]);
            plus[i] + products.sum::<i64>()
        })
        .collect();
    let wide = a == Type::F64;
    let prefix = if wide { "%rd" } else { "%r" };
    let list = |first: usize, count: usize| {
        let names: Vec<String> = (first..first + count).map(|i| format!("{prefix}{i}")).collect();
        format!("{{{}}}", names.join(", "))
    };
    let counts = [0, 1, 2].map(|part| {
        let elements = extents[part].0 * extents[part].1;
        if wide { elements / 32 } else { wmma_count(types[part], elements, part < 2) }
    });
    let shape = format!("m{m}n{n}k{k}");
    let mut text = String::new();
    for (part, name) in ["a", "b", "c"].into_iter().enumerate() {
        text += &format!(
            "wmma.load.{name}.sync.aligned.{}.{shape}.global.{} {}, [%rd1+{}], {};\n",
            layout(rows[part]),
            types[part].name(),
            list(20 + 10 * part, counts[part]),
            starts[part],
            strides[part]
        );
    }
    let names = match a {
        Type::F16 => format!("{0}.{0}", c.name()),
        Type::F64 => "rn.f64.f64.f64.f64".to_owned(),
        _ => format!("{}.{}.{}.{}", c.name(), a.name(), b.name(), c.name()),
    };
    let names = match names.strip_prefix("rn.") {
        Some(rest) => format!("{shape}.rn.{rest}"),
        None => format!("{shape}.{names}"),
    };
    text += &format!(
        "wmma.mma.sync.aligned.row.col.{names} {}, {}, {}, {};
        mov.u32 %r15, {};
        wmma.store.d.sync.aligned.{}.{shape}.global.{} [%rd2], {}, %r15;\n",
        list(50, counts[2]),
        list(20, counts[0]),
        list(30, counts[1]),
        list(40, counts[2]),
        strides[2],
        layout(rows[2]),
        c.name(),
        list(50, counts[2])
    );
    let want = in_memory(c, &sums, (m, n), rows[2], strides[2]);
    let got = warp(&text, &input, want.len());
    for (i, (got, want)) in got.iter().zip(&want).enumerate() {
        // What lies between the rows is not written.
        let between = *want == 0 && *got == 0xCDCD_CDCD;
        assert!(got == want || between, "{shape} {a:?} {rows:?} word {i}: {got:#x}, not {want:#x}");
    }
    assert!(got.iter().filter(|word| **word != 0xCDCD_CDCD).count() * 32 >= m * n * c.bits());
}

#[test]
fn wmma_loads_multiplies_and_stores() {
    use Type::*;
    for shape in [(16, 16, 16), (32, 8, 16), (8, 32, 16)] {
        for rows in [[true, false, true], [false, true, false], [true, true, true]] {
            check_wmma(shape, [F16, F16, F32], rows);
            check_wmma(shape, [F16, F16, F16], rows);
            check_wmma(shape, [Bf16, Bf16, F32], rows);
            check_wmma(shape, [S8, S8, S32], rows);
            check_wmma(shape, [U8, U8, S32], rows);
        }
    }
    check_wmma((16, 16, 8), [Tf32, Tf32, F32], [true, false, true]);
    check_wmma((8, 8, 4), [F64, F64, F64], [true, false, true]);
}

#[test]
fn forms_that_do_not_exist_are_refused_by_name() {
    for (text, why) in [
        (
            "mma.sync.aligned.m16n8k16.row.row.f32.f16.f16.f32 {%r1,%r2,%r3,%r4}, {%r1,%r2,%r3,%r4}, {%r1,%r2}, {%r1,%r2,%r3,%r4};",
            "layout",
        ),
        (
            "mma.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 {%r1,%r2,%r3,%r4}, {%r1,%r2,%r3,%r4}, {%r1,%r2}, {%r1,%r2,%r3,%r4};",
            "shape",
        ),
        (
            "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%r1,%r2,%r3,%r4}, {%r1,%r2,%r3}, {%r1}, {%r1,%r2,%r3,%r4};",
            "length",
        ),
        ("ldmatrix.sync.aligned.m8n8.x3.shared.b16 {%r1,%r2,%r3}, [%r1];", "x3"),
    ] {
        let text = kernel(&format!("{START} {text} ret;"));
        let error = common::load(&common::device(false), &text).expect_err("refused");
        assert!(error.message.contains(why), "{error}");
    }
}
