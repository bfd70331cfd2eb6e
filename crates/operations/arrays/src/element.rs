//! Element types by name and number.

use lanework_runtime::{Error, Result};

/// The type of an array's elements, numbered as `lanework_type` in the C header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum ElementType {
    /// Signed, 8 bits.
    I8 = 0,
    /// Unsigned, 8 bits.
    U8 = 1,
    /// Signed, 16 bits.
    I16 = 2,
    /// Unsigned, 16 bits.
    U16 = 3,
    /// Signed, 32 bits.
    I32 = 4,
    /// Unsigned, 32 bits.
    U32 = 5,
    /// Signed, 64 bits.
    I64 = 6,
    /// Unsigned, 64 bits.
    U64 = 7,
    /// IEEE's binary16.
    F16 = 8,
    /// bfloat16.
    Bf16 = 9,
    /// IEEE's binary32.
    F32 = 10,
    /// IEEE's binary64.
    F64 = 11,
    /// Floats of 8 bits with 4 of exponent, OCP's E4M3.
    E4m3 = 12,
    /// Floats of 8 bits with 5 of exponent, OCP's E5M2.
    E5m2 = 13,
}

impl ElementType {
    /// All of them, by their numbers.
    pub const ALL: [ElementType; 14] = [
        ElementType::I8,
        ElementType::U8,
        ElementType::I16,
        ElementType::U16,
        ElementType::I32,
        ElementType::U32,
        ElementType::I64,
        ElementType::U64,
        ElementType::F16,
        ElementType::Bf16,
        ElementType::F32,
        ElementType::F64,
        ElementType::E4m3,
        ElementType::E5m2,
    ];

    /// Its name as in Rust, in lower case.
    pub const fn name(self) -> &'static str {
        match self {
            ElementType::I8 => "i8",
            ElementType::U8 => "u8",
            ElementType::I16 => "i16",
            ElementType::U16 => "u16",
            ElementType::I32 => "i32",
            ElementType::U32 => "u32",
            ElementType::I64 => "i64",
            ElementType::U64 => "u64",
            ElementType::F16 => "f16",
            ElementType::Bf16 => "bf16",
            ElementType::F32 => "f32",
            ElementType::F64 => "f64",
            ElementType::E4m3 => "e4m3",
            ElementType::E5m2 => "e5m2",
        }
    }

    /// The type of a name.
    ///
    /// # Errors
    /// [`Error::Request`] with the valid names.
    ///
    /// ```
    /// use lanework_arrays::ElementType;
    ///
    /// assert_eq!(ElementType::of_name("bf16")?, ElementType::Bf16);
    /// assert!(ElementType::of_name("f80").unwrap_err().to_string().contains("e4m3"));
    /// # Ok::<(), lanework::Error>(())
    /// ```
    pub fn of_name(name: &str) -> Result<ElementType> {
        ElementType::ALL.into_iter().find(|of| of.name() == name).ok_or_else(|| {
            let known: Vec<&str> = ElementType::ALL.iter().map(|of| of.name()).collect();
            Error::Request {
                why: format!("`{name}` is not an element type"),
                help: format!("there are: {}", known.join(", ")),
            }
        })
    }

    /// The type of a number of the C header.
    pub fn of_number(number: i32) -> Option<ElementType> {
        ElementType::ALL.get(usize::try_from(number).ok()?).copied()
    }

    /// Bytes of an element.
    pub const fn bytes(self) -> usize {
        match self {
            ElementType::I8 | ElementType::U8 | ElementType::E4m3 | ElementType::E5m2 => 1,
            ElementType::I16 | ElementType::U16 | ElementType::F16 | ElementType::Bf16 => 2,
            ElementType::I32 | ElementType::U32 | ElementType::F32 => 4,
            ElementType::I64 | ElementType::U64 | ElementType::F64 => 8,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_names_and_types_match() {
        for (number, of) in ElementType::ALL.into_iter().enumerate() {
            assert_eq!(of as usize, number);
            assert_eq!(ElementType::of_number(number as i32), Some(of));
            assert_eq!(ElementType::of_name(of.name()).expect("known"), of);
        }
        assert_eq!([ElementType::of_number(14), ElementType::of_number(-1)], [None, None]);
    }
}
