//! Clocks.

use crate::current::{here, with};
use crate::memory::IndexValue;
use crate::var::Var;
use lanework_ptx::{Operand, ScalarType};

/// The multiprocessor's cycle counter, 32 bits, wrapping (`%clock`).
#[track_caller]
pub fn clock() -> Var<u32> {
    here();
    Var::new(with(|b| b.emit_to("mov.u32", ScalarType::U32, vec![Operand::from("%clock")])))
}

/// The multiprocessor's cycle counter (`%clock64`).
#[track_caller]
pub fn clock64() -> Var<u64> {
    here();
    Var::new(with(|b| b.emit_to("mov.u64", ScalarType::U64, vec![Operand::from("%clock64")])))
}

/// The device's wall clock in nanoseconds, in steps of about a microsecond (`%globaltimer`).
#[track_caller]
pub fn globaltimer() -> Var<u64> {
    here();
    Var::new(with(|b| b.emit_to("mov.u64", ScalarType::U64, vec![Operand::from("%globaltimer")])))
}

/// Sleeps for about `nanoseconds`, at most a millisecond (`nanosleep.u32`, from sm_70).
#[track_caller]
pub fn nanosleep(nanoseconds: impl IndexValue) {
    here();
    with(|b| {
        let operands = vec![b.operand(nanoseconds.parts().value, ScalarType::U32)];
        b.emit("nanosleep.u32", operands);
    });
}
