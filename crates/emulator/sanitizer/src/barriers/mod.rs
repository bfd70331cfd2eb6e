//! What synchronisation demands of lanes: member masks, and shuffles that read from lanes that take part.
//!
//! Divergence and deadlock at barriers come from the engine, which knows who waits, as faults. What
//! barriers order is in `races::barriers`, the exit of a cluster's blocks in `races::peers`.
//!
//! *Rules* (PTX ISA, `bar.warp.sync`, `shfl.sync`, `vote.sync`): a member mask must name whoever executes
//! the instruction, and only lanes that execute it or have ended; a shuffle may read from members that
//! execute it. *Limit*: whether the named lanes come later is known for those that the warp waited for.

pub mod lanes;
