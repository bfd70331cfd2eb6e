//! Results of kernels, compared with the same Rust on the host: operators, conversions, control
//! flow, memory, warps and text, on the emulator and, where there is one, on a GPU.

mod arrays;
mod assertions;
mod casts;
mod closures;
mod control;
mod everyday;
mod floats;
mod host;
mod integers;
mod math;
mod memory;
mod methods;
mod patterns;
mod remedies;
mod structs;
mod text;
mod warps;
