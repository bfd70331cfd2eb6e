//! The sum-squares ladder as the command line runs it: sizes, types, the user's own input.

use lanework::{Backend, Device};
use lanework_lab::{
    Accuracy, Array, ClimbSettings, ELEMENT_TYPES, Family, Request, Step, climb, family, run_rung,
};
use std::time::Duration;

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
fn no_numbers_at_all_have_the_sum_0() {
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
fn an_array_of_any_shape_is_summed_whole() {
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
