//! Each operation's operands and immediate against its [`Shape`].

use super::{Verifier, Violation};
use crate::machine::{NO_RECONVERGENCE, Op};
use crate::shape::{Flow, Immediate, MAYBE_TRUTH, OperandKind, Shape};
use crate::site::Site;
use std::ops::Deref;

/// The names of operands.
pub(super) const NAMES: [&str; 4] = ["a", "b", "c", "d"];

pub(super) fn operand(op: &Op, i: usize) -> u32 {
    [op.a, op.b, op.c, op.d][i]
}

/// An address as an immediate.
pub(super) fn address_of<T>(of: &T) -> u64 {
    std::ptr::from_ref(of).addr() as u64
}

impl Verifier<'_> {
    /// One operation against its shape.
    #[inline]
    pub(super) fn operation(&mut self, at: usize) -> Result<(), Violation> {
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
            OperandKind::Register(registers) => self.file.mismatch(value, registers),
            OperandKind::Site(_) if self.site(value).is_some() => {
                format!("the bounds of site {value:#x} are too narrow for its handler")
            }
            OperandKind::Site(_) => format!("{value:#x} is the offset of no site"),
            OperandKind::Block => format!("{value} is not a counted block"),
            OperandKind::Own => format!("{value} is not its own index"),
            OperandKind::GuardEnd => format!("{value} is not the end of a guard"),
            _ => format!("target {value} is not one of the {} operations", self.code.ops.len()),
        };
        self.wrong(Some(at), format!("operand {}: {what}", NAMES[i]))
    }

    /// The site at a byte offset, if it is one of this form.
    #[inline]
    pub(super) fn site(&self, offset: u32) -> Option<&Site> {
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
