//! The JSON of counters, from the emulator's table of them: an object with a member for each counter, and
//! one for each group with its own.

use lanework::Counters;
use lanework::sim::Counter;
use serde::ser::{Serialize, SerializeMap, Serializer};

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

/// Writes every counter.
pub fn all<S: Serializer>(counters: &Counters, serializer: S) -> Result<S::Ok, S::Error> {
    Object(&counters.each()).serialize(serializer)
}

/// Writes the counters of a climb, where there are any.
pub fn of_climb<S: Serializer>(
    counters: &Option<Counters>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let Some(counters) = counters else { return serializer.serialize_none() };
    let each = counters.each();
    let named = |path: &&str| each.iter().find(|(counter, _)| counter.path() == *path).copied();
    let chosen: Vec<(Counter, u64)> = OF_CLIMB.iter().filter_map(named).collect();
    serializer.serialize_some(&Object(&chosen))
}

/// Counters with their values, those of a group side by side.
struct Object<'a>(&'a [(Counter, u64)]);

impl Serialize for Object<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for same in self.0.chunk_by(|(a, _), (b, _)| a.group.is_some() && a.group == b.group) {
            match same {
                [(Counter { group: None, row }, value)] => map.serialize_entry(row.key, value)?,
                [(Counter { group: Some(group), .. }, _), ..] => {
                    map.serialize_entry(group.key, &Members(same))?;
                }
                _ => {}
            }
        }
        map.end()
    }
}

/// The counters of one group.
struct Members<'a>(&'a [(Counter, u64)]);

impl Serialize for Members<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(counter, value)| (counter.row.key, value)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_objects_and_every_counter_of_a_climb_is_in_the_table() {
        let counters = Counters { barriers: 3, ..Counters::default() };
        let mut text = Vec::new();
        of_climb(&Some(counters.clone()), &mut serde_json::Serializer::new(&mut text))
            .expect("JSON");
        let json: serde_json::Value = serde_json::from_slice(&text).expect("JSON");
        let leaves = |value: &serde_json::Value| value.as_object().map_or(1, |o| o.len());
        let count: usize = json.as_object().expect("an object").values().map(leaves).sum();
        assert_eq!((count, &json["barriers"]), (OF_CLIMB.len(), &3.into()));
        let mut text = Vec::new();
        all(&counters, &mut serde_json::Serializer::new(&mut text)).expect("JSON");
        let json: serde_json::Value = serde_json::from_slice(&text).expect("JSON");
        assert_eq!(json["shared_copy"]["wavefronts"], 0);
    }
}
