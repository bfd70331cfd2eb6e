//! Barriers and fences.

use crate::builder::{here, with};
use lanework_ptx::Operand;

/// Waits until every thread of the block has come here; their memory accesses before are visible
/// to all after (`bar.sync 0`).
#[track_caller]
pub fn sync_threads() {
    here();
    with(|b| b.emit("bar.sync", vec![Operand::integer(0)]));
}
