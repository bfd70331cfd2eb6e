//! Streams and events: ordering, deferred work, and capture.

pub mod captures;
pub mod deferred;
pub mod detached;
pub mod events;
pub mod memory_ops;
pub mod stream;
pub mod tracked;
pub mod waiting;
