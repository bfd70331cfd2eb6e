//! Every rung of `sgemm` against FP64, on the emulator and on a GPU if there is one.

use lanework::Device;
use lanework_lab::{Request, family, verify_sgemm};
use lanework_ladders::sgemm::{Shape, rungs};
use proptest::prelude::*;
use proptest::sample::select;

/// Runs every rung on the same random operands and compares it with the same reference.
fn verify_all(device: &Device, shape: Shape, scales: (f32, f32), seed: u64) {
    verify_rungs(device, shape, scales, seed, "");
}

/// Like [`verify_all`], for rungs whose names start with `beginning`.
fn verify_rungs(
    device: &Device,
    shape: Shape,
    (alpha, beta): (f32, f32),
    seed: u64,
    beginning: &str,
) {
    let Shape { m, n, k, lda, ldb, ldc } = shape;
    let numbers = [("m", m), ("n", n), ("k", k), ("lda", lda), ("ldb", ldb), ("ldc", ldc)];
    let request = Request {
        parameters: numbers.into_iter().map(|(name, value)| (name, value.into())).collect(),
        alpha: Some(alpha.into()),
        beta: Some(beta.into()),
        seed,
        ..Request::new(device.backend())
    };
    let case = family("sgemm").and_then(|family| family.case(&request).ok()).expect("a case");
    for rung in rungs().into_iter().filter(|rung| rung.info.name.starts_with(beginning)) {
        let name = rung.info.name;
        let mut trial = case.trial(name, device).expect("memory");
        let run = trial.job().and_then(|mut job| job.launch());
        let verified = run.map_err(Into::into).and_then(|()| trial.check());
        if let Err(why) = verified {
            panic!("{name} with {shape:?}, alpha {alpha}, beta {beta}: {why}");
        }
    }
}

/// Whole tiles, partial tiles, vectors, aligned and unaligned float4s.
const SHAPES: [(u32, u32, u32, u32); 9] = [
    (1, 1, 1, 0),
    (128, 128, 32, 0),
    (256, 128, 64, 4),
    (128, 132, 36, 0),
    (128, 128, 32, 1),
    (33, 65, 17, 3),
    (1, 300, 7, 0),
    (300, 1, 9, 0),
    (64, 68, 1, 2),
];

#[test]
fn every_rung_at_whole_and_ragged_shapes() {
    for device in Device::for_tests("sgemm rungs") {
        for (seed, (m, n, k, gap)) in (1..).zip(SHAPES) {
            let shape = Shape { m, n, k, lda: k + gap, ldb: n + gap, ldc: n + 2 * gap };
            // With beta = 0, C holds NaN, which must not reach the result.
            for scales in [(1.0, 0.0), (-0.5, 1.0)] {
                verify_all(&device, shape, scales, seed);
            }
        }
    }
}

/// Sums long enough for the rungs of split operands: partial tiles and partial steps.
#[test]
fn rungs_of_split_operands_at_long_sums() {
    for device in Device::for_tests("sgemm rungs") {
        let shape = Shape { m: 41, n: 70, k: 555, lda: 556, ldb: 71, ldc: 72 };
        verify_rungs(&device, shape, (-0.5, 1.0), 1, "split");
        let shape = Shape::packed(64, 68, 512);
        verify_rungs(&device, shape, (1.0, 0.0), 2, "split");
    }
}

#[test]
fn a_product_with_k_zero_only_scales_c() {
    for device in Device::for_tests("sgemm rungs") {
        verify_all(&device, Shape::packed(40, 50, 0), (1.0, -0.5), 1);
        verify_all(&device, Shape::packed(40, 50, 0), (1.0, 0.0), 1);
    }
}

/// An extent: mostly small, up to 300.
fn extent() -> impl Strategy<Value = u32> {
    prop_oneof![6 => 1u32..40, 3 => 40u32..140, 1 => 140u32..=300]
}

fn scale() -> impl Strategy<Value = f32> {
    prop_oneof![select(&[0.0f32, 1.0, -0.5][..]), -2.0f32..2.0]
}

fn shape() -> impl Strategy<Value = Shape> {
    let gap = || prop_oneof![Just(0u32), 1u32..8];
    (extent(), extent(), extent(), gap(), gap(), gap()).prop_map(|(m, n, k, a, b, c)| Shape {
        m,
        n,
        k,
        lda: k + a,
        ldb: n + b,
        ldc: n + c,
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, max_shrink_iters: 64, ..ProptestConfig::default() })]

    #[test]
    #[ignore = "slow: random shapes"]
    fn any_shape(shape in shape(), alpha in scale(), beta in scale(), seed: u64) {
        for device in Device::for_tests("sgemm rungs of random shapes") {
            verify_all(&device, shape, (alpha, beta), seed);
        }
    }
}

#[test]
fn large_shapes_on_a_gpu() {
    for device in Device::for_tests("sgemm rungs at large shapes").into_iter().skip(1) {
        verify_all(&device, Shape::packed(2048, 1024, 4096), (1.0, 0.0), 7);
        verify_all(&device, Shape::packed(4097, 1023, 1000), (1.0, 0.5), 8);
    }
}

#[test]
fn problems_that_do_not_fit_are_refused_with_a_remedy() {
    let device = Device::emulator();
    let short = Shape { lda: 3, ..Shape::packed(4, 4, 4) };
    let wide = Shape { lda: u32::MAX, ..Shape::packed(1, 4, 4) };
    for (shape, said) in [(short, "leading dimension"), (wide, "above 32 bits")] {
        for rung in rungs() {
            let name = rung.info.name;
            let why = verify_sgemm(rung, &device, shape, (1.0, 0.0), 1).expect_err("refused");
            let why = why.to_string();
            assert!(why.contains(said), "{name}: {why}");
        }
    }
}
