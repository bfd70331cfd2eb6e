//! Where tiles start in shared memory.

use super::words::{add, constant};
use crate::builder::Builder;
use crate::memory::{Base, Place, Space, dynamic_bytes};
use crate::value::Value;
use lanework_ptx::{ScalarType, StateSpace, Variable};

/// Where a tile starts in shared memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TileBase {
    pub(super) symbol: usize,
    /// Bytes after the symbol, known while staging.
    start: i64,
    /// Bytes after that, known at run time only.
    more: Option<Value>,
}

impl TileBase {
    /// The place `offset` bytes after the start.
    pub(super) fn place<U>(self, b: &mut Builder, offset: Value) -> Place<U> {
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
pub(super) fn reserve(b: &mut Builder, bytes: u32, align: u32, dynamic: bool) -> TileBase {
    if dynamic {
        let (symbol, start) = dynamic_bytes(b, bytes.into(), align);
        return TileBase { symbol, start: start as i64, more: None };
    }
    let hint = b.take_hint("shared_tile");
    let name = b.unique(&crate::identifier::identifier(hint));
    b.variables.push(Variable {
        align: Some(align),
        dims: vec![Some(bytes.into())],
        ..Variable::new(StateSpace::Shared, ScalarType::B8, &name)
    });
    b.symbols.push(name);
    TileBase { symbol: b.symbols.len() - 1, start: 0, more: None }
}
