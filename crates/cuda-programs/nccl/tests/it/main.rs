//! Ranks in threads and in processes, and their errors.

#![cfg(target_os = "linux")]

#[macro_use]
mod common;
mod misuse;
mod processes;
mod threads;
