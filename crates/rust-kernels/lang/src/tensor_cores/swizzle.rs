//! Where the bytes of a tile in shared memory lie: panels of rows of 32, 64 or 128 bytes whose 16-byte
//! chunks are permuted so that eight rows of one column lie in different banks (PTX manual, "Swizzling
//! modes"), or core matrices without a permutation.

use super::words::{add, and, constant, mul, shr, xor};
use crate::builder::Builder;
use crate::value::Value;
use lanework_ptx::Swizzle;

/// How the rows of a tile lie in shared memory.
///
/// ```
/// use lanework::lang::tensor_cores::SwizzleMode;
/// use lanework::prelude::*;
///
/// /// The tiles of a matrix, as a tensor map copies them for a `SharedTile` of swizzle `S`.
/// fn tiles<S: SwizzleMode>(rows: usize, columns: usize) -> Tiles<2> {
///     Tiles::new([rows, columns], [64, S::BYTES / 2]).swizzle(S::SWIZZLE)
/// }
///
/// assert_eq!(tiles::<Swizzle64>(100, 200), Tiles::new([100, 200], [64, 32]).swizzle(Swizzle::B64));
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a swizzle",
    note = "swizzles are Swizzle128, Swizzle64, Swizzle32 and NoSwizzle"
)]
pub trait SwizzleMode: Copy + Send + Sync + 'static {
    /// Bytes of a row of a panel; 16 without a swizzle.
    const BYTES: u32;
    /// The same for a tensor map: `Tiles::new(shape, tile).swizzle(Swizzle128::SWIZZLE)`.
    const SWIZZLE: Swizzle;
    /// What the descriptor's bits 62 and 63 say.
    #[doc(hidden)]
    const MODE: u64;
}

macro_rules! modes {
    ($($(#[$doc:meta])* $name:ident $swizzle:ident $bytes:literal $mode:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $name;

        impl SwizzleMode for $name {
            const BYTES: u32 = $bytes;
            const SWIZZLE: Swizzle = Swizzle::$swizzle;
            const MODE: u64 = $mode;
        }
    )*};
}

modes! {
    /// Rows of 128 bytes; a row's eight chunks are permuted by its number modulo 8.
    Swizzle128 B128 128 1;
    /// Rows of 64 bytes; four chunks, permuted by half the row's number modulo 4.
    Swizzle64 B64 64 2;
    /// Rows of 32 bytes; two chunks, exchanged in every second four rows.
    Swizzle32 B32 32 3;
    /// Columns of 16-byte chunks; eight chunks one below the other are a core matrix.
    NoSwizzle None 16 0;
}

/// Bytes after which a pattern repeats: what a tile's address is a multiple of.
pub(crate) fn period(bytes: u32) -> u32 {
    if bytes == 16 { 128 } else { 8 * bytes }
}

/// The offset in a tile of the byte `column` of row `row`. `width` is the swizzle's bytes, `panel` the
/// bytes from one panel to the next.
pub(crate) fn offset(b: &mut Builder, width: u32, panel: u32, row: Value, column: Value) -> Value {
    let which = shr(b, column, width.trailing_zeros());
    let panels = mul(b, which, panel);
    let within = and(b, column, width - 1);
    let line = mul(b, row, width);
    // Bits 7 and up of the address are xored into bits 4 and up.
    let pattern = shr(b, line, 3);
    let pattern = and(b, pattern, (width - 1) & !15);
    let within = xor(b, within, pattern);
    let line = add(b, line, within);
    add(b, panels, line)
}

/// [`offset`] of numbers.
pub(crate) fn offset_of(width: u32, panel: u32, row: u32, column: u32) -> u32 {
    let mut scratch = Builder::new(false);
    match offset(&mut scratch, width, panel, constant(row), constant(column)) {
        Value::Constant(bits) => bits as u32,
        _ => unreachable!("constants fold"),
    }
}

#[cfg(test)]
mod tests {
    use super::offset_of;
    use std::collections::HashSet;

    #[test]
    fn chunks_are_permuted_within_their_panel() {
        // Row 3's chunk 1 lies in place of chunk 1 ^ 3; column 64 of 16-bit elements starts a panel.
        assert_eq!(offset_of(128, 8192, 3, 16), 3 * 128 + 2 * 16);
        assert_eq!(offset_of(128, 8192, 3, 128 + 16), 8192 + 3 * 128 + 2 * 16);
        assert_eq!(offset_of(64, 4096, 2, 0), 2 * 64 + 16);
        assert_eq!(offset_of(32, 2048, 4, 0), 4 * 32 + 16);
        assert_eq!(offset_of(16, 1024, 5, 16), 1024 + 5 * 16);
    }

    #[test]
    fn no_two_bytes_share_a_place() {
        for width in [16, 32, 64, 128] {
            let (rows, columns) = (16, 256);
            let all: HashSet<u32> = (0..rows * columns)
                .map(|at| offset_of(width, rows * width, at / columns, at % columns))
                .collect();
            assert_eq!(all.len() as u32, rows * columns);
            assert!(all.iter().all(|at| *at < rows * columns));
        }
    }
}
