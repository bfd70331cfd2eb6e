//! Stores results from registers when TMA cannot.

use super::form::Store;
use lanework::Element;
use lanework::prelude::*;

/// Stores two adjacent results of a row, if they are in range.
#[device]
pub fn stored<O: Element>(
    out: &mut [O],
    batch: u32,
    at: (u32, u32),
    extents: [u32; 4],
    strides: [u64; 3],
    values: [O; 2],
    #[constant] store: Store,
) {
    let (y, x) = at;
    let place = batch as u64 * strides[0] + y as u64 * strides[1] + x as u64 * strides[2];
    if y < extents[1] {
        if store == Store::Pairs {
            if x + 1 < extents[2] {
                out.store2(place, values);
            } else if x < extents[2] {
                out[place] = values[0];
            }
        } else {
            if x < extents[2] {
                out[place] = values[0];
            }
            if x + 1 < extents[2] {
                out[place + strides[2]] = values[1];
            }
        }
    }
}
