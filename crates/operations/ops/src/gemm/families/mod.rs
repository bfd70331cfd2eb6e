//! The kernel families of matrix products, and the selection of one for a problem: the first suitable one, unless a tuned choice for
//! the device names another.
//!
//! A family returns a [`Recipe`], which makes the launches once the workspace is reserved. The ladders, whose rungs measure what a
//! choice gains, force a variant instead ([`ForcedVariant`]).

pub(crate) mod double;
pub(crate) mod ffma;
pub(crate) mod halved;
pub(crate) mod hopper;
pub(crate) mod mma;
pub(crate) mod skinny;
pub(crate) mod split;
pub(crate) mod tile;

use super::operand::{Major, refused};
use super::problem::{Extents, GemmProblem, Precision, Recipe};
use super::split_k;
use crate::workspace::WorkspaceLayout;
use lanework::Result;
use lanework::tuned::{Key, Tuned, default_place, shape_class};
use lanework_numbers::NumberType;
use std::sync::OnceLock;

/// A family of kernels.
pub(crate) struct Family {
    /// Name in tuned choices.
    pub name: &'static str,
    /// Whether it supports the problem and is fast on it.
    pub suits: fn(&GemmProblem<'_>) -> bool,
    /// Reserves workspace, and returns a function that makes the launches.
    pub recipe: for<'a> fn(GemmProblem<'a>, &mut WorkspaceLayout) -> Result<Recipe<'a>>,
}

/// All families, the most specialized first. The last one supports everything.
const FAMILIES: &[Family] = &[
    Family { name: "split", suits: split::suits, recipe: split::recipe },
    Family { name: "skinny", suits: skinny::suits, recipe: skinny::recipe },
    Family { name: "double", suits: double::suits, recipe: double::recipe },
    Family { name: "halved", suits: halved::suits, recipe: halved::recipe },
    Family { name: "hopper", suits: hopper::suits, recipe: hopper::recipe },
    Family { name: "mma", suits: mma::suits, recipe: mma::recipe },
    Family { name: "ffma", suits: ffma::suits, recipe: ffma::recipe },
    Family { name: "tile", suits: |_| true, recipe: tile::recipe },
];

/// The recipe for a checked problem with at least one result.
pub(crate) fn recipe<'a>(
    problem: GemmProblem<'a>,
    layout: &mut WorkspaceLayout,
) -> Result<Recipe<'a>> {
    super::problem::with_vectors_converted(problem, layout, chosen)
}

/// The recipe of the selected family; the bias is already in kernel layout.
pub(super) fn chosen<'a>(
    problem: GemmProblem<'a>,
    layout: &mut WorkspaceLayout,
) -> Result<Recipe<'a>> {
    // If C is column-major, compute the transposed product, which has adjacent rows.
    let problem = match problem.majors().2 {
        Major::Columns(_) => problem.transposed(),
        _ => problem,
    };
    let problem = if by_f32(&problem) {
        GemmProblem { precision: Precision::Full, ..problem }
    } else {
        problem
    };
    let tuned = tuned(&problem);
    if tuned.is_none()
        && let Some(division) = split_k::division(&problem, skinny::suits(&problem))
    {
        return split_k::recipe(problem, layout, division, chosen);
    }
    let named = |family: &&Family| tuned.as_deref() == Some(family.name);
    let mut suitable = FAMILIES.iter().filter(|family| (family.suits)(&problem));
    let family = suitable.clone().find(named).or_else(|| suitable.next());
    match family {
        Some(family) => (family.recipe)(problem, layout),
        None => tile::recipe(problem, layout),
    }
}

/// Maximum number of rows or columns for which an f32 product is memory-bound.
const FEW: usize = 16;

/// Whether a TF32 product uses the f32 kernels instead. With few rows or columns tensor cores gain nothing, and
/// factors in another layout would have to be copied first (1 x 8192 x 8192 took 3.3 times as long on an H200).
fn by_f32(problem: &GemmProblem<'_>) -> bool {
    let Extents { m, n, .. } = problem.extents;
    let hopper = problem.device.info().compute_capability.0 == 9;
    problem.precision == Precision::TensorFloat32 && hopper && m.min(n) <= FEW
}

/// The kernel family that a tuned choice names for a problem on its device.
fn tuned(problem: &GemmProblem<'_>) -> Option<String> {
    static TUNED: OnceLock<Option<Tuned>> = OnceLock::new();
    let tuned = TUNED.get_or_init(|| Tuned::read(&default_place()?).ok()).as_ref()?;
    tuned.iter().next()?;
    let key = Key::of(&problem.device, "gemm", &class(problem));
    Some(tuned.lookup(&key)?.kernel.clone())
}

/// Problem class, the key of tuned choices.
fn class(problem: &GemmProblem<'_>) -> String {
    let Extents { batch, m, n, k } = problem.extents;
    let (a, b, _) = problem.majors();
    let letter = |major: Major, plain: fn(Major) -> bool| if plain(major) { 'N' } else { 'T' };
    let by_rows = |major: Major| matches!(major, Major::Rows(_));
    let sums: NumberType = problem.sums();
    let types = format!(
        "{} {} {}{} {:?} {}",
        problem.a.kind.name(),
        problem.c.kind.name(),
        letter(a, by_rows),
        letter(b, by_rows),
        problem.precision,
        sums.name()
    );
    let extents = [("batch", batch as u64), ("m", m as u64), ("n", n as u64), ("k", k as u64)];
    shape_class(&extents, &types)
}

/// The recipe of the named family; `None` if it does not exist or does not suit.
#[cfg(test)]
pub(crate) fn by_name<'a>(
    name: &str,
    problem: GemmProblem<'a>,
    layout: &mut WorkspaceLayout,
) -> Option<Result<Recipe<'a>>> {
    let family = FAMILIES.iter().find(|family| family.name == name)?;
    (family.suits)(&problem).then(|| (family.recipe)(problem, layout))
}

/// A forced kernel variant.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ForcedVariant {
    /// True FP32 with one of the library's tiles; a cluster's blocks divide the k steps.
    Tile {
        /// Result rows per block.
        rows: u32,
        /// Result columns per block.
        cols: u32,
        /// Blocks of a cluster: 1, 2, 4 or 8.
        splits: u32,
    },
    /// TF32 with factors rounded to f16 and scaled rows and columns, at any size.
    Halved,
}

impl ForcedVariant {
    /// The launches.
    pub(super) fn recipe<'a>(
        self,
        problem: GemmProblem<'a>,
        layout: &mut WorkspaceLayout,
    ) -> Result<Recipe<'a>> {
        let unfit = |problem: &GemmProblem<'_>| {
            let extents = problem.extents;
            refused(
                format!("{self:?} cannot compute a product of {extents:?} on this device"),
                "let the library choose",
            )
        };
        match self {
            ForcedVariant::Tile { rows, cols, splits } => {
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
            ForcedVariant::Halved if halved::possible(&problem) => halved::recipe(problem, layout),
            ForcedVariant::Halved => unfit(&problem),
        }
    }
}
