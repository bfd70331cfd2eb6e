//! One process for each GPU: an all-reduce and a divided matrix product, verified, then timed.
//!
//! ```text
//! torchrun --no-python --nproc-per-node 2 target/release/examples/processes
//! mpirun -n 2 target/release/examples/processes 1024 8192    # MiB of the all-reduce, edge of the matrices
//! ```
//!
//! Without a launcher there is one rank, and without a GPU it is emulated.

use half::bf16;
use lanework::{Backend, Element, Error, Result};
use lanework_dist::{Communicator, Number, Reduction, product, share};
use lanework_ops::{GemmElement, Tensor, TensorMut, gemm};
use std::time::Instant;

/// Runs per timed series.
const RUNS: u32 = 10;

fn main() -> Result<()> {
    let comm = Communicator::from_environment()?;
    let number = |at: usize| std::env::args().nth(at).and_then(|text| text.parse().ok());
    let small = comm.device().backend() == Backend::Emulator;
    let (mib, edge) = if small { (1, 96) } else { (256, 8192) };
    let (rank, size, name) = (comm.rank(), comm.size(), comm.device().info().name);
    println!("rank {rank} of {size} on {name}, by {}", comm.engine());
    comm.barrier()?;
    all_reduce(&comm, number(1).unwrap_or(mib) << 18)?;
    let edge = number(2).unwrap_or(edge);
    divided::<f32>(&comm, "f32", edge, |x| x)?;
    divided::<bf16>(&comm, "bf16", edge, bf16::from_f32)?;
    comm.barrier()
}

/// The median time per run in seconds, over several series that all ranks start together.
fn time(comm: &Communicator, run: &mut dyn FnMut() -> Result<()>) -> Result<f64> {
    let mut times = Vec::new();
    for series in 0..6 {
        comm.synchronize()?;
        comm.device().synchronize()?;
        comm.barrier()?;
        let start = Instant::now();
        for _ in 0..RUNS {
            run()?;
        }
        comm.synchronize()?;
        comm.device().synchronize()?;
        if series > 0 {
            times.push(start.elapsed().as_secs_f64() / f64::from(RUNS));
        }
    }
    times.sort_by(f64::total_cmp);
    Ok(times[times.len() / 2])
}

/// Prints a line on rank 0.
fn report(comm: &Communicator, text: &str) {
    if comm.rank() == 0 {
        println!("{text}");
    }
}

fn all_reduce(comm: &Communicator, length: usize) -> Result<()> {
    let (rank, size, device) = (comm.rank(), comm.size(), comm.device());
    let own: Vec<f32> = (0..length).map(|i| (i % 1000 + rank) as f32).collect();
    let (x, mut y) = (device.upload(&own)?, device.uninit::<f32>(length)?);
    comm.all_reduce(Reduction::Sum, &x, &mut y)?.run()?;
    comm.synchronize()?;
    let ranks = size * (size - 1) / 2;
    let wanted = |i: usize| (size * (i % 1000) + ranks) as f32;
    let got = y.download()?;
    if let Some(i) = (0..length).find(|i| got[*i] != wanted(*i)) {
        return Err(wrong(format!("element {i} of the sums is {}, not {}", got[i], wanted(i))));
    }
    let seconds = time(comm, &mut || comm.all_reduce(Reduction::Sum, &x, &mut y)?.run())?;
    let bytes = 4.0 * length as f64;
    let link = bytes * 2.0 * (size - 1) as f64 / size as f64;
    report(
        comm,
        &format!(
            "all_reduce of {} MiB: right, {:.1} us, link {:.1} GB/s",
            length >> 18,
            seconds * 1e6,
            link / seconds / 1e9
        ),
    );
    Ok(())
}

/// Pseudorandom numbers from -1 to 1.
fn numbers<T>(first: usize, count: usize, of: fn(f32) -> T) -> Vec<T> {
    let mixed = |i: usize| {
        let x = (i as u32).wrapping_mul(2_654_435_761) ^ (i >> 32) as u32;
        (x ^ x >> 15).wrapping_mul(2_246_822_519) >> 8
    };
    (first..first + count).map(|i| of(mixed(i) as f32 / 8_388_608.0 - 1.0)).collect()
}

/// C = A B of `n` x `n` matrices divided by rows, compared with the same product on each GPU alone.
fn divided<T: GemmElement + Number + Element>(
    comm: &Communicator,
    name: &str,
    n: usize,
    of: fn(f32) -> T,
) -> Result<()> {
    let (size, device) = (comm.size(), comm.device());
    let rows = share(n, size, comm.rank());
    let all_a = device.upload(&numbers(0, n * n, of))?;
    let all_b = device.upload(&numbers(n * n, n * n, of))?;
    let part = rows.start * n..rows.end * n;
    let shape = [rows.len(), n];
    let a = || Tensor::from_view(all_a.view(part.clone()), shape, [n, 1]);
    let b = || Tensor::from_view(all_b.view(part.clone()), shape, [n, 1]);

    // This rank's rows, computed by this device alone.
    let mut alone = device.uninit::<f32>(shape[0] * n)?;
    gemm(a()?, Tensor::new(&all_b, [n, n])?).run(TensorMut::new(&mut alone, shape)?)?;
    let mut c = device.uninit::<f32>(shape[0] * n)?;
    let mut plan = product(comm, a()?, b()?).prepare(TensorMut::new(&mut c, shape)?)?;
    plan.run()?;
    comm.synchronize()?;
    device.synchronize()?;
    let together = time(comm, &mut || plan.run())?;
    drop(plan);
    let bound = 1e-6 * n as f32;
    for (i, (got, want)) in c.download()?.into_iter().zip(alone.download()?).enumerate() {
        if got.is_nan() || (got - want).abs() > bound {
            let (row, column) = (rows.start + i / n, i % n);
            return Err(wrong(format!("{name}: element {row}, {column} is {got}, not {want}")));
        }
    }
    let mut whole = device.uninit::<f32>(n * n)?;
    let product = gemm(Tensor::new(&all_a, [n, n])?, Tensor::new(&all_b, [n, n])?);
    let mut plan = product.prepare(TensorMut::new(&mut whole, [n, n])?)?;
    let one = time(comm, &mut || plan.launch())?;
    let flops = 2.0 * (n as f64).powi(3);
    report(
        comm,
        &format!(
            "{name} {n} x {n} x {n}: right, {:.3} ms, {:.1} TFLOP/s; one GPU {:.3} ms, {:.1} TFLOP/s; {:.3} times as fast",
            together * 1e3,
            flops / together / 1e12,
            one * 1e3,
            flops / one / 1e12,
            one / together
        ),
    );
    Ok(())
}

fn wrong(why: String) -> Error {
    let help = "compare the ranks' programs, and the machine's links".to_owned();
    Error::Communication { why, help }
}
