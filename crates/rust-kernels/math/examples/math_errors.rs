//! The largest error of each function: `cargo run --release -p lanework-math --example math_errors -- [OPTIONS] [FUNCTION]...`
//!
//! `--stride N` tries every N-th f32 (default 1: all), `--points N` tries N points of f64 (default
//! 10^8), `--pairs N` tries N pairs of arguments (default 10^9), `--threads N` sets the threads (default: all). Prints a line per
//! function and format, in the form of `docs/results/h200/math.txt`. `math_bits`, an example of `lanework`, does the same on a GPU.

use lanework_math::errors::{
    Kind, ONES, Record, TWOS, Worst, sweep_double, sweep_pairs, sweep_single,
};

fn main() {
    let mut stride = 1;
    let mut points = 100_000_000;
    let mut pairs = 1_000_000_000;
    let mut threads = std::thread::available_parallelism().map_or(1, |n| n.get() as u64);
    let mut names: Vec<String> = Vec::new();
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let option = match argument.as_str() {
            "--stride" => &mut stride,
            "--points" => &mut points,
            "--pairs" => &mut pairs,
            "--threads" => &mut threads,
            name => {
                let known =
                    ONES.iter().any(|f| f.name == name) || TWOS.iter().any(|f| f.name == name);
                if !known {
                    eprintln!("error: no function is called `{name}`");
                    std::process::exit(2);
                }
                names.push(argument);
                continue;
            }
        };
        match arguments.next().and_then(|value| value.parse().ok()).filter(|value| *value > 0) {
            Some(value) => *option = value,
            None => {
                eprintln!("error: `{argument}` needs a positive number");
                std::process::exit(2);
            }
        }
    }
    let wanted = |name: &str| names.is_empty() || names.iter().any(|n| n == name);
    for function in ONES.iter().filter(|f| wanted(f.name)) {
        let single = sweep_single(function, stride, threads as usize);
        record(function.name, Kind::Single, (1u64 << 32).div_ceil(stride), single);
        let double = sweep_double(function, points, threads as usize);
        record(function.name, Kind::Double, points, double);
    }
    for function in TWOS.iter().filter(|f| wanted(f.name)) {
        let [single, double] = sweep_pairs(function, pairs, threads as usize);
        record(function.name, Kind::SinglePairs, pairs, single);
        record(function.name, Kind::DoublePairs, pairs / 16, double);
    }
}

fn record(name: &str, kind: Kind, judged: u64, worst: Worst) {
    let other = u64::from(worst.ulps.is_infinite());
    println!("{}", Record { name: name.into(), kind, judged, other, worst });
}
