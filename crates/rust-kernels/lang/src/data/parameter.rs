//! Kernel parameters by value.

use super::operations::{handle, stored_type};
use super::{Data, Handle, leaves};
use crate::builder::Builder;
use crate::current::with;
use crate::identifier::identifier;
use crate::value::{Value, memory_type};
use lanework_abi::{Parameter, ParameterKind};
use lanework_ptx::{Operand, ScalarType, StateSpace, Variable};

/// Declares the parameter `name: T`: a scalar, or a value passed as its bytes.
pub fn value_parameter<T: Data>(name: &'static str) -> Handle<T> {
    let leaves = leaves::<T>();
    let (size, align) = (T::size(), align_of::<T>() as u32);
    let values = with(|b| -> Vec<Value> {
        if let [leaf] = leaves.as_slice()
            && size == u64::from(stored_type(leaf.ty).size())
        {
            let kind = ParameterKind::Scalar(stored_type_of_parameter(leaf.ty));
            b.parameters.push(Parameter { name: name.to_owned(), kind });
            let value = b.parameter(name, stored_type_of_parameter(leaf.ty));
            return vec![b.at_top_unstored(value, leaf.ty)];
        }
        let kind = ParameterKind::Bytes { size, align };
        b.parameters.push(Parameter { name: name.to_owned(), kind });
        let name = b.unique(&identifier(name));
        b.entry_parameters.push(Variable {
            align: Some(align),
            dims: vec![Some(size)],
            ..Variable::new(StateSpace::Param, ScalarType::B8, &name)
        });
        leaves
            .iter()
            .map(|leaf| {
                let ty = stored_type_of_parameter(leaf.ty);
                let register = b.register(ty, false);
                let address = Operand::address(name.clone(), leaf.offset as i64);
                let operands = vec![Operand::Name(register.name()), address];
                b.at_top(&format!("ld.param.{}", memory_type(ty).name()), register, operands);
                b.at_top_unstored(Value::Register(register), leaf.ty)
            })
            .collect()
    });
    handle::<T>(values)
}

/// The bytes of a value as a parameter holds them, zero where it has padding.
pub fn bytes<T: Data>(value: T) -> Vec<u8> {
    let mut bits = Vec::new();
    value.bits(&mut bits);
    let mut out = vec![0; T::size() as usize];
    for (leaf, bits) in leaves::<T>().into_iter().zip(bits) {
        let size = stored_type(leaf.ty).size() as usize;
        let at = leaf.offset as usize;
        if let Some(place) = out.get_mut(at..at + size) {
            place.copy_from_slice(&bits.to_le_bytes()[..size]);
        }
    }
    out
}

/// The type that a parameter holds a leaf as: a `bool` is a byte.
fn stored_type_of_parameter(ty: ScalarType) -> ScalarType {
    if ty == ScalarType::Pred { ScalarType::U8 } else { ty }
}

impl Builder {
    /// A leaf of a parameter, at the kernel's top.
    fn at_top_unstored(&mut self, loaded: Value, ty: ScalarType) -> Value {
        if ty != ScalarType::Pred {
            return loaded;
        }
        let flag = self.register(ScalarType::Pred, false);
        let byte = self.operand(loaded, ScalarType::U32);
        let operands = vec![Operand::Name(flag.name()), byte, Operand::integer(0)];
        self.at_top("setp.ne.u32", flag, operands);
        Value::Register(flag)
    }
}
