//! The compiler of CUDA C++: elementary functions, messages, and arbitrary input.

mod elementary;
mod mistakes;
mod robust;
