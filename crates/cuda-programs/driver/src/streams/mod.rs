//! Streams and events: the order of work, what waits, and what is captured instead of done.

pub mod calls;
pub mod captures;
pub mod deferred;
pub mod detached;
pub mod event;
pub mod events;
pub mod key;
pub mod memory_ops;
pub mod stream;
pub mod stream_queues;
pub mod tracked;
pub mod values;
pub mod waiting;
