//! Element types: real and complex numbers of single and double precision, held as complex numbers of double precision, which represent
//! each exactly.

use crate::status::{Result, Status, refuse};

/// A complex number.
pub type Number = num_complex::Complex<f64>;

/// An element type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Element {
    S,
    D,
    C,
    Z,
}

impl Element {
    /// The type of a `cudaDataType`.
    ///
    /// # Errors
    /// If the stand-in does not support it.
    pub fn of(code: i32) -> Result<Element> {
        match code {
            0 => Ok(Element::S),
            1 => Ok(Element::D),
            4 => Ok(Element::C),
            5 => Ok(Element::Z),
            _ => refuse(
                Status::NotSupported,
                &format!(
                    "elements of cudaDataType {code} are not supported; use f32, f64, or complex f32 or f64"
                ),
            ),
        }
    }

    /// The type of its real parts.
    pub fn real(self) -> Element {
        match self {
            Element::S | Element::C => Element::S,
            Element::D | Element::Z => Element::D,
        }
    }

    /// Whether it is complex.
    pub fn is_complex(self) -> bool {
        matches!(self, Element::C | Element::Z)
    }

    /// Bytes of an element.
    pub fn bytes(self) -> usize {
        match self {
            Element::S => 4,
            Element::D | Element::C => 8,
            Element::Z => 16,
        }
    }

    /// Reads an element from its bytes.
    pub fn read(self, from: &[u8]) -> Number {
        let single = |at: usize| {
            let mut bytes = [0; 4];
            bytes.copy_from_slice(&from[at..at + 4]);
            f64::from(f32::from_le_bytes(bytes))
        };
        let double = |at: usize| {
            let mut bytes = [0; 8];
            bytes.copy_from_slice(&from[at..at + 8]);
            f64::from_le_bytes(bytes)
        };
        match self {
            Element::S => Number::new(single(0), 0.0),
            Element::D => Number::new(double(0), 0.0),
            Element::C => Number::new(single(0), single(4)),
            Element::Z => Number::new(double(0), double(8)),
        }
    }

    /// Appends the bytes of an element, rounded to nearest.
    pub fn put(self, number: Number, to: &mut Vec<u8>) {
        match self {
            Element::S => to.extend((number.re as f32).to_le_bytes()),
            Element::D => to.extend(number.re.to_le_bytes()),
            Element::C => {
                to.extend((number.re as f32).to_le_bytes());
                to.extend((number.im as f32).to_le_bytes());
            }
            Element::Z => {
                to.extend(number.re.to_le_bytes());
                to.extend(number.im.to_le_bytes());
            }
        }
    }
}
