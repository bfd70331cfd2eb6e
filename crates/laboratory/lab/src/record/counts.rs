//! The JSON of a climb's counters: the ones that explain a ladder.

use lanework::Counters;
use lanework::report::counts;
use serde::ser::Serializer;

/// The counters of a climb, in the order of its JSON.
const OF_CLIMB: [&str; 14] = [
    "global_load.requests",
    "global_load.sectors",
    "global_store.requests",
    "global_store.sectors",
    "shared_load.requests",
    "shared_load.wavefronts",
    "shared_load.bank_conflicts",
    "shared_store.requests",
    "shared_store.wavefronts",
    "shared_store.bank_conflicts",
    "warp_instructions",
    "lane_instructions",
    "barriers",
    "divergent_branches",
];

/// Writes the counters of a climb, if there are any.
pub fn of_climb<S: Serializer>(
    counters: &Option<Counters>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match counters {
        Some(counters) => counts::some(counters, &OF_CLIMB, serializer),
        None => serializer.serialize_none(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_counter_of_a_climb_is_in_the_table() {
        let mut text = Vec::new();
        let counters = Some(Counters { barriers: 3, ..Counters::default() });
        of_climb(&counters, &mut serde_json::Serializer::new(&mut text)).expect("JSON");
        let json: serde_json::Value = serde_json::from_slice(&text).expect("JSON");
        let leaves = |value: &serde_json::Value| value.as_object().map_or(1, |o| o.len());
        let count: usize = json.as_object().expect("an object").values().map(leaves).sum();
        assert_eq!((count, &json["barriers"]), (OF_CLIMB.len(), &3.into()));
    }
}
