//! A time-travel debugger for kernels on the emulator. It records one launch, then moves forward or backward to any
//! instruction of any warp. It also answers which thread wrote a byte and when a thread left.
//!
//! - [`timeline`] records a launch and replays it to any step.
//! - [`code`] maps instructions to source lines, functions and calls.
//! - [`data`] has types, names and expressions.
//! - [`session`] moves between steps: breakpoints, stepping, history.
//! - [`launches`] lists the launches of a program.
//! - [`commands`] does the same by text commands, for scripts and consoles.
//! - [`adapter`] serves a session to editors.
//!
//! The crate prints nothing and reads no files.

pub mod adapter;
pub mod code;
pub mod commands;
pub mod data;
pub mod launches;
pub mod session;
pub mod timeline;
