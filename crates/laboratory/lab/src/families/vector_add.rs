//! Vector addition in f32: rounded once, so results must be bit-exact.

use crate::families::family::{Family, given, refuse};
use crate::problem::{Case, Request, Trial, check_memory};
use lanework::{Backend, Device, Job, Result};
use lanework_bench::{Accuracy, Rejection, Work};
use lanework_ladders::Rung;
use lanework_ladders::vector_add::{self, LONGEST, Vectors};
use lanework_verify::host::{Array, ElementType, uniform_floats};
use std::cell::OnceCell;

pub(super) fn family() -> Family {
    Family {
        arrays: &["a", "b"],
        sweep: &[("size", &[1 << 16, 1 << 18, 1 << 20])],
        ..Family::new(vector_add::ladder, open)
    }
}

/// Two vectors to add.
struct VectorAdd {
    length: usize,
    seed: u64,
    a: OnceCell<Vec<f32>>,
    b: OnceCell<Vec<f32>>,
}

/// The case of a request.
fn open(request: &Request) -> Result<Box<dyn Case>> {
    let (a, b) = (request.arrays.get("a"), request.arrays.get("b"));
    let default = if request.backend == Backend::Cuda { 1 << 26 } else { 1 << 20 };
    let count = |array: &Array| array.shape.iter().product::<u64>();
    let of_a = a.map(|a| ("a", count(a)));
    let length = request.extents(default).next("size", of_a.or(b.map(|b| ("b", count(b)))))?;
    if let (Some(a), Some(b)) = (a, b)
        && a.shape != b.shape
    {
        let why = format!("A is {:?} and B is {:?}", a.shape, b.shape);
        return Err(refuse("vector-add", why, "give arrays of the same shape"));
    }
    if length > LONGEST {
        let why = format!("{length} elements");
        return Err(refuse("vector-add", why, "add vectors of up to 2^31 elements"));
    }
    let (a, b) = (given(a), given(b));
    Ok(Box::new(VectorAdd { length: length as usize, seed: request.seed, a, b }))
}

impl VectorAdd {
    fn a(&self) -> &[f32] {
        self.a.get_or_init(|| uniform_floats(self.length, self.seed))
    }

    fn b(&self) -> &[f32] {
        self.b.get_or_init(|| uniform_floats(self.length, self.seed.wrapping_add(1 << 32)))
    }
}

impl Case for VectorAdd {
    fn extents(&self) -> Vec<(&'static str, u64)> {
        vec![("n", self.length as u64)]
    }

    fn work(&self) -> Work {
        Work { bytes: 12 * self.length as u64, flops: self.length as u64 }
    }

    fn edge_cases(&self) -> Vec<Box<dyn Case>> {
        let small = |length| -> Box<dyn Case> {
            let (a, b) = (OnceCell::new(), OnceCell::new());
            Box::new(VectorAdd { length, seed: self.seed.wrapping_add(1), a, b })
        };
        vec![small(0), small(1), small(1023)]
    }

    fn check_fits(&self, device: &Device) -> Result<()> {
        let what = format!("three vectors of {} floats", self.length);
        check_memory(device, "vector-add", &what, self.work().bytes)
    }

    fn trial<'a>(&'a self, rung: &str, device: &Device) -> Result<Box<dyn Trial + 'a>> {
        let rung = vector_add::rungs().into_iter().find(|known| known.info.name == rung);
        let mut a = device.uninit_named(self.length, "a")?;
        a.upload(self.a())?;
        let mut b = device.uninit_named(self.length, "b")?;
        b.upload(self.b())?;
        let mut c = device.uninit_named(self.length, "c")?;
        c.fill_bytes(0xCD)?;
        Ok(Box::new(VectorAddTrial {
            case: self,
            rung: rung.expect("a rung of the ladder"),
            device: device.clone(),
            vectors: Vectors { a, b, c },
        }))
    }
}

/// A rung with its vectors on a device.
struct VectorAddTrial<'a> {
    case: &'a VectorAdd,
    rung: Rung<Vectors>,
    device: Device,
    vectors: Vectors,
}

impl Trial for VectorAddTrial<'_> {
    fn poison(&mut self) -> Result<()> {
        self.vectors.c.fill_bytes(0xCD)
    }

    fn job(&mut self) -> Result<Job<'_>> {
        Ok((self.rung.prepare)(&mut self.vectors, &self.device)?.into())
    }

    fn check(&mut self) -> Result<Accuracy, Rejection> {
        let c = self.vectors.c.download()?;
        let expected = self.case.a().iter().zip(self.case.b()).map(|(a, b)| a + b);
        let wrong = c.iter().zip(expected).position(|(got, want)| {
            got.to_bits() != want.to_bits() && !(got.is_nan() && want.is_nan())
        });
        match wrong {
            None => Ok(Accuracy::BitExact),
            Some(i) => {
                let (a, b) = (self.case.a()[i], self.case.b()[i]);
                let why = format!("[{i}] is {}, should be {a} + {b} = {}", c[i], a + b);
                Err(Rejection::Wrong(why))
            }
        }
    }

    fn output(&self) -> Result<Array> {
        let f32_type = ElementType::named("f32");
        let c = self.vectors.c.download()?;
        Ok(Array::new(&[c.len() as u64], f32_type.expect("a known type"), &c))
    }
}
