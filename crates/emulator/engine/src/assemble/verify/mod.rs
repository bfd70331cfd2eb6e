//! The verifier of assembled code: a pass over the operations that checks the assumptions of the handlers'
//! `unsafe` blocks.
//!
//! The method follows bytecode verifiers (the Java virtual machine specification, section 4.10; eBPF's):
//! every operand is checked against the operation's declared [`Shape`], and control flow is checked to stay
//! inside. The verifier checks that slots name a placed register in a form that the handler can read or write; that no
//! two registers overlap and none is outside the register file; that targets, guards and reconvergence points
//! are operations of the program; that site offsets name a site of this form's part of the table; that the program
//! ends with its one terminator; that fused operations are in sequence and agree with the plain ones that they
//! overlay; that immediates that are addresses belong to lists that the code owns; that there is one origin per
//! operation; and that the all-varying form corresponds operation for operation.
//!
//! It does not check that a handler behaves as its shape declares (the assembler states both in one place), or
//! that values are right.

pub(crate) mod operations;
#[cfg(test)]
mod tests;

use crate::assemble::shape::{
    MAYBE_TRUTH, MAYBE_VARYING, OperandKind, OperationFlow, PREDICATE, Registers, SCALAR_WIDE,
    SCALAR_WORD, Shape, TEST, VALUE, VARYING, WIDE_WORDS, WORDS, forms_of,
};
use crate::assemble::verify::operations::{NAMES, RegisterFile, operand};
use crate::assemble::{Code, Prefill};
use crate::instructions::access::site::AccessSite;
use crate::instrument::event::AccessKind;
use crate::machine::slot::Slot;
use lanework_ptx_ir::kernel::Kernel;
use lanework_ptx_ir::opcode::asynchrony::{AsyncOp, MbarrierOp};
use lanework_ptx_ir::opcode::matrix::MatrixOp;
use lanework_ptx_ir::opcode::tensor_memory::TmemOp;
use std::fmt;

/// A violation in assembled code: an internal error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The kernel.
    pub kernel: String,
    /// The operation and its instruction, if the violation concerns one operation.
    pub operation: Option<(usize, String)>,
    /// The operand or part, and the violated rule.
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

/// Checks code; `first_site` is the index of its first site among the sites of all forms of the kernel.
///
/// # Errors
/// The first violation.
pub fn verify(kernel: &Kernel, code: &Code, first_site: u32) -> Result<(), Violation> {
    let mut verifier = Verifier {
        kernel,
        code,
        first_site: first_site as usize,
        file: RegisterFile::new(code).map_err(|what| violation(kernel, code, None, what))?,
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
    /// Plans of matrix and asynchronous instructions, and chains, found so far.
    plans: [usize; 4],
}

impl Verifier<'_> {
    #[cold]
    fn wrong(&self, operation: Option<usize>, what: impl Into<String>) -> Violation {
        violation(self.kernel, self.code, operation, what.into())
    }

    /// Checks that the lists parallel to the operations have the right lengths.
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

    /// Checks that the program ends with its one terminator.
    fn terminator(&self) -> Result<(), Violation> {
        let ends = |shape: &Shape| shape.flow == OperationFlow::Ends;
        let last = self.code.shapes.len().wrapping_sub(1);
        match self.code.shapes.iter().position(ends) {
            None => Err(self.wrong(None, "the last operation falls through")),
            Some(at) if at != last => Err(self.wrong(Some(at), "a terminator before the end")),
            Some(_) => Ok(()),
        }
    }
}

impl Verifier<'_> {
    /// Checks that registers of the kernel, and registers written before it runs, have forms of their widths.
    pub(crate) fn registers(&self) -> Result<(), Violation> {
        for (r, (slot, register)) in self.code.slots.iter().zip(&self.kernel.registers).enumerate()
        {
            let registers = Registers::in_forms(forms_of(register.width)).optional();
            if !self.file.names(*slot, registers) {
                let what = format!("register {r}: {}", self.file.mismatch(*slot, registers));
                return Err(self.wrong(None, what));
            }
        }
        for (slot, what) in &self.code.prefill {
            let forms = match what {
                Prefill::Special(_) => SCALAR_WORD | SCALAR_WIDE | WORDS | WIDE_WORDS | PREDICATE,
                Prefill::Constant(_) => SCALAR_WIDE,
                Prefill::Truth(_) => PREDICATE,
            };
            if !self.file.names(*slot, Registers::in_forms(forms)) {
                let wrong = self.file.mismatch(*slot, Registers::in_forms(forms));
                return Err(self.wrong(None, format!("prefilled {what:?}: {wrong}")));
            }
        }
        Ok(())
    }

    /// Checks that sites hold registers of the right forms, and elements that exist.
    pub(crate) fn sites(&self) -> Result<(), Violation> {
        for (i, site) in self.code.sites.iter().enumerate() {
            let wrong = |what: &str| {
                let origin = self.kernel.origins.get(site.origin as usize);
                let name = origin.map_or("?", |origin| origin.name.as_str());
                Err(self.wrong(None, format!("site {i} (`{name}`): {what}")))
            };
            let atomic = site.kind == AccessKind::Atomic;
            let sizes: &[u8] = if atomic { &[2, 4, 8] } else { &[1, 2, 4, 8] };
            if !sizes.contains(&site.bytes) || ![1, 2, 4, 8].contains(&site.count) {
                return wrong("no size of an access");
            }
            if site.origin as usize >= self.kernel.origins.len() {
                return wrong("its origin does not exist");
            }
            for (element, slot) in site.data.iter().enumerate() {
                let old = if site.count == 2 { 4..6 } else { 2..3 };
                let wanted = if atomic && old.contains(&element) { VARYING } else { VALUE };
                if slot.is_some_and(|slot| !self.file.is(slot, wanted)) {
                    return wrong(&format!("element {element} is not in a register of its form"));
                }
            }
        }
        Ok(())
    }

    /// Checks the registers of matrix and asynchronous instructions.
    pub(crate) fn plans(&self) -> Result<(), Violation> {
        for (i, plan) in self.code.plans.iter().enumerate() {
            let test = matches!(plan.op, MatrixOp::Group(_));
            let source = |(j, slot): (usize, &Slot)| {
                self.file.is(*slot, if test && j == 1 { TEST } else { VALUE })
            };
            let result = |slot: &Slot| self.file.is(*slot, MAYBE_VARYING);
            if !plan.src.iter().enumerate().all(source) || !plan.dst.iter().all(result) {
                return Err(
                    self.wrong(None, format!("matrix plan {i}: a register is not one of its form"))
                );
            }
        }
        for (i, plan) in self.code.async_plans.iter().enumerate() {
            let wait = matches!(plan.op, AsyncOp::Mbarrier(MbarrierOp::Wait { .. }, _));
            let to = if wait { MAYBE_TRUTH } else { MAYBE_VARYING };
            let test = matches!(plan.op, AsyncOp::Tmem(TmemOp::Multiply(_)));
            let source = |(j, slot): (usize, &Slot)| {
                self.file.is(*slot, if test && j == 4 { TEST } else { VALUE })
            };
            let inside = plan.src.iter().enumerate().all(source)
                && plan.dst.iter().all(|slot| self.file.is(*slot, to));
            if !inside {
                return Err(self.wrong(
                    None,
                    format!("asynchronous plan {i}: a register is not one of its form"),
                ));
            }
        }
        for (i, plan) in self.code.texture_plans.iter().enumerate() {
            let inside = plan.src.iter().all(|slot| self.file.is(*slot, VALUE))
                && plan.dst.iter().all(|slot| self.file.is(*slot, MAYBE_VARYING));
            if !inside {
                return Err(self
                    .wrong(None, format!("texture plan {i}: a register is not one of its form")));
            }
        }
        Ok(())
    }
}

/// Checks that the all-varying form corresponds to the first one, so that a warp can continue in it at the
/// operation where it stopped, with its reconvergence stack.
///
/// # Errors
/// The first violation.
pub fn verify_wide(kernel: &Kernel, code: &Code, wide: &Code) -> Result<(), Violation> {
    let wrong = |operation: Option<usize>, what: &str| {
        let what = format!("the all-varying form does not correspond: {what}");
        violation(kernel, wide, operation, what)
    };
    if code.ops.len() != wide.ops.len() {
        return Err(wrong(None, "another number of operations"));
    }
    if code.origin_of != wide.origin_of {
        return Err(wrong(None, "other origins"));
    }
    if code.sites.len() != wide.sites.len() {
        return Err(wrong(None, "another number of sites"));
    }
    if code.runs != wide.runs || code.visits != wide.visits {
        return Err(wrong(None, "other basic blocks"));
    }
    let sites = code.sites.len() * size_of::<AccessSite>();
    for (at, (one, other)) in code.ops.iter().zip(&wide.ops).enumerate() {
        let (first, second) = (&code.shapes[at], &wide.shapes[at]);
        if first.flow != second.flow {
            return Err(wrong(Some(at), "it goes on elsewhere"));
        }
        for (i, (a, b)) in first.operands.iter().zip(&second.operands).enumerate() {
            let (from, to) = (operand(one, i), operand(other, i));
            let agree = match (a, b) {
                (
                    OperandKind::Register(_) | OperandKind::Number,
                    OperandKind::Register(_) | OperandKind::Number,
                ) => true,
                (OperandKind::AccessSite(_), OperandKind::AccessSite(_)) => {
                    from as usize + sites == to as usize
                }
                _ => a == b && from == to,
            };
            if !agree {
                return Err(wrong(Some(at), &format!("operand {}", NAMES[i])));
            }
        }
    }
    Ok(())
}
