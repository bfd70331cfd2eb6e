//! Tensor maps (`CUtensorMap`): what the copy engine of sm_90 is told of a tensor, in the emulator's own layout.

use crate::api::{api, say};
use crate::pointers::{slice, store};
use crate::state::driver;
use crate::status::{Result, Status};
use lanework::emulator::{Im2col, TensorMap};
use lanework::{Swizzle, TensorElement};

/// What both kinds of maps are made of, as C passes it: arrays are listed fastest-varying dimension first.
#[derive(Clone, Copy)]
struct Tensor {
    kind: i32,
    rank: u32,
    address: u64,
    extent: *const u64,
    strides: *const u64,
    steps: *const u32,
    interleave: i32,
    swizzle: i32,
    /// 1 where elements outside are NaN.
    outside: i32,
}

/// Says why no map is made.
fn refuse<T>(why: &str, status: Status) -> Result<T> {
    say("a tensor map is not made", &why);
    Err(status)
}

/// An element type by its number (`CUtensorMapDataType`). Values of TF32 are copied as the 32 bits that they are.
fn element(kind: i32) -> Result<TensorElement> {
    match kind {
        0..=9 => Ok(TensorElement::ALL[kind as usize]),
        11 => Ok(TensorElement::F32),
        10 | 12 => refuse("copies that flush denormals are not emulated", Status::NotSupported),
        13..=15 => refuse("packed elements of 4 and 6 bits need sm_100", Status::NotSupported),
        _ => Err(Status::InvalidValue),
    }
}

impl Tensor {
    /// The map, of tiles with these extents.
    ///
    /// # Safety
    /// The arrays are as C's callers promise.
    unsafe fn map(self, tile: Vec<u32>, im2col: Option<Im2col>) -> Result<TensorMap> {
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
        // SAFETY: by the caller.
        let (extent, strides, steps) = unsafe {
            (slice(self.extent, rank)?, slice(self.strides, rank - 1)?, slice(self.steps, rank)?)
        };
        if strides.len() + 1 != rank {
            return Err(Status::InvalidValue);
        }
        Ok(TensorMap {
            element: element(self.kind)?,
            address: self.address,
            extent: extent.to_vec(),
            strides: strides.to_vec(),
            tile,
            steps: steps.to_vec(),
            swizzle,
            nan_outside: self.outside != 0,
            im2col,
        })
    }
}

fn encode(map: &TensorMap) -> Result<[u8; 128]> {
    driver()?;
    map.encode().map_err(|rule| {
        say("a tensor map is not made", &rule);
        Status::InvalidValue
    })
}

api! {
    fn cuTensorMapEncodeTiled(map: *mut [u8; 128], kind: i32, rank: u32, address: u64, extent: *const u64, strides: *const u64, tile: *const u32, steps: *const u32, interleave: i32, swizzle: i32, _promotion: i32, outside: i32) {
        let tensor = Tensor { kind, rank, address, extent, strides, steps, interleave, swizzle, outside };
        if !(1..=5).contains(&rank) {
            return Err(Status::InvalidValue);
        }
        // SAFETY: by the caller.
        unsafe {
            let tile = slice(tile, rank as usize)?.to_vec();
            store(map, encode(&tensor.map(tile, None)?)?)
        }
    }

    fn cuTensorMapEncodeIm2col(map: *mut [u8; 128], kind: i32, rank: u32, address: u64, extent: *const u64, strides: *const u64, lower: *const i32, upper: *const i32, channels: u32, pixels: u32, steps: *const u32, interleave: i32, swizzle: i32, _promotion: i32, outside: i32) {
        if !(3..=5).contains(&rank) {
            return Err(Status::InvalidValue);
        }
        let tensor = Tensor { kind, rank, address, extent, strides, steps, interleave, swizzle, outside };
        let space = rank as usize - 2;
        // SAFETY: by the caller.
        let (lower, upper) = unsafe { (slice(lower, space)?, slice(upper, space)?) };
        let corner = |corner: &[i32]| -> Result<[i16; 3]> {
            let mut to = [0; 3];
            for (to, from) in to.iter_mut().zip(corner) {
                *to = i16::try_from(*from).map_err(|_| Status::InvalidValue)?;
            }
            Ok(to)
        };
        let mut tile = vec![1; rank as usize];
        tile[0] = channels;
        let im2col = Im2col { lower: corner(lower)?, upper: corner(upper)?, pixels };
        // SAFETY: by the caller.
        unsafe { store(map, encode(&tensor.map(tile, Some(im2col))?)?) }
    }

    fn cuTensorMapReplaceAddress(map: *mut [u8; 128], address: u64) {
        // SAFETY: by the caller.
        let bytes = unsafe { map.as_ref() }.ok_or(Status::InvalidValue)?;
        let found = TensorMap::decode(bytes).ok_or(Status::InvalidValue)?;
        // SAFETY: by the caller.
        unsafe { store(map, encode(&TensorMap { address, ..found })?) }
    }
}
