//! Python arrays and their copies on the emulator. An array has an address, a number of bytes, and an object that keeps them
//! alive during a launch. Each range of bytes becomes one buffer, so two views of the same bytes stay views of one buffer.
//!
//! Tensors of other libraries are passed through DLPack; a launch takes ownership of them and releases them at its end.

use lanework_runtime::{Buffer, Device, Result};
use pyo3::buffer::PyUntypedBuffer;
use pyo3::exceptions::{PyBufferError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict, PyMemoryView};
use std::ffi::c_void;
use std::ptr::NonNull;

/// A range of host bytes that holds arrays.
struct Region {
    start: usize,
    bytes: usize,
    name: String,
}

/// The ranges of host bytes of all arrays.
pub struct Regions(Vec<Region>);

/// Copies of the regions on a device.
pub struct Copies(Vec<Buffer<u8>>);

impl Regions {
    /// Collects the ranges of arrays; merges those that overlap.
    pub fn of(arrays: &[&Array]) -> Regions {
        let mut sorted: Vec<&&Array> = arrays.iter().filter(|array| array.bytes > 0).collect();
        sorted.sort_by_key(|array| array.address);
        let mut regions: Vec<Region> = Vec::new();
        for array in sorted {
            match regions.last_mut() {
                Some(last) if array.address < last.start + last.bytes => {
                    last.bytes = last.bytes.max(array.address + array.bytes - last.start);
                }
                _ => regions.push(Region {
                    start: array.address,
                    bytes: array.bytes,
                    name: array.name.clone(),
                }),
            }
        }
        Regions(regions)
    }

    /// Copies the bytes to a device.
    ///
    /// # Errors
    /// If the device has not enough memory.
    pub fn upload(&self, device: &Device) -> Result<Copies> {
        let copy = |region: &Region| {
            let mut buffer = device.uninit_named::<u8>(region.bytes, &region.name)?;
            // SAFETY: the launch holds the arrays' objects, so every byte of the region, a union of overlapping
            // arrays, stays allocated. Python code that meanwhile writes them on another thread races with its own
            // launch, as with a NumPy operation.
            buffer.upload(unsafe {
                std::slice::from_raw_parts(region.start as *const u8, region.bytes)
            })?;
            Ok(buffer)
        };
        Ok(Copies(self.0.iter().map(copy).collect::<Result<_>>()?))
    }

    fn find(&self, array: &Array) -> Option<(usize, usize)> {
        let holds =
            |region: &Region| (region.start..region.start + region.bytes).contains(&array.address);
        let index = self.0.iter().position(holds)?;
        Some((index, array.address - self.0[index].start))
    }

    /// The address of an array on the device; 0 for an empty array.
    pub fn address(&self, copies: &Copies, array: &Array) -> u64 {
        self.find(array).map_or(0, |(index, offset)| copies.0[index].address() + offset as u64)
    }

    /// Copies the arrays back, except read-only arrays; returns the names of read-only arrays that the kernel changed.
    ///
    /// # Errors
    /// If a copy from the device fails.
    pub fn download(&self, copies: &Copies, arrays: &[&Array]) -> Result<Vec<String>> {
        let mut after = Vec::new();
        for buffer in &copies.0 {
            after.push(buffer.download()?);
        }
        let part = |array: &Array| {
            let (index, offset) = self.find(array)?;
            after[index].get(offset..offset + array.bytes)
        };
        let changed = |array: &&&Array| {
            // Another view of the same bytes may be writable.
            let written = arrays.iter().any(|other| {
                other.writable
                    && other.address < array.address + array.bytes
                    && array.address < other.address + other.bytes
            });
            // SAFETY: the launch holds the array's object, which keeps `bytes` bytes at `address` alive; `bytes` is not 0.
            let before =
                unsafe { std::slice::from_raw_parts(array.address as *const u8, array.bytes) };
            !array.writable && !written && part(array).is_some_and(|bytes| bytes != before)
        };
        let refused = arrays.iter().filter(|array| array.bytes > 0).filter(changed);
        let refused = refused.map(|array| array.name.clone()).collect();
        for array in arrays.iter().filter(|array| array.writable) {
            let Some(bytes) = part(array) else { continue };
            // SAFETY: the launch holds the array's object, which keeps these bytes alive and writable; `after` does not
            // overlap them.
            unsafe {
                (array.address as *mut u8).copy_from_nonoverlapping(bytes.as_ptr(), bytes.len());
            }
        }
        Ok(refused)
    }

    /// The index of the array that contains a device address.
    pub fn array_at(&self, copies: &Copies, arrays: &[&Array], address: u64) -> Option<usize> {
        arrays.iter().position(|array| {
            let start = self.address(copies, array);
            start > 0 && (start..start + array.bytes as u64).contains(&address)
        })
    }
}

/// The bytes of an array.
pub struct Array {
    /// Name for reports.
    pub name: String,
    pub address: usize,
    pub bytes: usize,
    /// Bytes of an element.
    pub item: usize,
    pub writable: bool,
    _held: Held,
}

/// Keeps the bytes alive and in place.
enum Held {
    /// The bytes are locked by the buffer protocol.
    Buffer { _lock: PyUntypedBuffer },
    /// The object is kept alive, as `__array_interface__` requires.
    Object { _object: Py<PyAny> },
    /// The exporting library keeps the bytes until the tensor is released.
    Exported { _exported: Exported },
}

/// Whether the elements are contiguous in some order of the axes.
fn is_dense(shape: &[usize], strides: &[isize], item: usize) -> bool {
    if shape.contains(&0) {
        return true;
    }
    let mut axes: Vec<(isize, usize)> = strides
        .iter()
        .copied()
        .zip(shape.iter().copied())
        .filter(|(_, extent)| *extent > 1)
        .collect();
    axes.sort_unstable();
    let mut next = item as isize;
    axes.into_iter().all(|(stride, extent)| {
        let fits = stride == next;
        next = next.saturating_mul(extent as isize);
        fits
    })
}

/// The error for an array with gaps.
fn with_gaps(name: &str) -> PyErr {
    PyValueError::new_err(format!(
        "{name} has gaps between its elements, which a kernel would see: pass numpy.ascontiguousarray() of it, and copy the result back"
    ))
}

impl Array {
    /// Converts an object to an array, by the buffer protocol, `__array_interface__` or DLPack.
    ///
    /// # Errors
    /// If it is not an array, is on a device, or has gaps.
    pub fn of(object: &Bound<'_, PyAny>, name: String) -> PyResult<Array> {
        // A memory view has strides even if the object omits them.
        let view = PyMemoryView::from(object);
        if let Ok(buffer) = view.and_then(|view| PyUntypedBuffer::get(&view)) {
            if !is_dense(buffer.shape(), buffer.strides(), buffer.item_size()) {
                return Err(with_gaps(&name));
            }
            let (address, bytes) = (buffer.buf_ptr() as usize, buffer.len_bytes());
            let (item, writable) = (buffer.item_size(), !buffer.readonly());
            return Ok(Array {
                name,
                address,
                bytes,
                item,
                writable,
                _held: Held::Buffer { _lock: buffer },
            });
        }
        if let Ok(interface) = object.getattr("__array_interface__") {
            return of_interface(object, &interface, name);
        }
        if object.hasattr("__dlpack__")? {
            let exported = export(object, &name)?;
            let layout = exported.layout();
            if !is_dense(&layout.shape, &layout.strides, layout.item) {
                return Err(with_gaps(&name));
            }
            let (address, bytes, item) = (layout.address, layout.bytes(), layout.item);
            let (writable, held) = (layout.writable, Held::Exported { _exported: exported });
            return Ok(Array { name, address, bytes, item, writable, _held: held });
        }
        let of_device = object.hasattr("__cuda_array_interface__")?;
        Err(PyTypeError::new_err(match of_device {
            true => format!(
                "{name} lies on a device: copy it to the host first (copy_to_host(), .get())"
            ),
            false => format!(
                "{name} is a {}, and the kernel wants an address: pass a NumPy array or another object with the buffer protocol, \
                 __array_interface__ or __dlpack__",
                object.get_type().name()?
            ),
        }))
    }
}

/// Converts an object by NumPy's `__array_interface__`, version 3.
fn of_interface(
    object: &Bound<'_, PyAny>,
    interface: &Bound<'_, PyAny>,
    name: String,
) -> PyResult<Array> {
    let interface = interface.cast::<PyDict>()?;
    let field = |key: &str| {
        interface.get_item(key)?.ok_or_else(|| {
            PyValueError::new_err(format!("{name}: its __array_interface__ has no `{key}`"))
        })
    };
    let (address, read_only): (usize, bool) = field("data")?.extract()?;
    let shape: Vec<usize> = field("shape")?.extract()?;
    let kind: String = field("typestr")?.extract()?;
    let item: usize = kind.get(2..).and_then(|size| size.parse().ok()).ok_or_else(|| {
        PyValueError::new_err(format!("{name}: `{kind}` is not an element type of plain bytes"))
    })?;
    if kind.starts_with(">") {
        return Err(PyValueError::new_err(format!(
            "{name} has big-endian elements: pass it in the byte order of GPUs, as in x.astype(x.dtype.newbyteorder('<'))"
        )));
    }
    let strides: Option<Vec<isize>> =
        interface.get_item("strides")?.map(|strides| strides.extract()).transpose()?.flatten();
    if strides.is_some_and(|strides| !is_dense(&shape, &strides, item)) {
        return Err(with_gaps(&name));
    }
    let bytes = shape.iter().product::<usize>() * item;
    let held = Held::Object { _object: object.clone().unbind() };
    Ok(Array { name, address, bytes, item, writable: !read_only, _held: held })
}

/// `DLTensor`.
#[repr(C)]
struct Tensor {
    data: *mut c_void,
    device: i32,
    ordinal: i32,
    axes: i32,
    code: u8,
    bits: u8,
    lanes: u16,
    shape: *const i64,
    strides: *const i64,
    offset: u64,
}

/// `DLManagedTensor`.
#[repr(C)]
pub struct Managed {
    tensor: Tensor,
    context: *mut c_void,
    delete: Option<unsafe extern "C" fn(*mut Managed)>,
}

/// `DLManagedTensorVersioned`.
#[repr(C)]
pub struct Versioned {
    major: u32,
    minor: u32,
    context: *mut c_void,
    delete: Option<unsafe extern "C" fn(*mut Versioned)>,
    flags: u64,
    tensor: Tensor,
}

// The layouts must match dlpack.h, version 1.0.
#[cfg(target_pointer_width = "64")]
const _: () = {
    use std::mem::offset_of;
    assert!(size_of::<Tensor>() == 48 && align_of::<Tensor>() == 8);
    assert!(offset_of!(Tensor, device) == 8);
    assert!(offset_of!(Tensor, ordinal) == 12);
    assert!(offset_of!(Tensor, axes) == 16);
    assert!(offset_of!(Tensor, code) == 20);
    assert!(offset_of!(Tensor, bits) == 21);
    assert!(offset_of!(Tensor, lanes) == 22);
    assert!(offset_of!(Tensor, shape) == 24);
    assert!(offset_of!(Tensor, strides) == 32);
    assert!(offset_of!(Tensor, offset) == 40);
    assert!(size_of::<Managed>() == 64 && align_of::<Managed>() == 8);
    assert!(offset_of!(Managed, context) == 48);
    assert!(offset_of!(Managed, delete) == 56);
    assert!(size_of::<Versioned>() == 80 && align_of::<Versioned>() == 8);
    assert!(offset_of!(Versioned, minor) == 4);
    assert!(offset_of!(Versioned, context) == 8);
    assert!(offset_of!(Versioned, delete) == 16);
    assert!(offset_of!(Versioned, flags) == 24);
    assert!(offset_of!(Versioned, tensor) == 32);
};

/// The memory layout of a tensor.
pub struct Layout {
    pub address: usize,
    pub shape: Vec<usize>,
    /// Strides in bytes.
    pub strides: Vec<isize>,
    /// Bytes of an element.
    pub item: usize,
    pub writable: bool,
}

impl Layout {
    /// Bytes of all elements.
    pub fn bytes(&self) -> usize {
        self.shape.iter().product::<usize>() * self.item
    }
}

/// A tensor that another library exported.
pub enum Exported {
    Old(NonNull<Managed>),
    New(NonNull<Versioned>),
}

// SAFETY: DLPack allows a consumer to release a tensor on any thread; this code only reads it.
unsafe impl Send for Exported {}
// SAFETY: shared references only read `tensor` and its extents; see `Send`.
unsafe impl Sync for Exported {}

/// The flag of a versioned tensor that forbids writes.
const READ_ONLY: u64 = 1;
/// Device types whose memory the host can access: CPU, pinned and managed memory.
const OF_HOST: [i32; 3] = [1, 3, 13];

/// Requests an object's tensor.
///
/// # Errors
/// If the object refuses, or the tensor is on a device.
pub fn export(object: &Bound<'_, PyAny>, name: &str) -> PyResult<Exported> {
    let py = object.py();
    let versions = PyDict::new(py);
    versions.set_item("max_version", (1, 0))?;
    let method = object.getattr("__dlpack__")?;
    // Libraries before version 1 accept no argument.
    let capsule = match method.call((), Some(&versions)) {
        Err(error) if error.is_instance_of::<PyTypeError>(py) => method.call0()?,
        other => other?,
    };
    let capsule = capsule.cast::<PyCapsule>()?;
    let exported = match capsule.pointer_checked(Some(c"dltensor_versioned")) {
        Ok(tensor) => Exported::New(tensor.cast()),
        Err(_) => Exported::Old(capsule.pointer_checked(Some(c"dltensor"))?.cast()),
    };
    let used = match exported {
        Exported::Old(_) => c"used_dltensor",
        Exported::New(_) => c"used_dltensor_versioned",
    };
    // SAFETY: the name is static. From here on, this code owns the tensor and must release it.
    unsafe { pyo3::ffi::PyCapsule_SetName(capsule.as_ptr(), used.as_ptr()) };
    let tensor = exported.tensor();
    if !OF_HOST.contains(&tensor.device) {
        return Err(PyBufferError::new_err(format!(
            "{name} lies on a device: copy it to the host first, as in x.cpu()"
        )));
    }
    Ok(exported)
}

impl Exported {
    fn tensor(&self) -> &Tensor {
        // SAFETY: the library keeps the tensor until it is released, when this is dropped.
        unsafe {
            match self {
                Exported::Old(managed) => &managed.as_ref().tensor,
                Exported::New(versioned) => &versioned.as_ref().tensor,
            }
        }
    }

    /// Address of its elements.
    pub fn layout(&self) -> Layout {
        let tensor = self.tensor();
        let axes = usize::try_from(tensor.axes).unwrap_or(0);
        let item = (usize::from(tensor.bits) * usize::from(tensor.lanes)).div_ceil(8);
        let extents = |from: *const i64| match from.is_null() || axes == 0 {
            true => Vec::new(),
            // SAFETY: not null, so by DLPack it points to `axes` numbers, which stay until the tensor is released.
            false => unsafe { std::slice::from_raw_parts(from, axes) }.to_vec(),
        };
        let shape: Vec<usize> = extents(tensor.shape)
            .into_iter()
            .map(|extent| usize::try_from(extent).unwrap_or(0))
            .collect();
        let mut strides: Vec<isize> = extents(tensor.strides)
            .into_iter()
            .map(|stride| stride as isize * item as isize)
            .collect();
        if strides.is_empty() {
            strides = (0..axes)
                .map(|axis| (shape[axis + 1..].iter().product::<usize>() * item) as isize)
                .collect();
        }
        let writable = match self {
            Exported::Old(_) => true,
            // SAFETY: the library keeps the tensor until it is released, when `self` is dropped.
            Exported::New(versioned) => unsafe { versioned.as_ref().flags & READ_ONLY == 0 },
        };
        let address = tensor.data as usize + tensor.offset as usize;
        Layout { address, shape, strides, item, writable }
    }
}

impl Drop for Exported {
    fn drop(&mut self) {
        // SAFETY: `export` took it from its capsule, and this releases it once.
        unsafe {
            match self {
                Exported::Old(managed) => {
                    if let Some(delete) = managed.as_ref().delete {
                        delete(managed.as_ptr());
                    }
                }
                Exported::New(versioned) => {
                    if let Some(delete) = versioned.as_ref().delete {
                        delete(versioned.as_ptr());
                    }
                }
            }
        }
    }
}
