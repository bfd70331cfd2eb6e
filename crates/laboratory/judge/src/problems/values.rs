//! Draws numbers of a kind. The same seed gives the same numbers.

use crate::task::{Element, Values};
use rand::{Rng, RngCore, SeedableRng, rngs::StdRng, seq::SliceRandom};

/// One in this many numbers is special, for kinds with some special numbers.
const SOME: usize = 64;
/// Bits of the wide integers: one more than fp16 and TF32 hold, so that rounding inputs to them shows.
const WIDE_BITS: u32 = 12;
/// Maximum average number of nonzero terms in a sum of integers, which keeps sums exact.
const TERMS: f64 = 512.0;
/// Seed of the numbers to permute.
const PERMUTED: u64 = 0x7065_726d;

/// Parameters of one drawn array.
#[derive(Clone, Copy, Debug)]
pub struct Request {
    /// The kind of numbers.
    pub kind: Values,
    /// Number of elements.
    pub count: usize,
    /// The largest extent of the problem: the maximum number of terms in a sum.
    pub longest: u64,
    /// Whether this array has the wide integers, if several arrays have integers.
    pub wide: bool,
    /// Whether this array has the special numbers of its kind.
    pub special: bool,
    /// The integers allowed (half-open range).
    pub range: Option<(i128, i128)>,
}

/// The bytes of an array.
pub fn draw(element: Element, request: &Request, random: &mut StdRng) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(request.count * element.bytes());
    if element.is_float() {
        for value in floats(element, request, random) {
            element.put(value, &mut bytes);
        }
        return bytes;
    }
    for value in integers(element, request, random) {
        element.put_integer(value, &mut bytes);
    }
    bytes
}

fn floats(element: Element, request: &Request, random: &mut StdRng) -> Vec<f64> {
    let Request { kind, count, .. } = *request;
    let uniform = |random: &mut StdRng| random.random_range(-1.0..1.0);
    let mut numbers: Vec<f64> = match kind {
        Values::Permuted => {
            let mut fixed = StdRng::seed_from_u64(PERMUTED);
            let mut numbers: Vec<f64> = (0..count).map(|_| uniform(&mut fixed)).collect();
            numbers.shuffle(random);
            numbers
        }
        Values::Integers => return exact(element, request, random),
        Values::Zeros => return vec![0.0; count],
        Values::Constant => return vec![uniform(random) * 4.0; count],
        Values::Sparse => {
            let mut numbers = vec![0.0; count];
            for _ in 0..if count > 0 { random.random_range(1..=8) } else { 0 } {
                numbers[random.random_range(0..count)] = uniform(random) * 8.0;
            }
            // Loops tend to miss the first and the last element.
            if let Some(last) = numbers.last_mut() {
                *last = uniform(random) * 8.0;
            }
            numbers
        }
        _ => (0..count).map(|_| one(element, kind, random)).collect(),
    };
    let special: &[f64] = match kind {
        Values::Nan => &[f64::NAN],
        Values::Inf => &[f64::INFINITY, f64::NEG_INFINITY],
        _ => &[],
    };
    if request.special && !special.is_empty() && count > 0 {
        // 0 times these is NaN, which exposes kernels that skip zeros.
        for _ in 0..count / 8 {
            numbers[random.random_range(0..count)] = 0.0;
        }
        for _ in 0..count.div_ceil(SOME) {
            numbers[random.random_range(0..count)] = special[random.random_range(0..special.len())];
        }
    }
    numbers
}

fn one(element: Element, kind: Values, random: &mut StdRng) -> f64 {
    let sign = if random.random::<bool>() { 1.0 } else { -1.0 };
    match kind {
        Values::Normal => {
            // Box-Muller transform.
            let (radius, angle): (f64, f64) = (random.random_range(1e-12..1.0), random.random());
            (-2.0 * f64::ln(radius)).sqrt() * (std::f64::consts::TAU * angle).cos()
        }
        Values::Positive => random.random_range(0.0..1.0),
        Values::Negative => -random.random_range(0.0..1.0),
        Values::Spread => {
            let reach = if element == Element::F16 { 6.0 } else { 20.0 };
            sign * 2f64.powf(random.random_range(-reach..reach))
        }
        Values::Denormal => {
            let steps = (element.smallest_normal() / element.smallest()).min(2f64.powi(40));
            sign * element.smallest() * random.random_range(1.0..steps).floor()
        }
        Values::Large => sign * element.largest() * random.random_range(0.25..1.0),
        _ => random.random_range(-1.0..1.0),
    }
}

/// Integers whose products and sums are exact in every order: one array has wide ones, the others only -1, 0 and 1.
fn exact(element: Element, request: &Request, random: &mut StdRng) -> Vec<f64> {
    let bits = WIDE_BITS.min(element.precision());
    let chance = (TERMS / request.longest.max(1) as f64).min(1.0);
    let mut next = || {
        if !random.random_bool(chance) {
            return 0.0;
        }
        let sign = if random.random::<bool>() { 1.0 } else { -1.0 };
        match request.wide {
            // Odd numbers, which no narrower format can represent.
            true => sign * f64::from(random.random_range(0..1u32 << (bits - 1)) * 2 + 1),
            false => sign,
        }
    };
    (0..request.count).map(|_| next()).collect()
}

fn integers(element: Element, request: &Request, random: &mut StdRng) -> Vec<i128> {
    let Request { kind, count, range, .. } = *request;
    let (signed, bits) =
        (matches!(element, Element::I8 | Element::I32 | Element::I64), element.precision());
    let most = if signed { 1i128 << (bits - 1) } else { 1i128 << bits };
    let least = if signed { -most } else { 0 };
    let (low, high) = match (range, kind) {
        (Some(range), _) => range,
        (None, Values::Integers | Values::Sparse) => (least.max(-100), most.min(101)),
        (None, Values::Positive) => (0, most),
        (None, Values::Negative) => (least, if signed { 0 } else { most }),
        (None, _) => (least, most),
    };
    if low >= high {
        return vec![low; count];
    }
    let next = |random: &mut StdRng| {
        low + (i128::from(random.next_u64()) & i128::from(u64::MAX)) % (high - low)
    };
    match kind {
        Values::Zeros => vec![0i128.clamp(low, high - 1); count],
        Values::Constant => vec![next(random); count],
        _ => (0..count).map(|_| next(random)).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(kind: Values, seed: u64) -> Vec<f64> {
        let request =
            Request { kind, count: 1000, longest: 1000, wide: true, special: true, range: None };
        let bytes = draw(Element::F32, &request, &mut StdRng::seed_from_u64(seed));
        Element::F32.read_all(&bytes)
    }

    #[test]
    fn drawn_values_match_their_kind() {
        assert!(drawn(Values::Positive, 1).iter().all(|x| *x >= 0.0));
        assert!(drawn(Values::Negative, 1).iter().all(|x| *x <= 0.0));
        assert!(drawn(Values::Nan, 1).iter().any(|x| x.is_nan()));
        assert!(drawn(Values::Inf, 1).iter().any(|x| x.is_infinite()));
        let small = drawn(Values::Denormal, 1);
        assert!(small.iter().all(|x| x.abs() < f64::from(f32::MIN_POSITIVE) && *x != 0.0));
        assert!(drawn(Values::Large, 1).iter().all(|x| x.is_finite() && x.abs() > 1e37));
        let integers = drawn(Values::Integers, 1);
        assert!(integers.iter().map(|x| x.abs()).sum::<f64>() < f64::from(1 << 22));
        assert!(integers.iter().any(|x| half::f16::from_f64(*x).to_f64() != *x), "fp16 holds all");
        assert_ne!(drawn(Values::Uniform, 1), drawn(Values::Uniform, 2));
    }

    #[test]
    fn permuted_numbers_are_the_same_in_another_order() {
        let (mut a, mut b) = (drawn(Values::Permuted, 1), drawn(Values::Permuted, 2));
        assert_ne!(a, b);
        a.sort_by(f64::total_cmp);
        b.sort_by(f64::total_cmp);
        assert_eq!(a, b);
    }

    #[test]
    fn integers_keep_their_range() {
        let range = Some((5, 9));
        let request = Request {
            kind: Values::Uniform,
            count: 100,
            longest: 1,
            wide: false,
            special: true,
            range,
        };
        let bytes = draw(Element::I32, &request, &mut StdRng::seed_from_u64(1));
        assert!(Element::I32.read_all(&bytes).iter().all(|x| (5.0..9.0).contains(x)));
    }
}
