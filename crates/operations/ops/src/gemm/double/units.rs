//! Units of work of the kernel of sm_90a: tiles of results, or parts of the steps along k of a tile.
//!
//! Blocks take as many tiles each. Where the last ones are fewer than multiprocessors, these would wait for a whole tile's time; so each of
//! the last tiles is divided among several blocks along k (split-K of the last wave), and a second kernel adds up the parts.

use super::super::problem::{Extents, Problem};
use super::form::Form;
use lanework::prelude::*;

/// How the tiles are divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Units {
    /// Tiles that are one unit each, and the others.
    pub full: usize,
    pub rest: usize,
    /// Parts of each of the others, and steps of a part.
    pub parts: usize,
    pub each: usize,
}

/// Steps of a part at least, and the most parts of a tile.
const FEWEST: usize = 4;
const MOST: usize = 128;
/// Microseconds of a multiply-add on a multiprocessor of an H200, of writing and reading a result of a part, of a launch that adds parts.
const MULTIPLYING: f64 = 4.25e-6;
const MOVING: f64 = 4.0e-6;
const ADDING: f64 = 3.0;

impl Units {
    /// The division of least time.
    pub fn of(problem: &Problem<'_>, form: Form) -> Units {
        let Extents { batch, m, n, k } = problem.extents;
        let (rows, columns) = form.tile;
        let tiles = batch * m.div_ceil(rows as usize) * n.div_ceil(columns as usize);
        let processors = problem.device.info().multiprocessors.max(1) as usize;
        let steps = k.div_ceil(form.depth() as usize);
        match problem.one_kernel {
            true => Units::whole(tiles, steps),
            false => Units::divided(tiles, steps, processors, form),
        }
    }

    /// Tiles as they are.
    pub fn whole(tiles: usize, steps: usize) -> Units {
        Units { full: tiles, rest: 0, parts: 1, each: steps }
    }

    /// The division of so many tiles and steps.
    pub fn divided(tiles: usize, steps: usize, processors: usize, form: Form) -> Units {
        let whole = Units::whole(tiles, steps);
        let rest = tiles % processors;
        if rest == 0 {
            return whole;
        }
        let area = f64::from(form.tile.0 * form.tile.1);
        let step = area * f64::from(form.depth()) * MULTIPLYING;
        let mut best = (step * steps as f64, whole);
        for parts in 2..=(steps / FEWEST).min(MOST) {
            let each = steps.div_ceil(parts);
            let parts = steps.div_ceil(each); // none of them is empty
            let rounds = (rest * parts).div_ceil(processors) as f64;
            let adding = ADDING + area * MOVING * (rest * parts) as f64;
            let time = rounds * step * each as f64 + adding;
            if time < best.0 {
                best = (time, Units { full: tiles - rest, rest, parts, each });
            }
        }
        best.1
    }

    /// Units of work.
    pub fn count(self) -> usize {
        self.full + self.rest * self.parts
    }

    /// Results of all parts.
    pub fn of_parts(self, form: Form) -> usize {
        let area = form.tile.0 * form.tile.1;
        if self.parts > 1 { self.rest * self.parts * area as usize } else { 0 }
    }
}

/// The tile of a unit, its first step along k, and its steps: from `full` on, each of `parts` units has `each` steps of a tile.
#[device]
pub fn unit(number: u32, steps: u32, [full, parts, each]: [u32; 3]) -> (u32, u32, u32) {
    let mut tile = number;
    let mut first = 0u32;
    let mut count = steps;
    if number >= full {
        let part = number - full;
        tile = full + part / parts;
        first = part % parts * each;
        count = each.min(steps - first);
    }
    (tile, first, count)
}

/// Rows of tiles whose blocks start before those of the next column of tiles: what they share stays in the L2 cache.
const TOGETHER: u32 = 16;

/// The row and the column of tiles of tile `tile`, of `down` rows and `across` columns of them.
#[device]
pub fn corner(tile: u32, down: u32, across: u32) -> (u32, u32) {
    let first = tile / (TOGETHER * across) * TOGETHER;
    let height = (down - first).min(TOGETHER);
    let within = tile % (TOGETHER * across);
    (first + within % height, within / height)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_tiles_are_divided_where_that_is_faster() {
        let form = Form { tile: (128, 128), along: (true, true), paired: true };
        // 8192^3: four tiles are left, which all multiprocessors compute together.
        let units = Units::divided(64 * 64, 256, 132, form);
        assert!(
            units.rest == 4 && units.parts > 16 && units.rest * units.parts <= 132,
            "{units:?}"
        );
        // 4096^3: 100 tiles are left.
        let units = Units::divided(32 * 32, 128, 132, form);
        assert!(units.rest == 100 && units.parts > 1, "{units:?}");
        // Nothing is left, or everything.
        for tiles in [131, 132, 264] {
            assert_eq!(Units::divided(tiles, 128, 132, form), Units::whole(tiles, 128));
        }
    }

    #[test]
    fn parts_have_all_steps_and_none_is_empty() {
        let form = Form { tile: (128, 64), along: (true, true), paired: true };
        for (tiles, steps) in [(133, 9), (200, 100), (263, 1000), (1025, 77)] {
            let Units { full, rest, parts, each } = Units::divided(tiles, steps, 132, form);
            assert_eq!(full + rest, tiles);
            assert!(parts * each >= steps && (parts - 1) * each < steps, "{tiles} {steps}");
        }
    }
}
