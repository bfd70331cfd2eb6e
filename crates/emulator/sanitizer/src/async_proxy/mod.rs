//! The asynchronous proxy: `cp.async`, bulk and tensor copies, and the mbarriers that complete them.
//!
//! *Rules* (PTX ISA, "Asynchronous operations" and "Data movement: async copies", proxies): what a copy
//! writes may be touched only after the wait for its group, or for the phase of its mbarrier; what it
//! reads may be changed only after that, and must have been fenced from what threads wrote.
//!
//! *Algorithm.* A copy marks the shadow cells that it writes as in flight. Completing it gives them an
//! epoch of whoever waited (`cp.async`), or of a pseudo-thread of the mbarrier, whose clock is released
//! to those who wait for the phase (`races::proxies`).
//!
//! *Limits.* The emulator does copies when it likes; that memory holds the right bytes early does not
//! show in what is reported. Of the mbarriers of a kernel those beyond the sixteenth share
//! pseudo-threads, which can only hide errors.

pub mod bulk;
pub mod chunks;
pub mod cp_async;
pub mod in_flight;
pub mod mbarrier;
pub mod shadow;
pub mod tensor_memory;
