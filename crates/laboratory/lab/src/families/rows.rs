//! Softmax, layer norm and RMS norm of the rows of an f32 matrix, within a bound of the rounding errors.

use crate::families::family::{BoundedTrial, Expected, Family, OnDevice, refuse};
use crate::problem::{Case, Request, Trial, check_memory, lacks};
use lanework::{Backend, Buffer, Device, Result};
use lanework_bench::Work;
use lanework_ladders::rows::{LONGEST, Rows};
use lanework_ladders::{Ladder, layer_norm, rms_norm, softmax};
use lanework_verify::bound::Bound;
use lanework_verify::host::uniform_floats;
use std::cell::OnceCell;

fn family(ladder: fn() -> Ladder, open: fn(&Request) -> Result<Box<dyn Case>>) -> Family {
    Family {
        parameters: &["size", "rows", "cols"],
        arrays: &["input"],
        sweep: &[("cols", &[64, 1024, 4096])],
        ..Family::new(ladder, open)
    }
}

pub(super) fn of_softmax() -> Family {
    family(softmax::ladder, |request| open(request, Operation::Softmax))
}

pub(super) fn of_layer_norm() -> Family {
    family(layer_norm::ladder, |request| open(request, Operation::LayerNorm))
}

pub(super) fn of_rms_norm() -> Family {
    family(rms_norm::ladder, |request| open(request, Operation::RmsNorm))
}

/// Epsilon: added to the variance or the mean square.
const EPS: f32 = 1e-5;

/// A matrix and the operation on its rows.
struct Matrix {
    operation: Operation,
    rows: u32,
    cols: u32,
    seed: u64,
    x: OnceCell<Vec<f32>>,
    reference: OnceCell<Vec<(f64, f64)>>,
}

/// The case of a request.
fn open(request: &Request, operation: Operation) -> Result<Box<dyn Case>> {
    let held = request.arrays.get("input").map(|input| input.matrix("input")).transpose()?;
    let default = if request.backend == Backend::Cuda { 4096 } else { 512 };
    let mut extents = request.extents(default);
    let rows = extents.next_u32("rows", held.map(|(rows, _)| ("input", rows)))?;
    let cols = extents.next_u32("cols", held.map(|(_, cols)| ("input", cols)))?;
    extents.finish()?;
    let count = u64::from(rows) * u64::from(cols);
    if count == 0 || count > LONGEST {
        let why = format!("a matrix of {rows}x{cols}");
        return Err(refuse(operation.ladder(), why, "give 1 to 2^31 elements"));
    }
    let given = request.arrays.get("input").map(|input| OnceCell::from(input.elements::<f32>()));
    let x = given.unwrap_or_default();
    let (seed, reference) = (request.seed, OnceCell::new());
    Ok(Box::new(Matrix { operation, rows, cols, seed, x, reference }))
}

impl Matrix {
    fn length(&self) -> usize {
        self.rows as usize * self.cols as usize
    }

    fn x(&self) -> &[f32] {
        self.x.get_or_init(|| uniform_floats(self.length(), self.seed))
    }

    fn gamma(&self) -> Vec<f32> {
        uniform_floats(self.cols as usize, self.seed.wrapping_add(1 << 32))
    }

    fn beta(&self) -> Vec<f32> {
        uniform_floats(self.cols as usize, self.seed.wrapping_add(1 << 33))
    }
}

impl Case for Matrix {
    fn extents(&self) -> Vec<(&'static str, u64)> {
        vec![("rows", self.rows.into()), ("cols", self.cols.into())]
    }

    fn work(&self) -> Work {
        Work { bytes: 8 * self.length() as u64, flops: 4 * self.length() as u64 }
    }

    fn edge_cases(&self) -> Vec<Box<dyn Case>> {
        let seed = self.seed.wrapping_add(1);
        let small = |rows, cols| -> Box<dyn Case> {
            let (operation, x, reference) = (self.operation, OnceCell::new(), OnceCell::new());
            Box::new(Matrix { operation, rows, cols, seed, x, reference })
        };
        vec![small(1, 1), small(300, 7), small(5, 1028), small(2, 3001)]
    }

    fn check_fits(&self, device: &Device) -> Result<()> {
        let what = format!("two matrices of {}x{} floats", self.rows, self.cols);
        check_memory(device, self.operation.ladder(), &what, self.work().bytes)
    }

    fn skips(&self, rung: &str, device: &Device) -> Option<String> {
        if rung == "ring" {
            return lacks(device, (9, 0), false);
        }
        let held = ["held", "vectorized"].contains(&rung);
        (held && self.cols > 16384)
            .then(|| "a block's registers hold rows of up to 16384 numbers".to_owned())
    }

    fn trial<'a>(&'a self, rung: &str, device: &Device) -> Result<Box<dyn Trial + 'a>> {
        let rungs = match self.operation {
            Operation::Softmax => softmax::rungs(),
            Operation::LayerNorm => layer_norm::rungs(),
            Operation::RmsNorm => rms_norm::rungs(),
        };
        let rung = rungs.into_iter().find(|known| known.info.name == rung);
        let upload = |name, host: &[f32]| -> Result<_> {
            let mut buffer = device.uninit_named(host.len(), name)?;
            buffer.upload(host)?;
            Ok(buffer)
        };
        let (gamma, beta) = match self.operation {
            Operation::Softmax => (vec![], vec![]),
            Operation::LayerNorm => (self.gamma(), self.beta()),
            Operation::RmsNorm => (self.gamma(), vec![]),
        };
        let matrix = Rows {
            x: upload("x", self.x())?,
            y: device.uninit_named(self.length(), "y")?,
            gamma: upload("gamma", &gamma)?,
            beta: upload("beta", &beta)?,
            rows: self.rows,
            cols: self.cols,
            eps: EPS,
        };
        let rung = rung.expect("a rung of the ladder");
        Ok(Box::new(BoundedTrial { case: self, rung, device: device.clone(), problem: matrix }))
    }
}

impl Expected for Matrix {
    fn shape(&self) -> Vec<u64> {
        vec![self.rows.into(), self.cols.into()]
    }

    fn bound(&self) -> Bound {
        Bound::of_product(self.cols as usize + OTHERS, 1.0, 0.0)
    }

    fn reference(&self) -> &[(f64, f64)] {
        self.reference.get_or_init(|| {
            let (gamma, beta) = (self.gamma(), self.beta());
            let of_columns = (&gamma[..], &beta[..]);
            reference(self.operation, self.x(), self.cols as usize, of_columns, EPS)
        })
    }
}

impl OnDevice for Rows {
    type Output = f32;
    const OUTPUT: &'static str = "f32";

    fn output(&self) -> &Buffer<f32> {
        &self.y
    }

    fn output_mut(&mut self) -> &mut Buffer<f32> {
        &mut self.y
    }
}

/// The operation on rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operation {
    Softmax,
    LayerNorm,
    RmsNorm,
}

impl Operation {
    /// The name of its ladder.
    fn ladder(self) -> &'static str {
        match self {
            Operation::Softmax => "softmax",
            Operation::LayerNorm => "layer-norm",
            Operation::RmsNorm => "rms-norm",
        }
    }
}

/// Roundings of an element in addition to the roundings of its row's sums: exponential, root,
/// quotients and products.
const OTHERS: usize = 32;

/// The results for rows of `cols` numbers, each with the sum of magnitudes that scales its rounding errors.
fn reference(
    operation: Operation,
    x: &[f32],
    cols: usize,
    (gamma, beta): (&[f32], &[f32]),
    eps: f32,
) -> Vec<(f64, f64)> {
    let mut results = Vec::with_capacity(x.len());
    for row in x.chunks(cols) {
        let row: Vec<f64> = row.iter().map(|x| f64::from(*x)).collect();
        let mean_of = |f: &dyn Fn(f64) -> f64| row.iter().map(|x| f(*x)).sum::<f64>() / cols as f64;
        if operation == Operation::Softmax {
            let most = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let sum: f64 = row.iter().map(|x| (x - most).exp()).sum();
            results.extend(row.iter().map(|x| {
                let result = (x - most).exp() / sum;
                // The rounding of an exponent is relative to the exponent.
                (result, result * (2.0 + 2.0 * (x - most).abs()))
            }));
            continue;
        }
        let squares = mean_of(&|x| x * x);
        let shift = if operation == Operation::LayerNorm { mean_of(&|x| x) } else { 0.0 };
        let spread = mean_of(&|x| (x - shift).powi(2)) + f64::from(eps);
        let (root, magnitude) = (spread.sqrt(), mean_of(&f64::abs));
        for (i, x) in row.iter().enumerate() {
            let factor = f64::from(gamma[i]);
            let summand = if operation == Operation::LayerNorm { f64::from(beta[i]) } else { 0.0 };
            let plain = (x - shift) / root * factor;
            // Magnitudes for the errors of the mean, of the variance (possibly a difference of squares), and of the
            // other operations.
            let of_mean = (x.abs() + magnitude) / root * factor.abs();
            let scale = of_mean + plain.abs() * 2.0 * squares / spread + summand.abs();
            results.push((plain + summand, scale));
        }
    }
    results
}
