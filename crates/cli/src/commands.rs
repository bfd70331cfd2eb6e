//! The commands, one file each.

pub mod bench;
pub mod book;
pub mod check;
pub mod climb;
pub mod compare;
pub mod compare_runs;
pub mod conform;
pub mod coverage;
pub mod devices;
pub mod exec;
pub mod exhaustive;
pub mod experiments;
pub mod fidelity;
pub mod gpus;
pub mod hello;
pub mod history;
pub mod inspect;
pub mod kernel;
pub mod list;
pub mod look;
pub mod new;
pub mod profile;
pub mod report;
pub mod run;
pub mod streams;
pub mod sweep;
