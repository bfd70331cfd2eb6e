//! Data on the host: arrays, number formats, seeded random inputs that are never zero, and work on all cores.
//!
//! The inputs of a product may have been rounded to TF32, bf16 or fp16: `cvt.rna.tf32.f32` rounds ties away from zero,
//! other code to even. Tensor cores ignore the low 13 bits of an f32 passed as TF32. The upper half of an f32 is the
//! truncated bf16.
//!
//! Arrays are as in files: a shape, an element type and bytes in C order. A kernel that only moves data depends on the
//! size of its elements, not on their type, so such ladders are compiled once per size.

use half::f16;
use lanework::{Element, Error, Result};
use rand::rngs::StdRng;
use rand::{Rng, RngCore, SeedableRng};
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Elements after which the random ones repeat. Drawing a gigabyte takes longer than a prediction. The period is a prime,
/// so that a kernel which confuses rows or tiles meets other elements.
const DRAWN: usize = 4_194_301;

/// `length` elements of random bits, which repeat after 4,194,301; the same seed gives the same elements.
///
/// Floats drawn this way include NaNs, infinities and subnormals; a kernel that only moves data must preserve them.
pub fn random_elements<E: Element>(length: usize, seed: u64) -> Vec<E> {
    let mut elements = vec![E::zeroed(); length.min(DRAWN)];
    let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut elements);
    StdRng::seed_from_u64(seed).fill_bytes(bytes);
    repeated(elements, length)
}

/// `length` floats, uniform in -1 to 1, which repeat after 4,194,301; the same seed gives the same floats.
pub fn uniform_floats(length: usize, seed: u64) -> Vec<f32> {
    let mut random = StdRng::seed_from_u64(seed);
    let drawn = (0..length.min(DRAWN)).map(|_| random.random_range(-1.0..1.0)).collect();
    repeated(drawn, length)
}

/// `length` elements: those of `drawn`, again and again.
fn repeated<E: Copy>(mut drawn: Vec<E>, length: usize) -> Vec<E> {
    let period = drawn.len();
    drawn.reserve_exact(length - period);
    while drawn.len() < length {
        let missing = length - drawn.len();
        drawn.extend_from_within(..period.min(missing));
    }
    drawn
}

/// `f(i)` for every `i` below `count`, in order. Threads claim one index at a time.
///
/// # Panics
/// If `f` panics.
pub(crate) fn in_parallel<T: Send>(count: usize, f: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let next = AtomicUsize::new(0);
    let claim = || {
        let claimed = || Some(next.fetch_add(1, Ordering::Relaxed)).filter(|i| *i < count);
        std::iter::from_fn(claimed).map(|i| (i, f(i))).collect::<Vec<_>>()
    };
    let others = thread::available_parallelism().map_or(1, usize::from).min(count).max(1) - 1;
    let mut values = thread::scope(|scope| {
        let threads: Vec<_> = (0..others).map(|_| scope.spawn(claim)).collect();
        let mut values = claim();
        for thread in threads {
            values.extend(thread.join().unwrap_or_else(|panic| resume_unwind(panic)));
        }
        values
    });
    values.sort_unstable_by_key(|(i, _)| *i);
    values.into_iter().map(|(_, value)| value).collect()
}

/// A narrower format and its rounding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// TF32, rounded to nearest, ties to even.
    Tf32,
    /// TF32, rounded to nearest, ties away from zero.
    Tf32Away,
    /// TF32, truncated.
    Tf32Cut,
    /// bf16, rounded to nearest, ties to even.
    Bf16,
    /// bf16, truncated.
    Bf16Cut,
    /// fp16, rounded to nearest, ties to even.
    F16,
}

impl Format {
    /// Every format.
    pub const ALL: [Format; 6] = [
        Format::Tf32,
        Format::Tf32Away,
        Format::Tf32Cut,
        Format::Bf16,
        Format::Bf16Cut,
        Format::F16,
    ];

    /// The name for messages.
    pub fn name(self) -> &'static str {
        match self {
            Format::Tf32 | Format::Tf32Away => "rounded to TF32",
            Format::Tf32Cut => "truncated to TF32",
            Format::Bf16 => "rounded to bf16",
            Format::Bf16Cut => "truncated to bf16",
            Format::F16 => "rounded to fp16",
        }
    }

    /// `x` rounded to this format.
    pub fn round(self, x: f32) -> f32 {
        if self == Format::F16 {
            return f16::from_f32(x).to_f32();
        }
        if !x.is_finite() {
            return x;
        }
        let dropped = if matches!(self, Format::Bf16 | Format::Bf16Cut) { 16 } else { 13 };
        let (bits, unit) = (x.to_bits(), 1u32 << dropped);
        let up = match self {
            Format::Tf32Cut | Format::Bf16Cut => 0,
            Format::Tf32Away => unit / 2,
            _ => unit / 2 - 1 + ((bits >> dropped) & 1),
        };
        // A carry out of the fraction increments the exponent, up to infinity.
        f32::from_bits((bits + up) & !(unit - 1))
    }

    /// Whether the format represents `x` exactly.
    pub fn holds(self, x: f32) -> bool {
        self.round(x) == x
    }

    /// The distance between adjacent numbers of the format around `x`, if `x` is in its normal range.
    pub fn spacing(self, x: f64) -> f64 {
        let fraction = if matches!(self, Format::Bf16 | Format::Bf16Cut) { 7 } else { 10 };
        2f64.powi(x.abs().log2().floor() as i32 - fraction)
    }
}

/// An array in C order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Array {
    /// Extents, outermost first.
    pub shape: Vec<u64>,
    /// Type of the elements.
    pub element: ElementType,
    /// The elements, little-endian.
    pub bytes: Vec<u8>,
}

impl Array {
    /// The array of `elements`.
    pub fn new<E: Element>(shape: &[u64], element: ElementType, elements: &[E]) -> Self {
        Array { shape: shape.to_vec(), element, bytes: bytemuck::cast_slice(elements).to_vec() }
    }

    /// The elements as `E`, a type of their size.
    ///
    /// # Panics
    /// If the sizes differ.
    pub fn elements<E: Element>(&self) -> Vec<E> {
        assert_eq!(self.element.bytes, size_of::<E>(), "elements of another size");
        let mut elements = vec![E::zeroed(); self.bytes.len() / size_of::<E>()];
        bytemuck::cast_slice_mut(&mut elements).copy_from_slice(&self.bytes);
        elements
    }

    /// The element of a zero-dimensional array, as text.
    pub fn scalar(&self) -> Option<String> {
        if !self.shape.is_empty() {
            return None;
        }
        Some(match self.element.name {
            "f32" => self.elements::<f32>()[0].to_string(),
            "f64" => self.elements::<f64>()[0].to_string(),
            "i32" => self.elements::<i32>()[0].to_string(),
            "u32" => self.elements::<u32>()[0].to_string(),
            "i64" => self.elements::<i64>()[0].to_string(),
            "u64" => self.elements::<u64>()[0].to_string(),
            _ => return None,
        })
    }

    /// Rows and columns, for a matrix called `name`.
    ///
    /// # Errors
    /// If the array is not two-dimensional, or an extent does not fit 32 bits.
    pub fn matrix(&self, name: &str) -> Result<(u32, u32)> {
        let refuse = |why: String, help: &str| Err(Error::Request { why, help: help.to_owned() });
        let [rows, cols] = self.shape[..] else {
            let why = format!("`{name}` has {} dimensions, a matrix has 2", self.shape.len());
            return refuse(why, "reshape it: np.save('a.npy', a.reshape(rows, cols))");
        };
        match (u32::try_from(rows), u32::try_from(cols)) {
            (Ok(rows), Ok(cols)) => Ok((rows, cols)),
            _ => refuse(
                format!("`{name}` is {rows}x{cols}, too large for 32-bit extents"),
                "work on it in parts",
            ),
        }
    }
}

/// An element type of ladders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ElementType {
    /// Its name in Rust.
    pub name: &'static str,
    /// Its size.
    pub bytes: usize,
}

impl ElementType {
    /// The element type that Rust calls `name`.
    pub fn named(name: &str) -> Option<ElementType> {
        ELEMENT_TYPES.into_iter().find(|element| element.name == name)
    }
}

/// Every element type.
pub const ELEMENT_TYPES: [ElementType; 12] = [
    ElementType { name: "f32", bytes: 4 },
    ElementType { name: "f64", bytes: 8 },
    ElementType { name: "f16", bytes: 2 },
    ElementType { name: "bf16", bytes: 2 },
    ElementType { name: "u8", bytes: 1 },
    ElementType { name: "u16", bytes: 2 },
    ElementType { name: "u32", bytes: 4 },
    ElementType { name: "u64", bytes: 8 },
    ElementType { name: "i8", bytes: 1 },
    ElementType { name: "i16", bytes: 2 },
    ElementType { name: "i32", bytes: 4 },
    ElementType { name: "i64", bytes: 8 },
];

/// Runs an expression with `$E` as the unsigned integer of `$bytes` bytes: 1, 2, 4 or else 8.
#[macro_export]
macro_rules! with_bits {
    ($bytes:expr, $E:ident => $body:expr) => {
        match $bytes {
            1 => {
                type $E = u8;
                $body
            }
            2 => {
                type $E = u16;
                $body
            }
            4 => {
                type $E = u32;
                $body
            }
            _ => {
                type $E = u64;
                $body
            }
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_determines_its_elements() {
        let first: Vec<u32> = random_elements(100, 7);
        assert_eq!(first, random_elements::<u32>(100, 7));
        assert_ne!(first, random_elements::<u32>(100, 8));
        assert!(first.iter().filter(|&&word| word == 0).count() < 5);
    }

    #[test]
    fn random_elements_repeat_after_a_prime_number() {
        let some: Vec<u8> = random_elements(DRAWN + 5, 7);
        assert_eq!(some.len(), DRAWN + 5);
        assert_eq!(some[..5], some[DRAWN..]);
        assert!(
            (2..=2048).all(|divisor| !DRAWN.is_multiple_of(divisor)),
            "2048 squared is above it"
        );
    }

    #[test]
    fn values_come_in_order() {
        for count in [0, 1, 2, 1000] {
            let want: Vec<usize> = (0..count).map(|i| i * i).collect();
            assert_eq!(in_parallel(count, |i| i * i), want);
        }
    }

    #[test]
    fn formats_round_as_they_do_on_hardware() {
        let tie = 1.0 + 2f32.powi(-11);
        assert_eq!(Format::Tf32.round(tie), 1.0);
        assert_eq!(Format::Tf32Away.round(tie), 1.0 + 2f32.powi(-10));
        assert_eq!(Format::Tf32Cut.round(1.0 + 2f32.powi(-10) * 0.99), 1.0);
        assert_eq!(Format::Bf16.round(0.1), half::bf16::from_f32(0.1).to_f32());
        assert_eq!(Format::Bf16.round(f32::MAX), f32::INFINITY);
        assert_eq!(Format::F16.round(1e5), f32::INFINITY);
        for format in Format::ALL {
            assert_eq!(format.round(-0.75), -0.75);
            assert!(format.round(f32::NAN).is_nan());
            assert_eq!(format.round(f32::NEG_INFINITY), f32::NEG_INFINITY);
            assert!(format.holds(1.5) && !format.holds(0.1));
        }
    }
}
