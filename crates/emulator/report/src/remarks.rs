//! Remarks on an instruction's counters: uncoalesced accesses, bank conflicts, atomic contention,
//! local memory, divergence. They describe the access pattern of a warp by its stride, or by groups
//! of lanes with a stride.

use crate::record::BranchRecord;
use lanework_emulator::{Bulk, Counters, Global, Shared, TracedAccess};
use std::collections::BTreeMap;

/// Remarks on the accesses of one instruction; `touch` is its first one, if any.
pub fn remarks(counters: &Counters, touch: Option<&TracedAccess>) -> Vec<String> {
    let how = touch.map(|touch| format!(": {}", pattern(touch))).unwrap_or_default();
    let mut found = Vec::new();
    let sectors = [
        ("load", &counters.global_load),
        ("store", &counters.global_store),
        ("local load", &counters.local_load),
        ("local store", &counters.local_store),
    ];
    for (name, traffic) in sectors {
        if let Some(remark) = uncoalesced(name, traffic, touch) {
            found.push(remark + &how);
        }
    }
    let copies = [
        ("load", &counters.bulk_load),
        ("store", &counters.bulk_store),
        ("reduction", &counters.bulk_reduce),
    ];
    found.extend(copies.into_iter().filter_map(|(name, traffic)| bulk(name, traffic)));
    let banks = [
        ("load", &counters.shared_load),
        ("store", &counters.shared_store),
        ("copy", &counters.shared_copy),
        ("atomic", &counters.shared_atomic),
    ];
    for (name, traffic) in banks {
        if let Some(remark) = conflicts(name, traffic) {
            found.push(remark + &how);
        }
    }
    let atomics = counters.global_atomic.requests + counters.shared_atomic.requests;
    if counters.atomic_collisions > 0 && atomics > 0 {
        let each = counters.atomic_collisions as f64 / atomics as f64;
        found.push(format!(
            "atomic contention: {each:.1} lanes per request wait for another lane at their address"
        ));
    }
    if counters.local_requests() > 0 {
        found.push("local memory: a spill, or an array indexed at run time".to_owned());
    }
    found
}

/// Remarks on the branches of a line at which warps diverge. A line may have several, such as `a && b`. Copies of one branch, as
/// in an unrolled loop, are one remark.
pub fn divergence(branches: &[BranchRecord]) -> Vec<String> {
    let mut columns: BTreeMap<u32, Vec<&BranchRecord>> = BTreeMap::new();
    for branch in branches {
        columns.entry(branch.column).or_default().push(branch);
    }
    let remark = |(column, copies): (u32, Vec<&BranchRecord>)| {
        let sum =
            |count: fn(&BranchRecord) -> u64| copies.iter().map(|one| count(one)).sum::<u64>();
        let share = sum(|one| one.divergent) as f64 / sum(|one| one.executions).max(1) as f64;
        let at = match (column, copies.as_slice()) {
            (0, [one]) if one.ptx_line == 0 => String::new(),
            (0, [one]) => format!(" at the branch of PTX line {}", one.ptx_line),
            (0, many) => format!(" at {} branches", many.len()),
            (column, [one]) if one.ptx_line == 0 => format!(" at the branch of column {column}"),
            (column, [one]) => {
                format!(" at the branch of column {column}, PTX line {}", one.ptx_line)
            }
            (column, many) => {
                format!(
                    " at the branch of column {column}, of which the code has {} copies",
                    many.len()
                )
            }
        };
        format!("{:.0} % of executions diverge{at}", 100.0 * share)
    };
    columns.into_iter().map(remark).collect()
}

fn uncoalesced(name: &str, traffic: &Global, touch: Option<&TracedAccess>) -> Option<String> {
    let (took, ideal) = (traffic.sectors_per_request(), traffic.ideal_sectors_per_request());
    let contiguous = touch.is_some_and(TracedAccess::contiguous);
    // If the bytes are contiguous, only a misaligned start can be the cause.
    let tells =
        if contiguous { took > 1.02 * ideal } else { took > 1.1 * ideal && took > ideal + 0.25 };
    let cause = match touch.and_then(TracedAccess::misaligned_start) {
        Some(past) => format!(", misaligned start ({past} B past a 32-byte sector)"),
        None if contiguous => {
            ", some starts misaligned (rows that are not a multiple of 32 B)".to_owned()
        }
        None => String::new(),
    };
    tells.then(|| format!("{took:.1} sectors per {name}, optimal {ideal:.1}{cause}"))
}

/// Remark on a bulk copy whose rows fill their sectors only partly.
fn bulk(name: &str, traffic: &Bulk) -> Option<String> {
    let each = |count: u64| count as f64 / traffic.requests.max(1) as f64;
    let (took, ideal) = (each(traffic.sectors), each(traffic.ideal_sectors));
    (took > 1.02 * ideal).then(|| {
        format!(
            "{took:.1} sectors per bulk {name}, optimal {ideal:.1}: rows that start or end within a 32-byte sector"
        )
    })
}

fn conflicts(name: &str, traffic: &Shared) -> Option<String> {
    let each = traffic.conflicts_per_request();
    (each >= 0.05).then(|| {
        let took = traffic.wavefronts_per_request();
        format!("{took:.1} wavefronts per shared {name}, {each:.1} of them bank conflicts")
    })
}

/// Describes the pattern of the active lanes' addresses, such as `stride 4096 B`.
pub fn pattern(touch: &TracedAccess) -> String {
    let lanes: Vec<usize> = (0..32).filter(|lane| touch.mask >> lane & 1 != 0).collect();
    let at = |i: usize| touch.addresses[lanes[i]] as i64;
    let count = lanes.len();
    if count < 2 {
        return "one lane".to_owned();
    }
    // The stride of `length` lanes from `first` on, if it is constant.
    let step = |first: usize, length: usize| {
        let step = at(first + 1).wrapping_sub(at(first));
        let even = (first + 1..first + length).all(|i| at(i).wrapping_sub(at(i - 1)) == step);
        even.then_some(step)
    };
    match step(0, count) {
        Some(0) => return "all lanes at one address".to_owned(),
        Some(step) => return format!("stride {step} B"),
        None => {}
    }
    for group in [16, 8, 4, 2] {
        if !count.is_multiple_of(group) || group >= count {
            continue;
        }
        let starts: Vec<usize> = (0..count).step_by(group).collect();
        let inner = step(0, group);
        let outer = at(group).wrapping_sub(at(0));
        let same = starts.iter().all(|&first| step(first, group) == inner)
            && starts.windows(2).all(|pair| at(pair[1]).wrapping_sub(at(pair[0])) == outer);
        if let (Some(inner), true) = (inner, same) {
            let within = match inner {
                0 => "one address".to_owned(),
                inner => format!("stride {inner} B"),
            };
            return match outer {
                0 => format!("groups of {group} lanes: {within}, the same in each"),
                outer => format!("groups of {group} lanes: {within}, {outer} B between groups"),
            };
        }
    }
    let low = (0..count).map(at).min().unwrap_or(0);
    let high = (0..count).map(at).max().unwrap_or(0);
    format!("scattered over {} B", high.wrapping_sub(low).wrapping_add(touch.bytes.into()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use lanework_emulator::{AccessKind, Place, Space};

    #[test]
    fn a_misaligned_start_is_named_as_the_cause() {
        let of = |sectors: u64, start: u64, bytes: u64| {
            let traffic =
                Global { requests: 10, sectors, ideal_sectors: 10 * bytes, ..Global::default() };
            let addresses = std::array::from_fn(|lane| start + bytes * lane as u64);
            let (space, kind, place) = (Space::Global, AccessKind::Load, Place::default());
            let touch =
                TracedAccess { place, space, kind, bytes: bytes as u32, mask: u32::MAX, addresses };
            let counters = Counters { global_load: traffic, ..Counters::default() };
            remarks(&counters, Some(&touch)).pop().unwrap_or_default()
        };
        let found = of(50, 4100, 4);
        let said =
            "5.0 sectors per load, optimal 4.0, misaligned start (4 B past a 32-byte sector)";
        assert!(found.starts_with(said), "{found}");
        // One extra sector of 17 is the minimum cost.
        assert!(of(170, 4112, 16).contains("misaligned start (16 B past"));
        // The first row is aligned, and others are not.
        assert!(of(49, 4096, 4).contains("some starts misaligned"));
        assert_eq!(of(40, 4096, 4), "");
    }

    #[test]
    fn optimal_counters_give_no_remarks() {
        let mut counters = Counters { warp_instructions: 10, ..Counters::default() };
        counters.global_load =
            Global { requests: 10, sectors: 40, ideal_sectors: 40, ..Global::default() };
        counters.shared_load =
            Shared { requests: 10, wavefronts: 10, bank_conflicts: 0, ..Shared::default() };
        assert!(remarks(&counters, None).is_empty());
    }

    #[test]
    fn costs_are_reported_with_their_figures() {
        let mut counters = Counters { warp_instructions: 10, ..Counters::default() };
        counters.global_store =
            Global { requests: 10, sectors: 320, ideal_sectors: 40, ..Global::default() };
        counters.shared_load =
            Shared { requests: 10, wavefronts: 320, bank_conflicts: 310, ..Shared::default() };
        let found = remarks(&counters, None);
        assert_eq!(
            found,
            [
                "32.0 sectors per store, optimal 4.0",
                "32.0 wavefronts per shared load, 31.0 of them bank conflicts",
            ]
        );
    }

    #[test]
    fn copies_of_a_branch_are_one_remark() {
        let branch = |column, ptx_line, divergent| BranchRecord {
            column,
            ptx_line,
            executions: 10,
            divergent,
        };
        assert_eq!(
            divergence(&[branch(9, 57, 5)]),
            ["50 % of executions diverge at the branch of column 9, PTX line 57"]
        );
        let unrolled = [branch(21, 73, 10), branch(21, 95, 8), branch(4, 60, 1)];
        assert_eq!(
            divergence(&unrolled),
            [
                "10 % of executions diverge at the branch of column 4, PTX line 60",
                "90 % of executions diverge at the branch of column 21, of which the code has 2 copies",
            ]
        );
    }
}

#[cfg(test)]
mod pattern_tests {
    use super::*;
    use lanework_emulator::{AccessKind, Place, Space};

    fn of(mask: u32, at: impl Fn(u64) -> u64) -> String {
        let addresses = std::array::from_fn(|lane| 1 << 20 | at(lane as u64));
        let (space, kind, place) = (Space::Global, AccessKind::Load, Place::default());
        pattern(&TracedAccess { place, space, kind, bytes: 4, mask, addresses })
    }

    #[test]
    fn patterns_have_words() {
        assert_eq!(of(u32::MAX, |lane| 4 * lane), "stride 4 B");
        assert_eq!(of(u32::MAX, |lane| 4096 * lane), "stride 4096 B");
        assert_eq!(of(u32::MAX, |_| 12), "all lanes at one address");
        assert_eq!(
            of(u32::MAX, |lane| lane % 16 * 4 + lane / 16 * 1024),
            "groups of 16 lanes: stride 4 B, 1024 B between groups"
        );
        assert_eq!(
            of(u32::MAX, |lane| lane / 8 * 512),
            "groups of 8 lanes: one address, 512 B between groups"
        );
        assert_eq!(
            of(u32::MAX, |lane| lane % 16 * 32),
            "groups of 16 lanes: stride 32 B, the same in each"
        );
        assert_eq!(of(1, |lane| lane), "one lane");
        assert_eq!(
            of(0xffff, |lane| lane / 8 * 512 + lane % 8 * 4),
            "groups of 8 lanes: stride 4 B, 512 B between groups"
        );
        assert_eq!(of(0b111, |lane| lane * lane * 32), "scattered over 132 B");
    }
    #[test]
    fn any_lanes_anywhere_have_a_pattern() {
        let mut random = 1u64;
        let mut next = move || {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            random >> 32
        };
        for count in 1..=32 {
            let mask = u32::MAX >> (32 - count);
            let scattered: [u64; 32] = std::array::from_fn(|_| next() % 4096);
            assert!(!of(mask, |lane| scattered[lane as usize]).is_empty());
            let stepped = of(mask, |lane| lane * lane);
            assert!(!stepped.is_empty());
            assert!(!of(mask.rotate_left(7) & next() as u32 | 1, |lane| lane ^ 5).is_empty());
        }
    }
}
