//! Memory instructions: their sites, and the handlers for their forms.

use super::Assembler;
use crate::access::{Load, Store};
use crate::atomic::Atomic;
use crate::context::{Memo, Region, Site, tally_of};
use crate::cross::NO_SLOT;
use crate::direct::{LoadDirect, LoadLanes, StoreDirect};
use crate::fuse::Mark;
use crate::ir::*;
use crate::lanes::{Elem, SCALAR, Slot, WIDE};
use crate::observe::AccessKind;
use crate::op::Tiers;
use lanework_ptx::ScalarType;

impl Assembler<'_> {
    pub(super) fn memory(&mut self, inst: &Inst, op: MemoryOp) {
        let mut data = [None; 8];
        let (kind, combine) = match op.kind {
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
            MemoryKind::Atomic(combine) => {
                data[0] = inst.src.get(1).map(|src| self.source(Some(src)));
                data[1] = inst.src.get(2).map(|src| self.source(Some(src)));
                data[2] = inst.dst[0].map(|r| self.code.slots[r as usize]);
                (AccessKind::Atomic, Some(combine))
            }
        };
        let bytes = op.ty.size() as u8;
        let site = (self.want.first_site as usize + self.code.sites.len()) * size_of::<Site>();
        let site = site as u32;
        self.code.sites.push(Site {
            region: Region::EMPTY,
            space: op.space,
            offset: op.offset as u64,
            count: op.count,
            bytes,
            kind,
            data,
            combine,
            last: 0,
            tally: tally_of(op.space, kind),
            memo: Memo::default(),
        });
        let address = self.source(inst.src.first());
        let data = data[0].unwrap_or(NO_SLOT);
        let direct = op.count == 1
            && address & SCALAR != 0
            && data != NO_SLOT
            && !self.want.events
            && !matches!(op.space, MemorySpace::Local | MemorySpace::Generic);
        let lanes = op.count == 1
            && address & (SCALAR | WIDE) == WIDE
            && data != NO_SLOT
            && data & (SCALAR | WIDE) == 0
            && !self.want.events
            && matches!(op.space, MemorySpace::Global)
            && matches!(op.kind, MemoryKind::Load)
            && op.ty.size() == 4;
        let tiers = if direct {
            direct_handler(op, address, data, self.want.observe)
        } else if lanes && self.want.observe {
            Some(Tiers::of::<LoadLanes<true>>())
        } else if lanes {
            Some(Tiers::of::<LoadLanes<false>>())
        } else {
            None
        };
        let mark = match (op.kind, tiers, data & (SCALAR | WIDE)) {
            (MemoryKind::Load, Some(_), SCALAR) if direct && op.ty.size() == 4 => {
                Mark::LoadScalar(address & WIDE != 0)
            }
            (MemoryKind::Load, Some(_), 0) if direct && op.ty.size() == 4 => {
                Mark::LoadRun(address & WIDE != 0)
            }
            _ => Mark::Plain,
        };
        let tiers = tiers.unwrap_or_else(|| memory_handler(op, self.want.observe));
        let (to, from) = match op.kind {
            MemoryKind::Store => (0, data),
            _ => (data, 0),
        };
        self.push(tiers, [to, address, site, from], op.offset as u64, inst.origin);
        self.mark(mark);
    }
}

fn memory_handler(op: MemoryOp, observe: bool) -> Tiers {
    fn load<const O: bool>(ty: ScalarType) -> Tiers {
        match (ty.size(), ty.is_signed()) {
            (1, false) => Tiers::cold::<Load<u8, O>>(),
            (1, true) => Tiers::cold::<Load<i8, O>>(),
            (2, false) => Tiers::cold::<Load<u16, O>>(),
            (2, true) => Tiers::cold::<Load<i16, O>>(),
            (4, false) => Tiers::of::<Load<u32, O>>(),
            (4, true) => Tiers::cold::<Load<i32, O>>(),
            _ => Tiers::of::<Load<u64, O>>(),
        }
    }
    fn store<const O: bool>(ty: ScalarType) -> Tiers {
        match ty.size() {
            1 => Tiers::cold::<Store<u8, O>>(),
            2 => Tiers::cold::<Store<u16, O>>(),
            4 => Tiers::of::<Store<u32, O>>(),
            _ => Tiers::of::<Store<u64, O>>(),
        }
    }
    match (op.kind, observe) {
        (MemoryKind::Load, false) => load::<false>(op.ty),
        (MemoryKind::Load, true) => load::<true>(op.ty),
        (MemoryKind::Store, false) => store::<false>(op.ty),
        (MemoryKind::Store, true) => store::<true>(op.ty),
        (MemoryKind::Atomic(_), false) => Tiers::cold::<Atomic<false>>(),
        (MemoryKind::Atomic(_), true) => Tiers::cold::<Atomic<true>>(),
    }
}

/// The handler of an access in the common form, where there is one.
fn direct_handler(op: MemoryOp, address: Slot, data: Slot, count: bool) -> Option<Tiers> {
    fn load<T: Elem>(wide: bool, scalar: bool, count: bool) -> Tiers {
        match (wide, scalar, count) {
            (false, false, false) => Tiers::of::<LoadDirect<T, false, false, false>>(),
            (false, false, true) => Tiers::of::<LoadDirect<T, false, false, true>>(),
            (false, true, false) => Tiers::cold::<LoadDirect<T, false, true, false>>(),
            (false, true, true) => Tiers::cold::<LoadDirect<T, false, true, true>>(),
            (true, false, false) => Tiers::of::<LoadDirect<T, true, false, false>>(),
            (true, false, true) => Tiers::of::<LoadDirect<T, true, false, true>>(),
            (true, true, false) => Tiers::cold::<LoadDirect<T, true, true, false>>(),
            (true, true, true) => Tiers::cold::<LoadDirect<T, true, true, true>>(),
        }
    }
    fn store<T: Elem>(wide: bool, count: bool) -> Tiers {
        match (wide, count) {
            (false, false) => Tiers::of::<StoreDirect<T, false, false>>(),
            (false, true) => Tiers::of::<StoreDirect<T, false, true>>(),
            (true, false) => Tiers::of::<StoreDirect<T, true, false>>(),
            (true, true) => Tiers::of::<StoreDirect<T, true, true>>(),
        }
    }
    let (wide, scalar) = (address & WIDE != 0, data & SCALAR != 0);
    // The element must have the width of its register.
    let own = op.ty.size() == if data & WIDE != 0 { 8 } else { 4 };
    match (op.kind, op.ty.size()) {
        (MemoryKind::Load, 4) if own => Some(load::<u32>(wide, scalar, count)),
        (MemoryKind::Load, 8) if own => Some(load::<u64>(wide, scalar, count)),
        (MemoryKind::Store, 4) if own && !scalar => Some(store::<u32>(wide, count)),
        (MemoryKind::Store, 8) if own && !scalar => Some(store::<u64>(wide, count)),
        _ => None,
    }
}
