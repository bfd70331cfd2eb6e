//! Mandelbrot with a generic complex number and a trait for color maps.
use lanework::prelude::*;
use std::ops::{Add, Mul};

#[device]
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
struct Complex<T> {
    re: T,
    im: T,
}

#[device]
impl<T: Float> Add for Complex<T> {
    type Output = Self;
    fn add(self, o: Self) -> Self {
        Complex { re: self.re + o.re, im: self.im + o.im }
    }
}

#[device]
impl<T: Float> Mul for Complex<T> {
    type Output = Self;
    fn mul(self, o: Self) -> Self {
        Complex { re: self.re * o.re - self.im * o.im, im: self.re * o.im + self.im * o.re }
    }
}

#[device]
impl<T: Float> Complex<T> {
    fn norm_sqr(&self) -> T {
        self.re * self.re + self.im * self.im
    }
}

#[device]
trait Palette {
    const LIMIT: u32;
    fn color(&self, count: u32) -> u8;
}

#[device]
#[derive(Clone, Copy)]
#[repr(C)]
struct Gray {
    scale: u32,
}

#[device]
impl Palette for Gray {
    const LIMIT: u32 = 50;
    fn color(&self, count: u32) -> u8 {
        (count * self.scale).min(255) as u8
    }
}

#[device]
fn escape(c: Complex<f32>, limit: u32) -> Option<u32> {
    let mut z = c;
    for i in 0..limit {
        if z.norm_sqr() > 4.0 {
            return Some(i);
        }
        z = z * z + c;
    }
    None
}

#[kernel]
fn mandelbrot<P: Palette>(palette: P, image: &mut [u8], width: usize) {
    let i = (block_idx.x * block_dim.x + thread_idx.x) as usize;
    if i < image.len() {
        let (x, y) = (i % width, i / width);
        let c = Complex { re: x as f32 / 16.0 - 1.5, im: y as f32 / 16.0 - 1.0 };
        image[i] = match escape(c, P::LIMIT) {
            Some(n) => palette.color(n),
            None => 0,
        };
    }
}

pub fn main() -> lanework::Result<()> {
    let device = Device::best();
    let mut image = device.zeros::<u8>(32 * 32)?;
    mandelbrot(Gray { scale: 5 }, &mut image, 32).grid(4).block(256).launch(&device)?;
    for (i, v) in image.download()?.into_iter().enumerate() {
        let c = Complex { re: (i % 32) as f32 / 16.0 - 1.5, im: (i / 32) as f32 / 16.0 - 1.0 };
        assert_eq!(v, escape(c, Gray::LIMIT).map_or(0, |n| Gray { scale: 5 }.color(n)));
    }
    Ok(())
}
