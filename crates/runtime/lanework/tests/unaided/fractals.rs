//! Mandelbrot and Julia sets: a generic complex number with operators, a trait with associated type and constants.
use lanework::prelude::*;
use std::ops::{Add, AddAssign, Mul, Neg, Sub};

#[device]
#[derive(Clone, Copy, Debug, PartialEq)]
struct Complex<T> {
    re: T,
    im: T,
}

#[device]
impl<T: Number> Complex<T> {
    const ZERO: Self = Self { re: T::ZERO, im: T::ZERO };

    const fn new(re: T, im: T) -> Self {
        Self { re, im }
    }

    fn norm_sqr(self) -> T {
        let Self { re, im } = self;
        re * re + im * im
    }
}

#[device]
impl<T: Number> Add for Complex<T> {
    type Output = Self;
    fn add(self, rhs: Self) -> Self {
        Self::new(self.re + rhs.re, self.im + rhs.im)
    }
}

#[device]
impl<T: Number> Sub for Complex<T> {
    type Output = Self;
    fn sub(self, rhs: Self) -> Self::Output {
        Self::new(self.re - rhs.re, self.im - rhs.im)
    }
}

#[device]
impl<T: Number> Mul for Complex<T> {
    type Output = Self;
    fn mul(self, o: Self) -> Self {
        Self { re: self.re * o.re - self.im * o.im, im: self.re * o.im + self.im * o.re }
    }
}

#[device]
impl<T: Number> AddAssign for Complex<T> {
    fn add_assign(&mut self, rhs: Self) {
        *self = *self + rhs;
    }
}

#[device]
impl Neg for Complex<f64> {
    type Output = Complex<f64>;
    fn neg(self) -> Self {
        Complex { re: -self.re, im: -self.im }
    }
}

#[device]
trait Fractal {
    type Real: Number;
    const LIMIT: u32;
    const BOUND: Self::Real;

    fn start(&self, pixel: Complex<Self::Real>) -> (Complex<Self::Real>, Complex<Self::Real>);

    fn escape(&self, pixel: Complex<Self::Real>) -> Option<u32> {
        let (mut z, c) = self.start(pixel);
        for n in 0..Self::LIMIT {
            if z.norm_sqr() > Self::BOUND {
                return Some(n);
            }
            z = z * z + c;
        }
        None
    }
}

#[device]
#[derive(Clone, Copy, Default)]
struct Mandelbrot;

#[device]
impl Fractal for Mandelbrot {
    type Real = f32;
    const LIMIT: u32 = 50;
    const BOUND: f32 = 4.0;
    fn start(&self, pixel: Complex<f32>) -> (Complex<f32>, Complex<f32>) {
        (Complex::ZERO, pixel)
    }
}

#[device]
#[derive(Clone, Copy)]
struct Julia {
    c: Complex<f64>,
    flip: bool,
}

#[device]
impl Fractal for Julia {
    type Real = f64;
    const LIMIT: u32 = 80;
    const BOUND: f64 = 16.0;
    fn start(&self, pixel: Complex<f64>) -> (Complex<f64>, Complex<f64>) {
        let mut z = pixel;
        z += Complex::new(0.01, 0.0);
        (if self.flip { -z } else { z - Complex::new(0.25, 0.0) }, self.c)
    }
}

#[kernel]
fn render<F: Fractal>(
    fractal: F,
    corner: Complex<F::Real>,
    step: F::Real,
    width: u32,
    out: &mut [u16],
) {
    let (x, y) =
        (block_idx.x * block_dim.x + thread_idx.x, block_idx.y * block_dim.y + thread_idx.y);
    let Some(pixel) = out.get_mut((y * width + x) as usize) else { return };
    if x >= width {
        return;
    }
    let mut at = corner;
    for _ in 0..x {
        at.re += step;
    }
    for _ in 0..y {
        at.im += step;
    }
    *pixel = match fractal.escape(at) {
        Some(n @ 0..=9) => n as u16,
        Some(n) => 100 + n as u16,
        None => u16::MAX,
    };
}

fn mandelbrot_reference(cr: f32, ci: f32) -> u16 {
    let (mut x, mut y) = (0f32, 0f32);
    for n in 0..50u16 {
        if x * x + y * y > 4.0 {
            return if n < 10 { n } else { 100 + n };
        }
        (x, y) = (x * x - y * y + cr, x * y + y * x + ci);
    }
    u16::MAX
}

fn julia_reference(cr: f64, ci: f64, px: f64, py: f64, flip: bool) -> u16 {
    let (mut x, mut y) = (px + 0.01, py);
    if flip {
        (x, y) = (-x, -y);
    } else {
        x -= 0.25;
    }
    for n in 0..80u16 {
        if x * x + y * y > 16.0 {
            return if n < 10 { n } else { 100 + n };
        }
        (x, y) = (x * x - y * y + cr, x * y + y * x + ci);
    }
    u16::MAX
}

#[test]
fn fractals() -> lanework::Result<()> {
    let device = Device::emulator().sanitized();
    const W: u32 = 40;
    let mut out = device.zeros::<u16>((W * W) as usize)?;
    render(Mandelbrot, Complex::new(-2.0, -1.5), 0.075, W, &mut out)
        .grid((3, 5))
        .block((16, 8))
        .launch(&device)?;
    let got = out.download()?;
    let sums = |start: f32| {
        (0..W)
            .scan(start, |s, _| {
                let v = *s;
                *s += 0.075f32;
                Some(v)
            })
            .collect::<Vec<f32>>()
    };
    for (y, im) in sums(-1.5).into_iter().enumerate() {
        for (x, re) in sums(-2.0).into_iter().enumerate() {
            assert_eq!(got[y * W as usize + x], mandelbrot_reference(re, im), "{x} {y}");
        }
    }
    for flip in [false, true] {
        let julia = Julia { c: Complex::new(-0.8, 0.156), flip };
        render(julia, Complex { re: -1.5, im: -1.5 }, 0.08, W, &mut out)
            .grid((3, 5))
            .block((16, 8))
            .launch(&device)?;
        let got = out.download()?;
        let sums: Vec<f64> = (0..W)
            .scan(-1.5, |s, _| {
                let v = *s;
                *s += 0.08f64;
                Some(v)
            })
            .collect();
        for y in 0..W as usize {
            for x in 0..W as usize {
                assert_eq!(
                    got[y * W as usize + x],
                    julia_reference(-0.8, 0.156, sums[x], sums[y], flip),
                    "{x} {y}"
                );
            }
        }
    }
    Ok(())
}
