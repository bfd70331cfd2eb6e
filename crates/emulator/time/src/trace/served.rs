//! How the load/store unit serves an access: its form after ptxas merges or aggregates accesses, its passes through the banks,
//! and the contention of its lanes.

use lanework_counters::cost::banks;
use lanework_engine::event::{Access, AccessKind};
use lanework_ptx_ir::analysis::access::AccessClass;

/// The access that the machine code executes for a PTX access of a class; `None` if ptxas merges it into an earlier one. On
/// entry, `starts` holds the addresses of `access`; on return, the addresses of the result.
pub fn served<'a>(
    class: AccessClass,
    access: &Access<'_>,
    starts: &'a mut [u64; 32],
) -> Option<Access<'a>> {
    let (mut mask, mut bytes) = (access.mask, access.bytes);
    match class {
        AccessClass::Rest => return None,
        // ptxas aggregates the lanes' operands, and one lane executes the access.
        AccessClass::OneLane => mask &= mask.wrapping_neg(),
        AccessClass::OneOfAll if mask == u32::MAX => mask = 1,
        AccessClass::Vectorized(wide) => {
            bytes = u32::from(wide);
            starts.iter_mut().for_each(|address| *address &= !(u64::from(wide) - 1));
        }
        _ => {}
    }
    let (space, kind, place) = (access.space, access.kind, access.place);
    Some(Access { space, kind, bytes, mask, addresses: starts, place })
}

/// Passes of an access through the banks: of shared memory, or of the L1, whose data has the same banks.
pub fn passes(kind: AccessKind, access: &Access<'_>) -> u32 {
    let groups = banks::groups(kind, access.mask, access.addresses, access.bytes);
    groups.iter().map(|(_, passes)| *passes as u32).sum::<u32>().max(1)
}

/// The contention of an atomic: the number of lanes that share their address with a lower lane, the number of lanes with the
/// most frequent address, and that address.
pub fn contention(mask: u32, addresses: &[u64; 32]) -> (u32, u32, u64) {
    let mut active: Vec<u64> =
        (0..32).filter(|lane| mask >> lane & 1 != 0).map(|lane| addresses[lane]).collect();
    active.sort_unstable();
    let groups = active.chunk_by(|a, b| a == b);
    let distinct = groups.clone().count();
    let most = groups.max_by_key(|group| group.len()).unwrap_or_default();
    let address = most.first().copied().unwrap_or_default();
    ((active.len() - distinct) as u32, most.len() as u32, address)
}

#[cfg(test)]
mod tests {
    use super::*;
    use lanework_engine::event::{Place, Space};

    #[test]
    fn accesses_are_those_of_the_machine_code() {
        let addresses = std::array::from_fn(|lane| 8 * (lane as u64 / 2) + 4);
        let access = Access {
            space: Space::Shared,
            kind: AccessKind::Atomic,
            bytes: 4,
            mask: 0xff0,
            addresses: &addresses,
            place: Place::default(),
        };
        let mut starts = addresses;
        let mut of = |class| served(class, &access, &mut starts).map(|one| (one.mask, one.bytes));
        assert_eq!(of(AccessClass::Rest), None);
        assert_eq!(of(AccessClass::OneLane), Some((0x10, 4)));
        assert_eq!(of(AccessClass::OneOfAll), Some((0xff0, 4)));
        assert_eq!(of(AccessClass::Vectorized(8)), Some((0xff0, 8)));
        assert_eq!(starts[3], 8);
        assert_eq!(contention(0xff0, &addresses), (4, 2, 44));
    }
}
