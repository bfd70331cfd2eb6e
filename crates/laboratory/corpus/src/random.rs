//! Seeded inputs, identical on every host: SplitMix64 (Steele, Lea and Flood 2014) as a
//! counter-based generator.

/// 64 pseudorandom bits that depend on the seed and the index only.
pub fn bits(seed: u64, index: usize) -> u64 {
    let mut z = seed.wrapping_mul(0xA076_1D64_78BD_642F) ^ index as u64;
    z = z.wrapping_add(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// `n` values made of 64 random bits each.
pub fn many<T>(seed: u64, n: usize, make: impl Fn(u64) -> T) -> Vec<T> {
    (0..n).map(|i| make(bits(seed, i))).collect()
}

/// Integers from `low` to `high`, both included.
pub fn ints(seed: u64, n: usize, low: i32, high: i32) -> Vec<i32> {
    let span = (i64::from(high) - i64::from(low) + 1) as u64;
    many(seed, n, |r| (i64::from(low) + (r % span) as i64) as i32)
}

/// 32 random bits each.
pub fn words(seed: u64, n: usize) -> Vec<u32> {
    many(seed, n, |r| (r >> 32) as u32)
}

/// Random bytes.
pub fn bytes(seed: u64, n: usize) -> Vec<u8> {
    many(seed, n, |r| (r >> 56) as u8)
}

/// Floats in -1..1, multiples of 2^-23.
pub fn floats(seed: u64, n: usize) -> Vec<f32> {
    many(seed, n, |r| (r >> 40) as f32 / 8_388_608.0 - 1.0)
}

/// Doubles in -1..1.
pub fn doubles(seed: u64, n: usize) -> Vec<f64> {
    many(seed, n, |r| (r >> 11) as f64 / (1u64 << 52) as f64 - 1.0)
}

/// Floats that are integers from `-most` to `most`: sums of a few products of them are exact.
pub fn integer_floats(seed: u64, n: usize, most: i32) -> Vec<f32> {
    ints(seed, n, -most, most).into_iter().map(|i| i as f32).collect()
}
