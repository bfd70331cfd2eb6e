//! The product of a matrix and a vector: within the bound of any order of additions.

use crate::families::family::{BoundedTrial, Expected, Family, OnDevice, refuse};
use crate::problem::{Case, Request, Trial, check_memory};
use lanework::{Backend, Buffer, Device, Result};
use lanework_bench::Work;
use lanework_ladders::matvec::{self, Operands};
use lanework_verify::bound::Bound;
use lanework_verify::host::uniform_floats;
use std::cell::OnceCell;

pub fn family() -> Family {
    Family {
        parameters: &["size", "rows", "cols"],
        sweep: &[("rows", &[64, 512, 4096])],
        ..Family::new(matvec::ladder, open)
    }
}

/// The most elements of A, so that 32-bit indices do not overflow.
const MOST: u64 = 1 << 31;

/// A random matrix and a random vector.
struct MatVec {
    rows: u32,
    cols: u32,
    seed: u64,
    factors: OnceCell<[Vec<f32>; 2]>,
    reference: OnceCell<Vec<(f64, f64)>>,
}

/// The case of a request.
fn open(request: &Request) -> Result<Box<dyn Case>> {
    let default = if request.backend == Backend::Cuda { 8192 } else { 512 };
    let mut extents = request.extents(default);
    let (rows, cols) = (extents.next_u32("rows", None)?, extents.next_u32("cols", None)?);
    extents.finish()?;
    let count = u64::from(rows) * u64::from(cols);
    if count == 0 || count > MOST {
        let why = format!("a matrix of {rows}x{cols}");
        return Err(refuse("matvec", why, "give 1 to 2^31 elements"));
    }
    Ok(Box::new(MatVec::random(rows, cols, request.seed)))
}

impl MatVec {
    fn random(rows: u32, cols: u32, seed: u64) -> Self {
        MatVec { rows, cols, seed, factors: OnceCell::new(), reference: OnceCell::new() }
    }

    fn factors(&self) -> &[Vec<f32>; 2] {
        let (rows, cols) = (self.rows as usize, self.cols as usize);
        let other = self.seed.wrapping_add(1 << 32);
        self.factors
            .get_or_init(|| [uniform_floats(rows * cols, self.seed), uniform_floats(cols, other)])
    }

    /// Elements of A, x and y.
    fn elements(&self) -> u64 {
        let (rows, cols) = (u64::from(self.rows), u64::from(self.cols));
        rows * cols + rows + cols
    }
}

impl Case for MatVec {
    fn extents(&self) -> Vec<(&'static str, u64)> {
        vec![("rows", self.rows.into()), ("cols", self.cols.into())]
    }

    fn work(&self) -> Work {
        let flops = 2 * u64::from(self.rows) * u64::from(self.cols);
        Work { bytes: 4 * self.elements(), flops }
    }

    fn edge_cases(&self) -> Vec<Box<dyn Case>> {
        let small = |rows, cols| -> Box<dyn Case> {
            Box::new(MatVec::random(rows, cols, self.seed.wrapping_add(1)))
        };
        vec![small(1, 1), small(3, 1000), small(70, 37), small(131, 260)]
    }

    fn check_fits(&self, device: &Device) -> Result<()> {
        let what = format!("a matrix of {}x{} floats", self.rows, self.cols);
        check_memory(device, "matvec", &what, self.work().bytes)
    }

    fn trial<'a>(&'a self, rung: &str, device: &Device) -> Result<Box<dyn Trial + 'a>> {
        let rung = matvec::rungs().into_iter().find(|known| known.info.name == rung);
        let upload = |name, host: &[f32]| -> Result<_> {
            let mut buffer = device.uninit_named(host.len(), name)?;
            buffer.upload(host)?;
            Ok(buffer)
        };
        let [a, x] = self.factors();
        let (a, x) = (upload("a", a)?, upload("x", x)?);
        let y = device.uninit_named(self.rows as usize, "y")?;
        let problem = Operands { rows: self.rows, cols: self.cols, a, x, y };
        let rung = rung.expect("a rung of the ladder");
        Ok(Box::new(BoundedTrial { case: self, rung, device: device.clone(), problem }))
    }
}

impl Expected for MatVec {
    fn shape(&self) -> Vec<u64> {
        vec![self.rows.into()]
    }

    fn bound(&self) -> Bound {
        Bound::of_product(self.cols as usize, 1.0, 0.0)
    }

    fn reference(&self) -> &[(f64, f64)] {
        self.reference.get_or_init(|| {
            let [a, x] = self.factors();
            let of_row = |row: &[f32]| {
                row.iter().zip(x).fold((0.0, 0.0), |(sum, scale), (a, x)| {
                    let product = f64::from(*a) * f64::from(*x);
                    (sum + product, scale + product.abs())
                })
            };
            a.chunks(self.cols as usize).map(of_row).collect()
        })
    }
}

impl OnDevice for Operands {
    type Output = f32;
    const OUTPUT: &'static str = "f32";

    fn output(&self) -> &Buffer<f32> {
        &self.y
    }

    fn output_mut(&mut self) -> &mut Buffer<f32> {
        &mut self.y
    }
}
