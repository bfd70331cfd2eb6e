//! Floors: the work of one warp instruction as a loop over 32 lanes that the host's compiler vectorizes.

use crate::clock::Moment;
use std::hint::black_box;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// The work that a floor does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Floor {
    /// A sum of floats.
    Arithmetic,
    /// A quadratic interpolation with coefficients from a table.
    Table,
    /// A fused multiply-add of two packed 16-bit numbers, without exact rounding.
    Half,
    /// An integer quotient.
    Division,
    /// A fused multiply-add of doubles.
    Double,
    /// A copy of 4 bytes per lane.
    Copy,
    /// A copy of 16 bytes per lane.
    CopyQuads,
    /// A load from each lane's own place.
    Gather,
    /// A sum stored to each lane's own place.
    Scatter,
    /// An atomic sum in each lane's own place.
    Atomic,
    /// A 16x8x16 product of floats.
    Product,
}

struct Data {
    x: [f32; 32],
    y: [f32; 32],
    out: [f32; 32],
    doubles: [[f64; 32]; 3],
    words: [[u32; 32]; 3],
    quads: [[u32; 128]; 2],
    places: [u32; 32],
    table: [[f32; 4]; 64],
    memory: [u32; 1024],
    matrices: [[f32; 256]; 3],
}

/// The floor's time in ns.
pub fn measure(floor: Floor) -> f64 {
    let mut data = Box::new(Data {
        x: [1.5; 32],
        y: [0.25; 32],
        out: [0.0; 32],
        doubles: [[1.5; 32]; 3],
        words: [[0x3c00_3800; 32]; 3],
        quads: [[1; 128]; 2],
        places: std::array::from_fn(|i| (i * 37 % 128) as u32),
        table: [[1.0, 0.5, 0.25, 0.0]; 64],
        memory: [0; 1024],
        matrices: [[1.0; 256]; 3],
    });
    let mut best = f64::INFINITY;
    for _ in 0..20 {
        const TIMES: u32 = 2000;
        let start = Moment::now();
        for _ in 0..TIMES {
            dispatch(floor, black_box(&mut data));
        }
        best = best.min(start.elapsed() / f64::from(TIMES));
    }
    best
}

#[cfg(target_arch = "x86_64")]
fn dispatch(floor: Floor, data: &mut Data) {
    #[target_feature(enable = "avx2,fma,f16c")]
    fn wide(floor: Floor, data: &mut Data) {
        work(floor, data);
    }
    if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
        // SAFETY: the host has AVX2 and FMA; every one with both has F16C.
        unsafe { wide(floor, data) }
    } else {
        work(floor, data);
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn dispatch(floor: Floor, data: &mut Data) {
    work(floor, data);
}

#[inline(always)]
fn work(floor: Floor, data: &mut Data) {
    match floor {
        Floor::Arithmetic => {
            for i in 0..32 {
                data.out[i] = data.x[i] + data.y[i];
            }
        }
        Floor::Table => {
            for i in 0..32 {
                let [c0, c1, c2, _] = data.table[(data.x[i].to_bits() >> 17 & 63) as usize];
                data.out[i] = data.y[i].mul_add(data.y[i].mul_add(c2, c1), c0);
            }
        }
        Floor::Half => {
            let [a, b, out] = &mut data.words;
            for i in 0..32 {
                let low = |x: u32| f32::from_bits(x << 16);
                let high = |x: u32| f32::from_bits(x & 0xffff_0000);
                let (x, y) = (a[i], b[i]);
                let sums = [low(x).mul_add(low(y), low(x)), high(x).mul_add(high(y), high(x))];
                out[i] = sums[0].to_bits() >> 16 | sums[1].to_bits() & 0xffff_0000;
            }
        }
        Floor::Division => {
            let [a, b, out] = &mut data.words;
            for i in 0..32 {
                out[i] = (f64::from(a[i]) / f64::from(b[i])) as u32;
            }
        }
        Floor::Double => {
            let [a, b, out] = &mut data.doubles;
            for i in 0..32 {
                out[i] = a[i].mul_add(b[i], a[i]);
            }
        }
        Floor::Copy => data.out = data.x,
        Floor::CopyQuads => data.quads[1] = data.quads[0],
        Floor::Gather => {
            for i in 0..32 {
                data.words[0][i] = data.memory[data.places[i] as usize & 1023];
            }
        }
        Floor::Scatter => {
            for i in 0..32 {
                data.memory[data.places[i] as usize & 1023] += data.words[0][i] & 1;
            }
        }
        Floor::Atomic => {
            for i in 0..32 {
                let place = &raw mut data.memory[data.places[i] as usize & 1023];
                // SAFETY: the word is there and aligned, and no other reference to it exists.
                unsafe { AtomicU32::from_ptr(place) }.fetch_add(1, Relaxed);
            }
        }
        Floor::Product => {
            let [a, b, c] = &mut data.matrices;
            for i in 0..16 {
                for k in 0..16 {
                    for j in 0..8 {
                        c[i * 8 + j] = a[i * 16 + k].mul_add(b[k * 8 + j], c[i * 8 + j]);
                    }
                }
            }
        }
    }
}
