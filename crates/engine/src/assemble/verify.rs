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
mod wide;

pub use wide::verify_wide;

use super::{Code, Prefill};
use crate::event::AccessKind;
use crate::machine::{NO_RECONVERGENCE, Op};
use crate::shape::{
    Flow, Form, Immediate, MAYBE_TRUTH, MAYBE_VARYING, OperandKind, PREDICATE, Registers,
    SCALAR_WIDE, SCALAR_WORD, Shape, TEST, VALUE, VARYING, WIDE_WORDS, WORDS, form_bytes, forms_of,
};
use crate::site::Site;
use crate::slot::{NO_SLOT, OFFSET, SCALAR, Slot, WIDE};
use lanework_ptx_ir::kernel::Kernel;
use lanework_ptx_ir::opcode::asynchrony::{AsyncOp, MbarrierOp};
use lanework_ptx_ir::opcode::matrix::MatrixOp;
use lanework_ptx_ir::opcode::tensor_memory::TmemOp;
use std::fmt;
use std::ops::Deref;

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
        file: Vec::new(),
        inserted: code.plan.as_ref().map_or(Vec::new(), |plan| plan.addresses()),
        plans: [0; 4],
    };
    verifier.inserted.sort_unstable();
    verifier.lists()?;
    verifier.place()?;
    verifier.registers()?;
    verifier.sites()?;
    verifier.plans()?;
    for at in 0..code.ops.len() {
        verifier.operation(at)?;
    }
    verifier.terminator()?;
    verifier.fusions()
}

/// The names of operands.
const NAMES: [&str; 4] = ["a", "b", "c", "d"];

fn operand(op: &Op, i: usize) -> u32 {
    [op.a, op.b, op.c, op.d][i]
}

fn name_of(kernel: &Kernel, code: &Code, at: usize) -> String {
    let origin = code.origin_of.get(at).and_then(|origin| kernel.origins.get(*origin as usize));
    origin.map_or_else(|| "?".to_owned(), |origin| origin.name.clone())
}

/// The granule of the register file: every register lies at a multiple of it.
const GRANULE: usize = 32;
/// In the table of the register file: inside a register, or nothing.
const INSIDE: u8 = 0x80;
/// The bits of a table entry that are the slot's form bits; the register's [`Form`] is above.
const FLAGS: u32 = SCALAR | WIDE;

struct Verifier<'a> {
    kernel: &'a Kernel,
    code: &'a Code,
    first_site: usize,
    /// For each granule of the register file: the form of the register that starts there.
    file: Vec<u8>,
    /// The addresses that the instrument's plan owns, in order.
    inserted: Vec<u64>,
    /// Plans of matrix and asynchronous instructions, and chains, met so far.
    plans: [usize; 4],
}

impl Verifier<'_> {
    #[cold]
    fn wrong(&self, operation: Option<usize>, what: impl Into<String>) -> Violation {
        Violation {
            kernel: self.kernel.name.clone(),
            operation: operation.map(|at| (at, name_of(self.kernel, self.code, at))),
            what: what.into(),
        }
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

    /// Makes the table of the register file from the registers that were reserved.
    fn place(&mut self) -> Result<(), Violation> {
        self.file = vec![0; self.code.register_bytes.div_ceil(GRANULE)];
        for (slot, form) in &self.code.reserved {
            let (start, bytes) = ((slot & OFFSET) as usize, form_bytes(*form));
            if start % bytes.min(64) != 0 || start + bytes > self.code.register_bytes {
                let what = format!("the register at slot {slot:#x} lies outside the register file");
                return Err(self.wrong(None, what));
            }
            let granules = &mut self.file[start / GRANULE..(start + bytes) / GRANULE];
            if granules.iter().any(|granule| *granule != 0) {
                let what = format!("the register at slot {slot:#x} overlaps another");
                return Err(self.wrong(None, what));
            }
            granules.fill(INSIDE);
            granules[0] = form << 2 | (slot & FLAGS) as u8;
        }
        Ok(())
    }

    /// Whether a slot names such a register.
    #[inline]
    fn names(&self, slot: Slot, registers: Registers) -> bool {
        if slot == NO_SLOT {
            return registers.is_optional();
        }
        let entry = self.file.get(slot as usize / GRANULE).copied().unwrap_or(0);
        let flags = if registers.is_bare() { 0 } else { u32::from(entry) & FLAGS };
        entry & INSIDE == 0 && slot & !OFFSET == flags && entry >> 2 & registers.forms() != 0
    }

    /// Whether a slot is what a register operand says.
    fn is(&self, slot: Slot, operand: OperandKind) -> bool {
        matches!(operand, OperandKind::Register(registers) if self.names(slot, registers))
    }

    /// Registers of the kernel, and what is written before it runs, lie in forms of their widths.
    fn registers(&self) -> Result<(), Violation> {
        for (r, (slot, register)) in self.code.slots.iter().zip(&self.kernel.registers).enumerate()
        {
            let registers = Registers::of(forms_of(register.width)).optional();
            if !self.names(*slot, registers) {
                let what = format!("register {r}: {}", self.slot_is_no(*slot, registers));
                return Err(self.wrong(None, what));
            }
        }
        for (slot, what) in &self.code.prefill {
            let forms = match what {
                Prefill::Special(_) => SCALAR_WORD | SCALAR_WIDE | WORDS | WIDE_WORDS | PREDICATE,
                Prefill::Constant(_) => SCALAR_WIDE,
                Prefill::Truth(_) => PREDICATE,
            };
            if !self.names(*slot, Registers::of(forms)) {
                let wrong = self.slot_is_no(*slot, Registers::of(forms));
                return Err(self.wrong(None, format!("prefilled {what:?}: {wrong}")));
            }
        }
        Ok(())
    }

    fn slot_is_no(&self, slot: Slot, registers: Registers) -> String {
        let names = [
            (SCALAR_WORD, "scalar 32-bit"),
            (SCALAR_WIDE, "scalar 64-bit"),
            (WORDS, "varying 32-bit"),
            (WIDE_WORDS, "varying 64-bit"),
            (PREDICATE, "predicate"),
        ];
        let wanted: Vec<&str> = names
            .iter()
            .filter(|(form, _): &&(Form, &str)| registers.forms() & form != 0)
            .map(|(_, name)| *name)
            .collect();
        let bare = if registers.is_bare() { ", as a bare offset" } else { "" };
        format!(
            "slot {slot:#x} is no {} register of the {}-byte register file{bare}",
            wanted.join(" or "),
            self.code.register_bytes
        )
    }

    /// Sites hold registers of the right forms, and elements that exist.
    fn sites(&self) -> Result<(), Violation> {
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
                if slot.is_some_and(|slot| !self.is(slot, wanted)) {
                    return wrong(&format!("the register of element {element} is none"));
                }
            }
        }
        Ok(())
    }

    /// The registers of matrix and asynchronous instructions.
    fn plans(&self) -> Result<(), Violation> {
        for (i, plan) in self.code.plans.iter().enumerate() {
            let test = matches!(plan.op, MatrixOp::Group(_));
            let source = |(j, slot): (usize, &Slot)| {
                self.is(*slot, if test && j == 1 { TEST } else { VALUE })
            };
            let result = |slot: &Slot| self.is(*slot, MAYBE_VARYING);
            if !plan.src.iter().enumerate().all(source) || !plan.dst.iter().all(result) {
                return Err(self.wrong(None, format!("matrix plan {i}: a register is none")));
            }
        }
        for (i, plan) in self.code.async_plans.iter().enumerate() {
            let wait = matches!(plan.op, AsyncOp::Mbarrier(MbarrierOp::Wait { .. }, _));
            let to = if wait { MAYBE_TRUTH } else { MAYBE_VARYING };
            let test = matches!(plan.op, AsyncOp::Tmem(TmemOp::Multiply(_)));
            let source = |(j, slot): (usize, &Slot)| {
                self.is(*slot, if test && j == 4 { TEST } else { VALUE })
            };
            let inside = plan.src.iter().enumerate().all(source)
                && plan.dst.iter().all(|slot| self.is(*slot, to));
            if !inside {
                return Err(self.wrong(None, format!("asynchronous plan {i}: a register is none")));
            }
        }
        for (i, plan) in self.code.texture_plans.iter().enumerate() {
            let inside = plan.src.iter().all(|slot| self.is(*slot, VALUE))
                && plan.dst.iter().all(|slot| self.is(*slot, MAYBE_VARYING));
            if !inside {
                return Err(self.wrong(None, format!("texture plan {i}: a register is none")));
            }
        }
        Ok(())
    }

    /// One operation against its shape.
    #[inline]
    fn operation(&mut self, at: usize) -> Result<(), Violation> {
        let (code, shape) = (self.code, &self.code.shapes[at]);
        let op = &code.ops[at];
        for (i, (wanted, value)) in shape.operands.iter().zip([op.a, op.b, op.c, op.d]).enumerate()
        {
            let good = match *wanted {
                OperandKind::Number => true,
                OperandKind::Register(registers) => self.names(value, registers),
                OperandKind::Target => (value as usize) < code.ops.len(),
                OperandKind::MaybeTarget => {
                    value == NO_RECONVERGENCE || (value as usize) < code.ops.len()
                }
                OperandKind::GuardEnd => {
                    let inside = (value as usize) < code.ops.len();
                    let last = (value as usize).checked_sub(1).filter(|last| inside && *last > at);
                    last.and_then(|last| code.shapes.get(last))
                        .is_some_and(|last| last.flow == Flow::Unguards)
                }
                OperandKind::Own => value as usize == at,
                OperandKind::Block => code.runs.last().is_some_and(|(last, _)| value <= *last),
                OperandKind::Site(lanes) => self
                    .site(value)
                    .is_some_and(|site| u64::from(lanes) * u64::from(site.bytes) <= site.span),
            };
            if !good {
                return Err(self.bad_operand(at, i, *wanted, value));
            }
        }
        self.immediate(at, op, shape)
    }

    #[cold]
    fn bad_operand(&self, at: usize, i: usize, wanted: OperandKind, value: u32) -> Violation {
        let what = match wanted {
            OperandKind::Register(registers) => self.slot_is_no(value, registers),
            OperandKind::Site(_) if self.site(value).is_some() => {
                format!("the bounds of site {value:#x} are too narrow for its handler")
            }
            OperandKind::Site(_) => format!("{value:#x} is the offset of no site"),
            OperandKind::Block => format!("{value} is no counted block"),
            OperandKind::Own => format!("{value} is not its own index"),
            OperandKind::GuardEnd => format!("{value} is not the end of a guard"),
            _ => format!("target {value} is no operation of {}", self.code.ops.len()),
        };
        self.wrong(Some(at), format!("operand {}: {what}", NAMES[i]))
    }

    /// The site at a byte offset, if it is one of this form.
    #[inline]
    fn site(&self, offset: u32) -> Option<&Site> {
        let (offset, size) = (offset as usize, size_of::<Site>());
        let index = (offset / size).checked_sub(self.first_site)?;
        self.code.sites.get(index).filter(|_| offset % size == 0)
    }

    /// Whether an operation's immediate is the address of the next of a list.
    fn next<P: Deref>(&mut self, which: usize, list: &[P], op: &Op) -> bool
    where
        P::Target: Sized,
    {
        let next = list.get(self.plans[which]);
        self.plans[which] += 1;
        next.is_some_and(|next| address_of(&**next) == op.imm)
    }

    fn immediate(&mut self, at: usize, op: &Op, shape: &Shape) -> Result<(), Violation> {
        let code = self.code;
        let good = match shape.imm {
            Immediate::Number => true,
            Immediate::Function => op.imm != 0,
            Immediate::SiteOffset => {
                let offset = self.site(op.c).is_some_and(|site| site.offset == op.imm);
                offset || self.next(2, &code.chains, op)
            }
            Immediate::MatrixPlan => self.next(0, &code.plans, op),
            Immediate::AsyncPlan => self.next(1, &code.async_plans, op),
            Immediate::TexturePlan => self.next(3, &code.texture_plans, op),
            Immediate::Inserted => self.inserted.binary_search(&op.imm).is_ok(),
            Immediate::Predicate => self.is(op.imm as u32, MAYBE_TRUTH),
        };
        if good {
            return Ok(());
        }
        let what = match shape.imm {
            Immediate::Predicate => "its low half names no predicate".to_owned(),
            Immediate::SiteOffset => "it is neither its site's offset nor a chain".to_owned(),
            _ => format!("{:#x} is no address that the code owns", op.imm),
        };
        Err(self.wrong(Some(at), format!("immediate: {what}")))
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

/// An address as an immediate.
fn address_of<T>(of: &T) -> u64 {
    std::ptr::from_ref(of).addr() as u64
}
