//! Forced kernel variants, for the ladders, whose rungs measure what a choice gains.

use super::problem::{Problem, refused};
use super::recipe::Recipe;
use super::{ffma, halved};
use crate::workspace::Layout;
use lanework::Result;

/// A forced kernel variant.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Steer {
    /// True FP32 with one of the library's tiles; the k steps are divided among the blocks of a cluster.
    Tile {
        /// Result rows per block.
        rows: u32,
        /// Result columns per block.
        cols: u32,
        /// Blocks of a cluster: 1, 2, 4 or 8.
        splits: u32,
    },
    /// TF32 by factors rounded to f16 with scaled rows and columns, at any size.
    Halved,
}

impl Steer {
    /// The launches.
    pub(super) fn recipe<'a>(
        self,
        problem: Problem<'a>,
        layout: &mut Layout,
    ) -> Result<Recipe<'a>> {
        let unfit = |problem: &Problem<'_>| {
            let extents = problem.extents;
            refused(
                format!("{self:?} cannot compute a product of {extents:?} on this device"),
                "let the library choose",
            )
        };
        match self {
            Steer::Tile { rows, cols, splits } => {
                let tiles = ffma::TILES.into_iter();
                let tile = tiles.clone().find(|tile| (tile.rows, tile.cols) == (rows, cols));
                let splits = [1, 2, 4, 8].contains(&splits).then_some(splits);
                match tile.zip(splits).filter(|_| ffma::suits(&problem)) {
                    Some((tile, splits)) => {
                        ffma::with_tile(problem, layout, ffma::Tile { splits, ..tile }, None)
                    }
                    None => unfit(&problem),
                }
            }
            Steer::Halved if halved::possible(&problem) => halved::recipe(problem, layout),
            Steer::Halved => unfit(&problem),
        }
    }
}
