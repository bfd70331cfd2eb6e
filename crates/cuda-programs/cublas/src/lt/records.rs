//! Descriptors of cuBLASLt: layouts, products, preferences. Programs may keep them in their own memory, so each must
//! fit in the size that cuBLASLt's header declares.

use crate::{Result, Status, refuse};
use lanework_standin::{In, Out, Plain, abi, call, store};

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
    /// Pointers to the scales of A, B, C and D.
    pub factors: [u64; 4],
    /// Settings that have no effect here.
    pub ignored: i64,
}

/// A preference, in at most 64 bytes.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct Preference {
    ignored: [u64; 2],
}

// The header's records are opaque (`uint64_t data[8]`, `[32]` and `[8]`): each must fit.
const _: () = assert!(
    size_of::<Layout>() <= 64 && size_of::<Description>() <= 256 && size_of::<Preference>() <= 64
);
abi!(Layout = 48, 8 { kind: 0, order: 4, rows: 8, columns: 16, leading: 24, stride: 32, count: 40 });
abi!(Description = 88, 8 {
    compute: 0, scale: 4, pointers: 8, operations: 12, epilogue: 24, bias_kind: 28, bias: 32, bias_stride: 40, factors: 48, ignored: 80,
});
abi!(Preference = 16, 8 { ignored: 0 });

/// The fill-mode attribute, whose value 0 requests a triangle.
const FILL_MODE: i32 = 6;

/// The bytes of an attribute in a record; `None` if the number is unknown.
trait Attributes: Plain + Default {
    fn attribute(&mut self, number: i32) -> Option<&mut [u8]>;
}

/// The bytes of a field: a number, or an array of numbers.
fn field<T: FieldType>(field: &mut T) -> Option<&mut [u8]> {
    let at = std::ptr::from_mut(field).cast();
    // SAFETY: the field is borrowed as long as its bytes; numbers have no padding and no invalid bits.
    Some(unsafe { std::slice::from_raw_parts_mut(at, size_of::<T>()) })
}

/// Field types: `Plain` and without padding.
trait FieldType: Plain {}

impl FieldType for i32 {}
impl FieldType for u32 {}
impl FieldType for i64 {}
impl FieldType for u64 {}
impl<const N: usize> FieldType for [u64; N] {}

impl Attributes for Layout {
    fn attribute(&mut self, number: i32) -> Option<&mut [u8]> {
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
    fn attribute(&mut self, number: i32) -> Option<&mut [u8]> {
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
            // Number of multiprocessors, and fast accumulation.
            15 | 25 => field(&mut self.ignored),
            _ => None,
        }
    }
}

impl Attributes for Preference {
    fn attribute(&mut self, _number: i32) -> Option<&mut [u8]> {
        field(&mut self.ignored)
    }
}

/// Reads a record.
///
/// # Errors
/// If the pointer is null.
pub fn read<T: Plain>(record: Out<'_, T>) -> Result<T> {
    record.find().map_or_else(|| refuse(Status::InvalidValue, "a cuBLASLt descriptor is null"), Ok)
}

fn set<T: Attributes>(to: Out<'_, T>, number: i32, from: In<'_, u8>, bytes: usize) -> Result {
    let mut record = read(to)?;
    match record.attribute(number) {
        Some(field) if bytes <= field.len() && !from.is_null() => {
            // SAFETY: by cuBLASLt's documentation, the value has `bytes` bytes.
            field[..bytes].copy_from_slice(unsafe { from.bytes(bytes) });
            store(to, record)
        }
        Some(_) => {
            refuse(Status::InvalidValue, &format!("attribute {number} does not have {bytes} bytes"))
        }
        // All zeros are the default of every attribute: no pointer, no special mode.
        // SAFETY: by cuBLASLt's documentation, the value has `bytes` bytes.
        None if number != FILL_MODE
            && !from.is_null()
            && unsafe { from.bytes(bytes) }.iter().all(|byte| *byte == 0) =>
        {
            Ok(())
        }
        None => refuse(
            Status::NotSupported,
            &format!("attribute {number} of a cuBLASLt descriptor is not supported"),
        ),
    }
}

fn get<T: Attributes>(
    from: Out<'_, T>,
    number: i32,
    to: Out<'_, u8>,
    bytes: usize,
    written: Out<'_, usize>,
) -> Result {
    let mut record = read(from)?;
    let Some(field) = record.attribute(number) else {
        return refuse(
            Status::NotSupported,
            &format!("attribute {number} of a cuBLASLt descriptor is not supported"),
        );
    };
    written.store_optional(field.len());
    if bytes == 0 {
        return Ok(());
    }
    if bytes < field.len() || to.is_null() {
        return Err(Status::InvalidValue);
    }
    // SAFETY: by cuBLASLt's documentation, the buffer has `bytes` bytes, which are at least the attribute's.
    unsafe { to.write_bytes(field) };
    Ok(())
}

macro_rules! records {
    ($($type:ident ($($argument:ident: $of:ty),*) $made:block $init:ident $create:ident $destroy:ident $set:ident $get:ident;)*) => {$(
        #[unsafe(no_mangle)]
        #[doc = concat!("cuBLASLt's `", stringify!($init), "`.")]
        pub unsafe extern "C" fn $init(record: Out<'_, $type>, bytes: usize, $($argument: $of),*) -> i32 {
            call::<Status>(stringify!($init), || {
                if bytes < size_of::<$type>() {
                    return Err(Status::InvalidValue);
                }
                store(record, $made)
            })
        }

        #[unsafe(no_mangle)]
        #[doc = concat!("cuBLASLt's `", stringify!($create), "`.")]
        pub unsafe extern "C" fn $create(to: Out<'_, *mut $type>, $($argument: $of),*) -> i32 {
            call::<Status>(stringify!($create), || store(to, Box::into_raw(Box::new($made))))
        }

        #[unsafe(no_mangle)]
        #[doc = concat!("cuBLASLt's `", stringify!($destroy), "`.")]
        pub unsafe extern "C" fn $destroy(record: *mut $type) -> i32 {
            call::<Status>(stringify!($destroy), || {
                if !record.is_null() {
                    // SAFETY: the program got the pointer from the `Create` function above, which boxed the record, and by cuBLASLt's
                    // documentation destroys it once.
                    drop(unsafe { Box::from_raw(record) });
                }
                Ok(())
            })
        }

        #[unsafe(no_mangle)]
        #[doc = concat!("cuBLASLt's `", stringify!($set), "`.")]
        pub unsafe extern "C" fn $set(record: Out<'_, $type>, number: i32, from: In<'_, u8>, bytes: usize) -> i32 {
            call::<Status>(stringify!($set), || set(record, number, from, bytes))
        }

        #[unsafe(no_mangle)]
        #[doc = concat!("cuBLASLt's `", stringify!($get), "`.")]
        pub unsafe extern "C" fn $get(record: Out<'_, $type>, number: i32, to: Out<'_, u8>, bytes: usize, written: Out<'_, usize>) -> i32 {
            call::<Status>(stringify!($get), || get(record, number, to, bytes, written))
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
