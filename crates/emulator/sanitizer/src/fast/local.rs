//! Checks accesses of local memory at one address by all lanes, each in its own memory: of spilled registers, and of arrays with an
//! index that all lanes share.
//!
//! Without this path, such an access takes twice as long.

use crate::access::AccessCheck;
use lanework_engine::machine::Warp;
use lanework_engine::site::AccessSite;

impl AccessCheck {
    /// Checks an access at an offset in local memory. Returns `false`, and changes nothing, if the reference path must check it.
    #[inline(always)]
    pub fn local_of_all<const LOADS: bool>(
        &mut self,
        warp: &Warp,
        site: &AccessSite,
        offset: u64,
    ) -> bool {
        let bytes = u64::from(site.bytes) * u64::from(site.count);
        let (size, mut hint) = (self.bounds.local_bytes, 0);
        let inside = offset & (bytes - 1) == 0 && offset < size && bytes <= size - offset;
        if !inside || !self.bounds.local.holds(offset, bytes, &mut hint) {
            return false;
        }
        let slot = self.position.slot(warp.index);
        if !LOADS {
            self.initial.local.set(slot, warp.mask, offset, bytes);
        } else if warp.mask & !self.initial.local.written(slot, offset, bytes) != 0 {
            return false;
        }
        self.note_lanes(warp);
        true
    }
}
