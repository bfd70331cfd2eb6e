//! Kernel arguments: scalars and structs by value, device memory by address and length.
//!
//! The `#[kernel]` macro bounds each parameter by one of these traits. A buffer of the wrong element type, or a shared
//! reference to memory that the kernel writes, is therefore a compile error.

use crate::buffer::descriptors::DynTensorMap;
use crate::{Buffer, View, ViewMut};
use lanework_abi::{Parameter, ParameterKind, Storable, Tile};
use std::fmt;
use std::marker::PhantomData;

/// One argument of a launch, borrowing the memory it points to for `'a`.
#[derive(Debug)]
pub struct Arg<'a> {
    value: Value,
    memory: PhantomData<&'a ()>,
}

#[derive(Debug)]
enum Value {
    /// Little-endian bytes of a value.
    Bytes(Vec<u8>),
    /// Device memory: the device's identity, a byte address, and a length in elements.
    Slice { device: u64, address: u64, length: u64 },
    /// A tensor map: the device's identity, its 128 bytes, and the tiles that it copies.
    Map { device: u64, bytes: Vec<u8>, tile: Option<Tile> },
}

impl Arg<'_> {
    pub(crate) fn slice(device: u64, address: u64, length: u64) -> Self {
        Arg { value: Value::Slice { device, address, length }, memory: PhantomData }
    }

    /// A value as the bytes that the kernel reads.
    #[doc(hidden)]
    pub fn bytes(bytes: Vec<u8>) -> Arg<'static> {
        Arg { value: Value::Bytes(bytes), memory: PhantomData }
    }

    /// A tensor map and the tiles that it copies.
    #[doc(hidden)]
    pub fn map<'a>(map: &DynTensorMap<'a>, tile: Option<Tile>) -> Arg<'a> {
        let (device, bytes) = (map.device(), map.as_bytes().to_vec());
        Arg { value: Value::Map { device, bytes, tile }, memory: PhantomData }
    }

    /// The device that the argument belongs to, if any.
    pub(crate) fn device(&self) -> Option<u64> {
        match &self.value {
            Value::Bytes(_) => None,
            Value::Slice { device, .. } | Value::Map { device, .. } => Some(*device),
        }
    }

    /// Compares a tensor map with the tiles that a kernel copies through it.
    ///
    /// # Errors
    /// The mismatch, and the remedy.
    pub(crate) fn fits(&self, parameter: &Parameter) -> Result<(), (String, String)> {
        let (Value::Map { tile: found, .. }, ParameterKind::TensorMap { tile: Some(wanted), .. }) =
            (&self.value, parameter.kind)
        else {
            return Ok(());
        };
        if *found == Some(wanted) {
            return Ok(());
        }
        let found = found.map_or_else(String::new, |tile| tile.to_string());
        Err((
            format!(
                "the tensor map `{}` copies tiles of {found}, the kernel's are {wanted}",
                parameter.name
            ),
            "make the map with the kernel's tile: `Tiles::new(shape, tile).swizzle(..)` (of pixels `Pixels::new(shape, count)`), \
             or give the kernel's shared array the map's shape and read it as `.swizzled(..)`"
                .to_owned(),
        ))
    }

    /// The bytes of the PTX parameters that this argument fills: one for a scalar or a map, address and
    /// length for a slice.
    pub(crate) fn parameters(&self) -> Vec<Vec<u8>> {
        match &self.value {
            Value::Bytes(bytes) | Value::Map { bytes, .. } => vec![bytes.clone()],
            Value::Slice { address, length, .. } => {
                vec![address.to_le_bytes().to_vec(), length.to_le_bytes().to_vec()]
            }
        }
    }
}

/// An argument that a kernel takes by reference, such as `&TensorMap<T, R>`.
pub trait ReferenceArg<'a> {
    /// The launch argument.
    #[doc(hidden)]
    fn into_arg(self) -> Arg<'a>;
}

/// An argument for a kernel's parameter `&mut M`, where `M` is a tensor map that the kernel writes through: the map
/// itself, or an exclusive borrow of it that lasts as long as the launch.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an exclusive tensor map",
    label = "expected the map itself or `&mut` of it",
    note = "a launch borrows what its kernel writes exclusively: pass `map`, or `&mut map` to launch with it again later"
)]
pub trait ReferenceMutArg<'a, M> {
    /// The launch argument.
    #[doc(hidden)]
    fn into_arg(self) -> Arg<'a>;
}

/// Device memory that a kernel may read as `&[T]`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not device memory of `{T}`",
    label = "expected `&Buffer<{T}>` or a view of one",
    note = "upload host data first: `let x = device.upload(&data)?;` and pass `&x`"
)]
pub trait SliceArg<'a, T: Storable> {
    /// The address and length as a launch argument.
    #[doc(hidden)]
    fn into_arg(self) -> Arg<'a>;
}

/// Device memory that a kernel may write as `&mut [T]`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not writable device memory of `{T}`",
    label = "expected `&mut Buffer<{T}>` or a mutable view of one",
    note = "make it with `device.zeros(n)?` or `device.upload(&data)?` and pass `&mut y`"
)]
pub trait SliceMutArg<'a, T: Storable> {
    /// The address and length as a launch argument.
    #[doc(hidden)]
    fn into_arg(self) -> Arg<'a>;
}

impl<'a, T: Storable> SliceArg<'a, T> for &'a Buffer<T> {
    fn into_arg(self) -> Arg<'a> {
        self.view(..).into_arg()
    }
}

impl<'a, T: Storable> SliceArg<'a, T> for View<'a, T> {
    fn into_arg(self) -> Arg<'a> {
        Arg::slice(self.device, self.address, self.length as u64)
    }
}

impl<'a, T: Storable> SliceMutArg<'a, T> for &'a mut Buffer<T> {
    fn into_arg(self) -> Arg<'a> {
        self.view_mut(..).into_arg()
    }
}

impl<'a, T: Storable> SliceMutArg<'a, T> for ViewMut<'a, T> {
    fn into_arg(self) -> Arg<'a> {
        Arg::slice(self.device, self.address, self.length as u64)
    }
}

/// Extents in x, y and z, as CUDA's `dim3`: a missing extent is 1.
///
/// ```
/// use lanework::Dim3;
///
/// assert_eq!(Dim3::from(4), Dim3::from((4, 1, 1)));
/// assert_eq!(Dim3::from((32, 8)).count(), 256);
/// assert_eq!(Dim3::from((32, 8)).to_array(), [32, 8, 1]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Dim3 {
    /// Extent in x, the fastest-varying dimension.
    pub x: u32,
    /// Extent in y.
    pub y: u32,
    /// Extent in z.
    pub z: u32,
}

impl Dim3 {
    /// The number of points: x times y times z.
    pub fn count(self) -> u64 {
        u64::from(self.x) * u64::from(self.y) * u64::from(self.z)
    }

    /// The extents as an array.
    pub fn to_array(self) -> [u32; 3] {
        [self.x, self.y, self.z]
    }
}

impl From<u32> for Dim3 {
    fn from(x: u32) -> Self {
        Dim3 { x, y: 1, z: 1 }
    }
}

impl From<(u32, u32)> for Dim3 {
    fn from((x, y): (u32, u32)) -> Self {
        Dim3 { x, y, z: 1 }
    }
}

impl From<(u32, u32, u32)> for Dim3 {
    fn from((x, y, z): (u32, u32, u32)) -> Self {
        Dim3 { x, y, z }
    }
}

impl From<[u32; 3]> for Dim3 {
    fn from([x, y, z]: [u32; 3]) -> Self {
        Dim3 { x, y, z }
    }
}

impl fmt::Display for Dim3 {
    /// `32x8`, or `32x8x2` when z is not 1.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.y, self.z) {
            (1, 1) => write!(f, "{}", self.x),
            (y, 1) => write!(f, "{}x{y}", self.x),
            (y, z) => write!(f, "{}x{y}x{z}", self.x),
        }
    }
}
