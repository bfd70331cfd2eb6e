//! Conformance: runs every form of every instruction on edge-case and random operands, on the emulator and on a GPU,
//! and keeps the GPU's results as golden vectors.
//!
//! The comparison gives the coverage of the instruction set: whether the emulator loads each form, and how well it is
//! known to agree with a GPU. The table `data/measured.txt` lists the measured instructions. A test derives it from the
//! recorded vectors (`tests/it/conformance/results.rs`); instructions outside the table are never called exact.

mod access;
mod catalog;
mod combine;
mod execute;
pub mod exhaustive;
mod expand;
mod form;
mod operands;

pub use catalog::{CHAPTERS, Chapter};
pub use combine::{OperandCandidate, Verdicts, candidates, combinations};
pub use execute::{Difference, Outcome, TOGETHER, Vectors, compare, execute};
pub use expand::forms;
pub use form::{InstructionForm, module};
pub use operands::OperandKind;

use form::load_test;
use lanework::emulator::{Emulator, Options};
use lanework::ptx::Opcode;
use std::collections::HashSet;
use std::sync::LazyLock;

/// Whether the emulator runs a form, and how well its results are known to agree with a GPU's.
#[derive(Clone, Debug, PartialEq)]
pub enum Covered {
    /// It runs, with this fidelity.
    Runs(Fidelity),
    /// It is unsupported, and why.
    Refused(String),
}

/// Coverage of one instruction.
#[derive(Clone, Debug)]
pub struct Coverage {
    /// Its chapter in English and Chinese.
    pub chapter: [&'static str; 2],
    /// The instruction, such as `add`.
    pub opcode: Opcode,
    /// Its forms.
    pub forms: Vec<(InstructionForm, Covered)>,
}

impl Coverage {
    /// Numbers of measured, unmeasured and refused forms.
    pub fn counts(&self) -> [usize; 3] {
        let mut counts = [0; 3];
        for (_, covered) in &self.forms {
            counts[match covered {
                Covered::Runs(Fidelity::Measured) => 0,
                Covered::Runs(Fidelity::Unmeasured) => 1,
                Covered::Refused(_) => 2,
            }] += 1;
        }
        counts
    }

    /// The names of refused forms, each once; with operands if another form of that name is known.
    pub fn refused(&self) -> Vec<&str> {
        let is_refused = |covered: &Covered| matches!(covered, Covered::Refused(_));
        let known = |name: &str| self.forms.iter().any(|(f, c)| f.name == name && !is_refused(c));
        let refused = self.forms.iter().filter(|(_, covered)| is_refused(covered));
        let named = |form: &'_ InstructionForm| known(&form.name);
        let mut names: Vec<&str> = refused
            .map(|(form, _)| if named(form) { form.text.as_str() } else { form.name.as_str() })
            .collect();
        names.dedup();
        names
    }
}

/// Every instruction of the catalog, in its order.
pub fn coverage() -> Vec<Coverage> {
    let emulator = Emulator::new(Options { workers: Some(1), ..Options::default() });
    let forms = forms();
    let compared: HashSet<String> =
        forms.iter().filter(|form| form.runs()).map(|form| form.name.clone()).collect();
    let mut all: Vec<Coverage> = Vec::new();
    for form in forms {
        let chapter = CHAPTERS[form.chapter].title;
        let covered = match load(&emulator, &form) {
            // The comparison covers other operands: `mov.u32` of a register does not cover `mov.u32` of `%clock`.
            Covered::Runs(Fidelity::Measured) if !form.runs() && compared.contains(&form.name) => {
                Covered::Runs(Fidelity::Unmeasured)
            }
            covered => covered,
        };
        let place = all.iter_mut().find(|c| c.opcode == form.opcode && c.chapter == chapter);
        match place {
            Some(coverage) => coverage.forms.push((form, covered)),
            None => {
                all.push(Coverage { chapter, opcode: form.opcode, forms: vec![(form, covered)] })
            }
        }
    }
    all
}

fn load(emulator: &Emulator, form: &InstructionForm) -> Covered {
    let module = match lanework::ptx::Module::parse(&load_test(form)) {
        Ok(module) => module,
        Err(problems) => return Covered::Refused(problems.to_string()),
    };
    match emulator.load(&module) {
        Ok(_) => Covered::Runs(fidelity(&form.name)),
        Err(error) => Covered::Refused(error.message),
    }
}

/// Fidelity of an instruction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fidelity {
    /// Equal to an H200's results bit for bit, for every recorded vector.
    Measured,
    /// Not compared with a GPU on its own, such as control flow, barriers and asynchronous copies.
    Unmeasured,
}

/// The names of the compared instructions, one per line.
static MEASURED: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    let lines = include_str!("../../data/measured.txt").lines();
    lines.filter(|line| !line.starts_with('#')).collect()
});

/// Fidelity of the instruction of this name, such as `ex2.approx.f32`. The name does not cover all operands:
/// `mov.u32` is measured, but not with `%clock`.
pub fn fidelity(name: &str) -> Fidelity {
    if MEASURED.contains(name) { Fidelity::Measured } else { Fidelity::Unmeasured }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_compared_instructions_are_measured() {
        assert_eq!(fidelity("add.rn.f32"), Fidelity::Measured);
        assert_eq!(
            fidelity("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"),
            Fidelity::Measured
        );
        assert_eq!(fidelity("ex2.approx.f32"), Fidelity::Measured);
        assert_eq!(fidelity("bar.sync"), Fidelity::Unmeasured);
        assert_eq!(fidelity("add.rn.f33"), Fidelity::Unmeasured);
    }
}
