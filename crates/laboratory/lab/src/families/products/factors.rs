//! Products of several types (TF32, 8-bit floats, f64) whose factors are stored in the tensor cores' layout.

use crate::families::family::{Family, refuse};
use crate::families::products::matmul::extents;
use crate::problem::{Case, Request, Trial, check_memory, lacks};
use lanework::{Backend, Device, Element, Job, Result};
use lanework_bench::{Accuracy, Rejection, Work};
use lanework_ladders::factors::Factors;
use lanework_ladders::{Ladder, Rung, dgemm, fp8, tf32};
use lanework_ops::Fp8E4m3;
use lanework_verify::bound::{Bound, UNIT_F32, UNIT_F64};
use lanework_verify::host::{Array, ElementType, uniform_floats};
use std::cell::OnceCell;

fn family<K: FactorKind>(elements: &'static [&'static str]) -> Family {
    Family {
        parameters: &["size", "m", "n", "k"],
        elements,
        sweep: &[("size", &[256, 512])],
        ..Family::new(K::ladder, open::<K>)
    }
}

pub fn of_tf32() -> Family {
    family::<Tf32>(&["f32"])
}

pub fn of_fp8() -> Family {
    family::<Fp8>(&["u8"])
}

pub fn of_double() -> Family {
    family::<Double>(&["f64"])
}

/// The most multiply-adds of the reference.
const BUDGET: usize = 1 << 28;

/// The fewest known rows of results.
const FEWEST_ROWS: usize = 8;

/// A product of random matrices.
struct Products<K: FactorKind> {
    extents: (usize, usize, usize),
    seed: u64,
    /// A by rows and B by columns, as factors and as values.
    factors: OnceCell<[Lines<K>; 2]>,
    reference: OnceCell<Known>,
}

/// Lines along k: factors, and their values.
type Lines<K> = (Vec<<K as FactorKind>::Factor>, Vec<f64>);

/// The known rows, with value and sum of magnitudes of each result.
type Known = (Vec<usize>, Vec<(f64, f64)>);

/// The case of a request.
fn open<K: FactorKind>(request: &Request) -> Result<Box<dyn Case>> {
    let name = K::ladder().name;
    let default = if request.backend == Backend::Cuda { 4096 } else { 256 };
    let (m, n, k) = extents(name, request, default)?;
    if k == 0 {
        let why = format!("the product of {m}x0 by 0x{n} is all zeros");
        return Err(refuse(name, why, "give at least one column of A"));
    }
    Ok(Box::new(Products::<K>::random((m as usize, n as usize, k as usize), request.seed)))
}

impl<K: FactorKind> Products<K> {
    fn random(extents: (usize, usize, usize), seed: u64) -> Self {
        Products { extents, seed, factors: OnceCell::new(), reference: OnceCell::new() }
    }

    fn factors(&self) -> &[Lines<K>; 2] {
        let (m, n, k) = self.extents;
        let drawn = |lines: usize, seed: u64| -> Lines<K> {
            uniform_floats(lines * k, seed).into_iter().map(K::factor).unzip()
        };
        self.factors
            .get_or_init(|| [drawn(m, self.seed), drawn(n, self.seed.wrapping_add(1 << 32))])
    }

    /// The known rows: all, or as many as the budget allows, spread from the first to the last.
    fn reference(&self) -> &Known {
        self.reference.get_or_init(|| {
            let (m, n, k) = self.extents;
            let count = (BUDGET / (n * k)).max(FEWEST_ROWS).min(m);
            let rows: Vec<usize> =
                (0..count).map(|i| if count > 1 { i * (m - 1) / (count - 1) } else { 0 }).collect();
            let [(_, a), (_, b)] = self.factors();
            let at = |row: usize, column: usize| {
                let pairs = a[row * k..][..k].iter().zip(&b[column * k..][..k]);
                pairs.fold((0.0, 0.0), |(sum, scale), (x, y)| (sum + x * y, scale + (x * y).abs()))
            };
            let values =
                rows.iter().flat_map(|&row| (0..n).map(move |column| at(row, column))).collect();
            (rows, values)
        })
    }

    fn bytes(&self, (m, n, k): (usize, usize, usize)) -> u64 {
        let factors = size_of::<K::Factor>() * (m * k + k * n);
        (factors + size_of::<K::Out>() * m * n) as u64
    }
}

impl<K: FactorKind> Case for Products<K> {
    fn extents(&self) -> Vec<(&'static str, u64)> {
        let (m, n, k) = self.extents;
        vec![("m", m as u64), ("n", n as u64), ("k", k as u64)]
    }

    fn element(&self) -> &'static str {
        K::NAMES.0
    }

    fn work(&self) -> Work {
        let (m, n, k) = self.extents;
        Work { bytes: self.bytes(self.extents), flops: 2 * m as u64 * n as u64 * k as u64 }
    }

    fn edge_cases(&self) -> Vec<Box<dyn Case>> {
        let small = |extents| -> Box<dyn Case> {
            Box::new(Products::<K>::random(extents, self.seed.wrapping_add(1)))
        };
        vec![small((1, 1, 1)), small((37, 71, 19)), small((260, 140, 130))]
    }

    fn check_fits(&self, device: &Device) -> Result<()> {
        let padded = On::<K>::padded(self.extents);
        let (m, n, k) = padded;
        let what = format!("{m}x{k} and {k}x{n} {} and their product", K::NAMES.0);
        check_memory(device, K::ladder().name, &what, self.bytes(padded))
    }

    fn skips(&self, rung: &str, device: &Device) -> Option<String> {
        let (least, its_own) = K::needs(rung);
        lacks(device, least, its_own)
    }

    fn trial<'a>(&'a self, rung: &str, device: &Device) -> Result<Box<dyn Trial + 'a>> {
        let [(a, _), (b, _)] = self.factors();
        let operands = Factors::new(device, self.extents, a, b)?;
        let rung = K::ladder().rungs.into_iter().map(|known| known.name).find(|name| *name == rung);
        let rung = rung.expect("a rung of the ladder");
        Ok(Box::new(FactorsTrial::<K> { case: self, rung, device: device.clone(), operands }))
    }
}

/// A rung with its operands on a device.
struct FactorsTrial<'a, K: FactorKind> {
    case: &'a Products<K>,
    rung: &'static str,
    device: Device,
    operands: On<K>,
}

impl<K: FactorKind> Trial for FactorsTrial<'_, K> {
    fn poison(&mut self) -> Result<()> {
        self.operands.c.fill_bytes(0xFF)
    }

    fn job(&mut self) -> Result<Job<'_>> {
        K::job(self.rung, &mut self.operands, &self.device)
    }

    fn check(&mut self) -> Result<Accuracy, Rejection> {
        let got = self.operands.results()?;
        let (rows, reference) = self.case.reference();
        let (m, n, k) = self.case.extents;
        let at_extents = |why: String| Rejection::Wrong(format!("at {m}x{n}x{k}: {why}"));
        // Unknown rows must at least be written.
        let written = |x: &K::Out| (*x).into().is_finite();
        if let Some(place) = got.iter().position(|x| !written(x)) {
            let why = format!("[{}][{}] is not a finite number", place / n, place % n);
            return Err(at_extents(why));
        }
        let bound = K::bound(self.rung, k);
        let at = |i: usize| {
            let (value, scale) = reference[i];
            (got[rows[i / n] * n + i % n].into(), value, scale)
        };
        let found = bound.compare(reference.len(), &at);
        let Some(&first) = found.wrong.first() else { return Ok(found.accuracy) };
        let (result, value, scale) = at(first);
        let place = format!("[{}][{}]", rows[first / n], first % n);
        let what = bound.words(result, value, scale);
        let (wrong, count) = (found.wrong.len(), reference.len());
        Err(at_extents(format!("{wrong} of {count} elements are wrong: {place} {what}")))
    }

    fn output(&self) -> Result<Array> {
        let (m, n, _) = self.case.extents;
        let element = ElementType::named(K::NAMES.1).expect("a known type");
        Ok(Array::new(&[m as u64, n as u64], element, &self.operands.results()?))
    }
}

/// The types of a ladder of products.
trait FactorKind: Sized + 'static {
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
type On<K> = Factors<<K as FactorKind>::Factor, <K as FactorKind>::Out>;

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
struct Tf32;

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
struct Fp8;

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
struct Double;

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
