//! The verifier of assembled code: a pass over the operations that checks what the handlers' `unsafe`
//! blocks take for granted.
//!
//! The method is that of bytecode verifiers (the Java virtual machine specification, section 4.10;
//! eBPF's): every operand is checked against what the operation says it is, its [`Shape`], and control
//! flow is checked to stay inside. Verified are: slots name a register that was placed, in a form that the
//! handler can read or write, so that no two registers overlap and none lies outside; targets, guards and
//! reconvergence points are operations of the program; site offsets name a site of this form's part of the
//! table; the program ends with its one terminator; fused operations lie in sequence and agree with the
//! plain ones that they overlay; immediates that are addresses belong to lists that the code owns; there is
//! one origin per operation; and the all-varying form corresponds operation for operation.
//!
//! Not verified: that a handler does what its shape says (the assembler states both in one place), and
//! that values are right.

mod fusions;
mod operations;
mod register_file;
mod tables;
mod wide;

pub use wide::verify_wide;

use super::Code;
use crate::shape::{Flow, Shape};
use lanework_ptx_ir::kernel::Kernel;
use register_file::RegisterFile;
use std::fmt;

/// What is wrong with assembled code: an internal error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The kernel.
    pub kernel: String,
    /// The operation and its instruction, if it is one operation's.
    pub operation: Option<(usize, String)>,
    /// The operand or part, and what is wrong with it.
    pub what: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "internal error: invalid code assembled for kernel `{}`: ", self.kernel)?;
        if let Some((at, name)) = &self.operation {
            write!(f, "operation {at} (`{name}`): ")?;
        }
        f.write_str(&self.what)
    }
}

impl std::error::Error for Violation {}

/// Checks code; `first_site` is the index of its first site among those of all forms of the kernel.
///
/// # Errors
/// The first violation.
pub fn verify(kernel: &Kernel, code: &Code, first_site: u32) -> Result<(), Violation> {
    let mut verifier = Verifier {
        kernel,
        code,
        first_site: first_site as usize,
        file: RegisterFile::of(code).map_err(|what| violation(kernel, code, None, what))?,
        inserted: code.plan.as_ref().map_or(Vec::new(), |plan| plan.addresses()),
        plans: [0; 4],
    };
    verifier.inserted.sort_unstable();
    verifier.lists()?;
    verifier.registers()?;
    verifier.sites()?;
    verifier.plans()?;
    for at in 0..code.ops.len() {
        verifier.operation(at)?;
    }
    verifier.terminator()?;
    verifier.fusions()
}

fn name_of(kernel: &Kernel, code: &Code, at: usize) -> String {
    let origin = code.origin_of.get(at).and_then(|origin| kernel.origins.get(*origin as usize));
    origin.map_or_else(|| "?".to_owned(), |origin| origin.name.clone())
}

fn violation(kernel: &Kernel, code: &Code, operation: Option<usize>, what: String) -> Violation {
    let operation = operation.map(|at| (at, name_of(kernel, code, at)));
    Violation { kernel: kernel.name.clone(), operation, what }
}

struct Verifier<'a> {
    kernel: &'a Kernel,
    code: &'a Code,
    first_site: usize,
    file: RegisterFile,
    /// The addresses that the instrument's plan owns, in order.
    inserted: Vec<u64>,
    /// Plans of matrix and asynchronous instructions, and chains, met so far.
    plans: [usize; 4],
}

impl Verifier<'_> {
    #[cold]
    fn wrong(&self, operation: Option<usize>, what: impl Into<String>) -> Violation {
        violation(self.kernel, self.code, operation, what.into())
    }

    /// The lists that go with the operations are as long as they must be.
    fn lists(&self) -> Result<(), Violation> {
        let (code, kernel) = (self.code, self.kernel);
        if code.origin_of.len() != code.ops.len() {
            let (origins, ops) = (code.origin_of.len(), code.ops.len());
            return Err(self.wrong(None, format!("{origins} origins for {ops} operations")));
        }
        if code.shapes.len() != code.ops.len() {
            let (shapes, ops) = (code.shapes.len(), code.ops.len());
            return Err(self.wrong(None, format!("{shapes} shapes for {ops} operations")));
        }
        if code.slots.len() != kernel.registers.len() {
            return Err(self.wrong(None, "not one slot for each register"));
        }
        let known = |origin: u32| (origin as usize) < kernel.origins.len();
        if let Some(at) = code.origin_of.iter().position(|origin| !known(*origin)) {
            return Err(self.wrong(Some(at), "its origin does not exist"));
        }
        if code.runs.iter().any(|(_, origin)| !known(*origin)) {
            return Err(self.wrong(None, "a counted instruction does not exist"));
        }
        let exists = |op: &u32| (*op as usize) < code.ops.len();
        if code.visits.iter().any(|(start, visit)| !exists(start) || !exists(visit)) {
            return Err(self.wrong(None, "the start of a counted block does not exist"));
        }
        Ok(())
    }

    /// The program ends with its one terminator.
    fn terminator(&self) -> Result<(), Violation> {
        let ends = |shape: &Shape| shape.flow == Flow::Ends;
        let last = self.code.shapes.len().wrapping_sub(1);
        match self.code.shapes.iter().position(ends) {
            None => Err(self.wrong(None, "the last operation falls through")),
            Some(at) if at != last => Err(self.wrong(Some(at), "a terminator before the end")),
            Some(_) => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests;
