//! Memory instructions: their sites, and the handlers for their forms.

use crate::ablation::FastPath;
use crate::assemble::Assembler;
use crate::assemble::fuse::Mark;
use crate::assemble::shape::{
    Immediate, MAYBE_VALUE, OperandKind, RegisterForms, Registers, SCALAR_WIDE, SCALAR_WORD, Shape,
    VALUE, WIDE_WORDS, WORDS,
};
use crate::instructions::access::atomic::{
    Atomic, AtomicQuad, CompareAndSwap, SingleSum, WordAtomic, WordSum,
};
use crate::instructions::access::direct::{LoadDirect, StoreDirect};
use crate::instructions::access::local::{LoadLocal, StoreLocal};
use crate::instructions::access::site::{AccessSite, Delay};
use crate::instructions::access::{Load, Store, direct};
use crate::instructions::alu::atomic::combine;
use crate::instrument::event::{AccessKind, Wants};
use crate::instrument::insertion::{BeforeAccess, Inserted};
use crate::machine::context::{Tiers, WideTiers};
use crate::machine::slot::{Elem, NO_SLOT, SCALAR, Slot, WIDE};
use crate::memory::guest;
use lanework_ptx_ir::kernel::*;
use lanework_ptx_ir::opcode::integer::IntegerSize;
use lanework_ptx_ir::opcode::memory::AtomicOp;

/// The handlers of a body at each SIMD level.
macro_rules! leveled {
    ($body:ident, $ty:ty, $($flag:literal),*) => {
        WideTiers::split::<$body<$ty, guest::Middle, $($flag),*>, $body<$ty, guest::Widest, $($flag),*>>()
    };
}

impl Assembler<'_> {
    pub(crate) fn memory(&mut self, inst: &Inst, op: MemoryOp) {
        let mut data = [None; 8];
        let (kind, function) = match op.kind {
            MemoryKind::Load => {
                for (to, dst) in data.iter_mut().zip(&inst.dst) {
                    *to = dst.map(|r| self.code.slots[r as usize]);
                }
                (AccessKind::Load, None)
            }
            MemoryKind::Store => {
                for (to, src) in data.iter_mut().zip(&inst.src[1..]) {
                    *to = Some(self.source(Some(src)));
                }
                (AccessKind::Store, None)
            }
            // Both halves of each operand, then of the old value.
            MemoryKind::Atomic(_) if op.count == 2 => {
                for (to, src) in data.iter_mut().zip(&inst.src[1..]) {
                    *to = Some(self.source(Some(src)));
                }
                for (to, dst) in data[4..].iter_mut().zip(&inst.dst) {
                    *to = dst.map(|r| self.code.slots[r as usize]);
                }
                (AccessKind::Atomic, None)
            }
            MemoryKind::Atomic(atomic) => {
                data[0] = inst.src.get(1).map(|src| self.source(Some(src)));
                data[1] = inst.src.get(2).map(|src| self.source(Some(src)));
                data[2] = inst.dst[0].map(|r| self.code.slots[r as usize]);
                (AccessKind::Atomic, Some(combine(atomic)))
            }
        };
        let bytes = op.ty.size() as u8;
        let address = self.source(inst.src.first());
        // Either one access, or 16 adjacent lanes.
        let one = data[0].is_some_and(|slot| slot & SCALAR != 0) || address & SCALAR == 0;
        let span = u64::from(bytes) * if one { 1 } else { 16 };
        let site =
            (self.want.first_site as usize + self.code.sites.len()) * size_of::<AccessSite>();
        let site = site as u32;
        let class = self.classifier.class(self.at, &op);
        let delayable = self.analyses.delayable.as_ref().is_some_and(|all| all.include(self.at));
        let delayed = delayable && !self.want.any(Wants::ACCESSES.with(Wants::COUNTS));
        if delayed {
            // Nothing reads the result.
            data[2] = None;
        }
        self.code.sites.push(AccessSite {
            span,
            offset: op.offset as u64,
            count: op.count,
            data,
            combine: function,
            delay: if delayed { Delay::Possible } else { Delay::Never },
            observed: self.want.any(Wants::COUNTS),
            order: op.order,
            counter: (self.want.instrumentation.counter)(op.space, kind, class),
            origin: inst.origin,
            ..AccessSite::aside(op.space, kind, bytes, class)
        });
        if self.want.any(Wants::ACCESSES) {
            self.observe(inst, address, site);
        }
        let data = data[0].unwrap_or(NO_SLOT);
        let count = self.want.any(Wants::COUNTS);
        let direct = op.count == 1
            && address & SCALAR != 0
            && data != NO_SLOT
            && !(count && matches!(op.space, MemorySpace::Local | MemorySpace::Generic));
        let lanes = op.count == 1
            && address & (SCALAR | WIDE) == WIDE
            && data != NO_SLOT
            && data & (SCALAR | WIDE) == 0
            && matches!(op.space, MemorySpace::Global)
            && matches!(op.kind, MemoryKind::Load)
            && op.ty.size() == 4;
        let special =
            if direct && !FastPath::DirectAccess.on() || lanes && !FastPath::LanesLoad.on() {
                None
            } else if direct {
                direct_handler(op, address, data, count)
            } else if lanes && count {
                Some(direct::lanes::<true>())
            } else if lanes {
                Some(direct::lanes::<false>())
            } else {
                None
            };
        let special = special.and_then(|tiers| tiers.at(self.want.tier));
        let shape = match special {
            Some(_) if direct => direct_shape(op, address & WIDE != 0, data & SCALAR != 0),
            Some(_) => of_forms(WORDS, WIDE_WORDS, OperandKind::AccessSite(1), None),
            None => match op.kind {
                MemoryKind::Store => {
                    Shape::new(OperandKind::Number, VALUE, OperandKind::AccessSite(0), MAYBE_VALUE)
                }
                _ => {
                    Shape::new(MAYBE_VALUE, VALUE, OperandKind::AccessSite(0), OperandKind::Number)
                }
            },
        };
        let fuses = direct && !matches!(op.space, MemorySpace::Local | MemorySpace::Generic);
        let mark = match (op.kind, special, data & (SCALAR | WIDE)) {
            (MemoryKind::Load, Some(_), SCALAR) if fuses && op.ty.size() == 4 => {
                Mark::LoadScalar(address & WIDE != 0)
            }
            (MemoryKind::Load, Some(_), 0) if fuses && op.ty.size() == 4 => {
                Mark::LoadRun(address & WIDE != 0)
            }
            _ => Mark::Plain,
        };
        let handler = special.unwrap_or_else(|| self.handler(memory_handler(op)));
        let (to, from) = match op.kind {
            MemoryKind::Store => (0, data),
            _ => (data, 0),
        };
        let shape = shape.with(Immediate::SiteOffset);
        let slots = [to, address, site, from];
        self.push_handler(handler, slots, op.offset as u64, inst.origin, shape);
        self.mark(mark);
    }

    /// Emits the operations that report an access to the instrument, before the access.
    fn observe(&mut self, inst: &Inst, address: Slot, site: u32) {
        let before = match &self.code.plan {
            Some(plan) => plan.before_access(self.at, address & SCALAR != 0),
            None => BeforeAccess::General,
        };
        let (Inserted { tiers, imm }, what) = match before {
            BeforeAccess::Nothing => return,
            BeforeAccess::Own(inserted) => (inserted, Immediate::Inserted),
            BeforeAccess::Special(tiers) => {
                (Inserted { tiers, imm: inst.origin.into() }, Immediate::Number)
            }
            BeforeAccess::General => {
                let tiers = self.want.instrumentation.access;
                (Inserted { tiers, imm: inst.origin.into() }, Immediate::Number)
            }
        };
        let shape =
            Shape::new(OperandKind::Number, VALUE, OperandKind::AccessSite(0), OperandKind::Number);
        let slots = [0, address, site, self.want.tier as u32];
        self.push(tiers, slots, imm, inst.origin, shape.with(what));
    }
}

/// The operands of a handler specialized for the forms of its registers: those loaded or stored,
/// and the address.
fn of_forms(
    data: RegisterForms,
    address: RegisterForms,
    site: OperandKind,
    stored: Option<()>,
) -> Shape {
    let data = OperandKind::Register(Registers::in_forms(data));
    let address = OperandKind::Register(Registers::in_forms(address));
    match stored {
        Some(()) => Shape::new(OperandKind::Number, address, site, data),
        None => Shape::new(data, address, site, OperandKind::Number),
    }
}

/// The operands of [`direct_handler`]'s handlers, by the form of address and data.
fn direct_shape(op: MemoryOp, wide: bool, scalar: bool) -> Shape {
    let data = match (op.ty.size(), scalar) {
        (4, false) => WORDS,
        (4, true) => SCALAR_WORD,
        (_, false) => WIDE_WORDS,
        (_, true) => SCALAR_WIDE,
    };
    let stored = matches!(op.kind, MemoryKind::Store).then_some(());
    let site = OperandKind::AccessSite(if scalar { 1 } else { 16 });
    of_forms(data, if wide { SCALAR_WIDE } else { SCALAR_WORD }, site, stored)
}

/// The handler of an access whose registers may have any form.
fn memory_handler(op: MemoryOp) -> Tiers {
    /// The handlers of a body.
    macro_rules! any {
        ($body:ty) => {
            Tiers::large::<$body, $body>()
        };
    }
    match (op.kind, op.ty.size(), op.ty.is_signed()) {
        (MemoryKind::Load, 1, false) => any!(Load<u8>),
        (MemoryKind::Load, 1, true) => any!(Load<i8>),
        (MemoryKind::Load, 2, false) => any!(Load<u16>),
        (MemoryKind::Load, 2, true) => any!(Load<i16>),
        (MemoryKind::Load, 4, false) => any!(Load<u32>),
        (MemoryKind::Load, 4, true) => any!(Load<i32>),
        (MemoryKind::Load, ..) => any!(Load<u64>),
        (MemoryKind::Store, 1, _) => any!(Store<u8>),
        (MemoryKind::Store, 2, _) => any!(Store<u16>),
        (MemoryKind::Store, 4, _) => any!(Store<u32>),
        (MemoryKind::Store, ..) => any!(Store<u64>),
        (MemoryKind::Atomic(_), ..) if op.count == 2 => Tiers::cold::<AtomicQuad>(),
        (MemoryKind::Atomic(_), ..) if !FastPath::WordAtomic.on() => any!(Atomic),
        (MemoryKind::Atomic(AtomicOp::Add), 4, _) => any!(WordAtomic<WordSum>),
        (MemoryKind::Atomic(AtomicOp::AddSingle { flush: false }), ..) => {
            any!(WordAtomic<SingleSum>)
        }
        (MemoryKind::Atomic(AtomicOp::CompareAndSwap(IntegerSize::Word)), ..) => {
            any!(WordAtomic<CompareAndSwap>)
        }
        (MemoryKind::Atomic(_), ..) => any!(Atomic),
    }
}

/// The handler specialized for the common forms of an access, if there is one.
fn direct_handler(op: MemoryOp, address: Slot, data: Slot, count: bool) -> Option<WideTiers> {
    fn load<T: Elem>(wide: bool, scalar: bool, count: bool) -> WideTiers {
        match (wide, scalar, count) {
            (false, false, false) => leveled!(LoadDirect, T, false, false, false),
            (false, false, true) => leveled!(LoadDirect, T, false, false, true),
            (false, true, false) => leveled!(LoadDirect, T, false, true, false),
            (false, true, true) => leveled!(LoadDirect, T, false, true, true),
            (true, false, false) => leveled!(LoadDirect, T, true, false, false),
            (true, false, true) => leveled!(LoadDirect, T, true, false, true),
            (true, true, false) => leveled!(LoadDirect, T, true, true, false),
            (true, true, true) => leveled!(LoadDirect, T, true, true, true),
        }
    }
    fn store<T: Elem>(wide: bool, count: bool) -> WideTiers {
        match (wide, count) {
            (false, false) => leveled!(StoreDirect, T, false, false),
            (false, true) => leveled!(StoreDirect, T, false, true),
            (true, false) => leveled!(StoreDirect, T, true, false),
            (true, true) => leveled!(StoreDirect, T, true, true),
        }
    }
    let (wide, scalar) = (address & WIDE != 0, data & SCALAR != 0);
    // The element must have the width of its register.
    let own = op.ty.size() == if data & WIDE != 0 { 8 } else { 4 };
    if op.space == MemorySpace::Local {
        return (own && !scalar).then(|| local_handler(op, wide)).flatten();
    }
    match (op.kind, op.ty.size()) {
        (MemoryKind::Load, 4) if own => Some(load::<u32>(wide, scalar, count)),
        (MemoryKind::Load, 8) if own => Some(load::<u64>(wide, scalar, count)),
        (MemoryKind::Store, 4) if own && !scalar => Some(store::<u32>(wide, count)),
        (MemoryKind::Store, 8) if own && !scalar => Some(store::<u64>(wide, count)),
        _ => None,
    }
}

/// The same for local memory.
fn local_handler(op: MemoryOp, wide: bool) -> Option<WideTiers> {
    macro_rules! of_width {
        ($body:ident, $ty:ty) => {
            Some(match wide {
                false => WideTiers::of_one_level::<$body<$ty, false>>(),
                true => WideTiers::of_one_level::<$body<$ty, true>>(),
            })
        };
    }
    match (op.kind, op.ty.size()) {
        (MemoryKind::Load, 4) => of_width!(LoadLocal, u32),
        (MemoryKind::Load, 8) => of_width!(LoadLocal, u64),
        (MemoryKind::Store, 4) => of_width!(StoreLocal, u32),
        (MemoryKind::Store, 8) => of_width!(StoreLocal, u64),
        _ => None,
    }
}
