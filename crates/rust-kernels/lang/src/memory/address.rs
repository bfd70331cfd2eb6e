//! Addresses: the place of an element from a base and an index.

use super::place::{Base, Place, Space};
use crate::builder::Builder;
use crate::value::{Index, Value};
use lanework_ptx::ScalarType;

/// The place of element `index`, of `size` bytes each, after a 64-bit `base` in global memory.
pub(crate) fn global_place<T>(b: &mut Builder, base: Value, index: Index, size: i64) -> Place<T> {
    if let Some(known) = index.known() {
        return Place::new(Space::Global, Base::Register(base), known as i64 * size);
    }
    let scale = Value::Constant(size as u64);
    let (wide, narrow) = match index.ty.is_signed() {
        true => ("mad.wide.s32", ScalarType::S32),
        false => ("mad.wide.u32", ScalarType::U32),
    };
    let long = ScalarType::S64;
    let (address, constant) = if index.ty.size() == 8 {
        // 64-bit index arithmetic wraps as addresses do, so a constant summand moves into the
        // instruction's immediate offset.
        let (variable, constant) = b.split_sum(index.value);
        let inputs = [(variable, long), (scale, long), (base, long)];
        (b.pure("mad.lo.s64", ScalarType::U64, &inputs), constant)
    } else {
        // A 32-bit sum may wrap where the 64-bit address would not, so its constant stays in the
        // register.
        let inputs = [(index.value, narrow), (scale, narrow), (base, long)];
        (b.pure(wide, ScalarType::U64, &inputs), 0)
    };
    Place::new(Space::Global, Base::Register(address), constant.wrapping_mul(size))
}

/// The place `index` times `stride` bytes after a place.
pub(crate) fn stepped<T, U>(
    b: &mut Builder,
    from: Place<T>,
    index: Index,
    stride: i64,
) -> Place<U> {
    let Place { space, base, offset, .. } = from;
    if let Some(known) = index.known() {
        return Place::new(space, base, offset + known as i64 * stride);
    }
    let base = match base {
        Base::Register(value) => value,
        Base::Symbol(symbol) => match space {
            Space::Shared | Space::Cluster => b.symbol_address(symbol),
            Space::Global | Space::Local | Space::Const => b.wide_address(symbol),
        },
    };
    match space {
        Space::Global | Space::Local | Space::Const => {
            let place = global_place::<U>(b, base, index, stride);
            Place::new(space, place.base, offset + place.offset)
        }
        _ => {
            let ty = ScalarType::U32;
            let (value, constant) = b.split_sum(index.value);
            let word = match index.ty.size() {
                8 => b.pure("cvt.u32.u64", ty, &[(value, ScalarType::U64)]),
                _ => value,
            };
            let scale = Value::Constant(stride as u64);
            let address = b.pure("mad.lo.u32", ty, &[(word, ty), (scale, ty), (base, ty)]);
            Place::new(space, Base::Register(address), offset + constant * stride)
        }
    }
}
