//! The method on a real GPU: a kernel against itself, one that is 3 % slower, and one that skips half of its work.
//! Without a GPU, each test is reported as skipped.

use lanework::prelude::*;
use lanework::{Backend, Job};
use lanework_bench::{
    About, Cache, ComparisonRecord, Plan, Reset, TimedRecord, TimedSample, Verdict, Work, compare,
    measure, reset, same,
};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// A chain of `steps` multiply-adds; each thread writes its result.
#[kernel]
fn spin(steps: u32, x: &mut [f32]) {
    let i = block_idx.x * block_dim.x + thread_idx.x;
    let mut y = i as f32;
    for _ in 0..steps {
        y = y * 0.999 + 0.5;
    }
    x[i] = y;
}

/// Copies 16 bytes per thread at the speed of memory: so close to the floor that half of the copy is below it.
#[kernel]
fn copy(from: &[f32], to: &mut [f32]) {
    let i = (block_idx.x * block_dim.x + thread_idx.x) * 4;
    to.store_vec(i, from.load_vec::<4>(i));
}

/// The GPU, if there is one, for one test at a time: two tests would disturb each other's times.
fn gpu(test: &str) -> Option<(Device, MutexGuard<'static, ()>)> {
    static ONE: Mutex<()> = Mutex::new(());
    let mut devices = Device::for_tests(test).into_iter();
    let device = devices.find(|device| device.backend() == Backend::Cuda)?;
    Some((device, ONE.lock().unwrap_or_else(PoisonError::into_inner)))
}

const BLOCKS: u32 = 132 * 4;
const THREADS: u32 = 256;

/// The launch over all threads, as the only job.
fn jobs<'a>(device: &Device, launch: Launch<'a>) -> Vec<Job<'a>> {
    // SAFETY: `spin` writes `x[i]` for the global thread index `i`; `spins` allocates BLOCKS * THREADS elements, one
    // per thread.
    let kernel = unsafe { launch.grid(BLOCKS).block(THREADS).prepare_unchecked(device) };
    vec![Job::Kernel(kernel.expect("a kernel"))]
}

/// Compares `steps` multiply-adds with `other`.
fn spins(device: &Device, steps: u32, other: u32) -> ComparisonRecord {
    let length = (BLOCKS * THREADS) as usize;
    let zeros = || device.zeros::<f32>(length).expect("memory");
    let (mut x, mut y) = (zeros(), zeros());
    let about = About::kernel("spin");
    let plan = Plan::within(Duration::from_secs(3));
    let a = jobs(device, spin(steps, &mut x));
    let b = jobs(device, spin(other, &mut y));
    compare(device, (a, &about), (b, &about), &plan, &mut |_, _| {}).expect("a comparison")
}

/// Both kinds of timer: graphs for the short one, events for the long one.
const STEPS: [u32; 2] = [2_000, 40_000];

#[test]
fn a_kernel_against_itself_is_ambiguous_or_within_half_a_percent() {
    let Some((device, _one)) = gpu("a kernel against itself") else { return };
    let mut wrong = Vec::new();
    for round in 0..20 {
        let found = spins(&device, STEPS[round % 2], STEPS[round % 2]);
        let right = found.verdict == Verdict::Ambiguous || (found.ratio - 1.0).abs() <= 0.005;
        wrong.extend((!right).then_some(found.why));
    }
    assert!(wrong.len() <= 1, "{} of 20: {wrong:?}", wrong.len());
}

#[test]
fn three_percent_more_work_is_slow_and_less_is_fast() {
    let Some((device, _one)) = gpu("a kernel that is 3 % slower") else { return };
    for steps in STEPS {
        let more = steps + steps * 3 / 100;
        let slower = spins(&device, steps, more);
        assert_eq!(slower.verdict, Verdict::Slow, "{}", slower.why);
        let faster = spins(&device, more, steps);
        assert_eq!(faster.verdict, Verdict::Fast, "{}", faster.why);
    }
}

/// Times a kernel that copies only one in `part` of 2^26 elements; returns the record, the result and the input.
fn copied(device: &Device, part: usize) -> (TimedRecord, Vec<f32>, Vec<f32>) {
    const N: usize = 1 << 26;
    let host: Vec<f32> = (0..N).map(|i| (i % 1021) as f32 + 1.0).collect();
    let from = device.upload(&host).expect("memory");
    let mut to = device.zeros::<f32>(N).expect("memory");
    let work = Work { bytes: 8 * N as u64, flops: 0 };
    let reset = reset(Cache::Cold, work.bytes, device);
    assert_eq!(reset, Reset::Rotation { copies: 1 });
    let about = About { work, cache: Cache::Cold, reset, ..About::kernel("copy") };
    let blocks = N / part / 4 / THREADS as usize;
    let launch = copy(&from, &mut to).grid(blocks as u32).block(THREADS);
    // SAFETY: thread `i` accesses elements 4i to 4i + 3; `blocks * THREADS * 4 <= N / part`, and both buffers have N
    // elements.
    let job = Job::Kernel(unsafe { launch.prepare_unchecked(device) }.expect("a kernel"));
    let plan = Plan::within(Duration::from_secs(3));
    let record = measure(device, vec![job], &about, &plan, &mut |_, _| {}).expect("a time");
    (record, to.download().expect("a copy"), host)
}

#[test]
fn half_of_the_work_is_invalid_and_fails_verification() {
    let Some((device, _one)) = gpu("a kernel that skips half of its work") else { return };
    let (whole, got, want) = copied(&device, 1);
    assert_eq!(whole.invalid, None, "{whole}");
    assert!(same(&got, &want).is_ok());
    let (half, got, want) = copied(&device, 2);
    let why = half.invalid.as_ref().expect("half of a copy is under the floor of a whole one");
    assert!(why.contains("the cache was not cold") && why.contains("did not do all"), "{why}");
    assert!(same(&got, &want).is_err());
}

#[test]
fn every_sample_has_its_clocks() {
    let Some((device, _one)) = gpu("the monitor") else { return };
    let found = spins(&device, STEPS[1], STEPS[1]).a;
    match device.monitor() {
        Err(why) => lanework_testing::skip("the GPU monitor", &why.to_string()),
        Ok(_) => {
            let seen = |sample: &TimedSample| {
                sample.sm_mhz.is_some_and(|mhz| mhz > 100) && sample.watts.is_some_and(|w| w > 10.0)
            };
            assert!(found.samples.iter().all(seen), "{found}");
            assert!(found.device.uuid.is_some_and(|uuid| uuid.starts_with("GPU-")));
        }
    }
    assert!(found.empty_ns.is_some_and(|ns| ns > 100.0 && ns < 20_000.0), "{:?}", found.empty_ns);
}
