//! An interpreter of the host code of CUDA programs: the SSA form that the front end makes of
//! `main` and the functions that it uses. It runs one thread and checks every memory access.
//!
//! `assemble` turns SSA form into `code` for registers, which `interpret` runs. `memory` has the checks, `process` the
//! state of a running program, `program` its start and end, and `library` the functions of the C library that programs
//! call. The caller adds the functions of the CUDA driver.

mod assemble;
mod code;
mod direct;
mod half;
mod interpret;
mod library;
mod library_state;
mod memory;
#[cfg(all(feature = "native", unix, target_arch = "x86_64"))]
mod native;
#[cfg(not(all(feature = "native", unix, target_arch = "x86_64")))]
mod native {
    //! This build or this host has no machine code.

    use crate::process::MachineCode;

    /// None: the interpreter runs everything.
    pub fn machine_code() -> Option<Box<dyn MachineCode>> {
        None
    }
}
mod process;
mod program;

pub use memory::{BadAccess, HostMemory, UsedMemory};
pub use process::{
    External, FunctionWatch, HostExecution, HostFault, HostPlace, HostWatch, Process, Stop, word,
};
