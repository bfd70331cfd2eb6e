//! Collectives and divided operations, on several emulated devices and in several processes.

mod collectives;
mod processes;
mod product;
mod total;
