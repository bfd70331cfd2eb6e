//! Problems. A request is a user's problem for a ladder: named numbers, an element type and arrays. A case is a problem
//! with its inputs on the host; it checks first whether the device can hold them. A trial is the case on a device,
//! ready for one rung.
//!
//! Cases and trials are used through `dyn`: climbs, sweeps and runs are compiled once, not once per family and element
//! type.

use crate::record::HostRecord;
use lanework::{Backend, Device, Error, Job, Result};
use lanework_bench::{Accuracy, Rejection, Work};
use lanework_verify::host::{Array, ELEMENT_TYPES, ElementType};
use std::collections::BTreeMap;

/// An integer parameter of ladders, `--name` on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its name.
    pub name: &'static str,
    /// Its meaning.
    pub help: &'static str,
}

/// Every parameter of any ladder.
pub const PARAMETERS: [Parameter; 13] = [
    Parameter {
        name: "size",
        help: "Edge of a square matrix, number of elements, or length of a sequence",
    },
    Parameter { name: "heads", help: "Heads of attention" },
    Parameter { name: "rows", help: "Rows of the matrix" },
    Parameter { name: "cols", help: "Columns of the matrix" },
    Parameter { name: "m", help: "Rows of A and C" },
    Parameter { name: "n", help: "Columns of B and C" },
    Parameter { name: "k", help: "Columns of A, rows of B" },
    Parameter { name: "lda", help: "Leading dimension of A: elements from row to row" },
    Parameter { name: "ldb", help: "Leading dimension of B" },
    Parameter { name: "ldc", help: "Leading dimension of C" },
    Parameter { name: "block", help: "Edge of a square block of threads, or threads of a block" },
    Parameter { name: "tile", help: "Edge of the tile, for the rungs that take one" },
    Parameter { name: "blocks", help: "Blocks of the grid, for the rungs that take them" },
];

/// A request for one case.
#[derive(Clone, Debug)]
pub struct Request {
    /// Parameters that were given, by name.
    pub parameters: BTreeMap<&'static str, u64>,
    /// Factor of the product.
    pub alpha: Option<f64>,
    /// Factor of the old C.
    pub beta: Option<f64>,
    /// The element type; the family's first when `None`.
    pub element: Option<ElementType>,
    /// Seed of the random elements.
    pub seed: u64,
    /// The user's arrays, by name; missing arrays are random.
    pub arrays: BTreeMap<&'static str, Array>,
    /// The backend that runs it; default sizes depend on it.
    pub backend: Backend,
}

impl Request {
    /// A request with defaults throughout.
    pub fn new(backend: Backend) -> Self {
        Request {
            parameters: BTreeMap::new(),
            alpha: None,
            beta: None,
            element: None,
            seed: 1,
            arrays: BTreeMap::new(),
            backend,
        }
    }

    /// This request with a parameter set.
    pub fn with(mut self, name: &'static str, value: u64) -> Self {
        self.parameters.insert(name, value);
        self
    }

    /// The parameter, if given.
    pub fn get(&self, name: &str) -> Option<u64> {
        self.parameters.get(name).copied()
    }

    /// The given parameters, by name.
    pub fn in_words(&self) -> BTreeMap<String, String> {
        let numbers = self.parameters.iter().map(|(name, value)| (*name, value.to_string()));
        let element = self.element.map(|element| ("element", element.name.to_owned()));
        let factors = [("alpha", self.alpha), ("beta", self.beta)];
        let factors = factors.into_iter().filter_map(|(name, x)| Some((name, x?.to_string())));
        let seed = [("seed", self.seed.to_string())];
        let all = numbers.chain(element).chain(factors).chain(seed);
        all.map(|(name, value)| (name.to_owned(), value)).collect()
    }

    /// The parameter as 32 bits, or `default`.
    ///
    /// # Errors
    /// If it does not fit 32 bits.
    pub fn u32(&self, name: &str, default: u32) -> Result<u32> {
        match self.get(name) {
            None => Ok(default),
            Some(value) => u32::try_from(value).map_err(|_| Error::Request {
                why: format!("--{name} {value} exceeds 2^32 - 1"),
                help: "use a smaller value".to_owned(),
            }),
        }
    }

    /// The extents of the problem; `default` where neither options nor arrays give one.
    pub(crate) fn extents(&self, default: u64) -> Extents<'_> {
        Extents { request: self, default, found: Vec::new(), by_size: false }
    }

    /// A factor, rounded to f32, or `default`.
    ///
    /// # Errors
    /// If it is not a finite f32.
    pub(crate) fn factor(&self, name: &str, given: Option<f64>, default: f32) -> Result<f32> {
        let Some(value) = given else { return Ok(default) };
        let factor = value as f32;
        if factor.is_finite() && (factor != 0.0 || value == 0.0) {
            return Ok(factor);
        }
        Err(Error::Request {
            why: format!("--{name} {value:e} is not a number that an f32 holds"),
            help: "give a finite number of ordinary size, such as 0.5".to_owned(),
        })
    }

    /// The element type: the given one, else the element type of the arrays, else the one called
    /// `default`.
    pub fn element(&self, default: &str) -> ElementType {
        let of_arrays = self.arrays.values().next().map(|array| array.element);
        self.element
            .or(of_arrays)
            .unwrap_or_else(|| ElementType::named(default).unwrap_or(ELEMENT_TYPES[0]))
    }
}

/// Reads the extents of a problem in sequence, from options, arrays and defaults.
pub(crate) struct Extents<'a> {
    request: &'a Request,
    default: u64,
    found: Vec<u64>,
    /// Whether `--size` gave one of the extents.
    by_size: bool,
}

impl Extents<'_> {
    /// The extent of option `name`; `held` is an array that has this extent, and its value.
    ///
    /// # Errors
    /// If the option contradicts the array.
    pub fn next(&mut self, name: &str, held: Option<(&str, u64)>) -> Result<u64> {
        let given = self.request.get(name);
        let extent = match (held, given) {
            (Some((array, extent)), Some(given)) if given != extent => {
                return Err(contradiction(name, given, array, extent));
            }
            (Some((_, extent)), _) => extent,
            (None, Some(given)) => given,
            (None, None) => {
                self.by_size = true;
                self.request.get("size").unwrap_or(self.default)
            }
        };
        self.found.push(extent);
        Ok(extent)
    }

    /// The extent of option `name`, in 32 bits.
    ///
    /// # Errors
    /// If the option contradicts the array, or the extent does not fit 32 bits.
    pub fn next_u32(&mut self, name: &str, held: Option<(&str, u32)>) -> Result<u32> {
        let before = self.by_size;
        let extent = self.next(name, held.map(|(array, extent)| (array, extent.into())))?;
        let option = if self.by_size && !before { "size" } else { name };
        u32::try_from(extent).map_err(|_| Error::Request {
            why: format!("--{option} {extent} exceeds 2^32 - 1"),
            help: "use a smaller value".to_owned(),
        })
    }

    /// Checks that `--size` was used for an extent, or equals every extent.
    ///
    /// # Errors
    /// If `--size` has no effect.
    pub fn finish(self) -> Result<()> {
        match self.request.get("size") {
            Some(size) if !self.by_size && self.found.iter().any(|extent| *extent != size) => {
                Err(Error::Request {
                    why: format!(
                        "--size {size} is not used: arrays and other options give every extent"
                    ),
                    help: "remove --size".to_owned(),
                })
            }
            _ => Ok(()),
        }
    }
}

/// The error of an option that contradicts an array.
fn contradiction(name: &str, given: u64, array: &str, extent: u64) -> Error {
    Error::Request {
        why: format!("--{name} {given} contradicts --{array}, which has {extent}"),
        help: format!("remove --{name}, or give another array"),
    }
}

/// One problem with its inputs, on the host.
pub trait Case {
    /// The extents of the problem, by name: `rows` and `cols`, or `m`, `n` and `k`.
    fn extents(&self) -> Vec<(&'static str, u64)>;

    /// Other settings that apply: the edge of the block, leading dimensions.
    fn settings(&self) -> Vec<(&'static str, u64)> {
        Vec::new()
    }

    /// Rust's name of the element type: f32 unless a case says otherwise.
    fn element(&self) -> &'static str {
        "f32"
    }

    /// The least work of any solution.
    fn work(&self) -> Work;

    /// Small cases of odd extents with their own inputs; rungs are verified on them first.
    fn edge_cases(&self) -> Vec<Box<dyn Case>>;

    /// Whether `device` can hold and run this case.
    ///
    /// # Errors
    /// If it does not fit; the error says what would.
    fn check_fits(&self, device: &Device) -> Result<()>;

    /// Why the rung called `rung` is skipped on `device`, such as a missing library; `None` if it runs.
    fn skips(&self, _rung: &str, _device: &Device) -> Option<String> {
        None
    }

    /// The problem on `device` for the rung called `rung`, with a poisoned output.
    ///
    /// # Errors
    /// If it does not fit the device.
    fn trial<'a>(&'a self, rung: &str, device: &Device) -> Result<Box<dyn Trial + 'a>>;

    /// The host's timed solution; `None` if no experiment has one.
    fn host(&self) -> Option<HostRecord> {
        None
    }

    /// The analytical model of this problem, as lines of text.
    fn analysis(&self) -> Vec<String> {
        Vec::new()
    }
}

/// A case on a device.
pub trait Trial {
    /// Overwrites the output, so that no result of an earlier run remains.
    ///
    /// # Errors
    /// When the device fails.
    fn poison(&mut self) -> Result<()>;

    /// The rung, compiled for this problem; each launch solves it once.
    ///
    /// # Errors
    /// If the rung cannot solve this problem.
    fn job(&mut self) -> Result<Job<'_>>;

    /// Compares the output with the host's.
    ///
    /// # Errors
    /// If it is wrong or of lower precision than promised; the error says how.
    fn check(&mut self) -> Result<Accuracy, Rejection>;

    /// Further figures of the last run, by name: `cycles` counted in the kernel, `host_ns` spent on
    /// the host afterward.
    fn figures(&self) -> Vec<(&'static str, f64)> {
        Vec::new()
    }

    /// The output, to be written to a file.
    ///
    /// # Errors
    /// When the device fails.
    fn output(&self) -> Result<Array>;
}

/// Runs the rung once and compares the result with the host's.
///
/// # Errors
/// If the case does not fit the device or the rung cannot run. The inner error says what differs.
pub fn run_rung(
    rung: &str,
    case: &dyn Case,
    device: &Device,
) -> Result<Result<(Array, Accuracy), Rejection>> {
    case.check_fits(device)?;
    let mut trial = case.trial(rung, device)?;
    trial.job()?.launch()?;
    device.synchronize()?;
    let accuracy = match trial.check() {
        Ok(accuracy) => accuracy,
        Err(why) => return Ok(Err(why)),
    };
    Ok(Ok((trial.output()?, accuracy)))
}

/// Checks that `device` has `needed` bytes free for `what`, a problem of `ladder`.
///
/// # Errors
/// If it does not fit; the error states the required and the free memory.
pub(crate) fn check_memory(device: &Device, ladder: &str, what: &str, needed: u64) -> Result<()> {
    let (free, _) = device.memory()?;
    if needed <= free {
        return Ok(());
    }
    Err(Error::Launch {
        kernel: ladder.to_owned(),
        why: format!(
            "{what} need {:.1} GB, {} has {:.1} GB free",
            needed as f64 / 1e9,
            device.info().name,
            free as f64 / 1e9
        ),
        help: "use a smaller problem or a device with more memory".to_owned(),
    })
}

/// Why a kernel for this compute capability cannot run on `device`, if so. With `its_own`, only GPUs of the same
/// major number can run it (sm_90a); else it needs at least this capability.
pub(crate) fn lacks(device: &Device, least: (u32, u32), its_own: bool) -> Option<String> {
    let has = device.info().compute_capability;
    let suffix = if its_own { "a" } else { "" };
    let (needed, arch) =
        (format!("sm_{}{}{suffix}", least.0, least.1), format!("{}{}", has.0, has.1));
    (has < least || its_own && has.0 != least.0)
        .then(|| format!("it needs {needed}, this GPU is sm_{arch}"))
}

/// The most elements of a matrix: more than any memory holds, and few enough to count bytes and operations of
/// products in 64 bits.
const MOST_NUMBERS: u128 = 1 << 40;

/// Checks that the elements of matrices of these rows and columns (or leading dimensions) can be counted.
///
/// # Errors
/// If one of them is too large.
pub(crate) fn check_countable(ladder: &str, matrices: &[(u32, u32)]) -> Result<()> {
    let too_many =
        |&&(rows, cols): &&(u32, u32)| u128::from(rows) * u128::from(cols) > MOST_NUMBERS;
    let Some((rows, cols)) = matrices.iter().find(too_many) else { return Ok(()) };
    Err(Error::Launch {
        kernel: ladder.to_owned(),
        why: format!("a matrix of {rows}x{cols} is larger than any memory"),
        help: "use a smaller problem".to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_agree_with_arrays_or_are_refused() {
        let request = |name, value| Request::new(Backend::Emulator).with(name, value);
        let rows = |request: &Request| {
            let mut extents = request.extents(5);
            let rows = extents.next("rows", Some(("input", 3)))?;
            let cols = extents.next("cols", None)?;
            extents.finish().map(|()| (rows, cols))
        };
        assert_eq!(rows(&request("rows", 3)).ok(), Some((3, 5)));
        assert_eq!(rows(&request("size", 9)).ok(), Some((3, 9)));
        let why = rows(&request("rows", 7)).expect_err("refused").to_string();
        assert!(why.contains("--rows 7 contradicts --input, which has 3"), "{why}");
        let why = rows(&request("size", 9).with("cols", 4)).expect_err("refused").to_string();
        assert!(why.contains("--size 9 is not used"), "{why}");
        let error =
            request("size", 1 << 32).extents(5).next_u32("rows", None).expect_err("refused");
        assert!(error.to_string().contains("--size 4294967296 exceeds 2^32 - 1"), "{error}");
    }

    #[test]
    fn factors_are_finite_in_f32() {
        let request = Request::new(Backend::Emulator);
        assert_eq!(request.factor("alpha", None, 1.0).ok(), Some(1.0));
        assert_eq!(request.factor("alpha", Some(0.0), 1.0).ok(), Some(0.0));
        for value in [1e300, f64::NAN, f64::INFINITY, 1e-300] {
            assert!(request.factor("alpha", Some(value), 1.0).is_err(), "{value}");
        }
    }
}
