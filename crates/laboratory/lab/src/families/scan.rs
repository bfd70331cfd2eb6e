//! Prefix sums of f32, within the bound of any order of additions.

use crate::families::family::{BoundedTrial, Expected, Family, OnDevice, refuse};
use crate::problem::{Case, Request, Trial, check_memory};
use lanework::{Backend, Buffer, Device, Result};
use lanework_bench::Work;
use lanework_ladders::scan::{self, LONGEST, Sums};
use lanework_verify::bound::{Bound, UNIT_F32};
use lanework_verify::host::uniform_floats;
use std::cell::OnceCell;

pub(super) fn family() -> Family {
    Family {
        arrays: &["input"],
        sweep: &[("size", &[1 << 14, 1 << 16, 1 << 18])],
        ..Family::new(scan::ladder, open)
    }
}

/// The most numbers for a single thread or block: seconds on a GPU.
const MOST_FOR_ONE: usize = 1 << 24;

/// Numbers to scan.
struct Scan {
    length: usize,
    seed: u64,
    x: OnceCell<Vec<f32>>,
    /// For each number, the sum up to it, and the sum of magnitudes.
    reference: OnceCell<Vec<(f64, f64)>>,
}

/// The case of a request.
fn open(request: &Request) -> Result<Box<dyn Case>> {
    let given = request.arrays.get("input").map(|input| input.elements::<f32>());
    let default = if request.backend == Backend::Cuda { 1 << 24 } else { 1 << 18 };
    let held = given.as_ref().map(|given| ("input", given.len() as u64));
    let length = request.extents(default).next("size", held)?;
    if length > LONGEST {
        return Err(refuse("scan", format!("{length} numbers"), "scan up to 2^31 numbers"));
    }
    let x = given.map(OnceCell::from).unwrap_or_default();
    Ok(Box::new(Scan {
        length: length as usize,
        seed: request.seed,
        x,
        reference: OnceCell::new(),
    }))
}

impl Scan {
    fn x(&self) -> &[f32] {
        self.x.get_or_init(|| uniform_floats(self.length, self.seed))
    }
}

impl Case for Scan {
    fn extents(&self) -> Vec<(&'static str, u64)> {
        vec![("size", self.length as u64)]
    }

    fn work(&self) -> Work {
        Work { bytes: 8 * self.length as u64, flops: self.length as u64 }
    }

    fn edge_cases(&self) -> Vec<Box<dyn Case>> {
        let small = |length| -> Box<dyn Case> {
            let (x, reference) = (OnceCell::new(), OnceCell::new());
            Box::new(Scan { length, seed: self.seed.wrapping_add(1), x, reference })
        };
        vec![small(0), small(1), small(1025), small(70_001)]
    }

    fn check_fits(&self, device: &Device) -> Result<()> {
        let what = format!("{} numbers and as many sums", self.length);
        check_memory(device, "scan", &what, self.work().bytes)
    }

    fn skips(&self, rung: &str, _device: &Device) -> Option<String> {
        let alone = ["one-thread", "one-block", "warp-shuffle"].contains(&rung);
        (alone && self.length > MOST_FOR_ONE)
            .then(|| format!("a single block takes at most {MOST_FOR_ONE} numbers"))
    }

    fn trial<'a>(&'a self, rung: &str, device: &Device) -> Result<Box<dyn Trial + 'a>> {
        let rung = scan::rungs().into_iter().find(|known| known.info.name == rung);
        Ok(Box::new(BoundedTrial {
            case: self,
            rung: rung.expect("a rung of the ladder"),
            device: device.clone(),
            problem: Sums::new(device, self.x())?,
        }))
    }
}

impl Expected for Scan {
    fn shape(&self) -> Vec<u64> {
        vec![self.length as u64]
    }

    fn bound(&self) -> Bound {
        Bound::of_squares(self.length, self.length as u64, UNIT_F32)
    }

    fn reference(&self) -> &[(f64, f64)] {
        self.reference.get_or_init(|| {
            let mut sums = (0.0, 0.0);
            let add = |x: &f32| {
                sums = (sums.0 + f64::from(*x), sums.1 + f64::from(x.abs()));
                sums
            };
            self.x().iter().map(add).collect()
        })
    }
}

impl OnDevice for Sums {
    type Output = f32;
    const OUTPUT: &'static str = "f32";

    fn output(&self) -> &Buffer<f32> {
        &self.y
    }

    fn output_mut(&mut self) -> &mut Buffer<f32> {
        &mut self.y
    }
}
