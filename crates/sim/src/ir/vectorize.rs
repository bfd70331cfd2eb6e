//! Loads of neighbouring words from shared memory that ptxas joins into one, for counts.
//!
//! What ptxas 13.0 does for sm_90: of loads from one base, between which nothing else goes to shared
//! memory, those of the words of 8 bytes become one of 8 bytes, and those of 16 bytes one of 16 if one
//! half is whole and anything of the other is loaded. It must know that the address is a multiple of so
//! many bytes. Global and local memory's loads are left alone.

use crate::ir::cfg::Flow;
use crate::ir::kernel::{Action, Inst, Kernel, MemoryKind, MemoryOp, MemorySpace, Reg, Src};
use std::collections::HashMap;

/// What becomes of a load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Join {
    /// It stands for loads of so many bytes in all.
    First(u8),
    /// Another one stands for it.
    Rest,
}

/// The loads that are joined, by instruction.
#[derive(Default)]
pub struct Joined(HashMap<usize, Join>);

/// What is known of a register's lowest bits: so many, and what they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Low {
    bits: u32,
    value: u64,
}

/// Bits that matter: addresses of 16 bytes.
const MOST: u32 = 4;

/// A load that may be joined with others: its instruction, what it is relative to, where its words lie
/// from there, and what is known of the base.
struct Candidate {
    instruction: usize,
    base: (Src, Option<(Reg, bool)>),
    offset: i64,
    words: u32,
    low: Low,
}

/// 16 bytes from a base on, and the loads of them, each with its words of the four.
struct Chunk<'a> {
    first: &'a Candidate,
    number: i64,
    members: Vec<(&'a Candidate, u32)>,
}

impl Joined {
    /// Finds the loads of a kernel that are joined.
    pub fn find(kernel: &Kernel, flow: &Flow) -> Joined {
        let mut joined = Joined::default();
        if !kernel.insts.iter().any(|inst| candidate_of(inst).is_some()) {
            return joined;
        }
        let known = low_bits(kernel);
        for block in &flow.blocks {
            let mut open: Vec<Candidate> = Vec::new();
            for (i, inst) in kernel.insts.iter().enumerate().take(block.end).skip(block.start) {
                if ends_runs(inst) {
                    joined.close(std::mem::take(&mut open));
                }
                if let Some((op, words)) = candidate_of(inst) {
                    let base = (inst.src[0], inst.guard);
                    let low = low_of(&known, inst.src[0]).unwrap_or(Low::of(0, 0));
                    open.push(Candidate { instruction: i, base, offset: op.offset, words, low });
                }
                let written = |r: Reg| inst.dst.contains(&Some(r));
                let stale = |one: &Candidate| {
                    matches!(one.base.0, Src::Reg(r) if written(r))
                        || one.base.1.is_some_and(|(guard, _)| written(guard))
                };
                let (closed, rest) = open.into_iter().partition(stale);
                joined.close(closed);
                open = rest;
            }
            joined.close(open);
        }
        joined
    }

    /// What becomes of the load at this place.
    pub fn of(&self, instruction: usize) -> Option<Join> {
        self.0.get(&instruction).copied()
    }

    /// Joins loads that nothing parts.
    fn close(&mut self, loads: Vec<Candidate>) {
        let mut chunks: Vec<Chunk<'_>> = Vec::new();
        for load in &loads {
            if load.low.bits < 3 {
                continue;
            }
            let at = load.offset.wrapping_add(load.low.value as i64);
            let chunk = at.div_euclid(16);
            let mask = ((1u32 << load.words) - 1) << (at.rem_euclid(16) / 4);
            let same =
                |other: &&mut Chunk<'_>| other.first.base == load.base && other.number == chunk;
            match chunks.iter_mut().find(same) {
                Some(chunk) => chunk.members.push((load, mask)),
                None => {
                    chunks.push(Chunk { first: load, number: chunk, members: vec![(load, mask)] });
                }
            }
        }
        for Chunk { first, members, .. } in chunks {
            let all = members.iter().fold(0, |all, (_, mask)| all | mask);
            let whole = |half: u32| all & half == half;
            let sixteen = (whole(3) && all & 12 != 0) || (whole(12) && all & 3 != 0);
            if sixteen && first.low.bits >= MOST {
                self.join(members.iter().map(|(load, _)| load.instruction), 16);
                continue;
            }
            for half in [3, 12].into_iter().filter(|half| whole(*half)) {
                let of_half = members.iter().filter(|(_, mask)| mask & half != 0);
                self.join(of_half.map(|(load, _)| load.instruction), 8);
            }
        }
    }

    fn join(&mut self, loads: impl Iterator<Item = usize>, bytes: u8) {
        let loads: Vec<usize> = loads.collect();
        if let [first, rest @ ..] = loads.as_slice()
            && !rest.is_empty()
        {
            self.0.insert(*first, Join::First(bytes));
            self.0.extend(rest.iter().map(|load| (*load, Join::Rest)));
        }
    }
}

/// A load that may be joined, and how many words it is of.
fn candidate_of(inst: &Inst) -> Option<(&MemoryOp, u32)> {
    let Action::Memory(op) = &inst.action else { return None };
    let load = matches!(op.kind, MemoryKind::Load) && op.space == MemorySpace::Shared;
    let one = op.count == 1 && matches!(op.ty.size(), 4 | 8);
    (load && one && !op.volatile).then(|| (op, op.ty.size() / 4))
}

/// Whether loads before and after it stay apart.
fn ends_runs(inst: &Inst) -> bool {
    match &inst.action {
        Action::Pure(_) | Action::Alu(_) => false,
        Action::Memory(op) => {
            let shared = matches!(op.space, MemorySpace::Shared | MemorySpace::Generic);
            shared && !matches!(op.kind, MemoryKind::Load)
        }
        _ => true,
    }
}

impl Low {
    fn of(bits: u32, value: u64) -> Low {
        let bits = bits.min(MOST);
        Low { bits, value: value & ((1 << bits) - 1) }
    }

    /// Zeros that the value certainly ends in.
    fn zeros(self) -> u32 {
        self.value.trailing_zeros().min(self.bits)
    }

    fn sum(self, other: Low) -> Low {
        Low::of(self.bits.min(other.bits), self.value.wrapping_add(other.value))
    }

    fn product(self, other: Low) -> Low {
        let bits = (self.bits + other.zeros()).min(other.bits + self.zeros());
        Low::of(bits, self.value.wrapping_mul(other.value))
    }

    fn either(self, other: Low) -> Low {
        let differ = (self.value ^ other.value).trailing_zeros();
        Low::of(self.bits.min(other.bits).min(differ), self.value)
    }
}

fn low_of(known: &[Option<Low>], src: Src) -> Option<Low> {
    match src {
        Src::Reg(r) => known[r as usize],
        Src::Const(constant) => Some(Low { bits: MOST, value: constant & 15 }),
        Src::DynamicShared(_) => Some(Low::of(MOST, 0)),
        Src::Truth(_) => Some(Low::of(0, 0)),
    }
}

/// What is known of every register's lowest bits, whatever wrote it; `None` where nothing did.
fn low_bits(kernel: &Kernel) -> Vec<Option<Low>> {
    let mut known: Vec<Option<Low>> =
        kernel.registers.iter().map(|r| r.special.is_some().then_some(Low::of(0, 0))).collect();
    loop {
        let mut changed = false;
        for inst in &kernel.insts {
            let result = match &inst.action {
                Action::Pure(_) | Action::Alu(_) => {
                    let name = kernel.origins.get(inst.origin as usize).map(|o| o.name.as_str());
                    result_of(name.unwrap_or_default(), &inst.src, &known)
                }
                _ => Some(Low::of(0, 0)),
            };
            let Some(result) = result else { continue };
            for dst in inst.dst.iter().flatten() {
                let place = &mut known[*dst as usize];
                let now = place.map_or(result, |before| before.either(result));
                changed |= *place != Some(now);
                *place = Some(now);
            }
        }
        if !changed {
            return known;
        }
    }
}

/// The lowest bits of a result; `None` while an operand has none.
fn result_of(name: &str, src: &[Src], known: &[Option<Low>]) -> Option<Low> {
    let mut low = Vec::new();
    for operand in src {
        low.push(low_of(known, *operand)?);
    }
    let operation = name.split('.').next().unwrap_or_default();
    let integer = !name.contains(".f") && !name.contains(".bf") && !name.contains(".hi");
    Some(match (operation, low.as_slice(), src) {
        ("mov" | "cvta", [a], _) => *a,
        ("cvt", [a], _) if ["64", "32"].iter().any(|w| name.ends_with(w)) && integer => *a,
        ("add", [a, b], _) if integer => a.sum(*b),
        ("sub", [a, b], _) if integer => {
            a.sum(Low { value: b.value.wrapping_neg() & ((1 << b.bits) - 1), ..*b })
        }
        ("mul", [a, b], _) if integer => a.product(*b),
        ("mad", [a, b, c], _) if integer => a.product(*b).sum(*c),
        ("shl", [a, _], [_, Src::Const(by)]) => {
            let by = (*by as u32).min(MOST);
            Low::of(a.bits + by, a.value << by)
        }
        ("and", [a, _], [_, Src::Const(mask)]) => {
            let zeros = (mask.trailing_zeros()).min(MOST);
            Low::of(a.bits.max(zeros), a.value & mask & ((1 << MOST) - 1))
        }
        ("or" | "xor", [a, b], _) => Low::of(
            a.bits.min(b.bits),
            if operation == "or" { a.value | b.value } else { a.value ^ b.value },
        ),
        _ => Low::of(0, 0),
    })
}
