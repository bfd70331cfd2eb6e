//! One worker: runs blocks one after another, and the warps of a block by time slices. Blocks that wait for others
//! keep their residency slots.

pub(crate) mod arrival;
pub(crate) mod barriers;
pub(crate) mod executor;
pub(crate) mod independent;
pub(crate) mod registers;
pub(crate) mod residents;
pub(crate) mod slices;
pub(crate) mod start;
pub(crate) mod view;
pub(crate) mod worker;
