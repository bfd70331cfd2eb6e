//! Numbers of Python as the bytes of a parameter, by the parameter's PTX type.

use lanework_runtime::ptx::{ScalarType, Variable};
use pyo3::exceptions::{PyOverflowError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyComplex, PyFloat, PyInt};

/// Whether an object is a number, and no array.
pub fn is_number(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    if object.is_instance_of::<PyInt>()
        || object.is_instance_of::<PyFloat>()
        || object.is_instance_of::<PyBool>()
        || object.is_instance_of::<PyComplex>()
    {
        return Ok(true);
    }
    let modules = object.py().import("sys")?.getattr("modules")?;
    let numpy = modules.call_method1("get", ("numpy",))?;
    if numpy.is_none() {
        return Ok(false);
    }
    object.is_instance(&numpy.getattr("generic")?)
}

/// The bytes of a number.
///
/// # Errors
/// When the parameter is of another kind, or too small.
pub fn bytes(object: &Bound<'_, PyAny>, parameter: &Variable, name: &str) -> PyResult<Vec<u8>> {
    let size = parameter.size() as usize;
    if !parameter.dims.is_empty() || parameter.vector != 1 {
        return of_structure(object, size, name);
    }
    if parameter.ty.is_float() {
        let value: f64 = object.extract().map_err(|_| wrong(object, parameter, name))?;
        return Ok(match parameter.ty {
            ScalarType::F32 => (value as f32).to_le_bytes().to_vec(),
            ScalarType::F64 => value.to_le_bytes().to_vec(),
            _ => return Err(wrong(object, parameter, name)),
        });
    }
    // Bits may hold a float.
    let bits = matches!(parameter.ty, ScalarType::B32 | ScalarType::B64);
    if bits && object.is_instance_of::<PyFloat>() {
        let value: f64 = object.extract()?;
        return Ok(if size == 4 {
            (value as f32).to_le_bytes().to_vec()
        } else {
            value.to_le_bytes().to_vec()
        });
    }
    let index = object.call_method0("__index__").map_err(|_| wrong(object, parameter, name))?;
    let value: i128 = index.extract().map_err(|_| wrong(object, parameter, name))?;
    // Compilers declare `int` as `.u32`, so that both signs fit.
    let bits = 8 * size as u32;
    let fits = bits < 127 && value >= -(1i128 << (bits - 1)) && value < 1i128 << bits;
    match fits {
        true => Ok(value.to_le_bytes()[..size].to_vec()),
        false => Err(PyOverflowError::new_err(format!(
            "{name} is {value}, and parameter `{}` is a .{} of {size} bytes",
            parameter.name,
            parameter.ty.name()
        ))),
    }
}

/// A number that a structure holds: complex numbers, and NumPy's own of that size (half precision, records).
fn of_structure(object: &Bound<'_, PyAny>, size: usize, name: &str) -> PyResult<Vec<u8>> {
    if object.is_instance_of::<PyComplex>() && (size == 8 || size == 16) {
        let parts = [object.getattr("real")?.extract::<f64>()?, object.getattr("imag")?.extract()?];
        return Ok(match size {
            8 => parts.iter().flat_map(|part| (*part as f32).to_le_bytes()).collect(),
            _ => parts.iter().flat_map(|part| part.to_le_bytes()).collect(),
        });
    }
    let bytes: Option<Vec<u8>> =
        object.call_method0("tobytes").ok().and_then(|bytes| bytes.extract().ok());
    match bytes {
        Some(bytes) if bytes.len() == size => Ok(bytes),
        _ => Err(PyTypeError::new_err(format!(
            "{name} is for a structure of {size} bytes: pass as many bytes, a ctypes.Structure, or a NumPy scalar of that size"
        ))),
    }
}

fn wrong(object: &Bound<'_, PyAny>, parameter: &Variable, name: &str) -> PyErr {
    let kind = object.get_type().name().map(|name| name.to_string()).unwrap_or_default();
    PyTypeError::new_err(format!(
        "{name} is a {kind}, and parameter `{}` is a .{} of {} bytes",
        parameter.name,
        parameter.ty.name(),
        parameter.size()
    ))
}
