//! The matrix product in f32, with plain and compensated (Kahan) sums, compared with FP64.

use crate::families::family::{Family, given, refuse};
use crate::problem::{Case, Request, Trial, check_countable, check_memory};
use lanework::{Backend, Device, Job, Result};
use lanework_bench::{Accuracy, Rejection, Work};
use lanework_ladders::matmul::{self, Extents, Matrices, ProductRung};
use lanework_verify::host::{Array, ElementType, uniform_floats};
use lanework_verify::product::{Product, Reference};
use std::cell::OnceCell;

pub fn family() -> Family {
    Family {
        parameters: &["size", "m", "n", "k", "block"],
        arrays: &["a", "b"],
        sweep: &[("block", &[8, 16, 32, 64])],
        unused: &[(
            "block",
            &["naive", "kahan", "row-shared", "pitched", "blocked", "zero-padded", "library"],
        )],
        ..Family::new(matmul::ladder, open)
    }
}

/// The rungs whose tile is the block.
const BLOCK_IS_TILE: [&str; 2] = ["naive-2d", "shared"];

/// A product of random or given matrices.
struct Matmul {
    extents: Extents,
    block: u32,
    seed: u64,
    a: OnceCell<Vec<f32>>,
    b: OnceCell<Vec<f32>>,
    reference: OnceCell<Reference>,
}

/// The extents that a request of `ladder` gives, by numbers or by the arrays A and B.
///
/// # Errors
/// If the extents of A and B do not match, or C would have no elements.
pub fn extents(ladder: &str, request: &Request, default: u32) -> Result<(u32, u32, u32)> {
    let matrix = |name| request.arrays.get(name).map(|array| array.matrix(name)).transpose();
    let (a, b) = (matrix("a")?, matrix("b")?);
    if let (Some((m, k)), Some((rows, cols))) = (a, b)
        && rows != k
    {
        let why = format!("A is {m}x{k} and B is {rows}x{cols}: {k} columns against {rows} rows");
        return Err(refuse(ladder, why, "give a B with as many rows as A has columns"));
    }
    let mut extents = request.extents(default.into());
    let m = extents.next_u32("m", a.map(|(m, _)| ("a", m)))?;
    let n = extents.next_u32("n", b.map(|(_, n)| ("b", n)))?;
    let of_a = a.map(|(_, k)| ("a", k));
    let k = extents.next_u32("k", of_a.or(b.map(|(k, _)| ("b", k))))?;
    extents.finish()?;
    check_countable(ladder, &[(m, k), (k, n), (m, n)])?;
    if m == 0 || n == 0 {
        let why = format!("a product of {m}x{k} by {k}x{n} has no elements");
        return Err(refuse(ladder, why, "give at least one row and one column"));
    }
    Ok((m, n, k))
}

/// The case of a request.
fn open(request: &Request) -> Result<Box<dyn Case>> {
    let default = if request.backend == Backend::Cuda { 1000 } else { 250 };
    let (m, n, k) = extents("matmul", request, default)?;
    if k == 0 {
        let why = format!("the product of {m}x0 by 0x{n} is all zeros");
        return Err(refuse("matmul", why, "give at least one column of A"));
    }
    let block = request.u32("block", 32)?;
    if block == 0 {
        let why = "a block of 0x0 threads computes nothing".to_owned();
        return Err(refuse("matmul", why, "use a block of 8, 16 or 32"));
    }
    Ok(Box::new(Matmul {
        a: given(request.arrays.get("a")),
        b: given(request.arrays.get("b")),
        ..Matmul::random(Extents { m, n, k }, block, request.seed)
    }))
}

impl Matmul {
    fn random(extents: Extents, block: u32, seed: u64) -> Self {
        let (a, b, reference) = (OnceCell::new(), OnceCell::new(), OnceCell::new());
        Matmul { extents, block, seed, a, b, reference }
    }

    fn a(&self) -> &[f32] {
        let elements = self.extents.m as usize * self.extents.k as usize;
        self.a.get_or_init(|| uniform_floats(elements, self.seed))
    }

    fn b(&self) -> &[f32] {
        let elements = self.extents.k as usize * self.extents.n as usize;
        self.b.get_or_init(|| uniform_floats(elements, self.seed.wrapping_add(1 << 32)))
    }

    fn product(&self) -> Product<'_> {
        let [m, n, k] = [self.extents.m, self.extents.n, self.extents.k].map(|x| x as usize);
        let (a, b) = (self.a(), self.b());
        Product { extents: (m, n, k), leading: (k, n, n), alpha: 1.0, beta: 0.0, a, b, c: &[] }
    }
}

impl Case for Matmul {
    fn extents(&self) -> Vec<(&'static str, u64)> {
        let Extents { m, n, k } = self.extents;
        vec![("m", m.into()), ("n", n.into()), ("k", k.into())]
    }

    fn settings(&self) -> Vec<(&'static str, u64)> {
        vec![("block", self.block.into())]
    }

    fn work(&self) -> Work {
        Work { bytes: self.extents.bytes(), flops: self.extents.flops() }
    }

    fn edge_cases(&self) -> Vec<Box<dyn Case>> {
        // A refused block is reported once, by the requested case.
        let block = self.block.min(32);
        let small = |m, n, k| -> Box<dyn Case> {
            Box::new(Matmul::random(Extents { m, n, k }, block, self.seed.wrapping_add(1)))
        };
        vec![small(1, 1, 1), small(37, 71, 19), small(70, 5, 33)]
    }

    fn check_fits(&self, device: &Device) -> Result<()> {
        let Extents { m, n, k } = self.extents;
        // The widest layout: every row starts at a multiple of the device's alignment.
        let pitch = |width: u32| device.row_pitch::<f32>(width as usize) as u64;
        let elements = (u64::from(m) + 15) * (pitch(k) + pitch(n)) + (u64::from(k) + 15) * pitch(n);
        let what = format!("{m}x{k} and {k}x{n} floats and their product, in aligned rows,");
        check_memory(device, "matmul", &what, 4 * elements)
    }

    fn skips(&self, rung: &str, device: &Device) -> Option<String> {
        let threads = u64::from(self.block) * u64::from(self.block);
        let most = device.info().max_threads_per_block;
        (BLOCK_IS_TILE.contains(&rung) && threads > most.into()).then(|| {
            format!("a tile of {0}x{0} needs {threads} threads, a block has {most}", self.block)
        })
    }

    fn trial<'a>(&'a self, rung: &str, device: &Device) -> Result<Box<dyn Trial + 'a>> {
        let mut rungs = matmul::rungs().into_iter();
        let rung = rungs.find(|known| known.info.name == rung).expect("a rung of the ladder");
        let factors = (self.a(), self.b());
        let matrices = Matrices::place(device, self.extents, self.block, rung.layout, factors)?;
        Ok(Box::new(MatmulTrial { case: self, rung, device: device.clone(), matrices }))
    }
}

/// A rung with its matrices on a device.
struct MatmulTrial<'a> {
    case: &'a Matmul,
    rung: ProductRung,
    device: Device,
    matrices: Matrices,
}

impl Trial for MatmulTrial<'_> {
    fn poison(&mut self) -> Result<()> {
        self.matrices.poison()
    }

    fn job(&mut self) -> Result<Job<'_>> {
        Ok((self.rung.prepare)(&mut self.matrices, &self.device)?.into())
    }

    fn check(&mut self) -> Result<Accuracy, Rejection> {
        let c = self.matrices.c.download()?;
        let product = self.case.product();
        let reference = self.case.reference.get_or_init(|| product.reference());
        let Extents { m, n, k } = self.case.extents;
        product.compare(reference, &c).map_err(|why| why.at(format_args!("at {m}x{n}x{k}")))
    }

    fn output(&self) -> Result<Array> {
        let shape = [self.case.extents.m.into(), self.case.extents.n.into()];
        let f32_type = ElementType::named("f32");
        Ok(Array::new(&shape, f32_type.expect("a known type"), &self.matrices.c.download()?))
    }
}
