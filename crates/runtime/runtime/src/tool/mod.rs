//! Tools over a program's own launches: `LANEWORK_TOOL=check` or `profile`, or the command `lanework exec`.
//!
//! A program that launches through this library needs no change. With a tool, every device is the emulator, including
//! the device that [`crate::Device::cuda`] returns, and every launch is checked, counted or traced as it runs. Without
//! the command, a process prints the report when it ends, and exits with code 1 if there are findings. Under the
//! command, each process writes records to a folder as they happen ([`Record`]), which the command reads and merges, so
//! the records of a killed process are not lost.
//!
//! | variable | is |
//! | --- | --- |
//! | `LANEWORK_TOOL` | `check`, `profile`; with a folder also `trace`, `inspect`, `look`, `predict` |
//! | `LANEWORK_TOOL_FOLDER` | where records are written, in place of a report at the end |
//! | `LANEWORK_TOOL_LEAKS` | 1: memory that is still allocated at the end is a finding, too |
//! | `LANEWORK_TOOL_PREDICT` | for `predict`: the GPU and the protocol, by a tab |
//! | `LANEWORK_TOOL_LOOK` | for `look`: kernel, launch, line (0 for the costliest), block and warp, by tabs |

mod codec;
mod files;
mod footprints;
mod launched;
mod launching;
mod own_report;
mod record;
mod session;

#[doc(hidden)]
pub use files::{Reader, read};
pub(crate) use footprints::check;
#[doc(hidden)]
pub use footprints::{allocation, checks, collect, hand_on, keep_findings, take_ended, unchecked};
pub(crate) use launching::Launching;
#[doc(hidden)]
pub use launching::{describe_memory, set_machine};
#[doc(hidden)]
pub use own_report::{Profiles, names};
#[doc(hidden)]
pub use record::{Activity, Findings, Launched, Picture, Predicted, Process, Profiled, Record};
pub(crate) use session::Session;
