//! Running forms on a device.

use super::form::InstructionForm;
use super::operands::{hash, tuple};
use super::text::{BLOCK, OPERANDS, RESULTS, module};
use lanework::{Buffer, Device, PtxArg, PtxModule, PtxShape, Result};

/// Forms per module; several save calls of a GPU's compiler.
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
