//! Kernels whose results are compared with the host's bit by bit, and their launches by name.

use lanework::prelude::*;

macro_rules! kernels {
    ($($name:ident)*; $($two:ident |$a:ident, $b:ident| $value:expr;)*) => {
        mod single {
            use super::*;
            $(#[kernel]
            pub fn $name(first: u32, stride: u32, out: &mut [u32]) {
                let i = block_idx.x * block_dim.x + thread_idx.x;
                if i < out.len() {
                    out[i] = f32_from_bits(first + i * stride).$name().to_bits();
                }
            })*
            $(#[kernel]
            pub fn $two(x: &[f32], y: &[f32], out: &mut [u32]) {
                let i = block_idx.x * block_dim.x + thread_idx.x;
                if i < out.len() {
                    let ($a, $b) = (x[i], y[i]);
                    out[i] = ($value).to_bits();
                }
            })*
        }
        mod double {
            use super::*;
            $(#[kernel]
            pub fn $name(x: &[f64], out: &mut [u64]) {
                let i = block_idx.x * block_dim.x + thread_idx.x;
                if i < out.len() {
                    out[i] = x[i].$name().to_bits();
                }
            })*
            $(#[kernel]
            pub fn $two(x: &[f64], y: &[f64], out: &mut [u64]) {
                let i = block_idx.x * block_dim.x + thread_idx.x;
                if i < out.len() {
                    let ($a, $b) = (x[i], y[i]);
                    out[i] = ($value).to_bits();
                }
            })*
        }

        /// Launches the function `name` on `f32` numbers whose bits start at `first`.
        pub fn launch_single(name: &str, device: &Device, first: u32, stride: u32, out: &mut Buffer<u32>) -> lanework::Result<()> {
            let blocks = out.len().div_ceil(256) as u32;
            match name {
                $(stringify!($name) => single::$name(first, stride, out).grid(blocks).block(256).launch(device),)*
                other => panic!("no kernel for `{other}`"),
            }
        }

        pub fn launch_double(name: &str, device: &Device, x: &Buffer<f64>, out: &mut Buffer<u64>) -> lanework::Result<()> {
            let blocks = out.len().div_ceil(256) as u32;
            match name {
                $(stringify!($name) => double::$name(x, out).grid(blocks).block(256).launch(device),)*
                other => panic!("no kernel for `{other}`"),
            }
        }

        pub fn launch_pairs(
            name: &str, device: &Device, x: &Buffer<f32>, y: &Buffer<f32>, out: &mut Buffer<u32>,
        ) -> lanework::Result<()> {
            let blocks = out.len().div_ceil(256) as u32;
            match name {
                $(stringify!($two) => single::$two(x, y, out).grid(blocks).block(256).launch(device),)*
                other => panic!("no kernel for `{other}`"),
            }
        }

        pub fn launch_double_pairs(
            name: &str, device: &Device, x: &Buffer<f64>, y: &Buffer<f64>, out: &mut Buffer<u64>,
        ) -> lanework::Result<()> {
            let blocks = out.len().div_ceil(256) as u32;
            match name {
                $(stringify!($two) => double::$two(x, y, out).grid(blocks).block(256).launch(device),)*
                other => panic!("no kernel for `{other}`"),
            }
        }
    };
}

kernels! {
    exp exp2 exp_m1 ln log2 log10 ln_1p sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh cbrt erf erfc;
    powf |x, y| x.powf(y);
    atan2 |x, y| x.atan2(y);
    hypot |x, y| x.hypot(y);
    rem |x, y| x % y;
    rem_euclid |x, y| x.rem_euclid(y);
    div_euclid |x, y| x.div_euclid(y);
    powi |x, n| x.powi(n as i32);
}
