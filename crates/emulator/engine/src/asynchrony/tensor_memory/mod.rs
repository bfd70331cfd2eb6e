//! Tensor memory and the fifth generation of tensor cores (`tcgen05`; PTX manual, "TensorCore 5th Generation
//! Family Instructions"). Nothing here was compared with a GPU: sums are formed as an H200's tensor cores do, and
//! what the manual shows in figures alone is as CuTe's layouts say.
//!
//! Allocation, loads and stores are done when they are issued. Products, copies and shifts, and the arrivals of
//! `commit`, wait in a queue: they are done in the order in which they were issued, at the end of the scheduler
//! pass, as bulk copies are. A kernel that reads what it has not waited for thus finds what was there before.

mod access;
mod address;
mod allocation;
mod commit;
mod descriptor;
mod element;
pub mod handler;
mod instruction_descriptor;
mod issue;
mod layout;
pub mod memory;
mod move_rows;
mod multiply;
mod operands;
mod pair;
pub mod perform;
mod place;
pub mod queue;
mod sparse;
mod start_move;
mod start_product;
mod tasks;
