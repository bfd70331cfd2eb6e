//! Operands of the attention kernels and their tensor maps.

use super::elements::Half;
use crate::{Tensor, TensorMut};
use lanework::lang::tensor_cores::SwizzleMode;
use lanework::prelude::*;
use lanework::{Result, ViewMut};

/// Operands of the attention kernels.
pub(super) struct Operands<'a, T: Half> {
    pub q: Tensor<'a, T, 4>,
    pub k: Tensor<'a, T, 4>,
    pub v: Tensor<'a, T, 4>,
    pub out: Results<'a, T>,
    pub log_sums: ViewMut<'a, f32>,
    pub counter: ViewMut<'a, u32>,
    /// Dummy memory for operands that are not used.
    pub unused: ViewMut<'a, u32>,
}

/// Destination of the results.
#[derive(Debug)]
pub struct Results<'a, T: Half> {
    pub(super) memory: Memory<'a, T>,
    pub(super) shape: [usize; 4],
    pub(super) strides: [usize; 4],
}

/// Result memory, rounded or f32.
#[derive(Debug)]
pub enum Memory<'a, T: Half> {
    Rounded(ViewMut<'a, T>),
    Wide(ViewMut<'a, f32>),
}

impl<'a, T: Half> Results<'a, T> {
    /// Rounded results.
    pub(super) fn narrow(out: TensorMut<'a, T, 4>) -> Self {
        let (shape, strides) = (out.shape(), out.strides());
        Results { memory: Memory::Rounded(out.into_view()), shape, strides }
    }

    /// Results as f32.
    pub(super) fn wide(out: TensorMut<'a, f32, 4>) -> Self {
        let (shape, strides) = (out.shape(), out.strides());
        Results { memory: Memory::Wide(out.into_view()), shape, strides }
    }

    /// Whether the tensor-core kernels can store to it: rounded results by TMA, f32 results in pairs.
    pub(super) fn fit(&self) -> bool {
        match &self.memory {
            Memory::Rounded(view) => tiled(view.address(), self.shape, self.strides, 8),
            Memory::Wide(view) => tiled(view.address(), self.shape, self.strides, 2),
        }
    }
}

/// Whether rows start at multiples of `unit` elements; for 8 elements, whether TMA can copy them.
pub(super) fn tiled(address: u64, shape: [usize; 4], strides: [usize; 4], unit: usize) -> bool {
    let mut steps = strides.into_iter().zip(shape).take(3);
    address.is_multiple_of(if unit == 8 { 16 } else { 8 })
        && steps.all(|(stride, extent)| {
            extent == 1 || stride.is_multiple_of(unit) && (1..1 << 39).contains(&stride)
        })
}

/// A tensor map of tiles of `rows` rows, 64 columns at a time.
pub(super) fn tiles(shape: [usize; 4], mut strides: [usize; 4], rows: u32) -> Tiles<4> {
    for axis in 0..3 {
        if shape[axis] == 1 {
            strides[axis] = shape[3]; // any extent that TMA accepts
        }
    }
    Tiles::new(shape, [1, 1, rows, 64]).strides(strides).swizzle(Swizzle128::SWIZZLE)
}

/// The tensor map for loading tiles of `rows` rows.
pub(super) fn map<'a, T: Half>(tensor: Tensor<'a, T, 4>, rows: u32) -> Result<TensorMap<'a, T, 4>> {
    let tiles = tiles(tensor.shape(), tensor.strides(), rows);
    TensorMap::of_view(&tensor.device().clone(), tensor.into_view(), &tiles)
}
