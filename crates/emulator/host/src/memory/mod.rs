//! Memory of the host program: one arena with a shadow, and registered ranges outside it.
//!
//! As in AddressSanitizer (Serebryany et al. 2012), the shadow has one byte for each eight bytes of the arena: the number
//! of accessible bytes, or the reason why all eight are inaccessible. Guards around every object, and a quarantine of
//! freed blocks, catch accesses out of bounds and after `free`. The check misses an access that jumps over a guard into
//! another object.

mod large_pages;
mod pending;
mod watched;

pub use pending::UsedMemory;

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::cell::Cell;
use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering};

/// Arena sizes to try, because a host may not have enough memory for the larger ones. On a 32-bit host, the arena must leave
/// room for the emulated device, and the allocator clears all of it.
const SIZES: &[u64] = if cfg!(target_pointer_width = "64") {
    &[16 << 30, 8 << 30, 4 << 30, 2 << 30, 1 << 30, 256 << 20]
} else {
    &[256 << 20, 96 << 20]
};
/// Inaccessible bytes between two objects.
const GUARD: u64 = 32;
/// Maximum size in bytes of the quarantine of freed blocks.
const QUARANTINE: u64 = 64 << 20;

/// Description of an address that is next to no object.
const NO_MEMORY: &str = "no memory of the host program";
/// How descriptions name registered ranges.
pub(crate) const SHARED: &str = "host-accessible CUDA memory";
/// Bytes past the end of a registered range in which an address is attributed to it.
const BEYOND: u64 = 4096;
/// Maximum number of unregistered ranges that descriptions can name.
const MOST_RETURNED: usize = 256;

/// Shadow values above 8, which say why bytes are not accessible.
const FREED: u8 = 0x81;
pub(crate) const OUT_OF_SCOPE: u8 = 0x82;

/// A block of the heap.
#[derive(Clone, Copy, Debug)]
struct HeapBlock {
    /// Requested bytes.
    bytes: u64,
    /// Bytes from its start to the next block.
    room: u64,
    freed: bool,
}

/// A registered range. Machine code reads these fields.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct LentRange {
    start: u64,
    bytes: u64,
}

impl LentRange {
    /// Whether an access is in the range.
    fn holds(self, address: u64, bytes: u64) -> bool {
        let offset = address.wrapping_sub(self.start);
        offset < self.bytes && bytes <= self.bytes - offset
    }
}

/// Entries of the table of recently used ranges, and the bytes of addresses that share an entry. CUDA aligns its ranges so
/// that two of them rarely do.
pub(crate) const RECENT: usize = 4096;
pub(crate) const RECENT_BYTES: u64 = 512;

/// The memory of a host program.
#[derive(Debug)]
pub struct HostMemory {
    start: u64,
    bytes: u64,
    arena: *mut u8,
    shadow: Box<[u8]>,
    layout: Layout,
    /// The end of the used part: globals, then the stack, then the heap.
    top: u64,
    blocks: BTreeMap<u64, HeapBlock>,
    /// Free blocks by their room.
    free: BTreeMap<u64, Vec<u64>>,
    quarantine: VecDeque<u64>,
    quarantined: u64,
    /// Size and name of each global variable, by address.
    globals: BTreeMap<u64, (u64, String)>,
    /// Size of each registered range outside the arena, by address.
    lent: BTreeMap<u64, u64>,
    /// Address and size of the ranges that were unregistered last, newest first.
    returned: VecDeque<(u64, u64)>,
    /// Whether the embedding program waits for the place of an access to an address of a registered range.
    guards: Option<fn(u64) -> bool>,
    /// Checks of registered ranges that pass because their place is known.
    told: Cell<u32>,
    /// The registered ranges that the program accessed recently, by some bits of the address.
    recent: Box<[Cell<LentRange>]>,
    stack: std::ops::Range<u64>,
    /// Memory that host functions of streams use.
    pending: pending::PendingMemory,
}

impl Drop for HostMemory {
    fn drop(&mut self) {
        // SAFETY: `arena` was allocated with this layout by `new`, and nothing else frees it.
        unsafe { dealloc(self.arena, self.layout) }
    }
}

/// An invalid access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BadAccess {
    /// The address.
    pub address: u64,
    /// Bytes of the access.
    pub bytes: u64,
}

impl HostMemory {
    /// Memory with a stack of `stack` bytes; `None` if the host is out of memory.
    pub fn new(stack: u64) -> Option<HostMemory> {
        let (arena, layout) = SIZES.iter().find_map(|&bytes| {
            // With this alignment the allocator returns zero pages that the system has not yet committed.
            let layout = Layout::from_size_align(usize::try_from(bytes).ok()?, 16).ok()?;
            // SAFETY: the layout's size is not zero.
            let arena = unsafe { alloc_zeroed(layout) };
            (!arena.is_null()).then_some((arena, layout))
        })?;
        let start = arena.expose_provenance() as u64;
        let bytes = layout.size() as u64;
        let mut memory = HostMemory {
            start,
            bytes,
            arena,
            shadow: vec![0; layout.size() / 8].into_boxed_slice(),
            layout,
            top: start + GUARD,
            blocks: BTreeMap::new(),
            free: BTreeMap::new(),
            quarantine: VecDeque::new(),
            quarantined: 0,
            globals: BTreeMap::new(),
            lent: BTreeMap::new(),
            returned: VecDeque::new(),
            guards: None,
            told: Cell::new(0),
            recent: vec![Cell::default(); RECENT].into_boxed_slice(),
            stack: 0..0,
            pending: pending::PendingMemory::default(),
        };
        let low = memory.top.next_multiple_of(4096);
        memory.stack = low..low + stack;
        memory.top = low + stack + GUARD;
        Some(memory)
    }

    /// The arena's first address and its size, and the address of its shadow, for code that checks accesses itself.
    #[cfg_attr(not(feature = "native"), allow(dead_code, reason = "only machine code uses it"))]
    pub(crate) fn checked_arena(&self) -> ((u64, u64), u64) {
        ((self.start, self.bytes), self.shadow.as_ptr().expose_provenance() as u64)
    }

    /// The address of the table of recently used ranges outside the arena, if there are such ranges.
    #[cfg_attr(not(feature = "native"), allow(dead_code, reason = "only machine code uses it"))]
    pub(crate) fn recent_ranges(&self) -> Option<u64> {
        (!self.lent.is_empty()).then(|| self.recent.as_ptr().expose_provenance() as u64)
    }

    /// The addresses of the stack.
    pub fn stack(&self) -> std::ops::Range<u64> {
        self.stack.clone()
    }

    /// Makes bytes accessible, or inaccessible for a reason.
    fn set_shadow(&mut self, address: u64, bytes: u64, reason: Option<u8>) {
        let first = ((address - self.start) / 8) as usize;
        let whole = (bytes / 8) as usize;
        let rest = (bytes % 8) as u8;
        let end = first + whole + usize::from(rest > 0);
        self.forget_pending(first, end);
        let Some(range) = self.shadow.get_mut(first..end) else { return };
        match reason {
            Some(reason) => range.fill(reason),
            None => {
                range.fill(8);
                if rest > 0
                    && let Some(last) = range.last_mut()
                {
                    *last = rest;
                }
            }
        }
    }

    /// Opens a slot of a stack frame, at a multiple of 8.
    pub(crate) fn open_slot(&mut self, address: u64, bytes: u64) {
        self.set_shadow(address, bytes, None);
    }

    /// Closes a stack frame.
    pub(crate) fn close_frame(&mut self, address: u64, bytes: u64) {
        self.set_shadow(address, bytes, Some(OUT_OF_SCOPE));
    }

    /// Allocates an object that is never freed; `None` if out of memory.
    pub(crate) fn place(&mut self, bytes: u64, align: u64) -> Option<u64> {
        let address = self.top.next_multiple_of(align.max(16));
        let end = address.checked_add(bytes)?.checked_add(GUARD)?;
        if end > self.start + self.bytes {
            return None;
        }
        self.top = end.next_multiple_of(16);
        self.set_shadow(address, bytes, None);
        Some(address)
    }

    /// Places a global variable.
    pub(crate) fn place_global(&mut self, bytes: u64, align: u64, name: &str) -> Option<u64> {
        let address = self.place(bytes, align)?;
        self.globals.insert(address, (bytes, name.to_owned()));
        Some(address)
    }

    /// The global variable at an address.
    pub fn global_at(&self, address: u64) -> Option<&str> {
        self.globals.get(&address).map(|(_, name)| name.as_str())
    }

    /// Allocates a block at a multiple of `align`; 0 if out of memory.
    pub fn allocate(&mut self, bytes: u64, align: u64) -> u64 {
        let guarded = bytes.max(1).checked_add(GUARD);
        let step = if bytes < 4096 { 32 } else { 4096 };
        let Some(room) = guarded.and_then(|bytes| bytes.checked_next_multiple_of(step)) else {
            return 0;
        };
        if align <= 32
            && let Some(list) = self.free.get_mut(&room)
            && let Some(address) = list.pop()
        {
            self.blocks.insert(address, HeapBlock { bytes, room, freed: false });
            self.set_shadow(address, bytes, None);
            return address;
        }
        let end =
            |address: u64| address.checked_add(room).filter(|end| *end <= self.start + self.bytes);
        let address = self.top.checked_next_multiple_of(align.max(32));
        let Some((address, end)) = address.and_then(|address| Some((address, end(address)?)))
        else {
            return 0;
        };
        self.top = end;
        if bytes >= large_pages::LEAST {
            let shadow = self.shadow.as_ptr().expose_provenance() as u64;
            large_pages::prefer(address, bytes);
            large_pages::prefer(shadow + (address - self.start) / 8, bytes / 8);
        }
        self.blocks.insert(address, HeapBlock { bytes, room, freed: false });
        self.set_shadow(address, bytes, None);
        address
    }

    /// Frees a block.
    ///
    /// # Errors
    /// The reason why the block cannot be freed.
    pub fn release(&mut self, address: u64) -> Result<(), String> {
        let Some(block) = self.blocks.get_mut(&address) else {
            return Err(format!("{}: not the start of a heap block", self.describe(address)));
        };
        if block.freed {
            return Err("this block has already been freed".to_owned());
        }
        block.freed = true;
        let block = *block;
        // Notes a conflict with a host function that still uses the block.
        let _ = self.check_pending(address, block.bytes, true);
        self.set_shadow(address, block.bytes, Some(FREED));
        self.quarantine.push_back(address);
        self.quarantined += block.room;
        while self.quarantined > QUARANTINE
            && let Some(oldest) = self.quarantine.pop_front()
        {
            if let Some(block) = self.blocks.remove(&oldest) {
                self.quarantined -= block.room;
                self.free.entry(block.room).or_default().push(oldest);
            }
        }
        Ok(())
    }

    /// Requested bytes of a live block.
    pub fn block_bytes(&self, address: u64) -> Option<u64> {
        self.blocks.get(&address).filter(|block| !block.freed).map(|block| block.bytes)
    }

    /// Registers a range outside the arena, which the program may then use.
    ///
    /// # Safety
    /// The bytes must be readable and writable until [`HostMemory::take_back`]. Other code may use them meanwhile only
    /// with atomic accesses, or while the program waits.
    pub unsafe fn lend(&mut self, address: u64, bytes: u64) {
        self.lent.insert(address, bytes);
        self.returned.retain(|(start, old)| start + old <= address || address + bytes <= *start);
        self.recent.iter().for_each(|entry| entry.set(LentRange::default()));
    }

    /// Unregisters a range.
    pub fn take_back(&mut self, address: u64) {
        if let Some(bytes) = self.lent.remove(&address) {
            self.returned.truncate(MOST_RETURNED - 1);
            self.returned.push_front((address, bytes));
        }
        self.recent.iter().for_each(|entry| entry.set(LentRange::default()));
    }

    /// Fails accesses to the addresses for which `guards` is true until [`HostMemory::tell`].
    pub(crate) fn guard(&mut self, guards: fn(u64) -> bool) {
        self.guards = Some(guards);
    }

    /// Lets the next `checks` checks of guarded addresses pass, because their place is known.
    pub(crate) fn tell(&self, checks: u32) {
        self.told.set(checks);
    }

    /// Whether an access failed only because its place is not known yet.
    pub(crate) fn is_untold(&self, access: BadAccess) -> bool {
        self.guards.is_some() && self.told.get() == 0 && self.is_lent(access.address, access.bytes)
    }

    /// Whether bytes are in a registered range.
    fn is_lent(&self, address: u64, bytes: u64) -> bool {
        let before = self.lent.range(..=address).next_back();
        before.is_some_and(|(start, lent)| {
            address - start < *lent && bytes <= *lent - (address - start)
        })
    }

    /// Whether an access to a registered range must wait for [`HostMemory::tell`].
    fn waits(&self, address: u64) -> bool {
        if !self.guards.is_some_and(|guards| guards(address)) {
            return false;
        }
        let told = self.told.get();
        self.told.set(told.saturating_sub(1));
        told == 0
    }

    /// Checks an access.
    #[inline(always)]
    pub(crate) fn check(
        &self,
        address: u64,
        bytes: u64,
        writes: bool,
    ) -> Result<*mut u8, BadAccess> {
        if self.is_recording() {
            self.note_use(address, bytes, writes);
        }
        let offset = address.wrapping_sub(self.start);
        if offset < self.bytes {
            let word = (offset / 8) as usize;
            let within = offset % 8;
            if within + bytes <= 8 {
                let open = self.shadow[word];
                if open <= 8 && within + bytes <= u64::from(open) {
                    return Ok(self.arena.wrapping_add(offset as usize));
                }
                return self.check_pending(address, bytes, writes);
            }
        }
        self.check_unrecorded(address, bytes, writes)
    }

    /// Checks a range of bytes to read.
    ///
    /// # Errors
    /// If some of the bytes are inaccessible.
    pub fn check_range(&self, address: u64, bytes: u64) -> Result<*mut u8, BadAccess> {
        self.check_bytes(address, bytes, false)
    }

    /// Checks a range of bytes.
    fn check_bytes(&self, address: u64, bytes: u64, writes: bool) -> Result<*mut u8, BadAccess> {
        if self.is_recording() && bytes > 0 {
            self.note_use(address, bytes, writes);
        }
        self.check_unrecorded(address, bytes, writes)
    }

    #[inline(never)]
    fn check_unrecorded(
        &self,
        address: u64,
        bytes: u64,
        writes: bool,
    ) -> Result<*mut u8, BadAccess> {
        let bad = Err(BadAccess { address, bytes });
        if bytes == 0 {
            return Ok(std::ptr::with_exposed_provenance_mut(address as usize));
        }
        let offset = address.wrapping_sub(self.start);
        if offset < self.bytes {
            let Some(end) = offset.checked_add(bytes).filter(|end| *end <= self.bytes) else {
                return bad;
            };
            let (first, last) = ((offset / 8) as usize, ((end - 1) / 8) as usize);
            let whole = self.shadow[first..last].iter().all(|&open| open == 8);
            let open = self.shadow[last];
            let fits = open <= 8 && (end - 1) % 8 < u64::from(open);
            return match whole && fits {
                true => Ok(self.arena.wrapping_add(offset as usize)),
                false => self.check_pending(address, bytes, writes),
            };
        }
        let entry = &self.recent[(address / RECENT_BYTES) as usize % RECENT];
        if !entry.get().holds(address, bytes) {
            let before = self.lent.range(..=address).next_back();
            let range = before.map(|(&start, &bytes)| LentRange { start, bytes });
            match range.filter(|range| range.holds(address, bytes)) {
                Some(range) => entry.set(range),
                None => return bad,
            }
        }
        if self.waits(address) {
            return bad;
        }
        Ok(std::ptr::with_exposed_provenance_mut(address as usize))
    }

    /// Reads a scalar of 1, 2, 4 or 8 bytes.
    #[inline(always)]
    pub(crate) fn load(&self, address: u64, bytes: u64) -> Result<u64, BadAccess> {
        let at = self.check(address, bytes, false)?;
        // SAFETY: `check` found the bytes in the arena or in a registered range. Other code uses them only with atomic
        // accesses.
        unsafe {
            if address & (bytes - 1) != 0 {
                let mut word = 0;
                for i in 0..bytes as usize {
                    let byte = AtomicU8::from_ptr(at.wrapping_add(i)).load(Ordering::Relaxed);
                    word |= u64::from(byte) << (8 * i);
                }
                return Ok(word);
            }
            Ok(match bytes {
                1 => u64::from(AtomicU8::from_ptr(at).load(Ordering::Relaxed)),
                2 => u64::from(AtomicU16::from_ptr(at.cast()).load(Ordering::Relaxed)),
                4 => u64::from(AtomicU32::from_ptr(at.cast()).load(Ordering::Relaxed)),
                _ => AtomicU64::from_ptr(at.cast()).load(Ordering::Relaxed),
            })
        }
    }

    /// Writes a scalar of 1, 2, 4 or 8 bytes.
    #[inline(always)]
    pub(crate) fn store(&self, address: u64, bytes: u64, value: u64) -> Result<(), BadAccess> {
        let at = self.check(address, bytes, true)?;
        // SAFETY: as in `load`.
        unsafe {
            if address & (bytes - 1) != 0 {
                for i in 0..bytes as usize {
                    let byte = (value >> (8 * i)) as u8;
                    AtomicU8::from_ptr(at.wrapping_add(i)).store(byte, Ordering::Relaxed);
                }
                return Ok(());
            }
            match bytes {
                1 => AtomicU8::from_ptr(at).store(value as u8, Ordering::Relaxed),
                2 => AtomicU16::from_ptr(at.cast()).store(value as u16, Ordering::Relaxed),
                4 => AtomicU32::from_ptr(at.cast()).store(value as u32, Ordering::Relaxed),
                _ => AtomicU64::from_ptr(at.cast()).store(value, Ordering::Relaxed),
            }
        }
        Ok(())
    }

    /// Copies bytes out.
    ///
    /// # Errors
    /// If some of the bytes are inaccessible.
    pub fn read(&self, address: u64, bytes: u64) -> Result<Vec<u8>, BadAccess> {
        let at = self.check_range(address, bytes)?;
        let mut copy = vec![0; bytes as usize];
        if bytes > 0 {
            // SAFETY: `check_range` found the bytes in the arena or in a registered range.
            unsafe { at.copy_to_nonoverlapping(copy.as_mut_ptr(), bytes as usize) };
        }
        Ok(copy)
    }

    /// Replaces a scalar of 1, 2, 4 or 8 bytes if it has a value; returns the value that it had. Atomic, also for kernels.
    ///
    /// # Errors
    /// If the bytes are inaccessible, or not aligned.
    pub fn exchange_if(
        &mut self,
        address: u64,
        bytes: u64,
        wanted: u64,
        value: u64,
    ) -> Result<u64, BadAccess> {
        let order = Ordering::Relaxed;
        let at = self.check(address, bytes, true)?;
        if address & (bytes - 1) != 0 {
            return Err(BadAccess { address, bytes });
        }
        macro_rules! exchange {
            ($atomic:ident, $word:ty) => {{
                // SAFETY: as in `load`; the address is aligned.
                let place = unsafe { $atomic::from_ptr(at.cast()) };
                match place.compare_exchange(wanted as $word, value as $word, order, order) {
                    Ok(old) | Err(old) => u64::from(old),
                }
            }};
        }
        Ok(match bytes {
            1 => exchange!(AtomicU8, u8),
            2 => exchange!(AtomicU16, u16),
            4 => exchange!(AtomicU32, u32),
            _ => exchange!(AtomicU64, u64),
        })
    }

    /// Copies bytes in.
    ///
    /// # Errors
    /// If some of the bytes are inaccessible.
    pub fn write(&mut self, address: u64, bytes: &[u8]) -> Result<(), BadAccess> {
        let at = self.check_bytes(address, bytes.len() as u64, true)?;
        if !bytes.is_empty() {
            // SAFETY: as in `read`; `bytes` is not part of the arena, which this method borrows mutably.
            unsafe { at.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
        }
        Ok(())
    }

    /// Copies bytes within the program's memory; the ranges may overlap.
    ///
    /// # Errors
    /// If some of the bytes are inaccessible.
    pub fn copy(&mut self, to: u64, from: u64, bytes: u64) -> Result<(), BadAccess> {
        let source = self.check_bytes(from, bytes, false)?;
        let target = self.check_bytes(to, bytes, true)?;
        if self.told.get() <= 2 {
            self.told.set(0);
        }
        if bytes > 0 {
            // SAFETY: as in `read`, for both ranges.
            unsafe { source.copy_to(target, bytes as usize) };
        }
        Ok(())
    }

    /// Fills bytes.
    ///
    /// # Errors
    /// If some of the bytes are inaccessible.
    pub fn fill(&mut self, address: u64, byte: u8, bytes: u64) -> Result<(), BadAccess> {
        let at = self.check_bytes(address, bytes, true)?;
        if bytes > 0 {
            // SAFETY: as in `read`.
            unsafe { at.write_bytes(byte, bytes as usize) };
        }
        Ok(())
    }

    /// The bytes of a C string, without its final zero.
    ///
    /// # Errors
    /// If some of the bytes are inaccessible.
    pub fn text(&self, address: u64) -> Result<Vec<u8>, BadAccess> {
        self.text_up_to(address, u64::MAX)
    }

    /// The first bytes of a C string, at most `most`, without its final zero.
    ///
    /// # Errors
    /// If some of the bytes are inaccessible.
    pub fn text_up_to(&self, address: u64, most: u64) -> Result<Vec<u8>, BadAccess> {
        let mut text = Vec::new();
        while (text.len() as u64) < most {
            match self.load(address.wrapping_add(text.len() as u64), 1)? as u8 {
                0 => break,
                byte => text.push(byte),
            }
        }
        Ok(text)
    }

    /// Whether an address is in the arena.
    pub(crate) fn is_own(&self, address: u64) -> bool {
        address.wrapping_sub(self.start) < self.bytes
    }

    /// Whether an address is in the arena, but in no object and next to none.
    pub(crate) fn is_unused(&self, address: u64) -> bool {
        address.wrapping_sub(self.start) < self.bytes && self.describe(address) == NO_MEMORY
    }

    /// Accessible bytes from an address on, at most `most`.
    pub(crate) fn accessible(&self, address: u64, most: u64) -> u64 {
        let (mut good, mut bad) = (0, most);
        while bad - good > 1 {
            let middle = good + (bad - good) / 2;
            match self.check_range(address, middle) {
                Ok(_) => good = middle,
                Err(_) => bad = middle,
            }
        }
        good
    }

    /// Describes the object nearest to an address.
    pub fn describe(&self, address: u64) -> String {
        if address < 4096 {
            return if address == 0 { "null".to_owned() } else { format!("null + {address}") };
        }
        if self.stack.contains(&address) {
            return "the stack".to_owned();
        }
        let place = |start: u64, bytes: u64| match address.checked_sub(start) {
            Some(offset) if offset < bytes => format!("{offset} bytes into"),
            Some(offset) => format!("{} bytes past the end of", offset - bytes),
            None => format!("{} bytes before", start - address),
        };
        let near = |start: &u64| start.abs_diff(address) < 1 << 40;
        if let Some((start, block)) = self
            .blocks
            .range(..=address)
            .next_back()
            .into_iter()
            .chain(
                self.blocks.range(address..).next().filter(|(start, _)| **start - address <= GUARD),
            )
            .rfind(|(start, block)| {
                near(start) && address < **start + block.room || **start > address
            })
        {
            let kind = if block.freed { "a freed block" } else { "a block" };
            return format!("{} {kind} of {} bytes", place(*start, block.bytes), block.bytes);
        }
        if let Some((start, (bytes, name))) = self.globals.range(..=address).next_back()
            && address < start + bytes + GUARD
        {
            return format!("{} variable `{name}` of {bytes} bytes", place(*start, *bytes));
        }
        let lent = self.lent.range(..=address).next_back().map(|(start, bytes)| (*start, *bytes));
        let lent = lent.filter(|(start, bytes)| address - start < bytes.saturating_add(BEYOND));
        let inside = |(start, bytes): &(u64, u64)| address.wrapping_sub(*start) < *bytes;
        if let Some((start, bytes)) = self.returned.iter().find(|one| inside(one)) {
            return format!("{} freed {SHARED} of {bytes} bytes", place(*start, *bytes));
        }
        if let Some((start, bytes)) = lent {
            return format!("{} {SHARED} of {bytes} bytes", place(start, bytes));
        }
        NO_MEMORY.to_owned()
    }
}
