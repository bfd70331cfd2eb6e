//! Operations on host arrays: copies the inputs to a device, computes there, and copies the result back.

use crate::memory::Array as Bytes;
use lanework_arrays::{
    Activation, Array, ArrayMut, ElementType, Norm, NormKind, Precision, Product, Reduction, Scan,
};
use lanework_runtime::{Buffer, Device, Error};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// The package's description of an array: the object, the element type, the extents, and the strides in elements.
type Described<'py> = (Bound<'py, PyAny>, String, Vec<usize>, Vec<usize>);

fn error(error: &Error) -> PyErr {
    match error {
        Error::Request { .. } => PyValueError::new_err(error.to_string()),
        _ => PyRuntimeError::new_err(error.to_string()),
    }
}

/// The device with a name, opened on first use.
fn device(name: &str) -> Result<Device, Error> {
    static OPEN: Mutex<Option<HashMap<String, Device>>> = Mutex::new(None);
    let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
    let open = open.get_or_insert_default();
    if let Some(device) = open.get(name) {
        return Ok(device.clone());
    }
    let device = Device::open(name)?;
    open.insert(name.to_owned(), device.clone());
    Ok(device)
}

/// A host array, held during the operation.
struct HostArray {
    bytes: Bytes,
    element: ElementType,
    shape: Vec<usize>,
    strides: Vec<usize>,
}

/// The copy of a host array on a device.
struct DeviceCopy<'a> {
    host: &'a HostArray,
    buffer: Buffer<u8>,
}

impl HostArray {
    fn of((object, element, shape, strides): Described<'_>, what: &str) -> PyResult<HostArray> {
        let element = lanework_arrays::element_type_of_name(&element).map_err(|why| error(&why))?;
        Ok(HostArray { bytes: Bytes::of(&object, what.to_owned())?, element, shape, strides })
    }

    fn optional(described: Option<Described<'_>>, what: &str) -> PyResult<Option<HostArray>> {
        described.map(|described| HostArray::of(described, what)).transpose()
    }

    /// Copies the array to a device; skips the contents if the array is only an output.
    fn copied(&self, device: &Device, with_content: bool) -> Result<DeviceCopy<'_>, Error> {
        let mut buffer = device.uninit_named::<u8>(self.bytes.bytes, &self.bytes.name)?;
        if with_content && self.bytes.bytes > 0 {
            // SAFETY: `self.bytes` holds the array's object, which keeps this many bytes at the address alive.
            let bytes = unsafe {
                std::slice::from_raw_parts(self.bytes.address as *const u8, self.bytes.bytes)
            };
            buffer.upload(bytes)?;
        }
        Ok(DeviceCopy { host: self, buffer })
    }
}

impl DeviceCopy<'_> {
    fn input(&self) -> Result<Array<'_>, Error> {
        let HostArray { element, shape, strides, .. } = self.host;
        Array::new(self.buffer.view(..), *element, shape, Some(strides))
    }

    fn output(&mut self) -> Result<ArrayMut<'_>, Error> {
        let HostArray { element, shape, strides, .. } = self.host;
        ArrayMut::new(self.buffer.view_mut(..), *element, shape, Some(strides))
    }

    /// Copies the result back to the host.
    fn download(self) -> Result<(), Error> {
        let bytes = self.buffer.download()?;
        // SAFETY: `host.bytes` holds the array's object, which keeps as many bytes alive as the buffer has;
        // `on_copies` has checked that they are writable.
        unsafe {
            (self.host.bytes.address as *mut u8)
                .copy_from_nonoverlapping(bytes.as_ptr(), bytes.len());
        }
        Ok(())
    }
}

/// Runs an operation on copies of its arrays: optional inputs, and the output.
fn on_copies<const N: usize>(
    py: Python<'_>,
    name: &str,
    inputs: [Option<HostArray>; N],
    out: HostArray,
    keeps_output: bool,
    operation: impl for<'a> FnOnce([Option<Array<'a>>; N], ArrayMut<'a>) -> Result<(), Error> + Send,
) -> PyResult<()> {
    if !out.bytes.writable {
        return Err(PyValueError::new_err("the output is read-only: give a writable array"));
    }
    py.detach(|| {
        let device = device(name)?;
        let mut copies: [Option<DeviceCopy<'_>>; N] = [const { None }; N];
        for (copy, host) in copies.iter_mut().zip(&inputs) {
            *copy = host.as_ref().map(|host| host.copied(&device, true)).transpose()?;
        }
        let mut to = out.copied(&device, keeps_output)?;
        let mut arrays: [Option<Array<'_>>; N] = [const { None }; N];
        for (array, copy) in arrays.iter_mut().zip(&copies) {
            *array = copy.as_ref().map(DeviceCopy::input).transpose()?;
        }
        operation(arrays, to.output()?)?;
        to.download()
    })
    .map_err(|why: Error| error(&why))
}

/// Selects a value by its name.
fn named<T: Copy>(all: &[(&str, T)], name: &str, what: &str) -> PyResult<T> {
    all.iter().find(|(of, _)| *of == name).map(|(_, value)| *value).ok_or_else(|| {
        let known: Vec<&str> = all.iter().map(|(name, _)| *name).collect();
        PyValueError::new_err(format!("`{name}` is not {what}: there are {}", known.join(", ")))
    })
}

fn reduction(name: &str) -> PyResult<Reduction> {
    let all = Reduction::ALL.map(|reduction| (reduction.name(), reduction));
    named(&all, name, "a reduction")
}

/// The result type of a reduction.
#[pyfunction]
pub fn reduced_type(name: &str, element: &str) -> PyResult<&'static str> {
    let element = lanework_arrays::element_type_of_name(element).map_err(|why| error(&why))?;
    let result = lanework_arrays::result_type(reduction(name)?, element);
    result.map(ElementType::name).map_err(|why| error(&why))
}

/// The accumulator type of a matrix product.
#[pyfunction]
pub fn sum_type(element: &str) -> PyResult<&'static str> {
    let element = lanework_arrays::element_type_of_name(element).map_err(|why| error(&why))?;
    lanework_arrays::sum_type(element).map(ElementType::name).map_err(|why| error(&why))
}

/// Computes the reduction with this name.
#[pyfunction]
#[allow(clippy::too_many_arguments, reason = "the package's function of that name gives them all")]
pub fn reduce(
    py: Python<'_>,
    device: &str,
    name: &str,
    x: Described<'_>,
    y: Option<Described<'_>>,
    axis: Option<usize>,
    compensated: bool,
    out: Described<'_>,
) -> PyResult<()> {
    let reduction = reduction(name)?;
    let inputs = [Some(HostArray::of(x, "x")?), HostArray::optional(y, "y")?];
    on_copies(py, device, inputs, HostArray::of(out, "out")?, false, move |[x, y], out| {
        lanework_arrays::reduce(reduction, required(x), y, axis, compensated, out)
    })
}

/// Unwraps an input that is always present.
fn required(array: Option<Array<'_>>) -> Array<'_> {
    array.unwrap_or_else(|| unreachable!("it was given"))
}

/// Computes the scan with this operation.
#[pyfunction]
pub fn scan(
    py: Python<'_>,
    device: &str,
    kind: &str,
    x: Described<'_>,
    exclusive: bool,
    last_axis: bool,
    out: Described<'_>,
) -> PyResult<()> {
    let all = [("sum", Scan::Sum), ("min", Scan::Min), ("max", Scan::Max)];
    let kind = named(&all, kind, "a kind of scan")?;
    let inputs = [Some(HostArray::of(x, "x")?)];
    on_copies(py, device, inputs, HostArray::of(out, "out")?, false, move |[x], out| {
        lanework_arrays::scan(kind, required(x), exclusive, last_axis, out)
    })
}

/// Permutes axes.
#[pyfunction]
pub fn permute(
    py: Python<'_>,
    device: &str,
    x: Described<'_>,
    axes: Vec<usize>,
    out: Described<'_>,
) -> PyResult<()> {
    let inputs = [Some(HostArray::of(x, "x")?)];
    on_copies(py, device, inputs, HostArray::of(out, "out")?, false, move |[x], out| {
        lanework_arrays::permute(required(x), &axes, out)
    })
}

/// Computes a matrix product with alpha and beta; precision and activation are given by name.
#[pyfunction]
#[allow(clippy::too_many_arguments, reason = "the package's function of that name gives them all")]
pub fn gemm(
    py: Python<'_>,
    device: &str,
    a: Described<'_>,
    b: Described<'_>,
    factors: (f64, f64),
    how: (String, String),
    bias: Option<Described<'_>>,
    scales: Option<(Described<'_>, Described<'_>)>,
    c: Described<'_>,
) -> PyResult<()> {
    let precisions = [
        ("full", Precision::Full),
        ("tf32", Precision::TensorFloat32),
        ("accurate", Precision::Accurate),
        ("compensated", Precision::Compensated),
    ];
    let activations =
        [("none", Activation::None), ("relu", Activation::Relu), ("gelu", Activation::Gelu)];
    let precision = named(&precisions, &how.0, "a precision")?;
    let activation = named(&activations, &how.1, "an activation")?;
    let (alpha, beta) = factors;
    let (of_a, of_b) = scales.unzip();
    let inputs = [
        Some(HostArray::of(a, "a")?),
        Some(HostArray::of(b, "b")?),
        HostArray::optional(bias, "bias")?,
        HostArray::optional(of_a, "the scale of a")?,
        HostArray::optional(of_b, "the scale of b")?,
    ];
    let c = HostArray::of(c, "c")?;
    on_copies(py, device, inputs, c, beta != 0.0, move |[a, b, bias, of_a, of_b], c| {
        let how = Product { alpha, beta, precision, bias, activation, scales: of_a.zip(of_b) };
        lanework_arrays::gemm(required(a), required(b), how, c)
    })
}

/// Computes the softmax or the norm with this name for each row of a matrix.
#[pyfunction]
#[allow(clippy::too_many_arguments, reason = "the package's function of that name gives them all")]
pub fn rows(
    py: Python<'_>,
    device: &str,
    name: &str,
    x: Described<'_>,
    gamma: Option<Described<'_>>,
    beta: Option<Described<'_>>,
    eps: f32,
    out: Described<'_>,
) -> PyResult<()> {
    let all = [
        ("softmax", None),
        ("layer_norm", Some(NormKind::Layer)),
        ("rms_norm", Some(NormKind::Rms)),
    ];
    let kind = named(&all, name, "an operation on rows")?;
    let inputs = [
        Some(HostArray::of(x, "x")?),
        HostArray::optional(gamma, "gamma")?,
        HostArray::optional(beta, "beta")?,
    ];
    on_copies(
        py,
        device,
        inputs,
        HostArray::of(out, "out")?,
        false,
        move |[x, gamma, beta], out| match kind {
            None => lanework_arrays::softmax(required(x), out),
            Some(kind) => lanework_arrays::norm(Norm { kind, gamma, beta, eps }, required(x), out),
        },
    )
}

/// Computes attention.
#[pyfunction]
pub fn attention(
    py: Python<'_>,
    device: &str,
    inputs: (Described<'_>, Described<'_>, Described<'_>),
    causal: bool,
    scale: Option<f32>,
    out: Described<'_>,
) -> PyResult<()> {
    let (q, k, v) = inputs;
    let inputs =
        [Some(HostArray::of(q, "q")?), Some(HostArray::of(k, "k")?), Some(HostArray::of(v, "v")?)];
    on_copies(py, device, inputs, HostArray::of(out, "out")?, false, move |inputs, out| {
        lanework_arrays::attention(inputs.map(required), causal, scale, out)
    })
}
