//! Measuring the ceilings of a GPU, each by a kernel whose result is verified before and after.

use super::{Ceiling, CeilingRecord, RooflineRecord, gpu_of, nominal};
use crate::Progress;
use half::bf16;
use lanework::{Backend, Device, Job, Prepared};
use lanework_bench::{
    About, Cache, DeviceRecord, Plan, Rejection, Reset, TimedRecord, Verified, Work, measure, same,
};
use lanework_ladders::ceilings as kernels;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use std::collections::BTreeMap;
use std::time::Duration;

/// 4-byte elements of the copy and the read, if the memory can hold them.
const ELEMENTS: usize = 1 << 27;
/// Multiply-adds of a chain.
const CHAIN: u32 = 4096;
/// Factor and summand of the chains: they converge to 1 through numbers of all kinds.
const STEP: (f32, f32) = (0.999, 0.001);
/// Products of a warp and of a warpgroup. Factors are multiples of 1/8 up to 2, so sums are exact below 2^24 / 64.
const PRODUCTS: u32 = 1000;

/// Poison of outputs, so that no result of an earlier run remains.
const POISON: u8 = 0xcd;

/// Sizes of the kernels' problems: small on the emulator, where a test verifies them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Size {
    pub elements: usize,
    pub cached: usize,
    pub rounds: u32,
    pub multiprocessors: u32,
    pub chain: u32,
    pub products: u32,
}

impl Size {
    /// The sizes for a GPU.
    fn of(device: &Device) -> Size {
        let info = device.info();
        let fits = (info.memory_bytes / 32) as usize;
        let elements = ELEMENTS.min(fits).next_multiple_of(4096);
        // A quarter of the L2 cache, so that all of it stays there.
        let cached = (info.l2_bytes as usize / 16).next_multiple_of(4096).max(4096);
        Size {
            elements,
            cached,
            rounds: 64,
            multiprocessors: info.multiprocessors,
            chain: CHAIN,
            products: PRODUCTS,
        }
    }
}

/// Measures every ceiling of a GPU.
///
/// # Errors
/// If the device fails, or a result is wrong.
pub fn measure_ceilings(
    device: &Device,
    limit: Duration,
    progress: Progress<'_>,
) -> Result<RooflineRecord, Rejection> {
    let info = device.info();
    let gpu = gpu_of(&info);
    let mut ceilings = Vec::new();
    for ceiling in Ceiling::ALL {
        progress(ceiling.words());
        let skipped = match (ceiling, info.compute_capability.0) {
            (Ceiling::Wgmma, major) if major != 9 => Some("wgmma runs only on sm_90a".to_owned()),
            (Ceiling::Mma, ..8) => Some("bf16 products need sm_80".to_owned()),
            _ => None,
        };
        let timed = match (&skipped, device.backend()) {
            (None, Backend::Cuda) => {
                run(ceiling, device, Size::of(device), Some(&Plan::within(limit)))?
            }
            _ => None,
        };
        let rate = |timed: &TimedRecord| match ceiling.unit() {
            "GB/s" => timed.gigabytes_per_second(),
            _ => timed.gigaflops_per_second(),
        };
        ceilings.push(CeilingRecord {
            ceiling,
            unit: ceiling.unit().to_owned(),
            nominal: nominal(ceiling, &gpu),
            measured: timed.as_ref().filter(|timed| timed.invalid.is_none()).map(rate),
            skipped,
            timed,
        });
    }
    Ok(RooflineRecord {
        kind: "measured".to_owned(),
        gpu: gpu.name,
        device: DeviceRecord::of(device),
        source: gpu.source,
        ceilings,
        ladder: None,
        problem: BTreeMap::new(),
        points: Vec::new(),
    })
}

/// Verifies the kernel of one ceiling; with a plan, also times it and verifies it again.
///
/// # Errors
/// If the device fails, or the result is wrong.
pub(super) fn run(
    ceiling: Ceiling,
    device: &Device,
    size: Size,
    plan: Option<&Plan>,
) -> Result<Option<TimedRecord>, Rejection> {
    let mut random = StdRng::seed_from_u64(1);
    let blocks = kernels::blocks(size.multiprocessors);
    let threads = (blocks * kernels::THREADS) as usize;
    let work = |bytes: u64, flops: u64| Work { bytes, flops };
    match ceiling {
        Ceiling::Copy => {
            let host: Vec<f32> =
                (0..size.elements).map(|_| random.random_range(-1.0..1.0)).collect();
            let from = device.upload(&host)?;
            let mut on = (from, device.zeros::<f32>(host.len())?);
            let of = Of { ceiling, work: work(8 * host.len() as u64, 0), device, plan };
            of.timed(
                &mut on,
                |(_, to)| to.fill_bytes(POISON),
                |(from, to)| kernels::prepare_copy(from, to, device),
                |(_, to)| same(&to.download()?, &host).map(drop),
            )
        }
        Ceiling::Read | Ceiling::L2 => {
            let cached = ceiling == Ceiling::L2;
            let (length, rounds) =
                if cached { (size.cached, size.rounds) } else { (size.elements, 1) };
            let host: Vec<u32> = (0..length).map(|_| random.random()).collect();
            let from = device.upload(&host)?;
            let mut on = (from, device.zeros::<u32>(threads)?);
            let bytes = 4 * (length as u64 * u64::from(rounds) + threads as u64);
            let want = host.iter().fold(0u32, |sum, x| sum.wrapping_add(*x)).wrapping_mul(rounds);
            let of = Of { ceiling, work: work(bytes, 0), device, plan };
            of.timed(
                &mut on,
                |(_, sums)| sums.fill_bytes(POISON),
                |(from, sums)| kernels::prepare_read(from, sums, rounds, device),
                |(_, sums)| {
                    let got = sums.download()?.iter().fold(0u32, |sum, x| sum.wrapping_add(*x));
                    same(&[got], &[want]).map(drop)
                },
            )
        }
        Ceiling::Fp32 => {
            let mut out = device.zeros::<f32>(threads)?;
            let chains = u64::from(kernels::CHAINS) * threads as u64;
            let of =
                Of { ceiling, work: work(0, 2 * chains * u64::from(size.chain)), device, plan };
            let chain =
                |start: u32| (0..size.chain).fold(start as f32, |y, _| y.mul_add(STEP.0, STEP.1));
            let chains: Vec<f32> = (0..64 + kernels::CHAINS).map(chain).collect();
            let sum = |me: usize| {
                chains[me % 64..][..kernels::CHAINS as usize].iter().fold(0.0f32, |sum, y| sum + y)
            };
            let want: Vec<f32> = (0..threads).map(sum).collect();
            of.timed(
                &mut out,
                |out| out.fill_bytes(POISON),
                |out| kernels::prepare_multiply_add(out, size.chain, STEP, device),
                |out| same(&out.download()?, &want).map(drop),
            )
        }
        Ceiling::Mma | Ceiling::Wgmma => {
            let group = ceiling == Ceiling::Wgmma;
            let (m, n, k) = if group { (128, 256, 64) } else { (64, 32, 16) };
            let mut draw = |count: usize| -> Vec<bf16> {
                let eighths = (0..count).map(|_| random.random_range(-16..=16));
                eighths.map(|eighths| bf16::from_f32(eighths as f32 / 8.0)).collect()
            };
            // mma takes B by rows, wgmma here by columns.
            let (a, b) = (draw(m * k), draw(k * n));
            let of_b = |row: usize, column: usize| match group {
                true => b[column * k + row].to_f32(),
                false => b[row * n + column].to_f32(),
            };
            let product = |i: usize| {
                let sum: f32 = (0..k).map(|j| a[i / n * k + j].to_f32() * of_b(j, i % n)).sum();
                sum * size.products as f32
            };
            let want: Vec<f32> = (0..m * n).map(product).collect();
            let groups = if group { size.multiprocessors.max(1) } else { 4 * blocks } as usize;
            let c = device.zeros::<f32>(groups * m * n)?;
            let mut on = (device.upload(&a)?, device.upload(&b)?, c);
            let flops = 2 * (m * n * k * groups) as u64 * u64::from(size.products);
            let of = Of { ceiling, work: work(0, flops), device, plan };
            of.timed(
                &mut on,
                |(_, _, c)| c.fill_bytes(POISON),
                |(a, b, c)| match group {
                    true => kernels::prepare_wgmma(a, b, c, size.products, device),
                    false => kernels::prepare_mma(a, b, c, size.products, device),
                },
                |(_, _, c)| {
                    let got = c.download()?;
                    got.chunks(m * n).try_for_each(|part| same(part, &want).map(drop))
                },
            )
        }
    }
}

/// The subject and plan of a measurement.
struct Of<'a> {
    ceiling: Ceiling,
    work: Work,
    device: &'a Device,
    plan: Option<&'a Plan>,
}

impl Of<'_> {
    /// Verifies a kernel's output, times it, and verifies it again, each time starting from a poisoned output.
    fn timed<S>(
        &self,
        state: &mut S,
        poison: impl Fn(&mut S) -> lanework::Result<()>,
        prepare: impl for<'b> Fn(&'b mut S) -> lanework::Result<Prepared<'b>>,
        verify: impl Fn(&S) -> Result<(), Rejection>,
    ) -> Result<Option<TimedRecord>, Rejection> {
        let wrong = |why: Rejection| why.at(format_args!("the kernel of {}", self.ceiling.words()));
        poison(state)?;
        prepare(state)?.launch()?;
        self.device.synchronize()?;
        verify(state).map_err(wrong)?;
        let Some(plan) = self.plan else { return Ok(None) };
        poison(state)?;
        let about = About::kernel(self.ceiling.words());
        let cold = matches!(self.ceiling, Ceiling::Copy | Ceiling::Read);
        let about = About {
            work: self.work,
            cache: if cold { Cache::Cold } else { Cache::Hot },
            // The buffers of the copy and the read far exceed the cache.
            reset: if cold { Reset::Rotation { copies: 1 } } else { Reset::None },
            element_bytes: Some(2),
            verified: Verified::Reference,
            ..about
        };
        let jobs = vec![Job::Kernel(prepare(state)?)];
        let record = measure(self.device, jobs, &about, plan, &mut |_, _| {})?;
        verify(state).map_err(wrong)?;
        Ok(Some(record))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ceiling_kernels_compute_the_expected_results() {
        let size = Size {
            elements: 8192,
            cached: 4096,
            rounds: 3,
            multiprocessors: 1,
            chain: 20,
            products: 3,
        };
        for ceiling in Ceiling::ALL {
            run(ceiling, &Device::emulator(), size, None)
                .unwrap_or_else(|why| panic!("{ceiling:?}: {why}"));
        }
    }
}
