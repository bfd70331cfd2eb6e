//! The points and pairs at which functions are tried.

/// The `i`-th point of `f64`.
pub fn points(i: u64) -> f64 {
    let bits = mixed(i);
    if i.is_multiple_of(2) {
        return f64::from_bits(bits);
    }
    // Exponents from 2^-20 to 2^10, about evenly.
    let exponent = 1003 + mixed(!i) % 31;
    f64::from_bits(bits & 0x800f_ffff_ffff_ffff | exponent << 52)
}

/// The `i`-th pair of `f32`: any bits, of like magnitude, one near 1 and one of any size, one a multiple of 1/2.
pub fn pair_single(i: u64) -> (f32, f32) {
    let (a, b) = (mixed(i) as u32, mixed(!i) as u32);
    let sized = |bits: u32, range: u32| {
        f32::from_bits(bits & 0x807f_ffff | (127 - range / 2 + (bits >> 5) % range) << 23)
    };
    match i % 4 {
        0 => (f32::from_bits(a), f32::from_bits(b)),
        1 => (sized(a, 40), sized(b, 40)),
        2 => (f32::from_bits(0x3f00_0000 + (a & 0x00ff_ffff)), sized(b, 60)),
        _ => (f32::from_bits(a), (b as i32 % 1000) as f32 * 0.5),
    }
}

/// The `i`-th pair of `f64`, as [`pair_single`].
pub fn pair_double(i: u64) -> (f64, f64) {
    let (a, b) = (mixed(i), mixed(!i));
    let sized = |bits: u64, range: u64| {
        f64::from_bits(
            bits & 0x800f_ffff_ffff_ffff | (1023 - range / 2 + (bits >> 5) % range) << 52,
        )
    };
    match i % 4 {
        0 => (f64::from_bits(a), f64::from_bits(b)),
        1 => (sized(a, 40), sized(b, 40)),
        2 => (f64::from_bits(0x3fe0_0000_0000_0000 + (a & 0x001f_ffff_ffff_ffff)), sized(b, 120)),
        _ => (f64::from_bits(a), (b as i64 % 1000) as f64 * 0.5),
    }
}

/// The `i`-th pair of an `f32` and an integer from -64 to 64 whose power neither overflows nor becomes subnormal.
pub fn power_single(i: u64) -> (f32, f32) {
    let (a, b) = (mixed(i) as u32, mixed(!i));
    let n = (b % 129) as i32 - 64;
    let range = 119 / n.abs().max(1);
    let exponent = (b >> 32) as i32 as i64 % i64::from(range);
    (f32::from_bits(a & 0x807f_ffff | ((127 + exponent) as u32) << 23), n as f32)
}

/// The `i`-th pair of `f64`, as [`power_single`].
pub fn power_double(i: u64) -> (f64, f64) {
    let (a, b) = (mixed(i), mixed(!i));
    let n = (b % 129) as i32 - 64;
    let range = 1000 / n.abs().max(1);
    let exponent = (b >> 32) as i32 as i64 % i64::from(range);
    (f64::from_bits(a & 0x800f_ffff_ffff_ffff | ((1023 + exponent) as u64) << 52), n.into())
}

/// A number of 64 mixed bits (splitmix64).
fn mixed(i: u64) -> u64 {
    let x = i.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ x >> 31
}
