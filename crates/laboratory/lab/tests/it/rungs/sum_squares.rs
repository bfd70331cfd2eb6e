//! Every sum-squares rung against the host, alone and as the command line runs it: sizes, types, the user's own input.

use half::{bf16, f16};
use lanework::emulator::{Options, Schedule};
use lanework::{Backend, Device};
use lanework_lab::{
    Accuracy, Array, ClimbSettings, Draw, ELEMENT_TYPES, Family, Request, Step, climb,
    draw_numbers, family, run_rung, verify_sum_squares,
};
use lanework_ladders::sum_squares::{LadderElement, Numbers};
use proptest::prelude::*;
use std::time::Duration;

/// Rungs whose blocks may have any number of threads.
const ANY_THREADS: usize = 5;

fn verify_all<E: LadderElement>(device: &Device, src: &[E], threads: u32) {
    let any = threads.is_power_of_two() && threads >= 32;
    for rung in E::rungs().into_iter().take(if any { usize::MAX } else { ANY_THREADS }) {
        if let Err(why) = verify_sum_squares(&rung, device, src, threads) {
            let (name, length) = (rung.info.name, src.len());
            panic!("{name}, {length} numbers, {threads} threads: {why}");
        }
    }
}

fn verify_drawn<E: LadderElement>(device: &Device, length: usize, threads: u32) {
    for (seed, draw) in [(1, Draw::Notes), (2, Draw::Any)] {
        verify_all::<E>(device, &draw_numbers(length, draw, seed), threads);
    }
}

#[test]
#[ignore = "slow: every rung with every type"]
fn every_element_type_at_odd_lengths() {
    for device in Device::for_tests("sum-squares rungs at odd lengths") {
        for length in [0, 1, 2, 31, 33, 255, 257, 4099, 20_003] {
            verify_drawn::<i32>(&device, length, 256);
            verify_drawn::<u32>(&device, length, 256);
            verify_drawn::<i64>(&device, length, 256);
            verify_drawn::<u64>(&device, length, 256);
            verify_drawn::<f32>(&device, length, 256);
            verify_drawn::<f64>(&device, length, 256);
            verify_drawn::<f16>(&device, length, 256);
            verify_drawn::<bf16>(&device, length, 256);
        }
    }
}

#[test]
fn blocks_of_any_size() {
    for device in Device::for_tests("sum-squares rungs with blocks of any size") {
        for threads in [1, 7, 32, 33, 64, 512, 999, 1024] {
            verify_drawn::<i32>(&device, 10_001, threads);
            verify_drawn::<f64>(&device, 10_001, threads);
        }
    }
}

#[test]
fn sums_wrap_at_2_to_the_64_in_every_rung() {
    for device in Device::for_tests("sum-squares rungs that wrap") {
        verify_all(&device, &[i32::MIN; 1000], 32);
        verify_all(&device, &[u32::MAX; 1000], 32);
        verify_all(&device, &[u64::MAX; 1000], 32);
    }
}

#[test]
fn overflow_gives_infinity_and_nan_stays_nan() {
    for device in Device::for_tests("sum-squares rungs beyond the largest float") {
        verify_all(&device, &[1e19f32; 1000], 32);
        verify_all(&device, &[f64::INFINITY, 1.0], 32);
        let mut src = [0.5f32; 1000];
        src[777] = f32::NAN;
        verify_all(&device, &src, 32);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, ..ProptestConfig::default() })]

    #[test]
    fn any_length_and_block(length in 0usize..5000, threads in 1u32..=256, seed: u64) {
        let device = Device::emulator();
        verify_all::<i32>(&device, &draw_numbers(length, Draw::Any, seed), threads);
        verify_all::<f32>(&device, &draw_numbers(length, Draw::Notes, seed), threads);
    }
}

/// The sum by each rung, bit for bit.
fn sums(device: &Device, src: &[f32]) -> Vec<u32> {
    let sum = |rung: lanework_ladders::Rung<Numbers<f32>>| {
        let mut numbers = Numbers::new(device, src, 256).expect("memory");
        (rung.prepare)(&mut numbers, device).expect("a kernel").launch().expect("a run");
        numbers.add_up().expect("a sum").to_bits()
    };
    f32::rungs().into_iter().map(sum).collect()
}

#[test]
fn the_order_in_which_blocks_run_changes_no_bit() {
    let src = draw_numbers::<f32>(50_000, Draw::Notes, 5);
    let in_order = sums(&Device::emulator(), &src);
    for seed in 1..4 {
        let options = Options { schedule: Schedule::Seeded(seed), ..Options::default() };
        assert_eq!(sums(&Device::emulator_with(options), &src), in_order);
    }
}

#[test]
fn a_second_launch_gives_the_same_result() {
    for device in Device::for_tests("sum-squares rungs run twice") {
        let src = draw_numbers::<u32>(30_000, Draw::Any, 6);
        for rung in u32::rungs() {
            let mut numbers = Numbers::new(&device, &src, 256).expect("memory");
            let mut run = || {
                numbers.poison().expect("memory");
                let mut kernel = (rung.prepare)(&mut numbers, &device).expect("a kernel");
                kernel.launch().expect("a run");
                drop(kernel);
                numbers.add_up().expect("a sum")
            };
            assert_eq!(run(), run(), "{}", rung.info.name);
            // And without poisoning in between, as in timed runs.
            let mut kernel = (rung.prepare)(&mut numbers, &device).expect("a kernel");
            kernel.launch().and_then(|()| kernel.launch()).expect("two runs");
            drop(kernel);
            let expected = lanework_ladders::sum_squares::on_host(&src);
            assert_eq!(numbers.add_up().expect("a sum"), expected, "{}", rung.info.name);
        }
    }
}

#[test]
fn long_inputs_on_a_gpu() {
    for device in Device::for_tests("sum-squares rungs at long inputs").into_iter().skip(1) {
        let whole = draw_numbers::<i32>((1 << 24) + 3, Draw::Any, 7);
        verify_all(&device, &whole, 256);
        let floats = draw_numbers::<f32>((1 << 26) + 1, Draw::Notes, 8);
        for rung in &f32::rungs()[3..] {
            verify_sum_squares(rung, &device, &floats, 512).expect(rung.info.name);
        }
    }
}

fn sum_squares() -> Family {
    family("sum-squares").expect("a family")
}

fn request() -> Request {
    Request::new(Backend::Emulator)
}

fn input<E: lanework::Element>(shape: &[u64], name: &str, elements: &[E]) -> Array {
    let element = ELEMENT_TYPES.into_iter().find(|element| element.name == name).expect(name);
    Array::new(shape, element, elements)
}

#[test]
fn a_climb_verifies_every_rung_and_reports_the_hosts_share() {
    let case = sum_squares().case(&request().with("size", 30_000)).expect("a case");
    let how = ClimbSettings { rungs: Vec::new(), seed: 1, time_limit: Duration::from_secs(1) };
    let device = Device::emulator();
    let record = climb(&sum_squares(), case.as_ref(), &device, &how, &mut |_| {}).expect("a climb");
    assert!(record.rungs.iter().all(|rung| rung.verified), "{:?}", record.rungs);
    assert_eq!((record.element, record.size.as_slice()), ("i32", [30_000].as_slice()));
    let left = |name: &str| {
        let rung = record.rungs.iter().find(|rung| rung.name == name).expect(name);
        rung.figures["host_sums"]
    };
    assert_eq!(
        (left("many-blocks"), left("block-serial"), left("single-pass")),
        (8192.0, 32.0, 1.0)
    );
    for rung in &record.rungs[1..] {
        assert_ne!(rung.step, Some(Step::Unchanged), "{}: {:?}", rung.name, rung.reason);
    }
}

#[test]
fn the_sum_of_an_empty_array_is_0() {
    for element in ["i32", "f32", "bf16"] {
        let element = ELEMENT_TYPES.into_iter().find(|known| known.name == element);
        let request = Request { element, ..request().with("size", 0) };
        let case = sum_squares().case(&request).expect("a case");
        for rung in (sum_squares().ladder)().rungs {
            let found = run_rung(rung.name, case.as_ref(), &Device::emulator()).expect("a run");
            let (sum, _) = found.expect(rung.name);
            assert_eq!(sum.scalar().as_deref(), Some("0"), "{}", rung.name);
        }
    }
}

#[test]
fn arrays_of_any_shape_are_summed_completely() {
    let mut own = request();
    own.arrays.insert("input", input(&[2, 3], "i64", &[-1i64, 2, -3, 4, -5, 6]));
    let case = sum_squares().case(&own).expect("a case");
    let found = run_rung("single-pass", case.as_ref(), &Device::emulator()).expect("a run");
    let (sum, accuracy) = found.expect("the right sum");
    assert_eq!((sum.scalar().as_deref(), accuracy), (Some("91"), Accuracy::BitExact));
    assert_eq!((sum.element.name, sum.shape.len()), ("u64", 0));
}

#[test]
fn floats_are_reported_with_their_error() {
    let mut own = request();
    own.arrays.insert("input", input(&[3], "f64", &[0.1, 0.2, 0.3]));
    let case = sum_squares().case(&own).expect("a case");
    let found = run_rung("chunked", case.as_ref(), &Device::emulator()).expect("a run");
    let (sum, accuracy) = found.expect("the right sum");
    assert_eq!(sum.element.name, "f64");
    let Accuracy::WithinBound { max_relative, .. } = accuracy else { panic!("{accuracy:?}") };
    assert!(max_relative < 1e-15, "{max_relative}");
}

#[test]
fn one_thread_is_skipped_for_problems_beyond_it() {
    let device = Device::emulator();
    let case = sum_squares().case(&request().with("size", (1 << 24) + 1)).expect("a case");
    let why = case.skips("one-thread", &device).expect("skipped");
    assert!(why.contains("at most 16777216 numbers"), "{why}");
    assert_eq!(case.skips("chunked", &device), None);
}

#[test]
fn trees_are_skipped_for_blocks_that_cannot_be_halved() {
    let case = sum_squares().case(&request().with("size", 500).with("block", 48)).expect("a case");
    for rung in (sum_squares().ladder)().rungs {
        match case.skips(rung.name, &Device::emulator()) {
            Some(why) => {
                assert!(why.contains("cannot be halved") && why.contains("--block"), "{why}")
            }
            None => {
                let found = run_rung(rung.name, case.as_ref(), &Device::emulator());
                found.expect(rung.name).expect(rung.name);
            }
        }
    }
}

#[test]
fn invalid_requests_are_refused_with_a_remedy() {
    let refusal = |request: Request| {
        let case = sum_squares().case(&request);
        let checked = case.and_then(|case| case.check_fits(&Device::emulator()));
        checked.expect_err("refused").to_string()
    };
    let why = refusal(request().with("size", (1 << 31) + 1));
    assert!(why.contains("sum the squares in parts"), "{why}");
    let why = refusal(request().with("block", 0));
    assert!(why.contains("the limits are 1 to 1024"), "{why}");
    let why = refusal(request().with("rows", 3));
    assert!(why.contains("it takes --size, --block"), "{why}");
    let bytes = ELEMENT_TYPES.into_iter().find(|element| element.name == "u8");
    let why = refusal(Request { element: bytes, ..request() });
    assert!(why.contains("use one of i32, u32"), "{why}");
}
