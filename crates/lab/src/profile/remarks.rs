//! Remarks on an instruction's counts: uncoalesced accesses, bank conflicts, atomic contention, local
//! memory, divergence.

use super::pattern::pattern;
use lanework::Counters;
use lanework::sim::{Global, Shared, Touch};

/// Remarks on one instruction; `touch` is its first access, where it makes any.
pub fn remarks(counters: &Counters, touch: Option<&Touch>) -> Vec<String> {
    let how = touch.map(|touch| format!(": {}", pattern(touch))).unwrap_or_default();
    let mut found = Vec::new();
    let sectors = [
        ("load", &counters.global_load),
        ("store", &counters.global_store),
        ("local load", &counters.local_load),
        ("local store", &counters.local_store),
    ];
    for (name, traffic) in sectors {
        if let Some(remark) = uncoalesced(name, traffic) {
            found.push(remark + &how);
        }
    }
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
    if counters.divergent_branches > 0 {
        found.push(format!(
            "{:.0} % of executions diverge",
            100.0 * counters.divergent_branches as f64 / counters.warp_instructions.max(1) as f64
        ));
    }
    found
}

fn uncoalesced(name: &str, traffic: &Global) -> Option<String> {
    let (took, ideal) = (traffic.sectors_per_request(), traffic.ideal_sectors_per_request());
    (took > 1.1 * ideal && took > ideal + 0.25)
        .then(|| format!("{took:.1} sectors per {name}, ideal {ideal:.1}"))
}

fn conflicts(name: &str, traffic: &Shared) -> Option<String> {
    let each = traffic.conflicts_per_request();
    (each >= 0.05).then(|| {
        let took = traffic.wavefronts_per_request();
        format!("{took:.1} wavefronts per shared {name}, {each:.1} of them bank conflicts")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_as_it_should_be_needs_no_word() {
        let mut counters = Counters { warp_instructions: 10, ..Counters::default() };
        counters.global_load =
            Global { requests: 10, sectors: 40, ideal_sectors: 40, ..Global::default() };
        counters.shared_load =
            Shared { requests: 10, wavefronts: 10, bank_conflicts: 0, ..Shared::default() };
        assert!(remarks(&counters, None).is_empty());
    }

    #[test]
    fn what_costs_is_named_with_its_figures() {
        let mut counters = Counters { warp_instructions: 10, ..Counters::default() };
        counters.global_store =
            Global { requests: 10, sectors: 320, ideal_sectors: 40, ..Global::default() };
        counters.shared_load =
            Shared { requests: 10, wavefronts: 320, bank_conflicts: 310, ..Shared::default() };
        counters.divergent_branches = 5;
        let found = remarks(&counters, None);
        assert_eq!(
            found,
            [
                "32.0 sectors per store, ideal 4.0",
                "32.0 wavefronts per shared load, 31.0 of them bank conflicts",
                "50 % of executions diverge",
            ]
        );
    }
}
