//! Loads, stores and byte shifts of 16-byte chunks.

use lanework::prelude::*;

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
