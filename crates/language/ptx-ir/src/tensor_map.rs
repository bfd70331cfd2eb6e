//! Where the fields of a tensor map lie in its 128 bytes, in the emulator's layout; what each holds is said at the
//! engine's `TensorMap`. Instructions that change a map are lowered to stores to these places.

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
