//! Element types by name and number.

use lanework_runtime::{Error, Result};

pub use lanework_numbers::NumberType as ElementType;

/// The element types of arrays, by their numbers in the C header (`lanework_type`).
pub const ELEMENT_TYPES: [ElementType; 14] = {
    let [i8, u8, i16, u16, i32, u32, i64, u64, f16, bf16, f32, f64, e4m3, e5m2, ..] =
        ElementType::ALL;
    [i8, u8, i16, u16, i32, u32, i64, u64, f16, bf16, f32, f64, e4m3, e5m2]
};

/// The element type of a name.
///
/// # Errors
/// [`Error::Request`] with the valid names.
///
/// ```
/// use lanework_arrays::{ElementType, element_type_of_name};
///
/// assert_eq!(element_type_of_name("bf16")?, ElementType::Bf16);
/// assert!(element_type_of_name("f80").unwrap_err().to_string().contains("e4m3"));
/// # Ok::<(), lanework::Error>(())
/// ```
pub fn element_type_of_name(name: &str) -> Result<ElementType> {
    ELEMENT_TYPES.into_iter().find(|of| of.name() == name).ok_or_else(|| {
        let known = ELEMENT_TYPES.map(ElementType::name).join(", ");
        Error::Request {
            why: format!("`{name}` is not an element type"),
            help: format!("there are: {known}"),
        }
    })
}

/// The element type of a number of the C header.
pub fn element_type_of_number(number: i32) -> Option<ElementType> {
    ELEMENT_TYPES.get(usize::try_from(number).ok()?).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_names_and_types_match() {
        for (number, of) in ELEMENT_TYPES.into_iter().enumerate() {
            assert_eq!(of as usize, number);
            assert_eq!(element_type_of_number(number as i32), Some(of));
            assert_eq!(element_type_of_name(of.name()).expect("known"), of);
        }
        assert_eq!([element_type_of_number(14), element_type_of_number(-1)], [None, None]);
    }
}
