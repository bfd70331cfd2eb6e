//! A fast Fourier transform of 256 points per block (Stockham, radix 2).

use lanework::prelude::*;
use std::f32::consts::PI;

/// A complex number.
#[device]
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct Complex {
    pub re: f32,
    pub im: f32,
}

#[device]
impl Complex {
    /// `e^(i angle)`.
    pub fn cis(angle: f32) -> Complex {
        let (im, re) = angle.sin_cos();
        Complex { re, im }
    }
}

#[device]
impl std::ops::Add for Complex {
    type Output = Complex;
    fn add(self, o: Complex) -> Complex {
        Complex { re: self.re + o.re, im: self.im + o.im }
    }
}

#[device]
impl std::ops::Sub for Complex {
    type Output = Complex;
    fn sub(self, o: Complex) -> Complex {
        Complex { re: self.re - o.re, im: self.im - o.im }
    }
}

#[device]
impl std::ops::Mul for Complex {
    type Output = Complex;
    fn mul(self, o: Complex) -> Complex {
        Complex { re: self.re * o.re - self.im * o.im, im: self.re * o.im + self.im * o.re }
    }
}

const N: u32 = 256;

/// Transforms every group of 256 points.
#[kernel(block = (N / 2, 1))]
pub fn fft(input: &[Complex], output: &mut [Complex]) {
    let buffers = [shared::<Complex>([N]), shared::<Complex>([N])];
    let t = thread_idx.x;
    let base = block_idx.x * N;
    buffers[0][t] = input[base + t];
    buffers[0][t + N / 2] = input[base + t + N / 2];
    sync_threads();
    #[unroll]
    for pass in 0..8 {
        let (from, to) = (buffers[pass % 2], buffers[(pass + 1) % 2]);
        let half = 1u32 << pass;
        let k = t % half;
        let (a, b) = (from[t], from[t + N / 2]);
        let b = Complex::cis(-PI * k as f32 / half as f32) * b;
        let j = 2 * (t - k) + k;
        to[j] = a + b;
        to[j + half] = a - b;
        sync_threads();
    }
    output[base + t] = buffers[0][t];
    output[base + t + N / 2] = buffers[0][t + N / 2];
}

/// The definition, on the host.
pub fn reference(input: &[Complex]) -> Vec<Complex> {
    let n = input.len();
    (0..n)
        .map(|k| {
            let (mut re, mut im) = (0.0f64, 0.0f64);
            for (j, x) in input.iter().enumerate() {
                let angle = -2.0 * std::f64::consts::PI * (j * k % n) as f64 / n as f64;
                re += f64::from(x.re) * angle.cos() - f64::from(x.im) * angle.sin();
                im += f64::from(x.re) * angle.sin() + f64::from(x.im) * angle.cos();
            }
            Complex { re: re as f32, im: im as f32 }
        })
        .collect()
}

#[test]
fn equals_the_host() -> lanework::Result<()> {
    let input: Vec<Complex> =
        crate::values(4 * N as usize).chunks(2).map(|c| Complex { re: c[0], im: c[1] }).collect();
    let expected: Vec<Complex> = input.chunks(N as usize).flat_map(reference).collect();
    for device in crate::devices("FFT") {
        let x = device.upload(&input)?;
        let mut y = device.upload(&input)?;
        fft(&x, &mut y).grid(2).block(N / 2).launch(&device)?;
        let parts = |v: &[Complex]| v.iter().flat_map(|c| [c.re, c.im]).collect::<Vec<_>>();
        crate::assert_close(&parts(&y.download()?), &parts(&expected), 1e-4);
    }
    Ok(())
}
