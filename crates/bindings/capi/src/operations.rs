//! Operations on arrays of a device: reductions, scans, transposes, matrix products, norms, attention.

use crate::call::{self, Failure, OpenDevice, Status, guard};
use crate::device::part;
use lanework_arrays::{
    Activation, Array, ArrayMut, ElementType, Norm, NormKind, Precision, Product, Reduction, Scan,
};
use lanework_runtime::{Buffer, Error, View, ViewMut};
use std::collections::BTreeMap;
use std::ffi::c_int;
use std::sync::{MutexGuard, PoisonError};

/// `lanework_array`: address, element type, extents and strides of an array.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct LaneworkArray {
    /// Address of the first element, in a buffer of the device.
    pub address: u64,
    /// Number of the element type.
    pub element: i32,
    /// Number of axes.
    pub axes: u32,
    /// Extents, outermost first.
    pub shape: *const usize,
    /// Strides in elements; null for a contiguous array.
    pub strides: *const usize,
}

/// `lanework_gemm_options`: the options of a matrix product.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct LaneworkGemmOptions {
    /// Size of this structure in bytes.
    pub size: usize,
    /// Factor of the product.
    pub alpha: f64,
    /// Factor of the output's previous values.
    pub beta: f64,
    /// Number of the precision mode for f32 factors.
    pub precision: i32,
    /// Number of the activation function, applied after the bias.
    pub activation: i32,
    /// Bias with one element per column; null for none.
    pub bias: *const LaneworkArray,
    /// Scales of an 8-bit A; null for none.
    pub scale_a: *const LaneworkArray,
    /// Scales of an 8-bit B; null for none.
    pub scale_b: *const LaneworkArray,
}

// The layouts must match lanework.h.
#[cfg(target_pointer_width = "64")]
const _: () = {
    use std::mem::offset_of;
    assert!(size_of::<LaneworkArray>() == 32 && align_of::<LaneworkArray>() == 8);
    assert!(offset_of!(LaneworkArray, element) == 8);
    assert!(offset_of!(LaneworkArray, axes) == 12);
    assert!(offset_of!(LaneworkArray, shape) == 16);
    assert!(offset_of!(LaneworkArray, strides) == 24);
    assert!(size_of::<LaneworkGemmOptions>() == 56 && align_of::<LaneworkGemmOptions>() == 8);
    assert!(offset_of!(LaneworkGemmOptions, alpha) == 8);
    assert!(offset_of!(LaneworkGemmOptions, beta) == 16);
    assert!(offset_of!(LaneworkGemmOptions, precision) == 24);
    assert!(offset_of!(LaneworkGemmOptions, activation) == 28);
    assert!(offset_of!(LaneworkGemmOptions, bias) == 32);
    assert!(offset_of!(LaneworkGemmOptions, scale_a) == 40);
    assert!(offset_of!(LaneworkGemmOptions, scale_b) == 48);
};

/// The locked buffers of a device while an operation on them is queued.
struct Memory<'a> {
    buffers: MutexGuard<'a, BTreeMap<u64, Buffer<u8>>>,
}

/// An array as the caller describes it.
struct Described<'a> {
    what: &'static str,
    address: u64,
    element: ElementType,
    shape: &'a [usize],
    strides: Option<&'a [usize]>,
}

/// Reads a description; `None` for null.
///
/// # Safety
/// `array` is null or valid as documented in the header.
unsafe fn described<'a>(
    array: *const LaneworkArray,
    what: &'static str,
) -> Result<Option<Described<'a>>, Failure> {
    // SAFETY: by this function's contract, `array` is null or a valid description during the call.
    let Some(array) = (unsafe { array.as_ref() }) else { return Ok(None) };
    let element = lanework_arrays::element_type_of_number(array.element).ok_or_else(|| {
        Failure::argument(format!("{what}: {} is no lanework_type", array.element))
    })?;
    let axes = array.axes as usize;
    if axes > lanework_arrays::AXES {
        return Err(Failure::argument(format!("{what} has {axes} axes; an array has up to 6")));
    }
    if array.shape.is_null() && axes > 0 {
        return Err(Failure::argument(format!("the shape of {what} is NULL")));
    }
    let extents = |from: *const usize| match axes {
        0 => &[][..],
        // SAFETY: not null (checked above), and the header requires `axes` values there.
        _ => unsafe { std::slice::from_raw_parts(from, axes) },
    };
    let strides = (!array.strides.is_null()).then(|| extents(array.strides));
    Ok(Some(Described {
        what,
        address: array.address,
        element,
        shape: extents(array.shape),
        strides,
    }))
}

/// Like [`described`], but null is an error.
///
/// # Safety
/// As [`described`].
unsafe fn required<'a>(
    array: *const LaneworkArray,
    what: &'static str,
) -> Result<Described<'a>, Failure> {
    // SAFETY: by this function's contract, `array` is null or a valid description during the call.
    unsafe { described(array, what) }?.ok_or_else(|| Failure::argument(format!("{what} is NULL")))
}

impl Memory<'_> {
    fn of(open: &OpenDevice) -> Memory<'_> {
        Memory { buffers: open.buffers.lock().unwrap_or_else(PoisonError::into_inner) }
    }

    /// The memory from an array's first element to the end of its buffer.
    fn view(&mut self, array: &Described<'_>) -> Result<ViewMut<'static, u8>, Failure> {
        let (buffer, first) = part(&mut self.buffers, array.address, array.element.bytes())
            .map_err(|_| {
                Failure::argument(format!(
                    "{} begins at {:#x}, which is in no buffer of lanework_alloc",
                    array.what, array.address
                ))
            })?;
        // SAFETY: the buffers stay locked until the operation is queued, so none is freed before. Arrays of one operation may
        // overlap: the device allows overlapping accesses, and the host creates no reference to this memory.
        Ok(unsafe { buffer.view_shared(first..).unbound() })
    }

    fn input<'a>(&mut self, array: &Described<'_>) -> Result<Array<'a>, Failure> {
        let view: View<'static, u8> = self.view(array)?.into();
        named(array.what, Array::new(view, array.element, array.shape, array.strides))
    }

    fn optional<'a>(&mut self, array: Option<Described<'_>>) -> Result<Option<Array<'a>>, Failure> {
        array.map(|array| self.input(&array)).transpose()
    }

    fn output<'a>(&mut self, array: &Described<'_>) -> Result<ArrayMut<'a>, Failure> {
        let view = self.view(array)?;
        named(array.what, ArrayMut::new(view, array.element, array.shape, array.strides))
    }
}

/// Converts an error of an operation: a mismatch between arrays is an invalid argument.
fn failed(error: Error) -> Failure {
    let is_argument = matches!(error, Error::Request { .. });
    let failure = Failure::from(error);
    if is_argument { Failure { status: Status::BadArgument, ..failure } } else { failure }
}

/// Like [`failed`], with the name of an array.
fn named<T>(what: &str, made: lanework_runtime::Result<T>) -> Result<T, Failure> {
    made.map_err(|error| {
        let Failure { status, text } = failed(error);
        Failure { status, text: format!("{what}: {text}") }
    })
}

/// Selects a value by its number.
fn numbered<T: Copy>(all: &[T], number: c_int, what: &str) -> Result<T, Failure> {
    usize::try_from(number)
        .ok()
        .and_then(|number| all.get(number))
        .copied()
        .ok_or_else(|| Failure::argument(format!("{number} is no {what}; the header lists them")))
}

/// Queues an operation from one array into another.
///
/// # Safety
/// Pointers are null or valid as documented in the header.
unsafe fn from_to(
    device: u64,
    x: *const LaneworkArray,
    out: *const LaneworkArray,
    operation: impl FnOnce(Array<'_>, ArrayMut<'_>) -> lanework_runtime::Result<()>,
) -> Result<(), Failure> {
    // SAFETY: the header requires the descriptions to be null or valid during the call.
    let (x, out) = unsafe { (required(x, "x")?, required(out, "out")?) };
    let open = call::device(device)?;
    let mut memory = Memory::of(&open);
    operation(memory.input(&x)?, memory.output(&out)?).map_err(failed)
}

/// Reduces an array.
///
/// # Safety
/// Pointers are null or valid as documented in the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lanework_reduce(
    device: u64,
    reduction: c_int,
    x: *const LaneworkArray,
    y: *const LaneworkArray,
    axis: c_int,
    compensated: c_int,
    out: *const LaneworkArray,
) -> c_int {
    guard(|| {
        let reduction = numbered(&Reduction::ALL, reduction, "lanework_reduction")?;
        // SAFETY: the header requires the descriptions to be null or valid during the call.
        let (x, y, out) = unsafe { (required(x, "x")?, described(y, "y")?, required(out, "out")?) };
        let axis = match axis {
            -1 => None,
            axis => Some(usize::try_from(axis).map_err(|_| {
                Failure::argument(format!("axis {axis}: -1 reduces all, others count from 0"))
            })?),
        };
        let open = call::device(device)?;
        let mut memory = Memory::of(&open);
        let (x, y, out) = (memory.input(&x)?, memory.optional(y)?, memory.output(&out)?);
        lanework_arrays::reduce(reduction, x, y, axis, compensated != 0, out).map_err(failed)
    })
}

/// Scans an array.
///
/// # Safety
/// Pointers are null or valid as documented in the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lanework_scan(
    device: u64,
    kind: c_int,
    exclusive: c_int,
    last_axis: c_int,
    x: *const LaneworkArray,
    out: *const LaneworkArray,
) -> c_int {
    guard(|| {
        let kind = numbered(&[Scan::Sum, Scan::Min, Scan::Max], kind, "lanework_scan_kind")?;
        let (exclusive, last_axis) = (exclusive != 0, last_axis != 0);
        // SAFETY: the header requires the descriptions to be null or valid during the call.
        unsafe {
            from_to(device, x, out, |x, out| {
                lanework_arrays::scan(kind, x, exclusive, last_axis, out)
            })
        }
    })
}

/// Permutes the axes of an array.
///
/// # Safety
/// Pointers are null or valid as documented in the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lanework_permute(
    device: u64,
    x: *const LaneworkArray,
    axes: *const usize,
    out: *const LaneworkArray,
) -> c_int {
    guard(|| {
        // SAFETY: the header requires the descriptions to be null or valid during the call.
        let count = unsafe { x.as_ref() }.map_or(0, |x| x.axes as usize);
        let operation = |x: Array<'_>, out: ArrayMut<'_>| {
            if axes.is_null() {
                return lanework_arrays::transpose(x, out);
            }
            // SAFETY: not null, and the header requires one value there per axis of `x`.
            let axes = unsafe { std::slice::from_raw_parts(axes, count) };
            lanework_arrays::permute(x, axes, out)
        };
        // SAFETY: the header requires the descriptions to be null or valid during the call.
        unsafe { from_to(device, x, out, operation) }
    })
}

/// Transposes square matrices in place.
///
/// # Safety
/// Pointers are null or valid as documented in the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lanework_transpose_in_place(
    device: u64,
    x: *const LaneworkArray,
) -> c_int {
    guard(|| {
        // SAFETY: the header requires the descriptions to be null or valid during the call.
        let x = unsafe { required(x, "x")? };
        let open = call::device(device)?;
        let mut memory = Memory::of(&open);
        lanework_arrays::transpose_in_place(memory.output(&x)?).map_err(failed)
    })
}

/// Multiplies matrices.
///
/// # Safety
/// Pointers are null or valid as documented in the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lanework_gemm(
    device: u64,
    a: *const LaneworkArray,
    b: *const LaneworkArray,
    options: *const LaneworkGemmOptions,
    c: *const LaneworkArray,
) -> c_int {
    guard(|| {
        // SAFETY: the header requires the descriptions to be null or valid during the call.
        let (a, b, c) = unsafe { (required(a, "a")?, required(b, "b")?, required(c, "c")?) };
        // SAFETY: the header requires `options` to be null or valid during the call.
        let options = unsafe { options.as_ref() };
        let open = call::device(device)?;
        let mut memory = Memory::of(&open);
        let mut how = Product::default();
        if let Some(options) = options {
            if options.size != size_of::<LaneworkGemmOptions>() {
                return Err(Failure::argument(
                    "the options' size is not sizeof(lanework_gemm_options): set them as LANEWORK_GEMM_OPTIONS_INIT does",
                ));
            }
            const PRECISIONS: [Precision; 4] = [
                Precision::Full,
                Precision::TensorFloat32,
                Precision::Accurate,
                Precision::Compensated,
            ];
            const ACTIVATIONS: [Activation; 3] =
                [Activation::None, Activation::Relu, Activation::Gelu];
            (how.alpha, how.beta) = (options.alpha, options.beta);
            how.precision = numbered(&PRECISIONS, options.precision, "lanework_precision")?;
            how.activation = numbered(&ACTIVATIONS, options.activation, "lanework_activation")?;
            // SAFETY: the header requires the descriptions to be null or valid during the call.
            let (bias, scales) = unsafe {
                let scales = [
                    described(options.scale_a, "scale_a")?,
                    described(options.scale_b, "scale_b")?,
                ];
                (described(options.bias, "bias")?, scales)
            };
            how.bias = memory.optional(bias)?;
            how.scales = match scales {
                [Some(of_a), Some(of_b)] => Some((memory.input(&of_a)?, memory.input(&of_b)?)),
                [None, None] => None,
                _ => {
                    return Err(Failure::argument(
                        "scale_a and scale_b are given together, or neither",
                    ));
                }
            };
        }
        let (a, b, c) = (memory.input(&a)?, memory.input(&b)?, memory.output(&c)?);
        lanework_arrays::gemm(a, b, how, c).map_err(failed)
    })
}

/// Computes the softmax of each row of a matrix.
///
/// # Safety
/// Pointers are null or valid as documented in the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lanework_softmax(
    device: u64,
    x: *const LaneworkArray,
    out: *const LaneworkArray,
) -> c_int {
    guard(|| {
        // SAFETY: the header requires the descriptions to be null or valid during the call.
        unsafe { from_to(device, x, out, lanework_arrays::softmax) }
    })
}

/// Normalizes each row of a matrix.
///
/// # Safety
/// Pointers are null or valid as documented in the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lanework_norm(
    device: u64,
    kind: c_int,
    x: *const LaneworkArray,
    gamma: *const LaneworkArray,
    beta: *const LaneworkArray,
    eps: f32,
    out: *const LaneworkArray,
) -> c_int {
    guard(|| {
        let kind = numbered(&[NormKind::Layer, NormKind::Rms], kind, "lanework_norm_kind")?;
        // SAFETY: the header requires the descriptions to be null or valid during the call.
        let (x, out) = unsafe { (required(x, "x")?, required(out, "out")?) };
        // SAFETY: the header requires the descriptions to be null or valid during the call.
        let (gamma, beta) = unsafe { (described(gamma, "gamma")?, described(beta, "beta")?) };
        let open = call::device(device)?;
        let mut memory = Memory::of(&open);
        let (gamma, beta) = (memory.optional(gamma)?, memory.optional(beta)?);
        let (x, out) = (memory.input(&x)?, memory.output(&out)?);
        lanework_arrays::norm(Norm { kind, gamma, beta, eps }, x, out).map_err(failed)
    })
}

/// Computes attention.
///
/// # Safety
/// Pointers are null or valid as documented in the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lanework_attention(
    device: u64,
    q: *const LaneworkArray,
    k: *const LaneworkArray,
    v: *const LaneworkArray,
    causal: c_int,
    scale: f32,
    out: *const LaneworkArray,
) -> c_int {
    guard(|| {
        // SAFETY: the header requires the descriptions to be null or valid during the call.
        let (q, k, v, out) = unsafe {
            (required(q, "q")?, required(k, "k")?, required(v, "v")?, required(out, "out")?)
        };
        let open = call::device(device)?;
        let mut memory = Memory::of(&open);
        let inputs = [memory.input(&q)?, memory.input(&k)?, memory.input(&v)?];
        let scale = (scale != 0.0).then_some(scale);
        lanework_arrays::attention(inputs, causal != 0, scale, memory.output(&out)?).map_err(failed)
    })
}
