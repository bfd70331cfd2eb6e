//! The header of a .npy file: magic bytes, a version, a length, and a Python dictionary with the element type (as numpy
//! names it), the order and the shape, as numpy's `numpy.lib.format` documents them (versions 1.0, 2.0 and 3.0).
//!
//! Only the Python literals that numpy writes there are parsed: strings without escapes, `True`, `False`, integers, and
//! tuples of integers. Arrays of records, which have a list in `descr`, are refused; only the names and types of their
//! fields are kept, for the message.

use lanework_lab::ElementType;
use std::io::Read;

/// The bytes that every .npy file begins with.
const MAGIC: &[u8] = b"\x93NUMPY";

/// Maximum length of the dictionary; numpy refuses longer ones by default, too.
const LONGEST: u64 = 10_000;

/// The contents of a header.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Header {
    /// numpy's name of the element type; `None` for records.
    pub type_name: Option<String>,
    /// The fields of records, each with numpy's name of its type if that is a plain one.
    pub fields: Vec<RecordField>,
    /// Whether the first index varies fastest.
    pub fortran_order: bool,
    /// The extents.
    pub shape: Vec<u64>,
}

/// A field of records.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct RecordField {
    /// Its name.
    pub name: String,
    /// numpy's name of its type; empty for a type with fields of its own.
    pub type_name: String,
}

impl Header {
    /// Reads a header, and leaves `reader` at the first element.
    ///
    /// # Errors
    /// The reason why it is invalid.
    pub fn read(reader: &mut impl Read) -> Result<Header, String> {
        let mut start = [0; 8];
        let whole = reader.read_exact(&mut start);
        if whole.is_err() || !start.starts_with(MAGIC) {
            return Err("it does not begin with numpy's magic bytes".to_owned());
        }
        // Version 1 has a length of two bytes, later ones of four.
        let mut length = [0; 4];
        let bytes = if start[6] == 1 { 2 } else { 4 };
        if !(1..=3).contains(&start[6]) {
            return Err(format!("its version is {}.{}, not 1.0 to 3.0", start[6], start[7]));
        }
        reader.read_exact(&mut length[..bytes]).map_err(|_| "its header is cut short")?;
        let length = u64::from(u32::from_le_bytes(length));
        if length > LONGEST {
            return Err(format!("its header of {length} bytes is longer than {LONGEST}"));
        }
        let mut text = String::new();
        match reader.take(length).read_to_string(&mut text) {
            Ok(read) if read as u64 == length => {}
            Ok(_) => return Err("its header is cut short".to_owned()),
            Err(_) => return Err("its header is not text".to_owned()),
        }
        let mut literal = Literal { rest: &text };
        literal.header().ok_or_else(|| match literal.rest.trim() {
            "" => "its header ends within its dictionary".to_owned(),
            rest => {
                let near: String = rest.chars().take(20).collect();
                format!("its header is not numpy's dictionary at `{near}`")
            }
        })
    }

    /// A header of version 1.0 for elements of numpy's type `type_name` in C order, padded to 64 bytes.
    pub fn bytes(type_name: &str, shape: &[u64]) -> Vec<u8> {
        let extents: Vec<String> = shape.iter().map(u64::to_string).collect();
        let comma = if extents.len() == 1 { "," } else { "" };
        let mut dictionary = format!(
            "{{'descr': '{type_name}', 'fortran_order': False, 'shape': ({}{comma}), }}",
            extents.join(", ")
        );
        let unpadded = 10 + dictionary.len() + 1;
        dictionary.push_str(&" ".repeat(unpadded.next_multiple_of(64) - unpadded));
        dictionary.push('\n');
        let mut header = [MAGIC, &[1, 0]].concat();
        header.extend((dictionary.len() as u16).to_le_bytes());
        header.extend(dictionary.as_bytes());
        header
    }
}

/// The unread rest of a Python literal.
struct Literal<'a> {
    rest: &'a str,
}

impl<'a> Literal<'a> {
    /// The dictionary, with its keys in any order and nothing after it.
    fn header(&mut self) -> Option<Header> {
        let mut header = Header::default();
        let mut seen = [false; 3];
        self.expect('{')?;
        while !self.is_next('}') {
            let key = self.string()?;
            self.expect(':')?;
            let index = match key {
                "descr" => {
                    header.type_name = self.type_name(&mut header.fields)?;
                    0
                }
                "fortran_order" => {
                    header.fortran_order = self.boolean()?;
                    1
                }
                "shape" => {
                    header.shape = self.tuple()?;
                    2
                }
                _ => return None,
            };
            seen[index] = true;
            if !self.is_next(',') {
                self.expect('}')?;
                break;
            }
        }
        (seen == [true; 3] && self.rest.trim().is_empty()).then_some(header)
    }

    /// Skips `wanted` if it is next, and returns whether it was.
    fn is_next(&mut self, wanted: char) -> bool {
        let after = self.rest.trim_start().strip_prefix(wanted);
        self.rest = after.unwrap_or(self.rest);
        after.is_some()
    }

    fn expect(&mut self, wanted: char) -> Option<()> {
        self.is_next(wanted).then_some(())
    }

    fn string(&mut self) -> Option<&'a str> {
        let text = self.rest.trim_start();
        let quote = text.chars().next().filter(|quote| matches!(quote, '\'' | '"'))?;
        let (string, rest) = text[1..].split_once(quote)?;
        self.rest = rest;
        Some(string)
    }

    /// The name of a plain type, or `None` for a type that is a tuple or a list of fields, which are added to `fields`.
    fn type_name(&mut self, fields: &mut Vec<RecordField>) -> Option<Option<String>> {
        if !self.rest.trim_start().starts_with(['[', '(']) {
            return self.string().map(|name| Some(name.to_owned()));
        }
        // A field is a tuple in the list: its name (or a title and its name), its type, and for an array its shape.
        let (mut depth, mut parts) = (0, Vec::new());
        loop {
            self.rest = self.rest.trim_start();
            match self.rest.chars().next()? {
                '\'' | '"' => {
                    let part = self.string()?.to_owned();
                    if depth == 2 || depth == 3 && parts.is_empty() {
                        parts.push(part);
                    } else if depth == 3 && parts.len() == 1 {
                        parts[0] = part;
                    }
                    continue;
                }
                '[' | '(' | '{' => depth += 1,
                ']' | ')' | '}' => {
                    depth -= 1;
                    if depth == 1 && !parts.is_empty() {
                        let mut parts = std::mem::take(&mut parts).into_iter();
                        let mut next = || parts.next().unwrap_or_default();
                        fields.push(RecordField { name: next(), type_name: next() });
                    }
                }
                _ => {}
            }
            self.rest = &self.rest[self.rest.chars().next()?.len_utf8()..];
            if depth == 0 {
                return Some(None);
            }
        }
    }

    fn boolean(&mut self) -> Option<bool> {
        let text = self.rest.trim_start();
        let value = text.starts_with("True");
        self.rest = text.strip_prefix(if value { "True" } else { "False" })?;
        Some(value)
    }

    /// Whole numbers in parentheses; Python 2 wrote an `L` after long ones.
    fn tuple(&mut self) -> Option<Vec<u64>> {
        let mut extents = Vec::new();
        self.expect('(')?;
        while !self.is_next(')') {
            let text = self.rest.trim_start();
            let end = text.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(text.len());
            extents.push(text[..end].parse().ok()?);
            self.rest = text[end..].strip_prefix('L').unwrap_or(&text[end..]);
            if !self.is_next(',') {
                self.expect(')')?;
                break;
            }
        }
        Some(extents)
    }
}

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

    /// A file of this version whose header is `dictionary`.
    fn file(version: u8, dictionary: &str) -> Vec<u8> {
        let mut file = [MAGIC, &[version, 0]].concat();
        let length = (dictionary.len() as u32).to_le_bytes();
        file.extend(&length[..if version == 1 { 2 } else { 4 }]);
        file.extend(dictionary.as_bytes());
        file
    }

    fn read(dictionary: &str) -> Result<Header, String> {
        Header::read(&mut file(1, dictionary).as_slice())
    }

    #[test]
    fn headers_of_every_version_are_read_up_to_the_elements() {
        let dictionary = "{'descr': '<f4', 'fortran_order': True, 'shape': (3, 4), }   \n";
        for version in 1..=3 {
            let mut file = file(version, dictionary);
            file.extend([1, 2, 3]);
            let mut reader = file.as_slice();
            let header = Header::read(&mut reader).expect("a header");
            assert_eq!(header.type_name.as_deref(), Some("<f4"));
            assert!(header.fortran_order);
            assert_eq!(
                (header.shape.as_slice(), reader),
                ([3, 4].as_slice(), [1, 2, 3].as_slice())
            );
        }
    }

    #[test]
    fn written_headers_round_trip() {
        for shape in [vec![], vec![7], vec![2, 3], vec![1, 0, u64::MAX]] {
            let bytes = Header::bytes("|u1", &shape);
            assert_eq!(bytes.len() % 64, 0);
            let type_name = Some("|u1".to_owned());
            let expected = Header { type_name, shape, ..Header::default() };
            assert_eq!(Header::read(&mut bytes.as_slice()), Ok(expected));
        }
    }

    #[test]
    fn literals_as_python_may_write_them_are_read() {
        for (dictionary, shape) in [
            ("{\"shape\":(5L,),\"descr\":\"<f4\",\"fortran_order\":False}", vec![5]),
            ("{ 'fortran_order' : False , 'shape' : ( ) , 'descr' : '<f4' }", vec![]),
            (
                "{'descr': [('a]', '<f4'), ('b', '<f4', (2,))], 'fortran_order': False, 'shape': (1, 2)}",
                vec![1, 2],
            ),
            ("{'descr': ('<f4', (2,)), 'fortran_order': False, 'shape': (9,)}", vec![9]),
        ] {
            let header = read(dictionary).expect(dictionary);
            assert_eq!(header.shape, shape);
            assert_eq!(
                header.type_name.is_none(),
                dictionary.contains("'descr': [") || dictionary.contains("'descr': (")
            );
        }
    }

    #[test]
    fn records_keep_their_fields() {
        let fields = |descr: &str| {
            let header =
                read(&format!("{{'descr': {descr}, 'fortran_order': False, 'shape': (2,)}}"));
            let fields = header.expect(descr).fields.into_iter();
            fields.map(|field| format!("{}:{}", field.name, field.type_name)).collect::<Vec<_>>()
        };
        assert_eq!(fields("[('x', '<f4'), ('id', '<i4', (2,))]"), ["x:<f4", "id:<i4"]);
        assert_eq!(fields("[(('a title', 'x'), '<f4')]"), ["x:<f4"]);
        assert_eq!(fields("[('p', [('x', '<f4'), ('y', '<f4')]), ('m', '<f8')]"), ["p:", "m:<f8"]);
    }

    #[test]
    fn other_texts_are_refused() {
        for dictionary in [
            "",
            "{}",
            "{'descr': '<f4', 'fortran_order': False}",
            "{'descr': '<f4', 'fortran_order': False, 'shape': (3)",
            "{'descr': '<f4', 'fortran_order': False, 'shape': (-3,)}",
            "{'descr': '<f4', 'fortran_order': False, 'shape': (3,,)}",
            "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}",
            "{'descr': '<f4', 'fortran_order': 0, 'shape': (3,)}",
            "{'descr': '<f4', 'fortran_order': False, 'shape': (3,)} more",
            "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), 'extra': 1}",
            "{'descr': [('a', '<f4', 'fortran_order': False, 'shape': (3,)}",
            "{'descr': é, 'fortran_order': False, 'shape': (3,)}",
        ] {
            assert!(read(dictionary).is_err(), "{dictionary}");
        }
        let long = Header::read(&mut file(2, &" ".repeat(20_000)).as_slice());
        assert!(long.is_err_and(|why| why.contains("20000 bytes")));
        let new = Header::read(&mut file(4, "{}").as_slice());
        assert!(new.is_err_and(|why| why.contains("version is 4.0")));
    }

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
