//! The moments of every kind and distribution, and what settings start anew.

use super::{Generator, Wanted};
use crate::kind::Kind;

const COUNT: usize = 1 << 15;

/// Mean and variance of numbers of a generator.
fn moments(kind: Kind, wanted: Wanted) -> (f64, f64) {
    let mut generator = Generator::new(kind, true);
    let bytes = generator.generate(wanted, COUNT).expect("numbers");
    let numbers: Vec<f64> = match (wanted, wanted.size()) {
        (Wanted::Poisson { .. }, _) => bytes
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
        let kind = Kind::of(number).unwrap();
        let log = ((0.5f64).exp(), (1f64.exp() - 1.0) * 1f64.exp());
        for (wanted, (mean, variance)) in [
            (Wanted::Uniform, (0.5, 1.0 / 12.0)),
            (Wanted::UniformDouble, (0.5, 1.0 / 12.0)),
            (Wanted::Normal { mean: 3.0, deviation: 2.0 }, (3.0, 4.0)),
            (Wanted::NormalDouble { mean: -1.0, deviation: 0.5 }, (-1.0, 0.25)),
            (Wanted::LogNormal { mean: 0.0, deviation: 1.0 }, log),
            (Wanted::LogNormalDouble { mean: 0.0, deviation: 1.0 }, log),
            (Wanted::Poisson { mean: 6.5 }, (6.5, 6.5)),
            (Wanted::Poisson { mean: 3000.0 }, (3000.0, 3000.0)),
        ] {
            let (got_mean, got_variance) = moments(kind, wanted);
            // Five standard errors of a mean, and 6 % of a variance (40 % where its tail is heavy).
            let error = 5.0 * (variance / COUNT as f64).sqrt();
            let heavy = matches!(wanted, Wanted::LogNormal { .. } | Wanted::LogNormalDouble { .. });
            let share = if heavy { 0.4 } else { 0.06 };
            assert!((got_mean - mean).abs() < error, "{kind:?} {wanted:?}: mean {got_mean}");
            let off = (got_variance / variance - 1.0).abs();
            assert!(off < share, "{kind:?} {wanted:?}: variance {got_variance}");
        }
    }
}

#[test]
fn a_setting_starts_anew_and_calls_go_on() {
    let mut generator = Generator::new(Kind::Xorwow, true);
    generator.set_seed(5).unwrap();
    let first = generator.generate(Wanted::Bits, 10).unwrap();
    assert_ne!(generator.generate(Wanted::Bits, 10).unwrap(), first);
    generator.set_seed(5).unwrap();
    assert_eq!(generator.generate(Wanted::Bits, 10).unwrap(), first);
    generator.set_seed(6).unwrap();
    assert_ne!(generator.generate(Wanted::Bits, 10).unwrap(), first);
}
