//! Arrays of numbers as in files: a shape, an element type and bytes in C order.
//!
//! A kernel that only moves data depends on the size of its elements, not on their type, so such ladders are compiled
//! once per size.

use lanework::{Element, Error, Result};

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
