//! Untiled permutations: each thread moves one unit, and adjacent threads write adjacent units. If source and output share the
//! innermost axis, this is a plain copy.

use super::digits::{Digit, places};
use lanework::prelude::*;

/// Units per block.
pub(super) const THREADS: u32 = 256;

/// Moves `total` units of `words` elements each; `digits` are the axes, innermost first, with strides in elements.
#[kernel(block = (THREADS, 1, 1))]
pub(super) fn gather<E: Element>(
    src: &[E],
    dst: &mut [E],
    total: usize,
    digits: [Digit; 8],
    #[constant] axes: u32,
    #[constant] words: u32,
    #[constant] overlaps: bool,
) {
    if overlaps {
        launch_dependents();
        wait_for_dependencies();
    }
    let unit = block_idx.x as usize * (THREADS as usize) + thread_idx.x as usize;
    if unit < total {
        let (from, to) = places(unit, total, digits, axes);
        if const { words == 4 } {
            dst.store4(to, src.load4_nc(from));
        } else if const { words == 2 } {
            dst.store2(to, src.load2_nc(from));
        } else {
            dst[to] = load_nc(&src[from]);
        }
    }
}
