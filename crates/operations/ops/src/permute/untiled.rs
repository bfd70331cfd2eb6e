//! Untiled permutations and copies.
//!
//! [`gather`]: each thread moves one unit, and adjacent threads write adjacent units. If source and output share the innermost axis,
//! this is a plain copy.
//!
//! [`rows`] copies unaligned rows: a thread stores 16 aligned bytes of an output row, shifted in registers from the two aligned
//! 16-byte chunks of the source that contain them.
//!
//! An output row is divided into windows at multiples of 16 bytes. The first and last window may be partial and are stored element
//! by element, as are windows whose aligned loads would leave the source or read gaps.

use super::axes::{Digit, places, quotient};
use lanework::prelude::*;

/// Threads per block.
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

/// Windows per thread; their loads are in flight together.
pub(super) const TOGETHER: u32 = 4;

/// Kernel arguments of [`rows`].
#[device]
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(super) struct RowsArguments {
    /// Number of windows, below 2^31.
    pub total: u32,
    /// Elements of a row.
    pub length: u32,
    /// Elements from a multiple of 16 bytes to the source and to the output.
    pub from: u32,
    pub to: u32,
}

/// A window of a row.
#[device]
#[derive(Clone, Copy, Debug)]
struct Window {
    /// Its first element in the source and in the output; for a row's first window it may precede the row.
    from: i64,
    to: i64,
    /// The range of its elements that belong to the row.
    begin: u32,
    end: u32,
    /// Byte offset of its first element from the aligned source chunk.
    off: u32,
    /// Whether it is moved by 16-byte accesses.
    whole: bool,
}

/// Window number `number`. All `len` elements of a gapless source may be read; otherwise only the row's.
#[device]
fn window(
    number: u32,
    task: RowsArguments,
    digits: [Digit; 8],
    len: usize,
    #[constant] axes: u32,
    #[constant] size: u32,
    #[constant] gapless: bool,
) -> Window {
    let per = const { 16 / size };
    let mut rest = quotient(number, digits[0]);
    let index = number - rest * digits[0].extent;
    let (mut from, mut to) = (0i64, 0i64);
    #[unroll]
    for i in 1..axes {
        let digit = digits[i];
        let next = if i + 1 < axes { quotient(rest, digit) } else { 0 };
        let at = (rest - next * digit.extent) as i64;
        from += at * digit.from as i64;
        to += at * digit.to as i64;
        rest = next;
    }
    // Elements before the row in its first window, and the window's offset in the row.
    let before = (to as u32 + task.to) % per;
    let first = (index * per) as i32 - before as i32;
    let length = task.length as i32;
    let begin = (0 - first).max(0).min(per as i32);
    let end = (length - first).max(0).min(per as i32);
    let skew = ((from as u32 + task.from) as i32 + first) as u32 % per;
    let aligned = first - skew as i32;
    let reach = aligned + if skew == 0 { per as i32 } else { 2 * per as i32 };
    let (mut least, mut most) = (0i64, task.length as i64);
    if gapless {
        least = 0 - from;
        most = len as i64 - from;
    }
    let whole = begin == 0 && end == per as i32 && aligned as i64 >= least && reach as i64 <= most;
    Window {
        from: from + first as i64,
        to: to + first as i64,
        begin: begin as u32,
        end: end as u32,
        off: skew * size,
        whole,
    }
}

/// Copies rows, `together` windows per thread. `digits` are the windows of a row and the outer axes, innermost first, with strides
/// in elements. In a gapless source every element belongs to a row.
#[kernel(block = (THREADS, 1, 1))]
pub(super) fn rows<E: Element>(
    src: &[E],
    dst: &mut [E],
    task: RowsArguments,
    digits: [Digit; 8],
    #[constant] axes: u32,
    #[constant] gapless: bool,
    #[constant] together: u32,
    #[constant] overlaps: bool,
) {
    if overlaps {
        launch_dependents();
        wait_for_dependencies();
    }
    let size = const { size_of::<E>() as u32 };
    let (per, len) = (const { 16 / size_of::<E>() as u32 }, src.len());
    let held = registers(0u32, [together, 8]);
    let first = block_idx.x * (THREADS * together) + thread_idx.x;
    // Recompute the window instead of keeping it: registers are scarce.
    #[unroll]
    for i in 0..together {
        let number = first + i * THREADS;
        if number < task.total {
            let at = window(number, task, digits, len, axes, size, gapless);
            if at.whole {
                load_whole(src, at, held, i, size);
            }
        }
    }
    #[unroll]
    for i in 0..together {
        let number = first + i * THREADS;
        if number < task.total {
            let at = window(number, task, digits, len, axes, size, gapless);
            if at.whole {
                store_whole(dst, at, held, i, size);
            } else {
                move_few(src, dst, at, per);
            }
        }
    }
}

/// Loads the one or two aligned chunks around window `i`.
#[device]
fn load_whole<E: Element>(
    src: &[E],
    at: Window,
    held: RegisterArray<u32, 2>,
    #[constant] i: u32,
    #[constant] size: u32,
) {
    let begin = at.from - (at.off / size) as i64;
    let (a, b, c, d) = wide(src, begin);
    held[[i, 0]] = a;
    held[[i, 1]] = b;
    held[[i, 2]] = c;
    held[[i, 3]] = d;
    if at.off != 0 {
        let (a, b, c, d) = wide(src, begin + (const { 16 / size }) as i64);
        held[[i, 4]] = a;
        held[[i, 5]] = b;
        held[[i, 6]] = c;
        held[[i, 7]] = d;
    }
}

/// Stores window `i` as 16 bytes.
#[device]
fn store_whole<E: Element>(
    dst: &mut [E],
    at: Window,
    held: RegisterArray<u32, 2>,
    #[constant] i: u32,
    #[constant] size: u32,
) {
    let low = [held[[i, 0]], held[[i, 1]], held[[i, 2]], held[[i, 3]]];
    let high = [held[[i, 4]], held[[i, 5]], held[[i, 6]], held[[i, 7]]];
    let [a, b, c, d] = between(low, high, at.off, size);
    ptx!("st.global.v4.b32 {}, {{{}, {}, {}, {}}};", in(&dst[at.to as usize]), in(a), in(b), in(c), in(d));
}

/// Moves a window's elements in the row one by one.
#[device]
fn move_few<E: Element>(src: &[E], dst: &mut [E], at: Window, #[constant] per: u32) {
    let few = registers(E::ZERO, per);
    #[unroll]
    for j in 0..per {
        if j >= at.begin && j < at.end {
            few[j] = load_nc(&src[(at.from + j as i64) as usize]);
        }
    }
    #[unroll]
    for j in 0..per {
        if j >= at.begin && j < at.end {
            dst[(at.to + j as i64) as usize] = few[j];
        }
    }
}

/// Loads 16 bytes of the source.
#[device]
fn wide<E: Element>(src: &[E], i: i64) -> (u32, u32, u32, u32) {
    ptx!(
        "ld.global.nc.v4.b32 {{{}, {}, {}, {}}}, {};",
        out(u32), out(u32), out(u32), out(u32), in(&src[i as usize])
    )
}

/// Loads 16 bytes of the source; with `around`, prefetches the surrounding 256 bytes into L2.
#[device]
pub(super) fn read(src: &[u8], i: usize, #[constant] around: bool) -> (u32, u32, u32, u32) {
    if around {
        ptx!(
            "ld.global.nc.L2::256B.v4.b32 {{{}, {}, {}, {}}}, {};",
            out(u32), out(u32), out(u32), out(u32), in(&src[i])
        )
    } else {
        ptx!(
            "ld.global.nc.v4.b32 {{{}, {}, {}, {}}}, {};",
            out(u32), out(u32), out(u32), out(u32), in(&src[i])
        )
    }
}

/// 16 bytes from byte `off` (below 16) of two chunks.
#[device]
pub(super) fn between(a: [u32; 4], b: [u32; 4], off: u32, #[constant] bytes: u32) -> [u32; 4] {
    let w = [a[0], a[1], a[2], a[3], b[0], b[1], b[2], b[3]];
    let mut shifted = w;
    if bytes < 8 {
        let odd = off & 4 != 0;
        #[unroll]
        for i in 0..7usize {
            shifted[i] = if odd { w[i + 1] } else { w[i] };
        }
    }
    let far = off & 8 != 0;
    let mut five = [shifted[0]; 5];
    #[unroll]
    for i in 0..5usize {
        five[i] = if far { shifted[i + 2] } else { shifted[i] };
    }
    let mut result = [five[0], five[1], five[2], five[3]];
    if bytes < 4 {
        let selector = 0x3210 + (off & 3) * 0x1111;
        #[unroll]
        for i in 0..4usize {
            result[i] = ptx!("prmt.b32 {}, {}, {}, {};", out(u32), in(five[i]), in(five[i + 1]), in(selector));
        }
    }
    result
}

/// Stores row `j` of an array of registers to the tile.
#[device]
pub(super) fn store_chunk(
    cells: Shared<u8>,
    i: u32,
    words: RegisterArray<u32, 2>,
    #[constant] j: u32,
) {
    ptx!(
        "st.shared.v4.b32 {}, {{{}, {}, {}, {}}};",
        in(&cells[i]),
        in(words[[j, 0]]),
        in(words[[j, 1]]),
        in(words[[j, 2]]),
        in(words[[j, 3]])
    );
}

/// Loads 16 bytes of the tile.
#[device]
pub(super) fn chunk_at(cells: Shared<u8>, i: u32) -> (u32, u32, u32, u32) {
    ptx!(
        "ld.shared.v4.b32 {{{}, {}, {}, {}}}, {};",
        out(u32), out(u32), out(u32), out(u32), in(&cells[i])
    )
}

/// Stores 16 bytes of the output.
#[device]
pub(super) fn write(dst: &mut [u8], i: usize, a: u32, b: u32, c: u32, d: u32) {
    ptx!("st.global.v4.b32 {}, {{{}, {}, {}, {}}};", in(&dst[i]), in(a), in(b), in(c), in(d));
}
