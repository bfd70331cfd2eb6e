//! The commands, grouped by subject.

pub mod devices;
pub mod doctor;
pub mod exercise;
pub mod explain;
#[cfg(feature = "judge")]
pub mod judge;
/// Commands on one kernel: of a file, of a rung, or of a program.
pub mod kernels {
    pub mod check;
    pub mod debug;
    pub mod exec;
    pub mod inspect;
    pub mod look;
    pub mod predict;
    pub mod profile;
    pub mod run;
}
/// Commands on ladders.
pub mod ladders {
    pub mod climb;
    pub mod list;
    pub mod sweep;
}
#[cfg(feature = "mcp")]
pub mod mcp;
pub mod new;
/// Commands that show stored runs.
pub mod stored {
    #[cfg(feature = "history")]
    pub mod history;
    #[cfg(feature = "report")]
    pub mod report;
}
/// Commands that measure on a GPU.
pub mod timing {
    pub mod bench;
    pub mod compare;
    pub mod roofline;
    pub mod tune;
}
