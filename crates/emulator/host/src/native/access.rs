//! Translates stack frames and memory accesses, with the checks of [`HostMemory`](crate::memory::HostMemory).
//!
//! Machine code itself checks aligned accesses to the arena. One comparison tests alignment and bounds, and another one
//! tests the shadow byte. Other aligned accesses are looked up in the table of recently used ranges, such as managed
//! memory. A helper does all other accesses, with the interpreter's checks.

use super::layout::{PLAIN, type_of};
use super::translate::Translator;
use crate::code::{Op, RegisterKind};
use crate::memory::{LentRange, OUT_OF_SCOPE, RECENT, RECENT_BYTES};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, BlockArg, InstBuilder, Type, Value, types};

/// Largest shadow of a frame, in bytes, that machine code writes inline.
const LARGEST: usize = 128;

impl Translator<'_> {
    /// Translates a memory access. Returns false for other operations.
    pub fn access(&mut self, op: Op) -> bool {
        match op {
            Op::Load32 { d, a, offset } => self.load(d, a, offset, 4),
            Op::Load64 { d, a, offset } => self.load(d, a, offset, 8),
            Op::Load { d, a, offset, bytes } => self.load(d, a, offset, bytes),
            Op::Store32 { a, offset, value } => self.store(a, offset, value, 4),
            Op::Store64 { a, offset, value } => self.store(a, offset, value, 8),
            Op::Store { a, offset, value, bytes } => self.store(a, offset, value, bytes),
            Op::Copy { to, from, bytes } => {
                let operands = [self.get64(to), self.get64(from), self.word(u64::from(bytes))];
                self.help(self.layout.helpers.copy, operands);
            }
            Op::Fill { to, byte, bytes } => {
                let (byte, bytes) = (self.word(u64::from(byte)), self.word(u64::from(bytes)));
                let operands = [self.get64(to), byte, bytes];
                self.help(self.layout.helpers.fill, operands);
            }
            _ => return false,
        }
        true
    }

    fn address(&mut self, a: u32, offset: i32) -> Value {
        let base = self.get64(a);
        if offset == 0 { base } else { self.b.ins().iadd_imm_s(base, i64::from(offset)) }
    }

    /// Branches to a new block if an access needs no helper. Returns that block and the helper's. The
    /// latter becomes current.
    fn check(&mut self, address: Value, bytes: u32) -> (Block, Block) {
        let [inside, good, slow] = [(); 3].map(|()| self.b.create_block());
        self.b.set_cold_block(slow);
        let table = self.layout.recent;
        let outside = if table.is_some() { self.b.create_block() } else { slow };
        self.b.set_cold_block(outside);
        let (start, size) = self.layout.arena;
        let start = self.word(start);
        let offset = self.b.ins().isub(address, start);
        // The rotation moves the low bits to the top, so an unaligned offset exceeds every valid one.
        let shift = i64::from(bytes.trailing_zeros());
        let place = if shift == 0 { offset } else { self.b.ins().rotr_imm_s(offset, shift) };
        let end = self.word(size >> shift);
        let is_inside = self.b.ins().icmp(IntCC::UnsignedLessThan, place, end);
        self.b.ins().brif(is_inside, inside, &[], outside, &[]);
        if let Some(table) = table {
            self.b.switch_to_block(outside);
            self.b.seal_block(outside);
            self.check_recent(table, address, bytes, (good, slow));
        }
        self.b.switch_to_block(inside);
        self.b.seal_block(inside);
        // The offset is aligned now, so the rotation was a shift.
        let granule = if shift == 3 { place } else { self.b.ins().ushr_imm_s(place, 3 - shift) };
        let shadow = self.word(self.layout.shadow);
        let shadow = self.b.ins().iadd(shadow, granule);
        let open = self.b.ins().load(types::I8, PLAIN, shadow, 0);
        let is_open = self.b.ins().icmp_imm_s(IntCC::Equal, open, 8);
        if bytes == 8 {
            self.b.ins().brif(is_open, good, &[], slow, &[]);
        } else {
            // Nearly all accesses are to granules that are open as a whole. Others need a longer test.
            let partial = self.b.create_block();
            self.b.set_cold_block(partial);
            self.b.ins().brif(is_open, good, &[], partial, &[]);
            self.b.switch_to_block(partial);
            self.b.seal_block(partial);
            // The shadow bytes for inaccessible memory are negative as signed bytes.
            let open = self.b.ins().sextend(types::I32, open);
            let low = self.b.ins().ireduce(types::I32, offset);
            let within = self.b.ins().band_imm_s(low, 7);
            let needed = self.b.ins().iadd_imm_s(within, i64::from(bytes));
            let fits = self.b.ins().icmp(IntCC::SignedGreaterThanOrEqual, open, needed);
            self.b.ins().brif(fits, good, &[], slow, &[]);
        }
        self.b.seal_block(good);
        self.b.seal_block(slow);
        self.b.switch_to_block(slow);
        (good, slow)
    }

    /// Branches to `good` if an aligned access is in a recently used range outside the arena, as
    /// [`HostMemory::check_range`](crate::memory::HostMemory) finds it, otherwise to `slow`.
    fn check_recent(
        &mut self,
        table: u64,
        address: Value,
        bytes: u32,
        (good, slow): (Block, Block),
    ) {
        let shift = i64::from(RECENT_BYTES.ilog2());
        let number = self.b.ins().ushr_imm_s(address, shift);
        let number = self.b.ins().band_imm_s(number, RECENT as i64 - 1);
        let offset = self.b.ins().ishl_imm_s(number, i64::from(size_of::<LentRange>().ilog2()));
        let entry = self.b.ins().iadd_imm_s(offset, table as i64);
        let start = self.b.ins().load(types::I64, PLAIN, entry, 0);
        let size = self.b.ins().load(types::I64, PLAIN, entry, 8);
        let offset = self.b.ins().isub(address, start);
        let begins = self.b.ins().icmp(IntCC::UnsignedLessThan, offset, size);
        let rest = self.b.ins().isub(size, offset);
        let ends =
            self.b.ins().icmp_imm_s(IntCC::UnsignedGreaterThanOrEqual, rest, i64::from(bytes));
        let low = self.b.ins().band_imm_s(address, i64::from(bytes) - 1);
        let aligned = self.b.ins().icmp_imm_s(IntCC::Equal, low, 0);
        let fits = self.b.ins().band(begins, ends);
        let fits = self.b.ins().band(fits, aligned);
        self.b.ins().brif(fits, good, &[], slow, &[]);
    }

    fn load(&mut self, d: u32, a: u32, offset: i32, bytes: u32) {
        let ty = type_of(self.code.kinds[d as usize]);
        let address = self.address(a, offset);
        if !matches!(bytes, 1 | 2 | 4 | 8) {
            let size = self.word(u64::from(bytes));
            let value = self.help(self.layout.helpers.load, [address, size, size]);
            self.set(d, value);
            return;
        }
        let (good, _) = self.check(address, bytes);
        let next = self.b.create_block();
        self.b.append_block_param(next, ty);
        let size = self.word(u64::from(bytes));
        let value = self.help_rarely(self.layout.helpers.load, [address, size, size]);
        let value = self.coerce(value, ty);
        self.b.ins().jump(next, &[BlockArg::from(value)]);
        self.b.switch_to_block(good);
        let wide = if ty.is_float() { types::I64 } else { ty };
        let value = match bytes {
            1 => self.b.ins().uload8(wide, PLAIN, address, 0),
            2 => self.b.ins().uload16(wide, PLAIN, address, 0),
            4 => {
                let kind = if ty == types::F32 { types::F32 } else { types::I32 };
                self.b.ins().load(kind, PLAIN, address, 0)
            }
            _ => {
                let kind = if ty == types::F64 { types::F64 } else { types::I64 };
                self.b.ins().load(kind, PLAIN, address, 0)
            }
        };
        let value = self.coerce(value, ty);
        self.b.ins().jump(next, &[BlockArg::from(value)]);
        self.b.switch_to_block(next);
        self.b.seal_block(next);
        let value = self.b.block_params(next)[0];
        self.set(d, value);
    }

    fn store(&mut self, a: u32, offset: i32, value: u32, bytes: u32) {
        let address = self.address(a, offset);
        let size = self.word(u64::from(bytes));
        if !matches!(bytes, 1 | 2 | 4 | 8) {
            let value = self.get64(value);
            self.help(self.layout.helpers.store, [address, size, value]);
            return;
        }
        let stored = self.stored(value, bytes);
        let (good, _) = self.check(address, bytes);
        let next = self.b.create_block();
        let word = self.get64(value);
        self.help_rarely(self.layout.helpers.store, [address, size, word]);
        self.b.ins().jump(next, &[]);
        self.b.switch_to_block(good);
        match bytes {
            1 => self.b.ins().istore8(PLAIN, stored, address, 0),
            2 => self.b.ins().istore16(PLAIN, stored, address, 0),
            _ => self.b.ins().store(PLAIN, stored, address, 0),
        };
        self.b.ins().jump(next, &[]);
        self.b.switch_to_block(next);
        self.b.seal_block(next);
    }

    /// The value that a store of `bytes` bytes writes.
    fn stored(&mut self, register: u32, bytes: u32) -> Value {
        let kind = self.code.kinds[register as usize];
        let ty: Type = match (bytes, kind) {
            (4, RegisterKind::F32) => types::F32,
            (8, RegisterKind::F64) => types::F64,
            (8, _) => types::I64,
            _ => types::I32,
        };
        self.get_as(register, ty)
    }

    /// Makes the slots of a frame accessible.
    pub fn open_frame(&mut self, frame: Value) {
        let mut shadow = vec![OUT_OF_SCOPE; (self.code.frame / 8) as usize];
        if shadow.len() > LARGEST {
            for (offset, bytes) in self.code.slots.clone() {
                let start = self.b.ins().iadd_imm_s(frame, i64::from(offset));
                let bytes = self.word(bytes);
                self.help(self.layout.helpers.open_slot, [start, bytes, bytes]);
            }
            return;
        }
        for (offset, bytes) in &self.code.slots {
            let (first, whole) = ((offset / 8) as usize, (bytes / 8) as usize);
            shadow[first..first + whole].fill(8);
            if bytes % 8 > 0 {
                shadow[first + whole] = (bytes % 8) as u8;
            }
        }
        self.write_shadow(frame, &shadow);
    }

    /// Makes a frame inaccessible.
    pub fn close_frame(&mut self, frame: Value) {
        let shadow = vec![OUT_OF_SCOPE; (self.code.frame / 8) as usize];
        if shadow.len() > LARGEST {
            let bytes = self.word(self.code.frame);
            self.help(self.layout.helpers.close_frame, [frame, bytes, bytes]);
            return;
        }
        self.write_shadow(frame, &shadow);
    }

    /// Writes the shadow of a frame.
    fn write_shadow(&mut self, frame: Value, shadow: &[u8]) {
        let start = self.word(self.layout.arena.0);
        let offset = self.b.ins().isub(frame, start);
        let granule = self.b.ins().ushr_imm_s(offset, 3);
        let base = self.word(self.layout.shadow);
        let to = self.b.ins().iadd(base, granule);
        let mut at = 0;
        while at < shadow.len() {
            let bytes = [8, 4, 2, 1].into_iter().find(|bytes| at + bytes <= shadow.len());
            let bytes = bytes.unwrap_or(1);
            let mut word = [0; 8];
            word[..bytes].copy_from_slice(&shadow[at..at + bytes]);
            let word = i64::from_le_bytes(word);
            let ty = Type::int(8 * bytes as u16).unwrap_or(types::I8);
            let value = self.b.ins().iconst(ty, word);
            self.b.ins().store(PLAIN, value, to, at as i32);
            at += bytes;
        }
    }
}
