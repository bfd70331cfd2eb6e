//! The entries of `.debug_info` (DWARF 2 to 4, "Debugging Information Entry"), as a list with parents.

use super::sections::{ByteReader, DebugSections};
use std::collections::HashMap;

/// The value of an attribute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AttributeValue {
    /// A number, an address, or the offset of another entry or of a location list.
    Number(u64),
    /// A text.
    Text(String),
    /// A location, as operations.
    Block(Vec<u8>),
}

/// An entry.
#[derive(Clone, Debug)]
pub struct DebugEntry {
    /// Its tag: `DW_TAG_...`.
    pub tag: u64,
    /// Its offset in the section, by which others refer to it.
    pub offset: u64,
    /// The enclosing entry, by its position in the list.
    pub parent: Option<usize>,
    attributes: Vec<(u64, AttributeValue)>,
}

impl DebugEntry {
    /// The value of an attribute: `DW_AT_...`.
    pub fn attribute(&self, name: u64) -> Option<&AttributeValue> {
        self.attributes.iter().find(|(of, _)| *of == name).map(|(_, value)| value)
    }

    /// A number.
    pub fn number(&self, name: u64) -> Option<u64> {
        match self.attribute(name)? {
            AttributeValue::Number(value) => Some(*value),
            _ => None,
        }
    }

    /// A text.
    pub fn text(&self, name: u64) -> Option<&str> {
        match self.attribute(name)? {
            AttributeValue::Text(text) => Some(text),
            _ => None,
        }
    }
}

/// An abbreviation: the tag, whether there are children, and the attributes with their forms.
type Abbreviation = (u64, bool, Vec<(u64, u64)>);

fn abbreviations(bytes: &[u8]) -> HashMap<u64, Abbreviation> {
    let (mut found, mut from) = (HashMap::new(), ByteReader(bytes));
    let mut next = || {
        let code = from.unsigned().filter(|code| *code != 0)?;
        let (tag, children) = (from.unsigned()?, from.number(1)? != 0);
        let mut attributes = Vec::new();
        loop {
            match (from.unsigned()?, from.unsigned()?) {
                (0, 0) => break,
                attribute => attributes.push(attribute),
            }
        }
        Some((code, (tag, children, attributes)))
    };
    while let Some((code, abbreviation)) = next() {
        found.insert(code, abbreviation);
    }
    found
}

/// Reads an attribute's value; `unit` is the offset of its unit.
fn value(
    from: &mut ByteReader<'_>,
    form: u64,
    (unit, address): (u64, usize),
    sections: &DebugSections,
) -> Option<AttributeValue> {
    use AttributeValue::{Block, Number, Text};
    let block = |from: &mut ByteReader<'_>, count: u64| {
        Some(Block(from.take(usize::try_from(count).ok()?)?.to_vec()))
    };
    Some(match form {
        // DW_FORM_addr
        0x01 => Number(from.number(address)?),
        // DW_FORM_block2, block4, block, block1, exprloc
        0x03 => {
            let count = from.number(2)?;
            block(from, count)?
        }
        0x04 => {
            let count = from.number(4)?;
            block(from, count)?
        }
        0x09 | 0x18 => {
            let count = from.unsigned()?;
            block(from, count)?
        }
        0x0a => {
            let count = from.number(1)?;
            block(from, count)?
        }
        // DW_FORM_data1, flag
        0x0b | 0x0c => Number(from.number(1)?),
        // DW_FORM_data2
        0x05 => Number(from.number(2)?),
        // DW_FORM_data4, sec_offset
        0x06 | 0x17 => Number(from.number(4)?),
        // DW_FORM_data8
        0x07 => Number(from.number(8)?),
        // DW_FORM_string
        0x08 => Text(from.text()?),
        // DW_FORM_strp
        0x0e => {
            let at = usize::try_from(from.number(4)?).ok()?;
            Text(ByteReader(sections.section(".debug_str").get(at..)?).text()?)
        }
        // DW_FORM_sdata, whose sign no known attribute needs, and udata
        0x0d | 0x0f => Number(from.unsigned()?),
        // DW_FORM_ref1, ref2, ref4, ref8, ref_udata
        0x11 => Number(unit + from.number(1)?),
        0x12 => Number(unit + from.number(2)?),
        0x13 => Number(unit + from.number(4)?),
        0x14 => Number(unit.checked_add(from.number(8)?)?),
        0x15 => Number(unit.checked_add(from.unsigned()?)?),
        // DW_FORM_ref_addr
        0x10 => Number(from.number(4)?),
        // DW_FORM_flag_present
        0x19 => Number(1),
        _ => return None,
    })
}

/// The entries of all units. Ends early at what is malformed or of another version.
pub fn entries(sections: &DebugSections) -> Vec<DebugEntry> {
    let info = sections.section(".debug_info");
    let (mut found, mut start) = (Vec::new(), 0usize);
    while let Some(end) = unit(info, start, sections, &mut found) {
        start = end;
    }
    found
}

/// Reads the unit at an offset; returns the offset of its end.
fn unit(
    info: &[u8],
    start: usize,
    sections: &DebugSections,
    found: &mut Vec<DebugEntry>,
) -> Option<usize> {
    let mut from = ByteReader(info.get(start..)?);
    let length = usize::try_from(from.number(4)?).ok()?;
    let end = start.checked_add(4)?.checked_add(length)?;
    // NVIDIA's compiler counts the length without its own zero bytes at the end.
    let end = end.min(info.len());
    let version = from.number(2)?;
    if !(2..=4).contains(&version) {
        return None;
    }
    let abbreviations =
        abbreviations(sections.section(".debug_abbrev").get(from.number(4)? as usize..)?);
    let address = (from.number(1)? as usize).min(8);
    let mut parents: Vec<usize> = Vec::new();
    loop {
        let offset = info.len() - from.0.len();
        if offset >= end {
            return Some(end).filter(|end| *end > start);
        }
        let code = from.unsigned()?;
        if code == 0 {
            parents.pop();
            continue;
        }
        let (tag, children, attributes) = abbreviations.get(&code)?;
        let mut values = Vec::new();
        for (name, form) in attributes {
            values.push((*name, value(&mut from, *form, (start as u64, address), sections)?));
        }
        found.push(DebugEntry {
            tag: *tag,
            offset: offset as u64,
            parent: parents.last().copied(),
            attributes: values,
        });
        if *children {
            parents.push(found.len() - 1);
        }
    }
}
