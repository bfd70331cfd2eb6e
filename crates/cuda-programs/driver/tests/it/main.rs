//! The driver as programs use it: functions found by name, called with C's types.
//!
//! Tests that depend on the state of the process (fork, polling kernels, a first call, environment variables) run in their own process:
//! [`common::is_alone`].

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
mod recorded_calls;
mod regressions;
mod virtual_memory;
mod without_context;
