//! Comparing arrays of any element type.

use crate::host::array::Array;
use half::{bf16, f16};
use lanework_bench::{Accuracy, Rejection, close, same};

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::array::ElementType;

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
}
