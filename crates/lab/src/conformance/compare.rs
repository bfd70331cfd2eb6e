//! Two devices' results of a form against each other: bit for bit, or within the bound that the
//! manual grants.

use super::bounds::{Bound, bound_of};
use super::form::Form;
use super::operands::{Kind, hash, tuple};
use half::{bf16, f16};

/// Where two devices differ in a form.
#[derive(Clone, Debug)]
pub struct Difference {
    /// Operands whose results differ.
    pub count: usize,
    /// Operands in all.
    pub of: usize,
    /// The first that differ.
    pub first: [u64; 4],
    /// What is right there.
    pub expected: Vec<u64>,
    /// What came out there.
    pub found: Vec<u64>,
}

/// Compares results; the shorter of the two decides how many.
pub fn compare(form: &Form, expected: &[u8], found: &[u8]) -> Option<Difference> {
    let stride = form.bytes();
    let pairs = expected.chunks_exact(stride).zip(found.chunks_exact(stride));
    let (of, seed, bound) = (pairs.len(), hash(form.key()), bound_of(&form.name));
    let mut difference: Option<Difference> = None;
    for (n, (expected, found)) in pairs.enumerate() {
        if expected == found {
            continue;
        }
        let (expected, found) = (values(form, expected), values(form, found));
        let operands = tuple(&form.operands, seed, n);
        let within = bound.is_some_and(|bound| {
            form.results.iter().enumerate().all(|(i, kind)| {
                let argument = real(form.operands[0], operands[0]);
                close(*kind, expected[i], found[i], bound, argument)
            })
        });
        if within {
            continue;
        }
        let new = || Difference { count: 0, of, first: operands, expected, found };
        difference.get_or_insert_with(new).count += 1;
    }
    difference
}

/// The results of one thread.
fn values(form: &Form, bytes: &[u8]) -> Vec<u64> {
    let mut rest = bytes;
    form.results
        .iter()
        .map(|kind| {
            let (head, tail) = rest.split_at(kind.bytes());
            rest = tail;
            let mut word = [0; 8];
            word[..head.len()].copy_from_slice(head);
            u64::from_le_bytes(word)
        })
        .collect()
}

/// A value as a real number; the low half of a pair.
fn real(kind: Kind, bits: u64) -> f64 {
    match kind {
        Kind::F16 | Kind::F16x2 => f16::from_bits(bits as u16).to_f64(),
        Kind::Bf16 | Kind::Bf16x2 => bf16::from_bits(bits as u16).to_f64(),
        Kind::F64 => f64::from_bits(bits),
        _ => f64::from(f32::from_bits(bits as u32)),
    }
}

/// Whether two values of an approximation are within its bound of each other. One of them is the emulator's,
/// which is the true value rounded once, so half a step is added.
fn close(kind: Kind, a: u64, b: u64, bound: &Bound, argument: f64) -> bool {
    if let Kind::F16x2 | Kind::Bf16x2 = kind {
        let one = if kind == Kind::F16x2 { Kind::F16 } else { Kind::Bf16 };
        // The argument of the high half is not at hand; the bounds of packed forms need none.
        return [0, 16]
            .iter()
            .all(|shift| close(one, a >> shift & 0xffff, b >> shift & 0xffff, bound, argument));
    }
    if a == b || argument.abs() > bound.within {
        return true;
    }
    let (x, y) = (real(kind, a), real(kind, b));
    if x.is_nan() || y.is_nan() || x.is_infinite() || y.is_infinite() {
        return x.is_nan() && y.is_nan() && a == b;
    }
    let step = match kind {
        Kind::F16 => 2f64.powi(-11),
        Kind::Bf16 => 2f64.powi(-8),
        Kind::F64 => 2f64.powi(-53),
        _ => 2f64.powi(-24),
    };
    // Among subnormals, a step or two of the type itself.
    let least = match kind {
        Kind::F16 => 2f64.powi(-24),
        Kind::Bf16 => 2f64.powi(-133),
        Kind::F64 => 0.0,
        _ => 2f64.powi(-148),
    };
    let size = x.abs().max(y.abs());
    (x - y).abs() <= bound.absolute + size * (bound.relative + step) + least
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conformance::form::forms;

    fn form(name: &str) -> Form {
        forms().into_iter().find(|form| form.name == name).expect("a form of the catalogue")
    }

    #[test]
    fn exact_forms_differ_by_a_bit_and_approximations_by_more() {
        let (add, sine) = (form("add.rn.f32"), form("sin.approx.f32"));
        let one = 1f32.to_bits();
        let words = |x: u32| x.to_le_bytes().repeat(3);
        assert!(compare(&add, &words(one), &words(one)).is_none());
        let difference = compare(&add, &words(one), &words(one + 1)).expect("a difference");
        assert_eq!((difference.count, difference.of), (3, 3));
        assert!(compare(&sine, &words(one), &words(one + 1)).is_none());
        assert!(compare(&sine, &words(one), &words(one + 99)).is_some());
        assert!(compare(&sine, &words(one), &words(f32::NAN.to_bits())).is_some());
    }
}
