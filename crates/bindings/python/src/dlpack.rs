//! DLPack: tensors of other libraries, taken over for the time of a launch and given back.

use pyo3::exceptions::{PyBufferError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict};
use std::ffi::c_void;
use std::ptr::NonNull;

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

// The layouts of dlpack.h, version 1.0.
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

/// The memory of a tensor's elements.
pub struct Layout {
    pub address: usize,
    pub shape: Vec<usize>,
    /// In bytes.
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

/// A tensor that its library lets us use.
pub enum Exported {
    Old(NonNull<Managed>),
    New(NonNull<Versioned>),
}

// SAFETY: DLPack lets a consumer end its use on any thread; the tensor is only read here.
unsafe impl Send for Exported {}
// SAFETY: `tensor` and its extents are only read, by shared references; see `Send`.
unsafe impl Sync for Exported {}

/// The bit of a versioned tensor's flags that says that it is not to be written.
const READ_ONLY: u64 = 1;
/// Devices whose memory the host reaches: the CPU, pinned and managed memory.
const OF_HOST: [i32; 3] = [1, 3, 13];

/// Asks an object for its tensor.
///
/// # Errors
/// When the object refuses, or the tensor is on a device.
pub fn export(object: &Bound<'_, PyAny>, name: &str) -> PyResult<Exported> {
    let py = object.py();
    let versions = PyDict::new(py);
    versions.set_item("max_version", (1, 0))?;
    let method = object.getattr("__dlpack__")?;
    // Libraries of before version 1 take no argument.
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
    // SAFETY: the name lives for ever. From now on the tensor is ours to give back.
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
        // SAFETY: the library keeps the tensor until it is given back, when this is dropped.
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
            // SAFETY: not null, so by DLPack it points to `axes` numbers, which stay until the tensor is given back.
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
            // SAFETY: the library keeps the tensor until it is given back, when `self` is dropped.
            Exported::New(versioned) => unsafe { versioned.as_ref().flags & READ_ONLY == 0 },
        };
        let address = tensor.data as usize + tensor.offset as usize;
        Layout { address, shape, strides, item, writable }
    }
}

impl Drop for Exported {
    fn drop(&mut self) {
        // SAFETY: taken over from its capsule, and given back once.
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
