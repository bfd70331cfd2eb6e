//! Doubts about a sum of squares: it is wrong if no order of as many additions produces it, and of lower precision
//! than promised if its error exceeds the rounding errors of these numbers.
//!
//! The usual error is measured: the host adds up the numbers with equally deep sums, in two divisions among as many
//! threads. This shows roundings that all go one way (of equal numbers, or of small numbers added to large ones). The
//! limit is four times the worse of the two plus a random walk (Higham and Mary 2019).

use super::found::{KernelResult, sum_without_rounding};
use lanework_bench::Rejection;
use lanework_ladders::sum_squares::Summand;
use lanework_verify::bound::Bound;
use lanework_verify::host::formats::Format;

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
            format!("every sum of the kernel is {name} number, as sums in that format are")
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
