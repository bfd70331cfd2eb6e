//! Transposes of one- or two-byte elements whose rows are not aligned to 16 bytes.
//!
//! Memory accesses are still aligned words. A word of a row is assembled from two aligned words by a byte permutation,
//! and so is an aligned output word from two cells of the tile (words of one column and successive rows, as in
//! `tiles`). Words that reach past a row, and blocks at the matrix's edges, move single elements.

use super::axes::{Digit, Plane, part_of};
use super::tiles::bytes_of;
use lanework::prelude::*;

/// Tile configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Narrow {
    /// Bytes of an element: 1 or 2.
    pub bytes: u32,
    /// Rows of the source in a tile.
    pub down: u32,
    /// Columns of the source in a tile.
    pub across: u32,
    /// Threads of a block.
    pub threads: u32,
    /// Alignment in bytes of a row's window in the output.
    pub window: u32,
}

impl Narrow {
    /// Elements per word.
    fn group(&self) -> u32 {
        4 / self.bytes
    }

    /// Rows before the tile that a window may reach.
    pub fn lead(&self) -> u32 {
        self.window / self.bytes
    }

    /// Rows of cells.
    fn height(&self) -> u32 {
        (self.down + self.lead()) / self.group()
    }

    /// Cell row stride: odd, with one padding cell after every 32.
    fn pitch(&self) -> u32 {
        (self.across + self.across / 32) | 1
    }
}

/// The aligned word around byte `i`.
#[device]
fn aligned(src: &[u8], i: usize) -> u32 {
    ptx!("ld.global.nc.b32 {}, {};", out(u32), in(&src[i]))
}

/// Four bytes of two words from byte `off` on.
#[device]
fn four_from(low: u32, high: u32, off: u32) -> u32 {
    ptx!("prmt.b32 {}, {}, {}, {};", out(u32), in(low), in(high), in(0x3210 + off * 0x1111))
}

/// Elements of row `y` from `x` on, up to a word; zero past the matrix's edge.
#[device]
fn few(src: &[u8], base: usize, x: u32, y: u32, plane: Plane, #[constant] bytes: u32) -> u32 {
    let mut word = 0u32;
    #[unroll]
    for b in 0..4u32 {
        let column = x + const { b / bytes };
        if column < plane.cols && y < plane.rows {
            let at = base
                + y as usize * plane.from as usize
                + (column * bytes + const { b % bytes }) as usize;
            word |= (src[at] as u32) << const { 8 * b };
        }
    }
    word
}

/// The word of elements of row `y` from `x` on; the matrix has all of them, and a word before and after.
#[device]
fn whole(
    src: &[u8],
    base: usize,
    x: u32,
    y: u32,
    plane: Plane,
    skew: u32,
    #[constant] bytes: u32,
) -> u32 {
    let at = base + y as usize * plane.from as usize + (x * bytes) as usize;
    let off = (at as u32 + skew) % 4;
    let first = at - off as usize;
    // The second word is not needed if the first one is aligned.
    let second = first + if off == 0 { 0 } else { 4 };
    four_from(aligned(src, first), aligned(src, second), off)
}

/// Transposes matrices. `digits` count the tiles down, the tiles across, and the outer axes; strides are in bytes. `skew` and
/// `plane.skew` are the addresses of source and output modulo 32.
#[kernel]
pub(super) fn narrow(
    src: &[u8],
    dst: &mut [u8],
    plane: Plane,
    skew: u32,
    digits: [Digit; 8],
    #[constant] tile: Narrow,
    #[constant] outer: u32,
) {
    let (bytes, group) = (const { tile.bytes }, const { tile.group() });
    let (height, pitch) = (const { tile.height() }, const { tile.pitch() });
    let cells = shared::<u32>(const { tile.height() * tile.pitch() });
    let ((down, across), (from, to)) = part_of(block_idx.x, digits, outer);
    let (top, left) = (down * (const { tile.down }), across * (const { tile.across }));
    let first = top - (const { tile.lead() });
    let words = const { tile.across / tile.group() };
    let step = const { tile.threads / (tile.across / tile.group()) };
    let (place, line) = (thread_idx.x % words, thread_idx.x / words);
    let x = left + place * group;
    // Whether the tile and the words around it are inside the matrix's rows (gaps are not read).
    let inside = top > 0
        && top + (const { tile.down }) <= plane.rows
        && left > 0
        && left + (const { tile.across + 4 }) <= plane.cols;
    #[unroll]
    for k in 0..(const { tile.height().div_ceil(tile.threads / (tile.across / tile.group())) }) {
        let p = line + k * step;
        if p < height {
            let row = registers(0u32, group);
            if inside {
                #[unroll]
                for j in 0..group {
                    row[j] = whole(src, from, x, first + p * group + j, plane, skew, bytes);
                }
            } else {
                #[unroll]
                for j in 0..group {
                    row[j] = few(src, from, x, first + p * group + j, plane, bytes);
                }
            }
            let column = place * group;
            let at = p * pitch + column + column / 32;
            if group == 2 {
                cells[at] = bytes_of(row[0], row[1], 0x5410);
                cells[at + 1] = bytes_of(row[0], row[1], 0x7632);
            } else {
                let (low, high) =
                    (bytes_of(row[0], row[1], 0x5140), bytes_of(row[0], row[1], 0x7362));
                let (low2, high2) =
                    (bytes_of(row[2], row[3], 0x5140), bytes_of(row[2], row[3], 0x7362));
                cells[at] = bytes_of(low, low2, 0x5410);
                cells[at + 1] = bytes_of(low, low2, 0x7632);
                cells[at + 2] = bytes_of(high, high2, 0x5410);
                cells[at + 3] = bytes_of(high, high2, 0x7632);
            }
        }
    }
    sync_threads();

    let words = const { tile.down / tile.group() };
    let step = const { tile.threads / (tile.down / tile.group()) };
    let (place, line) = (thread_idx.x % words, thread_idx.x / words);
    #[unroll]
    for k in 0..(const { tile.across / (tile.threads / (tile.down / tile.group())) }) {
        let column = line + k * step;
        let x = left + column;
        let begin = to + x as usize * plane.to as usize;
        let shift = (begin as u32 + plane.skew) % (const { tile.window }) / bytes;
        let within = place * group + (const { tile.lead() }) - shift;
        let (p, off) = (within / group, within % group);
        let at = p * pitch + column + column / 32;
        let next = at + if off == 0 { 0 } else { pitch };
        let word = four_from(cells[at], cells[next], off * bytes);
        let y = first + within;
        if x < plane.cols {
            if y < plane.rows && y + (const { tile.group() - 1 }) < plane.rows {
                ptx!("st.global.b32 {}, {};", in(&dst[begin + (y * bytes) as usize]), in(word));
            } else {
                #[unroll]
                for b in 0..4u32 {
                    if y + const { b / tile.bytes } < plane.rows {
                        let at = (y + const { b / tile.bytes }) * bytes + const { b % tile.bytes };
                        dst[begin + at as usize] = (word >> const { 8 * b }) as u8;
                    }
                }
            }
        }
    }
}
