//! Attention of bf16 heads, within the error of rounding weights and results to bf16.

use crate::families::family::{BoundedTrial, Expected, Family, OnDevice, refuse};
use crate::problem::{Case, Request, Trial, check_memory};
use half::bf16;
use lanework::{Backend, Buffer, Device, Result};
use lanework_bench::Work;
use lanework_ladders::attention::{self, HEAD, Heads, TILE};
use lanework_verify::bound::{Bound, UNIT_F64};
use lanework_verify::host::uniform_floats;
use std::cell::OnceCell;
use std::thread;

pub(super) fn family() -> Family {
    Family {
        parameters: &["size", "heads"],
        elements: &["bf16"],
        sweep: &[("size", &[128, 256, 512])],
        ..Family::new(attention::ladder, open)
    }
}

/// Rungs that need sm_90a.
const OF_HOPPER: [&str; 4] = ["wgmma", "specialized", "overlapped", "turns"];
/// The rung that stores the scores.
const STORED: &str = "stored-scores";
/// The most elements of an operand, and rows of all heads, so that 32-bit indices do not overflow.
const MOST: u64 = 1 << 31;
/// Factor of the queries: with scores of standard deviation 3, a few keys determine each result, so a missing key
/// shows.
const SHARPNESS: f32 = 8.0;

/// Heads with random numbers.
struct Attention {
    heads: u32,
    length: u32,
    seed: u64,
    inputs: OnceCell<[Vec<bf16>; 3]>,
    reference: OnceCell<Vec<(f64, f64)>>,
}

/// The case of a request.
fn open(request: &Request) -> Result<Box<dyn Case>> {
    let on_gpu = request.backend == Backend::Cuda;
    let (heads, length) = if on_gpu { (16, 4096) } else { (2, 256) };
    let (heads, length) = (request.u32("heads", heads)?, request.u32("size", length)?);
    let rows = u64::from(heads) * u64::from(length);
    if rows == 0 || rows * u64::from(HEAD) > MOST || !length.is_multiple_of(TILE) {
        let why = format!("{heads} heads of sequences of {length}");
        let help = format!(
            "give at least one head, a length that is a multiple of {TILE}, and at most 2^31 elements; `lanework_ops::attention` takes any"
        );
        return Err(refuse("attention", why, &help));
    }
    Ok(Box::new(Attention::random(heads, length, request.seed)))
}

impl Attention {
    fn random(heads: u32, length: u32, seed: u64) -> Self {
        Attention { heads, length, seed, inputs: OnceCell::new(), reference: OnceCell::new() }
    }

    fn rows(&self) -> usize {
        self.heads as usize * self.length as usize
    }

    /// Queries, keys and values.
    fn inputs(&self) -> [&[bf16]; 3] {
        let drawn = |(i, factor): (u64, f32)| -> Vec<bf16> {
            let numbers = uniform_floats(self.rows() * HEAD as usize, self.seed + (i << 32));
            numbers.into_iter().map(|x| bf16::from_f32(factor * x)).collect()
        };
        let all = || [(0, SHARPNESS), (1, 1.0), (2, 1.0)].map(drawn);
        self.inputs.get_or_init(all).each_ref().map(Vec::as_slice)
    }
}

impl Case for Attention {
    fn extents(&self) -> Vec<(&'static str, u64)> {
        vec![("heads", self.heads.into()), ("size", self.length.into())]
    }

    fn element(&self) -> &'static str {
        "bf16"
    }

    fn work(&self) -> Work {
        let (heads, length) = (self.heads, self.length);
        Work { bytes: Heads::bytes(heads, length), flops: Heads::flops(heads, length) }
    }

    fn edge_cases(&self) -> Vec<Box<dyn Case>> {
        let small = |heads, length| -> Box<dyn Case> {
            Box::new(Attention::random(heads, length, self.seed.wrapping_add(1)))
        };
        vec![small(2, 128), small(1, 384)]
    }

    fn check_fits(&self, device: &Device) -> Result<()> {
        let what = format!("{} heads of sequences of {}", self.heads, self.length);
        check_memory(device, "attention", &what, self.work().bytes)
    }

    fn skips(&self, rung: &str, device: &Device) -> Option<String> {
        let capability = device.info().compute_capability;
        let arch = format!("{}{}", capability.0, capability.1);
        if OF_HOPPER.contains(&rung) && capability.0 != 9 {
            return Some(format!("it needs sm_90a, this GPU is sm_{arch}"));
        }
        if rung != STORED && rung != "fused" && capability < (8, 0) {
            return Some(format!("bf16 needs sm_80, this GPU is sm_{arch}"));
        }
        let bytes = 4 * self.rows() as u64 * u64::from(self.length);
        let what = "the scores";
        (rung == STORED)
            .then(|| check_memory(device, "attention", what, self.work().bytes + bytes).err())
            .flatten()
            .map(|_| format!("the scores take {bytes} bytes"))
    }

    fn trial<'a>(&'a self, rung: &str, device: &Device) -> Result<Box<dyn Trial + 'a>> {
        let rung = attention::rungs().into_iter().find(|known| known.info.name == rung);
        Ok(Box::new(BoundedTrial {
            case: self,
            rung: rung.expect("a rung of the ladder"),
            device: device.clone(),
            problem: Heads::place(device, self.heads, self.length, self.inputs())?,
        }))
    }
}

impl Expected for Attention {
    fn shape(&self) -> Vec<u64> {
        vec![self.heads.into(), self.length.into(), HEAD.into()]
    }

    /// Weights and results are rounded to bf16: two roundings of 2^-9, and f32 roundings of 1/64 of that.
    fn bound(&self) -> Bound {
        Bound {
            roundings: 2.0 + 1.0 / 32.0,
            unit: f64::from(bf16::EPSILON) / 2.0,
            of_reference: f64::from(self.length) * UNIT_F64,
            // For weights below the smallest normal f32.
            underflow: f64::from(f32::MIN_POSITIVE) * f64::from(self.length),
            largest: f64::from(bf16::MAX),
            swell: 1.0,
        }
    }

    fn reference(&self) -> &[(f64, f64)] {
        self.reference.get_or_init(|| {
            let (length, rows, inputs) = (self.length as usize, self.rows(), self.inputs());
            let parts = thread::available_parallelism().map_or(1, usize::from).min(rows);
            let part = |i: usize| {
                attention::on_host(length, rows * i / parts..rows * (i + 1) / parts, inputs)
            };
            thread::scope(|scope| {
                let part = &part;
                let threads: Vec<_> = (0..parts).map(|i| scope.spawn(move || part(i))).collect();
                let joined = threads.into_iter().map(|thread| thread.join().expect("no panic"));
                joined.collect::<Vec<_>>().concat()
            })
        })
    }
}

impl OnDevice for Heads {
    type Output = bf16;
    const OUTPUT: &'static str = "bf16";

    fn output(&self) -> &Buffer<bf16> {
        &self.out
    }

    fn output_mut(&mut self) -> &mut Buffer<bf16> {
        &mut self.out
    }
}
