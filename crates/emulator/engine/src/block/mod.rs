//! One worker: it runs blocks one after the other, the warps of a block by time slices. Blocks that wait for others
//! keep their seats meanwhile.

mod arrival;
mod barriers;
pub mod executor;
mod independent;
mod registers;
pub mod residents;
mod slices;
mod start;
mod view;
pub mod worker;
