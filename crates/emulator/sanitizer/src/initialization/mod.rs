//! Initialization: reads of uninitialized memory and registers.
//!
//! *Algorithm.* Each memory has a bitmap of its initialized bytes, like the validity bits of
//! Valgrind's Memcheck and MemorySanitizer. A global allocation carries its bitmap, which uploads
//! by the host set as well; the bitmaps of shared and local memory are here. [`registers`] tracks
//! uninitialized registers, [`CopiedValues`] the uninitialized bytes of values that are only
//! copied.
//!
//! *Limit.* A read is reported where it happens, not where its value matters. Three kinds of reads
//! are not reported: of values that are only copied, of padding that CUB and Thrust copy in ways
//! that [`CopiedValues`] does not follow (the suppression list), and reads that race with the
//! missing write (the race is reported).

pub mod bits;
pub mod local;
pub mod registers;

use crate::bounds::MemoryId;
use crate::findings::{Finding, place};
use crate::initialization::local::LocalBytes;
use lanework_engine::allocation::InitializedBytes;
use lanework_engine::fault::NearAllocation;
use lanework_ptx_ir::kernel::{Inst, Kernel, MemoryKind, Opcode, Operand, Reg};
use lanework_ptx_ir::opcode::Alu;
use lanework_ptx_ir::opcode::logic::MoveOp;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

/// Initialized-byte bitmaps of all memories.
pub struct Initialization {
    ranks: usize,
    /// By memory; `None` if it is not tracked.
    memories: Vec<Option<Arc<InitializedBytes>>>,
    /// Local memory of all warps of the cluster.
    pub local: LocalBytes,
}

impl Initialization {
    /// Uninitialized shared memories of these sizes, by rank, and local memory of some warps and bytes per thread.
    pub fn new(
        shared: impl Iterator<Item = u64>,
        (warps, local_bytes): (usize, u64),
    ) -> Initialization {
        let memories: Vec<_> =
            shared.map(|bytes| Some(Arc::new(InitializedBytes::new(bytes)))).collect();
        Initialization {
            ranks: memories.len(),
            memories,
            local: LocalBytes::new(warps, local_bytes),
        }
    }

    /// Starts a cluster.
    pub fn start(&mut self) {
        self.memories[..self.ranks].iter().flatten().for_each(|written| written.clear());
        self.local.clear();
    }

    /// Swaps shared and local memory with another cluster's.
    pub fn exchange(&mut self, other: &mut Initialization) {
        self.memories[..self.ranks].swap_with_slice(&mut other.memories);
        std::mem::swap(&mut self.local, &mut other.local);
    }

    /// Adds the next memory, an allocation.
    pub fn track(&mut self, written: Option<Arc<InitializedBytes>>) {
        self.memories.push(written);
    }

    /// The bitmap of a memory, if it is tracked.
    #[inline(always)]
    pub fn written(&self, id: MemoryId) -> Option<&InitializedBytes> {
        self.memories[id].as_deref()
    }

    /// The finding of a read of constant memory that nothing has set.
    pub fn unset((address, bytes): (u64, u64), near: Option<NearAllocation>) -> Finding {
        let at = place(near.as_ref(), address);
        let name = near.as_ref().map_or("the variable", |near| near.name.as_str());
        Finding {
            message: format!(
                "unset constant: {bytes} bytes at {at} are zero, because no call has set them and the variable has no initializer"
            ),
            help: format!(
                "copy the values to `{name}` before the launch (`cudaMemcpyToSymbol`); if zero is meant, ignore this warning"
            ),
            address: Some(address),
            size: bytes,
            allocation: near,
            race: None,
        }
    }

    /// The finding of a read of uninitialized bytes.
    pub fn unwritten(
        verb: &str,
        space: &str,
        (address, bytes): (u64, u64),
        near: Option<NearAllocation>,
    ) -> Finding {
        let at = place(near.as_ref(), address);
        let help = match space {
            "global" => "upload or fill the buffer, or write it in a kernel that runs before",
            "shared" => {
                "write the element before any thread reads it: shared memory starts undefined"
            }
            _ => "initialize the array before reading it",
        };
        Finding {
            message: format!(
                "uninitialized {space} {verb}: {bytes} bytes at {at} were never written"
            ),
            help: help.into(),
            address: Some(address),
            size: bytes,
            allocation: near,
            race: None,
        }
    }
}

/// By instruction: for each element the register that a load writes, if its value is only copied.
type ElementRegisters = HashMap<u32, Vec<Option<Reg>>>;

/// Loads whose values are only copied, and the stores of these values.
#[derive(Default)]
struct CopyInstructions {
    loads: ElementRegisters,
    stores: ElementRegisters,
    /// By load of elements of at most two bytes: the offset ranges, relative to the load, of other
    /// such loads from the same base register.
    pieces: HashMap<u32, Vec<Range<i64>>>,
}

/// A lane of a warp of a block.
pub type LaneOfBlock = (u64, u32, u32);

/// Uninitialized bytes in registers that hold copies.
///
/// A copy of a structure includes its padding, which was never written. That is harmless until such
/// a byte decides something. So a load is not reported if at least one of its bytes was written and
/// its values only go to stores. The tracker remembers which bytes of each lane's registers are
/// uninitialized, and the store marks the same bytes of its target.
///
/// A load without any written byte is reported where it copies, because the author has to find the
/// missing write. Only a load of elements of one or two bytes may copy padding alone: a written
/// byte in the same aligned 8 bytes counts if another load copies it from the same base register.
///
/// *Algorithm.* Memcheck's shadow values (Seward and Nethercote, 2005), for the few registers that
/// hold copies: each is written by one load, or by a move of such a register, and is read only by
/// moves and stores. Nothing is tracked before the first such load of uninitialized bytes; from
/// then on every access of the launch takes the reference path.
#[derive(Default)]
pub struct CopiedValues {
    instructions: Option<CopyInstructions>,
    /// By block, warp and register: a bit per byte, by lane.
    unwritten: HashMap<(u64, u32, Reg), [u16; 32]>,
}

impl CopiedValues {
    /// Whether any register holds uninitialized bytes.
    pub fn active(&self) -> bool {
        !self.unwritten.is_empty()
    }

    /// A lane loads elements; `bytes` has their uninitialized bytes. Returns whether all of
    /// these elements are only copied.
    pub fn load(
        &mut self,
        kernel: &Kernel,
        (block, warp, lane): LaneOfBlock,
        instruction: u32,
        bytes: &[u16],
    ) -> bool {
        let found = self.instructions.get_or_insert_with(|| CopyInstructions::find(kernel));
        let Some(registers) = found.loads.get(&instruction) else { return false };
        let of = |i: usize| registers.get(i).copied().flatten();
        if (0..bytes.len()).any(|i| bytes[i] != 0 && of(i).is_none()) {
            return false;
        }
        for (i, bytes) in bytes.iter().enumerate() {
            let Some(register) = of(i) else { continue };
            match self.unwritten.get_mut(&(block, warp, register)) {
                Some(lanes) => lanes[lane as usize] = *bytes,
                None if *bytes == 0 => {}
                None => {
                    let mut lanes = [0; 32];
                    lanes[lane as usize] = *bytes;
                    self.unwritten.insert((block, warp, register), lanes);
                }
            }
        }
        true
    }

    /// The offset ranges, relative to this load, of other loads that copy pieces of the same
    /// structure.
    pub fn pieces(&mut self, kernel: &Kernel, instruction: u32) -> &[Range<i64>] {
        let found = self.instructions.get_or_insert_with(|| CopyInstructions::find(kernel));
        found.pieces.get(&instruction).map_or(&[], Vec::as_slice)
    }

    /// The uninitialized bytes of each element that a lane stores.
    pub fn stored(&self, (block, warp, lane): LaneOfBlock, instruction: u32) -> Vec<u16> {
        let found = self.instructions.as_ref().and_then(|found| found.stores.get(&instruction));
        let bytes = |register: &Option<Reg>| {
            let lanes = register.and_then(|r| self.unwritten.get(&(block, warp, r)));
            lanes.map_or(0, |lanes| lanes[lane as usize])
        };
        found.map_or(Vec::new(), |registers| registers.iter().map(bytes).collect())
    }
}

/// Whether an instruction moves a register unchanged.
fn is_move(inst: &Inst) -> bool {
    matches!(inst.opcode, Opcode::Alu(Alu::Move(MoveOp::Copy(_)))) && inst.guard.is_none()
}

impl CopyInstructions {
    fn find(kernel: &Kernel) -> CopyInstructions {
        let registers = kernel.registers.len();
        let (mut writes, mut origin) = (vec![0u32; registers], vec![None; registers]);
        let kind = |inst: &Inst| match &inst.opcode {
            Opcode::Memory(op) => Some(op.kind),
            _ => None,
        };
        for inst in &kernel.insts {
            for r in inst.writes() {
                writes[r as usize] += 1;
                origin[r as usize] = match inst.src.first() {
                    _ if matches!(kind(inst), Some(MemoryKind::Load)) => Some(r),
                    Some(Operand::Reg(from)) if is_move(inst) => Some(*from),
                    _ => None,
                };
            }
        }
        // The register that a load wrote, back through moves.
        let loaded = |mut r: Reg| {
            for _ in 0..8 {
                let from = origin[r as usize].filter(|_| writes[r as usize] == 1)?;
                if from == r {
                    return Some(r);
                }
                r = from;
            }
            None
        };
        let mut used = vec![false; registers];
        for inst in &kernel.insts {
            let data = match (&inst.opcode, inst.writes().next()) {
                (Opcode::Memory(op), _) if matches!(op.kind, MemoryKind::Store) => 1,
                (_, Some(to)) if is_move(inst) && writes[to as usize] == 1 => 0,
                _ => inst.src.len(),
            };
            let looked_at = inst.src.iter().take(data).filter_map(|src| src.register());
            for r in looked_at.chain(inst.guard.map(|(r, _)| r)) {
                used[r as usize] = true;
                if let Some(r) = loaded(r) {
                    used[r as usize] = true;
                }
            }
        }
        let mut found = CopyInstructions::default();
        let copied = |r: Reg| loaded(r).filter(|r| !used[*r as usize]);
        for inst in &kernel.insts {
            match kind(inst) {
                Some(MemoryKind::Load) => {
                    let to = inst.dst.iter().map(|r| r.and_then(copied)).collect();
                    found.loads.insert(inst.origin, to);
                }
                Some(MemoryKind::Store) => {
                    let from = inst.src.iter().skip(1);
                    let from = from.map(|src| src.register().and_then(copied)).collect();
                    found.stores.insert(inst.origin, from);
                }
                _ => {}
            }
        }
        let copies = kernel.insts.iter().filter_map(|inst| match &inst.opcode {
            Opcode::Memory(op) if op.kind == MemoryKind::Load => {
                let all = inst.dst.iter().all(|r| r.is_some_and(|r| copied(r).is_some()));
                let bytes = i64::from(op.ty.size());
                let end = op.offset + bytes * i64::from(op.count);
                let base = (inst.src.first()?.register()?, op.space);
                all.then_some((inst.origin, base, bytes, op.offset..end))
            }
            _ => None,
        });
        let copies: Vec<_> = copies.collect();
        for (instruction, base, _, own) in copies.iter().filter(|(_, _, bytes, _)| *bytes <= 2) {
            let others = copies.iter().filter(|other| other.0 != *instruction && other.1 == *base);
            let places = others.map(|other| other.3.start - own.start..other.3.end - own.start);
            found.pieces.insert(*instruction, places.collect());
        }
        found
    }
}
