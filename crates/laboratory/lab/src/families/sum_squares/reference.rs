//! The reference of a sum of squares, exact or in higher precision, and the verdict on a kernel's sum.
//!
//! A sum is wrong if no order of as many additions produces it, and of lower precision than promised if its error
//! exceeds the rounding errors of these numbers.
//!
//! The usual error is measured: the host adds up the numbers with equally deep sums, divided among as many threads in
//! two ways. This shows roundings that all go one way (of equal numbers, or of small numbers added to large ones). The
//! limit is four times the worse of the two plus a random walk (Higham and Mary 2019).

use lanework_bench::{Accuracy, Rejection};
use lanework_ladders::sum_squares::{Numbers, Summand, on_host};
use lanework_verify::bound::Bound;
use lanework_verify::host::Format;

/// The expected sum.
pub enum Reference<E: Summand> {
    /// The exact sum.
    Exact(E::Sum),
    /// The sum without rounding.
    Rounded(f64),
}

impl<E: Summand> Reference<E> {
    /// The reference for the squares of `src`.
    pub fn of(src: &[E]) -> Self {
        match E::ROUNDOFF == 0.0 {
            true => Reference::Exact(on_host(src)),
            false => Reference::Rounded(sum_without_rounding(src.iter().map(|x| x.to_f64()))),
        }
    }

    /// Compares a sum: integers exactly; floats with the bound of the kernel's additions and the usual rounding
    /// errors.
    ///
    /// # Errors
    /// A description of the difference.
    pub fn compare(&self, found: &KernelResult<'_, E>) -> Result<Accuracy, Rejection> {
        let expected = match *self {
            Reference::Exact(expected) if found.sum == expected => return Ok(Accuracy::BitExact),
            Reference::Exact(expected) => {
                let why = format!("the sum is {:?}, should be {expected:?}", found.sum);
                return Err(Rejection::Wrong(why));
            }
            Reference::Rounded(expected) => expected,
        };
        let (got, bound) = (found.sum.to_f64(), found.bound());
        let compared = bound.compare(1, &|_| (got, expected, expected));
        match doubt(found, &bound, expected) {
            Some(rejection) => Err(rejection),
            None => Ok(compared.accuracy),
        }
    }
}

/// A result with its origin.
pub struct KernelResult<'a, E: Summand> {
    /// The numbers.
    pub src: &'a [E],
    /// The sum of their squares.
    pub sum: E::Sum,
    /// The sums that the kernel left to the host.
    pub parts: Vec<E::Sum>,
    /// The most additions of any number.
    pub depth: u64,
    /// Threads that the numbers were divided among.
    pub threads: u64,
    /// Whether the numbers were drawn uniformly at random.
    pub drawn: bool,
}

impl<'a, E: Summand> KernelResult<'a, E> {
    /// The result of a kernel that ran with this many blocks, and threads in each.
    ///
    /// # Errors
    /// If the device fails.
    pub fn of(
        numbers: &Numbers<E>,
        src: &'a [E],
        (blocks, threads): (u64, u64),
        drawn: bool,
    ) -> lanework::Result<Self> {
        let parts = numbers.sums.download()?;
        // The host adds in f64, which is negligible for sums in f32.
        let on_host = if size_of::<E::Sum>() == 8 { parts.len() as u64 } else { 0 };
        // Additions within its thread; within its block (a serial block has one per thread); of the blocks' sums;
        // within warps.
        let depth = (src.len() as u64).div_ceil(blocks * threads) + threads + 32 + on_host;
        let sum = E::add_up(parts.iter().copied());
        Ok(KernelResult { src, sum, parts, depth, threads: blocks * threads, drawn })
    }

    /// The bound of the kernel's additions.
    pub fn bound(&self) -> Bound {
        Bound::of_squares(self.src.len(), self.depth, E::ROUNDOFF)
    }
}

/// The sum of squares in twice the precision of `f64`: the rounding errors of additions and products are added up
/// separately.
pub fn sum_without_rounding(numbers: impl Iterator<Item = f64>) -> f64 {
    let (mut sum, mut lost) = (0.0f64, 0.0f64);
    for x in numbers {
        let square = x * x;
        lost += x.mul_add(x, -square);
        let next = sum + square;
        lost += if sum >= square { sum - next + square } else { square - next + sum };
        sum = next;
    }
    if sum.is_finite() { sum + lost } else { sum }
}

/// The most numbers that the host adds up in a trial.
const MOST_TRIED: usize = 1 << 24;

/// Longest chain of additions whose roundings, for random numbers, are a random walk: in longer chains, most terms
/// are so small relative to the sum that they are rounded to one side.
const LONGEST_WALK: u64 = 1 << 16;

/// Why a sum is rejected, if so.
pub fn doubt<E: Summand>(
    found: &KernelResult<'_, E>,
    bound: &Bound,
    expected: f64,
) -> Option<Rejection> {
    let got = found.sum.to_f64();
    let error = got - expected;
    let accepted = bound.accepts(got, expected, expected);
    if !got.is_finite() || !expected.is_finite() {
        let why = || format!("the sum {}", bound.words(got, expected, expected));
        return (!accepted).then(|| Rejection::Wrong(why()));
    }
    let usual = usual(found, expected);
    if accepted && usual.is_none_or(|usual| error.abs() <= usual) {
        return None;
    }
    let words = match (accepted, usual) {
        (true, Some(usual)) => format!(
            "the sum is {got:e}, should be {expected:e}: off by {:.1e}, where roundings of these numbers \
             usually add up to {usual:.1e}",
            error.abs()
        ),
        _ => format!("the sum {}", bound.words(got, expected, expected)),
    };
    if let Some(precision) = narrower_parts(found).or_else(|| narrower_inputs(found, bound, error))
    {
        return Some(Rejection::LowerPrecision(format!("{precision} ({words})")));
    }
    if let Some(lost) = left_out(found, error, usual.unwrap_or(0.0)) {
        return Some(Rejection::Wrong(format!("{lost}: {words}")));
    }
    Some(match accepted {
        true => Rejection::LowerPrecision(format!("{words}, or some numbers were left out")),
        false => Rejection::Wrong(words),
    })
}

/// Largest usual error of sums of these numbers; `None` if unknown.
fn usual<E: Summand>(found: &KernelResult<'_, E>, expected: f64) -> Option<f64> {
    let walk = (8.0 * (found.depth as f64).sqrt() + 4.0) * E::ROUNDOFF * expected;
    if found.src.len() > MOST_TRIED {
        return (found.drawn && found.depth <= LONGEST_WALK).then_some(walk);
    }
    let threads = (found.threads as usize).clamp(1, found.src.len().max(1));
    let chunk = found.src.len().div_ceil(threads).max(1);
    let interleaved = (0..threads).map(|t| added(found.src.iter().skip(t).step_by(threads)));
    let interleaved = E::add_up(interleaved).to_f64();
    let chunked = E::add_up(found.src.chunks(chunk).map(|chunk| added(chunk.iter()))).to_f64();
    let worse = (interleaved - expected).abs().max((chunked - expected).abs());
    Some(walk + 4.0 * worse)
}

/// The squares of numbers, added up one by one like in a thread.
fn added<'a, E: Summand>(numbers: impl Iterator<Item = &'a E>) -> E::Sum {
    // The sum of two f32 in f64, rounded to f32, is rounded once (S. A. Figueroa 1995).
    let sum = |sum: E::Sum, x: &E| E::Sum::from_f64(sum.to_f64() + x.square().to_f64());
    numbers.fold(<E::Sum as lanework::prelude::Number>::ZERO, sum)
}

/// The fewest distinct sums that reveal a format.
const ENOUGH: usize = 8;

/// The narrower format that represents every sum left to the host, if it represents few of the squares.
fn narrower_parts<E: Summand>(found: &KernelResult<'_, E>) -> Option<String> {
    let as_f32 = |x: f64| f64::from(x as f32) == x;
    let holds = |format: Format| move |x: f64| f64::from(x as f32) == x && format.holds(x as f32);
    let tell = |name: &str, holds: &dyn Fn(f64) -> bool| {
        let mut parts: Vec<u64> = found.parts.iter().map(|part| part.to_f64().to_bits()).collect();
        parts.sort_unstable();
        parts.dedup();
        let squares = found.src.iter().map(|x| x.square().to_f64());
        let narrow = squares.filter(|square| holds(*square)).count();
        let all = parts.len() >= ENOUGH && parts.iter().all(|bits| holds(f64::from_bits(*bits)));
        (all && 2 * narrow < found.src.len()).then(|| {
            format!(
                "every sum of the kernel is exactly {name} number: it was summed in that format"
            )
        })
    };
    tell("a bf16", &holds(Format::Bf16))
        .or_else(|| tell("an fp16", &holds(Format::F16)))
        .or_else(|| if size_of::<E::Sum>() == 8 { tell("an f32", &as_f32) } else { None })
}

/// The narrower format whose rounded numbers have that sum.
fn narrower_inputs<E: Summand>(
    found: &KernelResult<'_, E>,
    bound: &Bound,
    error: f64,
) -> Option<String> {
    Format::ALL.into_iter().find_map(|format| {
        let round = |x: &E| f64::from(format.round(x.to_f64() as f32));
        let rounded = sum_without_rounding(found.src.iter().map(round));
        let got = found.sum.to_f64();
        let explained =
            bound.accepts(got, rounded, rounded) && (got - rounded).abs() <= error.abs() / 16.0;
        explained.then(|| format!("as if the numbers had been {}", format.name()))
    })
}

/// The omitted numbers: the numbers of one thread, or the last number.
fn left_out<E: Summand>(found: &KernelResult<'_, E>, error: f64, usual: f64) -> Option<String> {
    let near = |sum: f64| (error + sum).abs() <= usual.max(0.02 * sum) && sum > 4.0 * usual;
    if found.src.last().is_some_and(|last| near(last.square().to_f64())) {
        return Some("as if the last number had been left out".to_owned());
    }
    let threads = found.threads as usize;
    let of_one = |t: usize| added(found.src.iter().skip(t).step_by(threads)).to_f64();
    let one = threads > 1 && threads < found.src.len() && (0..threads).any(|t| near(of_one(t)));
    one.then(|| format!("as if the numbers of one of {threads} threads had been left out"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::families::sum_squares::{Draw, draw_numbers};

    fn found<E: Summand>(
        src: &[E],
        sum: E::Sum,
        depth: u64,
        drawn: bool,
    ) -> Result<Accuracy, Rejection> {
        let found = KernelResult { src, sum, parts: vec![sum], depth, threads: 1, drawn };
        Reference::of(src).compare(&found)
    }

    fn one_by_one(src: &[f32]) -> f32 {
        src.iter().fold(0.0f32, |sum, x| sum + x * x)
    }

    #[test]
    fn sums_one_by_one_of_any_numbers_are_right() {
        let length = 1 << 16;
        let tenths = vec![0.1f32; length];
        let even: Vec<f32> = (0..length).map(|i| i as f32 / length as f32).collect();
        let wide: Vec<f32> =
            draw_numbers::<f32>(length, Draw::Notes, 3).iter().map(|x| (40.0 * x).exp2()).collect();
        let random = draw_numbers::<f32>(length, Draw::Notes, 4);
        let one_large: Vec<f32> = std::iter::once(4096.0).chain(tenths.clone()).collect();
        for (name, src, drawn) in [
            ("constant", &tenths, false),
            ("even", &even, false),
            ("wide", &wide, false),
            ("random", &random, true),
            ("one large", &one_large, false),
        ] {
            let depth = src.len() as u64;
            let forwards = found(src, one_by_one(src), depth, drawn);
            assert!(forwards.is_ok(), "{name}: {forwards:?}");
            let mut reversed = src.clone();
            reversed.reverse();
            let backwards = found(src, one_by_one(&reversed), depth, drawn);
            assert!(backwards.is_ok(), "{name} backwards: {backwards:?}");
        }
    }

    #[test]
    fn one_lost_thread_of_8192_is_recognized() {
        let src = draw_numbers::<f32>(1 << 20, Draw::Notes, 5);
        let parts = |lost: usize| -> Vec<f32> {
            let of = |t: usize| src.iter().skip(t).step_by(8192).fold(0.0f32, |s, x| s + x * x);
            (0..8192).map(|t| if t == lost { 0.0 } else { of(t) }).collect()
        };
        let compare = |lost| {
            let parts = parts(lost);
            let sum = f32::add_up(parts.iter().copied());
            let (depth, threads) = (128 + 256 + 32, 8192);
            Reference::of(&src).compare(&KernelResult {
                src: &src,
                sum,
                parts,
                depth,
                threads,
                drawn: true,
            })
        };
        assert!(compare(8192).is_ok());
        let Err(Rejection::Wrong(why)) = compare(77) else {
            panic!("accepted, or told as another")
        };
        assert!(why.contains("one of 8192 threads"), "{why}");
    }

    #[test]
    fn lower_precision_sums_are_recognized() {
        let src = draw_numbers::<f32>(5000, Draw::Notes, 6);
        let half = |x: f32| half::f16::from_f32(x).to_f32();
        let parts: Vec<f32> = (0..64)
            .map(|t| src.iter().skip(t).step_by(64).fold(0.0, |sum, x| half(sum + half(x * x))))
            .collect();
        let sum = f32::add_up(parts.iter().copied());
        let found = KernelResult { src: &src, sum, parts, depth: 200, threads: 64, drawn: true };
        let Err(Rejection::LowerPrecision(why)) = Reference::of(&src).compare(&found) else {
            panic!("accepted, or told as another")
        };
        assert!(why.contains("fp16"), "{why}");
    }

    #[test]
    fn the_reference_does_not_round() {
        let sum = |numbers: &[f64]| sum_without_rounding(numbers.iter().copied());
        assert_eq!(sum(&[1e8f64, 1.0, 1e-8, 1e-8]), 1e16 + 1.0 + 2e-16);
        // Added one by one in f64, each 2^-53 is lost.
        let mut small = vec![2f64.powi(-27); 1 << 10];
        small.insert(0, 1.0);
        assert_eq!(sum(&small), 1.0 + 2f64.powi(-44));
    }
}
