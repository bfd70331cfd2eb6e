//! Initial values of variables, as bytes.

use crate::literal::immediate_bits;
use crate::lower::unsupported::Unsupported;
use lanework_ptx::{Initializer, ScalarType, Variable};

/// The bytes of a variable's initial value; addresses are looked up with `address`.
///
/// # Errors
/// If the value does not fit the variable, or names something that has no address.
pub fn initial_bytes(
    variable: &Variable,
    address: &dyn Fn(&str) -> Option<u64>,
) -> Result<Vec<u8>, Unsupported> {
    let mut bytes = vec![0u8; usize::try_from(variable.size()).unwrap_or(0)];
    let Some(init) = &variable.init else { return Ok(bytes) };
    let size = variable.ty.size() as usize;
    let mut extents: Vec<u64> = variable.dims.iter().map(|d| d.unwrap_or(1)).collect();
    if variable.vector > 1 {
        extents.push(u64::from(variable.vector));
    }
    fill(init, &extents, 0, size, variable.ty, &mut bytes, address)?;
    Ok(bytes)
}

fn fill(
    init: &Initializer,
    extents: &[u64],
    at: usize,
    size: usize,
    ty: ScalarType,
    bytes: &mut [u8],
    address: &dyn Fn(&str) -> Option<u64>,
) -> Result<(), Unsupported> {
    let value = match init {
        Initializer::List(items) => {
            let rest = extents.get(1..).unwrap_or_default();
            let step = size * rest.iter().product::<u64>() as usize;
            for (i, item) in items.iter().enumerate() {
                fill(item, rest, at + i * step, size, ty, bytes, address)?;
            }
            return Ok(());
        }
        // What a texture or sampler is, which its handle does not hold.
        Initializer::Fields(_) => return Ok(()),
        Initializer::Value(value) => immediate_bits(*value, ty),
        Initializer::Masked { mask, address: of } if *mask != 0 => {
            (address_bits(of, address)? & mask) >> mask.trailing_zeros()
        }
        other => address_bits(other, address)?,
    };
    match bytes.get_mut(at..at + size) {
        Some(to) => {
            let value = value.to_le_bytes();
            let length = size.min(value.len());
            to[..length].copy_from_slice(&value[..length]);
            Ok(())
        }
        None => Err(Unsupported::new(
            "more initial values than elements",
            "give the array more elements or fewer values",
        )),
    }
}

/// An address as an initial value; all spaces that a variable can lie in have generic addresses.
fn address_bits(
    init: &Initializer,
    address: &dyn Fn(&str) -> Option<u64>,
) -> Result<u64, Unsupported> {
    let Initializer::Address { name, offset, .. } = init else {
        return Err(Unsupported::new(
            "a mask of something other than an address as an initial value",
            "mask the address of a variable or function",
        ));
    };
    let found = address(name).ok_or_else(|| {
        Unsupported::new(
            format!("initial value names unknown `{name}`"),
            "define a variable or function of this name in the module",
        )
    })?;
    Ok(found.wrapping_add_signed(*offset))
}
