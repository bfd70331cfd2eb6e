//! The compiler of CUDA C++: elementary functions, layouts of classes, messages, and arbitrary input.

mod accesses;
mod device;
mod elementary;
mod layout;
mod library;
mod mistakes;
mod robust;
