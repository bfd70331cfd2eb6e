//! Transposes of squares in registers: the fastest kernel, for elements of any size.
//!
//! A thread loads 16 bytes of as many rows as 16 bytes have elements, transposes this square in registers (byte permutations for
//! elements smaller than a word), and writes its columns to shared memory, 16 bytes each. The block then reads whole output rows
//! from there, again 16 bytes at a time. Corresponding columns of different squares are adjacent in shared memory, and rows have an
//! odd number of chunks, so the lanes of a pass hit different banks in both directions.
//! Rows may be unaligned: 16 bytes of a row are then two aligned loads, shifted in
//! registers. Each output row is divided at multiples of a window before the tile's
//! edge, which keeps stores aligned; the block also reads the source rows that these
//! windows reach. Blocks whose aligned loads would leave the source read single bytes.

use super::axes::{Digit, Plane, part_of};
use super::tiles::bytes_of;
use super::untiled::{between, chunk_at, read, store_chunk, write};
use lanework::prelude::*;

/// Tile configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Squares {
    /// Bytes of an element: 1, 2, 4, 8 or 16.
    pub bytes: u32,
    /// Rows of the source in a tile.
    pub down: u32,
    /// Columns of the source in a tile.
    pub across: u32,
    /// Whether rows of the source may be unaligned.
    pub shifted_loads: bool,
    /// Output window in bytes, 16 or 32; 0 if output rows are whole aligned 16-byte chunks.
    pub window: u32,
    /// Whether L2 fetches 256 bytes around each load (sm_80): for source rows that start within 256 bytes that another
    /// tile also needs.
    pub around: bool,
}

impl Squares {
    /// Elements per 16 bytes.
    pub fn chunk(&self) -> u32 {
        16 / self.bytes
    }

    /// Squares per tile row.
    fn beside(&self) -> u32 {
        self.across / self.chunk()
    }

    /// Rows per thread: a square's rows, or half of them for single bytes (a whole square takes too many registers).
    fn rows(&self) -> u32 {
        self.chunk().min(8)
    }

    /// Squares per tile column.
    fn below(&self) -> u32 {
        (self.down + self.lead()) / self.rows()
    }

    /// Rows before the tile that a window may reach.
    pub fn lead(&self) -> u32 {
        self.window / self.bytes
    }

    /// Chunks per tile column in shared memory: odd.
    fn pitch(&self) -> u32 {
        ((self.down + self.lead()) / self.chunk()) | 1
    }

    /// Threads of a block: one per square.
    pub fn threads(&self) -> u32 {
        (self.beside() * self.below()).next_multiple_of(32)
    }

    /// Bytes of shared memory; the largest tiles exceed the limit of static shared memory.
    pub fn shared(&self) -> u32 {
        self.across * self.pitch() * 16
    }
}

/// Transposes matrices. `digits` count the tiles down, the tiles across, and the outer axes; strides are in bytes. `skew` and
/// `plane.skew` are the addresses of source and output modulo 32.
#[kernel]
pub(super) fn squares(
    src: &[u8],
    dst: &mut [u8],
    plane: Plane,
    skew: u32,
    digits: [Digit; 8],
    #[constant] tile: Squares,
    #[constant] outer: u32,
    #[constant] overlaps: bool,
) {
    if overlaps {
        launch_dependents();
        wait_for_dependencies();
    }
    let (bytes, v) = (const { tile.bytes }, const { tile.chunk() });
    let (beside, below, pitch) =
        (const { tile.beside() }, const { tile.below() }, const { tile.pitch() });
    let cells = shared_dynamic::<u8>(const { tile.shared() });
    let ((down, across), (from, to)) = part_of(block_idx.x, digits, outer);
    let (top, left) = (down * (const { tile.down }), across * (const { tile.across }));
    let first = top - (const { tile.lead() });
    let t = thread_idx.x;
    let (cc, rr) = (t % beside, t / beside);
    let x = left + cc * v;
    let rows = const { tile.rows() };
    let y = first + rr * rows;
    let mut regular = true;
    if const { tile.shifted_loads } {
        // Whether all aligned loads of the block are within the source.
        let begin = if first < plane.rows { first } else { 0 };
        let end = (top + (const { tile.down })).min(plane.rows);
        let low = from + begin as usize * plane.from as usize + (left * bytes) as usize;
        let high = from + (end - 1) as usize * plane.from as usize + (left * bytes) as usize;
        regular =
            low >= 16 && high + const { (tile.across * tile.bytes + 16) as usize } <= src.len();
    }
    if regular {
        let held = registers(0u32, [rows, 4]);
        let start = from + (x * bytes) as usize;
        if const { tile.shifted_loads } {
            // Load the aligned chunk around each row's, if it contains row data; the following chunk comes from the next lane. All
            // loads come first, so all are in flight.
            let (end, outermost) = (plane.cols * bytes, cc == beside - 1);
            let behind = registers(0u32, [rows, 4]);
            #[unroll]
            for j in 0..rows {
                let at = start + (y + j) as usize * plane.from as usize;
                let off = (at as u32 + skew) % 16;
                let there = rr < below && y + j < plane.rows;
                if there && x * bytes < end + off {
                    let (a, b, c, d) = read(src, at - off as usize, tile.around);
                    held[[j, 0]] = a;
                    held[[j, 1]] = b;
                    held[[j, 2]] = c;
                    held[[j, 3]] = d;
                }
                if outermost && there && off != 0 && x * bytes + 16 < end + off {
                    let (a, b, c, d) = read(src, at - off as usize + 16, tile.around);
                    behind[[j, 0]] = a;
                    behind[[j, 1]] = b;
                    behind[[j, 2]] = c;
                    behind[[j, 3]] = d;
                }
            }
            // Never entered: a loop that uses all loads keeps ptxas from moving each load to its use.
            for i in 0..plane.reserved {
                #[unroll]
                for j in 0..rows {
                    store_chunk(cells, (i + j) * 16, held, j);
                    store_chunk(cells, (i + j) * 16, behind, j);
                }
            }
            #[unroll]
            for j in 0..rows {
                let at = start + (y + j) as usize * plane.from as usize;
                let off = (at as u32 + skew) % 16;
                let own = [held[[j, 0]], held[[j, 1]], held[[j, 2]], held[[j, 3]]];
                let mut next = own;
                #[unroll]
                for i in 0..4usize {
                    let given = shfl_down_sync(FULL_MASK, own[i], 1);
                    next[i] = if outermost { behind[[j, i as u32]] } else { given };
                }
                let row = between(own, next, off, bytes);
                #[unroll]
                for i in 0..4u32 {
                    held[[j, i]] = row[i];
                }
            }
        } else {
            #[unroll]
            for j in 0..rows {
                if rr < below && y + j < plane.rows && x < plane.cols {
                    let (a, b, c, d) =
                        read(src, start + (y + j) as usize * plane.from as usize, tile.around);
                    held[[j, 0]] = a;
                    held[[j, 1]] = b;
                    held[[j, 2]] = c;
                    held[[j, 3]] = d;
                }
            }
        }
        if const { tile.threads() == tile.beside() * tile.below() } || rr < below {
            let turned = registers(0u32, [v, 4]);
            if bytes == 16 {
                #[unroll]
                for i in 0..4u32 {
                    turned[[0, i]] = held[[0, i]];
                }
            } else if bytes == 8 {
                #[unroll]
                for j in 0..2u32 {
                    #[unroll]
                    for i in 0..4u32 {
                        turned[[j, i]] = held[[i / 2, 2 * j + i % 2]];
                    }
                }
            } else if bytes == 4 {
                #[unroll]
                for j in 0..4u32 {
                    #[unroll]
                    for i in 0..4u32 {
                        turned[[j, i]] = held[[i, j]];
                    }
                }
            } else if bytes == 2 {
                #[unroll]
                for w in 0..4u32 {
                    #[unroll]
                    for i in 0..4u32 {
                        let (a, b) = (held[[2 * i, w]], held[[2 * i + 1, w]]);
                        turned[[2 * w, i]] = bytes_of(a, b, 0x5410);
                        turned[[2 * w + 1, i]] = bytes_of(a, b, 0x7632);
                    }
                }
            } else {
                #[unroll]
                for w in 0..4u32 {
                    #[unroll]
                    for i in 0..2u32 {
                        let (a, b) = (held[[4 * i, w]], held[[4 * i + 1, w]]);
                        let (c, d) = (held[[4 * i + 2, w]], held[[4 * i + 3, w]]);
                        let (low, high) = (bytes_of(a, b, 0x5140), bytes_of(a, b, 0x7362));
                        let (low2, high2) = (bytes_of(c, d, 0x5140), bytes_of(c, d, 0x7362));
                        turned[[4 * w, i]] = bytes_of(low, low2, 0x5410);
                        turned[[4 * w + 1, i]] = bytes_of(low, low2, 0x7632);
                        turned[[4 * w + 2, i]] = bytes_of(high, high2, 0x5410);
                        turned[[4 * w + 3, i]] = bytes_of(high, high2, 0x7632);
                    }
                }
            }
            #[unroll]
            for j in 0..v {
                let line = (j * beside + cc) * pitch * 16;
                let (a, b) = (turned[[j, 0]], turned[[j, 1]]);
                if bytes == 1 {
                    ptx!("st.shared.v2.b32 {}, {{{}, {}}};", in(&cells[line + rr * 8]), in(a), in(b));
                } else {
                    let (c, d) = (turned[[j, 2]], turned[[j, 3]]);
                    ptx!("st.shared.v4.b32 {}, {{{}, {}, {}, {}}};", in(&cells[line + rr * 16]), in(a), in(b), in(c), in(d));
                }
            }
        }
    } else {
        let width = const { tile.across * tile.bytes };
        for i in (t..width * below * rows).step_by(const { tile.threads() }) {
            let (row, byte) = (i / width, i % width);
            let (column, b) = (byte / bytes, byte % bytes);
            let mut value = 0u8;
            if left + column < plane.cols && first + row < plane.rows {
                let start = from + (first + row) as usize * plane.from as usize;
                value = src[start + (left * bytes + byte) as usize];
            }
            let line = column % v * beside + column / v;
            cells[line * pitch * 16 + row * bytes + b] = value;
        }
    }
    sync_threads();

    let chunks = const { tile.down / tile.chunk() };
    let items = const { tile.across * (tile.down / tile.chunk()) };
    #[unroll]
    for k in 0..(const { (tile.across * (tile.down / tile.chunk())).div_ceil(tile.threads()) }) {
        let item = t + k * (const { tile.threads() });
        let (place, column) = (item % chunks, item / chunks);
        let x = left + column;
        if x < plane.cols && (const { items.is_multiple_of(tile.threads()) } || item < items) {
            let line = (column % v * beside + column / v) * pitch;
            let begin = to + x as usize * plane.to as usize;
            if const { tile.window == 0 } {
                let y = top + place * v;
                if y < plane.rows {
                    let (a, b, c, d) = chunk_at(cells, (line + place) * 16);
                    write(dst, begin + (y * bytes) as usize, a, b, c, d);
                }
            } else {
                let shift = (begin as u32 + plane.skew) % (const { tile.window });
                let within = place * 16 + (const { tile.window }) - shift;
                let (at, off) = (within / 16, within % 16);
                let y = first + within / bytes;
                let (a0, a1, a2, a3) = chunk_at(cells, (line + at) * 16);
                let (b0, b1, b2, b3) =
                    chunk_at(cells, (line + at + if off == 0 { 0 } else { 1 }) * 16);
                let row = between([a0, a1, a2, a3], [b0, b1, b2, b3], off, bytes);
                if y < plane.rows && y + const { tile.chunk() - 1 } < plane.rows {
                    write(dst, begin + (y * bytes) as usize, row[0], row[1], row[2], row[3]);
                } else {
                    #[unroll]
                    for b in 0..16u32 {
                        let one = y + const { b / tile.bytes };
                        if one < plane.rows {
                            let place = begin + (one * bytes + const { b % tile.bytes }) as usize;
                            dst[place] = (row[const { b / 4 }] >> const { b % 4 * 8 }) as u8;
                        }
                    }
                }
            }
        }
    }
}
