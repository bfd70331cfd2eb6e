//! Who takes part in an instruction of a warp, and what they bring: the lanes of a split, and those of others that it has met.

use crate::machine::Warp;
use crate::slot::{Elem, Lanes};

impl Warp {
    /// The lanes that take part in the instruction of the warp that comes next.
    pub fn participants(&self) -> u32 {
        self.mask | self.exchange.as_ref().map_or(0, |exchange| exchange.lanes)
    }

    /// Whether what synchronises these lanes is to be told by this split: each of several that met would tell it, the later ones
    /// when the first have gone on already.
    pub fn tells_sync(&self) -> bool {
        self.exchange.as_ref().is_none_or(|exchange| exchange.leads)
    }

    /// The values that lanes bring to this instruction, of which `own` are those of this split, and the lanes that take part.
    pub fn brought<T: Elem>(&mut self, mut own: Lanes<T>) -> (Lanes<T>, u32) {
        let Some(exchange) = self.exchange.take() else { return (own, self.mask) };
        for lane in (0..32).filter(|lane| exchange.lanes & !self.mask & 1 << lane != 0) {
            own.0[lane] = T::from64(exchange.values[lane]);
        }
        (own, self.mask | exchange.lanes)
    }

    /// The same of predicates, a bit for each lane.
    pub fn brought_bits(&mut self, own: u32) -> (u32, u32) {
        let Some(exchange) = self.exchange.take() else { return (own, self.mask) };
        let others = exchange.lanes & !self.mask;
        let bits = (0..32).fold(0, |bits, lane| bits | (exchange.values[lane] as u32 & 1) << lane);
        (own & !others | bits & others, self.mask | exchange.lanes)
    }
}
