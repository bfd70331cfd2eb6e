//! The compiler of CUDA C++: elementary functions, layouts of classes, messages, and arbitrary input.

mod device;
mod elementary;
mod layout;
mod mistakes;
mod robust;
