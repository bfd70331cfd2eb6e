//! Checks each operation's operands and immediate against its [`Shape`].

use crate::assemble::Code;
use crate::assemble::fuse::{Fusion, FusionKind};
use crate::assemble::shape::{
    Immediate, MAYBE_TRUTH, OperandKind, OperationFlow, PREDICATE, RegisterForms, Registers,
    SCALAR_WIDE, SCALAR_WORD, Shape, WIDE_WORDS, WORDS, form_bytes,
};
use crate::assemble::verify::{Verifier, Violation};
use crate::instructions::access::site::AccessSite;
use crate::machine::slot::{NO_SLOT, OFFSET, SCALAR, Slot, WIDE};
use crate::machine::{NO_RECONVERGENCE, Op};
use std::ops::Deref;

/// The names of operands.
pub(crate) const NAMES: [&str; 4] = ["a", "b", "c", "d"];

pub(crate) fn operand(op: &Op, i: usize) -> u32 {
    [op.a, op.b, op.c, op.d][i]
}

/// An address as an immediate.
pub(crate) fn address_of<T>(of: &T) -> u64 {
    std::ptr::from_ref(of).addr() as u64
}

impl Verifier<'_> {
    /// Checks one operation against its shape.
    #[inline]
    pub(crate) fn operation(&mut self, at: usize) -> Result<(), Violation> {
        let (code, shape) = (self.code, &self.code.shapes[at]);
        let op = &code.ops[at];
        for (i, (wanted, value)) in shape.operands.iter().zip([op.a, op.b, op.c, op.d]).enumerate()
        {
            let good = match *wanted {
                OperandKind::Number => true,
                OperandKind::Register(registers) => self.file.names(value, registers),
                OperandKind::Target => (value as usize) < code.ops.len(),
                OperandKind::MaybeTarget => {
                    value == NO_RECONVERGENCE || (value as usize) < code.ops.len()
                }
                OperandKind::GuardEnd => {
                    let inside = (value as usize) < code.ops.len();
                    let last = (value as usize).checked_sub(1).filter(|last| inside && *last > at);
                    last.and_then(|last| code.shapes.get(last))
                        .is_some_and(|last| last.flow == OperationFlow::Unguards)
                }
                OperandKind::Own => value as usize == at,
                OperandKind::Block => code.runs.last().is_some_and(|(last, _)| value <= *last),
                OperandKind::AccessSite(lanes) => self
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
            OperandKind::Register(registers) => self.file.mismatch(value, registers),
            OperandKind::AccessSite(_) if self.site(value).is_some() => {
                format!("the bounds of site {value:#x} are too narrow for its handler")
            }
            OperandKind::AccessSite(_) => format!("{value:#x} is the offset of no site"),
            OperandKind::Block => format!("{value} is not a counted block"),
            OperandKind::Own => format!("{value} is not its own index"),
            OperandKind::GuardEnd => format!("{value} is not the end of a guard"),
            _ => format!("target {value} is not one of the {} operations", self.code.ops.len()),
        };
        self.wrong(Some(at), format!("operand {}: {what}", NAMES[i]))
    }

    /// The site at a byte offset, if it is one of this form.
    #[inline]
    pub(crate) fn site(&self, offset: u32) -> Option<&AccessSite> {
        let (offset, size) = (offset as usize, size_of::<AccessSite>());
        let index = (offset / size).checked_sub(self.first_site)?;
        self.code.sites.get(index).filter(|_| offset % size == 0)
    }

    /// Whether an operation's immediate is the address of the next element of `list`.
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
            Immediate::Predicate => self.file.is(op.imm as u32, MAYBE_TRUTH),
        };
        if good {
            return Ok(());
        }
        let what = match shape.imm {
            Immediate::Predicate => "its low half names no predicate".to_owned(),
            Immediate::SiteOffset => "it is neither its site's offset nor a chain".to_owned(),
            _ => format!("{:#x} is not an address that the code owns", op.imm),
        };
        Err(self.wrong(Some(at), format!("immediate: {what}")))
    }
}

impl Verifier<'_> {
    /// Checks that fused operations are in sequence and agree with the operations that they overlay.
    pub(crate) fn fusions(&self) -> Result<(), Violation> {
        let mut free = 0;
        let mut before: Option<Fusion> = None;
        let mut chains = 0;
        for fusion in &self.code.fusions {
            let at = fusion.at as usize;
            let wrong = |what: &str| Err(self.wrong(Some(at), format!("fused: {what}")));
            let inner = before.is_some_and(|before| {
                before.kind == FusionKind::SumAndStep
                    && before.at + 1 == fusion.at
                    && fusion.kind == FusionKind::Step
            });
            if at < free && !inner {
                return wrong("it overlays an operation of the sequence before");
            }
            let length = match fusion.kind {
                FusionKind::Sums | FusionKind::CompareBranch => 2,
                FusionKind::Step => 3,
                FusionKind::SumAndStep => 4,
                FusionKind::Chain(index) => match self.code.chains.get(index as usize) {
                    Some(chain) => chain.operations(),
                    None => return wrong(&format!("chain {index} does not exist")),
                },
            };
            let Some(shapes) = self.code.shapes.get(at..at + length) else {
                return wrong("the sequence leaves the program");
            };
            let ops = &self.code.ops[at..at + length];
            let sum = |shape: &Shape| *shape == Shape::affine();
            let good = match fusion.kind {
                FusionKind::Sums => shapes.iter().all(sum),
                FusionKind::CompareBranch => {
                    shapes[0].imm == Immediate::Function
                        && shapes[1].operands[0] == OperandKind::Target
                }
                FusionKind::Step => is_step(ops, shapes),
                FusionKind::SumAndStep => sum(&shapes[0]) && is_step(&ops[1..], &shapes[1..]),
                FusionKind::Chain(index) => {
                    chains += 1;
                    let chain = &self.code.chains[index as usize];
                    let offset = |op: &Op| self.site(op.c).map_or(0, |site| site.offset);
                    ops[0].imm == address_of(&**chain)
                        && ops
                            .chunks(3)
                            .zip(shapes.chunks(3))
                            .all(|(ops, shapes)| is_step(ops, shapes))
                        && chain.agrees(ops, &offset)
                }
            };
            if !good {
                return wrong("the operations are not those of the sequence");
            }
            free = free.max(at + length);
            before = Some(*fusion);
        }
        if chains != self.code.chains.len() {
            return Err(self.wrong(None, "not one fused operation for each chain"));
        }
        Ok(())
    }
}

/// Whether these are a scalar load, a load of a run of lanes, and an `fma` of what both load.
fn is_step(ops: &[Op], shapes: &[Shape]) -> bool {
    let ([x, y, fma], [of_x, of_y, of_fma]) = (ops, shapes) else { return false };
    let loads = |shape: &Shape, form: RegisterForms| {
        shape.operands[0] == OperandKind::Register(Registers::in_forms(form))
            && matches!(shape.operands[2], OperandKind::AccessSite(lanes) if lanes > 0)
    };
    let (same, run) = if loads(of_x, SCALAR_WORD) && loads(of_y, WORDS) {
        (x, y)
    } else if loads(of_x, WORDS) && loads(of_y, SCALAR_WORD) {
        (y, x)
    } else {
        return false;
    };
    let words = OperandKind::Register(Registers::in_forms(WORDS).bare());
    let factors = [fma.b, fma.c];
    let loaded = [same.a & OFFSET, run.a & OFFSET];
    of_fma.operands[0] == words
        && of_fma.operands[3] == words
        && (factors == loaded || factors == [loaded[1], loaded[0]])
        && of_x.operands[1] == of_y.operands[1]
}

/// The granule of the register file: every register is at a multiple of it.
const GRANULE: usize = 32;
/// Table entry of a granule inside a register; an unused granule is 0.
const INSIDE: u8 = 0x80;
/// The bits of a table entry that are the slot's form bits; the register's [`RegisterForms`] is above.
const FLAGS: u32 = SCALAR | WIDE;

/// The registers that were placed.
pub(crate) struct RegisterFile {
    /// For each granule: the form of the register that starts there.
    granules: Vec<u8>,
    bytes: usize,
}

impl RegisterFile {
    /// The registers that the code reserved, or the first violation.
    pub(crate) fn new(code: &Code) -> Result<RegisterFile, String> {
        let bytes = code.register_bytes;
        let mut granules = vec![0; bytes.div_ceil(GRANULE)];
        for (slot, form) in &code.reserved {
            let (start, size) = ((slot & OFFSET) as usize, form_bytes(*form));
            if start % size.min(64) != 0 || start + size > bytes {
                return Err(format!(
                    "the register at slot {slot:#x} lies outside the register file"
                ));
            }
            let own = &mut granules[start / GRANULE..(start + size) / GRANULE];
            if own.iter().any(|granule| *granule != 0) {
                return Err(format!("the register at slot {slot:#x} overlaps another"));
            }
            own.fill(INSIDE);
            own[0] = form << 2 | (slot & FLAGS) as u8;
        }
        Ok(RegisterFile { granules, bytes })
    }

    /// Whether a slot names a placed register of one of these forms.
    #[inline]
    pub(crate) fn names(&self, slot: Slot, registers: Registers) -> bool {
        if slot == NO_SLOT {
            return registers.is_optional();
        }
        let entry = self.granules.get(slot as usize / GRANULE).copied().unwrap_or(0);
        let flags = if registers.is_bare() { 0 } else { u32::from(entry) & FLAGS };
        entry & INSIDE == 0 && slot & !OFFSET == flags && entry >> 2 & registers.forms() != 0
    }

    /// Whether a slot matches a register operand.
    pub(crate) fn is(&self, slot: Slot, operand: OperandKind) -> bool {
        matches!(operand, OperandKind::Register(registers) if self.names(slot, registers))
    }

    /// Reports a slot without a matching register.
    pub(crate) fn mismatch(&self, slot: Slot, registers: Registers) -> String {
        let names = [
            (SCALAR_WORD, "scalar 32-bit"),
            (SCALAR_WIDE, "scalar 64-bit"),
            (WORDS, "varying 32-bit"),
            (WIDE_WORDS, "varying 64-bit"),
            (PREDICATE, "predicate"),
        ];
        let wanted: Vec<&str> = names
            .iter()
            .filter(|(form, _): &&(RegisterForms, &str)| registers.forms() & form != 0)
            .map(|(_, name)| *name)
            .collect();
        let bare = if registers.is_bare() { ", as a bare offset" } else { "" };
        format!(
            "slot {slot:#x} is not a {} register of the {}-byte register file{bare}",
            wanted.join(" or "),
            self.bytes
        )
    }
}
