//! Checks weak accesses by all lanes to adjacent elements that fill whole lines of shadow memory: elements of 4, 8 or 16 bytes,
//! vectors included.
//!
//! Without this path, accesses to f64 take twice as long, and sgemm_tiled 1.08 times.

use crate::access::AccessCheck;
use crate::fast::stored::{StoredValues, WORD};
use crate::fast::whole::ShadowView;
use crate::races::epoch::{self, LINE, PackedEpoch, WholeField};
use lanework_engine::machine::Warp;
use lanework_engine::site::AccessSite;

/// Bytes of the memory that a line of cells of a word covers.
const LINE_BYTES: u64 = (LINE as u64) << WORD;

impl AccessCheck {
    /// Checks an access by every lane of a full warp; the lanes of each half access adjacent elements from its base on. Returns
    /// `false` if another path must check it; repeating the update there has the same effect.
    #[inline(always)]
    pub fn whole_lines<const SHARED: bool, const LOADS: bool>(
        &mut self,
        warp: &Warp,
        instruction: u32,
        site: &AccessSite,
        base: [u64; 2],
    ) -> bool {
        // log2 of the words of a lane.
        let form = match u32::from(site.bytes) * u32::from(site.count) {
            4 => 0,
            8 => 1,
            16 => 2,
            _ => return false,
        };
        let span = LINE_BYTES << form;
        let Some((id, at)) = self.inside::<SHARED, LOADS>(instruction, base, span) else {
            return false;
        };
        if (at[0] | at[1]) & (LINE_BYTES - 1) != 0 {
            return false;
        }
        if !SHARED && LOADS && site.order.read_only && self.races.has_writes(id) {
            return false;
        }
        let host = self.bounds.extent(id).host;
        let mut view = self.view::<SHARED>(warp.index, id);
        if LOADS {
            if !view.written(at, span) {
                return false;
            }
        } else {
            // SAFETY: the bytes of both halves are inside the memory.
            view.stored = unsafe { StoredValues::new(warp, site, host, WORD) };
            if let Some(written) = view.written {
                written.set(at[0], span);
                written.set(at[1], span);
            }
        }
        view.full_lines::<LOADS>(at, epoch::pack(0, instruction), form)
    }
}

impl ShadowView<'_> {
    /// Checks the lines that each half of a warp accesses, or a read of the same lines by both halves; lanes have `1 << form`
    /// words. Returns `false` if another path must check them.
    #[inline(always)]
    pub fn full_lines<const LOADS: bool>(
        &mut self,
        at: [u64; 2],
        instruction: PackedEpoch,
        form: u8,
    ) -> bool {
        let packed = self.packed | instruction;
        let one = LOADS && at[0] == at[1];
        let (halves, second) = if one { (1, 16 << epoch::LANE_SHIFT) } else { (2, 0) };
        for half in 0..halves {
            let cell = (at[half as usize] >> WORD) as usize;
            for line in 0..1 << form {
                let start = epoch::with_lane(packed, 16 * half + line * (16 >> form));
                let field = WholeField { start, form };
                if !self.whole_line::<LOADS>(cell + LINE * line as usize, field, second) {
                    return false;
                }
            }
        }
        true
    }

    /// The same for one word per lane, at any address.
    #[inline(always)]
    pub fn words<const LOADS: bool>(&mut self, at: [u64; 2], instruction: PackedEpoch) -> bool {
        (at[0] | at[1]) & (LINE_BYTES - 1) == 0 && self.full_lines::<LOADS>(at, instruction, 0)
    }
}
