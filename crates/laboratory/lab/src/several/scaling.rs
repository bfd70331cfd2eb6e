//! Products and sums divided among devices, compared with one device.

use super::{time_alone, time_together};
use lanework::{Backend, Buffer, Device, Result};
use lanework_bench::SummaryRecord;
use lanework_dist::{Communicator, Reduction, product, share, total};
use lanework_ops::{GemmElement, Tensor, TensorMut, gemm, reduce};
use serde::Serialize;
use std::time::Duration;

/// A product divided among devices, compared with one device.
#[derive(Clone, Debug, Serialize)]
pub struct ScalingRecord {
    /// Name of the element type.
    pub element: &'static str,
    /// Rows, columns and inner extent.
    pub extents: [usize; 3],
    /// Number of devices.
    pub devices: usize,
    /// Whether the divided product equals the product on one device.
    pub verified: bool,
    /// Times of the product on one device and on all of them; `None` on emulated devices.
    pub times: Option<[SummaryRecord; 2]>,
    /// Speedup over one device.
    pub speedup: Option<f64>,
}

/// A square product of `extent` rows on one device, and divided by rows among all of them.
///
/// # Errors
/// If the devices have no memory, or fail.
pub fn scaling<T>(
    devices: &[Device],
    extent: usize,
    make: fn(f32) -> T,
    name: &'static str,
    limit: Duration,
) -> Result<ScalingRecord>
where
    T: GemmElement + lanework_dist::Number + Send + Sync,
{
    let n = extent;
    // Small enough for every sum of products to be exact in single precision.
    let number = |i: usize, seed: u32| {
        let mixed = (i as u32).wrapping_mul(2_654_435_761).wrapping_add(seed * 97) >> 24;
        make(((mixed % 7) as f32 - 3.0) * 0.25)
    };
    let a: Vec<T> = (0..n * n).map(|i| number(i, 1)).collect();
    let b: Vec<T> = (0..n * n).map(|i| number(i, 2)).collect();
    let gpus = devices.iter().all(|device| device.backend() == Backend::Cuda);

    let device = &devices[0];
    let (whole_a, whole_b) = (device.upload(&a)?, device.upload(&b)?);
    let mut whole = device.uninit::<f32>(n * n)?;
    let (one, one_time) = {
        let (a, b) = (Tensor::new(&whole_a, [n, n])?, Tensor::new(&whole_b, [n, n])?);
        let mut plan = gemm(a, b).prepare(TensorMut::new(&mut whole, [n, n])?)?;
        plan.launch()?;
        let time = if gpus { Some(time_alone(device, &mut plan, limit)?) } else { None };
        drop(plan);
        (whole.download()?, time)
    };
    drop((whole_a, whole_b, whole));

    let of_rank = |comm: &Communicator| -> Result<(Vec<f32>, Option<SummaryRecord>)> {
        let rows = share(n, comm.size(), comm.rank());
        let device = comm.device();
        let own = |whole: &[T]| device.upload(&whole[rows.start * n..rows.end * n]);
        let (own_a, own_b): (Buffer<T>, Buffer<T>) = (own(&a)?, own(&b)?);
        let mut own_c = device.uninit::<f32>(rows.len() * n)?;
        let shape = [rows.len(), n];
        let (own_a, own_b) = (Tensor::new(&own_a, shape)?, Tensor::new(&own_b, shape)?);
        let mut plan = product(comm, own_a, own_b).prepare(TensorMut::new(&mut own_c, shape)?)?;
        plan.run()?;
        comm.synchronize()?;
        let time = if gpus { Some(time_together(comm, || plan.run(), limit)?) } else { None };
        comm.synchronize()?;
        drop(plan);
        Ok((own_c.download()?, time))
    };
    let (rows, slowest) = on_all(devices, of_rank)?;
    let verified = one == rows.concat();
    Ok(compared(name, [n, n, n], devices.len(), verified, one_time, slowest))
}

/// The sum of `length` numbers on one device, and divided among all of them.
///
/// # Errors
/// If the devices have no memory, or fail.
pub fn scaling_of_sum(devices: &[Device], length: usize, limit: Duration) -> Result<ScalingRecord> {
    // Hashed sequence of -1, 0 and 1: every partial sum is exact.
    let number = |i: usize| ((i as u32).wrapping_mul(2_654_435_761) >> 24) % 3;
    let x: Vec<f32> = (0..length).map(|i| number(i) as f32 - 1.0).collect();
    let gpus = devices.iter().all(|device| device.backend() == Backend::Cuda);
    let device = &devices[0];
    let (one, one_time) = {
        let whole = device.upload(&x)?;
        let mut out = device.uninit::<f32>(1)?;
        let mut plan = reduce::sum(&whole).prepare(&mut out)?;
        plan.launch()?;
        let time = if gpus { Some(time_alone(device, &mut plan, limit)?) } else { None };
        drop(plan);
        (out.download()?, time)
    };
    let of_rank = |comm: &Communicator| -> Result<(Vec<f32>, Option<SummaryRecord>)> {
        let own = comm.device().upload(&x[share(length, comm.size(), comm.rank())])?;
        let mut out = comm.device().uninit::<f32>(1)?;
        let mut plan = total(comm, Reduction::Sum, reduce::sum(&own)).prepare(&mut out)?;
        plan.run()?;
        comm.synchronize()?;
        let time = if gpus { Some(time_together(comm, || plan.run(), limit)?) } else { None };
        comm.synchronize()?;
        drop(plan);
        Ok((out.download()?, time))
    };
    let (sums, slowest) = on_all(devices, of_rank)?;
    let verified = sums.iter().all(|sum| *sum == one);
    Ok(compared("f32 sum", [length, 1, 1], devices.len(), verified, one_time, slowest))
}

/// Runs `work` for every rank, each in a thread; returns all results and the longest time.
fn on_all<V: Send>(
    devices: &[Device],
    work: impl Fn(&Communicator) -> Result<(V, Option<SummaryRecord>)> + Sync,
) -> Result<(Vec<V>, Option<SummaryRecord>)> {
    let ranks = Communicator::local(devices)?;
    let parts: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = ranks.iter().map(|comm| scope.spawn(|| work(comm))).collect();
        let joined = threads.into_iter().map(|thread| thread.join());
        joined.map(|part| part.unwrap_or_else(|panic| std::panic::resume_unwind(panic))).collect()
    });
    let (mut values, mut slowest): (Vec<V>, Option<SummaryRecord>) = (Vec::new(), None);
    for part in parts {
        let (value, time) = part?;
        values.push(value);
        let later = |a: &SummaryRecord, b: &SummaryRecord| a.median_ns < b.median_ns;
        if slowest.as_ref().zip(time.as_ref()).is_none_or(|(known, new)| later(known, new)) {
            slowest = time.or(slowest);
        }
    }
    Ok((values, slowest))
}

fn compared(
    element: &'static str,
    extents: [usize; 3],
    devices: usize,
    verified: bool,
    one: Option<SummaryRecord>,
    all: Option<SummaryRecord>,
) -> ScalingRecord {
    let times = one.zip(all).map(|(one, all)| [one, all]);
    let speedup = times.as_ref().map(|[one, all]| one.median_ns / all.median_ns);
    ScalingRecord { element, extents, devices, verified, times, speedup }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_divided_product_equals_the_whole_one() -> Result<()> {
        let record = scaling(&Device::emulators(3), 20, |x| x, "f32", Duration::ZERO)?;
        assert!(record.verified && record.times.is_none());
        let record = scaling_of_sum(&Device::emulators(3), 1000, Duration::ZERO)?;
        assert!(record.verified);
        Ok(())
    }
}
