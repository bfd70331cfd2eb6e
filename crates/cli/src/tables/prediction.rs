//! Predicted times as text.

use lanework_terminal::output::duration;
use serde_json::Value;

/// One line: the kernel, its predicted time with the interval, and the limit.
pub fn line(kernel: &str, found: &Value) -> String {
    let ns = |value: &Value| duration(value.as_f64().unwrap_or_default());
    format!(
        "{kernel}: predicted {} ({} to {}) on {}, limited by {}\n",
        ns(&found["predicted_ns"]),
        ns(&found["interval_ns"][0]),
        ns(&found["interval_ns"][1]),
        found["gpu"].as_str().unwrap_or_default(),
        found["limiter"].as_str().unwrap_or_default(),
    )
}
