//! Where allocations may lie, and where they may not.

use lanework_ptx_ir::memory_layout::{PARAMETER_WINDOW, SHARED_WINDOW, WINDOW};

/// Addresses are multiples of this, and at least as many bytes lie between two allocations.
pub const GRAIN: u64 = 256;
/// An allocation of this size or more has pages of its own, which the host may map anew (to share them with another process).
pub const PAGE: u64 = 4096;

/// Where the addresses of a device come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Addresses {
    /// They are counted up, and never reused.
    Own,
    /// They are the host's: everything lies where it lies there.
    Host,
}

/// Whether some of the bytes lie where generic addresses mean shared memory, local memory or
/// parameters.
pub fn in_windows(address: u64, bytes: u64) -> bool {
    address < PARAMETER_WINDOW + WINDOW && address.saturating_add(bytes) > SHARED_WINDOW
}
