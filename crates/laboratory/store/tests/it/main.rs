//! The store: its files, its history, and several processes that write to it.

mod common;
mod files;
mod history;
mod processes;
