//! The names in a kernel of another compiler: DWARF (version 2 to 4) in the sections of its PTX, as `nvcc -G` and `clang -g`
//! write them.
//!
//! A register in a location is its PTX name, as ASCII bytes. Addresses in code are labels, which here are lines of the PTX
//! text: a variable's place is known from the line after one label to the line before another.

mod entries;
mod sections;

use crate::data::scope::{
    PlaceRange, SourceNames, SourceParameter, SourceVariable, TextPlace, TextPlaces, VariableFrame,
};
use crate::data::types::{DataType, FloatKind, RecordField, RecordType};
use entries::{AttributeValue, DebugEntry, entries};
use sections::{ByteReader, DebugSections};
use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

/// `DW_TAG_...`.
mod tag {
    pub const ARRAY: u64 = 0x01;
    pub const CLASS: u64 = 0x02;
    pub const ENUMERATION: u64 = 0x04;
    pub const PARAMETER: u64 = 0x05;
    pub const BLOCK: u64 = 0x0b;
    pub const MEMBER: u64 = 0x0d;
    pub const POINTER: u64 = 0x0f;
    pub const REFERENCE: u64 = 0x10;
    pub const STRUCTURE: u64 = 0x13;
    pub const TYPEDEF: u64 = 0x16;
    pub const UNION: u64 = 0x17;
    pub const SUBRANGE: u64 = 0x21;
    pub const BASE: u64 = 0x24;
    pub const CONST: u64 = 0x26;
    pub const SUBPROGRAM: u64 = 0x2e;
    pub const VARIABLE: u64 = 0x34;
    pub const VOLATILE: u64 = 0x35;
    pub const RVALUE_REFERENCE: u64 = 0x42;
}

/// `DW_AT_...`.
mod attribute {
    pub const LOCATION: u64 = 0x02;
    pub const NAME: u64 = 0x03;
    pub const SIZE: u64 = 0x0b;
    pub const LOW: u64 = 0x11;
    pub const HIGH: u64 = 0x12;
    pub const UPPER_BOUND: u64 = 0x2f;
    pub const COUNT: u64 = 0x37;
    pub const MEMBER_LOCATION: u64 = 0x38;
    pub const ENCODING: u64 = 0x3e;
    pub const TYPE: u64 = 0x49;
    pub const LINKAGE_NAME: u64 = 0x6e;
    pub const MIPS_LINKAGE_NAME: u64 = 0x2007;
}

/// Maximum number of types within types: a list's node points to a node.
const DEEPEST: u32 = 6;

/// Maximum number of members and elements of a type that are followed.
const MOST_FIELDS: usize = 256;

/// The names of a kernel in a PTX text; empty if the text has no debug information.
pub fn names(text: &str, entry: &str) -> SourceNames {
    let sections = DebugSections::of(text);
    let all = entries(&sections);
    let places = all.iter().enumerate().map(|(index, entry)| (entry.offset, index));
    let mut children: HashMap<usize, Vec<usize>> = HashMap::new();
    for (index, entry) in all.iter().enumerate() {
        if let Some(parent) = entry.parent {
            children.entry(parent).or_default().push(index);
        }
    }
    let info = DebugInfo {
        sections: &sections,
        all: &all,
        places: places.collect(),
        children,
        types: RefCell::default(),
    };
    let mut names = SourceNames::default();
    for (index, one) in all.iter().enumerate() {
        match one.tag {
            tag::PARAMETER => info.parameter(index, entry, &mut names),
            tag::VARIABLE => info.variable(index, &mut names),
            _ => {}
        }
    }
    names
}

struct DebugInfo<'d> {
    sections: &'d DebugSections,
    all: &'d [DebugEntry],
    /// Entries by their offsets.
    places: HashMap<u64, usize>,
    children: HashMap<usize, Vec<usize>>,
    /// Known types, by entry and depth.
    types: RefCell<HashMap<(usize, u32), DataType>>,
}

impl DebugInfo<'_> {
    fn parameter(&self, index: usize, kernel: &str, names: &mut SourceNames) {
        let Some((function, ..)) = self.function(index) else { return };
        let entry = &self.all[index];
        let name = entry.text(attribute::NAME).unwrap_or_default().to_owned();
        if function == kernel {
            names.parameters.push(SourceParameter { name, ty: self.type_of(entry, 0) });
            return;
        }
        self.variable(index, names);
    }

    fn variable(&self, index: usize, names: &mut SourceNames) {
        let entry = &self.all[index];
        let ty = self.type_of(entry, 0);
        let places = self.locations(entry);
        if let [PlaceRange { place: TextPlace::Variable(symbol, 0), .. }] = &places[..]
            && !symbol.starts_with("__local_depot")
        {
            names.arrays.push((symbol.clone(), ty));
            return;
        }
        let (Some((function, block)), Some(name)) =
            (self.function(index), entry.text(attribute::NAME))
        else {
            return;
        };
        names.variables.push(SourceVariable {
            function,
            name: name.to_owned(),
            ty,
            offset: 0,
            lines: [0, u32::MAX],
            text: Some(TextPlaces { scope: block, places }),
            frame: VariableFrame::OfFunction(String::new()),
        });
    }

    /// The function around an entry, and the lines of the innermost block.
    fn function(&self, index: usize) -> Option<(String, Range<u32>)> {
        let mut block = None;
        let mut at = self.all[index].parent;
        while let Some(parent) = at {
            let entry = &self.all[parent];
            let range = || {
                let low = entry.number(attribute::LOW)? as u32;
                Some(low..entry.number(attribute::HIGH)? as u32)
            };
            match entry.tag {
                tag::BLOCK | tag::SUBPROGRAM => block = block.or_else(range),
                _ => {}
            }
            if entry.tag == tag::SUBPROGRAM {
                let linked = [attribute::MIPS_LINKAGE_NAME, attribute::LINKAGE_NAME];
                let name = linked.iter().find_map(|name| entry.text(*name));
                let name = name.or_else(|| entry.text(attribute::NAME))?;
                return Some((name.to_owned(), block?));
            }
            at = entry.parent;
        }
        None
    }

    /// The places of a variable.
    fn locations(&self, entry: &DebugEntry) -> Vec<PlaceRange> {
        match entry.attribute(attribute::LOCATION) {
            Some(AttributeValue::Block(operations)) => {
                let place = self.place(operations);
                place.map(|place| PlaceRange { lines: 0..u32::MAX, place }).into_iter().collect()
            }
            Some(AttributeValue::Number(offset)) => self.list(*offset).unwrap_or_default(),
            _ => Vec::new(),
        }
    }

    /// A list of `.debug_loc`.
    fn list(&self, offset: u64) -> Option<Vec<PlaceRange>> {
        let bytes = self.sections.section(".debug_loc");
        let mut from = ByteReader(bytes.get(usize::try_from(offset).ok()?..)?);
        let mut found = Vec::new();
        loop {
            let (low, high) = (from.number(8)?, from.number(8)?);
            if (low, high) == (0, 0) {
                return Some(found);
            }
            let count = from.number(2)? as usize;
            let place = self.place(from.take(count)?);
            let lines = low as u32..high as u32;
            found.extend(place.map(|place| PlaceRange { lines, place }));
        }
    }

    /// The place that operations name: a register, or a variable of the PTX and an offset.
    fn place(&self, operations: &[u8]) -> Option<TextPlace> {
        let mut from = ByteReader(operations);
        let mut place = match from.number(1)? {
            // DW_OP_regx: the register's name in ASCII, the last character in the lowest byte.
            0x90 => {
                let code = from.unsigned()?.to_be_bytes();
                let name = code.iter().skip_while(|byte| **byte == 0);
                let name: String = name.map(|byte| *byte as char).collect();
                TextPlace::Register(name)
            }
            // DW_OP_addr
            0x03 => TextPlace::Variable(self.sections.symbol(from.number(8)?)?.to_owned(), 0),
            _ => return None,
        };
        while let Some(operation) = from.number(1) {
            match (operation, &mut place) {
                // DW_OP_plus_uconst
                (0x23, TextPlace::Variable(_, offset)) => {
                    *offset = offset.checked_add(from.unsigned()?)?;
                }
                _ => return None,
            }
        }
        Some(place)
    }

    fn type_of(&self, entry: &DebugEntry, depth: u32) -> DataType {
        let to = entry.number(attribute::TYPE).and_then(|at| self.places.get(&at));
        to.map_or(DataType::Void, |to| self.data_type(*to, depth))
    }

    fn data_type(&self, index: usize, depth: u32) -> DataType {
        if depth > DEEPEST {
            return DataType::Void;
        }
        if let Some(known) = self.types.borrow().get(&(index, depth)) {
            return known.clone();
        }
        let ty = self.new_type(index, depth);
        self.types.borrow_mut().insert((index, depth), ty.clone());
        ty
    }

    fn new_type(&self, index: usize, depth: u32) -> DataType {
        let entry = &self.all[index];
        let size = entry.number(attribute::SIZE);
        let bytes = size.unwrap_or(0).min(255) as u8;
        let children = self.children.get(&index).map_or(&[][..], Vec::as_slice);
        match entry.tag {
            // DW_ATE_...
            tag::BASE => match (entry.number(attribute::ENCODING), bytes) {
                (Some(0x02), _) => DataType::Bool,
                (Some(0x04), 2) => DataType::Float(FloatKind::F16),
                (Some(0x04), 8) => DataType::Float(FloatKind::F64),
                (Some(0x04), _) => DataType::F32,
                (Some(0x05 | 0x06), 1 | 2 | 4 | 8) => DataType::Integer { bytes, signed: true },
                (_, 1 | 2 | 4 | 8) => DataType::Integer { bytes, signed: false },
                _ => DataType::Array(Arc::new(DataType::Bits(1)), bytes.into()),
            },
            tag::ENUMERATION if matches!(bytes, 1 | 2 | 4 | 8) => {
                DataType::Integer { bytes, signed: true }
            }
            tag::POINTER | tag::REFERENCE | tag::RVALUE_REFERENCE => {
                DataType::Pointer(Arc::new(self.type_of(entry, depth + 1)))
            }
            tag::CONST | tag::VOLATILE | tag::TYPEDEF => self.type_of(entry, depth + 1),
            tag::ARRAY => {
                let mut ty = self.type_of(entry, depth + 1);
                let ranges = children.iter().map(|child| &self.all[*child]);
                let ranges: Vec<u64> = ranges
                    .filter(|child| child.tag == tag::SUBRANGE)
                    .map(|child| {
                        let upper = child.number(attribute::UPPER_BOUND);
                        let upper = upper.and_then(|upper| upper.checked_add(1));
                        child.number(attribute::COUNT).or(upper).unwrap_or(0)
                    })
                    .collect();
                for count in ranges.into_iter().rev() {
                    ty = DataType::Array(Arc::new(ty), count);
                }
                ty
            }
            tag::STRUCTURE | tag::CLASS | tag::UNION => {
                let name = entry.text(attribute::NAME).unwrap_or("struct");
                if name == "__half" || name == "__nv_bfloat16" {
                    let bf16 = name == "__nv_bfloat16";
                    return DataType::Float(if bf16 { FloatKind::BF16 } else { FloatKind::F16 });
                }
                let members = children.iter().map(|child| &self.all[*child]);
                let members = members.filter(|child| child.tag == tag::MEMBER).take(MOST_FIELDS);
                let fields = members.map(|member| RecordField {
                    name: member.text(attribute::NAME).unwrap_or_default().to_owned(),
                    offset: self.member_offset(member),
                    ty: self.type_of(member, depth + 1),
                });
                DataType::Record(Arc::new(RecordType {
                    name: name.to_owned(),
                    bytes: size.unwrap_or(0),
                    fields: fields.collect(),
                }))
            }
            _ => DataType::Void,
        }
    }

    fn member_offset(&self, member: &DebugEntry) -> u64 {
        match member.attribute(attribute::MEMBER_LOCATION) {
            Some(AttributeValue::Number(offset)) => *offset,
            Some(AttributeValue::Block(operations)) => {
                let mut from = ByteReader(operations);
                // DW_OP_plus_uconst
                match from.number(1) {
                    Some(0x23) => from.unsigned().unwrap_or(0),
                    _ => 0,
                }
            }
            _ => 0,
        }
    }
}
