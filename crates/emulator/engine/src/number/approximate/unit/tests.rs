//! Compares the functions without branches with the integers of [`reference`](super::reference).

use crate::number::approximate::unit::*;
use crate::number::approximate::{of, of_lanes};

type OfOne = fn(u32) -> u32;
type OfLanes = fn(&[u32; 32]) -> [u32; 32];

/// The functions under test, each with its reference.
const FUNCTIONS: [(&str, OfOne, OfLanes, OfOne); 8] = [
    ("rcp", of::<Rcp>, of_lanes::<Rcp>, reference::rcp),
    ("rsqrt", of::<Rsqrt>, of_lanes::<Rsqrt>, reference::rsqrt),
    ("sqrt", of::<Sqrt>, of_lanes::<Sqrt>, reference::sqrt),
    ("ex2", of::<Ex2>, of_lanes::<Ex2>, reference::ex2),
    ("lg2", of::<Lg2>, of_lanes::<Lg2>, reference::lg2),
    ("sin", of::<Sin>, of_lanes::<Sin>, reference::sin),
    ("cos", of::<Cos>, of_lanes::<Cos>, reference::cos),
    ("tanh", of::<Tanh>, of_lanes::<Tanh>, reference::tanh),
];

/// Compares 32 inputs from each of the starts on, `step` apart.
fn compare(starts: impl Iterator<Item = u32> + Clone, step: u32) {
    for (name, of_one, of_lanes, reference) in FUNCTIONS {
        for start in starts.clone() {
            let x: [u32; 32] = std::array::from_fn(|i| start.wrapping_add(i as u32 * step));
            let (lanes, want) = (of_lanes(&x), x.map(reference));
            assert_eq!(lanes, want, "{name} of {start:#010x} and the next by {step}");
            assert_eq!(of_one(start), want[0], "{name} of {start:#010x}");
        }
    }
}

#[test]
fn functions_equal_the_reference_at_the_ends_of_every_power_of_two_and_in_between() {
    compare((0..512u32).map(|i| (i << 23).wrapping_sub(16)), 1);
    compare((0..1u32 << 17).map(|i| i << 15), 1021);
}

#[test]
fn mantissas_equal_the_reference() {
    for fraction in (0..1 << 23).step_by(8) {
        assert_eq!(rcp_mantissa(fraction), reference::rcp_mantissa(fraction));
        for odd in [false, true] {
            let got = rsqrt_mantissa(odd, fraction);
            assert_eq!(got, reference::rsqrt_mantissa(odd, fraction), "{odd} {fraction}");
        }
    }
}

#[test]
#[ignore = "exhaustive: every f32, many minutes"]
fn functions_equal_the_reference_for_every_f32() {
    compare((0..1u32 << 27).map(|i| i << 5), 1);
}
