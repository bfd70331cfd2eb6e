//! 16-byte accesses to elements of any size, widened to the type that kernels compute in.

use half::{bf16, f16};
use lanework::Element;
use lanework::prelude::*;

/// An element type that kernels widen: 16-bit types to `f32`, the others to themselves.
pub trait Widened: Element {
    /// The type that kernels compute in.
    #[doc(hidden)]
    type Wide: Element;
    /// Elements per 16 bytes.
    #[doc(hidden)]
    const VECTOR: usize;
    /// Whether an element is the upper half of an `f32` (bf16).
    #[doc(hidden)]
    const UPPER_HALF: bool;
    /// The smallest value.
    #[doc(hidden)]
    const LEAST: Self::Wide;
    /// The largest value.
    #[doc(hidden)]
    const MOST: Self::Wide;
}

macro_rules! widened {
    ($($element:ty => $wide:ident, $upper:literal, $least:ident, $most:ident;)*) => {$(
        impl Widened for $element {
            const LEAST: $wide = $wide::$least;
            const MOST: $wide = $wide::$most;
            type Wide = $wide;
            const VECTOR: usize = 16 / size_of::<$element>();
            const UPPER_HALF: bool = $upper;
        }
    )*};
}

widened! {
    f32 => f32, false, NEG_INFINITY, INFINITY;
    f64 => f64, false, NEG_INFINITY, INFINITY;
    i32 => i32, false, MIN, MAX;
    u32 => u32, false, MIN, MAX;
    i64 => i64, false, MIN, MAX;
    u64 => u64, false, MIN, MAX;
    f16 => f32, false, NEG_INFINITY, INFINITY;
    bf16 => f32, true, NEG_INFINITY, INFINITY;
}

/// Loads and widens elements `at` to `at + V - 1` in one 16-byte access; `at` is a multiple of `V`.
#[device]
pub(crate) fn load<E: Widened, const V: usize>(x: &[E], at: u64) -> [E::Wide; V] {
    let mut values = [E::Wide::ZERO; V];
    if V == 8 {
        let (a, b, c, d) = ptx!(
            "ld.global.nc.v4.b32 {{{}, {}, {}, {}}}, {};",
            out(u32), out(u32), out(u32), out(u32), in(&x[at])
        );
        values = unpack::<E, V>([a, b, c, d]);
    } else {
        let loaded = x.load_vec_nc::<V>(at);
        #[unroll]
        for i in 0..V {
            values[i] = loaded[i] as E::Wide;
        }
    }
    values
}

/// As [`load`], for memory that an overlapping previous launch may write: ptxas may move a non-coherent load (`.nc`)
/// before the wait for that launch, but not this load.
#[device]
pub(crate) fn load_written<E: Widened, const V: usize>(x: &[E], at: u64) -> [E::Wide; V] {
    let (a, b, c, d) = ptx!(
        "ld.global.v4.b32 {{{}, {}, {}, {}}}, {};",
        out(u32), out(u32), out(u32), out(u32), in(&x[at])
    );
    unpack::<E, V>([a, b, c, d])
}

/// As [`load`] for any `at`, in an array of at least `end` elements: from the two surrounding vectors, or element by element if
/// there is no second one.
#[device]
pub(crate) fn load_apart<E: Widened, const V: usize>(x: &[E], at: u64, end: u64) -> [E::Wide; V] {
    let mut values = [E::Wide::ZERO; V];
    let off = (at % V as u64) as u32;
    let low = at - off as u64;
    if low + const { 2 * V as u64 } <= end {
        let (a, b, c, d) = ptx!(
            "ld.global.v4.b32 {{{}, {}, {}, {}}}, {};",
            out(u32), out(u32), out(u32), out(u32), in(&x[low])
        );
        let (e, f, g, h) = ptx!(
            "ld.global.v4.b32 {{{}, {}, {}, {}}}, {};",
            out(u32), out(u32), out(u32), out(u32), in(&x[low + V as u64])
        );
        let mut words = [a, b, c, d, e, f, g, h];
        let bytes = off * const { 16 / V as u32 };
        #[unroll]
        for i in 0..6usize {
            words[i] = select(bytes & 8 != 0, words[i + 2], words[i]);
        }
        #[unroll]
        for i in 0..5usize {
            words[i] = select(bytes & 4 != 0, words[i + 1], words[i]);
        }
        let mut four = [0u32; 4];
        #[unroll]
        for i in 0..4usize {
            four[i] = words[i];
            if V == 8 {
                let bits = 8 * (bytes & 2);
                four[i] = ptx!("shf.r.clamp.b32 {}, {}, {}, {};", out(u32), in(words[i]), in(words[i + 1]), in(bits));
            }
        }
        values = unpack::<E, V>(four);
    } else {
        #[unroll]
        for j in 0..V {
            values[j] = x[at + j as u64] as E::Wide;
        }
    }
    values
}

/// Unpacks and widens the elements of 16 bytes.
#[device]
pub(crate) fn unpack<E: Widened, const V: usize>(words: [u32; 4]) -> [E::Wide; V] {
    let mut values = [E::Wide::ZERO; V];
    #[unroll]
    for i in 0..V {
        if V == 8 {
            let (low, high) = halves::<E>(words[i / 2]);
            values[i] = if i % 2 == 0 { low as E::Wide } else { high as E::Wide };
        } else if V == 4 {
            values[i] = ptx!("mov.b32 {}, {};", out(E::Wide), in(words[i]));
        } else {
            let (low, high) = (words[2 * i], words[2 * i + 1]);
            values[i] = ptx!("mov.b64 {}, {{{}, {}}};", out(E::Wide), in(low), in(high));
        }
    }
    values
}

/// The two 16-bit halves of a word as `f32`, the lower one first.
#[device]
fn halves<E: Widened>(word: u32) -> (f32, f32) {
    if E::UPPER_HALF {
        (f32_from_bits(word << 16), f32_from_bits(word & 0xffff_0000))
    } else {
        let (low, high) = ptx!("mov.b32 {{{}, {}}}, {};", out(f16), out(f16), in(word));
        (low as f32, high as f32)
    }
}

/// Rounds values and stores them as elements `at` to `at + V - 1` in one 16-byte access; `at` is a multiple of `V`.
#[device]
pub(crate) fn store<E: Widened, const V: usize>(y: &mut [E], at: u64, values: [E::Wide; V]) {
    if V == 8 {
        let mut words = [0u32; 4];
        #[unroll]
        for i in 0..4 {
            let (low, high) = (values[2 * i] as E, values[2 * i + 1] as E);
            words[i] = ptx!("mov.b32 {}, {{{}, {}}};", out(u32), in(low), in(high));
        }
        ptx!(
            "st.global.v4.b32 {}, {{{}, {}, {}, {}}};",
            in(&mut y[at]), in(words[0]), in(words[1]), in(words[2]), in(words[3])
        );
    } else {
        let mut rounded = [E::ZERO; V];
        #[unroll]
        for i in 0..V {
            rounded[i] = values[i] as E;
        }
        y.store_vec(at, rounded);
    }
}
