//! Results of kernels, compared with the same Rust on the host: operators, conversions, control
//! flow, memory, warps and text, on the emulator and on a GPU if there is one.

#![deny(unused_variables, unused_mut, unused_assignments, unused_labels)]
#![allow(
    clippy::manual_is_multiple_of,
    clippy::redundant_closure_call,
    clippy::never_loop,
    clippy::manual_clamp,
    clippy::assign_op_pattern,
    clippy::needless_late_init,
    clippy::needless_return,
    reason = "each form that people may write is tested, the better one or not"
)]

mod arrays;
mod assertions;
mod casts;
mod closures;
mod constants;
mod control;
mod everyday;
mod floats;
mod fragments;
mod host;
mod integers;
mod iterators;
mod judged;
mod math;
mod memory;
mod methods;
mod options;
mod overflow;
mod patterns;
mod recursion;
mod remedies;
mod shorthand;
mod structs;
mod text;
mod values;
mod warps;
