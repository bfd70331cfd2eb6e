//! The names in a Rust kernel that was staged for the debugger: comments of its PTX text, whose form `lanework_lang` defines
//! in `emit::named`.

use crate::data::scope::{SourceNames, SourceParameter, SourceVariable, VariableFrame};
use crate::data::types::{DataType, RecordField, RecordType};
use std::sync::Arc;

/// The start of a record.
const MARK: &str = "// lanework-debug: ";

/// Types may nest so deep.
const DEEPEST: u32 = 64;

/// The names that the records of a PTX text give; none if it has no records.
pub fn names(text: &str) -> SourceNames {
    let mut names = SourceNames::default();
    for record in text.lines().filter_map(|line| line.strip_prefix(MARK)) {
        let fields: Vec<&str> = record.split('\t').collect();
        match fields[..] {
            ["parameter", name, ty] => {
                names.parameters.extend(data_type(ty).map(|ty| parameter(name, ty)));
            }
            ["shared", symbol, ty] => {
                names.arrays.extend(data_type(ty).map(|ty| (symbol.to_owned(), ty)));
            }
            ["dynamic", name, symbol, offset, ty] => {
                let place = (symbol, offset, [0, u32::MAX]);
                names.variables.extend(variable(name, ty, place, None));
            }
            ["local", name, ty, symbol, offset, file, first, last] => {
                let lines = [first, last].map(|line| line.parse().unwrap_or(0));
                names.variables.extend(variable(name, ty, (symbol, offset, lines), Some(file)));
            }
            _ => {}
        }
    }
    names
}

fn parameter(name: &str, ty: DataType) -> SourceParameter {
    SourceParameter { name: name.to_owned(), ty }
}

fn variable(
    name: &str,
    ty: &str,
    (symbol, offset, lines): (&str, &str, [u32; 2]),
    file: Option<&str>,
) -> Option<SourceVariable> {
    Some(SourceVariable {
        function: String::new(),
        name: name.to_owned(),
        ty: data_type(ty)?,
        offset: offset.parse().ok()?,
        lines,
        text: None,
        frame: VariableFrame::Named { symbol: symbol.to_owned(), file: file.map(str::to_owned) },
    })
}

/// Reads a type; `None` if it is malformed.
fn data_type(text: &str) -> Option<DataType> {
    let mut reader = TypeReader { rest: text };
    let ty = reader.ty(0)?;
    reader.rest.is_empty().then_some(ty)
}

struct TypeReader<'t> {
    rest: &'t str,
}

impl<'t> TypeReader<'t> {
    fn takes(&mut self, c: char) -> bool {
        match self.rest.strip_prefix(c) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    /// The text before one of these characters.
    fn until(&mut self, ends: &[char]) -> &'t str {
        let at = self.rest.find(ends).unwrap_or(self.rest.len());
        let (text, rest) = self.rest.split_at(at);
        self.rest = rest;
        text
    }

    fn ty(&mut self, depth: u32) -> Option<DataType> {
        if depth > DEEPEST {
            return None;
        }
        if self.takes('*') {
            return Some(DataType::Pointer(Arc::new(self.ty(depth + 1)?)));
        }
        if self.takes('[') {
            let element = self.ty(depth + 1)?;
            let count =
                if self.takes(';') { self.until(&[']']).parse().ok()? } else { return None };
            return self.takes(']').then(|| DataType::Array(Arc::new(element), count));
        }
        if !self.takes('{') {
            return DataType::named(self.until(&[';', ',', '}', ']']));
        }
        let name = self.until(&[';']).to_owned();
        let bytes = if self.takes(';') { self.until(&[';']).parse().ok()? } else { return None };
        let mut fields = Vec::new();
        self.takes(';');
        while !self.takes('}') {
            let name = self.until(&['@']).to_owned();
            let offset =
                if self.takes('@') { self.until(&[':']).parse().ok()? } else { return None };
            let ty = if self.takes(':') { self.ty(depth + 1)? } else { return None };
            fields.push(RecordField { name, offset, ty });
            self.takes(',');
        }
        Some(DataType::Record(Arc::new(RecordType { name, bytes, fields })))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_give_names_and_types() {
        let text = ".version 7.0\n// lanework-debug: parameter\tx\t*f32\n\
            // lanework-debug: shared\ttile\t[[f32;33];32]\n\
            // lanework-debug: local\tpair\t{Pair;16;low@0:u32,all@8:[f32;2]}\tframe\t16\tsrc/a.rs\t3\t9\n";
        let found = names(text);
        assert_eq!(found.parameters[0].ty.to_string(), "f32*");
        assert_eq!(found.arrays[0].1.bytes(), 32 * 33 * 4);
        let pair = &found.variables[0];
        assert_eq!((pair.offset, pair.lines, pair.ty.bytes()), (16, [3, 9], 16));
        for wrong in ["", "[f32", "{a", "{a;4;b", "f99", "[f32;2]]", "{a;1;b@0:"] {
            assert_eq!(data_type(wrong), None, "{wrong}");
        }
        assert_eq!(data_type(&"[".repeat(100_000)), None);
    }
}
