//! One worker: it runs blocks one after the other, the warps of a block in turn.

mod apart;
mod barriers;
mod registers;
mod slices;
mod start;
pub mod team;
mod view;
pub mod worker;
