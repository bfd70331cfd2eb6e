//! `integers.cu`: bits, arithmetic, numbers of many words.

use crate::Case;
use crate::case::{args, many, words};

const UNIT: &str = "integers";

pub fn cases() -> Vec<Case> {
    vec![bits(), arithmetic(), big_numbers(), primes(), collatz()]
}

/// Random words of every magnitude.
fn uneven(seed: u64, n: usize) -> Vec<u64> {
    many(seed, n, |r| r >> (r & 63))
}

fn bytes_of(x: u32) -> [u8; 4] {
    x.to_le_bytes()
}

fn per_byte(x: u32, y: u32, f: impl Fn(u8, u8) -> u8) -> u32 {
    let (x, y) = (bytes_of(x), bytes_of(y));
    u32::from_le_bytes(std::array::from_fn(|i| f(x[i], y[i])))
}

fn per_half(x: u32, y: u32, f: impl Fn(u16, u16) -> u16) -> u32 {
    u32::from(f(x as u16, y as u16)) | u32::from(f((x >> 16) as u16, (y >> 16) as u16)) << 16
}

fn permuted(x: u32, y: u32, selector: u32) -> u32 {
    let pool = (u64::from(y) << 32 | u64::from(x)).to_le_bytes();
    u32::from_le_bytes(std::array::from_fn(|i| pool[(selector >> (4 * i) & 7) as usize]))
}

/// The place of the `nth` set bit from `base` on, or all ones.
fn nth_set(x: u32, base: u32, nth: u32) -> u32 {
    (base..32).filter(|bit| x >> bit & 1 == 1).nth(nth as usize - 1).unwrap_or(u32::MAX)
}

fn bits() -> Case {
    let x: Vec<u32> = uneven(1, 128).iter().map(|&v| v as u32).collect();
    let wide = uneven(2, 128);
    let (mut out, mut out64) = (Vec::new(), Vec::new());
    for i in 0..128 {
        let (x, y) = (x[i], x[i ^ 1]);
        let pair = u64::from(y) << 32 | u64::from(x);
        let first = |v: u64| if v == 0 { 0 } else { v.trailing_zeros() + 1 };
        out.extend([x.count_ones(), x.leading_zeros(), x.reverse_bits(), first(u64::from(x))]);
        out.push(permuted(x, y, 0x5410 ^ (y & 0x7777)));
        out.push((pair << (y & 31) >> 32) as u32);
        out.push((pair >> (y & 63).min(32)) as u32);
        out.push(x.rotate_left(y & 31));
        out.push(nth_set(x, y & 31, (y >> 5 & 3) + 1));
        out.push(x & x.wrapping_neg());
        out.push((x & 0xff00) >> 8 | (((x as i32) >> 31) << 8) as u32);
        out.push(u32::from(!f32::from_bits(x).is_nan()));
        out.push(((x << 12) as i32 >> 20) as u32);
        out.push(x >> 3 & 0x3ff);
        out.push(x & 0xffff_ff00 | y & 0xff);
        out.push((x & y) ^ (!x & 0x0f0f_0f0f) ^ (x | y));
        let (a, b) = (wide[i], wide[i ^ 1]);
        out64.extend([u64::from(a.count_ones()), u64::from(a.leading_zeros()), a.reverse_bits()]);
        out64.extend([u64::from(first(a)), a.rotate_left((b & 63) as u32)]);
    }
    Case::new(UNIT, "bits")
        .with("in", &x)
        .with("wide", &wide)
        .with("out", &vec![0u32; out.len()])
        .with("out64", &vec![0u64; out64.len()])
        .run("bits", 2, 64, args!["in", "wide", "out", "out64"])
        .expects("out", &out)
        .expects("out64", &out64)
}

fn arithmetic() -> Case {
    let x: Vec<i32> = uneven(3, 128).iter().map(|&v| v as i32).collect();
    let wide: Vec<i64> = uneven(4, 128).iter().map(|&v| v as i64).collect();
    let (mut out, mut packed) = (Vec::new(), Vec::new());
    for i in 0..128 {
        integers_of(x[i], x[i ^ 1] | 1, wide[i], wide[i ^ 1] | 1, &mut out);
        packed.extend(packed_of(x[i], x[i ^ 1] | 1));
    }
    Case::new(UNIT, "arithmetic")
        .with("in", &x)
        .with("wide", &wide)
        .with("out", &vec![0i64; out.len()])
        .with("packed", &vec![0u32; packed.len()])
        .run("arithmetic", 2, 64, args!["in", "wide", "out", "packed"])
        .expects("out", &out)
        .expects("packed", &packed)
}

fn integers_of(x: i32, y: i32, a: i64, b: i64, out: &mut Vec<i64>) {
    let (ux, uy, ua, ub) = (x as u32, y as u32, a as u64, (b >> 20 | 1) as u64);
    let (sx, sy) = (i64::from(x), i64::from(y));
    let low = |v: i32| (v << 8 >> 8) as i64;
    out.extend([i64::from(x.wrapping_div(y)), i64::from(x.wrapping_rem(y))]);
    out.extend([i64::from(ux / (uy >> 9 | 1)), i64::from(ux % (uy >> 9 | 1))]);
    out.extend([a.wrapping_div(b), a.wrapping_rem(b), (ua / ub) as i64, (ua % ub) as i64]);
    out.extend([sx * sy >> 32, (u64::from(ux) * u64::from(uy) >> 32) as i64]);
    out.push((i128::from(a) * i128::from(b) >> 64) as i64);
    out.push((u128::from(ua) * u128::from(ub) >> 64) as i64);
    out.push(sx * sy);
    out.push(i64::from((low(x) * low(y)) as i32));
    out.push(i64::from(x.abs_diff(y).wrapping_add(ux)));
    out.push(i64::from(((sx + sy) >> 1) as i32 ^ ((sx + sy + 1) >> 1) as i32));
    out.push(i64::from(x.min(y) as u32 ^ ux.max(uy)));
    out.push(i64::from(x.wrapping_abs()).wrapping_add((a >> 1).wrapping_abs()));
    let product = i128::from(a) * i128::from(b);
    let sum = product.wrapping_add(i128::from(x) << 64).wrapping_sub(i128::from(b));
    out.extend([(sum >> 64) as i64, sum as i64]);
    let parts = (x / 7).wrapping_add(x % 10).wrapping_add((ux / 1_000_003) as i32);
    out.extend([i64::from(parts), a / 1_000_000_007]);
    let short = i32::from(x as i16) * i32::from(y as i8) + i32::from(x as u16) / 3;
    out.push(i64::from(short));
    out.push(if x >= 0 { i64::from(x << 3) } else { -(-sx >> 2) });
}

fn packed_of(x: i32, y: i32) -> [u32; 12] {
    let (ux, uy) = (x as u32, y as u32);
    let distance = |a: u8, b: u8| a.abs_diff(b);
    let distances: u32 =
        (0..4).map(|i| u32::from(distance(bytes_of(ux)[i], bytes_of(uy)[i]))).sum();
    let dot = |f: &dyn Fn(usize) -> i64, from: i64| (0..4).map(f).sum::<i64>() + from;
    let (bx, by) = (bytes_of(ux), bytes_of(uy));
    let signed = |b: u8| i64::from(b as i8);
    let half = |v: u32, i: usize| i64::from((v >> (16 * i)) as i16);
    let uhalf = |v: u32, i: usize| i64::from((v >> (16 * i)) as u16);
    [
        per_byte(ux, uy, u8::wrapping_add),
        per_half(ux, uy, u16::wrapping_sub),
        per_byte(ux, uy, |a, b| (a as i8).max(b as i8) as u8),
        per_byte(ux, uy, distance),
        per_half(ux, uy, |a, b| if a > b { 0xffff } else { 0 }),
        per_byte(ux, uy, |a, b| (u16::from(a) + u16::from(b)).div_ceil(2) as u8),
        distances,
        per_half(ux, uy, |a, b| (a as i16).saturating_add(b as i16) as u16),
        dot(&|i| i64::from(bx[i]) * i64::from(by[i]), 5) as u32,
        dot(&|i| signed(bx[i]) * signed(by[i]), -5) as u32,
        (half(ux, 0) * signed(by[0]) + half(ux, 1) * signed(by[1]) + 9) as u32,
        (uhalf(ux, 0) * i64::from(by[2]) + uhalf(ux, 1) * i64::from(by[3]) + 9) as u32,
    ]
}

fn big_numbers() -> Case {
    let x = words(5, 32 * 16);
    let (mut sums, mut products) = (Vec::new(), Vec::new());
    for pair in x.chunks(16) {
        let (a, b) = pair.split_at(8);
        let mut carry = 0u64;
        for (a, b) in a.iter().zip(b) {
            carry += u64::from(*a) + u64::from(*b);
            sums.push(carry as u32);
            carry >>= 32;
        }
        let mut product = [0u32; 16];
        for (k, a) in a.iter().enumerate() {
            let mut carry = 0u64;
            for (j, b) in b.iter().enumerate() {
                carry += u64::from(*a) * u64::from(*b) + u64::from(product[k + j]);
                product[k + j] = carry as u32;
                carry >>= 32;
            }
            product[k + 8] = carry as u32;
        }
        products.extend(product);
    }
    Case::new(UNIT, "numbers of 256 bits")
        .with("in", &x)
        .with("sum", &vec![0u32; sums.len()])
        .with("product", &vec![0u32; products.len()])
        .run("big_numbers", 1, 32, args!["in", "sum", "product"])
        .expects("sum", &sums)
        .expects("product", &products)
}

fn primes() -> Case {
    let mut x: Vec<u32> = (0..100).collect();
    x.extend([561, 1105, 2047, 3_215_031_751, 4_294_967_291, 65_537, 3_825_123_057]);
    let prime = |&v: &u32| {
        let divides = |d: &u64| u64::from(v).is_multiple_of(*d);
        u8::from(v > 1 && !(2..).take_while(|d| d * d <= u64::from(v)).any(|d| divides(&d)))
    };
    Case::new(UNIT, "primes")
        .with("in", &x)
        .with("prime", &vec![9u8; x.len()])
        .run("primes", 2, 64, args!["in", "prime", x.len() as i32])
        .expects("prime", &x.iter().map(prime).collect::<Vec<_>>())
}

fn collatz() -> Case {
    let steps = |mut x: u64| {
        let mut n = 0u32;
        while x != 1 {
            x = if x % 2 == 1 { 3 * x + 1 } else { x / 2 };
            n += 1;
        }
        n
    };
    let first = 1_000_000_007u64;
    Case::new(UNIT, "Collatz")
        .with("steps", &[0u32; 64])
        .run("collatz", 2, 32, args![first, "steps"])
        .expects("steps", &(first..first + 64).map(steps).collect::<Vec<_>>())
}
