//! Products on tensor cores in the kernel language: `mma` with a pipeline of `cp.async`, `wgmma` with a ring
//! of TMA copies, and attention (tested in `tests/tiles`).
//!
//! `cargo run --release --example tensor_cores` checks the products on the emulator and, where there is a
//! GPU, times them beside cuBLAS. `-- --ptx` prints the PTX of all kernels.

mod attention;
mod mma;
mod wgmma;

use half::bf16;
use lanework::lang::tensor_cores::SwizzleMode;
use lanework::prelude::*;
use lanework::{Backend, Cublas, GemmShape, Job, Result};

/// A square product's matrices on a device: `a` by rows, `b` by rows and by columns.
struct Problem {
    n: u32,
    a: Vec<bf16>,
    b: Vec<bf16>,
    on_a: Buffer<bf16>,
    on_b: Buffer<bf16>,
    on_b_columns: Buffer<bf16>,
    c: Buffer<f32>,
}

impl Problem {
    fn new(device: &Device, n: u32) -> Result<Problem> {
        let size = n as usize;
        let numbers = |factor: u32| -> Vec<bf16> {
            let number = |i: u32| (i.wrapping_mul(factor) >> 16) % 17;
            (0..n * n).map(|i| bf16::from_f32(number(i) as f32 / 8.0 - 1.0)).collect()
        };
        let (a, b) = (numbers(2_654_435_761), numbers(2_246_822_519));
        let columns: Vec<bf16> = (0..size * size).map(|i| b[i % size * size + i / size]).collect();
        Ok(Problem {
            n,
            on_a: device.upload(&a)?,
            on_b: device.upload(&b)?,
            on_b_columns: device.upload(&columns)?,
            c: device.zeros(size * size)?,
            a,
            b,
        })
    }

    /// Compares some results with the host's.
    fn check(&mut self, what: &str) -> Result<()> {
        let (n, c) = (self.n as usize, self.c.download()?);
        for i in 0..257 {
            let (row, column) = (i * 7919 % n, i * 104_729 % n);
            let product = |k: usize| self.a[row * n + k].to_f64() * self.b[k * n + column].to_f64();
            let want: f64 = (0..n).map(product).sum();
            let got = f64::from(c[row * n + column]);
            assert!(
                (got - want).abs() <= 1e-5 * n as f64,
                "{what}: row {row}, column {column}: {got}, not {want}"
            );
        }
        self.c.fill_bytes(0)
    }
}

fn by_mma(problem: &mut Problem) -> Launch<'_> {
    let n = problem.n;
    mma::good(&problem.on_a, &problem.on_b, &mut problem.c, n, n)
        .grid((n / mma::TILE.1, n / mma::TILE.0))
        .block(128)
        .shared_bytes(mma::SHARED_BYTES)
}

fn maps(
    problem: &Problem,
    columns: u32,
) -> Result<(TensorMap<'_, bf16, 2>, TensorMap<'_, bf16, 2>)> {
    let (rows, depth) = wgmma::TILE;
    let shape = [problem.n as usize; 2];
    let tiles = |rows| Tiles::new(shape, [rows, depth]).swizzle(Swizzle128::SWIZZLE);
    let a = TensorMap::new(&problem.on_a, &tiles(rows))?;
    Ok((a, TensorMap::new(&problem.on_b_columns, &tiles(columns))?))
}

fn by_wgmma<'a>(
    maps: &'a (TensorMap<'_, bf16, 2>, TensorMap<'_, bf16, 2>),
    c: &'a mut Buffer<f32>,
    n: u32,
    (columns, multiprocessors): (u32, u32),
) -> Launch<'a> {
    let tiles = n / columns * (n / wgmma::TILE.0);
    match columns {
        256 => wgmma::product::<256>(&maps.0, &maps.1, c, n, n, n),
        _ => wgmma::product::<64>(&maps.0, &maps.1, c, n, n, n),
    }
    .grid(tiles.min(multiprocessors))
    .block(384)
    .shared_bytes(wgmma::shared_bytes(columns))
}

/// The best of a few times, in TFLOP/s.
fn speed(device: &Device, job: Job<'_>, n: u32) -> Result<f64> {
    const LAUNCHES: usize = 10;
    let mut jobs = [job];
    let graph = device.record(&mut jobs, LAUNCHES)?;
    let mut best = f64::INFINITY;
    for _ in 0..6 {
        let start = device.event()?;
        graph.launch()?;
        best = best.min(device.event()?.nanoseconds_since(&start)? / LAUNCHES as f64);
    }
    Ok(2.0 * f64::from(n).powi(3) / best / 1e3)
}

fn run(device: &Device, n: u32, library: Option<&Cublas>) -> Result<()> {
    let mut problem = Problem::new(device, n)?;
    let multiprocessors = device.info().multiprocessors.max(1);
    let hopper = device.backend() == Backend::Emulator || device.info().compute_capability.0 == 9;
    by_mma(&mut problem).launch(device)?;
    problem.check("mma")?;
    if hopper {
        for columns in [64, 256] {
            let mut c = device.zeros::<f32>((n * n) as usize)?;
            let how = (columns, multiprocessors);
            by_wgmma(&maps(&problem, columns)?, &mut c, n, how).launch(device)?;
            problem.c = c;
            problem.check("wgmma")?;
        }
    }
    println!("{}: products of {n} x {n} are right", device.info().name);
    if device.backend() == Backend::Emulator {
        return Ok(());
    }
    let cublas = match library {
        Some(cublas) => {
            let shape = GemmShape { m: n, n, k: n, lda: n, ldb: n, ldc: n, alpha: 1.0, beta: 0.0 };
            let Problem { on_a, on_b_columns, c, .. } = &mut problem;
            let job = cublas.product_bf16(shape, on_a, on_b_columns, c);
            let speed = speed(device, job, n)?;
            problem.check("cuBLAS")?;
            Some(speed)
        }
        None => None,
    };
    let tell = |name: &str, speed: f64| match cublas {
        Some(best) => println!(
            "  {name:6} {n:6}: {speed:7.1} TFLOP/s, cuBLAS {best:7.1}, {:.0} % of it",
            100.0 * speed / best
        ),
        None => println!("  {name:6} {n:6}: {speed:7.1} TFLOP/s"),
    };
    // SAFETY: the extents are multiples of the tiles', so that every index is inside its buffer.
    let job = unsafe { by_mma(&mut problem).prepare_unchecked(device)? };
    tell("mma", speed(device, job.into(), n)?);
    if hopper {
        let mut c = device.zeros::<f32>((n * n) as usize)?;
        let columns = wgmma::columns(n, n, multiprocessors);
        let maps = maps(&problem, columns)?;
        let launch = by_wgmma(&maps, &mut c, n, (columns, multiprocessors));
        // SAFETY: as above.
        let job = unsafe { launch.prepare_unchecked(device)? };
        tell("wgmma", speed(device, job.into(), n)?);
    }
    Ok(())
}

fn main() -> Result<()> {
    if std::env::args().any(|argument| argument == "--ptx") {
        let device = Device::emulator();
        let mut problem = Problem::new(&device, 256)?;
        println!("{}", by_mma(&mut problem).module()?);
        let mut c = device.zeros::<f32>(256 * 256)?;
        println!("{}", by_wgmma(&maps(&problem, 256)?, &mut c, 256, (256, 1)).module()?);
        let Problem { on_a, on_b, on_b_columns, .. } = &problem;
        let launch = attention::attention(on_a, on_b, on_b_columns, &mut c, 64, 0.125);
        println!("{}", launch.module()?);
        println!("{}", mma::plain(on_a, on_b, &mut c, 256, 256).module()?);
        return Ok(());
    }
    run(&Device::emulator(), 256, None)?;
    match Device::cuda(0) {
        Err(why) => println!("SKIPPED on a GPU: {why}"),
        Ok(device) => {
            let library = match Cublas::missing(&device) {
                None => Some(Cublas::open(&device)?),
                Some(why) => {
                    println!("without cuBLAS: {why}");
                    None
                }
            };
            for n in [1024, 2048, 4096, 8192] {
                run(&device, n, library.as_ref())?;
            }
        }
    }
    Ok(())
}
