//! CUDA's driver interface on the emulator. This crate is `libcuda.so.1`: a program that finds it before NVIDIA's runs its kernels
//! without a GPU, and `lanework exec` has it checked or profiled without a change.
//!
//! Work is done when it is asked for: a launch or a copy on a stream has happened when the call returns, unless the stream is being
//! captured, or waits for a value that nobody has written yet (`waiting`). What a kernel does wrong is reported when it happens, and then by error codes as on a GPU: the launch succeeds, and the
//! calls after it fail until the context is reset.
//!
//! `api` makes C functions of Rust ones, each in the file of what it is about; `procedures` finds them by name. A name that nothing
//! implements answers `CUDA_ERROR_NOT_SUPPORTED`, and says so where `LANEWORK_TRACE` is set.

#![allow(non_snake_case, reason = "CUDA's names")]
#![allow(
    clippy::missing_safety_doc,
    reason = "CUDA's documentation says what a caller has to keep"
)]

mod addresses;
mod allocations;
mod any_nodes;
mod api;
mod array;
mod arrays;
mod attributes;
mod batches;
mod captures;
mod condition;
mod conditional;
mod contexts;
mod copies;
mod deferred;
mod detached;
mod device_launch;
mod devices;
mod edges;
mod ending;
mod entry;
mod event;
mod events;
mod fatbin;
mod foreign;
mod function;
mod functions;
mod gpu;
mod graph_memory;
mod graphs;
mod green;
mod handles;
mod ipc;
mod jit_options;
mod launch;
mod launch_attributes;
mod launches;
mod libraries;
mod linkable;
mod links;
mod lock;
mod managed;
mod mapped;
mod memory;
mod memory_nodes;
mod memory_ops;
mod module;
mod modules;
mod multicast;
mod node_changes;
mod node_parameters;
mod nodes;
mod nvml;
mod nvml_values;
mod occupancy;
mod older;
mod older_graphs;
mod older_launches;
mod order;
mod pointers;
mod pools;
mod private;
mod procedures;
mod profiler;
mod queue;
mod running;
mod shared;
mod sharing;
mod slabs;
mod start;
mod state;
mod status;
mod stream_queues;
mod streams;
mod tensor_maps;
mod texture_descriptions;
mod texture_reference;
mod texture_references;
mod textures;
mod transfer;
mod unsupported;
mod user_objects;
mod values;
mod virtual_memory;
mod work;
