//! Counters by their names: `warp_instructions`, `global_load.sectors`.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// Counters by name. In JSON, each group is a nested object.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(from = "Value")]
pub struct Counters(BTreeMap<String, u64>);

impl From<Value> for Counters {
    fn from(value: Value) -> Self {
        let mut flat = BTreeMap::new();
        for (name, value) in value.as_object().into_iter().flatten() {
            match value.as_object() {
                Some(group) => {
                    for (key, value) in group {
                        flat.insert(format!("{name}.{key}"), value.as_u64().unwrap_or(0));
                    }
                }
                None => {
                    flat.insert(name.clone(), value.as_u64().unwrap_or(0));
                }
            }
        }
        Counters(flat)
    }
}

/// Kinds of accesses with sectors in global or local memory.
const SECTORS: [&str; 8] = [
    "global_load",
    "global_store",
    "global_atomic",
    "local_load",
    "local_store",
    "bulk_load",
    "bulk_store",
    "bulk_reduce",
];
/// Kinds of accesses to shared memory.
const SHARED: [&str; 4] = ["shared_load", "shared_store", "shared_atomic", "shared_copy"];

impl Counters {
    /// The value of a counter; 0 if absent.
    pub fn get(&self, name: &str) -> u64 {
        self.0.get(name).copied().unwrap_or(0)
    }

    /// Every nonzero counter.
    pub fn each(&self) -> impl Iterator<Item = (&str, u64)> {
        self.0.iter().filter(|(_, value)| **value > 0).map(|(name, value)| (name.as_str(), *value))
    }

    /// Whether the optimal number of sectors is known.
    pub fn knows_ideals(&self) -> bool {
        self.0.contains_key("global_load.ideal_sectors")
    }

    fn sum(&self, groups: &[&str], key: &str) -> u64 {
        groups.iter().map(|group| self.get(&format!("{group}.{key}"))).sum()
    }

    /// Sectors of global and local memory.
    pub fn sectors(&self) -> u64 {
        self.sum(&SECTORS, "sectors")
    }

    /// The fewest sectors that hold the same bytes.
    pub fn ideal_sectors(&self) -> u64 {
        self.sum(&SECTORS, "ideal_sectors").min(self.sectors())
    }

    /// Passes through the banks of shared memory.
    pub fn wavefronts(&self) -> u64 {
        self.sum(&SHARED, "wavefronts")
    }

    /// The wavefronts caused by bank conflicts.
    pub fn conflicts(&self) -> u64 {
        self.sum(&SHARED, "bank_conflicts").min(self.wavefronts())
    }

    /// Average number of active lanes per warp instruction.
    pub fn active_lanes(&self) -> Option<f64> {
        let warps = self.get("warp_instructions");
        (warps > 0).then(|| self.get("lane_instructions") as f64 / warps as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_flattened_and_summed() {
        let json = r#"{"warp_instructions": 4, "lane_instructions": 64,
            "global_load": {"sectors": 32, "ideal_sectors": 4}, "global_store": {"sectors": 4, "ideal_sectors": 4},
            "shared_load": {"wavefronts": 32, "bank_conflicts": 31}}"#;
        let counters: Counters = serde_json::from_str(json).expect("counters");
        assert_eq!((counters.sectors(), counters.ideal_sectors()), (36, 8));
        assert_eq!((counters.wavefronts(), counters.conflicts()), (32, 31));
        assert_eq!(counters.active_lanes(), Some(16.0));
        let again = serde_json::to_string(&counters).expect("JSON");
        assert_eq!(serde_json::from_str::<Counters>(&again).expect("flat"), counters);
    }
}
