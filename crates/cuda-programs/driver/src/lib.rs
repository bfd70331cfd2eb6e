//! CUDA's driver interface on the emulator. This crate is `libcuda.so.1`: a program that finds it before NVIDIA's runs its kernels
//! without a GPU, and `lanework exec` has it checked or profiled without a change.
//!
//! Work is done when it is queued: a launch or a copy on a stream has happened when the call returns. Three kinds of work happen
//! later: what a capture makes a node of a graph (`streams::captures`), what stands behind a wait for a value that is not written
//! yet (`streams::deferred`), and a kernel that polls what others write (`streams::detached`). A kernel's fault is reported when it
//! happens, and then by error codes as on a GPU: the launch succeeds, and the calls after it fail until the context is reset.
//!
//! | folder | holds |
//! | --- | --- |
//! | `interface` | how a program finds the functions: by name, in NVIDIA's private tables, under their earlier names |
//! | `devices` | the emulated GPUs, contexts, parts of a GPU (green contexts), and what ends with a context |
//! | `modules` | code: modules, libraries, linking, the images that they are loaded from, and the functions in them |
//! | `launches` | launches and their attributes, running them on the emulator, occupancy |
//! | `memory` | allocations, copies, managed memory, pools, virtual memory, memory that processes share |
//! | `streams` | streams, events, captures, waits for values, and work that is deferred or runs in a thread of its own |
//! | `ordering` | what orders the operations of streams, and which of them race, under a tool that checks |
//! | `graphs` | work (`graphs::work`), and graphs of it: nodes, edges, conditions, changes |
//! | `textures` | arrays, textures, surfaces, texture references, tensor maps |
//! | `nvml` | `libnvidia-ml.so.1`, which is this library under another name |
//!
//! In a folder `calls` holds the functions of its main object. A file named in the singular is an object as the driver keeps it
//! (`streams/event.rs`), one in the plural the functions that programs call on it (`streams/events.rs`).
//!
//! What all use: `api` makes C functions of Rust ones, `pointers` reads and writes what C passes by pointer, `handles` looks objects
//! up, `state` holds them all, `status` the codes. A name that nothing implements answers `CUDA_ERROR_NOT_SUPPORTED`, and says so
//! where `LANEWORK_TRACE` is set.

#![allow(non_snake_case, reason = "CUDA's names")]
#![allow(
    clippy::missing_safety_doc,
    reason = "CUDA's documentation says what a caller has to keep"
)]

extern crate lanework_runtime as lanework;

mod api;
mod devices;
mod graphs;
mod handles;
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
