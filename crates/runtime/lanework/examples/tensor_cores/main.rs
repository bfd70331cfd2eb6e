//! Products on tensor cores in the kernel language: `mma` with a pipeline of `cp.async`, `wgmma` with a ring
//! of TMA copies, the same by clusters of two blocks, and attention (tested in `tests/tiles`).
//!
//! `cargo run --release --example tensor_cores` checks the products on the emulator and, where there is a
//! GPU, alternates them with cuBLAS and takes times. `-- --ptx` prints the PTX of all kernels.

mod attention;
mod cluster;
mod mma;
mod wgmma;

use half::bf16;
use lanework::lang::tensor_cores::SwizzleMode;
use lanework::prelude::*;
use lanework::{Backend, Cublas, GemmShape, Graph, Job, Result};

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
        // From -1 to 1, without a pattern: what a multiplier consumes depends on the numbers.
        let numbers = |factor: u32| -> Vec<bf16> {
            let mixed = |i: u32| (i.wrapping_mul(2_246_822_519) ^ i >> 7).wrapping_mul(factor) >> 8;
            (0..n * n).map(|i| bf16::from_f32(mixed(i) as f32 / 8_388_608.0 - 1.0)).collect()
        };
        let (a, b) = (numbers(2_654_435_761), numbers(3_266_489_917));
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

/// The maps of a product by clusters: factors by the tiles that are loaded, results by the parts that are stored.
type ClusterMaps<'a> = (TensorMap<'a, bf16, 2>, TensorMap<'a, bf16, 2>, TensorMapMut<'a, f32, 2>);

fn cluster_maps<'a>(problem: &'a Problem, c: &'a mut Buffer<f32>) -> Result<ClusterMaps<'a>> {
    let (rows, _, depth) = cluster::TILE;
    let tiles = |tile| Tiles::new([problem.n as usize; 2], tile).swizzle(Swizzle128::SWIZZLE);
    Ok((
        TensorMap::new(&problem.on_a, &tiles([rows, depth]))?,
        TensorMap::new(&problem.on_b_columns, &tiles([cluster::HALF, depth]))?,
        TensorMapMut::new(c, &tiles(cluster::PART.into()))?,
    ))
}

fn by_cluster<'a>((a, b, c): &'a ClusterMaps<'_>, n: u32, multiprocessors: u32) -> Launch<'a> {
    let tiles = n / cluster::TILE.1 * (n / cluster::TILE.0);
    cluster::product(a, b, c, n, n, n)
        .grid(tiles.min(multiprocessors / 2 * 2).max(2))
        .block(384)
        .shared_bytes(cluster::SHARED_BYTES)
}

/// Launches of a series, recorded as one graph.
fn series(n: u32) -> usize {
    if n > 4096 { 2 } else { 10 }
}

/// Times of the jobs in nanoseconds, sorted: alternating series of each, on warm caches.
fn times(device: &Device, jobs: &mut [(&str, Job<'_>)], n: u32) -> Result<Vec<Vec<f64>>> {
    let launches = series(n);
    let graphs: Result<Vec<Graph>> = jobs
        .iter_mut()
        .map(|(_, job)| device.record(std::slice::from_mut(job), launches))
        .collect();
    let graphs = graphs?;
    let mut times = vec![Vec::new(); graphs.len()];
    for round in 0..12 {
        for (graph, times) in graphs.iter().zip(&mut times) {
            let start = device.event()?;
            graph.launch()?;
            let time = device.event()?.nanoseconds_since(&start)? / launches as f64;
            if round > 0 {
                times.push(time);
            }
        }
    }
    times.iter_mut().for_each(|times| times.sort_by(f64::total_cmp));
    Ok(times)
}

fn run(device: &Device, n: u32, library: Option<&Cublas>) -> Result<()> {
    let mut problem = Problem::new(device, n)?;
    let size = (n * n) as usize;
    let multiprocessors = device.info().multiprocessors.max(2);
    let hopper = device.backend() == Backend::Emulator || device.info().compute_capability.0 == 9;
    by_mma(&mut problem).launch(device)?;
    problem.check("mma")?;
    if hopper {
        for columns in [64, 256] {
            let mut c = device.zeros(size)?;
            let how = (columns, multiprocessors);
            by_wgmma(&maps(&problem, columns)?, &mut c, n, how).launch(device)?;
            problem.c = c;
            problem.check("wgmma")?;
        }
        let mut c = device.zeros(size)?;
        by_cluster(&cluster_maps(&problem, &mut c)?, n, multiprocessors).launch(device)?;
        problem.c = c;
        problem.check("cluster")?;
    }
    println!("{}: products of {n} x {n} are right", device.info().name);
    if device.backend() == Backend::Emulator {
        return Ok(());
    }
    let mut results = [device.zeros(size)?, device.zeros(size)?, device.zeros(size)?];
    let [of_wgmma, of_cluster, of_library] = &mut results;
    let mut own = Problem::new(device, n)?;
    let columns = wgmma::columns(n, n, multiprocessors);
    let two = maps(&problem, columns)?;
    let three = cluster_maps(&problem, of_cluster)?;
    let mut jobs: Vec<(&str, Job<'_>)> = Vec::new();
    // SAFETY: the extents are multiples of the tiles', so that every index is inside its buffer.
    jobs.push(("mma", unsafe { by_mma(&mut own).prepare_unchecked(device)? }.into()));
    if hopper {
        let launch = by_wgmma(&two, of_wgmma, n, (columns, multiprocessors));
        // SAFETY: as above.
        jobs.push(("wgmma", unsafe { launch.prepare_unchecked(device)? }.into()));
        let launch = by_cluster(&three, n, multiprocessors);
        // SAFETY: as above.
        jobs.push(("cluster", unsafe { launch.prepare_unchecked(device)? }.into()));
    }
    if let Some(cublas) = library {
        let shape = GemmShape { m: n, n, k: n, lda: n, ldb: n, ldc: n, alpha: 1.0, beta: 0.0 };
        let job = cublas.product_bf16(shape, &problem.on_a, &problem.on_b_columns, of_library);
        jobs.push(("cuBLAS", job));
    }
    let times = times(device, &mut jobs, n)?;
    let peer = jobs.iter().position(|(name, _)| *name == "cuBLAS");
    for ((name, _), of_job) in jobs.iter().zip(&times) {
        let median = |times: &[f64]| times[times.len() / 2];
        let speed = |time: f64| 2.0 * f64::from(n).powi(3) / time / 1e3;
        let (middle, best) = (speed(median(of_job)), speed(of_job[0]));
        let beside = peer.map_or(String::new(), |peer| {
            let (of_median, of_best) = (speed(median(&times[peer])), speed(times[peer][0]));
            format!("; of cuBLAS: {:.3}, {:.3}", middle / of_median, best / of_best)
        });
        println!("  {name:7} {n:6}: median {middle:7.1} TFLOP/s, best {best:7.1}{beside}");
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
        let mut other = device.zeros(256 * 256)?;
        println!("{}", by_cluster(&cluster_maps(&problem, &mut other)?, 256, 2).module()?);
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
            for n in [1024, 2048, 4096, 8192, 16384] {
                run(&device, n, library.as_ref())?;
            }
        }
    }
    Ok(())
}
