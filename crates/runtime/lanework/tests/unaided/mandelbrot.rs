//! Fixed-point numbers with a const-generic binary point: a Mandelbrot set and square roots.
use lanework::prelude::*;
use std::ops::{Add, AddAssign, Div, Mul, Neg, Sub};

#[device]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(C)]
struct Fixed<const BITS: u32>(i32);

#[device]
impl<const BITS: u32> Fixed<BITS> {
    const ZERO: Self = Fixed(0);
    const ONE: Self = Fixed(1 << BITS);

    fn new(value: i32) -> Self {
        Fixed(value << BITS)
    }

    fn sqrt(self) -> Option<Self> {
        if self < Self::ZERO {
            return None;
        }
        if self == Self::ZERO {
            return Some(self);
        }
        let mut root = if self > Self::ONE { self } else { Self::ONE };
        loop {
            let next = Fixed((root + self / root).0 >> 1);
            if next >= root {
                return Some(root);
            }
            root = next;
        }
    }
}

#[device]
impl<const BITS: u32> Add for Fixed<BITS> {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Fixed(self.0 + other.0)
    }
}

#[device]
impl<const BITS: u32> Sub for Fixed<BITS> {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Fixed(self.0 - other.0)
    }
}

#[device]
impl<const BITS: u32> Mul for Fixed<BITS> {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        Fixed((self.0 as i64 * other.0 as i64 >> BITS) as i32)
    }
}

#[device]
impl<const BITS: u32> Div for Fixed<BITS> {
    type Output = Self;
    fn div(self, other: Self) -> Self {
        Fixed((((self.0 as i64) << BITS) / other.0 as i64) as i32)
    }
}

#[device]
impl<const BITS: u32> Neg for Fixed<BITS> {
    type Output = Self;
    fn neg(self) -> Self {
        Fixed(-self.0)
    }
}

#[device]
impl<const BITS: u32> AddAssign for Fixed<BITS> {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

#[device]
#[derive(Clone, Copy, Debug, PartialEq)]
struct Complex<T> {
    re: T,
    im: T,
}

#[device]
impl<T: Copy + Add<Output = T> + Sub<Output = T> + Mul<Output = T>> Complex<T> {
    fn square(self) -> Self {
        let cross = self.re * self.im;
        Complex { re: self.re * self.re - self.im * self.im, im: cross + cross }
    }
    fn norm(self) -> T {
        self.re * self.re + self.im * self.im
    }
}

#[kernel]
fn mandelbrot<const BITS: u32>(
    corner: Fixed<BITS>,
    step: Fixed<BITS>,
    width: u32,
    limit: u32,
    out: &mut [u32],
) {
    let x = block_idx.x * block_dim.x + thread_idx.x;
    let y = block_idx.y * block_dim.y + thread_idx.y;
    if x >= width || y >= width {
        return;
    }
    let c = Complex {
        re: corner + step * Fixed::new(x as i32),
        im: -(corner + step * Fixed::new(y as i32)),
    };
    let mut z = Complex::<Fixed<BITS>> { re: Fixed::ZERO, im: Fixed::ZERO };
    let mut count = 0;
    while count < limit && z.norm() <= Fixed::new(4) {
        z = z.square();
        z.re += c.re;
        z.im += c.im;
        count += 1;
    }
    out[y * width + x] = count;
}

#[kernel]
fn roots(x: &[Fixed<16>], out: &mut [Fixed<16>]) {
    let i = thread_idx.x;
    if i < x.len() {
        out[i] = x[i].sqrt().unwrap_or(-Fixed::ONE);
    }
}

#[test]
fn mandelbrot_matches() -> lanework::Result<()> {
    const BITS: u32 = 20;
    let (width, limit) = (24u32, 40u32);
    let (corner, step) = (-2i32 << BITS, (4 << BITS) / 24);
    let device = Device::emulator().sanitized();
    let mut out = device.zeros::<u32>((width * width) as usize)?;
    mandelbrot::<BITS>(Fixed(corner), Fixed(step), width, limit, &mut out)
        .grid((3, 3))
        .block((8, 8))
        .launch(&device)?;
    let times = |a: i64, b: i64| (a * b) >> BITS;
    for (i, got) in out.download()?.into_iter().enumerate() {
        let (x, y) = ((i as u32 % width) as i64, (i as u32 / width) as i64);
        let (cr, ci) = (corner as i64 + step as i64 * x, -(corner as i64 + step as i64 * y));
        let (mut re, mut im, mut count) = (0i64, 0i64, 0u32);
        while count < limit && times(re, re) + times(im, im) <= 4 << BITS {
            (re, im) = (times(re, re) - times(im, im) + cr, 2 * times(re, im) + ci);
            count += 1;
        }
        assert_eq!(got, count, "({x}, {y})");
    }
    Ok(())
}

#[test]
fn square_roots() -> lanework::Result<()> {
    let values = [0.0f64, 0.25, 1.0, 2.0, 9.0, 1000.0, -1.0, 30000.0];
    let fixed: Vec<Fixed<16>> = values.iter().map(|v| Fixed((v * 65536.0) as i32)).collect();
    let device = Device::emulator().sanitized();
    let mut out = device.zeros::<Fixed<16>>(fixed.len())?;
    roots(&device.upload(&fixed)?, &mut out).grid(1).block(32).launch(&device)?;
    for (value, root) in values.iter().zip(out.download()?) {
        let want = if *value < 0.0 { -1.0 } else { value.sqrt() };
        assert!((root.0 as f64 / 65536.0 - want).abs() < 1e-4, "{value}: {root:?}");
    }
    Ok(())
}
