//! Elementary functions on a GPU: measures the largest error of each there, and compares every bit with the host's:
//! `cargo run --release -p lanework --example math_bits -- [--only errors|f32|f64|pairs|FUNCTION,..] [--stride N] [--points N]
//! [--pairs N] [--judge N] [--emulator]`
//!
//! `errors` measures on the device: every f32 (or every N-th, `--stride`), and 2^30 pairs of f32. The other parts compare
//! bits with the host's: all f32 numbers, 10^8 points of f64, 10^8 pairs of f32 and a quarter as many of f64. The host also measures the
//! error of every N-th result (`--judge`, 8). Each line is for one function and format: the record of
//! `docs/results/h200/math.txt`, the bound, the compared numbers, and the time. The exit code is 1 if a bit differs or a
//! bound is exceeded.

mod bits;
mod judge;
mod tally;

use bits::{launch_double, launch_double_pairs, launch_pairs, launch_single};
use lanework::math::errors::{Kind, ONES, Record, TWOS, ulps_double, ulps_single};
use lanework::prelude::*;
use std::time::Instant;
use tally::{Tally, count, same_double, same_single};

/// Options of the command line.
struct Options {
    stride: u64,
    points: u64,
    pairs: u64,
    judged: u64,
    only: String,
    emulator: bool,
}

impl Options {
    fn parse() -> Result<Options, String> {
        let mut options = Options {
            stride: 1,
            points: 100_000_000,
            pairs: 100_000_000,
            judged: 8,
            only: String::new(),
            emulator: false,
        };
        let mut arguments = std::env::args().skip(1);
        while let Some(argument) = arguments.next() {
            let place = match argument.as_str() {
                "--only" => {
                    options.only = arguments.next().unwrap_or_default();
                    continue;
                }
                "--emulator" => {
                    options.emulator = true;
                    continue;
                }
                "--stride" => &mut options.stride,
                "--points" => &mut options.points,
                "--pairs" => &mut options.pairs,
                "--judge" => &mut options.judged,
                other => return Err(format!("`{other}` is not an option")),
            };
            let number = arguments.next().and_then(|n| n.parse().ok());
            *place = number
                .filter(|n| (1..=1 << 32).contains(n))
                .ok_or(format!("`{argument}` needs a number from 1 to 2^32"))?;
        }
        Ok(options)
    }

    /// Whether the part or the function was selected.
    fn wants(&self, part: &str, function: &str) -> bool {
        let (parts, functions): (Vec<&str>, Vec<&str>) = self
            .only
            .split(',')
            .filter(|word| !word.is_empty())
            .partition(|word| ["errors", "f32", "f64", "pairs"].contains(word));
        (parts.is_empty() || parts.contains(&part))
            && (functions.is_empty() || functions.contains(&function))
    }
}

/// Prints a line. Returns whether all bits agree and the bounds hold.
fn line(record: &Record, bounds: [f64; 2], bits: &str, agree: bool, start: Instant) -> bool {
    let bound = bounds[usize::from(record.kind.is_double())];
    let fine = agree && record.other == 0 && record.worst.ulps <= bound;
    let verdict = if fine { "ok" } else { "WRONG" };
    println!("{record}; bound {bound}; {bits}; {verdict}; {:.1?}", start.elapsed());
    fine
}

/// Measures the errors of `f32` functions on the device.
fn errors(device: &Device, options: &Options) -> lanework::Result<bool> {
    const JUDGED: &str = "judged on the device";
    let (mut fine, blocks) = (true, if options.emulator { 8 } else { 4224 });
    let ones = ONES.iter().map(|f| (f.name, f.bounds, Kind::Single));
    let twos = TWOS.iter().map(|f| (f.name, f.bounds, Kind::SinglePairs));
    for (name, bounds, kind) in ones.chain(twos).filter(|(name, ..)| options.wants("errors", name))
    {
        let start = Instant::now();
        let total = match kind {
            Kind::Single => (1u64 << 32).div_ceil(options.stride),
            _ => options.pairs,
        };
        let record = judge::judge(device, (name, kind), blocks, total, options.stride as u32)?;
        fine &= line(&record, bounds, JUDGED, true, start);
    }
    Ok(fine)
}

/// Compares the bits of functions of one argument with the host's.
fn ones(device: &Device, options: &Options) -> lanework::Result<bool> {
    let mut fine = true;
    let stride = options.stride;
    let total = (1u64 << 32).div_ceil(stride);
    for function in ONES.iter().filter(|function| options.wants("f32", function.name)) {
        let (start, mut tally, mut first) = (Instant::now(), Tally::default(), 0u64);
        while first < total {
            let size = (total - first).min(1 << 26);
            let mut out = device.zeros::<u32>(size as usize)?;
            let from = (first * stride) as u32;
            launch_single(function.name, device, from, stride as u32, &mut out)?;
            tally.add(count(&out.download()?, |i, got, tally| {
                let bits = ((first + i as u64) * stride) as u32;
                let x = f32::from_bits(bits);
                let host = (function.single)(x);
                let judged = (i as u64).is_multiple_of(options.judged);
                let error = judged.then(|| ulps_single(host, (function.host)(x.into())));
                tally.count(same_single(f32::from_bits(*got), host), error, [bits.into(), 0]);
            }));
            first += size;
        }
        let (record, bits, agree) = tally.record(function.name, Kind::Single);
        fine &= line(&record, function.bounds, &bits, agree, start);
    }
    for function in ONES.iter().filter(|function| options.wants("f64", function.name)) {
        let (start, mut tally, mut first) = (Instant::now(), Tally::default(), 0u64);
        while first < options.points {
            let size = (options.points - first).min(1 << 24);
            let values: Vec<f64> =
                (first..first + size).map(lanework::math::errors::points).collect();
            let x = device.upload(&values)?;
            let mut out = device.zeros::<u64>(values.len())?;
            launch_double(function.name, device, &x, &mut out)?;
            tally.add(count(&out.download()?, |i, got, tally| {
                let x = values[i];
                let host = (function.double)(x);
                let judged = (i as u64).is_multiple_of(options.judged);
                let error = judged.then(|| ulps_double(host, (function.reference)(x)));
                tally.count(same_double(f64::from_bits(*got), host), error, [x.to_bits(), 0]);
            }));
            first += size;
        }
        let (record, bits, agree) = tally.record(function.name, Kind::Double);
        fine &= line(&record, function.bounds, &bits, agree, start);
    }
    Ok(fine)
}

/// Compares the bits of functions of two arguments with the host's.
fn twos(device: &Device, options: &Options) -> lanework::Result<bool> {
    let mut fine = true;
    for function in TWOS.iter().filter(|function| options.wants("pairs", function.name)) {
        let (start, mut tally, mut first) = (Instant::now(), Tally::default(), 0u64);
        while first < options.pairs {
            let size = (options.pairs - first).min(1 << 24);
            let (left, right): (Vec<f32>, Vec<f32>) =
                (first..first + size).map(function.single_pairs).unzip();
            let (x, y) = (device.upload(&left)?, device.upload(&right)?);
            let mut out = device.zeros::<u32>(left.len())?;
            launch_pairs(function.name, device, &x, &y, &mut out)?;
            tally.add(count(&out.download()?, |i, got, tally| {
                let (x, y) = (left[i], right[i]);
                let host = (function.single)(x, y);
                let judged = (i as u64).is_multiple_of(options.judged);
                let error = judged.then(|| ulps_single(host, (function.host)(x.into(), y.into())));
                let at = [x.to_bits().into(), y.to_bits().into()];
                tally.count(same_single(f32::from_bits(*got), host), error, at);
            }));
            first += size;
        }
        let (record, bits, agree) = tally.record(function.name, Kind::SinglePairs);
        fine &= line(&record, function.bounds, &bits, agree, start);
        let (start, mut tally, mut first) = (Instant::now(), Tally::default(), 0u64);
        while first < options.pairs / 4 {
            let size = (options.pairs / 4 - first).min(1 << 24);
            let (left, right): (Vec<f64>, Vec<f64>) =
                (first..first + size).map(function.double_pairs).unzip();
            let (x, y) = (device.upload(&left)?, device.upload(&right)?);
            let mut out = device.zeros::<u64>(left.len())?;
            launch_double_pairs(function.name, device, &x, &y, &mut out)?;
            tally.add(count(&out.download()?, |i, got, tally| {
                let (x, y) = (left[i], right[i]);
                let host = (function.double)(x, y);
                let judged = (i as u64).is_multiple_of(options.judged);
                let error = judged.then(|| ulps_double(host, (function.reference)(x, y)));
                let at = [x.to_bits(), y.to_bits()];
                tally.count(same_double(f64::from_bits(*got), host), error, at);
            }));
            first += size;
        }
        let (record, bits, agree) = tally.record(function.name, Kind::DoublePairs);
        fine &= line(&record, function.bounds, &bits, agree, start);
    }
    Ok(fine)
}

fn main() -> lanework::Result<()> {
    let options = Options::parse().unwrap_or_else(|error| {
        eprintln!(
            "error: {error}\n  = help: --only errors|f32|f64|pairs|FUNCTION,.., --stride N, --points N, --pairs N, --judge N, --emulator"
        );
        std::process::exit(2);
    });
    let device = if options.emulator { Device::emulator() } else { Device::cuda(0)? };
    let fine = [errors, ones, twos]
        .into_iter()
        .try_fold(true, |fine, part| Ok::<_, lanework::Error>(part(&device, &options)? & fine))?;
    if !fine {
        std::process::exit(1);
    }
    println!("every bit agrees, every bound holds");
    Ok(())
}
