//! The stand-in on the emulator's driver, as programs load it, and compared with NVIDIA's.

#![cfg(target_os = "linux")]

#[macro_use]
mod common;
mod device;
mod nvidia;
