//! The integration tests of the emulator.

mod arithmetic;
mod common;
mod hopper;
mod matrices;
mod programs;
mod tensor_memory;
mod textures;
mod verdicts;
mod warps;
