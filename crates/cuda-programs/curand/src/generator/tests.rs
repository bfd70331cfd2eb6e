//! Tests of the moments of every kind and distribution, and of settings that restart a sequence.

use super::{DrawRequest, Generator};
use crate::kind::GeneratorKind;

const COUNT: usize = 1 << 15;

/// Mean and variance of a generator's numbers.
fn moments(kind: GeneratorKind, wanted: DrawRequest) -> (f64, f64) {
    let mut generator = Generator::new(kind, true);
    let bytes = generator.generate(wanted, COUNT).expect("numbers");
    let numbers: Vec<f64> = match (wanted, wanted.size()) {
        (DrawRequest::Poisson { .. }, _) => bytes
            .chunks(4)
            .map(|part| u32::from_ne_bytes(part.try_into().unwrap()).into())
            .collect(),
        (_, 4) => bytes
            .chunks(4)
            .map(|part| f32::from_ne_bytes(part.try_into().unwrap()).into())
            .collect(),
        _ => bytes.chunks(8).map(|part| f64::from_ne_bytes(part.try_into().unwrap())).collect(),
    };
    let mean = numbers.iter().sum::<f64>() / COUNT as f64;
    let variance = numbers.iter().map(|number| (number - mean).powi(2)).sum::<f64>() / COUNT as f64;
    (mean, variance)
}

#[test]
fn every_kind_has_the_moments_of_every_distribution() {
    for number in [101, 121, 141, 142, 161, 201, 202, 203, 204] {
        let kind = GeneratorKind::of(number).unwrap();
        let log = ((0.5f64).exp(), (1f64.exp() - 1.0) * 1f64.exp());
        for (wanted, (mean, variance)) in [
            (DrawRequest::Uniform, (0.5, 1.0 / 12.0)),
            (DrawRequest::UniformDouble, (0.5, 1.0 / 12.0)),
            (DrawRequest::Normal { mean: 3.0, deviation: 2.0 }, (3.0, 4.0)),
            (DrawRequest::NormalDouble { mean: -1.0, deviation: 0.5 }, (-1.0, 0.25)),
            (DrawRequest::LogNormal { mean: 0.0, deviation: 1.0 }, log),
            (DrawRequest::LogNormalDouble { mean: 0.0, deviation: 1.0 }, log),
            (DrawRequest::Poisson { mean: 6.5 }, (6.5, 6.5)),
            (DrawRequest::Poisson { mean: 3000.0 }, (3000.0, 3000.0)),
        ] {
            let (got_mean, got_variance) = moments(kind, wanted);
            // Five standard errors of a mean, and 6 % of a variance (40 % where its tail is heavy).
            let error = 5.0 * (variance / COUNT as f64).sqrt();
            let heavy = matches!(
                wanted,
                DrawRequest::LogNormal { .. } | DrawRequest::LogNormalDouble { .. }
            );
            let share = if heavy { 0.4 } else { 0.06 };
            assert!((got_mean - mean).abs() < error, "{kind:?} {wanted:?}: mean {got_mean}");
            let off = (got_variance / variance - 1.0).abs();
            assert!(off < share, "{kind:?} {wanted:?}: variance {got_variance}");
        }
    }
}

#[test]
fn settings_restart_the_sequence_and_calls_continue_it() {
    let mut generator = Generator::new(GeneratorKind::Xorwow, true);
    generator.set_seed(5).unwrap();
    let first = generator.generate(DrawRequest::Bits, 10).unwrap();
    assert_ne!(generator.generate(DrawRequest::Bits, 10).unwrap(), first);
    generator.set_seed(5).unwrap();
    assert_eq!(generator.generate(DrawRequest::Bits, 10).unwrap(), first);
    generator.set_seed(6).unwrap();
    assert_ne!(generator.generate(DrawRequest::Bits, 10).unwrap(), first);
}
