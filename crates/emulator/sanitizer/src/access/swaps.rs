//! Compare-and-swaps that fail only read: whether one does is looked up before it is done, lane after lane, as
//! the lanes of a warp take turns.

use super::check::WarpAccess;
use lanework_engine::event::AccessKind;
use lanework_engine::lanes::fetch_cold;
use lanework_engine::site::Site;

/// Compare-and-swaps of a warp, lane after lane: what those that do not fail have written.
#[derive(Default)]
pub struct Swaps {
    written: Vec<(u64, u64)>,
}

impl Swaps {
    /// An access of which it is known whether a lane's compare-and-swap fails; `host` is the word at its
    /// address.
    #[inline(always)]
    pub fn tried<'a>(
        &mut self,
        access: &WarpAccess<'a>,
        lane: usize,
        address: u64,
        host: *const u8,
    ) -> WarpAccess<'a> {
        let Site { kind, data, combine, .. } = access.site;
        match (kind, data, combine) {
            (AccessKind::Atomic, [Some(expected), Some(new), ..], Some(combine))
                if access.bytes <= 8 =>
            {
                let operand = |slot| {
                    // SAFETY: the assembler gave slots of this register file.
                    unsafe { fetch_cold::<u64>(access.warp, slot) }.0[lane]
                };
                let [expected, new] = [operand(*expected), operand(*new)];
                let fails =
                    self.fails(access.bytes, (address, host), |held| combine(held, expected, new));
                WarpAccess { failed: access.failed | u32::from(fails) << lane, ..*access }
            }
            _ => *access,
        }
    }

    #[cold]
    fn fails(
        &mut self,
        bytes: u64,
        (address, host): (u64, *const u8),
        swapped: impl Fn(u64) -> u64,
    ) -> bool {
        let known = self.written.iter_mut().find(|(at, _)| *at == address);
        let held = known.as_ref().map_or_else(
            || {
                let mut word = [0; 8];
                for (i, byte) in word.iter_mut().enumerate().take(bytes as usize) {
                    // SAFETY: the access was checked to lie inside the region.
                    *byte = unsafe { host.wrapping_add(i).read() };
                }
                u64::from_le_bytes(word)
            },
            |(_, word)| *word,
        );
        let mask = u64::MAX >> (64 - 8 * bytes.clamp(1, 8));
        let next = swapped(held) & mask;
        match known {
            Some((_, word)) => *word = next,
            None => self.written.push((address, next)),
        }
        next == held
    }
}
