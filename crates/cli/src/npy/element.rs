//! Types of elements, as numpy names them and files store them.

use lanework_lab::ElementType;

/// How a file stores its elements.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Stored {
    pub(super) element: ElementType,
    /// numpy's name of the type, little-endian.
    pub(super) name: String,
    /// Whether bytes are in the wrong order.
    pub(super) big_endian: bool,
    /// Size of the unit whose bytes are swapped: an element, or half of a complex one.
    pub(super) unit: usize,
}

impl Stored {
    /// The type that numpy's name `text` denotes; `None` for anything but numbers of 1, 2, 4 or 8
    /// bytes.
    pub(super) fn named(text: &str) -> Option<Stored> {
        let mut letters = text.chars();
        let (order, kind) = (letters.next()?, letters.next()?);
        let size: usize = letters.as_str().parse().ok()?;
        if !"<>|=".contains(order) || !"fiucb".contains(kind) || !matches!(size, 1 | 2 | 4 | 8) {
            return None;
        }
        let kind_here = if "fiu".contains(kind) { kind } else { 'u' };
        let element = ElementType::named(&format!("{kind_here}{}", 8 * size))?;
        let name = format!("{}{kind}{size}", if size == 1 { '|' } else { '<' });
        let native_big = order == '=' && cfg!(target_endian = "big");
        let big_endian = size > 1 && (order == '>' || native_big);
        let unit = if kind == 'c' { size / 2 } else { size };
        Some(Stored { element, name, big_endian, unit })
    }
}

/// numpy's name of an element type.
pub(super) fn numpy_name(element: ElementType) -> String {
    let kind = element.name.chars().next().unwrap_or('u');
    match element.bytes {
        1 => format!("|{kind}1"),
        // numpy has no bfloat16: its bits are saved.
        2 if element.name == "bf16" => "<u2".to_owned(),
        bytes => format!("<{kind}{bytes}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_named_as_numpy_names_them() {
        for (text, name, stored) in [
            ("<f2", "f16", "<f2"),
            ("|u1", "u8", "|u1"),
            ("|b1", "u8", "|b1"),
            ("<i8", "i64", "<i8"),
            (">f4", "f32", "<f4"),
            (">c8", "u64", "<c8"),
        ] {
            let found = Stored::named(text).expect(text);
            assert_eq!((found.element.name, found.name.as_str()), (name, stored));
            assert_eq!(found.big_endian, text.starts_with('>'), "{text}");
        }
        assert_eq!(Stored::named(">c8").map(|stored| stored.unit), Some(4));
        for text in ["<c16", "<U4", "|O", "|V2", "<M8", "<f16", "|S3", "f4"] {
            assert_eq!(Stored::named(text), None, "{text}");
        }
        assert_eq!(
            Stored::named("|u1").map(|stored| numpy_name(stored.element)),
            Some("|u1".into())
        );
    }
}
