//! The types, bounds and required GPUs of each ladder of products.

use lanework::{Device, Element, Job, Result};
use lanework_ladders::factors::Factors;
use lanework_ladders::{Ladder, Rung, dgemm, fp8, tf32};
use lanework_ops::Fp8E4m3;
use lanework_verify::bound::{Bound, UNIT_F32, UNIT_F64};

/// The types of a ladder of products.
pub(super) trait FactorKind: Sized + 'static {
    type Factor: Element;
    type Out: Element + Into<f64>;
    /// Names of the element types.
    const NAMES: (&'static str, &'static str);

    fn ladder() -> Ladder;

    /// The factor nearest to a number, and its value.
    fn factor(number: f32) -> (Self::Factor, f64);

    /// Error bound of the results.
    fn bound(rung: &str, k: usize) -> Bound;

    /// The least compute capability of a rung, and whether only GPUs of the same major number can run it.
    fn needs(rung: &str) -> ((u32, u32), bool);

    fn job<'a>(rung: &str, operands: &'a mut On<Self>, device: &Device) -> Result<Job<'a>>;
}

/// The operands on a device.
pub(super) type On<K> = Factors<<K as FactorKind>::Factor, <K as FactorKind>::Out>;

/// The bound of sums of `k` products, each with this many roundings of a unit.
fn bound(k: usize, unit: f64, roundings: f64) -> Bound {
    let plain = if unit > UNIT_F64 { UNIT_F32 } else { UNIT_F64 };
    let of_reference = (k as f64 + 5.0) * UNIT_F64;
    Bound { unit, roundings, of_reference, ..Bound::of_squares(k, k as u64, plain) }
}

/// The rung with this name, as one kernel.
fn kernel<'a, P>(
    rungs: Vec<Rung<P>>,
    name: &str,
    operands: &'a mut P,
    device: &Device,
) -> Result<Job<'a>> {
    let rung = rungs.into_iter().find(|rung| rung.info.name == name);
    Ok((rung.expect("a rung of the ladder").prepare)(operands, device)?.into())
}

/// f32 factors that may be rounded to TF32.
pub(super) struct Tf32;

impl FactorKind for Tf32 {
    type Factor = f32;
    type Out = f32;
    const NAMES: (&'static str, &'static str) = ("f32", "f32");

    fn ladder() -> Ladder {
        tf32::ladder()
    }

    fn factor(number: f32) -> (f32, f64) {
        (number, number.into())
    }

    /// Both factors are truncated at a unit of 2^-10; sums are in f32.
    fn bound(_: &str, k: usize) -> Bound {
        const UNIT: f64 = 1.0 / 2048.0;
        bound(k, UNIT, 4.5 + k as f64 * 2.0 * UNIT_F32 / UNIT)
    }

    fn needs(rung: &str) -> ((u32, u32), bool) {
        if rung == "fragments" { ((8, 0), false) } else { ((9, 0), true) }
    }

    fn job<'a>(name: &str, operands: &'a mut On<Self>, device: &Device) -> Result<Job<'a>> {
        let rung = tf32::rungs().into_iter().find(|rung| rung.info.name == name);
        (rung.expect("a rung of the ladder").prepare)(operands, device)
    }
}

/// 8-bit floats.
pub(super) struct Fp8;

impl FactorKind for Fp8 {
    type Factor = u8;
    type Out = f32;
    const NAMES: (&'static str, &'static str) = ("u8", "f32");

    fn ladder() -> Ladder {
        fp8::ladder()
    }

    fn factor(number: f32) -> (u8, f64) {
        let nearest = Fp8E4m3::from_f32(number);
        (nearest.0, nearest.to_f32().into())
    }

    /// Tensor cores truncate summands at 2^-13 of the largest summand or sum, 32 products at a time; a few of these
    /// errors add up to at most a unit of the scale. With promoted sums, no chain is longer than 128 products.
    fn bound(rung: &str, k: usize) -> Bound {
        const UNIT: f64 = 1.0 / 4096.0;
        let chained = |k: usize| 4.0 + k.div_ceil(32) as f64;
        match rung {
            "promoted" | "turns" => bound(k, UNIT, chained(fp8::PROMOTED.min(k.max(1)))),
            _ => bound(k, UNIT, chained(k)),
        }
    }

    fn needs(_: &str) -> ((u32, u32), bool) {
        ((9, 0), true)
    }

    fn job<'a>(name: &str, operands: &'a mut On<Self>, device: &Device) -> Result<Job<'a>> {
        kernel(fp8::rungs(), name, operands, device)
    }
}

/// Double precision.
pub(super) struct Double;

impl FactorKind for Double {
    type Factor = f64;
    type Out = f64;
    const NAMES: (&'static str, &'static str) = ("f64", "f64");

    fn ladder() -> Ladder {
        dgemm::ladder()
    }

    fn factor(number: f32) -> (f64, f64) {
        // The bound uses all bits of an f64.
        let number = f64::from(number) * (1.0 / 3.0);
        (number, number)
    }

    fn bound(_: &str, k: usize) -> Bound {
        bound(k, UNIT_F64, k as f64 + 5.0)
    }

    fn needs(rung: &str) -> ((u32, u32), bool) {
        let on_tensor_cores = ["one-warp", "fragments"].contains(&rung);
        (if on_tensor_cores { (8, 0) } else { (7, 0) }, false)
    }

    fn job<'a>(name: &str, operands: &'a mut On<Self>, device: &Device) -> Result<Job<'a>> {
        kernel(dgemm::rungs(), name, operands, device)
    }
}
