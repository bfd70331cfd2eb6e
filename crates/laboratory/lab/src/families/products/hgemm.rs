//! The product on tensor cores: bf16 factors, f32 sums.

use crate::families::family::{CUBLAS, Family, Solver, cublas, refuse};
use crate::families::products::matmul::extents;
use crate::problem::{Case, Request, Trial, check_memory};
use half::bf16;
use lanework::{Backend, Cublas, Device, GemmShape, Job, Result};
use lanework_bench::{Accuracy, Rejection, Work};
use lanework_ladders::RungInfo;
use lanework_ladders::hgemm::{self, Operands};
use lanework_verify::host::{Array, ElementType, uniform_floats};
use lanework_verify::product::{Product, Reference};
use std::cell::OnceCell;

pub fn family() -> Family {
    Family {
        peer: Some(PEER),
        parameters: &["size", "m", "n", "k"],
        elements: &["bf16"],
        sweep: &[("size", &[256, 512])],
        ..Family::new(hgemm::ladder, open)
    }
}

/// The vendor's product.
const PEER: RungInfo = cublas(
    "beyond",
    "//! Idea: cublasGemmEx of the installed cuBLAS, bf16 factors and f32 sums.\n\
     //! 思路：已安装的 cuBLAS 的 cublasGemmEx，bf16 因子，f32 累加。\n\
     //! Predicts: nothing; the rungs are compared with it.\n\
     //! 预测：无；它是其他各级的比较对象。\n\
     //! Costs: a toolkit on the machine.\n\
     //! 代价：机器上必须装有 CUDA 工具包。\n",
);

/// Rungs that need sm_90a.
const OF_HOPPER: [&str; 4] = ["warpgroups", "specialized", "clusters", "turns"];

/// A product of random matrices.
struct Hgemm {
    m: usize,
    n: usize,
    k: usize,
    seed: u64,
    /// A and B by rows, with values that are exact in bf16.
    factors: OnceCell<[Vec<f32>; 2]>,
    reference: OnceCell<Reference>,
}

/// The case of a request.
fn open(request: &Request) -> Result<Box<dyn Case>> {
    let default = if request.backend == Backend::Cuda { 4096 } else { 256 };
    let (m, n, k) = extents("hgemm", request, default)?;
    if k == 0 {
        let why = format!("the product of {m}x0 by 0x{n} is all zeros");
        return Err(refuse("hgemm", why, "give at least one column of A"));
    }
    Ok(Box::new(Hgemm::random(m as usize, n as usize, k as usize, request.seed)))
}

impl Hgemm {
    fn random(m: usize, n: usize, k: usize, seed: u64) -> Self {
        Hgemm { m, n, k, seed, factors: OnceCell::new(), reference: OnceCell::new() }
    }

    fn factors(&self) -> &[Vec<f32>; 2] {
        self.factors.get_or_init(|| {
            let drawn = |count: usize, seed: u64| -> Vec<f32> {
                let numbers = uniform_floats(count, seed);
                numbers.into_iter().map(|x| bf16::from_f32(x).to_f32()).collect()
            };
            let other = self.seed.wrapping_add(1 << 32);
            [drawn(self.m * self.k, self.seed), drawn(self.k * self.n, other)]
        })
    }

    fn product(&self) -> Product<'_> {
        let [a, b] = self.factors();
        let (m, n, k) = (self.m, self.n, self.k);
        Product { extents: (m, n, k), leading: (k, n, n), alpha: 1.0, beta: 0.0, a, b, c: &[] }
    }
}

impl Case for Hgemm {
    fn extents(&self) -> Vec<(&'static str, u64)> {
        vec![("m", self.m as u64), ("n", self.n as u64), ("k", self.k as u64)]
    }

    fn element(&self) -> &'static str {
        "bf16"
    }

    fn work(&self) -> Work {
        let (m, n, k) = (self.m as u64, self.n as u64, self.k as u64);
        Work { bytes: 2 * (m * k + k * n) + 4 * m * n, flops: 2 * m * n * k }
    }

    fn edge_cases(&self) -> Vec<Box<dyn Case>> {
        let small = |m, n, k| -> Box<dyn Case> {
            Box::new(Hgemm::random(m, n, k, self.seed.wrapping_add(1)))
        };
        vec![small(1, 1, 1), small(37, 71, 19), small(260, 140, 130)]
    }

    fn check_fits(&self, device: &Device) -> Result<()> {
        let (m, n, k) = Operands::padded((self.m, self.n, self.k));
        let what = format!("{m}x{k} and {k}x{n} bf16 and their product");
        let bytes = 2 * (m as u64 * k as u64 + k as u64 * n as u64) + 4 * m as u64 * n as u64;
        check_memory(device, "hgemm", &what, bytes)
    }

    fn skips(&self, rung: &str, device: &Device) -> Option<String> {
        let capability = device.info().compute_capability;
        let arch = format!("{}{}", capability.0, capability.1);
        if rung == CUBLAS {
            Cublas::missing(device)
        } else if OF_HOPPER.contains(&rung) && capability.0 != 9 {
            Some(format!("it needs sm_90a, this GPU is sm_{arch}"))
        } else if capability < (8, 0) {
            Some(format!("bf16 needs sm_80, this GPU is sm_{arch}"))
        } else {
            None
        }
    }

    fn trial<'a>(&'a self, rung: &str, device: &Device) -> Result<Box<dyn Trial + 'a>> {
        let solver = Solver::named(rung, hgemm::rungs(), device)?;
        let [a, b] = self.factors();
        let a: Vec<bf16> = a.iter().map(|x| bf16::from_f32(*x)).collect();
        let by_columns = (0..self.n).flat_map(|j| (0..self.k).map(move |i| (i, j)));
        let b: Vec<bf16> = by_columns.map(|(i, j)| bf16::from_f32(b[i * self.n + j])).collect();
        let operands = Operands::new(device, (self.m, self.n, self.k), &a, &b)?;
        Ok(Box::new(HgemmTrial { case: self, solver, device: device.clone(), operands }))
    }
}

/// A rung with its operands on a device.
struct HgemmTrial<'a> {
    case: &'a Hgemm,
    solver: Solver<Operands>,
    device: Device,
    operands: Operands,
}

impl Trial for HgemmTrial<'_> {
    fn poison(&mut self) -> Result<()> {
        self.operands.c.fill_bytes(0xFF)
    }

    fn job(&mut self) -> Result<Job<'_>> {
        let operands = &mut self.operands;
        match &self.solver {
            Solver::Rung(rung) => Ok((rung.prepare)(operands, &self.device)?.into()),
            Solver::Cublas(cublas) => {
                let [m, n, k] = [self.case.m, self.case.n, self.case.k].map(|x| x as u32);
                let (lda, ldc) = (operands.padded.2 as u32, operands.padded.1 as u32);
                let shape = GemmShape { m, n, k, lda, ldb: lda, ldc, alpha: 1.0, beta: 0.0 };
                Ok(cublas.product_bf16(shape, &operands.a, &operands.b, &mut operands.c))
            }
        }
    }

    fn check(&mut self) -> Result<Accuracy, Rejection> {
        let product = self.case.product();
        let reference = self.case.reference.get_or_init(|| product.reference());
        let (m, n, k) = self.operands.extents;
        let compared = product.compare(reference, &self.operands.results()?);
        compared.map_err(|why| why.at(format_args!("at {m}x{n}x{k}")))
    }

    fn output(&self) -> Result<Array> {
        let f32_type = ElementType::named("f32");
        let shape = [self.case.m as u64, self.case.n as u64];
        Ok(Array::new(&shape, f32_type.expect("a known type"), &self.operands.results()?))
    }
}
