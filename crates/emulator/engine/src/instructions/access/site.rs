//! Sites of memory instructions: the access, the counter slots, and the region of the last access. A region is a range of guest
//! memory that is contiguous on the host.

use crate::instructions::alu::atomic::Combine;
use crate::instrument::counter::{CounterRule, Memo};
use crate::instrument::event::{Access, AccessKind, Place, Space, generic_space};
use crate::machine::slot::Slot;
use lanework_ptx_ir::analysis::access::AccessClass;
use lanework_ptx_ir::kernel::{MemoryOrder, MemorySpace};

/// The bounds of the region hit last, as the common handlers of one memory instruction check them.
#[derive(Clone, Copy)]
pub struct CachedBounds {
    /// The distance of an address from the region's start is the address operand plus this, which
    /// includes the instruction's offset.
    pub from: u64,
    /// For distances below this, all bytes that the instruction touches are inside.
    pub room: u64,
    /// The host address of the region's first byte.
    pub host: *mut u8,
}

impl CachedBounds {
    /// Bounds that contain no address.
    pub const EMPTY: CachedBounds = CachedBounds { from: 0, room: 0, host: std::ptr::null_mut() };
}

/// Whether the reductions of a site are delayed (module `delayed`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delay {
    /// Never: another kind of access.
    Never,
    /// Once its region has been joined.
    Possible,
    /// Its cached region is joined.
    Joined,
}

/// A memory instruction: its access, and the region of the last one.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub struct AccessSite {
    /// The bounds of the region hit last.
    pub bounds: CachedBounds,
    /// Offset of its first lane's last access from the region's start.
    pub last: u64,
    /// The region hit last.
    pub region: Region,
    /// Bytes that the common handlers touch from an address on.
    pub span: u64,
    /// Its target space.
    pub space: MemorySpace,
    /// Bytes added to the address.
    pub offset: u64,
    /// Elements per lane.
    pub count: u8,
    /// Bytes per element.
    pub bytes: u8,
    /// The operation.
    pub kind: AccessKind,
    /// Registers read or written, one per element; for atomics the two operands.
    pub data: [Option<Slot>; 8],
    /// The function of an atomic.
    pub combine: Option<Combine>,
    /// Whether a reduction is delayed.
    pub delay: Delay,
    /// Whether the general handlers report its accesses to the instrument.
    pub observed: bool,
    /// Its memory order.
    pub order: MemoryOrder,
    /// Its access class in the load/store unit.
    pub service: AccessClass,
    /// How its accesses are counted in place.
    pub counter: CounterRule,
    /// Its instruction in the kernel.
    pub origin: u32,
    /// Counter slots of the common handlers: accesses, and two costs by the rule.
    pub slots: [u64; 3],
    /// The pattern counted last.
    pub memo: Memo,
    /// For instructions that store other lanes' registers, such as `stmatrix`: the words stored at each lane's address, valid while the access is reported to the instrument; else null.
    pub rows: *const Rows,
}

// Operands name a site by its byte offset; the bounds, which common handlers read first, share the first cache line.
const _: () = {
    assert!(align_of::<AccessSite>() == 64 && size_of::<AccessSite>().is_multiple_of(64));
    assert!(std::mem::offset_of!(AccessSite, bounds) == 0);
};

/// Rows of 8x8 matrices, one for each lane that gives an address.
pub type Rows = [[u16; 8]; 32];

impl AccessSite {
    /// Bytes per lane that count.
    pub fn counted_bytes(&self) -> u64 {
        match self.counter.bytes {
            0 => u64::from(self.bytes) * u64::from(self.count),
            bytes => bytes.into(),
        }
    }

    /// Offset and size of the elements that a load of a vector from shared memory puts into registers, if it has others.
    pub fn used_part(&self) -> Option<(u64, u64)> {
        if self.space != MemorySpace::Shared || self.kind != AccessKind::Load {
            return None;
        }
        let elements = self.data.get(..usize::from(self.count))?;
        let first = elements.iter().position(Option::is_some)?;
        let end = elements.iter().rposition(Option::is_some)? + 1;
        let bytes = usize::from(self.bytes);
        (end - first < elements.len())
            .then_some(((first * bytes) as u64, ((end - first) * bytes) as u64))
    }

    /// A site of one element per lane, for accesses outside of the memory instructions proper: it has hit no
    /// region yet, and has no counter slots of its own.
    pub fn aside(
        space: MemorySpace,
        kind: AccessKind,
        bytes: u8,
        service: AccessClass,
    ) -> AccessSite {
        AccessSite {
            bounds: CachedBounds::EMPTY,
            last: 0,
            region: Region::EMPTY,
            span: 1,
            space,
            offset: 0,
            count: 1,
            bytes,
            kind,
            data: [None; 8],
            combine: None,
            delay: Delay::Never,
            observed: true,
            order: MemoryOrder::default(),
            service,
            counter: CounterRule::NONE,
            origin: 0,
            slots: [0; 3],
            memo: Memo::default(),
            rows: std::ptr::null(),
        }
    }

    /// Remembers the region hit last.
    pub fn hit(&mut self, region: Region) {
        self.region = region;
        if self.delay == Delay::Joined {
            self.delay = Delay::Possible;
        }
        self.bounds = CachedBounds {
            from: self.offset.wrapping_sub(region.start),
            room: region.bytes.saturating_sub(self.span - 1),
            host: region.host,
        };
    }
    /// The space that an access by the lanes in `mask` goes to; for generic addresses, the first lane decides.
    pub fn accessed_space(&self, mask: u32, addresses: &[u64; 32]) -> Space {
        match self.space {
            MemorySpace::Generic => generic_space(addresses[mask.trailing_zeros() as usize & 31]),
            MemorySpace::Global => Space::Global,
            MemorySpace::Constant | MemorySpace::Parameter => Space::Constant,
            MemorySpace::Shared => Space::Shared,
            MemorySpace::Local => Space::Local,
        }
    }

    /// Its access by the lanes in `mask`, as reported to instruments; `None` for the rest of a vector of
    /// atomics, which is reported once.
    pub fn access<'a>(
        &self,
        mask: u32,
        place: Place,
        addresses: &'a [u64; 32],
    ) -> Option<Access<'a>> {
        let bytes = u32::from(self.bytes) * u32::from(self.count);
        let bytes = match self.service {
            AccessClass::First(elements) => bytes * u32::from(elements),
            AccessClass::Rest if self.kind == AccessKind::Atomic => return None,
            _ => bytes,
        };
        let space = self.accessed_space(mask, addresses);
        Some(Access { space, kind: self.kind, bytes, mask, addresses, place })
    }
}

/// A range of guest addresses and its host address.
#[derive(Clone, Copy)]
pub struct Region {
    /// First guest address.
    pub start: u64,
    /// Bytes.
    pub bytes: u64,
    /// The host address of the first byte.
    pub host: *mut u8,
}

impl Region {
    /// An empty region.
    pub const EMPTY: Region = Region { start: 0, bytes: 0, host: std::ptr::null_mut() };

    /// Whether the bytes from the lowest to past the highest address are inside.
    #[inline(always)]
    pub fn holds(&self, lowest: u64, highest: u64, bytes: u64) -> bool {
        let low = lowest.wrapping_sub(self.start);
        let high = highest.wrapping_sub(self.start);
        low < self.bytes && high < self.bytes && bytes <= self.bytes - high
    }
}
