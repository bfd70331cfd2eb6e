//! Arrays, textures, surfaces, and tensor maps (`CUtensorMap`), which describe tensors to the copy engine of sm_90, in the
//! emulator's own layout.

pub mod arrays;
pub mod objects;
pub mod references;

use crate::api::{api, warn};
use crate::pointers::*;
use crate::state::driver;
use crate::status::{Result, Status};
use lanework::emulator::{Im2col, TensorMap};
use lanework::{Swizzle, TensorElement};

/// Parameters of both kinds of maps. Arrays list the fastest-varying dimension first.
#[derive(Clone, Copy)]
struct TensorDescription<'call> {
    kind: i32,
    rank: u32,
    address: u64,
    extent: In<'call, u64>,
    strides: In<'call, u64>,
    steps: In<'call, u32>,
    interleave: i32,
    swizzle: i32,
    /// 1 if elements outside of the tensor are NaN.
    outside: i32,
}

/// Reports why a map is refused.
fn refuse<T>(why: &str, status: Status) -> Result<T> {
    warn("the tensor map cannot be created", &why);
    Err(status)
}

/// Decodes a `CUtensorMapDataType`. TF32 values are copied as 32 bits.
fn element(kind: i32) -> Result<TensorElement> {
    match kind {
        0..=9 => Ok(TensorElement::ALL[kind as usize]),
        11 => Ok(TensorElement::F32),
        10 | 12 => refuse("copies that flush denormals are not emulated", Status::NotSupported),
        13..=15 => refuse("packed elements of 4 and 6 bits need sm_100", Status::NotSupported),
        _ => Err(Status::InvalidValue),
    }
}

impl TensorDescription<'_> {
    /// Creates the map.
    fn map(self, tile: Vec<u32>, im2col: Option<Im2col>) -> Result<TensorMap> {
        if !(1..=5).contains(&self.rank) || self.extent.is_null() || self.steps.is_null() {
            return Err(Status::InvalidValue);
        }
        if self.interleave != 0 {
            return refuse("interleaved layouts are not emulated", Status::NotSupported);
        }
        let swizzle = match self.swizzle {
            0 => Swizzle::None,
            1 => Swizzle::B32,
            2 => Swizzle::B64,
            3 => Swizzle::B128,
            4 => Swizzle::B128By32,
            5 | 6 => return refuse("this swizzle needs sm_100", Status::NotSupported),
            _ => return Err(Status::InvalidValue),
        };
        let rank = self.rank as usize;
        let (extent, strides, steps) =
            (self.extent.list(rank)?, self.strides.list(rank - 1)?, self.steps.list(rank)?);
        if strides.len() + 1 != rank {
            return Err(Status::InvalidValue);
        }
        Ok(TensorMap {
            element: element(self.kind)?,
            address: self.address,
            extent,
            strides,
            tile,
            steps,
            swizzle,
            nan_outside: self.outside != 0,
            im2col,
        })
    }
}

fn encode(map: &TensorMap) -> Result<[u8; 128]> {
    driver()?;
    map.encode().map_err(|rule| {
        warn("the tensor map cannot be created", &rule);
        Status::InvalidValue
    })
}

api! {
    fn cuTensorMapEncodeTiled(map: Out<'_, [u8; 128]>, kind: i32, rank: u32, address: u64, extent: In<'_, u64>, strides: In<'_, u64>, tile: In<'_, u32>, steps: In<'_, u32>, interleave: i32, swizzle: i32, _promotion: i32, outside: i32) {
        let tensor = TensorDescription { kind, rank, address, extent, strides, steps, interleave, swizzle, outside };
        if !(1..=5).contains(&rank) {
            return Err(Status::InvalidValue);
        }
        let tile = tile.list(rank as usize)?;
        map.store(encode(&tensor.map(tile, None)?)?)
    }

    fn cuTensorMapEncodeIm2col(map: Out<'_, [u8; 128]>, kind: i32, rank: u32, address: u64, extent: In<'_, u64>, strides: In<'_, u64>, lower: In<'_, i32>, upper: In<'_, i32>, channels: u32, pixels: u32, steps: In<'_, u32>, interleave: i32, swizzle: i32, _promotion: i32, outside: i32) {
        if !(3..=5).contains(&rank) {
            return Err(Status::InvalidValue);
        }
        let tensor = TensorDescription { kind, rank, address, extent, strides, steps, interleave, swizzle, outside };
        let space = rank as usize - 2;
        let (lower, upper) = (lower.list(space)?, upper.list(space)?);
        let corner = |corner: &[i32]| -> Result<[i16; 3]> {
            let mut to = [0; 3];
            for (to, from) in to.iter_mut().zip(corner) {
                *to = i16::try_from(*from).map_err(|_| Status::InvalidValue)?;
            }
            Ok(to)
        };
        let mut tile = vec![1; rank as usize];
        tile[0] = channels;
        let im2col = Im2col { lower: corner(&lower)?, upper: corner(&upper)?, pixels };
        map.store(encode(&tensor.map(tile, Some(im2col))?)?)
    }

    fn cuTensorMapReplaceAddress(map: Out<'_, [u8; 128]>, address: u64) {
        let bytes = map.get()?;
        let found = TensorMap::decode(&bytes).ok_or(Status::InvalidValue)?;
        map.store(encode(&TensorMap { address, ..found })?)
    }
}
