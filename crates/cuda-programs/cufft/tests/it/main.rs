//! The stand-in on the emulator's driver, as programs load it.

#![cfg(target_os = "linux")]

#[macro_use]
mod common;
#[path = "common/naive.rs"]
mod naive;
mod device;
mod program;
mod shapes;
