//! Predicts the time of a kernel on a GPU without one, with an interval and the lost cycles of each source line.
//!
//! | module | contents |
//! | --- | --- |
//! | [`trace`] | a few blocks of the launch run on the emulator; their instructions and traffic are recorded |
//! | [`lower`] | a model of ptxas: the machine operations of the PTX instructions, and their order |
//! | [`sm`] | the simulation of one multiprocessor: schedulers, scoreboards, pipes, L1, barriers |
//! | [`chip`] | occupancy, waves, footprints in the L2, memory bandwidth, launch overhead |
//! | [`machine`] | the description of each GPU, with a source per value |
//! | [`sass`] | machine code, where it is at hand |
//! | [`predict`] | the result of all parts: the time, its interval and its explanation |

pub mod chip;
mod clock;
pub mod limits;
pub mod lower;
pub mod machine;
mod numbers;
pub mod predict;
pub mod sass;
pub mod sm;
pub mod trace;
