//! Tensor maps of arguments.

use lanework::{Buffer, DynTensorMap, Swizzle, TensorElement, Tiling};
use lanework_lab::{Array, ElementType};

/// `TILE[,swizzle32|,swizzle64|,swizzle128][,nan]`: the tiles of a tensor map.
#[derive(Clone, Debug, PartialEq)]
pub struct MapForm {
    /// Extents in the array's order: rows before columns.
    pub tile: Vec<u32>,
    /// Swizzle in shared memory.
    pub swizzle: Swizzle,
    /// Elements out of bounds are NaN instead of zero.
    pub nan: bool,
}

impl MapForm {
    /// The tensor map of an array of this shape in a buffer.
    ///
    /// # Errors
    /// The rule of tensor maps that it violates.
    pub fn map<'a>(
        &self,
        buffer: &'a Buffer<u8>,
        array: &Array,
    ) -> Result<DynTensorMap<'a>, lanework::Error> {
        let extent: Vec<u64> = array.shape.iter().rev().copied().collect();
        let tile: Vec<u32> = self.tile.iter().rev().copied().collect();
        let tiling = Tiling::new(&extent, &tile).swizzle(self.swizzle);
        let tiling = if self.nan { tiling.nan_outside() } else { tiling };
        DynTensorMap::new(buffer, tensor_element(array.element), &tiling)
    }
}

/// The copy engine's type for an array's.
fn tensor_element(element: ElementType) -> TensorElement {
    match element.name {
        "f16" => TensorElement::F16,
        "bf16" => TensorElement::Bf16,
        "f32" => TensorElement::F32,
        "f64" => TensorElement::F64,
        "i32" => TensorElement::I32,
        "i64" => TensorElement::I64,
        // The copy engine copies bits and has no narrow signed types: unsigned ones of the size do.
        _ => match element.bytes {
            1 => TensorElement::U8,
            2 => TensorElement::U16,
            4 => TensorElement::U32,
            _ => TensorElement::U64,
        },
    }
}
