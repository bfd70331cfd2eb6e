//! Addresses: what stands in brackets, and in which state space a variable lies.

use super::super::Checker;
use super::super::names::{self, Meaning};
use super::types::{Fit, is_bits, is_integer};
use crate::ast::{Address, AddressBase, Variable};
use crate::types::{ScalarType::U32, StateSpace};

impl Checker<'_> {
    /// An address of tensor memory, `[register+offset]`.
    pub(super) fn tensor_memory(&self, address: &Address) -> Fit {
        let name = match &address.base {
            AddressBase::Name(name) if address.extra.is_empty() => name,
            _ => return Err("is not an address of tensor memory; expected a register".to_owned()),
        };
        match self.register(name) {
            Some(r) => self.scalar_register(name, r, U32, false),
            None if self.meaning(name).is_none() && names::special(name).is_none() => Ok(()),
            None => Err(format!("`[{name}]`, is not a register; tensor memory has no variables")),
        }
    }

    /// An address, `[base+offset]`, in the space that the instruction names.
    pub(in crate::validate) fn address(
        &self,
        address: &Address,
        space: Option<&str>,
        any_size: bool,
    ) -> Fit {
        let name = match &address.base {
            AddressBase::Name(name) => name,
            AddressBase::Absolute(_) if space == Some("local") => return Ok(()),
            AddressBase::Absolute(_) => {
                return Err(
                    "a literal address, exists only in .local; move it to a register".to_owned()
                );
            }
        };
        if !address.extra.is_empty() {
            return Err(format!("`[{name}, ...]`, has more than an address"));
        }
        match self.register(name) {
            Some(r) if r.vector == 1 && (is_bits(r.ty) || is_integer(r.ty)) => {
                let narrow = |space: &str| !space.starts_with("global");
                return match any_size || r.ty.size() >= 8 || space.is_some_and(narrow) {
                    true => Ok(()),
                    false => Err(format!(
                        "`[{name}]`, is a .{} register; addresses there have 64 bits",
                        r.ty.name()
                    )),
                };
            }
            Some(r) => {
                return Err(format!(
                    "`[{name}]`, is a .{} register; expected an integer one",
                    r.ty.name()
                ));
            }
            None => {}
        }
        if names::special(name).is_some() {
            return Err(format!("`[{name}]`, is a special register; move it to a register"));
        }
        match self.meaning(name) {
            Some(Meaning::Variable(variable, _)) => match space {
                Some(space) => in_space(name, variable, space),
                None if variable.space == StateSpace::Param => {
                    Err(format!("`[{name}]`, lies in .param; expected generic memory"))
                }
                None => Ok(()),
            },
            None => Ok(()),
            Some(meaning) => Err(format!("`[{name}]`, is {}; expected memory", meaning.describe())),
        }
    }
}

/// Whether a variable lies in the space that the instruction names.
pub(super) fn in_space(name: &str, variable: &Variable, space: &str) -> Fit {
    let wanted = space.split("::").next().unwrap_or_default();
    match variable.space.name() == wanted {
        true => Ok(()),
        false => Err(format!("`{name}`, lies in {}; expected .{space}", variable.space)),
    }
}
