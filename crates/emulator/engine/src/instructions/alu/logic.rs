//! Handlers of bit operations.

use crate::instructions::alu::moves::shifted;
use crate::instructions::alu::operation::{
    Affine, AluOperation, affine, hot2, hot3, lanes3, mask, mixed2, mixed3, rare1, rare2, rare3,
    warm1, warm2,
};
use crate::machine::slot::{Scalar, both};
use lanework_ptx_ir::opcode::integer::{Integer, IntegerSize};
use lanework_ptx_ir::opcode::logic::{BitField, LogicOp, PermuteMode, Relation, VideoOp};
use lanework_ptx_ir::types::Width;

const NOT: Affine = affine(&|a: Scalar, _: Scalar, _: Scalar| {
    Some(Scalar { base: both(a.base, |b| !b), stride: a.stride.wrapping_neg(), unused: 0 })
});
const SHL32: Affine = affine(&|a: Scalar, b: Scalar, _: Scalar| shifted(a, b, 32));
const SHL64: Affine = affine(&|a: Scalar, b: Scalar, _: Scalar| shifted(a, b, 64));

/// The handlers of an opcode of this family.
pub fn handlers(op: LogicOp) -> &'static AluOperation {
    match op {
        LogicOp::And(Width::Predicate) => mask(|a, b| a & b),
        LogicOp::Or(Width::Predicate) => mask(|a, b| a | b),
        LogicOp::Xor(Width::Predicate) => mask(|a, b| a ^ b),
        LogicOp::And(Width::Word) => hot2(|a: u32, b: u32| a & b),
        LogicOp::Or(Width::Word) => hot2(|a: u32, b: u32| a | b),
        LogicOp::Xor(Width::Word) => hot2(|a: u32, b: u32| a ^ b),
        LogicOp::And(Width::Wide) => warm2(|a: u64, b: u64| a & b),
        LogicOp::Or(Width::Wide) => warm2(|a: u64, b: u64| a | b),
        LogicOp::Xor(Width::Wide) => warm2(|a: u64, b: u64| a ^ b),
        LogicOp::Not(Width::Predicate) => mask(|a, _| !a),
        LogicOp::Not(Width::Word) => with_affine!(warm1(|a: u32| !a), NOT),
        LogicOp::Not(Width::Wide) => with_affine!(warm1(|a: u64| !a), NOT),
        LogicOp::IsZero(ty) => by_integer!(ty, rare1, |a| if a == 0 { 1 } else { 0 }),
        LogicOp::IsNonzero => warm1(|a: u32| a != 0),
        LogicOp::Equal => rare2(|a: u32, b: u32| a == b),
        LogicOp::WideDiffer => rare2(|a: u64, b: u64| a != b),
        LogicOp::ShiftLeft(size) => shift_left(size),
        LogicOp::ShiftRight { size, signed } => shift_right(size, signed),
        LogicOp::Funnel { left: true, wrap: true } => {
            mixed3(|a: u32, b: u32, n: u32| left(a, b, n & 31))
        }
        LogicOp::Funnel { left: true, wrap: false } => {
            mixed3(|a: u32, b: u32, n: u32| left(a, b, n.min(32)))
        }
        LogicOp::Funnel { left: false, wrap: true } => {
            mixed3(|a: u32, b: u32, n: u32| right(a, b, n & 31))
        }
        LogicOp::Funnel { left: false, wrap: false } => {
            mixed3(|a: u32, b: u32, n: u32| right(a, b, n.min(32)))
        }
        LogicOp::CountOnes { wide: false } => warm1(|a: u32| a.count_ones()),
        LogicOp::CountOnes { wide: true } => warm1(|a: u64| a.count_ones()),
        LogicOp::LeadingZeros { wide: false } => warm1(|a: u32| a.leading_zeros()),
        LogicOp::LeadingZeros { wide: true } => warm1(|a: u64| a.leading_zeros()),
        LogicOp::Reverse { wide: false } => warm1(|a: u32| a.reverse_bits()),
        LogicOp::Reverse { wide: true } => warm1(|a: u64| a.reverse_bits()),
        LogicOp::FindHighest { wide, signed, shift } => find_highest(wide, signed, shift),
        LogicOp::FieldExtract { wide: false, signed: false } => {
            mixed3(|a: u32, p: u32, l: u32| extract_word(a, p, l, false))
        }
        LogicOp::FieldExtract { wide: false, signed: true } => {
            mixed3(|a: u32, p: u32, l: u32| extract_word(a, p, l, true))
        }
        LogicOp::FieldExtract { wide: true, signed: false } => {
            rare3(|a: u64, p: u32, l: u32| extract(a, p, l, 64, false))
        }
        LogicOp::FieldExtract { wide: true, signed: true } => {
            rare3(|a: u64, p: u32, l: u32| extract(a, p, l, 64, true))
        }
        LogicOp::FieldOf { wide: false } => warm2(|p: u32, l: u32| (p & 0xff) | (l & 0xff) << 8),
        LogicOp::FieldOf { wide: true } => rare2(|p: u32, l: u32| p.min(255) | l.min(255) << 8),
        LogicOp::FieldInsert { wide: false } => {
            mixed3(|a: u32, b: u32, f: u32| insert_word(a, b, f))
        }
        LogicOp::FieldInsert { wide: true } => rare3(|a: u64, b: u64, f: u32| insert(a, b, f, 64)),
        LogicOp::Mask { wrap: true } => rare2(|a: u32, b: u32| {
            let ones = (1u64 << (b & 31)) - 1;
            (ones << (a & 31)) as u32
        }),
        LogicOp::Mask { wrap: false } => rare2(|a: u32, b: u32| {
            let ones = (1u64 << b.min(32)) - 1;
            if a > 31 { 0 } else { (ones << a) as u32 }
        }),
        LogicOp::Extend { signed: false, wrap: true } => {
            rare2(|a: u32, b: u32| extend(a, b & 31, false))
        }
        LogicOp::Extend { signed: false, wrap: false } => {
            rare2(|a: u32, b: u32| extend(a, b, false))
        }
        LogicOp::Extend { signed: true, wrap: true } => {
            rare2(|a: u32, b: u32| extend(a, b & 31, true))
        }
        LogicOp::Extend { signed: true, wrap: false } => rare2(|a: u32, b: u32| extend(a, b, true)),
        LogicOp::FindNth => rare3(|m: u32, b: u32, o: i32| find_nth(m, b, o)),
        LogicOp::Permute(mode) => permute(mode),
        LogicOp::Lookup => hot3(|b: u32, c: u32, t: u32| {
            let term = |i: u32, x: u32| (t >> i & 1).wrapping_neg() & x;
            term(0, !b & !c) | term(1, !b & c) | term(2, b & !c) | term(3, b & c)
        }),
        LogicOp::Select => hot3(|a: u32, x: u32, y: u32| (a & x) | (!a & y)),
    }
}

fn shift_left(size: IntegerSize) -> &'static AluOperation {
    match size {
        IntegerSize::Half => rare2(|a: u16, n: u32| a.checked_shl(n).unwrap_or(0)),
        IntegerSize::Word => {
            with_affine!(hot2(|a: u32, n: u32| if n > 31 { 0 } else { a << (n & 31) }), SHL32)
        }
        IntegerSize::Wide => {
            with_affine!(mixed2(|a: u64, n: u32| if n > 63 { 0 } else { a << (n & 63) }), SHL64)
        }
    }
}

fn shift_right(size: IntegerSize, signed: bool) -> &'static AluOperation {
    match (size, signed) {
        (IntegerSize::Half, false) => rare2(|a: u16, n: u32| a.checked_shr(n).unwrap_or(0)),
        (IntegerSize::Half, true) => rare2(|a: i16, n: u32| a >> n.min(15)),
        (IntegerSize::Word, false) => hot2(|a: u32, n: u32| if n > 31 { 0 } else { a >> (n & 31) }),
        (IntegerSize::Word, true) => hot2(|a: i32, n: u32| a >> n.min(31)),
        (IntegerSize::Wide, false) => {
            mixed2(|a: u64, n: u32| if n > 63 { 0 } else { a >> (n & 63) })
        }
        (IntegerSize::Wide, true) => mixed2(|a: i64, n: u32| a >> n.min(63)),
    }
}

#[inline(always)]
pub(super) fn left(a: u32, b: u32, n: u32) -> u32 {
    let low = if n == 0 { 0 } else { a >> ((32 - n) & 31) };
    if n > 31 { a } else { b << (n & 31) | low }
}

#[inline(always)]
pub(super) fn right(a: u32, b: u32, n: u32) -> u32 {
    let high = if n == 0 { 0 } else { b << ((32 - n) & 31) };
    if n > 31 { b } else { a >> (n & 31) | high }
}

fn find_highest(wide: bool, signed: bool, shift: bool) -> &'static AluOperation {
    fn find(bits: u64, width: u32, shift: bool) -> u32 {
        match bits {
            0 => u32::MAX,
            _ if shift => bits.leading_zeros() - (64 - width),
            _ => 63 - bits.leading_zeros(),
        }
    }
    match (wide, signed, shift) {
        (false, false, false) => warm1(|a: u32| 31u32.wrapping_sub(a.leading_zeros())),
        (false, false, true) => warm1(|a: u32| if a == 0 { u32::MAX } else { a.leading_zeros() }),
        (false, true, false) => rare1(|a: i32| find(u64::from((a ^ (a >> 31)) as u32), 32, false)),
        (false, true, true) => rare1(|a: i32| find(u64::from((a ^ (a >> 31)) as u32), 32, true)),
        (true, false, false) => rare1(|a: u64| find(a, 64, false)),
        (true, false, true) => rare1(|a: u64| find(a, 64, true)),
        (true, true, false) => rare1(|a: i64| find((a ^ (a >> 63)) as u64, 64, false)),
        (true, true, true) => rare1(|a: i64| find((a ^ (a >> 63)) as u64, 64, true)),
    }
}

/// Position and length: for 32 bits the low byte of each operand counts, for 64 bits the operand clamped to 255.
fn field(pos: u32, len: u32, width: u32) -> (u32, u32) {
    if width == 32 { (pos & 0xff, len & 0xff) } else { (pos.min(255), len.min(255)) }
}

pub(super) fn extract(a: u64, pos: u32, len: u32, width: u32, signed: bool) -> u64 {
    let (pos, len) = field(pos, len, width);
    let msb = width - 1;
    if len == 0 {
        return 0;
    }
    let sign = signed && a >> (pos + len - 1).min(msb) & 1 != 0;
    let field = if pos > msb { 0 } else { a >> pos };
    let kept = if len >= 64 { field } else { field & ((1 << len) - 1) };
    let have = (width.saturating_sub(pos)).min(len);
    if sign && have < 64 { kept | u64::MAX << have } else { kept }
}

/// A field of a word, without branches.
#[inline(always)]
pub(super) fn extract_word(a: u32, pos: u32, len: u32, signed: bool) -> u32 {
    let (pos, len) = (pos & 0xff, len & 0xff);
    let field = if pos > 31 { 0 } else { a >> (pos & 31) };
    let kept = if len > 31 { field } else { field & ((1 << (len & 31)) - 1) };
    if !signed {
        return kept;
    }
    // The sign is the last bit of the field; the word's sign if the field ends outside.
    let last = (pos + len).wrapping_sub(1).min(31);
    let have = 32u32.saturating_sub(pos).min(len);
    let above = if have > 31 { 0 } else { u32::MAX << (have & 31) };
    let sign = (a >> (last & 31) & 1).wrapping_neg();
    if len == 0 { 0 } else { kept | sign & above }
}

/// `b` with a field replaced by the low bits of `a`, without branches.
#[inline(always)]
pub(super) fn insert_word(a: u32, b: u32, field: u32) -> u32 {
    let (pos, len) = (field & 0xff, field >> 8 & 0xff);
    let ones = if len > 31 { u32::MAX } else { (1 << (len & 31)) - 1 };
    let shift = pos & 31;
    let mask = if pos > 31 { 0 } else { ones << shift };
    b & !mask | a << shift & mask
}

pub(super) fn insert(a: u64, b: u64, field: u32, width: u32) -> u64 {
    let (pos, len) = (field & 0xff, field >> 8 & 0xff);
    if pos >= width || len == 0 {
        return b;
    }
    let ones = if len >= 64 { u64::MAX } else { (1 << len) - 1 };
    let mask = ones << pos;
    (b & !mask) | (a << pos & mask)
}

fn extend(a: u32, bits: u32, signed: bool) -> u32 {
    match (bits, signed) {
        (0, _) => 0,
        (32.., _) => a,
        (_, false) => a & ((1 << bits) - 1),
        (_, true) => (((a << (32 - bits)) as i32) >> (32 - bits)) as u32,
    }
}

fn find_nth(mask: u32, base: u32, offset: i32) -> u32 {
    if base > 31 {
        return u32::MAX;
    }
    let step: i32 = if offset < 0 { -1 } else { 1 };
    let mut left = if offset == 0 { 1 } else { offset.unsigned_abs() };
    let mut at = base as i32;
    while (0..32).contains(&at) {
        if mask >> at & 1 != 0 {
            left -= 1;
            if left == 0 {
                return at as u32;
            }
        }
        if offset == 0 {
            break;
        }
        at += step;
    }
    u32::MAX
}

/// Four bytes of the eight in each `b:a`; the selectors are below 8.
///
/// # Safety
/// The host has AVX2.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn pick_bytes(a: &[u32; 32], b: &[u32; 32], selectors: [u32; 4]) -> [u32; 32] {
    use std::arch::x86_64::{
        _mm256_add_epi8, _mm256_loadu_si256, _mm256_or_si256, _mm256_set1_epi32, _mm256_setr_epi32,
        _mm256_shuffle_epi8, _mm256_storeu_si256,
    };
    // A control byte of 0x80 or more gives 0.
    let control = |of_b: bool| {
        let byte = |s: u32| if (s > 3) == of_b { s & 3 } else { 0x80 };
        let [one, two, three, four] = selectors;
        (byte(one) | byte(two) << 8 | byte(three) << 16 | byte(four) << 24) as i32
    };
    let (of_a, of_b) = (control(false), control(true));
    let mut out = [0; 32];
    // SAFETY: the host has AVX2, as this function requires; the words `8 * i` to `8 * i + 7` are in their arrays.
    unsafe {
        const SECOND: i32 = 0x0404_0404;
        // Words within 128 bits.
        let word =
            _mm256_setr_epi32(0, SECOND, 2 * SECOND, 3 * SECOND, 0, SECOND, 2 * SECOND, 3 * SECOND);
        let of_a = _mm256_add_epi8(_mm256_set1_epi32(of_a), word);
        let of_b = _mm256_add_epi8(_mm256_set1_epi32(of_b), word);
        for i in 0..4 {
            let a = _mm256_loadu_si256(a.as_ptr().add(8 * i).cast());
            let b = _mm256_loadu_si256(b.as_ptr().add(8 * i).cast());
            let bytes = _mm256_or_si256(_mm256_shuffle_epi8(a, of_a), _mm256_shuffle_epi8(b, of_b));
            _mm256_storeu_si256(out.as_mut_ptr().add(8 * i).cast(), bytes);
        }
    }
    out
}

fn permute(mode: PermuteMode) -> &'static AluOperation {
    #[inline(always)]
    fn pick(a: u32, b: u32, selector: u32) -> u32 {
        let byte = (if selector & 4 != 0 { b } else { a } >> (8 * (selector & 3))) as u8;
        let sign = (byte as i8 >> 7) as u8;
        u32::from(if selector & 8 != 0 { sign } else { byte })
    }
    #[inline(always)]
    fn four(a: u32, b: u32, selectors: [u32; 4]) -> u32 {
        (0..4).fold(0, |word, i| word | pick(a, b, selectors[i]) << (8 * i))
    }
    match mode {
        PermuteMode::Selectors => lanes3(
            |a: u32, b: u32, c: u32| four(a, b, [0, 4, 8, 12].map(|i| c >> i & 15)),
            |a: &[u32; 32], b: &[u32; 32], c: &[u32; 32]| {
                let mut out = [0; 32];
                let mut differ = 0;
                for i in 0..32 {
                    differ |= c[i] ^ c[0];
                }
                // Mostly, all lanes have the same selectors.
                if differ == 0 {
                    let selectors = [0, 4, 8, 12].map(|i| c[0] >> i & 15);
                    // Without sign bits, a table lookup by bytes.
                    #[cfg(target_arch = "x86_64")]
                    if c[0] & 0x8888 == 0 {
                        // SAFETY: only the handlers of the AVX2 level call this function (`Tiers::large`).
                        return unsafe { pick_bytes(a, b, selectors) };
                    }
                    for i in 0..32 {
                        out[i] = four(a[i], b[i], selectors);
                    }
                } else {
                    for i in 0..32 {
                        out[i] = four(a[i], b[i], [0, 4, 8, 12].map(|at| c[i] >> at & 15));
                    }
                }
                out
            },
        ),
        PermuteMode::Forward => {
            rare3(|a: u32, b: u32, c: u32| four(a, b, [0, 1, 2, 3].map(|i| (i + (c & 3)) & 7)))
        }
        PermuteMode::Backward => {
            rare3(|a: u32, b: u32, c: u32| four(a, b, [0, 7, 6, 5].map(|i| (i + (c & 3)) & 7)))
        }
        PermuteMode::Replicate8 => rare3(|a: u32, b: u32, c: u32| four(a, b, [c & 3; 4])),
        PermuteMode::ClampLeft => {
            rare3(|a: u32, b: u32, c: u32| four(a, b, [0, 1, 2, 3].map(|i: u32| i.max(c & 3))))
        }
        PermuteMode::ClampRight => {
            rare3(|a: u32, b: u32, c: u32| four(a, b, [0, 1, 2, 3].map(|i: u32| i.min(c & 3))))
        }
        PermuteMode::Replicate16 => rare3(|a: u32, b: u32, c: u32| {
            let h = 2 * (c & 1);
            four(a, b, [h, h + 1, h, h + 1])
        }),
    }
}

/// The handlers of an opcode of this family.
pub fn video_handlers(op: VideoOp) -> &'static AluOperation {
    match op {
        VideoOp::Pick { wide: false } => rare2(|a: u32, field: u32| pick(u64::from(a), field)),
        VideoOp::Pick { wide: true } => rare2(|a: u64, field: u32| pick(a, field)),
        VideoOp::Add => rare2(|a: i64, b: i64| a + b),
        VideoOp::Subtract => rare2(|a: i64, b: i64| a - b),
        VideoOp::AbsoluteDifference => rare2(|a: i64, b: i64| (a - b).abs()),
        VideoOp::Min => rare2(|a: i64, b: i64| a.min(b)),
        VideoOp::Max => rare2(|a: i64, b: i64| a.max(b)),
        VideoOp::Average => rare2(|a: i64, b: i64| (a + b + i64::from(a + b >= 0)) >> 1),
        VideoOp::ShiftLeft { wrap: true } => rare2(|a: i64, b: i64| a << (b & 31)),
        VideoOp::ShiftLeft { wrap: false } => {
            rare2(|a: i64, b: i64| ((i128::from(a)) << b.min(32)) as i64)
        }
        VideoOp::ShiftRight { wrap: true } => rare2(|a: i64, b: i64| a >> (b & 31)),
        VideoOp::ShiftRight { wrap: false } => rare2(|a: i64, b: i64| a >> b.min(32)),
        VideoOp::Set(relation) => match relation {
            Relation::Equal => rare2(|a: i64, b: i64| i64::from(a == b)),
            Relation::NotEqual => rare2(|a: i64, b: i64| i64::from(a != b)),
            Relation::Less => rare2(|a: i64, b: i64| i64::from(a < b)),
            Relation::LessEqual => rare2(|a: i64, b: i64| i64::from(a <= b)),
            Relation::Greater => rare2(|a: i64, b: i64| i64::from(a > b)),
            Relation::GreaterEqual => rare2(|a: i64, b: i64| i64::from(a >= b)),
        },
        VideoOp::Clamp => rare2(|a: i64, field: u32| clamp(a, field)),
        VideoOp::Merge => rare3(|value: u64, c: u32, field: u32| merge(value, c, field)),
        VideoOp::MultiplyAdd { plus_one: false } => {
            rare3(|a: u64, b: u64, c: u64| a.wrapping_mul(b).wrapping_add(c))
        }
        VideoOp::MultiplyAdd { plus_one: true } => {
            rare3(|a: u64, b: u64, c: u64| a.wrapping_mul(b).wrapping_add(c).wrapping_add(1))
        }
        VideoOp::ScaleDown { signed: true, saturate: true } => {
            rare2(|a: i64, n: u32| (a >> n).clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as u32)
        }
        VideoOp::ScaleDown { signed: true, saturate: false } => {
            rare2(|a: i64, n: u32| (a >> n) as u32)
        }
        VideoOp::ScaleDown { signed: false, saturate: true } => {
            rare2(|a: u64, n: u32| (a >> n).min(0xffff_ffff) as u32)
        }
        VideoOp::ScaleDown { signed: false, saturate: false } => {
            rare2(|a: u64, n: u32| (a >> n) as u32)
        }
    }
}

/// A field of 64 bits, extended by its sign or not.
fn pick(word: u64, field: u32) -> i64 {
    let BitField { shift, bits, signed } = BitField::decode(field);
    let value = (word >> shift) << (64 - bits);
    if signed { value as i64 >> (64 - bits) } else { (value >> (64 - bits)) as i64 }
}

fn clamp(a: i64, field: u32) -> i64 {
    let BitField { bits, signed, .. } = BitField::decode(field);
    let (low, high) = match signed {
        true => (-(1i64 << (bits - 1)), (1i64 << (bits - 1)) - 1),
        false => (0, (1i64 << bits) - 1),
    };
    a.clamp(low, high)
}

/// `c` with a field replaced by the low bits of a value.
fn merge(value: u64, c: u32, field: u32) -> u32 {
    let BitField { shift, bits, .. } = BitField::decode(field);
    let mask = (u64::MAX >> (64 - bits)) << shift;
    (u64::from(c) & !mask | value << shift & mask) as u32
}
