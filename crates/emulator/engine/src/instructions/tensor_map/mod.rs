//! Tensor maps: descriptions of tensors in global memory for the copy engine.
//!
//! On a GPU the driver encodes them, in a layout that NVIDIA does not document. On the emulator a kernel gets 128
//! bytes in this layout, little-endian:
//!
//! | bytes | hold |
//! | --- | --- |
//! | 0-7 | the global address of the first element |
//! | 8-15 | ignored: programs clear a bit that they know of NVIDIA's layout |
//! | 16 | dimensions, 1 to 5 |
//! | 17 | the element's type, as its place in [`TensorElement::ALL`] |
//! | 18 | the swizzle: 0 none, 1 over 32 bytes, 2 over 64, 3 over 128, 4 over 128 in units of 32 |
//! | 19 | 1 if elements outside the tensor are NaN, else 0 |
//! | 20 | 1 if pixels are copied as for `im2col`, else 0 |
//! | 24-43 | five extents less 1, 4 bytes each |
//! | 44-53 | five extents of the tile, 2 bytes each |
//! | 54-58 | five steps between elements of the tile, 1 byte each |
//! | 64-95 | four strides in bytes, of the second dimension and up |
//! | 96-107 | three lower and three upper corners of the box of pixels, 2 bytes each |
//! | 110-111 | pixels of a copy, 2 bytes |
//! | 112-119 | the mark `LWTENSOR`, or zeros in a map that a kernel made of zeros |
//!
//! All other bytes are 0. A kernel that makes its own map clears 128 bytes and sets every field by
//! `tensormap.replace`, as Triton's descriptors do; NVIDIA's layout requires no more.

#[cfg(test)]
mod tests;

use lanework_ptx::{ScalarType, Swizzle};
use lanework_ptx_ir::memory_layout::tensor_map as layout;

const MARK: [u8; 8] = *b"LWTENSOR";
/// Bytes of an encoded map.
pub const MAP_BYTES: usize = layout::BYTES;
/// Maximum number of dimensions.
pub const MOST_DIMENSIONS: usize = 5;

/// A tensor in global memory and the tiles that are copied from it. Dimensions are listed fastest-varying
/// first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TensorMap {
    /// Element type.
    pub element: TensorElement,
    /// Global address of the first element; a multiple of 16.
    pub address: u64,
    /// Elements in each of 1 to 5 dimensions, each 1 to 2^32.
    pub extent: Vec<u64>,
    /// Bytes from one index to the next in the second and further dimensions, each a multiple of 16
    /// below 2^40. One fewer than `extent`.
    pub strides: Vec<u64>,
    /// Extents of a tile in each dimension, each 1 to 256; its first row a multiple of 16 bytes.
    pub tile: Vec<u32>,
    /// Element strides: only every n-th element of a tile's extent is copied, n from 1 to 8. The stride of the first dimension
    /// has no effect.
    pub steps: Vec<u32>,
    /// Permutation in shared memory; limits the first row's bytes to its width.
    pub swizzle: Swizzle,
    /// Elements outside the tensor read as NaN instead of zero (floats only).
    pub nan_outside: bool,
    /// Pixels are copied instead of tiles: the tile then has these channels and is one pixel large.
    pub im2col: Option<Im2col>,
}

/// How pixels are copied for a convolution (PTX manual, "im2col mode"). The tensor has 3 to 5 dimensions: channels,
/// then one to three of space, then images.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Im2col {
    /// The first pixel of the box in each dimension of space, counted from the tensor's first.
    pub lower: [i16; 3],
    /// The last pixel of the box in each dimension of space, counted from the tensor's last.
    pub upper: [i16; 3],
    /// Pixels of a copy, 1 to 1024.
    pub pixels: u32,
}

impl TensorMap {
    /// Its 128 bytes, for the emulator.
    ///
    /// # Errors
    /// The broken rule, as a message.
    pub fn encode(&self) -> Result<[u8; MAP_BYTES], String> {
        self.check()?;
        let mut bytes = [0; MAP_BYTES];
        let mut put = |at: usize, value: &[u8]| bytes[at..at + value.len()].copy_from_slice(value);
        put(layout::MARK, &MARK);
        put(layout::ADDRESS, &self.address.to_le_bytes());
        let element = TensorElement::ALL.iter().position(|e| *e == self.element);
        let swizzle = match self.swizzle {
            Swizzle::None => 0,
            Swizzle::B32 => 1,
            Swizzle::B64 => 2,
            Swizzle::B128 => 3,
            Swizzle::B128By32 => 4,
        };
        let element = element.unwrap_or_default() as u8;
        put(
            layout::DIMENSIONS,
            &[self.extent.len() as u8, element, swizzle, self.nan_outside.into()],
        );
        for (i, extent) in self.extent.iter().enumerate() {
            put(layout::EXTENTS + 4 * i, &((extent - 1) as u32).to_le_bytes());
            put(layout::TILE + 2 * i, &(self.tile[i] as u16).to_le_bytes());
            put(layout::STEPS + i, &[self.steps[i] as u8]);
        }
        if let Some(im2col) = &self.im2col {
            put(layout::PIXELS, &[1]);
            for (i, corner) in im2col.lower.iter().chain(&im2col.upper).enumerate() {
                put(layout::CORNERS + 2 * i, &corner.to_le_bytes());
            }
            put(layout::COUNT, &(im2col.pixels as u16).to_le_bytes());
        }
        for (i, stride) in self.strides.iter().enumerate() {
            put(layout::STRIDES + 8 * i, &stride.to_le_bytes());
        }
        Ok(bytes)
    }

    /// From 128 bytes; `None` if they are not a map.
    pub fn decode(bytes: &[u8; MAP_BYTES]) -> Option<TensorMap> {
        fn take<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
            std::array::from_fn(|i| bytes[at + i])
        }
        let corner = |bytes: &[u8], i| i16::from_le_bytes(take(bytes, layout::CORNERS + 2 * i));
        if ![MARK, [0; 8]].contains(&take(bytes, layout::MARK)) {
            return None;
        }
        let dimensions = usize::from(bytes[layout::DIMENSIONS]);
        if !(1..=MOST_DIMENSIONS).contains(&dimensions) {
            return None;
        }
        let map = TensorMap {
            element: *TensorElement::ALL.get(usize::from(bytes[layout::ELEMENT]))?,
            address: u64::from_le_bytes(take(bytes, layout::ADDRESS)),
            extent: (0..dimensions)
                .map(|i| u64::from(u32::from_le_bytes(take(bytes, layout::EXTENTS + 4 * i))) + 1)
                .collect(),
            strides: (0..dimensions - 1)
                .map(|i| u64::from_le_bytes(take(bytes, layout::STRIDES + 8 * i)))
                .collect(),
            tile: (0..dimensions)
                .map(|i| u32::from(u16::from_le_bytes(take(bytes, layout::TILE + 2 * i))))
                .collect(),
            steps: (0..dimensions).map(|i| u32::from(bytes[layout::STEPS + i])).collect(),
            swizzle: match bytes[layout::SWIZZLE] {
                0 => Swizzle::None,
                1 => Swizzle::B32,
                2 => Swizzle::B64,
                3 => Swizzle::B128,
                4 => Swizzle::B128By32,
                _ => return None,
            },
            nan_outside: bytes[layout::FILL] != 0,
            im2col: match bytes[layout::PIXELS] {
                0 => None,
                _ => Some(Im2col {
                    lower: std::array::from_fn(|i| corner(bytes, i)),
                    upper: std::array::from_fn(|i| corner(bytes, 3 + i)),
                    pixels: u32::from(u16::from_le_bytes(take(bytes, layout::COUNT))),
                }),
            },
        };
        map.check().is_ok().then_some(map)
    }

    /// Elements of a tile in each dimension.
    pub fn counts(&self) -> Vec<u32> {
        let steps = self.tile.iter().zip(&self.steps).enumerate();
        steps.map(|(i, (tile, step))| if i == 0 { *tile } else { tile.div_ceil(*step) }).collect()
    }

    /// Bytes of a tile's row.
    pub fn row_bytes(&self) -> u64 {
        u64::from(self.tile[0]) * self.element.bytes()
    }

    /// Bytes from one row of a tile to the next in shared memory: with a swizzle its whole width, even if the rows
    /// are narrower (seen on an H200).
    pub fn pitch(&self) -> u64 {
        match self.swizzle {
            Swizzle::None => self.row_bytes(),
            swizzle => swizzle.width(),
        }
    }

    /// Rows of a tile.
    pub fn rows(&self) -> u64 {
        if let Some(im2col) = &self.im2col {
            return u64::from(im2col.pixels);
        }
        self.counts()[1..].iter().map(|count| u64::from(*count)).product()
    }

    /// Bytes of a tile, which count toward the mbarrier's transaction count.
    pub fn tile_bytes(&self) -> u64 {
        self.rows() * self.row_bytes()
    }

    /// Bytes of shared memory that a tile takes, with the gaps of narrow rows.
    pub fn shared_bytes(&self) -> u64 {
        self.rows() * self.pitch()
    }

    /// The first and last pixel of the box in dimension `s` of space.
    fn box_of(&self, s: usize, im2col: &Im2col) -> Option<(i64, i64)> {
        let low = i64::from(im2col.lower[s]);
        let high = self.extent[s + 1] as i64 - 1 + i64::from(im2col.upper[s]);
        (low <= high).then_some((low, high))
    }

    /// The address of each pixel's first channel, if it is in the tensor: from `at` on through the box, the
    /// innermost dimension first, in steps, each shifted by `offsets`.
    pub fn pixels(
        &self,
        im2col: &Im2col,
        at: [i64; MOST_DIMENSIONS],
        offsets: [i64; 3],
    ) -> Vec<Option<u64>> {
        let last = self.extent.len() - 1;
        let mut place = at;
        let mut pixels = Vec::with_capacity(im2col.pixels as usize);
        for _ in 0..im2col.pixels {
            let (mut address, mut inside) = (self.address, true);
            for d in 1..=last {
                let moved = place[d] + if d < last { offsets[d - 1] } else { 0 };
                inside &= (0..self.extent[d] as i64).contains(&moved);
                address = address.wrapping_add((moved as u64).wrapping_mul(self.strides[d - 1]));
            }
            pixels.push(inside.then_some(address));
            let mut d = 1;
            while d < last {
                place[d] += i64::from(self.steps[d]);
                match self.box_of(d - 1, im2col) {
                    Some((low, high)) if place[d] > high => place[d] = low,
                    _ => break,
                }
                d += 1;
            }
            if d == last {
                place[last] += 1;
            }
        }
        pixels
    }
}

/// Element types of the copy engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names say it")]
pub enum TensorElement {
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
}

impl TensorElement {
    /// All of them, in the order of their codes.
    pub const ALL: [TensorElement; 10] = {
        use TensorElement::*;
        [U8, U16, U32, I32, U64, I64, F16, F32, F64, Bf16]
    };

    /// Bytes of an element.
    pub fn bytes(self) -> u64 {
        u64::from(self.scalar().size())
    }

    /// The PTX type.
    pub fn scalar(self) -> ScalarType {
        match self {
            TensorElement::U8 => ScalarType::U8,
            TensorElement::U16 => ScalarType::U16,
            TensorElement::U32 => ScalarType::U32,
            TensorElement::I32 => ScalarType::S32,
            TensorElement::U64 => ScalarType::U64,
            TensorElement::I64 => ScalarType::S64,
            TensorElement::F16 => ScalarType::F16,
            TensorElement::F32 => ScalarType::F32,
            TensorElement::F64 => ScalarType::F64,
            TensorElement::Bf16 => ScalarType::Bf16,
        }
    }

    /// Whether it has a NaN.
    pub fn is_float(self) -> bool {
        self.scalar().is_float()
    }

    /// The bits of the NaN that stands for elements outside the tensor, as an H200 writes them: one
    /// 16-bit pattern, repeated to fill the element.
    pub fn nan(self) -> u64 {
        0x7ff7_7ff7_7ff7_7ff7 >> (64 - 8 * self.bytes())
    }
}

impl TensorMap {
    /// Checks the rules.
    ///
    /// # Errors
    /// The broken rule, as a message.
    pub(crate) fn check(&self) -> Result<(), String> {
        let dimensions = self.extent.len();
        if !(1..=MOST_DIMENSIONS).contains(&dimensions) {
            return Err(format!("it has {dimensions} dimensions; 1 to 5 are possible"));
        }
        let lengths = (self.strides.len() + 1, self.tile.len(), self.steps.len());
        if lengths != (dimensions, dimensions, dimensions) {
            return Err(format!(
                "{dimensions} dimensions need {} strides, and as many extents and steps of the tile as dimensions",
                dimensions - 1
            ));
        }
        if !self.address.is_multiple_of(16) {
            return Err(format!("the address {:#x} is not a multiple of 16", self.address));
        }
        if let Some(extent) = self.extent.iter().find(|extent| !(1..=1 << 32).contains(*extent)) {
            return Err(format!("the extent {extent} is not in 1 to 2^32"));
        }
        let bad = |stride: &&u64| !stride.is_multiple_of(16) || **stride >= 1 << 40;
        if let Some(stride) = self.strides.iter().find(bad) {
            return Err(format!(
                "the stride of {stride} bytes is not a multiple of 16 below 2^40; pad the rows"
            ));
        }
        if let Some(tile) = self.tile.iter().find(|tile| !(1..=256).contains(*tile)) {
            return Err(format!("the tile extent {tile} is not in 1 to 256"));
        }
        if let Some(step) = self.steps.iter().find(|step| !(1..=8).contains(*step)) {
            return Err(format!("the step {step} is not in 1 to 8"));
        }
        let row = self.row_bytes();
        if !row.is_multiple_of(16) {
            return Err(format!("a tile row has {row} bytes, not a multiple of 16"));
        }
        if self.swizzle != Swizzle::None && row > self.swizzle.width() {
            let span = self.swizzle.width();
            return Err(format!("a tile row has {row} bytes, more than the {span} of its swizzle"));
        }
        if let Some(im2col) = &self.im2col {
            if !(3..=MOST_DIMENSIONS).contains(&dimensions) {
                return Err(format!("pixels are copied in 3 to 5 dimensions, not in {dimensions}"));
            }
            if self.tile[1..].iter().any(|tile| *tile != 1) {
                return Err("a tile of pixels is one pixel large".to_owned());
            }
            if !(1..=1024).contains(&im2col.pixels) {
                return Err(format!("{} pixels per copy; 1 to 1024 are possible", im2col.pixels));
            }
            if (0..dimensions - 2).any(|s| self.box_of(s, im2col).is_none()) {
                return Err("the box of pixels is empty".to_owned());
            }
        }
        if self.nan_outside && !self.element.is_float() {
            return Err(format!("{:?} has no NaN to read outside the tensor", self.element));
        }
        Ok(())
    }
}
