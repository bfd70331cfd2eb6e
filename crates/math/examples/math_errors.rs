//! The largest error of each function: `cargo run --release -p lanework-math --example math_errors -- [OPTIONS] [FUNCTION]...`
//!
//! `--stride N` tries every N-th number of f32 (1: all of them, the default), `--points N` so many of f64 (default
//! 10^8), `--pairs N` so many of two arguments (default 10^9), `--threads N` (default: all).

use lanework_math::errors::{ONES, TWOS, Worst, sweep_double, sweep_pairs, sweep_single};

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
    println!("| function | f32: ulp | at | f64: ulp | at |\n|---|---|---|---|---|");
    for function in ONES.iter().filter(|f| wanted(f.name)) {
        let single = sweep_single(function, stride, threads as usize);
        let double = sweep_double(function, points, threads as usize);
        row(function.name, single, double, 1);
    }
    for function in TWOS.iter().filter(|f| wanted(f.name)) {
        let [single, double] = sweep_pairs(function, pairs, threads as usize);
        row(function.name, single, double, 2);
    }
}

fn row(name: &str, single: Worst, double: Worst, count: usize) {
    let singles: Vec<_> = single.at[..count].iter().map(|b| format!("`{:#010x}`", b)).collect();
    let doubles: Vec<_> = double.at[..count].iter().map(|b| format!("`{:#018x}`", b)).collect();
    println!(
        "| `{name}` | {:.4} | {} | {:.4} | {} |",
        single.ulps,
        singles.join(", "),
        double.ulps,
        doubles.join(", ")
    );
}
