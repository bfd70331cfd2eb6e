//! What lanes of a warp bring to an instruction that they execute at several places; see [`crate::converge`].

/// What the lanes of all splits that met bring to an instruction.
#[derive(Clone, Debug, Default)]
pub struct Exchange {
    /// The lanes.
    pub lanes: u32,
    /// Whether this split is the first of them to go on.
    pub leads: bool,
    /// The value of each.
    pub values: [u64; 32],
}
