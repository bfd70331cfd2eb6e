//! The general product in single precision: any shape, leading dimensions, alpha and beta. Its least operations, bytes
//! and times on known GPUs.

use crate::families::family::{CUBLAS, Family, Solver, cublas, given, refuse};
use crate::families::products::matmul::extents;
use crate::problem::{Case, Request, Trial, check_countable, check_memory, lacks};
use lanework::{Backend, Buffer, Cublas, Device, GemmShape, Job, Result};
use lanework_bench::{Accuracy, Gpu, Rejection, Work, specs};
use lanework_ladders::sgemm::{Operands, Shape};
use lanework_ladders::{Rung, RungInfo, sgemm};
use lanework_verify::host::{Array, ElementType, uniform_floats};
use lanework_verify::product::{Product, Reference};
use std::cell::OnceCell;

pub fn family() -> Family {
    Family {
        peer: Some(PEER),
        parameters: &["size", "m", "n", "k", "lda", "ldb", "ldc"],
        scaled: true,
        arrays: &["a", "b", "c"],
        sweep: &[("size", &[128, 256, 512])],
        ..Family::new(sgemm::ladder, open)
    }
}

/// The vendor's product.
const PEER: RungInfo = cublas(
    "D4",
    "//! Idea: cublasSgemm of the installed cuBLAS, in true FP32.\n\
     //! 思路：已安装的 cuBLAS 的 cublasSgemm，真正的 FP32。\n\
     //! Predicts: nothing; the rungs are compared with it.\n\
     //! 预测：无；它是其他各级的比较对象。\n\
     //! Costs: a toolkit on the machine.\n\
     //! 代价：机器上必须装有 CUDA 工具包。\n",
);

/// Rungs that need Hopper.
const OF_HOPPER: [&str; 2] = ["ring", "cluster-split"];

/// A product of random or given matrices.
struct Sgemm {
    shape: Shape,
    alpha: f32,
    beta: f32,
    seed: u64,
    a: OnceCell<Vec<f32>>,
    b: OnceCell<Vec<f32>>,
    c: OnceCell<Vec<f32>>,
    reference: OnceCell<Reference>,
}

/// The case of a request.
fn open(request: &Request) -> Result<Box<dyn Case>> {
    let default = if request.backend == Backend::Cuda { 4096 } else { 256 };
    let (m, n, k) = extents("sgemm", request, default)?;
    let arrays = ["a", "b", "c"].map(|name| request.arrays.get(name));
    let widths = [("lda", k), ("ldb", n), ("ldc", n)];
    let mut leading = [k, n, n];
    for ((ld, (name, width)), array) in leading.iter_mut().zip(widths).zip(arrays) {
        *ld = request.u32(name, width)?;
        if *ld < width {
            let why = format!("--{name} {ld} is less than the {width} elements of a row");
            return Err(refuse("sgemm", why, "give at least the length of a row"));
        }
        if array.is_some() && *ld != width {
            let why = format!("--{name} {ld} does not go with an array whose rows lie end to end");
            return Err(refuse("sgemm", why, "remove the leading dimension or the array"));
        }
    }
    if let Some(c) = arrays[2]
        && c.matrix("c")? != (m, n)
    {
        let why = format!("C is {:?}, the product {m}x{n}", c.shape);
        return Err(refuse("sgemm", why, "give a C of the product's shape"));
    }
    let [lda, ldb, ldc] = leading;
    check_countable("sgemm", &[(m, lda), (k, ldb), (m, ldc)])?;
    let alpha = request.factor("alpha", request.alpha, 1.0)?;
    let beta = request.factor("beta", request.beta, 0.0)?;
    if arrays[2].is_some() && beta == 0.0 {
        let why = "--c is not used: beta is 0".to_owned();
        return Err(refuse("sgemm", why, "give --beta, such as --beta 1, or remove --c"));
    }
    Ok(Box::new(Sgemm {
        alpha,
        beta,
        a: given(arrays[0]),
        b: given(arrays[1]),
        c: given(arrays[2]),
        ..Sgemm::random(Shape { m, n, k, lda, ldb, ldc }, (1.0, 0.0), request.seed)
    }))
}

impl Sgemm {
    fn random(shape: Shape, (alpha, beta): (f32, f32), seed: u64) -> Self {
        let (a, b, c) = (OnceCell::new(), OnceCell::new(), OnceCell::new());
        Sgemm { shape, alpha, beta, seed, a, b, c, reference: OnceCell::new() }
    }

    /// Operand `index` of A, B and C, drawn when first needed.
    fn operand(&self, index: usize) -> &[f32] {
        let cell = [&self.a, &self.b, &self.c][index];
        let elements = self.shape.elements()[index] as usize;
        // If C must not be read, it holds NaN.
        let unread = index == 2 && self.beta == 0.0;
        cell.get_or_init(|| match unread {
            true => vec![f32::NAN; elements],
            false => uniform_floats(elements, self.seed.wrapping_add((index as u64) << 32)),
        })
    }

    fn product(&self) -> Product<'_> {
        let Shape { m, n, k, lda, ldb, ldc } = self.shape;
        let [m, n, k, lda, ldb, ldc] = [m, n, k, lda, ldb, ldc].map(|x| x as usize);
        Product {
            extents: (m, n, k),
            leading: (lda, ldb, ldc),
            alpha: self.alpha,
            beta: self.beta,
            a: self.operand(0),
            b: self.operand(1),
            c: self.operand(2),
        }
    }
}

impl Case for Sgemm {
    fn extents(&self) -> Vec<(&'static str, u64)> {
        let Shape { m, n, k, .. } = self.shape;
        vec![("m", m.into()), ("n", n.into()), ("k", k.into())]
    }

    fn settings(&self) -> Vec<(&'static str, u64)> {
        let Shape { lda, ldb, ldc, .. } = self.shape;
        vec![("lda", lda.into()), ("ldb", ldb.into()), ("ldc", ldc.into())]
    }

    fn work(&self) -> Work {
        Work { bytes: 4 * self.shape.elements().iter().sum::<u64>(), flops: self.shape.flops() }
    }

    fn edge_cases(&self) -> Vec<Box<dyn Case>> {
        let seed = self.seed.wrapping_add(1);
        let small = |m, n, k, gap, scales| -> Box<dyn Case> {
            let shape = Shape { m, n, k, lda: k + gap, ldb: n + 2 * gap, ldc: n + gap };
            Box::new(Sgemm::random(shape, scales, seed))
        };
        vec![
            small(1, 1, 1, 0, (1.0, 0.0)),
            small(37, 71, 19, 3, (-0.5, 1.0)),
            small(130, 140, 36, 4, (0.75, -0.5)),
        ]
    }

    fn check_fits(&self, device: &Device) -> Result<()> {
        let Shape { m, n, k, .. } = self.shape;
        let what = format!("{m}x{k} and {k}x{n} floats and their product");
        check_memory(device, "sgemm", &what, self.work().bytes)
    }

    fn skips(&self, rung: &str, device: &Device) -> Option<String> {
        if rung == CUBLAS {
            return Cublas::missing(device);
        }
        lacks(device, (9, 0), true).filter(|_| OF_HOPPER.contains(&rung))
    }

    fn trial<'a>(&'a self, rung: &str, device: &Device) -> Result<Box<dyn Trial + 'a>> {
        let solver = Solver::named(rung, sgemm::rungs(), device)?;
        Ok(Box::new(self.attempt(solver, device)?))
    }

    fn analysis(&self) -> Vec<String> {
        least(self.shape, self.work().bytes)
    }
}

/// Runs the rung on fresh random operands and compares every element.
///
/// # Errors
/// A device error, or a description of the differences.
pub fn verify_sgemm(
    rung: Rung<Operands>,
    device: &Device,
    shape: Shape,
    scales: (f32, f32),
    seed: u64,
) -> Result<Accuracy, Rejection> {
    let case = Sgemm::random(shape, scales, seed);
    let mut attempt = case.attempt(Solver::Rung(rung), device)?;
    attempt.job().and_then(|mut job| job.launch())?;
    attempt.check()
}

impl Sgemm {
    /// The operands on a device, for a rung.
    fn attempt(&self, solver: Solver<Operands>, device: &Device) -> Result<SgemmTrial<'_>> {
        let upload = |index: usize, name: &str| -> Result<Buffer<f32>> {
            let mut buffer = device.uninit_named(self.operand(index).len(), name)?;
            buffer.upload(self.operand(index))?;
            Ok(buffer)
        };
        let (shape, alpha, beta) = (self.shape, self.alpha, self.beta);
        let (a, b, c) = (upload(0, "a")?, upload(1, "b")?, upload(2, "c")?);
        let operands = Operands { shape, alpha, beta, a, b, c };
        Ok(SgemmTrial { case: self, solver, device: device.clone(), operands })
    }
}

/// A rung with its operands on a device.
struct SgemmTrial<'a> {
    case: &'a Sgemm,
    solver: Solver<Operands>,
    device: Device,
    operands: Operands,
}

impl SgemmTrial<'_> {
    /// Restores the old C: each run with a beta changes the input of the next.
    fn renew(&mut self) -> Result<()> {
        self.operands.c.upload(self.case.operand(2))
    }
}

impl Trial for SgemmTrial<'_> {
    fn poison(&mut self) -> Result<()> {
        self.renew()
    }

    fn job(&mut self) -> Result<Job<'_>> {
        let operands = &mut self.operands;
        match &self.solver {
            Solver::Rung(rung) => Ok((rung.prepare)(operands, &self.device)?.into()),
            Solver::Cublas(cublas) => {
                let Operands { shape, alpha, beta, a, b, c } = operands;
                let Shape { m, n, k, lda, ldb, ldc } = *shape;
                let shape = GemmShape { m, n, k, lda, ldb, ldc, alpha: *alpha, beta: *beta };
                Ok(cublas.sgemm(shape, a, b, c))
            }
        }
    }

    /// With a beta, each run has changed C: restore it and run once more.
    fn check(&mut self) -> Result<Accuracy, Rejection> {
        if self.case.beta != 0.0 {
            self.renew()?;
            self.job().and_then(|mut job| job.launch())?;
        }
        let c = self.operands.c.download()?;
        let Shape { m, n, k, ldc, .. } = self.case.shape;
        let before = self.case.operand(2);
        let gaps = c.iter().zip(before).enumerate().filter(|(i, _)| i % ldc as usize >= n as usize);
        if let Some((at, _)) =
            gaps.into_iter().find(|(_, (now, was))| now.to_bits() != was.to_bits())
        {
            let (row, col) = (at / ldc as usize, at % ldc as usize);
            let why = format!("at {m}x{n}x{k}: [{row}][{col}], past the row's end, was written");
            return Err(Rejection::Wrong(why));
        }
        let product = self.case.product();
        let reference = self.case.reference.get_or_init(|| product.reference());
        product.compare(reference, &c).map_err(|why| why.at(format_args!("at {m}x{n}x{k}")))
    }

    fn output(&self) -> Result<Array> {
        let Shape { m, n, ldc, .. } = self.case.shape;
        let mut rows = vec![0.0f32; m as usize * n as usize];
        self.operands.c.download_2d(&mut rows, n as usize, ldc as usize)?;
        let f32_type = ElementType::named("f32");
        Ok(Array::new(&[m.into(), n.into()], f32_type.expect("a known type"), &rows))
    }
}

/// The operations, the traffic without reuse and the working set of `held` bytes; then the least times of known GPUs.
fn least(shape: Shape, held: u64) -> Vec<String> {
    let (flops, loads) = (shape.flops(), naive_loads(shape));
    let mut lines = vec![
        format!("operations m n (2 k + 3) = {flops}"),
        format!("naive traffic m n (2 k + 1) loads and m n stores of 4 bytes = {loads} bytes"),
        format!(
            "working set {}, arithmetic reuse {:.0}x",
            binary_bytes(held),
            loads as f64 / held as f64
        ),
    ];
    lines.extend(specs().gpus.iter().map(|gpu| floors(shape, held, gpu)));
    lines
}

/// Bytes moved if every multiply-add reads both its factors, and C is read and written.
fn naive_loads(shape: Shape) -> u64 {
    let Shape { m, n, k, .. } = shape;
    4 * u64::from(m) * u64::from(n) * (2 * u64::from(k) + 2)
}

/// The least times by a GPU's arithmetic and memory.
fn floors(shape: Shape, held: u64, gpu: &Gpu) -> String {
    let arithmetic = shape.flops() as f64 / gpu.fp32_tflops / 1e9;
    let [naive, once] =
        [naive_loads(shape), held].map(|bytes| bytes as f64 / gpu.bandwidth_gb_s / 1e6);
    format!(
        "{}: at least {} by arithmetic, {} by moving each number once, {} by naive traffic",
        gpu.name,
        time(arithmetic),
        time(once),
        time(naive)
    )
}

/// Bytes in the largest binary unit below them, such as `768 KiB`.
fn binary_bytes(bytes: u64) -> String {
    let unit =
        [(30, "GiB"), (20, "MiB"), (10, "KiB")].into_iter().find(|(log, _)| bytes >> log > 0);
    let Some((log, name)) = unit else { return format!("{bytes} B") };
    let amount = bytes as f64 / (1u64 << log) as f64;
    let digits = usize::from(amount.fract() != 0.0);
    format!("{amount:.digits$} {name}")
}

/// Milliseconds in a suitable unit.
fn time(ms: f64) -> String {
    match ms {
        ms if ms < 0.001 => format!("{:.0} ns", ms * 1e6),
        ms if ms < 1.0 => format!("{:.1} us", ms * 1e3),
        ms => format!("{ms:.2} ms"),
    }
}
