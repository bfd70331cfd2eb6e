//! Memory: allocations, copies, managed memory, pools, virtual memory, and IPC.

pub mod addresses;
pub mod allocations;
pub mod batches;
pub mod copies;
pub mod ipc;
pub mod managed;
pub mod mapped;
pub mod pools;
pub mod shared_pages;
pub mod transfer;
pub mod virtual_memory;
