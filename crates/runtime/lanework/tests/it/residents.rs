//! Blocks that wait for each other: cooperative launches, persistent kernels, decoupled look-back. The kernels are those
//! of the sanitizer's planted bugs, run here without checks, with several orders of time slices, and with counters.

use lanework::emulator::{Blocks, Options, Schedule};
use lanework::prelude::*;
use lanework::{PtxArg, PtxModule, PtxShape};

const PTX: &str = include_str!("../sanitizer/ptx/residents.ptx");

fn bytes<T: bytemuck::NoUninit>(values: &[T]) -> Vec<u8> {
    bytemuck::cast_slice(values).to_vec()
}

fn words(buffer: &Buffer<u8>) -> Vec<u32> {
    let bytes = buffer.download().expect("memory");
    bytes.chunks(4).map(|word| u32::from_le_bytes(word.try_into().expect("words"))).collect()
}

/// Devices with different orders of time slices. One of them is sanitized.
fn devices() -> Vec<Device> {
    let seeded = |seed| Options { schedule: Schedule::Seeded(seed), ..Options::default() };
    let mut devices: Vec<Device> = (1..4).map(|seed| Device::emulator_with(seeded(seed))).collect();
    devices.push(Device::emulator_limited(None));
    devices.push(Device::emulator_limited(None).sanitized());
    devices
}

fn launch(
    module: &PtxModule,
    entry: &str,
    shape: PtxShape,
    arguments: &[PtxArg<'_>],
) -> lanework::Result<()> {
    // SAFETY: the emulator checks every access.
    unsafe { module.launch(entry, shape, arguments) }.map(drop)
}

fn number(value: u32) -> PtxArg<'static> {
    PtxArg::Bytes(value.to_le_bytes().to_vec())
}

#[test]
fn a_barrier_of_the_grid_orders_the_steps_of_a_stencil() {
    let (n, steps) = (1000usize, 7u32);
    let start: Vec<f32> = (0..n).map(|i| (i % 17) as f32).collect();
    let mut expected = start.clone();
    for _ in 0..steps {
        let from = expected.clone();
        let at = |i: Option<usize>| i.and_then(|i| from.get(i)).copied().unwrap_or(0.0);
        for (i, to) in expected.iter_mut().enumerate() {
            let sum = 0.25f32.mul_add(at(i.checked_sub(1)), 0.5 * from[i]);
            *to = 0.25f32.mul_add(at(Some(i + 1)), sum);
        }
    }
    for device in devices() {
        let module = device.load_ptx(PTX).expect("a module");
        let a = device.upload(&bytes(&start)).expect("memory");
        let b = device.zeros::<u8>(4 * n).expect("memory");
        let arguments = [PtxArg::Memory(&a), PtxArg::Memory(&b), number(n as u32), number(steps)];
        let shape = PtxShape::new(7, 96).cooperative();
        launch(&module, "stencil", shape, &arguments).expect("every block comes to every barrier");
        let result = if steps % 2 == 1 { &b } else { &a };
        assert_eq!(result.download().expect("memory"), bytes(&expected));
    }
}

#[test]
fn a_scan_by_look_back_is_right_in_any_order_of_blocks() {
    let tiles = 40usize;
    let input: Vec<u32> = (0..tiles as u32 * 128).map(|i| i % 91).collect();
    let mut sum = 0;
    let expected: Vec<u32> = input
        .iter()
        .map(|x| {
            sum += x;
            sum
        })
        .collect();
    for device in devices() {
        let module = device.load_ptx(PTX).expect("a module");
        let from = device.upload(&bytes(&input)).expect("memory");
        let to = device.zeros::<u8>(4 * input.len()).expect("memory");
        let ticket = device.zeros::<u8>(4).expect("memory");
        let state = device.zeros::<u8>(8 * tiles).expect("memory");
        let arguments = [&from, &to, &ticket, &state].map(PtxArg::Memory);
        launch(&module, "look_back", PtxShape::new(40, 128), &arguments).expect("no block in vain");
        assert_eq!(words(&to), expected);
    }
}

#[test]
fn early_blocks_may_wait_for_late_ones_that_fit() {
    for device in devices() {
        let module = device.load_ptx(PTX).expect("a module");
        let unused = device.zeros::<u8>(4).expect("memory");
        let state = device.zeros::<u8>(8 * 40).expect("memory");
        let out = device.zeros::<u8>(4 * 40).expect("memory");
        let arguments = [&unused, &state, &out].map(PtxArg::Memory);
        launch(&module, "look_ahead", PtxShape::new(40, 32), &arguments).expect("all fit");
        let expected: Vec<u32> = (0..40u32).map(|tile| tile * tile.saturating_sub(1) / 2).collect();
        assert_eq!(words(&out), expected);
    }
}

#[test]
fn blocks_that_wait_are_counted_too() {
    let device = Device::emulator();
    let module = device.load_ptx(PTX).expect("a module");
    let arrived = device.zeros::<u8>(4).expect("memory");
    let [mine, sums] = [(); 2].map(|()| device.zeros::<u8>(4 * 64).expect("memory"));
    let arguments = [&arrived, &mine, &sums].map(PtxArg::Memory);
    let shape = PtxShape::new(64, 64);
    let profile = module.profile("barrier_by_hand", shape, &arguments, Blocks::All).expect("runs");
    assert_eq!(words(&sums), [64 * 63 / 2; 64]);
    // Each block stores one word, and its two warps read 64 of them.
    assert_eq!(profile.counters.global_store.requests, 64);
    assert_eq!(profile.counters.barriers, 2 * 64);
}

#[test]
fn a_cooperative_grid_that_does_not_fit_is_refused() {
    let device = Device::emulator();
    let module = device.load_ptx(PTX).expect("a module");
    let out = device.zeros::<u8>(4 << 20).expect("memory");
    let refused = |shape: PtxShape| {
        launch(&module, "sync_in_branch", shape, &[PtxArg::Memory(&out)]).expect_err("too large")
    };
    let said = refused(PtxShape::new(132 * 2 + 1, 1024).cooperative()).to_string();
    assert!(said.contains("a cooperative grid of 265 blocks is too large: 264 blocks"), "{said}");
    assert!(said.contains("2 on each of 132 multiprocessors, limited by threads"), "{said}");
    let said = refused(PtxShape::new(133, 32).shared_bytes(150_000).cooperative()).to_string();
    assert!(said.contains("limited by shared memory"), "{said}");
}

#[test]
fn a_barrier_of_the_grid_needs_a_cooperative_launch() {
    let device = Device::emulator();
    let module = device.load_ptx(PTX).expect("a module");
    let out = device.zeros::<u8>(4 * 8).expect("memory");
    let shape = PtxShape::new(4, 32);
    let error =
        launch(&module, "sync_in_branch", shape, &[PtxArg::Memory(&out)]).expect_err("traps");
    assert!(error.to_string().contains("`--cooperative`"), "{error}");
}

#[test]
fn a_limit_reports_the_blocks_that_have_not_started() {
    let device = Device::emulator_limited(Some(1 << 14));
    let module = device.load_ptx(PTX).expect("a module");
    let turn = device.zeros::<u8>(4 * 301).expect("memory");
    let out = device.zeros::<u8>(4 * 300).expect("memory");
    let arguments = [&turn, &out].map(PtxArg::Memory);
    let shape = PtxShape::new(300, 1024);
    let error = launch(&module, "later_block_never_fits", shape, &arguments).expect_err("waits");
    let said = error.to_string();
    assert!(said.contains("264 blocks of this kernel fit on the device at once"), "{said}");
    assert!(said.contains("36 of the grid's 300 have not started"), "{said}");
}
