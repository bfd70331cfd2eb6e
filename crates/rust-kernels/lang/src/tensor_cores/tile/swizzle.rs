//! Location and layout of a tile in shared memory: panels of rows of 32, 64 or 128 bytes whose 16-byte
//! chunks are permuted so that eight rows of one column are in different banks (PTX manual, "Swizzling
//! modes"), or core matrices without a permutation.

use crate::data::place::{Base, Place, Space};
use crate::emit::builder::Builder;
use crate::emit::value::Value;
use crate::memory::shared::dynamic_bytes;
use crate::tensor_cores::layout::{add, and, constant, mul, shr, xor};
use lanework_ptx::{ScalarType, StateSpace, Swizzle, Variable};

/// The layout of a tile's rows in shared memory.
///
/// ```
/// use lanework::lang::tensor_cores::SwizzleMode;
/// use lanework::prelude::*;
///
/// /// The tiles of a matrix, for a tensor map that fills a `SharedTile` of swizzle `S`.
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
    /// Bytes of a panel's row; 16 without a swizzle.
    const BYTES: u32;
    /// The swizzle of a tensor map: `Tiles::new(shape, tile).swizzle(Swizzle128::SWIZZLE)`.
    const SWIZZLE: Swizzle;
    /// Bits 62 and 63 of the descriptor.
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
    /// Rows of 128 bytes. The row number modulo 8 permutes a row's eight chunks.
    Swizzle128 B128 128 1;
    /// Rows of 64 bytes. Half the row number, modulo 4, permutes a row's four chunks.
    Swizzle64 B64 64 2;
    /// Rows of 32 bytes. Every second group of four rows exchanges its two chunks.
    Swizzle32 B32 32 3;
    /// Columns of 16-byte chunks. Eight consecutive chunks of a column are a core matrix.
    NoSwizzle None 16 0;
}

/// Bytes after which the pattern repeats; also the alignment of a tile's address.
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
    // Address bits 7 and up are XORed into bits 4 and up.
    let pattern = shr(b, line, 3);
    let pattern = and(b, pattern, (width - 1) & !15);
    let within = xor(b, within, pattern);
    let line = add(b, line, within);
    add(b, panels, line)
}

/// As [`offset`], on the host.
pub(crate) fn offset_of(width: u32, panel: u32, row: u32, column: u32) -> u32 {
    let mut scratch = Builder::new(&lanework_abi::StageOptions::default());
    match offset(&mut scratch, width, panel, constant(row), constant(column)) {
        Value::Constant(bits) => bits as u32,
        _ => unreachable!("constants fold"),
    }
}

/// The start of a tile in shared memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TileBase {
    pub(crate) symbol: usize,
    /// Bytes after the symbol, known while staging.
    start: i64,
    /// Further bytes, known only at run time.
    more: Option<Value>,
}

impl TileBase {
    /// The place `offset` bytes after the start.
    pub(crate) fn place<U>(self, b: &mut Builder, offset: Value) -> Place<U> {
        let more = self.more.map(|more| {
            let symbol = b.symbol_address(self.symbol);
            add(b, symbol, more)
        });
        let (base, offset) = match (offset, more) {
            (Value::Constant(bits), None) => (Base::Symbol(self.symbol), bits as i64),
            (Value::Constant(bits), Some(more)) => (Base::Register(more), bits as i64),
            (offset, more) => {
                let start = more.unwrap_or_else(|| b.symbol_address(self.symbol));
                (Base::Register(add(b, start, offset)), 0)
            }
        };
        Place::new(Space::Shared, base, self.start + offset)
    }

    /// The start's address in a register.
    pub(crate) fn address(self, b: &mut Builder) -> Value {
        self.place::<u8>(b, constant(0)).address(b)
    }

    /// The base `offset` bytes further on.
    pub(crate) fn plus(self, b: &mut Builder, offset: Value) -> TileBase {
        match offset {
            Value::Constant(bits) => TileBase { start: self.start + bits as i64, ..self },
            value => {
                let more = match self.more {
                    Some(more) => add(b, more, value),
                    None => value,
                };
                TileBase { more: Some(more), ..self }
            }
        }
    }
}

/// Reserves `bytes` of shared memory, aligned to `align`.
pub(crate) fn reserve(b: &mut Builder, bytes: u32, align: u32, dynamic: bool) -> TileBase {
    if dynamic {
        let (symbol, start) = dynamic_bytes(b, bytes.into(), align);
        return TileBase { symbol, start: start as i64, more: None };
    }
    let hint = b.take_hint("shared_tile");
    let name = b.unique(&crate::emit::value::identifier(hint));
    b.variables.push(Variable {
        align: Some(align),
        dims: vec![Some(bytes.into())],
        ..Variable::new(StateSpace::Shared, ScalarType::B8, &name)
    });
    b.symbols.push(name);
    TileBase { symbol: b.symbols.len() - 1, start: 0, more: None }
}

#[cfg(test)]
mod tests {
    use crate::tensor_cores::tile::swizzle::offset_of;
    use std::collections::HashSet;

    #[test]
    fn chunks_are_permuted_within_their_panel() {
        // Row 3's chunk 1 is stored at chunk 1 ^ 3; column 64 of 16-bit elements starts a panel.
        assert_eq!(offset_of(128, 8192, 3, 16), 3 * 128 + 2 * 16);
        assert_eq!(offset_of(128, 8192, 3, 128 + 16), 8192 + 3 * 128 + 2 * 16);
        assert_eq!(offset_of(64, 4096, 2, 0), 2 * 64 + 16);
        assert_eq!(offset_of(32, 2048, 4, 0), 4 * 32 + 16);
        assert_eq!(offset_of(16, 1024, 5, 16), 1024 + 5 * 16);
    }

    #[test]
    fn swizzled_offsets_are_unique() {
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
