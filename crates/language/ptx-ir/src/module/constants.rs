//! Constants of PTX as bits: literals of a type, and initial values of variables.

use crate::Unsupported;
use half::{bf16, f16};
use lanework_ptx::ScalarType::{self, *};
use lanework_ptx::{Immediate, Initializer, Variable};

/// The NaN of a literal in either 16-bit type.
const NAN16: u16 = 0x7fff;

/// The bits of a literal used as `ty`; floats round once.
pub fn immediate_bits(value: Immediate, ty: ScalarType) -> u64 {
    match (value, ty) {
        (Immediate::Integer(i), F16) => u64::from(f16_bits(i as f64)),
        (Immediate::Integer(i), Bf16) => u64::from(bf16_bits(i as f64)),
        (Immediate::Integer(i), F32) => u64::from((i as f32).to_bits()),
        (Immediate::Integer(i), F64) => (i as f64).to_bits(),
        (Immediate::Integer(i), _) => i as u64,
        // The driver's compiler takes the digits of `0f3F800000` for the bits of an f64.
        (Immediate::F32(bits), F64) => u64::from(bits),
        (Immediate::F32(bits), F16) => u64::from(f16::from_f32(f32::from_bits(bits)).to_bits()),
        (Immediate::F32(bits), Bf16) => u64::from(bf16::from_f32(f32::from_bits(bits)).to_bits()),
        (Immediate::F32(bits), _) => u64::from(bits),
        (Immediate::F64(bits), F32) => u64::from((f64::from_bits(bits) as f32).to_bits()),
        (Immediate::F64(bits), F16) => u64::from(f16_bits(f64::from_bits(bits))),
        (Immediate::F64(bits), Bf16) => u64::from(bf16_bits(f64::from_bits(bits))),
        (Immediate::F64(bits), _) => bits,
    }
}

fn f16_bits(x: f64) -> u16 {
    if x.is_nan() { NAN16 } else { f16::from_f32(round_to_odd(x)).to_bits() }
}

fn bf16_bits(x: f64) -> u16 {
    if x.is_nan() { NAN16 } else { bf16::from_f32(round_to_odd(x)).to_bits() }
}

/// `x` in f32, rounded to odd: an inexact result gets a last bit of 1, so that rounding it again, to
/// a type at least two bits narrower, equals a single rounding (Boldo and Melquiond 2008).
pub fn round_to_odd(x: f64) -> f32 {
    let nearest = x as f32;
    if nearest.is_nan() || f64::from(nearest) == x {
        return nearest;
    }
    let beyond = f64::from(nearest).abs() > x.abs();
    f32::from_bits((nearest.to_bits() - u32::from(beyond)) | 1)
}

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
        // Properties of a texture or sampler are not part of its handle.
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

/// An address as an initial value. All state spaces of initialized variables have generic addresses.
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
