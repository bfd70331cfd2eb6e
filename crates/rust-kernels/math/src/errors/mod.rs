//! Measures the errors of every function against a reference of about 95 bits ([`reference`](mod@reference)), over all numbers of
//! `f32` or as many points of `f64` as the time allows. A [`Record`] is the result for one function in one format: a line of text,
//! as the examples print it and `docs/results/h200/math.txt` keeps it.

pub mod reference;

pub use reference::Double;

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};

/// A function of one argument.
#[derive(Clone, Copy, Debug)]
pub struct One {
    /// Its name.
    pub name: &'static str,
    /// In `f32`.
    pub single: fn(f32) -> f32,
    /// In `f64`.
    pub double: fn(f64) -> f64,
    /// To about 95 bits.
    pub reference: fn(f64) -> Double,
    /// A function with an error below 1e-8 ulp of an `f32`: the host library's, or the `f64` one for `erf` and `erfc`.
    pub host: fn(f64) -> f64,
    /// The guaranteed bound, in ulp of `f32` and of `f64`.
    pub bounds: [f64; 2],
    /// CUDA's bound in its programming guide: the largest difference from the correctly rounded result.
    pub cuda: [f64; 2],
}

/// A function of two arguments.
#[derive(Clone, Copy, Debug)]
pub struct Two {
    /// Its name.
    pub name: &'static str,
    /// In `f32`.
    pub single: fn(f32, f32) -> f32,
    /// In `f64`.
    pub double: fn(f64, f64) -> f64,
    /// To about 95 bits.
    pub reference: fn(f64, f64) -> Double,
    /// The host library's, for `f32`.
    pub host: fn(f64, f64) -> f64,
    /// The `i`-th pair of `f32` to try.
    pub single_pairs: fn(u64) -> (f32, f32),
    /// The `i`-th pair of `f64` to try.
    pub double_pairs: fn(u64) -> (f64, f64),
    /// The guaranteed bound, in ulp of `f32` and of `f64`.
    pub bounds: [f64; 2],
    /// CUDA's bound; infinite if CUDA lacks the function.
    pub cuda: [f64; 2],
}

macro_rules! list {
    ($($name:ident $host:expr, $single:literal $double:literal, $cuda:literal $cuda_double:literal;)*) => {
        &[$(One {
            name: stringify!($name),
            single: crate::$name::<f32>,
            double: crate::$name::<f64>,
            reference: reference::$name,
            host: $host,
            bounds: [$single, $double],
            cuda: [$cuda, $cuda_double],
        }),*]
    };
}

/// The functions of one argument.
pub const ONES: &[One] = list! {
    exp f64::exp, 0.85 0.85, 2.0 1.0;
    exp2 f64::exp2, 0.9 0.9, 2.0 1.0;
    exp_m1 f64::exp_m1, 1.05 0.85, 1.0 1.0;
    ln f64::ln, 0.85 0.9, 1.0 1.0;
    log2 f64::log2, 1.05 1.05, 1.0 1.0;
    log10 f64::log10, 1.05 0.95, 2.0 1.0;
    ln_1p f64::ln_1p, 1.0 1.0, 1.0 1.0;
    sin f64::sin, 0.85 0.85, 2.0 2.0;
    cos f64::cos, 0.85 0.85, 2.0 2.0;
    tan f64::tan, 1.1 1.1, 4.0 2.0;
    asin f64::asin, 0.75 0.75, 2.0 2.0;
    acos f64::acos, 0.75 0.75, 2.0 2.0;
    atan f64::atan, 1.1 1.1, 2.0 2.0;
    sinh f64::sinh, 0.9 0.85, 3.0 2.0;
    cosh f64::cosh, 0.95 0.95, 2.0 1.0;
    tanh f64::tanh, 0.85 0.85, 2.0 1.0;
    asinh f64::asinh, 1.2 1.2, 3.0 3.0;
    acosh f64::acosh, 1.05 1.0, 4.0 3.0;
    atanh f64::atanh, 1.15 1.1, 3.0 2.0;
    cbrt f64::cbrt, 0.51 0.51, 1.0 1.0;
    erf crate::erf::<f64>, 1.05 1.1, 2.0 2.0;
    erfc crate::erfc::<f64>, 3.1 4.0, 4.0 5.0;
};

macro_rules! two {
    ($name:ident, $host:expr, $bounds:expr, $cuda:expr) => {
        Two {
            name: stringify!($name),
            single: crate::$name::<f32>,
            double: crate::$name::<f64>,
            reference: reference::$name,
            host: $host,
            single_pairs: pair_single,
            double_pairs: pair_double,
            bounds: $bounds,
            cuda: $cuda,
        }
    };
}

/// CUDA lacks the function.
const NONE: [f64; 2] = [f64::INFINITY; 2];

/// The functions of two arguments.
pub const TWOS: &[Two] = &[
    two!(powf, f64::powf, [0.85, 0.65], [4.0, 2.0]),
    two!(atan2, f64::atan2, [1.1, 1.0], [3.0, 2.0]),
    two!(hypot, f64::hypot, [0.8, 0.6], [3.0, 2.0]),
    two!(rem, |x, y| x % y, [0.0, 0.0], [0.0, 0.0]),
    two!(rem_euclid, f64::rem_euclid, [0.5, 0.5], NONE),
    // Rust defines it by the rounded quotient, so the reference is the value in the same format.
    two!(div_euclid, |x, y| (x as f32).div_euclid(y as f32).into(), [0.0, 0.0], NONE),
    // The exponent is passed as a float. The bound holds for the largest exponent, 64.
    Two {
        name: "powi",
        single: |x, n| crate::powi(x, n as i32),
        double: |x, n| crate::powi(x, n as i32),
        reference: reference::powf,
        host: f64::powf,
        single_pairs: power_single,
        double_pairs: power_double,
        bounds: [64.0, 64.0],
        cuda: NONE,
    },
];

/// The distance of `got` from `want`, in units in the last place of `want`. The format has `digits` bits after the first bit and the
/// smallest exponent `least`. Infinity counts as one unit beyond the largest number; signs of zeros and NaNs must agree.
fn distance(got: f64, want: Double, digits: i32, least: i32, largest: f64) -> f64 {
    if got.is_nan() || want.high.is_nan() {
        return if got.is_nan() && want.high.is_nan() { 0.0 } else { f64::INFINITY };
    }
    if got == 0.0 && want.high == 0.0 || got.is_infinite() && want.high.is_infinite() {
        return if got.is_sign_negative() == want.high.is_sign_negative() {
            0.0
        } else {
            f64::INFINITY
        };
    }
    let exponent_of = |x: f64| (x.to_bits() >> 52 & 0x7ff) as i32 - 1023;
    let exponent = (exponent_of(want.high) + want.power).clamp(least, exponent_of(largest));
    // Scales to units, in steps that neither overflow nor round.
    let unit = |x: f64, power: i32| {
        let n = (digits - exponent + power).clamp(-2000, 2000);
        x * 2f64.powi(n / 2) * 2f64.powi(n - n / 2)
    };
    let beyond = unit(largest, 0) + 1.0;
    let got = if got.is_infinite() { beyond.copysign(got) } else { unit(got, 0) };
    let high = match want.high.is_infinite() {
        true => beyond.copysign(want.high),
        false => unit(want.high, want.power),
    };
    if got.abs() >= beyond && high.abs() >= beyond {
        return if got.signum() == high.signum() { 0.0 } else { f64::INFINITY };
    }
    ((got - high) - unit(want.low, want.power)).abs()
}

/// The error of an `f32` in units in the last place.
pub fn ulps_single(got: f32, want: f64) -> f64 {
    distance(got.into(), want.into(), 23, -126, f32::MAX.into())
}

/// The error of an `f64` in units in the last place.
pub fn ulps_double(got: f64, want: Double) -> f64 {
    distance(got, want, 52, -1022, f64::MAX)
}

/// The largest error found, in units in the last place, and its arguments.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Worst {
    /// The error.
    pub ulps: f64,
    /// The bits of the arguments.
    pub at: [u64; 2],
}

/// The largest of `judge(i)` for all `i` below `count`, computed by `threads` threads.
fn worst(count: u64, threads: usize, judge: impl Fn(u64) -> Worst + Sync) -> Worst {
    let next = AtomicU64::new(0);
    let chunk = 1u64 << 16;
    let work = || {
        let mut worst = Worst::default();
        loop {
            let first = next.fetch_add(chunk, Ordering::Relaxed);
            if first >= count {
                return worst;
            }
            for i in first..(first + chunk).min(count) {
                let found = judge(i);
                if found.ulps > worst.ulps {
                    worst = found;
                }
            }
        }
    };
    let found: Vec<Worst> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads.max(1)).map(|_| scope.spawn(work)).collect();
        workers.into_iter().filter_map(|worker| worker.join().ok()).collect()
    });
    found.into_iter().fold(Worst::default(), |a, b| if b.ulps > a.ulps { b } else { a })
}

/// Tries every `stride`-th `f32`.
pub fn sweep_single(function: &One, stride: u64, threads: usize) -> Worst {
    worst((1u64 << 32).div_ceil(stride), threads, |i| {
        let bits = i * stride;
        let x = f32::from_bits(bits as u32);
        Worst { ulps: ulps_single((function.single)(x), (function.host)(x.into())), at: [bits, 0] }
    })
}

/// Tries `count` points of `f64`: half with arbitrary bits, half in the range without overflow or underflow.
pub fn sweep_double(function: &One, count: u64, threads: usize) -> Worst {
    worst(count, threads, |i| {
        let x = points(i);
        Worst {
            ulps: ulps_double((function.double)(x), (function.reference)(x)),
            at: [x.to_bits(), 0],
        }
    })
}

/// Tries `count` pairs of `f32`, and a sixteenth as many pairs of `f64`, whose reference takes a microsecond.
pub fn sweep_pairs(function: &Two, count: u64, threads: usize) -> [Worst; 2] {
    let single = worst(count, threads, |i| {
        let (x, y) = (function.single_pairs)(i);
        let error = ulps_single((function.single)(x, y), (function.host)(x.into(), y.into()));
        Worst { ulps: error, at: [x.to_bits().into(), y.to_bits().into()] }
    });
    let double = worst(count / 16, threads, |i| {
        let (x, y) = (function.double_pairs)(i);
        let error = ulps_double((function.double)(x, y), (function.reference)(x, y));
        Worst { ulps: error, at: [x.to_bits(), y.to_bits()] }
    });
    [single, double]
}

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

/// The `i`-th pair of `f32`. The kinds alternate: arbitrary bits; similar magnitudes; one number near 1 and one of any size; one
/// multiple of 1/2.
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

/// A 64-bit hash of `i` (splitmix64).
fn mixed(i: u64) -> u64 {
    let x = i.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ x >> 31
}

/// The arguments that were tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Numbers of `f32`.
    Single,
    /// Numbers of `f64`.
    Double,
    /// Pairs of `f32`.
    SinglePairs,
    /// Pairs of `f64`.
    DoublePairs,
}

impl Kind {
    /// All kinds, with their names in a record's line.
    pub const ALL: [(Kind, &str); 4] = [
        (Kind::Single, "f32"),
        (Kind::Double, "f64"),
        (Kind::SinglePairs, "f32 pairs"),
        (Kind::DoublePairs, "f64 pairs"),
    ];

    /// Whether the format is `f64`.
    pub fn is_double(self) -> bool {
        matches!(self, Kind::Double | Kind::DoublePairs)
    }

    fn name(self) -> &'static str {
        Kind::ALL.iter().find(|(kind, _)| *kind == self).map_or("", |(_, name)| name)
    }
}

/// The largest error of a function in one format.
///
/// ```
/// use lanework_math::errors::Record;
/// let line = "exp f32: 4294967296 judged, 0 of another kind, 0.8088 ulp at 0xc0bad240";
/// assert_eq!(Record::parse(line).unwrap().to_string(), line);
/// assert_eq!(Record::parse(&format!("{line}; bound 0.85; ok")).unwrap().to_string(), line);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// The function.
    pub name: String,
    /// The arguments that were tried.
    pub kind: Kind,
    /// The number of these arguments.
    pub judged: u64,
    /// The number of results with a wrong class: a NaN instead of a value, an infinity or zero of the wrong sign, or the reverse.
    pub other: u64,
    /// The largest error and its arguments.
    pub worst: Worst,
}

impl Record {
    /// Parses a record; `None` if the line holds none.
    pub fn parse(line: &str) -> Option<Record> {
        let (head, rest) = line.split_once(": ")?;
        let (name, kind) = head.split_once(' ')?;
        let (kind, _) = Kind::ALL.into_iter().find(|(_, known)| *known == kind)?;
        let (judged, rest) = rest.split_once(" judged, ")?;
        let (other, rest) = rest.split_once(" of another kind, ")?;
        let (ulps, rest) = rest.split_once(" ulp at ")?;
        let mut at = [0; 2];
        // The text after a semicolon describes the run.
        for (bits, word) in at.iter_mut().zip(rest.split(';').next()?.split(' ')) {
            *bits = u64::from_str_radix(word.strip_prefix("0x")?, 16).ok()?;
        }
        Some(Record {
            name: name.into(),
            kind,
            judged: judged.parse().ok()?,
            other: other.parse().ok()?,
            worst: Worst { ulps: ulps.parse().ok()?, at },
        })
    }

    /// The arguments of the largest error, in hexadecimal.
    pub fn arguments(&self) -> Vec<String> {
        let pairs = matches!(self.kind, Kind::SinglePairs | Kind::DoublePairs);
        let width = if self.kind.is_double() { 18 } else { 10 };
        self.worst.at[..1 + usize::from(pairs)]
            .iter()
            .map(|bits| format!("{bits:#0width$x}"))
            .collect()
    }
}

impl fmt::Display for Record {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Record { name, kind, judged, other, worst } = self;
        let (kind, at) = (kind.name(), self.arguments().join(" "));
        write!(
            f,
            "{name} {kind}: {judged} judged, {other} of another kind, {:.4} ulp at {at}",
            worst.ulps
        )
    }
}
