//! The least work of a problem: what bandwidths and rates are computed from.

use serde::{Deserialize, Serialize};

/// What any solution of a problem must do at least.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Work {
    /// Bytes of the inputs and the output, each touched once.
    pub bytes: u64,
    /// Arithmetic operations on elements; a fused multiply-add counts as two.
    pub flops: u64,
}
