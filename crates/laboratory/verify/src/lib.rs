//! Inputs on the host, and the comparison of a device's results with the host's: bit for bit, or within a proven bound.
//!
//! This is a separate crate because its loops need an optimizer in every profile, unlike the rest of the laboratory.

pub mod bound;
pub mod host;
pub mod product;

use half::{bf16, f16};
use host::Array;
use lanework::Element;
use lanework_bench::{Accuracy, Rejection, close, same};
use std::fmt;

/// Checks that `got` equals `want`: bit for bit, or each element within a relative `tolerance`.
///
/// # Errors
/// If the type, the shape or elements differ.
pub fn verify_array(
    got: &Array,
    want: &Array,
    tolerance: Option<f64>,
) -> Result<Accuracy, Rejection> {
    if got.bytes.len() != want.bytes.len() || got.element.bytes != want.element.bytes {
        let of = |array: &Array| format!("{:?} of {}", array.shape, array.element.name);
        let why = format!("it is {}, but {} is expected", of(got), of(want));
        return Err(Rejection::Wrong(why));
    }
    let name = want.element.name;
    let Some(tolerance) = tolerance else {
        return match want.element.bytes {
            1 => same(&got.bytes, &want.bytes),
            2 => same(&got.elements::<u16>(), &want.elements::<u16>()),
            4 if name == "f32" => bits(&got.elements::<f32>(), &want.elements(), f32::to_bits),
            8 if name == "f64" => bits(&got.elements::<f64>(), &want.elements(), f64::to_bits),
            4 => same(&got.elements::<u32>(), &want.elements::<u32>()),
            _ => same(&got.elements::<u64>(), &want.elements::<u64>()),
        };
    };
    let wide = |array: &Array| -> Vec<f64> {
        match name {
            "f16" => array.elements::<f16>().iter().map(|x| x.to_f64()).collect(),
            "bf16" => array.elements::<bf16>().iter().map(|x| x.to_f64()).collect(),
            "f32" => array.elements::<f32>().iter().map(|x| f64::from(*x)).collect(),
            "f64" => array.elements::<f64>(),
            "u8" => array.elements::<u8>().iter().map(|x| f64::from(*x)).collect(),
            "i8" => array.elements::<i8>().iter().map(|x| f64::from(*x)).collect(),
            "u16" => array.elements::<u16>().iter().map(|x| f64::from(*x)).collect(),
            "i16" => array.elements::<i16>().iter().map(|x| f64::from(*x)).collect(),
            "u32" => array.elements::<u32>().iter().map(|x| f64::from(*x)).collect(),
            "i32" => array.elements::<i32>().iter().map(|x| f64::from(*x)).collect(),
            "u64" => array.elements::<u64>().iter().map(|x| *x as f64).collect(),
            _ => array.elements::<i64>().iter().map(|x| *x as f64).collect(),
        }
    };
    close(&wide(got), &wide(want), tolerance)
}

/// Checks that the bits are equal; messages show elements as numbers.
fn bits<T: Copy + std::fmt::Debug, B: PartialEq>(
    got: &[T],
    want: &[T],
    of: fn(T) -> B,
) -> Result<Accuracy, Rejection> {
    struct ByBits<T, B>(T, B);
    impl<T, B: PartialEq> PartialEq for ByBits<T, B> {
        fn eq(&self, other: &Self) -> bool {
            self.1 == other.1
        }
    }
    impl<T: std::fmt::Debug, B> std::fmt::Debug for ByBits<T, B> {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            self.0.fmt(f)
        }
    }
    let wrap = |all: &[T]| all.iter().map(|x| ByBits(*x, of(*x))).collect::<Vec<_>>();
    same(&wrap(got), &wrap(want))
}

/// Differences between a result and the host's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// Elements that differ.
    pub count: u64,
    /// Number of elements.
    pub of: u64,
    /// The first few: row and column of the result, its bits in hex, and the bits expected.
    pub first: Vec<(usize, usize, String, String)>,
}

/// The most differing elements in a message.
const SHOWN: usize = 5;

/// Compares `dst`, `cols` x `rows`, with the transpose of `src`, `rows` x `cols`, bit for bit.
///
/// # Errors
/// If elements differ: their number, and the first of them.
pub fn compare_transpose<E: Element>(
    src: &[E],
    dst: &[E],
    rows: usize,
    cols: usize,
) -> Result<(), Mismatch> {
    /// Edge of the patches: small enough to keep both matrices' lines in cache.
    const PATCH: usize = 64;
    let mut mismatch = Mismatch { count: 0, of: (rows * cols) as u64, first: Vec::new() };
    for top in (0..cols).step_by(PATCH) {
        for left in (0..rows).step_by(PATCH) {
            for x in top..(top + PATCH).min(cols) {
                for y in left..(left + PATCH).min(rows) {
                    let (got, want) = (&dst[x * rows + y], &src[y * cols + x]);
                    if bytemuck::bytes_of(got) != bytemuck::bytes_of(want) {
                        mismatch.count += 1;
                        if mismatch.first.len() < SHOWN {
                            mismatch.first.push((x, y, hex(got), hex(want)));
                        }
                    }
                }
            }
        }
    }
    if mismatch.count == 0 { Ok(()) } else { Err(mismatch) }
}

/// The bits of an element, most significant byte first.
fn hex<E: Element>(element: &E) -> String {
    let bytes = bytemuck::bytes_of(element);
    bytes.iter().rev().fold("0x".to_owned(), |text, byte| format!("{text}{byte:02x}"))
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {} elements differ", self.count, self.of)?;
        for (row, col, got, want) in &self.first {
            write!(f, "; [{row}][{col}] is {got}, should be {want}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::ElementType;

    fn array(numbers: &[f32]) -> Array {
        let element = ElementType::named("f32").expect("known");
        Array::new(&[numbers.len() as u64], element, numbers)
    }

    #[test]
    fn bits_are_compared_and_numbers_shown() {
        let nan = array(&[f32::NAN, 1.0]);
        assert_eq!(verify_array(&nan, &nan, None), Ok(Accuracy::BitExact));
        let why = verify_array(&array(&[0.0, 1.0]), &array(&[-0.0, 1.0]), None).expect_err("bits");
        assert!(why.to_string().contains("1 of 2 elements differ: [0] is 0.0, not -0.0"), "{why}");
        let close = verify_array(&array(&[1.0]), &array(&[1.000_001]), Some(1e-5));
        assert!(matches!(close, Ok(Accuracy::WithinBound { .. })));
        assert!(verify_array(&array(&[1.0]), &array(&[1.0, 2.0]), None).is_err());
    }

    #[test]
    fn the_transpose_passes_and_anything_else_does_not() {
        let src = [1u16, 2, 3, 4, 5, 6];
        assert_eq!(compare_transpose(&src, &[1, 4, 2, 5, 3, 6], 2, 3), Ok(()));
        let mismatch = compare_transpose(&src, &src, 2, 3).expect_err("not transposed");
        assert_eq!(mismatch.count, 4);
        assert_eq!(mismatch.first[0], (0, 1, "0x0002".to_owned(), "0x0004".to_owned()));
    }

    #[test]
    fn equal_values_with_other_bits_differ_and_equal_nans_do_not() {
        assert!(compare_transpose(&[0.0f32], &[-0.0], 1, 1).is_err());
        assert!(compare_transpose(&[f32::NAN], &[f32::NAN], 1, 1).is_ok());
    }
}
