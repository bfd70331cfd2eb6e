//! Runs forms on a device, and compares two devices' results bit for bit.
//!
//! A GPU's results of every form are kept in one file, the golden vectors. It holds no operands, because those follow
//! from the form. It has a line that names the format, a line with the device, and per form its text, the size of its
//! results and the results.

use super::form::{BLOCK, InstructionForm, OPERANDS, RESULTS, module};
use super::operands::{hash, tuple};
use lanework::{Buffer, Device, PtxArg, PtxModule, PtxShape, Result};
use std::collections::HashMap;

/// Forms per module: fewer modules need fewer calls of the GPU's compiler.
pub const TOGETHER: usize = 24;

/// Outcome of a form: its results per tuple of operands, each with the bytes of its kind; or why it did not run.
pub type Outcome = std::result::Result<Vec<u8>, String>;

/// A device with buffers for the operands and results of one form.
struct Bench {
    device: Device,
    tuples: usize,
    input: Buffer<u8>,
    output: Buffer<u8>,
    scratch: Buffer<u8>,
}

/// Runs forms on `tuples` operands each, rounded up to whole blocks.
///
/// # Errors
/// If the device has no memory for them. A form that does not run is an outcome.
pub fn execute(
    device: &Device,
    forms: &[InstructionForm],
    tuples: usize,
    progress: crate::Progress<'_>,
) -> Result<Vec<Outcome>> {
    let tuples = tuples.next_multiple_of(BLOCK);
    let room = |bytes: usize| device.uninit::<u8>(tuples * bytes);
    let mut bench = Bench {
        device: device.clone(),
        tuples,
        input: room(OPERANDS)?,
        output: room(RESULTS)?,
        scratch: room(OPERANDS)?,
    };
    let mut outcomes = Vec::new();
    for group in forms.chunks(TOGETHER) {
        progress(&group[0].name);
        let all: Vec<&InstructionForm> = group.iter().collect();
        match device.load_ptx(&module(&all)) {
            Ok(module) => {
                for (i, form) in group.iter().enumerate() {
                    outcomes.push(bench.run(&module, &format!("k{i}"), form));
                }
            }
            // A form that does not compile must not hide the others.
            Err(_) => {
                outcomes.extend(group.iter().map(|form| match device.load_ptx(&module(&[form])) {
                    Ok(module) => bench.run(&module, "k0", form),
                    Err(error) => Err(error.to_string()),
                }))
            }
        }
    }
    Ok(outcomes)
}

/// The operands of a form, in the layout that its entry reads.
fn operands(form: &InstructionForm, tuples: usize) -> Vec<u8> {
    let seed = hash(form.key());
    let mut bytes = Vec::with_capacity(tuples * OPERANDS);
    for n in 0..tuples {
        for value in tuple(&form.operands, seed, n) {
            bytes.extend_from_slice(&value.to_le_bytes());
        }
    }
    bytes
}

impl Bench {
    fn run(&mut self, module: &PtxModule, entry: &str, form: &InstructionForm) -> Outcome {
        self.launch(module, entry, form).map_err(|error| error.to_string())
    }

    fn launch(
        &mut self,
        module: &PtxModule,
        entry: &str,
        form: &InstructionForm,
    ) -> Result<Vec<u8>> {
        self.input.upload(&operands(form, self.tuples))?;
        self.output.fill_bytes(0)?;
        self.scratch.fill_bytes(0)?;
        let shape = PtxShape::new((self.tuples / BLOCK) as u32, BLOCK as u32);
        let arguments = [&self.input, &self.output, &self.scratch].map(PtxArg::Memory);
        // SAFETY: the entry is made by `module`: each thread keeps to its own part of the three buffers.
        unsafe { module.launch(entry, shape, &arguments) }?;
        self.device.synchronize()?;
        let slots = self.output.download()?;
        let mut bytes = Vec::new();
        for thread in slots.chunks(RESULTS) {
            for (i, kind) in form.results.iter().enumerate() {
                bytes.extend_from_slice(&thread[8 * i..8 * i + kind.bytes()]);
            }
        }
        Ok(bytes)
    }
}

/// The differences between two devices in a form.
#[derive(Clone, Debug)]
pub struct Difference {
    /// Operands whose results differ.
    pub count: usize,
    /// Number of compared operands.
    pub of: usize,
    /// The first that differ.
    pub first: [u64; 4],
    /// The expected result.
    pub expected: Vec<u64>,
    /// The actual result.
    pub found: Vec<u64>,
}

/// Compares as many results as both have.
pub fn compare(form: &InstructionForm, expected: &[u8], found: &[u8]) -> Option<Difference> {
    let stride = form.bytes();
    let pairs = expected.chunks_exact(stride).zip(found.chunks_exact(stride));
    let (of, seed) = (pairs.len(), hash(form.key()));
    let mut difference: Option<Difference> = None;
    for (n, (expected, found)) in pairs.enumerate() {
        if expected == found {
            continue;
        }
        let (expected, found) = (values(form, expected), values(form, found));
        let operands = tuple(&form.operands, seed, n);
        let new = || Difference { count: 0, of, first: operands, expected, found };
        difference.get_or_insert_with(new).count += 1;
    }
    difference
}

/// The results of one thread.
fn values(form: &InstructionForm, bytes: &[u8]) -> Vec<u64> {
    let mut rest = bytes;
    form.results
        .iter()
        .map(|kind| {
            let (head, tail) = rest.split_at(kind.bytes());
            rest = tail;
            let mut word = [0; 8];
            word[..head.len()].copy_from_slice(head);
            u64::from_le_bytes(word)
        })
        .collect()
}

/// The first line of a file.
const FORMAT: &str = "lanework conformance vectors 1";

/// The results of a device.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Vectors {
    /// The device and its driver.
    pub device: String,
    /// Results by form.
    pub results: HashMap<String, Vec<u8>>,
}

/// The file of an H200's results, built in.
static RECORDED: &[u8] = include_bytes!("../../data/h200/conformance.vectors");

impl Vectors {
    /// The results of an H200.
    ///
    /// # Panics
    /// Never: a test checks that the record parses.
    pub fn recorded() -> Vectors {
        Vectors::from_bytes(RECORDED).expect("tested: the recorded vectors are of this format")
    }

    /// The file's bytes, forms in order of their text.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = format!("{FORMAT}\n{}\n", self.device.replace('\n', " ")).into_bytes();
        let mut keys: Vec<&String> = self.results.keys().collect();
        keys.sort();
        for key in keys {
            let results = &self.results[key];
            bytes.extend_from_slice(&(key.len() as u32).to_le_bytes());
            bytes.extend_from_slice(key.as_bytes());
            bytes.extend_from_slice(&(results.len() as u32).to_le_bytes());
            bytes.extend_from_slice(results);
        }
        bytes
    }

    /// Reads a file's bytes.
    ///
    /// # Errors
    /// If they do not have this format, or are truncated.
    pub fn from_bytes(bytes: &[u8]) -> Result<Vectors, String> {
        let mut reader = Reader(bytes);
        if reader.line()? != FORMAT {
            return Err(format!("its first line is not `{FORMAT}`"));
        }
        let device = reader.line()?.to_owned();
        let mut results = HashMap::new();
        while !reader.0.is_empty() {
            let key = reader.sized()?;
            let key = std::str::from_utf8(key).map_err(|error| error.to_string())?.to_owned();
            results.insert(key, reader.sized()?.to_vec());
        }
        Ok(Vectors { device, results })
    }

    /// The results of a form.
    pub fn of(&self, form: &InstructionForm) -> Option<&[u8]> {
        self.results.get(form.key()).map(Vec::as_slice)
    }
}

/// The bytes not yet read.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8], String> {
        let (head, rest) =
            self.0.split_at_checked(count).ok_or("it ends in the middle of a form")?;
        self.0 = rest;
        Ok(head)
    }

    fn line(&mut self) -> Result<&'a str, String> {
        let end = self.0.iter().position(|b| *b == b'\n').ok_or("it has no lines")?;
        let line = self.take(end + 1)?;
        std::str::from_utf8(&line[..end]).map_err(|error| error.to_string())
    }

    fn sized(&mut self) -> Result<&'a [u8], String> {
        let size = self.take(4)?;
        self.take(u32::from_le_bytes([size[0], size[1], size[2], size[3]]) as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conformance::expand::forms;

    fn form(name: &str) -> InstructionForm {
        forms().into_iter().find(|form| form.name == name).expect("a form of the catalog")
    }

    #[test]
    fn one_bit_is_a_difference_in_an_approximation_too() {
        let (add, sine) = (form("add.rn.f32"), form("sin.approx.f32"));
        let one = 1f32.to_bits();
        let words = |x: u32| x.to_le_bytes().repeat(3);
        for form in [add, sine] {
            assert!(compare(&form, &words(one), &words(one)).is_none());
            let difference = compare(&form, &words(one), &words(one + 1)).expect("a difference");
            assert_eq!((difference.count, difference.of), (3, 3));
        }
    }

    #[test]
    fn files_round_trip_and_broken_ones_are_refused() {
        let mut vectors = Vectors { device: "a GPU".to_owned(), ..Vectors::default() };
        vectors.results.insert("add.u32 $d, $a, $b;".to_owned(), vec![1, 2, 3]);
        vectors.results.insert("exit;".to_owned(), Vec::new());
        let bytes = vectors.to_bytes();
        assert_eq!(Vectors::from_bytes(&bytes), Ok(vectors));
        assert!(Vectors::from_bytes(&bytes[..bytes.len() - 1]).is_err());
        assert!(Vectors::from_bytes(b"something else\n\n").is_err());
    }
}
