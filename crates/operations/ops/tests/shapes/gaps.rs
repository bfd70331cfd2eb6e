//! Checks that the gaps between the elements of an output are not written.

use bytemuck::Pod;

/// Initial byte of outputs.
pub const POISON: u8 = 0xCD;

/// Checks that every element that is not a result still consists of [`POISON`].
pub fn keep_poison<T: Pod>(buffer: &[T], results: &[bool]) -> Result<(), String> {
    let poisoned = |element: &T| bytemuck::bytes_of(element).iter().all(|byte| *byte == POISON);
    let mut places = buffer.iter().zip(results);
    match places.position(|(element, result)| !result && !poisoned(element)) {
        Some(at) => Err(format!("element {at} of the buffer, in a gap, was overwritten")),
        None => Ok(()),
    }
}

#[test]
fn a_gap_that_was_written_is_found() {
    let mut buffer = [u32::from_ne_bytes([POISON; 4]); 8];
    let results = [true, false, true, false, true, false, true, false];
    buffer[2] = 7;
    assert_eq!(keep_poison(&buffer, &results), Ok(()));
    buffer[5] ^= 1 << 31;
    assert!(keep_poison(&buffer, &results).is_err_and(|why| why.contains("element 5")));
}
