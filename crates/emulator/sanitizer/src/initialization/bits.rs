//! Bit-precise definedness: which uninitialized source bits reach which result bits.
//!
//! Compilers assemble vectors of small elements by byte permutations, shifts and masks, and leave
//! unused bytes uninitialized (LLVM's `prmt` of an undefined register). So definedness is tracked
//! by bit, as in Valgrind's Memcheck (Seward and Nethercote, "Using Valgrind to detect undefined
//! value errors with bit-precision", USENIX 2005).
//!
//! *Limit.* Masks and shift amounts count only if they are constants. Otherwise, and in arithmetic,
//! one uninitialized bit makes the whole result uninitialized; in sums, that bit and all above it.

use lanework_ptx_ir::kernel::{Inst, Opcode, Operand, Reg};
use lanework_ptx_ir::opcode::Alu;
use lanework_ptx_ir::opcode::convert::{ConvertOp, NarrowInteger};
use lanework_ptx_ir::opcode::integer::{Integer, IntegerOp, IntegerSize};
use lanework_ptx_ir::opcode::logic::{CompareOp, LogicOp, MoveOp, PartSize, PermuteMode};
use lanework_ptx_ir::types::Width;

/// Source bits that become result bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BitPiece {
    /// The source, a tracked register.
    pub from: u32,
    /// Its bits are shifted right, masked, and shifted left.
    right: u32,
    mask: u64,
    left: u32,
    /// A single remaining bit is replicated to these positions.
    spread: u64,
}

impl BitPiece {
    /// The result bits that come from these source bits.
    #[inline]
    pub fn of(&self, bits: u64) -> u64 {
        let bits = bits >> self.right & self.mask;
        if bits == 0 {
            return 0;
        }
        bits << self.left | self.spread
    }
}

/// How the uninitialized bits of the sources determine the result's.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BitFlow {
    /// Copied bits.
    pub pieces: Vec<BitPiece>,
    /// Operands of a sum: a bit affects its own position and all above.
    pub sums: Vec<u32>,
    /// Two operands that must both be uninitialized: a selection, or a predicate `and`/`or`.
    pub both: Option<[u32; 2]>,
    /// Operands that make the whole result uninitialized.
    pub whole: Vec<u32>,
}

/// A mask of the low bits.
pub fn low(bits: u32) -> u64 {
    if bits >= 64 { u64::MAX } else { (1 << bits) - 1 }
}

fn constant(src: &Operand) -> Option<u64> {
    match src {
        Operand::Const(bits) => Some(*bits),
        _ => None,
    }
}

/// Collects the pieces of a result.
struct BitPieces<'a> {
    of: &'a dyn Fn(Reg) -> Option<u32>,
    pieces: Vec<BitPiece>,
}

impl BitPieces<'_> {
    fn put(&mut self, src: &Operand, (right, mask, left): (u32, u64, u32), spread: u64) {
        if let Some(from) = src.register().and_then(self.of)
            && right < 64
            && left < 64
        {
            self.pieces.push(BitPiece { from, right, mask, left, spread });
        }
    }

    /// Copies the low bits; if signed, replicates the highest of them.
    fn extended(&mut self, src: &Operand, bits: u32, signed: bool) {
        self.put(src, (0, low(bits), 0), 0);
        if signed {
            self.put(src, (bits - 1, 1, bits - 1), !low(bits));
        }
    }
}

fn bits_of_part(part: PartSize) -> u32 {
    match part {
        PartSize::Byte => 8,
        PartSize::Half => 16,
        PartSize::Word => 32,
    }
}

fn bits_of_size(size: IntegerSize) -> u32 {
    match size {
        IntegerSize::Half => 16,
        IntegerSize::Word => 32,
        IntegerSize::Wide => 64,
    }
}

fn bits_of_integer(ty: Integer) -> (u32, bool) {
    match ty {
        Integer::U8 => (8, false),
        Integer::S8 => (8, true),
        Integer::U16 => (16, false),
        Integer::S16 => (16, true),
        Integer::U32 => (32, false),
        Integer::S32 => (32, true),
        Integer::U64 => (64, false),
        Integer::S64 => (64, true),
    }
}

impl BitFlow {
    /// The bit flow of an instruction; `of` numbers the tracked registers.
    pub fn of_instruction(inst: &Inst, of: &dyn Fn(Reg) -> Option<u32>) -> BitFlow {
        let followed =
            |src: &[Operand]| src.iter().filter_map(|src| src.register()).filter_map(of).collect();
        let mut pieces = BitPieces { of, pieces: Vec::new() };
        let known = match inst.opcode {
            Opcode::Alu(op) if chooses(op) => {
                let both = [0, 1].map(|i| inst.src[i].register().and_then(of));
                let both = if let [Some(a), Some(b)] = both { Some([a, b]) } else { None };
                return BitFlow { both, whole: followed(&inst.src[2..]), ..BitFlow::default() };
            }
            Opcode::Alu(Alu::Move(op)) => moved(op, &inst.src, &mut pieces),
            Opcode::Alu(Alu::Convert(op)) => converted(op, &inst.src, &mut pieces),
            Opcode::Alu(Alu::Logic(op)) => combined(op, &inst.src, &mut pieces),
            Opcode::Alu(Alu::Integer(IntegerOp::Add(_) | IntegerOp::Sub(_))) => {
                return BitFlow { sums: followed(&inst.src), ..BitFlow::default() };
            }
            _ => None,
        };
        match known {
            Some(()) => BitFlow { pieces: pieces.pieces, ..BitFlow::default() },
            None => BitFlow { whole: followed(&inst.src), ..BitFlow::default() },
        }
    }

    /// The uninitialized bits of the result.
    pub fn bits(&self, of: impl Fn(u32) -> u64) -> u64 {
        if self.whole.iter().any(|r| of(*r) != 0) {
            return u64::MAX;
        }
        let sums = self.sums.iter().fold(0, |bits, r| bits | of(*r));
        let above = if sums == 0 { 0 } else { u64::MAX << sums.trailing_zeros() };
        let both = self.both.map_or(0, |[a, b]| of(a) & of(b));
        self.pieces.iter().fold(above | both, |bits, piece| bits | piece.of(of(piece.from)))
    }
}

/// Whether one of the first two sources may decide the result: a selection, or `and` and `or` of
/// predicates, which compilers emit for `valid && x > 0`.
fn chooses(op: Alu) -> bool {
    matches!(
        op,
        Alu::Compare(CompareOp::Select { .. } | CompareOp::SelectBySign { .. })
            | Alu::Logic(LogicOp::And(Width::Predicate) | LogicOp::Or(Width::Predicate))
    )
}

fn moved(op: MoveOp, src: &[Operand], to: &mut BitPieces<'_>) -> Option<()> {
    match op {
        MoveOp::Copy(_) => to.put(&src[0], (0, u64::MAX, 0), 0),
        MoveOp::Truncate(part) => to.put(&src[0], (0, low(bits_of_part(part)), 0), 0),
        MoveOp::Extract { part, .. } => {
            let right = constant(src.get(1)?)? as u32;
            to.put(&src[0], (right, low(bits_of_part(part)), 0), 0);
        }
        MoveOp::Concatenate { low: bytes, .. } => {
            let bits = 8 * u32::from(bytes);
            to.put(&src[0], (0, low(bits), 0), 0);
            to.put(&src[1], (0, u64::MAX, bits), 0);
        }
    }
    Some(())
}

fn converted(op: ConvertOp, src: &[Operand], to: &mut BitPieces<'_>) -> Option<()> {
    let (bits, signed) = match op {
        ConvertOp::ExtendToWide(ty) => bits_of_integer(ty),
        ConvertOp::ExtendToWord(NarrowInteger::U8) => (8, false),
        ConvertOp::ExtendToWord(NarrowInteger::S8) | ConvertOp::ExtendToHalf => (8, true),
        ConvertOp::ExtendToWord(NarrowInteger::U16) => (16, false),
        ConvertOp::ExtendToWord(NarrowInteger::S16) => (16, true),
        ConvertOp::TruncateWide => (32, false),
        _ => return None,
    };
    to.extended(&src[0], bits, signed);
    Some(())
}

fn combined(op: LogicOp, src: &[Operand], to: &mut BitPieces<'_>) -> Option<()> {
    match op {
        LogicOp::And(_) | LogicOp::Or(_) => {
            let keeps = |other: &Operand| match (op, constant(other)) {
                (LogicOp::And(_), Some(mask)) => mask,
                (_, Some(mask)) => !mask,
                (_, None) => u64::MAX,
            };
            to.put(&src[0], (0, keeps(&src[1]), 0), 0);
            to.put(&src[1], (0, keeps(&src[0]), 0), 0);
        }
        LogicOp::Xor(_) | LogicOp::Not(_) | LogicOp::Select | LogicOp::Lookup => {
            src.iter().for_each(|src| to.put(src, (0, u64::MAX, 0), 0));
        }
        LogicOp::ShiftLeft(size) => {
            let (bits, by) = (bits_of_size(size), constant(&src[1])? as u32);
            if by < bits {
                to.put(&src[0], (0, low(bits - by), by), 0);
            }
        }
        LogicOp::ShiftRight { size, signed } => {
            let (bits, by) = (bits_of_size(size), constant(&src[1])? as u32);
            if by < bits {
                to.put(&src[0], (by, low(bits - by), 0), 0);
            }
            if signed {
                let place = bits - 1 - by.min(bits - 1);
                to.put(&src[0], (bits - 1, 1, place), low(bits) & !low(place));
            }
        }
        LogicOp::FieldExtract { wide, signed } => {
            let bits = if wide { 64 } else { 32 };
            let [at, count] = [constant(&src[1])?, constant(&src[2])?].map(|c| c as u32 & 0xff);
            to.put(&src[0], (at, low(count.min(bits)), 0), 0);
            if signed && count > 0 {
                let sign = (at + count - 1).min(bits - 1);
                let place = (count - 1).min(bits - 1);
                to.put(&src[0], (sign, 1, place), !low(place));
            }
        }
        LogicOp::Permute(PermuteMode::Selectors) => {
            let selectors = constant(&src[2])?;
            for byte in 0..4 {
                let selector = (selectors >> (4 * byte)) as u32 & 15;
                let (src, at) = (&src[(selector as usize & 7) / 4], 8 * (selector & 3));
                match selector & 8 {
                    0 => to.put(src, (at, 0xff, 8 * byte), 0),
                    _ => to.put(src, (at + 7, 1, 8 * byte), 0xff << (8 * byte)),
                }
            }
        }
        _ => return None,
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flow(alu: Alu, src: &[Operand]) -> BitFlow {
        let inst = Inst {
            opcode: Opcode::Alu(alu),
            dst: vec![Some(9)],
            src: src.to_vec(),
            guard: None,
            origin: 0,
        };
        BitFlow::of_instruction(&inst, &Some)
    }

    #[test]
    fn bytes_that_a_permutation_drops_do_not_count() {
        let op = Alu::Logic(LogicOp::Permute(PermuteMode::Selectors));
        let of =
            |selectors| flow(op, &[Operand::Reg(0), Operand::Reg(1), Operand::Const(selectors)]);
        // Register 1 is uninitialized: it provides bytes 4 to 7.
        let bits = |selectors| of(selectors).bits(|r| if r == 1 { 0xffff_ffff } else { 0 });
        assert_eq!(bits(0x3210), 0);
        assert_eq!(bits(0x3340), 0x0000_ff00);
        assert_eq!(bits(0xf210), 0xff00_0000, "the sign of an unwritten byte");
    }

    #[test]
    fn masks_shifts_and_extensions_keep_initialized_bits() {
        let halves = |r| if r == 0 { 0xffff_0000 } else { 0 };
        let and = Alu::Logic(LogicOp::And(Width::Word));
        assert_eq!(flow(and, &[Operand::Reg(0), Operand::Const(0xff)]).bits(halves), 0);
        let or = Alu::Logic(LogicOp::Or(Width::Word));
        assert_eq!(
            flow(or, &[Operand::Const(0xff_0000), Operand::Reg(0)]).bits(halves),
            0xff00_0000
        );
        let left = Alu::Logic(LogicOp::ShiftLeft(IntegerSize::Word));
        assert_eq!(flow(left, &[Operand::Reg(0), Operand::Const(16)]).bits(halves), 0);
        let right = Alu::Logic(LogicOp::ShiftRight { size: IntegerSize::Word, signed: true });
        assert_eq!(flow(right, &[Operand::Reg(0), Operand::Const(24)]).bits(halves), 0xffff_ffff);
        let extend = Alu::Convert(ConvertOp::ExtendToWide(Integer::S16));
        assert_eq!(flow(extend, &[Operand::Reg(0)]).bits(halves), 0);
        assert_eq!(flow(extend, &[Operand::Reg(0)]).bits(|_| 0x8000), 0xffff_ffff_ffff_8000);
        let add = Alu::Integer(IntegerOp::Add(Integer::U32));
        assert_eq!(flow(add, &[Operand::Reg(0), Operand::Reg(1)]).bits(halves), u64::MAX << 16);
        let unknown = Alu::Integer(IntegerOp::Min(Integer::U32));
        assert_eq!(flow(unknown, &[Operand::Reg(0), Operand::Reg(1)]).bits(halves), u64::MAX);
    }
}
