//! The stand-in on the emulator's driver, as programs load it.

#![cfg(target_os = "linux")]

#[macro_use]
mod common;
mod blas;
mod factored;
mod symmetric;
