//! Stored results, as JSON.

use serde_json::Value;
use std::path::Path;

/// The JSON of a file; `None` if it cannot be read.
pub fn read_json(path: &Path) -> Option<Value> {
    serde_json::from_str(&std::fs::read_to_string(path).ok()?).ok()
}
