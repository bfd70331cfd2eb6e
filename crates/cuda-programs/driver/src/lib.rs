//! CUDA's driver API on the emulator. This crate is `libcuda.so.1`. A program that finds this library before NVIDIA's
//! runs its kernels without a GPU; `lanework exec` uses it to check or profile an unmodified program.
//!
//! Work runs at enqueue: a launch or copy is complete when the call returns. Three kinds of work run later: captured
//! work becomes graph nodes (`streams::captures`), work queued behind an unfinished `cuStreamWaitValue` runs when the
//! value is written (`streams::deferred`), and kernels that poll memory run in their own thread (`streams::detached`).
//! A kernel's fault is reported immediately. The program then sees the error codes of a GPU: the launch succeeds, and
//! later calls fail until the context is reset.
//!
//! | folder | holds |
//! | --- | --- |
//! | `interface` | function lookup by name, NVIDIA's private tables, older names, failing calls as findings |
//! | `devices` | emulated GPUs, contexts, green contexts |
//! | `modules` | modules, libraries, linking, image formats, functions |
//! | `launches` | kernel launches, attributes, device launch, occupancy |
//! | `memory` | allocations, copies, managed memory, pools, virtual memory, IPC |
//! | `streams` | streams, events, capture, waits for values, deferred and detached work |
//! | `ordering` | happens-before between stream operations, and races between them, when a tool checks |
//! | `graphs` | graphs: work, nodes, edges, conditions, updates |
//! | `textures` | arrays, textures, surfaces, texture references, tensor maps |
//! | `nvml` | `libnvidia-ml.so.1`, which is this library under another name |
//!
//! All of them use `api` (exporting C functions), `pointers` (arguments that C passes by pointer), `handles` (object
//! lookup), `state` (global state) and `status` (error codes). Unimplemented functions return
//! `CUDA_ERROR_NOT_SUPPORTED`, and are named if `LANEWORK_TRACE` is set.
//!
//! ABI: every struct that crosses the API has its size, alignment and offsets checked at compile time (`pointers::abi!`).

#![allow(non_snake_case, reason = "CUDA's names")]
#![allow(
    clippy::missing_safety_doc,
    reason = "CUDA's documentation says what a caller has to keep"
)]

extern crate lanework_runtime as lanework;

mod api;
mod devices;
mod graphs;
mod interface;
mod launches;
mod memory;
mod modules;
mod nvml;
mod ordering;
mod pointers;
mod state;
mod status;
mod streams;
mod textures;

pub use interface::call_sites::set_host_calls;
pub use interface::memory_names::{describe_host_objects, name_runtime_calls};
pub use ordering::guarded_pages::is_guarded;
pub use ordering::host_access::guards_any;
pub use streams::function_memory::{
    host_function_conflict, host_function_ended, host_function_has_ended, host_function_used,
    records_host_functions,
};
