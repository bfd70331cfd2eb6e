//! Tests the bounds of exact numbers, and of f32 results.

use super::*;

const F32: Arithmetic = Arithmetic { format: Element::F32, function_units: 8.0 };

#[test]
fn small_integers_are_exact_and_others_are_not() {
    let three = Approx::exact(3.0).multiply(Approx::exact(7.0), &F32);
    assert_eq!(three, Approx::exact(21.0));
    let third = Approx::exact(1.0).divide(Approx::exact(3.0), &F32);
    assert!(third.error > 1e-8 && third.error < 1e-6);
    let mut sum = Sum::new();
    (0..1000).for_each(|i| sum.add(Approx::exact(f64::from(i))));
    assert_eq!(sum.finish(0.0, &F32), Approx::exact(499_500.0));
    sum.add(Approx::exact(0.1));
    assert!(sum.finish(0.0, &F32).error > 1.0);
}

/// Chains of f32 operations on random numbers stay within the bounds computed in f64.
#[test]
fn what_f32_gives_is_within_the_bound() {
    use rand::{Rng, SeedableRng};
    let mut random = rand::rngs::StdRng::seed_from_u64(1);
    let mut largest = 0f64;
    for _ in 0..2000 {
        let mut x = random.random_range(-2f32..2.0);
        let mut twin = Approx::exact(x.into());
        for _ in 0..12 {
            let y = random.random_range(-2f32..2.0);
            let other = Approx::exact(y.into());
            (x, twin) = match random.random_range(0..6) {
                0 => (x + y, twin.add(other, &F32)),
                1 => (x * y, twin.multiply(other, &F32)),
                2 => (x / y, twin.divide(other, &F32)),
                3 => (x.clamp(-50.0, 50.0).exp(), {
                    let held = Approx { value: twin.value.clamp(-50.0, 50.0), ..twin };
                    held.monotonic(f64::exp, &F32)
                }),
                4 => (x.abs().sqrt(), {
                    let held = Approx { value: twin.value.abs(), ..twin };
                    held.square_root(&F32)
                }),
                _ => (x.tanh(), twin.monotonic(f64::tanh, &F32)),
            };
            if twin.wild || !twin.value.is_finite() {
                break;
            }
            let off = (f64::from(x) - twin.value).abs();
            assert!(off <= 2.0 * twin.error, "{x} against {twin:?}");
            largest = largest.max(off / twin.error.max(1e-300));
        }
    }
    assert!(largest > 0.05, "the bound says nothing: {largest}");
}
