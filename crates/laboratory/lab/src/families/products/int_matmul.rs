//! The integer product: i32, exact, tiles of several sizes.

use crate::families::family::{Family, given, refuse};
use crate::families::products::matmul::extents;
use crate::problem::{Case, Request, Trial, check_memory, lacks};
use lanework::{Backend, Device, Job, Result};
use lanework_bench::{Accuracy, Rejection, Work};
use lanework_ladders::Rung;
use lanework_ladders::int_matmul::{self, Product, TILES};
use lanework_verify::host::{Array, ElementType, random_elements};
use std::cell::OnceCell;

pub fn family() -> Family {
    Family {
        parameters: &["size", "m", "n", "k", "tile"],
        elements: &["i32"],
        arrays: &["a", "b"],
        sweep: &[("tile", &[1, 2, 4, 8, 16, 32, 64])],
        unused: &[("tile", &["naive", "pipelined", "bytes"])],
        ..Family::new(int_matmul::ladder, open)
    }
}

/// A product of random or given matrices.
struct IntMatmul {
    m: u32,
    n: u32,
    k: u32,
    tile: u32,
    seed: u64,
    a: OnceCell<Vec<i32>>,
    b: OnceCell<Vec<i32>>,
    reference: OnceCell<Vec<i32>>,
}

/// The case of a request.
fn open(request: &Request) -> Result<Box<dyn Case>> {
    let default = if request.backend == Backend::Cuda { 1024 } else { 256 };
    let (m, n, k) = extents("int-matmul", request, default)?;
    let tile = request.u32("tile", 8)?;
    if !TILES.contains(&tile) {
        let why = format!("there is no kernel for a tile of {tile}x{tile}");
        return Err(refuse("int-matmul", why, "use a tile of 1, 2, 4, 8, 16, 32 or 64"));
    }
    Ok(Box::new(IntMatmul {
        a: given(request.arrays.get("a")),
        b: given(request.arrays.get("b")),
        ..IntMatmul::random(m, n, k, tile, request.seed)
    }))
}

impl IntMatmul {
    fn random(m: u32, n: u32, k: u32, tile: u32, seed: u64) -> Self {
        let (a, b, reference) = (OnceCell::new(), OnceCell::new(), OnceCell::new());
        IntMatmul { m, n, k, tile, seed, a, b, reference }
    }

    fn a(&self) -> &[i32] {
        self.a.get_or_init(|| random_elements(self.m as usize * self.k as usize, self.seed))
    }

    fn b(&self) -> &[i32] {
        let seed = self.seed.wrapping_add(1 << 32);
        self.b.get_or_init(|| random_elements(self.k as usize * self.n as usize, seed))
    }

    fn reference(&self) -> &[i32] {
        let (m, n, k) = (self.m as usize, self.n as usize, self.k as usize);
        self.reference.get_or_init(|| int_matmul::on_host(self.a(), self.b(), m, n, k))
    }

    /// Elements of the three matrices.
    fn elements(&self) -> u64 {
        let (m, n, k) = (u64::from(self.m), u64::from(self.n), u64::from(self.k));
        m * k + k * n + m * n
    }
}

impl Case for IntMatmul {
    fn extents(&self) -> Vec<(&'static str, u64)> {
        vec![("m", self.m.into()), ("n", self.n.into()), ("k", self.k.into())]
    }

    fn settings(&self) -> Vec<(&'static str, u64)> {
        vec![("tile", self.tile.into())]
    }

    fn element(&self) -> &'static str {
        "i32"
    }

    fn work(&self) -> Work {
        let flops = 2 * u64::from(self.m) * u64::from(self.n) * u64::from(self.k);
        Work { bytes: 4 * self.elements(), flops }
    }

    fn edge_cases(&self) -> Vec<Box<dyn Case>> {
        let seed = self.seed.wrapping_add(1);
        let small =
            |m, n, k| -> Box<dyn Case> { Box::new(IntMatmul::random(m, n, k, self.tile, seed)) };
        vec![small(1, 1, 1), small(37, 71, 19), small(70, 5, 33)]
    }

    fn check_fits(&self, device: &Device) -> Result<()> {
        let what = format!("matrices of {} i32 in all", self.elements());
        check_memory(device, "int-matmul", &what, 4 * self.elements())
    }

    fn skips(&self, rung: &str, device: &Device) -> Option<String> {
        if rung == "bytes" {
            return lacks(device, (9, 0), false);
        }
        let (threads, most) = (self.tile * self.tile, device.info().max_threads_per_block);
        (rung == "shared-tile" && threads > most).then(|| {
            format!("a tile of {0}x{0} needs {threads} threads, a block has {most}", self.tile)
        })
    }

    fn trial<'a>(&'a self, rung: &str, device: &Device) -> Result<Box<dyn Trial + 'a>> {
        let rung = int_matmul::rungs().into_iter().find(|known| known.info.name == rung);
        let mut a = device.uninit_named(self.a().len(), "a")?;
        a.upload(self.a())?;
        let mut b = device.uninit_named(self.b().len(), "b")?;
        b.upload(self.b())?;
        let mut c = device.uninit_named(self.m as usize * self.n as usize, "c")?;
        c.fill_bytes(0xCD)?;
        let (m, n, k, tile) = (self.m, self.n, self.k, self.tile);
        Ok(Box::new(IntMatmulTrial {
            case: self,
            rung: rung.expect("a rung of the ladder"),
            device: device.clone(),
            product: Product { m, n, k, tile, a, b, c },
        }))
    }
}

/// A rung with its matrices on a device.
struct IntMatmulTrial<'a> {
    case: &'a IntMatmul,
    rung: Rung<Product>,
    device: Device,
    product: Product,
}

impl Trial for IntMatmulTrial<'_> {
    fn poison(&mut self) -> Result<()> {
        self.product.c.fill_bytes(0xCD)
    }

    fn job(&mut self) -> Result<Job<'_>> {
        Ok((self.rung.prepare)(&mut self.product, &self.device)?.into())
    }

    fn check(&mut self) -> Result<Accuracy, Rejection> {
        let c = self.product.c.download()?;
        let (n, place) = (self.case.n as usize, [self.case.m, self.case.n, self.case.k]);
        compare_exactly(&c, self.case.reference(), n)
            .map_err(|why| Rejection::Wrong(why).at(format_args!("at {place:?}")))
    }

    fn output(&self) -> Result<Array> {
        let i32_type = ElementType::named("i32");
        let shape = [self.case.m.into(), self.case.n.into()];
        Ok(Array::new(&shape, i32_type.expect("a known type"), &self.product.c.download()?))
    }
}

/// Compares the elements of a matrix of `cols` columns.
///
/// # Errors
/// The number of differences, and the first of them.
fn compare_exactly(got: &[i32], want: &[i32], cols: usize) -> Result<Accuracy, String> {
    let differing = || got.iter().zip(want).enumerate().filter(|(_, (got, want))| got != want);
    let Some((first, (found, wanted))) = differing().next() else { return Ok(Accuracy::BitExact) };
    Err(format!(
        "{} of {} elements differ; [{}][{}] is {found}, should be {wanted}",
        differing().count(),
        want.len(),
        first / cols,
        first % cols
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_is_reported_with_its_place() {
        assert_eq!(compare_exactly(&[1, 2], &[1, 2], 2), Ok(Accuracy::BitExact));
        let why = compare_exactly(&[1, 2, 3, 5], &[1, 2, 3, 4], 2).expect_err("differs");
        assert!(why.contains("1 of 4") && why.contains("[1][1] is 5, should be 4"), "{why}");
    }
}
