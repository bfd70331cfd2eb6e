//! Bytes of any number at any address, moved as the largest elements that are aligned there.

use crate::memory::guest::{load, store};

/// Reads bytes, as elements of up to 8 bytes with the alignment of the guest's elements.
///
/// # Safety
/// As for [`load`], for all bytes.
pub unsafe fn read_bytes(from: *const u8, to: &mut [u8]) {
    let mut at = 0;
    if to.len() >= 2 * BLOCK {
        // Up to the first address that is aligned to a block.
        let head = from.align_offset(BLOCK).min(BLOCK);
        let (first, rest) = to.split_at_mut(head);
        // SAFETY: `head` is less than `to.len()`, so the bytes are among those that are readable at `from`, as this
        // function requires.
        unsafe { read_bytes(from, first) };
        let mut blocks = rest.chunks_exact_mut(BLOCK);
        at = head;
        for block in &mut blocks {
            // SAFETY: `at + BLOCK` is at most `to.len()`, so the block is readable, as this function requires; after
            // `head` bytes it is aligned to its size. The chunk has `BLOCK` bytes.
            unsafe { read_block(from.add(at), block.as_mut_ptr()) };
            at += BLOCK;
        }
    }
    while at < to.len() {
        let size = piece(from as usize + at, to.len() - at);
        // SAFETY: `to.len()` bytes are readable at `from`, as this function requires; the piece is in them and is
        // aligned to its size.
        unsafe {
            let from = from.add(at);
            match size {
                8 => to[at..at + 8].copy_from_slice(&load(from.cast::<u64>()).to_ne_bytes()),
                4 => to[at..at + 4].copy_from_slice(&load(from.cast::<u32>()).to_ne_bytes()),
                2 => to[at..at + 2].copy_from_slice(&load(from.cast::<u16>()).to_ne_bytes()),
                _ => to[at] = load(from),
            }
        }
        at += size;
    }
}

/// Writes bytes likewise.
///
/// # Safety
/// As for [`store`], for all bytes.
pub unsafe fn write_bytes(to: *mut u8, from: &[u8]) {
    let mut at = 0;
    while at < from.len() {
        let size = piece(to as usize + at, from.len() - at);
        let mut bytes = [0; 8];
        bytes[..size].copy_from_slice(&from[at..at + size]);
        // SAFETY: `from.len()` bytes are writable at `to`, as this function requires; the piece is in them and is
        // aligned to its size.
        unsafe {
            let to = to.add(at);
            match size {
                8 => store(to.cast::<u64>(), u64::from_ne_bytes(bytes)),
                4 => store(
                    to.cast::<u32>(),
                    u32::from_ne_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]),
                ),
                2 => store(to.cast::<u16>(), u16::from_ne_bytes([bytes[0], bytes[1]])),
                _ => store(to, bytes[0]),
            }
        }
        at += size;
    }
}

/// Moves bytes from guest memory to guest memory. If the two overlap, the result is as if all bytes had been read
/// first.
///
/// # Safety
/// As for [`load`] and [`store`], for all bytes.
pub unsafe fn copy(from: *const u8, to: *mut u8, bytes: usize) {
    let mut between = vec![0; bytes];
    // SAFETY: `bytes` bytes are readable at `from` and writable at `to`, as this function requires; `between` has
    // `bytes` bytes.
    unsafe {
        read_bytes(from, &mut between);
        write_bytes(to, &between);
    }
}

/// Bytes per step of long reads.
const BLOCK: usize = 64;

/// Reads one block: relaxed atomic loads of its aligned elements, by vector moves as far as the host has them (see [`super`]).
///
/// # Safety
/// As for [`load`], for [`BLOCK`] bytes at a multiple of `BLOCK`; `BLOCK` bytes can be written at `to`.
#[inline(always)]
unsafe fn read_block(from: *const u8, to: *mut u8) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    {
        use std::arch::x86_64::{__m128i, _mm_storeu_si128};
        let (a, b, c, d): (__m128i, __m128i, __m128i, __m128i);
        // SAFETY: 64 bytes are readable at `from`, a multiple of 64, and 64 are writable at `to`, as this function
        // requires; SSE2 is part of x86-64.
        unsafe {
            std::arch::asm!(
                "movdqa {a}, xmmword ptr [{from}]",
                "movdqa {b}, xmmword ptr [{from} + 16]",
                "movdqa {c}, xmmword ptr [{from} + 32]",
                "movdqa {d}, xmmword ptr [{from} + 48]",
                from = in(reg) from, a = out(xmm_reg) a, b = out(xmm_reg) b, c = out(xmm_reg) c, d = out(xmm_reg) d,
                options(readonly, nostack, preserves_flags),
            );
            let to = to.cast::<__m128i>();
            _mm_storeu_si128(to, a);
            _mm_storeu_si128(to.add(1), b);
            _mm_storeu_si128(to.add(2), c);
            _mm_storeu_si128(to.add(3), d);
        }
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    for at in (0..BLOCK).step_by(8) {
        // SAFETY: the word is part of the block, which is aligned; `to` has `BLOCK` bytes.
        unsafe {
            let word = load(from.add(at).cast::<u64>());
            to.add(at).cast::<u64>().write_unaligned(word);
        }
    }
}

/// The size of the next aligned piece: 8, 4, 2 or 1 bytes.
fn piece(address: usize, left: usize) -> usize {
    let aligned = 1 << address.trailing_zeros().min(3);
    let fits = 1 << left.ilog2().min(3);
    aligned.min(fits)
}

#[cfg(test)]
mod tests {
    use crate::memory::guest::bytes::{read_bytes, write_bytes};

    #[test]
    fn bytes_are_moved_at_any_alignment() {
        let mut memory = [0u64; 40];
        let base = memory.as_mut_ptr().cast::<u8>();
        for start in 0..9 {
            for length in (0..40).chain([127, 128, 200, 300]) {
                let sent: Vec<u8> = (0..length).map(|i| (i * 7 + start) as u8).collect();
                let mut back = vec![0; sent.len()];
                // SAFETY: 320 bytes are there, and at most 309 are used.
                unsafe {
                    write_bytes(base.add(start), &sent);
                    read_bytes(base.add(start), &mut back);
                }
                assert_eq!(sent, back);
            }
        }
    }
}
