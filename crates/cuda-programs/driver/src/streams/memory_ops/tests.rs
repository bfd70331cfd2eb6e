//! Conditions, parameters and refusals of operations on words.

use crate::pointers::*;
use crate::streams::memory_ops::*;

#[test]
fn conditions_are_of_the_words_bits() {
    use WaitCondition::{AnyOf, Equal, NoneOf, NotBefore};
    for (condition, found, value, of_32, of_64) in [
        (NotBefore, 5, 5, true, true),
        (NotBefore, 4, 5, false, false),
        (NotBefore, 6, 5, true, true),
        // With 32-bit wraparound, 2 comes after 2^32 - 2.
        (NotBefore, 2, 0xffff_fffe, true, false),
        (NotBefore, 0xffff_fffe, 2, false, true),
        (NotBefore, 1, u64::MAX, true, true),
        (Equal, 7, 7, true, true),
        (Equal, 7, 6, false, false),
        (Equal, 7, 0x1_0000_0007, true, false),
        (AnyOf, 0b1100, 0b0100, true, true),
        (AnyOf, 0b1000, 0b0100, false, false),
        (AnyOf, 1 << 40, 1 << 40, false, true),
        (NoneOf, 0, 0, true, true),
        (NoneOf, 0xffff_0000, 0x0000_ffff, false, true),
        (NoneOf, u64::MAX, 0, false, false),
        (NoneOf, 0xffff_0000, 0x0000_fffe, true, true),
    ] {
        assert_eq!(condition.holds(found, value, 4), of_32, "{condition:?} {found:#x} {value:#x}");
        assert_eq!(condition.holds(found, value, 8), of_64, "{condition:?} {found:#x} {value:#x}");
    }
}

#[test]
fn memory_operation_parameters_round_trip() {
    assert_eq!(size_of::<MemOpParameters>(), 48);
    let ops = [
        MemoryOp::wait(0x1004, 4, 9, 3),
        MemoryOp::wait(0x1008, 8, 1 << 40, 0),
        MemoryOp::write(0x1004, 4, 9, 0),
        MemoryOp::write(0x1008, 8, 1 << 40, 0),
        Ok(MemoryOp::Barrier(1)),
    ]
    .map(|op| op.expect("valid"));
    let shown = words(&ops);
    assert_eq!(shown.len(), 6 * ops.len());
    // SAFETY: `shown` has six eight-byte words per operation and outlives the call.
    let again = unsafe { read(ops.len() as u32, In::new(shown.as_ptr().cast()), 0) };
    assert_eq!(again, Ok(ops.to_vec()));
}

#[test]
fn impossible_memory_operations_are_refused() {
    assert_eq!(MemoryOp::wait(0x1002, 4, 0, 0), Err(Status::InvalidValue));
    assert_eq!(MemoryOp::wait(0x1004, 8, 0, 0), Err(Status::InvalidValue));
    assert_eq!(MemoryOp::wait(0x1000, 4, 0, 4), Err(Status::InvalidValue));
    assert_eq!(MemoryOp::wait(0x1000, 4, 0, FLUSH), Err(Status::NotSupported));
    assert_eq!(MemoryOp::write(0, 4, 0, 0), Err(Status::InvalidValue));
    assert_eq!(MemoryOp::write(0x1000, 4, 0, 1), Err(Status::InvalidValue));
    assert_eq!(MemoryOp::write(0x1000, 4, 0, 2), Err(Status::InvalidValue));
    assert_eq!(read(1, In::NULL, 0), Err(Status::InvalidValue));
}
