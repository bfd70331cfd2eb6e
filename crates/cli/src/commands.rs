//! The commands, one file each.

pub mod bench;
pub mod check;
pub mod climb;
pub mod compare;
pub mod devices;
pub mod exec;
pub mod gpus;
pub mod hello;
#[cfg(feature = "history")]
pub mod history;
pub mod inspect;
#[cfg(feature = "judge")]
pub mod judge;
pub mod kernel;
pub mod list;
pub mod look;
pub mod new;
pub mod profile;
#[cfg(feature = "report")]
pub mod report;
pub mod roofline;
pub mod run;
pub mod several;
pub mod streams;
pub mod sweep;
pub mod tune;
