//! Streams and events: the order of work, what waits, and what is captured instead of done.

pub mod captures;
pub mod deferred;
pub mod detached;
pub mod events;
pub mod memory_ops;
pub mod stream;
pub mod tracked;
pub mod waiting;
