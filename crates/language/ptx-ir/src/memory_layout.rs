//! Memory layouts that lowering and the engine share: the windows of the generic address space (PTX manual, "Generic
//! Addressing"), and the fields of a tensor map.

/// Generic addresses of shared memory start here.
pub const SHARED_WINDOW: u64 = 0x1_0000_0000;
/// Generic addresses of local memory start here.
pub const LOCAL_WINDOW: u64 = 0x2_0000_0000;
/// Generic addresses of kernel parameters start here.
pub const PARAMETER_WINDOW: u64 = 0x3_0000_0000;
/// Bytes of each window.
pub const WINDOW: u64 = 0x1_0000_0000;

/// Shift of the block number in a shared address: rank plus 1 of the block in its cluster, or 0 for the own block.
pub const RANK_SHIFT: u32 = 24;
/// Mask of the offset within a block.
pub const OFFSET_MASK: u64 = (1 << RANK_SHIFT) - 1;

/// Byte offsets of the fields of a tensor map (128 bytes) in the emulator's layout; the engine's `TensorMap` documents the
/// fields. Instructions that change a map are lowered to stores to these offsets.
pub mod tensor_map {
    /// The address of the first element, 8 bytes. The 8 after it are free: programs know a bit of the second word of
    /// NVIDIA's layout, and clear it in every map (CUTLASS and Triton, with drivers up to 13.1).
    pub const ADDRESS: usize = 0;
    /// The number of dimensions, 1 byte.
    pub const DIMENSIONS: usize = 16;
    /// The type of an element, 1 byte.
    pub const ELEMENT: usize = 17;
    /// The swizzle, 1 byte.
    pub const SWIZZLE: usize = 18;
    /// Whether elements outside are NaN, 1 byte.
    pub const FILL: usize = 19;
    /// Whether pixels are copied, 1 byte.
    pub const PIXELS: usize = 20;
    /// Five extents less 1, 4 bytes each.
    pub const EXTENTS: usize = 24;
    /// Five extents of the tile, 2 bytes each.
    pub const TILE: usize = 44;
    /// Five steps, 1 byte each.
    pub const STEPS: usize = 54;
    /// Four strides in bytes, 8 bytes each.
    pub const STRIDES: usize = 64;
    /// Three lower and three upper corners of the box of pixels, 2 bytes each.
    pub const CORNERS: usize = 96;
    /// Pixels of a copy, 2 bytes.
    pub const COUNT: usize = 110;
    /// The mark of a map, 8 bytes.
    pub const MARK: usize = 112;
    /// Bytes of a map.
    pub const BYTES: usize = 128;
}
