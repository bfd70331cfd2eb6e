//! One worker: it runs blocks one after the other, the warps of a block by time slices.

mod barriers;
pub mod executor;
mod independent;
mod registers;
mod slices;
mod start;
mod view;
pub mod worker;
