//! Element types by name. A kernel that only moves data needs no more of a type than its size, so
//! such ladders are compiled once per size, not once per type.

/// An element type that a ladder can be climbed with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ElementType {
    /// Rust's name of it.
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
pub(crate) use with_bits;
