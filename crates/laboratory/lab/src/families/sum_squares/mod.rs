//! The sum of squares: integers bit for bit, floats within the rounding-error tolerance.

mod reference;

use self::reference::Reference;
use crate::families::family::Family;
use crate::problem::{Case, Request, Trial, check_memory};
use crate::record::HostRecord;
use lanework::{Backend, Device, Error, Job, Result};
use lanework_bench::{Accuracy, Rejection, Work};
use lanework_ladders::Rung;
use lanework_ladders::sum_squares::{self, LONGEST, LadderElement, Numbers, on_host};
use lanework_verify::host::{Array, ElementType, random_elements};
use rand::{Rng, SeedableRng, rngs::StdRng};
use reference::KernelResult;
use std::cell::OnceCell;
use std::time::Instant;

/// A sum-of-squares rung for numbers `E`.
pub type SumSquaresRung<E> = Rung<Numbers<E>>;

pub(super) fn family() -> Family {
    Family {
        parameters: &["size", "block"],
        elements: &["i32", "u32", "i64", "u64", "f32", "f64", "f16", "bf16"],
        arrays: &["input"],
        sweep: &[("block", &[256, 512]), ("size", &[1 << 16, 1 << 18, 1 << 20])],
        unused: &[(
            "block",
            &[
                "one-thread",
                "several-loads",
                "single-pass",
                "eight-loads",
                "announced",
                "bulk-copies",
                "library",
            ],
        )],
        ..Family::new(sum_squares::ladder, open)
    }
}

/// Number of inputs in the experiments.
const NOTES: u64 = 1 << 20;
/// The most numbers for a single thread: seconds on a GPU, and the most that an `f32` sum can add before it stops
/// growing.
const MOST_FOR_ONE_THREAD: usize = 1 << 24;

/// The rungs that reduce the sums of a block by halves.
const BY_HALVES: [&str; 5] =
    ["tree-interleaved", "tree-strided", "tree-halving", "tree-unrolled", "warp-shuffle"];

/// Distribution of the numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Draw {
    /// As in the experiments: integers from 0 to 9; floats uniform in -1 to 1.
    Notes,
    /// Integers of any size, whose sum wraps; floats as in [`Draw::Notes`].
    Any,
}

/// `length` numbers, the same for the same seed.
pub fn draw_numbers<E: LadderElement>(length: usize, draw: Draw, seed: u64) -> Vec<E> {
    let mut random = StdRng::seed_from_u64(seed);
    match (E::ROUNDOFF == 0.0, draw) {
        (true, Draw::Any) => random_elements(length, seed),
        (true, Draw::Notes) => {
            (0..length).map(|_| E::from_f64(f64::from(random.random_range(0..10u8)))).collect()
        }
        (false, _) => (0..length).map(|_| E::from_f64(random.random_range(-1.0..=1.0))).collect(),
    }
}

/// Numbers with the sum of their squares.
struct SumSquares<E: LadderElement> {
    length: usize,
    threads: u32,
    element: ElementType,
    /// Distribution of the numbers; `None` if they are the user's.
    draw: Option<Draw>,
    seed: u64,
    /// The numbers, drawn on first use, so that a case costs nothing until it runs.
    src: OnceCell<Vec<E>>,
    reference: OnceCell<Reference<E>>,
}

/// The case of a request.
fn open(request: &Request) -> Result<Box<dyn Case>> {
    let element = request.element("i32");
    match element.name {
        "u32" => case::<u32>(request, element),
        "i64" => case::<i64>(request, element),
        "u64" => case::<u64>(request, element),
        "f32" => case::<f32>(request, element),
        "f64" => case::<f64>(request, element),
        "f16" => case::<half::f16>(request, element),
        "bf16" => case::<half::bf16>(request, element),
        _ => case::<i32>(request, element),
    }
}

fn case<E: LadderElement>(request: &Request, element: ElementType) -> Result<Box<dyn Case>> {
    let given = request.arrays.get("input").map(|input| input.elements::<E>());
    let held = given.as_ref().map(|given| ("input", given.len() as u64));
    let length = request.extents(NOTES).next("size", held)?;
    if length > LONGEST as u64 {
        return Err(Error::Launch {
            kernel: "sum-squares".to_owned(),
            why: format!("{length} numbers exceed the limit of {LONGEST}"),
            help: "sum the squares in parts, and add the parts".to_owned(),
        });
    }
    let threads = request.u32("block", sum_squares::THREADS)?;
    let mut case = SumSquares::new(length as usize, threads, element, Draw::Notes, request.seed);
    if let Some(given) = given {
        case.draw = None;
        case.src = OnceCell::from(given);
    }
    Ok(Box::new(case))
}

impl<E: LadderElement> SumSquares<E> {
    fn new(length: usize, threads: u32, element: ElementType, draw: Draw, seed: u64) -> Self {
        let (src, reference) = (OnceCell::new(), OnceCell::new());
        SumSquares { length, threads, element, draw: Some(draw), seed, src, reference }
    }

    fn src(&self) -> &[E] {
        let draw = self.draw.unwrap_or(Draw::Notes);
        self.src.get_or_init(|| draw_numbers(self.length, draw, self.seed))
    }

    fn reference(&self) -> &Reference<E> {
        self.reference.get_or_init(|| Reference::of(self.src()))
    }
}

impl<E: LadderElement> Case for SumSquares<E> {
    fn extents(&self) -> Vec<(&'static str, u64)> {
        vec![("size", self.length as u64)]
    }

    fn settings(&self) -> Vec<(&'static str, u64)> {
        vec![("block", self.threads.into())]
    }

    fn element(&self) -> &'static str {
        self.element.name
    }

    fn work(&self) -> Work {
        let length = self.length as u64;
        Work { bytes: length * size_of::<E>() as u64, flops: 2 * length }
    }

    fn edge_cases(&self) -> Vec<Box<dyn Case>> {
        let threads = self.threads;
        let lengths = [0, 1, 3 * threads as usize + 7, 70_001];
        let case = |(index, length)| {
            let draw = if index % 2 == 0 { Draw::Any } else { Draw::Notes };
            let seed = self.seed.wrapping_add(1 + index as u64);
            Box::new(SumSquares::<E>::new(length, threads, self.element, draw, seed)) as Box<_>
        };
        lengths.into_iter().enumerate().map(case).collect()
    }

    fn check_fits(&self, device: &Device) -> Result<()> {
        let bytes = self.work().bytes;
        let what = format!("{} numbers of {} bytes", self.length, size_of::<E>());
        check_memory(device, "sum-squares", &what, bytes)?;
        Numbers::<E>::new(device, &[], self.threads).map(drop)
    }

    fn skips(&self, rung: &str, _device: &Device) -> Option<String> {
        let threads = self.threads;
        if rung == "one-thread" && self.length > MOST_FOR_ONE_THREAD {
            return Some(format!("a single thread takes at most {MOST_FOR_ONE_THREAD} numbers"));
        }
        let halves = threads.is_power_of_two() && threads >= 32;
        (BY_HALVES.contains(&rung) && !halves).then(|| {
            format!("a block of {threads} threads cannot be halved down to a warp; use --block 32 to 1024, a power of two")
        })
    }

    fn trial<'a>(&'a self, rung: &str, device: &Device) -> Result<Box<dyn Trial + 'a>> {
        let rung = E::rungs().into_iter().find(|known| known.info.name == rung);
        Ok(Box::new(SumSquaresTrial {
            case: self,
            rung: rung.expect("a rung of the ladder"),
            device: device.clone(),
            numbers: Numbers::new(device, self.src(), self.threads)?,
            shape: (1, 1),
        }))
    }

    fn host(&self) -> Option<HostRecord> {
        Some(HostRecord::time("A1", || {
            std::hint::black_box(on_host(self.src()));
        }))
    }
}

/// A rung with its numbers on a device.
struct SumSquaresTrial<'a, E: LadderElement> {
    case: &'a SumSquares<E>,
    rung: SumSquaresRung<E>,
    device: Device,
    numbers: Numbers<E>,
    /// Blocks of the last job, and threads of each.
    shape: (u64, u64),
}

impl<E: LadderElement> Trial for SumSquaresTrial<'_, E> {
    fn poison(&mut self) -> Result<()> {
        self.numbers.poison()
    }

    fn job(&mut self) -> Result<Job<'_>> {
        let kernel = (self.rung.prepare)(&mut self.numbers, &self.device)?;
        self.shape = (kernel.shape().0.count(), kernel.shape().1.count());
        Ok(kernel.into())
    }

    fn check(&mut self) -> Result<Accuracy, Rejection> {
        let found =
            KernelResult::of(&self.numbers, self.case.src(), self.shape, self.case.draw.is_some())?;
        let compared = self.case.reference().compare(&found);
        compared.map_err(|why| why.at(format_args!("of {} numbers", self.case.length)))
    }

    fn figures(&self) -> Vec<(&'static str, f64)> {
        let started = Instant::now();
        let (Ok(_), host) = (self.numbers.add_up(), started.elapsed()) else { return Vec::new() };
        let Ok(cycles) = self.numbers.cycles() else { return Vec::new() };
        let sums = ("host_sums", self.numbers.sums.len() as f64);
        match self.device.backend() {
            Backend::Cuda => vec![
                ("cycles", cycles.longest as f64),
                ("span_cycles", cycles.span as f64),
                ("host_ns", host.as_nanos() as f64),
                sums,
            ],
            // The emulator's clock counts warp instructions.
            Backend::Emulator => vec![("longest_warp_instructions", cycles.longest as f64), sums],
        }
    }

    fn output(&self) -> Result<Array> {
        let sum = self.numbers.add_up()?;
        let name = if E::ROUNDOFF == 0.0 {
            "u64"
        } else if size_of::<E::Sum>() == 8 {
            "f64"
        } else {
            "f32"
        };
        let element = ElementType::named(name);
        Ok(Array::new(&[], element.expect("a known type"), &[sum]))
    }
}

/// The sum of the squares of `src` by one rung in blocks of `threads`, compared with the host's.
///
/// # Errors
/// A device error, or a description of the differences.
pub fn verify_sum_squares<E: LadderElement>(
    rung: &SumSquaresRung<E>,
    device: &Device,
    src: &[E],
    threads: u32,
) -> Result<Accuracy, Rejection> {
    let mut numbers = Numbers::new(device, src, threads)?;
    let mut kernel = (rung.prepare)(&mut numbers, device)?;
    let shape = (kernel.shape().0.count(), kernel.shape().1.count());
    kernel.launch()?;
    drop(kernel);
    Reference::of(src).compare(&KernelResult::of(&numbers, src, shape, false)?)
}
