//! Every input of a form instead of samples: the emulator against a GPU, or against fingerprints of a GPU's results.
//!
//! A form with one operand of 16 or 32 bits runs on every value. An f64 operand takes every high word, with a hashed
//! low word. With two operands, the second takes every value and the first is a hash. Inputs are run in parts of 2^24,
//! and a fingerprint is a hash of one part's results.

use super::form::{BLOCK, HEAD, InstructionForm, register};
use super::operands::OperandKind;
use lanework::{Buffer, Device, PtxArg, PtxModule, PtxShape, Result};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Inputs of a part.
const PART: u64 = 1 << 24;

/// Whether a form can be run on every input: one result, and one or two operands.
pub fn is_exhaustible(form: &InstructionForm) -> bool {
    let plain = |kind: &OperandKind| *kind != OperandKind::Pred;
    form.results.len() == 1
        && matches!(form.operands.len(), 1 | 2)
        && form.operands.iter().chain(&form.results).all(plain)
}

/// Whether a GPU approximates the form.
pub fn is_approximate(form: &InstructionForm) -> bool {
    form.name.split('.').any(|word| matches!(word, "approx" | "full"))
}

/// Number of inputs of a form.
pub fn inputs(form: &InstructionForm) -> u64 {
    if form.operands.len() == 1 && form.operands[0].bytes() == 2 { 1 << 16 } else { 1 << 32 }
}

/// Number of parts.
pub fn parts(form: &InstructionForm) -> u64 {
    inputs(form).div_ceil(PART)
}

/// A loaded form that runs on a device, part by part.
pub struct Every {
    device: Device,
    module: PtxModule,
    output: Buffer<u8>,
    count: usize,
}

impl Every {
    /// Loads a form.
    ///
    /// # Errors
    /// If the device refuses the form, or has no memory for a part's results.
    pub fn new(device: &Device, form: &InstructionForm) -> Result<Every> {
        let module = device.load_ptx(&module(form))?;
        let count = inputs(form).min(PART) as usize;
        let output = device.uninit::<u8>(count * form.results[0].bytes())?;
        Ok(Every { device: device.clone(), module, output, count })
    }

    /// The results of a part, input by input.
    ///
    /// # Errors
    /// If the launch fails.
    pub fn part(&mut self, part: u64) -> Result<Vec<u8>> {
        let shape = PtxShape::new((self.count / BLOCK) as u32, BLOCK as u32);
        let base = (part * PART) as u32;
        let arguments = [PtxArg::Memory(&self.output), PtxArg::Bytes(base.to_le_bytes().to_vec())];
        // SAFETY: the entry is made by `module`: each thread writes its own result of the buffer.
        unsafe { self.module.launch("every", shape, &arguments) }?;
        self.device.synchronize()?;
        self.output.download()
    }
}

/// The words of a thread's input `v`: the second is a hash of it (the finalizer of MurmurHash3).
fn module(form: &InstructionForm) -> String {
    let names = ["a", "b"];
    let mut text = format!(
        "{HEAD}.visible .entry every(.param .u64 out, .param .u32 base)\n{{\n\
         .reg .b32 %i<3>, %v, %h, %x; .reg .b64 %out, %j;\n"
    );
    let operands = form.operands.iter().zip(names);
    let result = form.results[0];
    for (kind, name) in operands.clone().chain([(&result, "d")]) {
        let _ = writeln!(text, ".reg .{} %{name};", register(*kind));
    }
    let _ = writeln!(
        text,
        "ld.param.u64 %out, [out]; ld.param.u32 %v, [base];\n\
         mov.u32 %i0, %tid.x; mov.u32 %i1, %ctaid.x; mad.lo.u32 %i2, %i1, {BLOCK}, %i0;\n\
         mul.wide.u32 %j, %i2, {}; add.u64 %out, %out, %j; add.u32 %v, %v, %i2;\n\
         shr.u32 %x, %v, 16; xor.b32 %h, %v, %x; mul.lo.u32 %h, %h, 0x85ebca6b;\n\
         shr.u32 %x, %h, 13; xor.b32 %h, %h, %x; mul.lo.u32 %h, %h, 0xc2b2ae35;\n\
         shr.u32 %x, %h, 16; xor.b32 %h, %h, %x;",
        result.bytes()
    );
    let last = form.operands.len() - 1;
    for (i, (kind, name)) in operands.enumerate() {
        let (word, other) = if i == last { ("%v", "%h") } else { ("%h", "%v") };
        let _ = match kind.bytes() {
            2 => writeln!(text, "cvt.u16.u32 %{name}, {word};"),
            8 => writeln!(text, "mov.b64 %{name}, {{{other}, {word}}};"),
            _ => writeln!(text, "mov.b32 %{name}, {word};"),
        };
    }
    let _ = writeln!(text, "{}", form.text.replace('$', "%"));
    let _ = writeln!(text, "st.global.{} [%out], %d;\nret;\n}}", register(result));
    text
}

/// Differences of a part: their number, and the first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// Number of results that differ.
    pub count: u64,
    /// The first input that differs.
    pub input: u64,
    /// The emulator's result.
    pub found: u64,
    /// The GPU's result.
    pub expected: u64,
}

/// Compares the results of a part, bit for bit.
pub fn mismatch(
    form: &InstructionForm,
    part: u64,
    found: &[u8],
    expected: &[u8],
) -> Option<Mismatch> {
    if found == expected {
        return None;
    }
    let bytes = form.results[0].bytes();
    let word = |value: &[u8]| {
        let mut word = [0; 8];
        word[..bytes].copy_from_slice(value);
        u64::from_le_bytes(word)
    };
    let mut first: Option<Mismatch> = None;
    for (i, (a, b)) in found.chunks(bytes).zip(expected.chunks(bytes)).enumerate() {
        if a != b {
            let input = part * PART + i as u64;
            let new = || Mismatch { count: 0, input, found: word(a), expected: word(b) };
            first.get_or_insert_with(new).count += 1;
        }
    }
    first
}

/// A hash of a part's results, whose bytes are a multiple of 32: FNV-1a over words of 64 bits with a shift
/// between, in four interleaved streams, folded to 32 bits.
pub fn fingerprint(results: &[u8]) -> u32 {
    let step = |hash: u64, word: u64| {
        let product = (hash ^ word).wrapping_mul(0x0000_0100_0000_01b3);
        product ^ product >> 29
    };
    let mut streams = [0xcbf2_9ce4_8422_2325_u64; 4];
    for row in results.as_chunks::<32>().0 {
        for (stream, word) in streams.iter_mut().zip(row.as_chunks::<8>().0) {
            *stream = step(*stream, u64::from_le_bytes(*word));
        }
    }
    let hash = streams.into_iter().fold(0, step);
    (hash ^ hash >> 32) as u32
}

/// Fingerprints of a GPU's results: a line with the device, and a line per form.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fingerprints {
    /// The device and its driver.
    pub device: String,
    /// A fingerprint for each part, by form.
    pub parts: BTreeMap<String, Vec<u32>>,
}

static RECORDED: &str = include_str!("../../data/h200/exhaustive.txt");

impl Fingerprints {
    /// The results of an H200.
    ///
    /// # Panics
    /// Never: a test checks that the record parses.
    pub fn recorded() -> Fingerprints {
        Fingerprints::from_text(RECORDED)
            .expect("tested: the recorded fingerprints are well formed")
    }

    /// The text of a file.
    pub fn to_text(&self) -> String {
        let mut text = format!("{}\n", self.device.replace('\n', " "));
        for (form, parts) in &self.parts {
            let words: Vec<String> = parts.iter().map(|part| format!("{part:08x}")).collect();
            let _ = writeln!(text, "{form}\t{}", words.join(""));
        }
        text
    }

    /// Reads the text of a file.
    ///
    /// # Errors
    /// If a line does not have this format.
    pub fn from_text(text: &str) -> std::result::Result<Fingerprints, String> {
        let mut lines = text.lines();
        let device = lines.next().ok_or("it is empty")?.to_owned();
        let mut parts = BTreeMap::new();
        for line in lines {
            let wrong = || format!("this line is not a form and its fingerprints: {line:.60}");
            let (form, words) = line.split_once('\t').ok_or_else(wrong)?;
            let word =
                |at: usize| words.get(at..at + 8).and_then(|w| u32::from_str_radix(w, 16).ok());
            let list: Option<Vec<u32>> = (0..words.len()).step_by(8).map(word).collect();
            parts.insert(form.to_owned(), list.ok_or_else(wrong)?);
        }
        Ok(Fingerprints { device, parts })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conformance::expand::forms;

    #[test]
    fn fingerprints_round_trip_and_broken_ones_are_refused() {
        let mut prints = Fingerprints { device: "a GPU".to_owned(), ..Fingerprints::default() };
        prints.parts.insert("ex2.approx.f32 $d, $a;".to_owned(), vec![1, 0xdead_beef]);
        let text = prints.to_text();
        assert_eq!(Fingerprints::from_text(&text), Ok(prints));
        assert!(Fingerprints::from_text(&text[..text.len() - 3]).is_err());
        assert!(Fingerprints::from_text("").is_err());
    }

    #[test]
    fn one_wrong_bit_changes_a_fingerprint_and_is_a_mismatch() {
        let form = forms().into_iter().find(|form| form.name == "ex2.approx.f32").expect("a form");
        let right = vec![7u8; 64];
        let mut wrong = right.clone();
        wrong[21] ^= 4;
        assert_ne!(fingerprint(&right), fingerprint(&wrong));
        assert_eq!(mismatch(&form, 1, &right, &right), None);
        let found = mismatch(&form, 1, &wrong, &right).expect("a mismatch");
        assert_eq!((found.count, found.input), (1, (1 << 24) + 5));
    }
}
