//! Words of 32 lanes, collected in vectors before they are written to a register.
//!
//! Written one by one, they would stall the next wide read of the register until all of them have reached the host's cache.

/// Writes the word that each lane loads to a varying register of 32-bit words.
///
/// # Safety
/// `to` is such a register.
#[inline(always)]
pub unsafe fn words(to: *mut u32, load: impl Fn(usize) -> u32) {
    for i in (0..32).step_by(4) {
        let [a, b, c, d] = [load(i), load(i + 1), load(i + 2), load(i + 3)];
        // SAFETY: the register has 32 words and is aligned to 64 bytes; SSE2 is part of x86-64.
        unsafe {
            #[cfg(target_arch = "x86_64")]
            {
                use std::arch::x86_64::{_mm_setr_epi32, _mm_store_si128};
                let four = _mm_setr_epi32(a as i32, b as i32, c as i32, d as i32);
                _mm_store_si128(to.add(i).cast(), four);
            }
            #[cfg(not(target_arch = "x86_64"))]
            {
                to.add(i).cast::<[u32; 4]>().write([a, b, c, d]);
            }
        }
    }
}

/// The same for 64-bit words.
///
/// # Safety
/// `to` is a varying register of 64-bit words.
#[inline(always)]
pub unsafe fn wide(to: *mut u64, load: impl Fn(usize) -> u64) {
    for i in (0..32).step_by(2) {
        let [a, b] = [load(i), load(i + 1)];
        // SAFETY: the register has 32 words and is aligned to 64 bytes; SSE2 is part of x86-64.
        unsafe {
            #[cfg(target_arch = "x86_64")]
            {
                use std::arch::x86_64::{_mm_set_epi64x, _mm_store_si128};
                _mm_store_si128(to.add(i).cast(), _mm_set_epi64x(b as i64, a as i64));
            }
            #[cfg(not(target_arch = "x86_64"))]
            {
                to.add(i).cast::<[u64; 2]>().write([a, b]);
            }
        }
    }
}

/// Writes the low and the high half of the 64 bits that each lane loads to two varying registers of 32-bit words.
///
/// # Safety
/// `low` and `high` are such registers.
#[inline(always)]
pub unsafe fn halves(low: *mut u32, high: *mut u32, load: impl Fn(usize) -> u64) {
    for i in (0..32).step_by(4) {
        let [a, b, c, d] = [load(i), load(i + 1), load(i + 2), load(i + 3)];
        // SAFETY: the registers have 32 words each and are aligned to 64 bytes; SSE2 is part of x86-64.
        unsafe {
            #[cfg(target_arch = "x86_64")]
            {
                use std::arch::x86_64::{
                    _mm_castps_si128, _mm_castsi128_ps, _mm_set_epi64x, _mm_shuffle_ps,
                    _mm_store_si128,
                };
                let first = _mm_castsi128_ps(_mm_set_epi64x(b as i64, a as i64));
                let second = _mm_castsi128_ps(_mm_set_epi64x(d as i64, c as i64));
                let lows = _mm_shuffle_ps::<0x88>(first, second);
                let highs = _mm_shuffle_ps::<0xdd>(first, second);
                _mm_store_si128(low.add(i).cast(), _mm_castps_si128(lows));
                _mm_store_si128(high.add(i).cast(), _mm_castps_si128(highs));
            }
            #[cfg(not(target_arch = "x86_64"))]
            {
                low.add(i).cast::<[u32; 4]>().write([a as u32, b as u32, c as u32, d as u32]);
                let highs =
                    [(a >> 32) as u32, (b >> 32) as u32, (c >> 32) as u32, (d >> 32) as u32];
                high.add(i).cast::<[u32; 4]>().write(highs);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::slot::Lanes;

    #[test]
    fn each_lane_gets_its_own_word() {
        let load = |i: usize| (i as u64 + 1) * 0x1_0000_0003;
        let mut registers = [Lanes([0u32; 32]); 3];
        let mut doubles = Lanes([0u64; 32]);
        let [one, low, high] = &mut registers;
        // SAFETY: all are registers of 32 words.
        unsafe {
            words(one.0.as_mut_ptr(), |i| load(i) as u32);
            halves(low.0.as_mut_ptr(), high.0.as_mut_ptr(), load);
            wide(doubles.0.as_mut_ptr(), load);
        }
        for i in 0..32 {
            let (low_half, high_half) = (load(i) as u32, (load(i) >> 32) as u32);
            assert_eq!((one.0[i], low.0[i], high.0[i]), (low_half, low_half, high_half));
            assert_eq!(doubles.0[i], load(i));
        }
    }
}
