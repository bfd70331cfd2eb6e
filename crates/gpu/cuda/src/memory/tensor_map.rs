//! Tensor maps: descriptors of a tensor in global memory for the tensor memory accelerator (TMA,
//! sm_90).

use crate::driver::sys;
use crate::{CudaError, driver};
use std::fmt;

/// The encoded description of a tensor. Passed by value as a 128-byte kernel parameter
/// (`.param .align 64 .b8 map[128]`): pass [`TensorMap::as_bytes`] as the argument.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(C, align(64))]
pub struct TensorMap([u8; 128]);

// `CUtensorMap` of cuda.h, which kernels take by value.
const _: () = assert!(size_of::<TensorMap>() == 128 && align_of::<TensorMap>() == 64);

impl TensorMap {
    /// The 128 bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Debug for TensorMap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TensorMap(128 bytes)")
    }
}

/// Element types that TMA supports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are PTX types")]
pub enum Element {
    U8,
    U16,
    U32,
    I32,
    U64,
    I64,
    F16,
    F32,
    F64,
    Bf16,
    Tf32,
}

impl Element {
    /// Bytes of one element.
    pub fn bytes(self) -> u64 {
        match self {
            Element::U8 => 1,
            Element::U16 | Element::F16 | Element::Bf16 => 2,
            Element::U32 | Element::I32 | Element::F32 | Element::Tf32 => 4,
            Element::U64 | Element::I64 | Element::F64 => 8,
        }
    }

    fn code(self) -> sys::CUtensorMapDataType {
        use sys::CUtensorMapDataType as D;
        match self {
            Element::U8 => D::CU_TENSOR_MAP_DATA_TYPE_UINT8,
            Element::U16 => D::CU_TENSOR_MAP_DATA_TYPE_UINT16,
            Element::U32 => D::CU_TENSOR_MAP_DATA_TYPE_UINT32,
            Element::I32 => D::CU_TENSOR_MAP_DATA_TYPE_INT32,
            Element::U64 => D::CU_TENSOR_MAP_DATA_TYPE_UINT64,
            Element::I64 => D::CU_TENSOR_MAP_DATA_TYPE_INT64,
            Element::F16 => D::CU_TENSOR_MAP_DATA_TYPE_FLOAT16,
            Element::F32 => D::CU_TENSOR_MAP_DATA_TYPE_FLOAT32,
            Element::F64 => D::CU_TENSOR_MAP_DATA_TYPE_FLOAT64,
            Element::Bf16 => D::CU_TENSOR_MAP_DATA_TYPE_BFLOAT16,
            Element::Tf32 => D::CU_TENSOR_MAP_DATA_TYPE_TFLOAT32,
        }
    }
}

/// Swizzle of 16-byte chunks in shared memory; the names give the span of the pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Swizzle {
    /// No swizzle.
    #[default]
    None,
    /// Span of 32 bytes.
    B32,
    /// Span of 64 bytes.
    B64,
    /// Span of 128 bytes.
    B128,
    /// Span of 128 bytes, in units of 32 instead of 16 (sm_100 and later).
    B128By32,
}

/// L2 promotion: number of bytes that the L2 cache fetches on a miss.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum L2Promotion {
    /// No more than requested.
    #[default]
    None,
    /// 64 bytes.
    B64,
    /// 128 bytes.
    B128,
    /// 256 bytes.
    B256,
}

/// A tiled tensor, the input of [`encode_tiled_map`]. Extents are listed fastest-varying first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TiledMap {
    /// Element type.
    pub element: Element,
    /// Global address of the first element; a multiple of 16.
    pub address: u64,
    /// Elements in each of 1 to 5 dimensions, each 1 to 2^32.
    pub extent: Vec<u64>,
    /// Bytes from one index to the next in the second and further dimensions, each a multiple of
    /// 16 below 2^40. One fewer than `extent`.
    pub strides: Vec<u64>,
    /// Extents of a tile, each 1 to 256; the first dimension must be a multiple of 16 bytes.
    pub tile: Vec<u32>,
    /// Element strides (`elementStrides` of `cuTensorMapEncodeTiled`), one per dimension, 1 to 8. A stride of n copies
    /// every n-th element of the tile's extent. The first dimension ignores its stride.
    pub steps: Vec<u32>,
    /// Swizzle in shared memory; its span limits the bytes of a tile's first dimension.
    pub swizzle: Swizzle,
    /// L2 promotion.
    pub l2_promotion: L2Promotion,
    /// Whether elements outside the tensor read as NaN instead of zero (floats only).
    pub nan_outside: bool,
    /// Copies pixels for a convolution (im2col) instead of tiles: `tile` then has the channels first and 1 in every
    /// other dimension.
    pub im2col: Option<PixelBox>,
}

/// The pixels of a copy (`cuTensorMapEncodeIm2col`), per spatial dimension, fastest-varying first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PixelBox {
    /// Offset of the box's first pixel from the tensor's first.
    pub lower: Vec<i32>,
    /// Offset of the box's last pixel from the tensor's last.
    pub upper: Vec<i32>,
    /// Pixels of a copy, 1 to 1024.
    pub pixels: u32,
}

/// Encodes a tiled tensor map.
///
/// # Errors
/// [`CudaError::Invalid`] naming the violated rule, [`CudaError::Unsupported`] for drivers before
/// CUDA 12.0, [`CudaError::Unavailable`] without a driver.
pub fn encode_tiled_map(map: &TiledMap) -> Result<TensorMap, CudaError> {
    check(map)
        .map_err(|rule| CudaError::Invalid { what: format!("invalid tensor map: {rule}") })?;
    driver::start()?;
    let encoder = match map.im2col {
        None => "cuTensorMapEncodeTiled",
        Some(_) => "cuTensorMapEncodeIm2col",
    };
    if !driver::has(encoder) {
        return Err(CudaError::Unsupported {
            what: "encoding a tensor map with this driver".into(),
            remedy: "install a driver for CUDA 12.0 or later".into(),
        });
    }
    let mut encoded = sys::CUtensorMap { opaque: [0; 16] };
    let fill = match map.nan_outside {
        true => sys::CUtensorMapFloatOOBfill::CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA,
        false => sys::CUtensorMapFloatOOBfill::CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE,
    };
    let swizzle = match map.swizzle {
        Swizzle::None => sys::CUtensorMapSwizzle::CU_TENSOR_MAP_SWIZZLE_NONE,
        Swizzle::B32 => sys::CUtensorMapSwizzle::CU_TENSOR_MAP_SWIZZLE_32B,
        Swizzle::B64 => sys::CUtensorMapSwizzle::CU_TENSOR_MAP_SWIZZLE_64B,
        Swizzle::B128 => sys::CUtensorMapSwizzle::CU_TENSOR_MAP_SWIZZLE_128B,
        Swizzle::B128By32 => sys::CUtensorMapSwizzle::CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B,
    };
    let l2_promotion = match map.l2_promotion {
        L2Promotion::None => sys::CUtensorMapL2promotion::CU_TENSOR_MAP_L2_PROMOTION_NONE,
        L2Promotion::B64 => sys::CUtensorMapL2promotion::CU_TENSOR_MAP_L2_PROMOTION_L2_64B,
        L2Promotion::B128 => sys::CUtensorMapL2promotion::CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
        L2Promotion::B256 => sys::CUtensorMapL2promotion::CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
    };
    // SAFETY: the lists have the lengths that the rank requires (see `check`), the target is aligned to 64 bytes, and
    // the driver does not dereference the tensor's address.
    let result = unsafe {
        match &map.im2col {
            None => sys::cuTensorMapEncodeTiled(
                &mut encoded,
                map.element.code(),
                map.extent.len() as u32,
                map.address as *mut std::ffi::c_void,
                map.extent.as_ptr(),
                map.strides.as_ptr(),
                map.tile.as_ptr(),
                map.steps.as_ptr(),
                sys::CUtensorMapInterleave::CU_TENSOR_MAP_INTERLEAVE_NONE,
                swizzle,
                l2_promotion,
                fill,
            ),
            Some(PixelBox { lower, upper, pixels }) => sys::cuTensorMapEncodeIm2col(
                &mut encoded,
                map.element.code(),
                map.extent.len() as u32,
                map.address as *mut std::ffi::c_void,
                map.extent.as_ptr(),
                map.strides.as_ptr(),
                lower.as_ptr(),
                upper.as_ptr(),
                map.tile[0],
                *pixels,
                map.steps.as_ptr(),
                sys::CUtensorMapInterleave::CU_TENSOR_MAP_INTERLEAVE_NONE,
                swizzle,
                l2_promotion,
                fill,
            ),
        }
    };
    driver::check(result, encoder)?;
    let mut bytes = [0; 128];
    for (chunk, word) in bytes.chunks_exact_mut(8).zip(encoded.opaque) {
        chunk.copy_from_slice(&word.to_ne_bytes());
    }
    Ok(TensorMap(bytes))
}

/// The rules of the encoding; the driver itself only reports "invalid value".
fn check(map: &TiledMap) -> Result<(), String> {
    let rank = map.extent.len();
    if !(1..=5).contains(&rank) {
        return Err(format!("it has {rank} dimensions; 1 to 5 are allowed"));
    }
    if map.strides.len() != rank - 1 || map.tile.len() != rank || map.steps.len() != rank {
        return Err(format!(
            "{rank} dimensions need {} strides, {rank} tile extents and {rank} steps; {}, {} and {} were given",
            rank - 1,
            map.strides.len(),
            map.tile.len(),
            map.steps.len()
        ));
    }
    if let Some(PixelBox { lower, upper, pixels }) = &map.im2col {
        if !(3..=5).contains(&rank) || lower.len() != rank - 2 || upper.len() != rank - 2 {
            return Err(format!(
                "pixels of {rank} dimensions have corners of {} and {} numbers; 3 to 5 dimensions have two fewer",
                lower.len(),
                upper.len()
            ));
        }
        if !(1..=1024).contains(pixels) {
            return Err(format!("{pixels} pixels per copy; 1 to 1024 are possible"));
        }
    }
    if !map.address.is_multiple_of(16) {
        return Err(format!("the address {:#x} is not a multiple of 16", map.address));
    }
    if let Some(extent) = map.extent.iter().find(|extent| !(1..=1 << 32).contains(*extent)) {
        return Err(format!("the extent {extent} is not in 1 to 2^32"));
    }
    if let Some(stride) =
        map.strides.iter().find(|&&stride| !stride.is_multiple_of(16) || stride >= 1 << 40)
    {
        return Err(format!(
            "the stride of {stride} bytes is not a multiple of 16 below 2^40; pad the rows"
        ));
    }
    if let Some(tile) = map.tile.iter().find(|tile| !(1..=256).contains(*tile)) {
        return Err(format!("the tile extent {tile} is not in 1 to 256"));
    }
    if let Some(step) = map.steps.iter().find(|step| !(1..=8).contains(*step)) {
        return Err(format!("the step {step} is not in 1 to 8"));
    }
    let row = u64::from(map.tile[0]) * map.element.bytes();
    if !row.is_multiple_of(16) {
        return Err(format!("a tile row has {row} bytes, not a multiple of 16"));
    }
    let span = match map.swizzle {
        Swizzle::None => u64::MAX,
        Swizzle::B32 => 32,
        Swizzle::B64 => 64,
        Swizzle::B128 | Swizzle::B128By32 => 128,
    };
    if row > span {
        return Err(format!("a tile row has {row} bytes, more than the {span} of its swizzle"));
    }
    let float = matches!(
        map.element,
        Element::F16 | Element::F32 | Element::F64 | Element::Bf16 | Element::Tf32
    );
    if map.nan_outside && !float {
        return Err(format!("{:?} has no NaN to read outside the tensor", map.element));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matrix() -> TiledMap {
        TiledMap {
            element: Element::F32,
            address: 0x7f00_0000_0000,
            extent: vec![1024, 512],
            strides: vec![4096],
            tile: vec![32, 32],
            steps: vec![1, 1],
            swizzle: Swizzle::B128,
            l2_promotion: L2Promotion::B128,
            nan_outside: false,
            im2col: None,
        }
    }

    #[test]
    fn a_map_has_the_size_and_alignment_of_a_kernel_parameter() {
        assert_eq!((size_of::<TensorMap>(), align_of::<TensorMap>()), (128, 64));
        assert_eq!(check(&matrix()), Ok(()));
    }

    #[test]
    fn each_broken_rule_is_named() {
        for (map, expected) in [
            (TiledMap { extent: vec![], ..matrix() }, "0 dimensions"),
            (
                TiledMap { strides: vec![], ..matrix() },
                "need 1 strides, 2 tile extents and 2 steps; 0, 2 and 2",
            ),
            (TiledMap { address: 8, ..matrix() }, "0x8 is not a multiple of 16"),
            (TiledMap { extent: vec![0, 1], ..matrix() }, "extent 0"),
            (TiledMap { strides: vec![4100], ..matrix() }, "4100 bytes"),
            (TiledMap { tile: vec![32, 257], ..matrix() }, "tile extent 257"),
            (TiledMap { steps: vec![1, 9], ..matrix() }, "step 9"),
            (TiledMap { tile: vec![3, 3], ..matrix() }, "12 bytes, not a multiple of 16"),
            (TiledMap { tile: vec![64, 4], ..matrix() }, "256 bytes, more than the 128"),
            (TiledMap { element: Element::I32, nan_outside: true, ..matrix() }, "no NaN"),
        ] {
            let rule = check(&map).expect_err("the map violates a rule");
            assert!(rule.contains(expected), "{rule}\nlacks {expected}");
        }
    }
}
