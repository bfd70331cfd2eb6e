//! Where an element of an array of several dimensions lies: its indices times the strides.

use super::place::{Base, Place};
use crate::builder::Builder;
use crate::data::Data;
use crate::value::{Index, Value, integer};
use lanework_ptx::ScalarType;

/// The place of an element of an array of shape `dims`, unchecked.
///
/// Shared addresses are 32-bit and wrap as index arithmetic does, so the constant summand of every index moves into the
/// instruction's immediate offset.
pub(crate) fn element_place<T: Data>(
    b: &mut Builder,
    array: Place<T>,
    dims: &[u32],
    index: &[Index],
) -> Place<T> {
    let mut offset = array.offset;
    let mut address = match array.base {
        Base::Register(value) => Some(value),
        Base::Symbol(_) => None,
    };
    let mut stride = T::size() as i64;
    let strides: Vec<i64> = dims
        .iter()
        .rev()
        .map(|extent| {
            let this = stride;
            stride *= i64::from(*extent);
            this
        })
        .collect();
    let ty = ScalarType::U32;
    for (index, stride) in index.iter().zip(strides.into_iter().rev()) {
        let (value, constant) = match index.value {
            Value::Constant(bits) => (None, integer(bits, index.ty) as i64),
            value => {
                let (value, constant) = b.split_sum(value);
                (Some(value), constant)
            }
        };
        offset += constant * stride;
        if let Some(value) = value {
            let word = match index.ty.size() {
                8 => b.pure("cvt.u32.u64", ty, &[(value, ScalarType::U64)]),
                _ => value,
            };
            let base = match (address, array.base) {
                (Some(address), _) => address,
                (None, Base::Symbol(symbol)) => b.symbol_address(symbol),
                (None, Base::Register(value)) => value,
            };
            let scale = Value::Constant(stride as u64);
            let inputs = [(word, ty), (scale, ty), (base, ty)];
            address = Some(b.pure("mad.lo.u32", ty, &inputs));
        }
    }
    Place::new(array.space, address.map_or(array.base, Base::Register), offset)
}
