//! Vectors: elements of one size, and registers that make up one value.

use super::super::Checker;
use super::super::form::{Kind, Spec};
use super::super::names;
use super::types::Fit;
use crate::ast::Operand;
use crate::types::ScalarType::{self, Pred};

impl Checker<'_> {
    /// Whether the registers of a vector have one size.
    pub(super) fn alike(&self, list: &[Operand]) -> Fit {
        let size = |operand: &Operand| match operand {
            Operand::Name(name) => self.register(name).map(|register| register.ty.size()),
            _ => None,
        };
        let mut sizes = list.iter().filter_map(size);
        let first = sizes.next();
        match sizes.all(|size| Some(size) == first) {
            true => Ok(()),
            false => Err("a vector, has elements of several sizes".to_owned()),
        }
    }

    /// Whether a name is a vector register whose elements make up a value of the type.
    pub(super) fn is_whole(&self, name: &str, ty: ScalarType) -> bool {
        self.register(name).is_some_and(|register| {
            register.vector > 1 && u32::from(register.vector) * register.ty.size() == ty.size()
        })
    }

    /// The parts of a value, `{a, b}`: equal registers that make up its size.
    pub(super) fn parts(&self, list: &[Operand], spec: &Spec, ty: ScalarType) -> Fit {
        let mut sizes = Vec::new();
        for part in list {
            let name = match part {
                Operand::Name(name) => name,
                _ if spec.kind == Kind::Destination => {
                    return Err("a vector, has an element that is not a register".to_owned());
                }
                _ => continue,
            };
            match self.register(name) {
                Some(register) if register.ty != Pred => sizes.push(register.ty.size()),
                _ if name == "_" && spec.kind == Kind::Destination => {}
                None if spec.kind != Kind::Destination && is_special_word(name) => sizes.push(4),
                _ => {
                    return Err(format!(
                        "a vector, has `{name}`, which is not a register that a part may be"
                    ));
                }
            }
        }
        let each = ty.size() / list.len().max(1) as u32;
        match sizes.iter().all(|size| *size == each) && each * list.len() as u32 == ty.size() {
            true => Ok(()),
            false => {
                Err(format!("a vector, does not have the {} bytes of .{}", ty.size(), ty.name()))
            }
        }
    }
}

/// Whether a name is one word of a special register: `%laneid`, `%tid.x`.
fn is_special_word(name: &str) -> bool {
    let (base, field) = name.split_once('.').unwrap_or((name, ""));
    names::special(base)
        .is_some_and(|(elements, bytes)| bytes == 4 && (elements > 1) != field.is_empty())
}
