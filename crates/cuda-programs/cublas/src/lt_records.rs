//! The records of cuBLASLt: layouts, descriptions of products, preferences. Programs may hold their bytes themselves, so each fits
//! the size that cuBLASLt's header gives it.

use crate::status::{Result, Status, refuse};
use lanework_standin::{call, store};

/// A layout, in at most 64 bytes.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct Layout {
    pub kind: i32,
    pub order: i32,
    pub rows: u64,
    pub columns: u64,
    pub leading: i64,
    pub stride: i64,
    pub count: i32,
}

/// A product, in at most 256 bytes.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct Description {
    pub compute: i32,
    pub scale: i32,
    pub pointers: i32,
    pub operations: [i32; 3],
    pub epilogue: u32,
    pub bias_kind: i32,
    pub bias: u64,
    pub bias_stride: i64,
    /// Pointers to factors of A, B, C and D.
    pub factors: [u64; 4],
    /// What changes no result here.
    pub ignored: i64,
}

/// A preference, in at most 64 bytes.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct Preference {
    ignored: [u64; 2],
}

const _: () = assert!(size_of::<Layout>() <= 64 && size_of::<Description>() <= 256);

/// The attribute whose zeros ask for a triangle.
const FILL_MODE: i32 = 6;

/// Where an attribute lies in a record, and its bytes; `None` where there is no such.
trait Attributes: Copy + Default {
    fn attribute(&mut self, number: i32) -> Option<(*mut u8, usize)>;
}

fn field<T>(field: &mut T) -> Option<(*mut u8, usize)> {
    Some((std::ptr::from_mut(field).cast(), size_of::<T>()))
}

impl Attributes for Layout {
    fn attribute(&mut self, number: i32) -> Option<(*mut u8, usize)> {
        match number {
            0 => field(&mut self.kind),
            1 => field(&mut self.order),
            2 => field(&mut self.rows),
            3 => field(&mut self.columns),
            4 => field(&mut self.leading),
            5 => field(&mut self.count),
            6 => field(&mut self.stride),
            _ => None,
        }
    }
}

impl Attributes for Description {
    fn attribute(&mut self, number: i32) -> Option<(*mut u8, usize)> {
        match number {
            0 => field(&mut self.compute),
            1 => field(&mut self.scale),
            2 => field(&mut self.pointers),
            3..=5 => field(&mut self.operations[number as usize - 3]),
            7 => field(&mut self.epilogue),
            8 => field(&mut self.bias),
            10 => field(&mut self.bias_stride),
            17..=20 => field(&mut self.factors[number as usize - 17]),
            26 => field(&mut self.bias_kind),
            // Multiprocessors to use, and faster sums.
            15 | 25 => field(&mut self.ignored),
            _ => None,
        }
    }
}

impl Attributes for Preference {
    fn attribute(&mut self, _number: i32) -> Option<(*mut u8, usize)> {
        field(&mut self.ignored)
    }
}

/// A record by its pointer.
///
/// # Errors
/// When it is null.
///
/// # Safety
/// The pointer is null or of such a record.
pub unsafe fn at<'a, T>(record: *mut T) -> Result<&'a mut T> {
    // SAFETY: by the caller.
    unsafe { record.as_mut() }
        .map_or_else(|| refuse(Status::InvalidValue, "a record of cuBLASLt is null"), Ok)
}

unsafe fn set<T: Attributes>(record: *mut T, number: i32, from: *const u8, bytes: usize) -> Result {
    // SAFETY: by the caller.
    match unsafe { at(record)? }.attribute(number) {
        Some((to, size)) if bytes <= size && !from.is_null() => {
            // SAFETY: both have as many bytes.
            unsafe { to.copy_from_nonoverlapping(from, bytes) };
            Ok(())
        }
        Some(_) => {
            refuse(Status::InvalidValue, &format!("attribute {number} does not have {bytes} bytes"))
        }
        // All zeros are the value that an attribute has anyway: no pointer, no mode of its own.
        // SAFETY: by the caller.
        None if number != FILL_MODE
            && !from.is_null()
            && (0..bytes).all(|at| unsafe { from.add(at).read() } == 0) =>
        {
            Ok(())
        }
        None => refuse(
            Status::NotSupported,
            &format!("attribute {number} of a record of cuBLASLt has no effect here"),
        ),
    }
}

unsafe fn get<T: Attributes>(
    record: *mut T,
    number: i32,
    to: *mut u8,
    bytes: usize,
    written: *mut usize,
) -> Result {
    // SAFETY: by the caller.
    let Some((from, size)) = (unsafe { at(record)? }).attribute(number) else {
        return refuse(
            Status::NotSupported,
            &format!("attribute {number} of a record of cuBLASLt is not kept"),
        );
    };
    if !written.is_null() {
        // SAFETY: not null.
        unsafe { written.write(size) };
    }
    if bytes == 0 {
        return Ok(());
    }
    if bytes < size || to.is_null() {
        return Err(Status::InvalidValue);
    }
    // SAFETY: both have as many bytes.
    unsafe { to.copy_from_nonoverlapping(from, size) };
    Ok(())
}

macro_rules! records {
    ($($type:ident ($($argument:ident: $of:ty),*) $made:block $init:ident $create:ident $destroy:ident $set:ident $get:ident;)*) => {$(
        #[unsafe(no_mangle)]
        #[doc = concat!("cuBLASLt's `", stringify!($init), "`.")]
        pub unsafe extern "C" fn $init(record: *mut $type, bytes: usize, $($argument: $of),*) -> i32 {
            call::<Status>(stringify!($init), || {
                if bytes < size_of::<$type>() {
                    return Err(Status::InvalidValue);
                }
                // SAFETY: by the caller.
                unsafe { store(record, $made) }
            })
        }

        #[unsafe(no_mangle)]
        #[doc = concat!("cuBLASLt's `", stringify!($create), "`.")]
        pub unsafe extern "C" fn $create(to: *mut *mut $type, $($argument: $of),*) -> i32 {
            // SAFETY: by the caller.
            call::<Status>(stringify!($create), || unsafe { store(to, Box::into_raw(Box::new($made))) })
        }

        #[unsafe(no_mangle)]
        #[doc = concat!("cuBLASLt's `", stringify!($destroy), "`.")]
        pub unsafe extern "C" fn $destroy(record: *mut $type) -> i32 {
            call::<Status>(stringify!($destroy), || {
                if !record.is_null() {
                    // SAFETY: made by the function above, by the caller.
                    drop(unsafe { Box::from_raw(record) });
                }
                Ok(())
            })
        }

        #[unsafe(no_mangle)]
        #[doc = concat!("cuBLASLt's `", stringify!($set), "`.")]
        pub unsafe extern "C" fn $set(record: *mut $type, number: i32, from: *const u8, bytes: usize) -> i32 {
            // SAFETY: by the caller.
            call::<Status>(stringify!($set), || unsafe { set(record, number, from, bytes) })
        }

        #[unsafe(no_mangle)]
        #[doc = concat!("cuBLASLt's `", stringify!($get), "`.")]
        pub unsafe extern "C" fn $get(record: *mut $type, number: i32, to: *mut u8, bytes: usize, written: *mut usize) -> i32 {
            // SAFETY: by the caller.
            call::<Status>(stringify!($get), || unsafe { get(record, number, to, bytes, written) })
        }
    )*};
}

records! {
    Layout (kind: i32, rows: u64, columns: u64, leading: i64) { Layout { kind, rows, columns, leading, count: 1, ..Layout::default() } }
        cublasLtMatrixLayoutInit_internal cublasLtMatrixLayoutCreate cublasLtMatrixLayoutDestroy
        cublasLtMatrixLayoutSetAttribute cublasLtMatrixLayoutGetAttribute;
    Description (compute: i32, scale: i32) { Description { compute, scale, epilogue: 1, bias_kind: -1, ..Description::default() } }
        cublasLtMatmulDescInit_internal cublasLtMatmulDescCreate cublasLtMatmulDescDestroy
        cublasLtMatmulDescSetAttribute cublasLtMatmulDescGetAttribute;
    Preference () { Preference::default() }
        cublasLtMatmulPreferenceInit_internal cublasLtMatmulPreferenceCreate cublasLtMatmulPreferenceDestroy
        cublasLtMatmulPreferenceSetAttribute cublasLtMatmulPreferenceGetAttribute;
}
