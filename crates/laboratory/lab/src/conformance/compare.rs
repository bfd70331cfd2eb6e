//! Compares two devices' results of a form, bit for bit.

use super::form::InstructionForm;
use super::operands::{hash, tuple};

/// The differences between two devices in a form.
#[derive(Clone, Debug)]
pub struct Difference {
    /// Operands whose results differ.
    pub count: usize,
    /// Operands in all.
    pub of: usize,
    /// The first that differ.
    pub first: [u64; 4],
    /// The expected result.
    pub expected: Vec<u64>,
    /// The actual result.
    pub found: Vec<u64>,
}

/// Compares as many results as both have.
pub fn compare(form: &InstructionForm, expected: &[u8], found: &[u8]) -> Option<Difference> {
    let stride = form.bytes();
    let pairs = expected.chunks_exact(stride).zip(found.chunks_exact(stride));
    let (of, seed) = (pairs.len(), hash(form.key()));
    let mut difference: Option<Difference> = None;
    for (n, (expected, found)) in pairs.enumerate() {
        if expected == found {
            continue;
        }
        let (expected, found) = (values(form, expected), values(form, found));
        let operands = tuple(&form.operands, seed, n);
        let new = || Difference { count: 0, of, first: operands, expected, found };
        difference.get_or_insert_with(new).count += 1;
    }
    difference
}

/// The results of one thread.
fn values(form: &InstructionForm, bytes: &[u8]) -> Vec<u64> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conformance::form::forms;

    fn form(name: &str) -> InstructionForm {
        forms().into_iter().find(|form| form.name == name).expect("a form of the catalogue")
    }

    #[test]
    fn one_bit_is_a_difference_in_an_approximation_too() {
        let (add, sine) = (form("add.rn.f32"), form("sin.approx.f32"));
        let one = 1f32.to_bits();
        let words = |x: u32| x.to_le_bytes().repeat(3);
        for form in [add, sine] {
            assert!(compare(&form, &words(one), &words(one)).is_none());
            let difference = compare(&form, &words(one), &words(one + 1)).expect("a difference");
            assert_eq!((difference.count, difference.of), (3, 3));
        }
    }
}
