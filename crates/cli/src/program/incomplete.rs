//! Checks of programs that are not complete: what was not checked, and the exit codes that say so.

use crate::program::Ended;
use lanework::emulator::Fault;
use lanework::emulator::FaultKind;

/// The libraries that CUDA programs load were not found, and nothing was launched.
pub const NO_LIBRARIES: u8 = 10;
/// The program launched nothing.
pub const NO_LAUNCH: u8 = 11;
/// A kernel is machine code, which the emulator does not run.
pub const MACHINE_CODE: u8 = 12;
/// A signal or a limit stopped a launch before its end.
pub const STOPPED: u8 = 13;

/// Signals by which a user or a supervisor ends a program: hangup, interrupt, termination.
const ENDING: [i32; 3] = [1, 2, 15];

/// Whether a fault is a limit, or an interruption, and not the kernel's own.
pub fn is_limit(fault: &Fault) -> bool {
    matches!(fault.kind, FaultKind::InstructionLimit | FaultKind::TimeLimit)
}

/// Why the check of a program without findings is not complete, with the exit code.
pub fn reason(program: &Ended) -> Option<(u8, String)> {
    if let Some(signal) = program.signal
        && !ENDING.contains(&signal)
    {
        let launches = program.launches().count();
        let text = format!("the program was ended by signal {signal} after {launches} launches");
        return Some((program.code, text));
    }
    if program.signal.is_some() {
        let launches = program.launches().count();
        let text = match launches {
            0 => "stopped before the first launch".to_owned(),
            number => format!("stopped in launch {number}"),
        };
        return Some((STOPPED, text));
    }
    if let Some(why) = program.unchecked().into_iter().next() {
        return Some((MACHINE_CODE, why));
    }
    // A program that fails says why itself.
    if program.launches().next().is_some() || program.code != 0 {
        return None;
    }
    Some(if crate::program::driver::is_there() {
        (NO_LAUNCH, "the program launched nothing, so nothing was checked".to_owned())
    } else {
        let text = "the program launched nothing, and the libraries that CUDA programs load are not next to this command: build \
                    them in a checkout by `cargo build --release`, and let LANEWORK_DRIVER name its folder `target/release`";
        (NO_LIBRARIES, text.to_owned())
    })
}

/// Whether a program that is meant to check nothing may end so (`--allow-empty`).
pub fn is_empty(code: u8) -> bool {
    matches!(code, NO_LIBRARIES | NO_LAUNCH | MACHINE_CODE)
}
