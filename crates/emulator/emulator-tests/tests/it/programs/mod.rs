//! Modules, kernels, memory, faults and observers.

mod declarations;
mod faults;
mod host_memory;
mod kernels;
mod modules;
mod observers;
mod recursion;
mod reductions;
