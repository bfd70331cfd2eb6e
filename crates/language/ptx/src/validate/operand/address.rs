//! Checks of addresses and state spaces, and type compatibility of registers and literals.

use crate::ast::{Address, AddressBase, Immediate, Variable};
use crate::instructions::{Modifier, NamedSpecial};
use crate::types::ScalarType::{self, U32, *};
use crate::types::StateSpace;
use crate::validate::Checker;
use crate::validate::names::Symbol;

impl Checker<'_> {
    /// An address of tensor memory, `[register+offset]`.
    pub(super) fn tensor_memory(&self, address: &Address) -> FitResult {
        let name = match &address.base {
            AddressBase::Name(name) if address.extra.is_empty() => name,
            _ => return Err("is not an address of tensor memory; expected a register".to_owned()),
        };
        match self.register(name) {
            Some(r) => self.scalar_register(name, r, U32, false),
            None if self.resolve(name).is_none() && NamedSpecial::from_name(name).is_none() => {
                Ok(())
            }
            None => Err(format!("`[{name}]`, is not a register; tensor memory has no variables")),
        }
    }

    /// An address, `[base+offset]`, in the space that the instruction names.
    pub(in crate::validate) fn address(
        &self,
        address: &Address,
        space: Option<Modifier>,
        any_size: bool,
    ) -> FitResult {
        let name = match &address.base {
            AddressBase::Name(name) => name,
            AddressBase::Absolute(_) if space == Some(Modifier::Local) => return Ok(()),
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
                let narrow = |space: Modifier| space != Modifier::Global;
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
        if NamedSpecial::from_name(name).is_some() {
            return Err(format!("`[{name}]`, is a special register; move it to a register"));
        }
        match self.resolve(name) {
            Some(Symbol::Variable(variable, _)) => match space {
                Some(space) => in_space(name, variable, space),
                None if variable.space == StateSpace::Param => {
                    Err(format!("`[{name}]`, is in .param; expected generic memory"))
                }
                None => Ok(()),
            },
            None => Ok(()),
            Some(meaning) => Err(format!("`[{name}]`, is {}; expected memory", meaning.describe())),
        }
    }
}

/// Whether a variable is in the space that the instruction names.
pub(super) fn in_space(name: &str, variable: &Variable, space: Modifier) -> FitResult {
    match space.state_space() == Some(variable.space) {
        true => Ok(()),
        false => Err(format!("`{name}`, is in {}; expected .{space}", variable.space)),
    }
}

/// Whether an operand fits; the error says why not.
pub(super) type FitResult = Result<(), String>;

pub(in crate::validate) fn is_bits(ty: ScalarType) -> bool {
    matches!(ty, B8 | B16 | B32 | B64 | B128)
}

pub(in crate::validate) fn is_integer(ty: ScalarType) -> bool {
    matches!(ty, U8 | U16 | U32 | U64 | S8 | S16 | S32 | S64)
}

/// Whether a register of type `register` fits an operand of type `wanted`. Sizes must agree, except that the register
/// may be wider if `wide`. Untyped bits match all types, integers match integers, floats only their own type.
pub(super) fn agrees(wanted: ScalarType, register: ScalarType, wide: bool) -> bool {
    if (wanted == Pred) != (register == Pred) {
        return false;
    }
    let size =
        if wide { register.size() >= wanted.size() } else { register.size() == wanted.size() };
    // ptxas counts .f16x2 registers among the 32-bit integers, and has no .bf16 ones.
    let integer = is_integer(register) || register == F16x2;
    size && (is_bits(wanted)
        || is_bits(register)
        || wanted == register
        || is_integer(wanted) && integer)
}

/// Whether a literal may stand for a value of type `wanted`.
pub(super) fn literal_fits(value: Immediate, wanted: ScalarType) -> bool {
    match value {
        Immediate::Integer(_) => wanted == Pred || is_bits(wanted) || is_integer(wanted),
        Immediate::F32(_) => matches!(wanted, F32 | F64 | B32),
        Immediate::F64(_) => matches!(wanted, F32 | F64 | B64),
    }
}

/// The untyped type of the same size, because arguments are compared by size.
pub(super) fn bits_of(ty: ScalarType) -> ScalarType {
    match ty.size() {
        _ if ty == Pred => Pred,
        1 => B8,
        2 => B16,
        4 => B32,
        8 => B64,
        _ => B128,
    }
}

/// A type as messages name it.
pub(super) fn wanted(ty: ScalarType) -> String {
    if ty == Pred { "a .pred register".to_owned() } else { format!("a .{} value", ty.name()) }
}

/// A literal in PTX notation.
pub(super) fn shown(value: Immediate) -> String {
    match value {
        Immediate::Integer(value) => value.to_string(),
        Immediate::F32(bits) => format!("0f{bits:08X}"),
        Immediate::F64(bits) => format!("0d{bits:016X}"),
    }
}
