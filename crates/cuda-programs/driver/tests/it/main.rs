//! The driver as programs see it: functions found by name, called with C's types.
//!
//! Tests that depend on what else the process does (fork, kernels that poll, a first call, environment variables) run in a process of their
//! own: see [`common::is_alone`].

#[macro_use]
#[path = "../common/mod.rs"]
mod common;

mod basics;
mod broken_stderr;
mod child_graphs;
mod device_launch;
mod end_of_threads;
mod endless_waits;
mod freed_memory;
mod graph_memory;
mod green_contexts;
mod images;
mod instantiate;
mod links;
mod loaded_again;
mod machine_code;
mod managed;
mod memory_words;
mod misuse;
mod named_gpu;
mod newer_forms;
mod nvml;
mod polling_kernels;
mod processes;
mod regressions;
mod virtual_memory;
mod without_context;
