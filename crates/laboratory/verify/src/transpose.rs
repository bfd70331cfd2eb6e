//! Comparing a transpose with the host's, bit for bit.

use lanework::Element;
use std::fmt;

/// Differences between a result and the host's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// Elements that differ.
    pub count: u64,
    /// Elements in all.
    pub of: u64,
    /// The first few: row and column of the result, its bits in hex, and the bits expected.
    pub first: Vec<(usize, usize, String, String)>,
}

/// The most differing elements in a message.
const SHOWN: usize = 5;

/// Compares `dst`, `cols` x `rows`, with the transpose of `src`, `rows` x `cols`, bit for bit.
///
/// # Errors
/// If elements differ: their number, and the first of them.
pub fn compare_transpose<E: Element>(
    src: &[E],
    dst: &[E],
    rows: usize,
    cols: usize,
) -> Result<(), Mismatch> {
    /// Edge of the patches: small enough to keep both matrices' lines in cache.
    const PATCH: usize = 64;
    let mut mismatch = Mismatch { count: 0, of: (rows * cols) as u64, first: Vec::new() };
    for top in (0..cols).step_by(PATCH) {
        for left in (0..rows).step_by(PATCH) {
            for x in top..(top + PATCH).min(cols) {
                for y in left..(left + PATCH).min(rows) {
                    let (got, want) = (&dst[x * rows + y], &src[y * cols + x]);
                    if bytemuck::bytes_of(got) != bytemuck::bytes_of(want) {
                        mismatch.count += 1;
                        if mismatch.first.len() < SHOWN {
                            mismatch.first.push((x, y, hex(got), hex(want)));
                        }
                    }
                }
            }
        }
    }
    if mismatch.count == 0 { Ok(()) } else { Err(mismatch) }
}

/// The bits of an element, most significant byte first.
fn hex<E: Element>(element: &E) -> String {
    let bytes = bytemuck::bytes_of(element);
    bytes.iter().rev().fold("0x".to_owned(), |text, byte| format!("{text}{byte:02x}"))
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {} elements differ", self.count, self.of)?;
        for (row, col, got, want) in &self.first {
            write!(f, "; [{row}][{col}] is {got}, should be {want}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_transpose_passes_and_anything_else_does_not() {
        let src = [1u16, 2, 3, 4, 5, 6];
        assert_eq!(compare_transpose(&src, &[1, 4, 2, 5, 3, 6], 2, 3), Ok(()));
        let mismatch = compare_transpose(&src, &src, 2, 3).expect_err("not transposed");
        assert_eq!(mismatch.count, 4);
        assert_eq!(mismatch.first[0], (0, 1, "0x0002".to_owned(), "0x0004".to_owned()));
    }

    #[test]
    fn equal_values_with_other_bits_differ_and_equal_nans_do_not() {
        assert!(compare_transpose(&[0.0f32], &[-0.0], 1, 1).is_err());
        assert!(compare_transpose(&[f32::NAN], &[f32::NAN], 1, 1).is_ok());
    }
}
