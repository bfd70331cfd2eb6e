//! Elementary functions on a GPU, bit by bit against the host's, with the largest error of each:
//! `cargo run --release -p lanework --example math_bits -- [--stride N] [--points N] [--pairs N] [--judge N]
//! [--only f32|f64|pairs] [--emulator]`
//!
//! All numbers of f32 (or every N-th), 10^8 points of f64, 10^8 pairs; the error of every N-th to be judged. The exit code is 1 if a bit differs or a bound
//! is exceeded. Rows: function, numbers compared, numbers that differ, largest error, its argument, bound.

use lanework::math::errors::{ONES, TWOS, points, ulps_double, ulps_single};
use lanework::prelude::*;
use std::time::Instant;

macro_rules! kernels {
    ($($name:ident)*; $($two:ident)*) => {
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
                    out[i] = x[i].$two(y[i]).to_bits();
                }
            })*
            #[kernel]
            pub fn rem(x: &[f32], y: &[f32], out: &mut [u32]) {
                let i = block_idx.x * block_dim.x + thread_idx.x;
                if i < out.len() {
                    out[i] = (x[i] % y[i]).to_bits();
                }
            }
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
                    out[i] = x[i].$two(y[i]).to_bits();
                }
            })*
            #[kernel]
            pub fn rem(x: &[f64], y: &[f64], out: &mut [u64]) {
                let i = block_idx.x * block_dim.x + thread_idx.x;
                if i < out.len() {
                    out[i] = (x[i] % y[i]).to_bits();
                }
            }
        }

        /// Launches the function `name` on numbers of `f32` from `first` on.
        fn launch_single(name: &str, device: &Device, first: u32, stride: u32, out: &mut Buffer<u32>) -> lanework::Result<()> {
            let blocks = out.len().div_ceil(256) as u32;
            match name {
                $(stringify!($name) => single::$name(first, stride, out).grid(blocks).block(256).launch(device),)*
                other => panic!("no kernel for `{other}`"),
            }
        }

        fn launch_double(name: &str, device: &Device, x: &Buffer<f64>, out: &mut Buffer<u64>) -> lanework::Result<()> {
            let blocks = out.len().div_ceil(256) as u32;
            match name {
                $(stringify!($name) => double::$name(x, out).grid(blocks).block(256).launch(device),)*
                other => panic!("no kernel for `{other}`"),
            }
        }

        fn launch_pairs(
            name: &str, device: &Device, x: &Buffer<f32>, y: &Buffer<f32>, out: &mut Buffer<u32>,
        ) -> lanework::Result<()> {
            let blocks = out.len().div_ceil(256) as u32;
            match name {
                $(stringify!($two) => single::$two(x, y, out).grid(blocks).block(256).launch(device),)*
                _ => single::rem(x, y, out).grid(blocks).block(256).launch(device),
            }
        }

        fn launch_double_pairs(
            name: &str, device: &Device, x: &Buffer<f64>, y: &Buffer<f64>, out: &mut Buffer<u64>,
        ) -> lanework::Result<()> {
            let blocks = out.len().div_ceil(256) as u32;
            match name {
                $(stringify!($two) => double::$two(x, y, out).grid(blocks).block(256).launch(device),)*
                _ => double::rem(x, y, out).grid(blocks).block(256).launch(device),
            }
        }
    };
}

kernels! {
    exp exp2 exp_m1 ln log2 log10 ln_1p sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh cbrt erf erfc;
    powf atan2 hypot
}

/// Compared numbers of one function.
#[derive(Clone, Copy, Default)]
struct Tally {
    compared: u64,
    differ: u64,
    first: [u64; 2],
    ulps: f64,
    at: [u64; 2],
}

impl Tally {
    /// One number: whether its bits agree, its error, its argument.
    fn count(&mut self, agrees: bool, ulps: f64, at: [u64; 2]) {
        self.compared += 1;
        if !agrees {
            self.first = if self.differ == 0 { at } else { self.first };
            self.differ += 1;
        }
        if ulps > self.ulps {
            (self.ulps, self.at) = (ulps, at);
        }
    }

    fn add(&mut self, other: Tally) {
        self.first = if self.differ == 0 { other.first } else { self.first };
        self.compared += other.compared;
        self.differ += other.differ;
        if other.ulps > self.ulps {
            (self.ulps, self.at) = (other.ulps, other.at);
        }
    }
}

/// Judges `got` on all cores.
fn judge<T: Sync>(got: &[T], one: impl Fn(usize, &T, &mut Tally) + Sync) -> Tally {
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get());
    let size = got.len().div_ceil(threads).max(1);
    let tallies: Vec<Tally> = std::thread::scope(|scope| {
        let work: Vec<_> = got
            .chunks(size)
            .enumerate()
            .map(|(part, chunk)| {
                let one = &one;
                scope.spawn(move || {
                    let mut tally = Tally::default();
                    for (i, value) in chunk.iter().enumerate() {
                        one(part * size + i, value, &mut tally);
                    }
                    tally
                })
            })
            .collect();
        work.into_iter().map(|w| w.join().expect("a judge does not panic")).collect()
    });
    let mut all = Tally::default();
    tallies.into_iter().for_each(|tally| all.add(tally));
    all
}

fn same_single(x: f32, y: f32) -> bool {
    x.to_bits() == y.to_bits() || x.is_nan() && y.is_nan()
}

fn same_double(x: f64, y: f64) -> bool {
    x.to_bits() == y.to_bits() || x.is_nan() && y.is_nan()
}

/// Prints a row; whether all is well.
fn row(name: &str, ty: &str, tally: Tally, bound: f64, start: Instant) -> bool {
    let fine = tally.differ == 0 && tally.ulps <= bound;
    println!(
        "{name:8} {ty} {:>11} compared {:>3} differ (first {:#x} {:#x}), {:.4} ulp at {:#x} {:#x}, bound {bound} {} {:.1?}",
        tally.compared,
        tally.differ,
        tally.first[0],
        tally.first[1],
        tally.ulps,
        tally.at[0],
        tally.at[1],
        if fine { "ok" } else { "WRONG" },
        start.elapsed()
    );
    fine
}

fn main() -> lanework::Result<()> {
    let (mut stride, mut count, mut pairs, mut emulator) =
        (1u64, 100_000_000u64, 100_000_000u64, false);
    let (mut judged, mut only) = (1u64, String::new());
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        if argument == "--only" {
            only = arguments.next().unwrap_or_default();
            continue;
        }
        let mut number = || arguments.next().and_then(|n| n.parse::<u64>().ok()).filter(|n| *n > 0);
        let known = match argument.as_str() {
            "--stride" => number().map(|n| stride = n),
            "--points" => number().map(|n| count = n),
            "--pairs" => number().map(|n| pairs = n),
            "--judge" => number().map(|n| judged = n),
            "--emulator" => {
                emulator = true;
                Some(())
            }
            _ => None,
        };
        if known.is_none() {
            eprintln!(
                "error: `{argument}` is no option, or lacks its positive number\n  = help: --stride N, --points N, --pairs N, --judge N, --only f32|f64|pairs|NAME,.., --emulator"
            );
            std::process::exit(2);
        }
    }
    let device = if emulator { Device::emulator() } else { Device::cuda(0)? };
    let mut fine = true;
    let total = (1u64 << 32).div_ceil(stride);
    let part = |part: &str, function: &str| {
        only.is_empty() || only.split(',').any(|wanted| wanted == part || wanted == function)
    };
    for function in ONES.iter().filter(|function| part("f32", function.name)) {
        let (start, mut tally, mut first) = (Instant::now(), Tally::default(), 0u64);
        while first < total {
            let size = (total - first).min(1 << 26);
            let mut out = device.zeros::<u32>(size as usize)?;
            launch_single(
                function.name,
                &device,
                (first * stride) as u32,
                stride as u32,
                &mut out,
            )?;
            tally.add(judge(&out.download()?, |i, got, tally| {
                let bits = ((first + i as u64) * stride) as u32;
                let x = f32::from_bits(bits);
                let host = (function.single)(x);
                let skip = !(i as u64).is_multiple_of(judged);
                let error = if skip { 0.0 } else { ulps_single(host, (function.host)(x.into())) };
                tally.count(same_single(f32::from_bits(*got), host), error, [bits.into(), 0]);
            }));
            first += size;
        }
        fine &= row(function.name, "f32", tally, function.bounds[0], start);
    }
    for function in ONES.iter().filter(|function| part("f64", function.name)) {
        let (start, mut tally, mut first) = (Instant::now(), Tally::default(), 0u64);
        while first < count {
            let size = (count - first).min(1 << 24);
            let values: Vec<f64> = (first..first + size).map(points).collect();
            let x = device.upload(&values)?;
            let mut out = device.zeros::<u64>(values.len())?;
            launch_double(function.name, &device, &x, &mut out)?;
            tally.add(judge(&out.download()?, |i, got, tally| {
                let x = values[i];
                let host = (function.double)(x);
                let skip = !(i as u64).is_multiple_of(judged);
                let error = if skip { 0.0 } else { ulps_double(host, (function.reference)(x)) };
                tally.count(same_double(f64::from_bits(*got), host), error, [x.to_bits(), 0]);
            }));
            first += size;
        }
        fine &= row(function.name, "f64", tally, function.bounds[1], start);
    }
    for function in TWOS.iter().filter(|function| part("pairs", function.name)) {
        let (start, mut tally, mut first) = (Instant::now(), Tally::default(), 0u64);
        while first < pairs {
            let size = (pairs - first).min(1 << 24);
            let (left, right): (Vec<f32>, Vec<f32>) =
                (first..first + size).map(lanework::math::errors::pair_single).unzip();
            let (x, y) = (device.upload(&left)?, device.upload(&right)?);
            let mut out = device.zeros::<u32>(left.len())?;
            launch_pairs(function.name, &device, &x, &y, &mut out)?;
            tally.add(judge(&out.download()?, |i, got, tally| {
                let (x, y) = (left[i], right[i]);
                let host = (function.single)(x, y);
                let skip = !(i as u64).is_multiple_of(judged);
                let error =
                    if skip { 0.0 } else { ulps_single(host, (function.host)(x.into(), y.into())) };
                let at = [x.to_bits().into(), y.to_bits().into()];
                tally.count(same_single(f32::from_bits(*got), host), error, at);
            }));
            first += size;
        }
        fine &= row(function.name, "f32", tally, function.bounds[0], start);
        let (start, mut tally, mut first) = (Instant::now(), Tally::default(), 0u64);
        while first < pairs / 4 {
            let size = (pairs / 4 - first).min(1 << 24);
            let (left, right): (Vec<f64>, Vec<f64>) =
                (first..first + size).map(lanework::math::errors::pair_double).unzip();
            let (x, y) = (device.upload(&left)?, device.upload(&right)?);
            let mut out = device.zeros::<u64>(left.len())?;
            launch_double_pairs(function.name, &device, &x, &y, &mut out)?;
            tally.add(judge(&out.download()?, |i, got, tally| {
                let (x, y) = (left[i], right[i]);
                let host = (function.double)(x, y);
                let skip = !(i as u64).is_multiple_of(judged);
                let error = if skip { 0.0 } else { ulps_double(host, (function.reference)(x, y)) };
                let at = [x.to_bits(), y.to_bits()];
                tally.count(same_double(f64::from_bits(*got), host), error, at);
            }));
            first += size;
        }
        fine &= row(function.name, "f64", tally, function.bounds[1], start);
    }
    if !fine {
        std::process::exit(1);
    }
    println!("every bit agrees, every bound holds");
    Ok(())
}
