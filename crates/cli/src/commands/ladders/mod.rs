//! Commands on ladders.

pub mod climb;
pub mod list;
pub mod several;
pub mod sweep;
