//! Writes of some lanes of a register, as divergent code makes them.

use crate::machine::slot::{BITS, Lanes};

/// Writes some lanes of a register that holds values of this type as they are, of 4 or 8 bytes. Out of line: inline, it
/// would make a handler save registers in every case.
///
/// # Safety
/// `to` is such a register.
#[inline(never)]
pub unsafe fn merge<T: Copy>(to: *mut Lanes<T>, lanes: &Lanes<T>, mask: u32) {
    // SAFETY: `to` and `lanes` have 32 values of the size of `T`, as this function requires, aligned to 64 bytes.
    unsafe {
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2") {
            let from = std::ptr::from_ref(lanes);
            return match size_of::<T>() {
                4 => merge_words(to.cast(), from.cast(), mask),
                _ => merge_wide(to.cast(), from.cast(), mask),
            };
        }
        let mut merged = *to;
        for i in 0..32 {
            merged.0[i] = if mask & BITS[i] != 0 { lanes.0[i] } else { merged.0[i] };
        }
        *to = merged;
    }
}

/// # Safety
/// Both have 32 words, at multiples of 64 bytes, and the host has AVX2.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
unsafe fn merge_words(to: *mut u32, from: *const u32, mask: u32) {
    use std::arch::x86_64::{
        __m256i, _mm256_and_si256, _mm256_blendv_epi8, _mm256_cmpeq_epi32, _mm256_load_si256,
        _mm256_set1_epi32, _mm256_setr_epi32, _mm256_store_si256,
    };
    let bits = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    for i in 0..4 {
        let active = _mm256_and_si256(_mm256_set1_epi32((mask >> (8 * i)) as i32), bits);
        // SAFETY: the words `8 * i` to `8 * i + 7` are there, as this function requires.
        unsafe {
            let (to, from) = (to.add(8 * i).cast::<__m256i>(), from.add(8 * i).cast());
            let (old, new) = (_mm256_load_si256(to), _mm256_load_si256(from));
            let active = _mm256_cmpeq_epi32(active, bits);
            _mm256_store_si256(to, _mm256_blendv_epi8(old, new, active));
        }
    }
}

/// # Safety
/// Both have 32 words of 64 bits, at multiples of 64 bytes, and the host has AVX2.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
unsafe fn merge_wide(to: *mut u64, from: *const u64, mask: u32) {
    use std::arch::x86_64::{
        __m256i, _mm256_and_si256, _mm256_blendv_epi8, _mm256_cmpeq_epi64, _mm256_load_si256,
        _mm256_set1_epi64x, _mm256_setr_epi64x, _mm256_store_si256,
    };
    let bits = _mm256_setr_epi64x(1, 2, 4, 8);
    for i in 0..8 {
        let active = _mm256_and_si256(_mm256_set1_epi64x(i64::from(mask >> (4 * i))), bits);
        // SAFETY: the words `4 * i` to `4 * i + 3` are there, as this function requires.
        unsafe {
            let (to, from) = (to.add(4 * i).cast::<__m256i>(), from.add(4 * i).cast());
            let (old, new) = (_mm256_load_si256(to), _mm256_load_si256(from));
            let active = _mm256_cmpeq_epi64(active, bits);
            _mm256_store_si256(to, _mm256_blendv_epi8(old, new, active));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_active_lanes_change() {
        for mask in [0, 1, 0x8000_0000, 0xffff, 0x1248_8421, 0xa5a5_5a5a, u32::MAX] {
            let (mut words, mut wide) = (Lanes([7u32; 32]), Lanes([7u64; 32]));
            let new = std::array::from_fn(|i| 100 + i as u32);
            // SAFETY: both registers are local variables of the type.
            unsafe {
                merge(&raw mut words, &Lanes(new), mask);
                merge(&raw mut wide, &Lanes(new.map(u64::from)), mask);
            }
            for i in 0..32 {
                let expected = if mask & BITS[i] != 0 { new[i] } else { 7 };
                assert_eq!((words.0[i], wide.0[i]), (expected, expected.into()), "{mask:#x} {i}");
            }
        }
    }
}
