//! The rules that the copy engine has for tensor maps.

use super::{MOST_DIMENSIONS, TensorMap};
use lanework_ptx::Swizzle;

impl TensorMap {
    /// Whether it keeps the rules.
    ///
    /// # Errors
    /// The broken rule, in words.
    pub(super) fn check(&self) -> Result<(), String> {
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
                return Err(format!("{} pixels of a copy are not 1 to 1024", im2col.pixels));
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
