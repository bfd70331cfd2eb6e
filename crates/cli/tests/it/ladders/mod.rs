//! Commands on ladders and their rungs.

mod command;
mod timing;
mod tune;
