//! Counters as JSON, from the emulator's table: an object with a member for each counter, and an
//! object for each group.

use lanework_emulator::{Counter, Counters};
use serde::ser::{Serialize, SerializeMap, Serializer};

/// Serializes all counters.
///
/// # Errors
/// Errors of the serializer.
pub fn all<S: Serializer>(counters: &Counters, serializer: S) -> Result<S::Ok, S::Error> {
    Object(&counters.each()).serialize(serializer)
}

/// Serializes the counters of these paths, such as `global_load.sectors`, in this order.
///
/// # Errors
/// Errors of the serializer.
pub fn some<S: Serializer>(
    counters: &Counters,
    paths: &[&str],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let each = counters.each();
    let named = |path: &&str| each.iter().find(|(counter, _)| counter.path() == *path).copied();
    let chosen: Vec<(Counter, u64)> = paths.iter().filter_map(named).collect();
    Object(&chosen).serialize(serializer)
}

/// Counters with their values; counters of a group are adjacent.
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
    fn groups_are_objects_and_paths_choose() {
        let counters = Counters { barriers: 3, ..Counters::default() };
        let mut text = Vec::new();
        let paths = ["global_load.requests", "global_load.sectors", "barriers"];
        some(&counters, &paths, &mut serde_json::Serializer::new(&mut text)).expect("JSON");
        let json: serde_json::Value = serde_json::from_slice(&text).expect("JSON");
        assert_eq!(json["global_load"].as_object().map(|group| group.len()), Some(2));
        assert_eq!(json["barriers"], 3);
        let mut text = Vec::new();
        all(&counters, &mut serde_json::Serializer::new(&mut text)).expect("JSON");
        let json: serde_json::Value = serde_json::from_slice(&text).expect("JSON");
        assert_eq!(json["shared_copy"]["wavefronts"], 0);
    }
}
