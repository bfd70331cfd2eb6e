//! Element types of tasks.

pub use lanework_numbers::NumberType as Element;

/// Every element type that a task may have.
pub const ELEMENTS: [Element; 10] = [
    Element::F32,
    Element::F64,
    Element::F16,
    Element::Bf16,
    Element::U8,
    Element::I8,
    Element::U32,
    Element::I32,
    Element::U64,
    Element::I64,
];

/// The element type with this name.
pub fn named(name: &str) -> Option<Element> {
    ELEMENTS.into_iter().find(|element| element.name() == name)
}
