//! What a rank calls, so that ranks can compare: kind, elements, reduction, root, and how many calls came before.

use crate::element::Element;
use crate::reduction::Reduction;

/// A collective, or a message between two ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    AllReduce(Reduction),
    Reduce(Reduction, u32),
    ReduceScatter(Reduction),
    Broadcast(u32),
    AllGather,
    AllToAll,
    Gather(u32),
    Scatter(u32),
    /// From one rank to one other.
    Message,
    /// The ranks of a communicator are divided.
    Split,
}

/// One call on a communicator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Signature {
    /// Collectives of the communicator before this one; of a message, messages from the same rank to the same other.
    pub sequence: u64,
    pub kind: Kind,
    pub element: Element,
    /// Elements as the call counts them.
    pub count: u64,
}

impl Signature {
    /// Bytes on the wire.
    pub const BYTES: usize = 32;

    /// The call with its place among the calls of the communicator, from 1.
    pub fn words(&self) -> String {
        let of = format!("of {} {}", self.count, self.element.name());
        let what = match self.kind {
            Kind::AllReduce(reduction) => format!("ncclAllReduce ({}) {of}", reduction.name()),
            Kind::Reduce(reduction, root) => {
                format!("ncclReduce ({}) to rank {root} {of}", reduction.name())
            }
            Kind::ReduceScatter(reduction) => {
                format!("ncclReduceScatter ({}) {of}", reduction.name())
            }
            Kind::Broadcast(root) => format!("ncclBroadcast from rank {root} {of}"),
            Kind::AllGather => format!("ncclAllGather {of}"),
            Kind::AllToAll => format!("ncclAlltoAll {of}"),
            Kind::Gather(root) => format!("ncclGather to rank {root} {of}"),
            Kind::Scatter(root) => format!("ncclScatter from rank {root} {of}"),
            Kind::Message => return format!("a message {of} (message {})", self.sequence + 1),
            Kind::Split => "ncclCommSplit".to_owned(),
        };
        format!("{what} (call {})", self.sequence + 1)
    }

    pub fn encode(&self) -> [u8; Self::BYTES] {
        let (kind, reduction, root) = match self.kind {
            Kind::AllReduce(reduction) => (0, Some(reduction), 0),
            Kind::Reduce(reduction, root) => (1, Some(reduction), root),
            Kind::ReduceScatter(reduction) => (2, Some(reduction), 0),
            Kind::Broadcast(root) => (3, None, root),
            Kind::AllGather => (4, None, 0),
            Kind::AllToAll => (5, None, 0),
            Kind::Gather(root) => (6, None, root),
            Kind::Scatter(root) => (7, None, root),
            Kind::Message => (8, None, 0),
            Kind::Split => (9, None, 0),
        };
        let reduction = reduction.map_or(0, |reduction| reduction as u32);
        let mut bytes = [0; Self::BYTES];
        bytes[..8].copy_from_slice(&self.sequence.to_le_bytes());
        bytes[8..16].copy_from_slice(&self.count.to_le_bytes());
        for (place, word) in [kind, reduction, root, self.element as u32].into_iter().enumerate() {
            bytes[16 + 4 * place..20 + 4 * place].copy_from_slice(&word.to_le_bytes());
        }
        bytes
    }

    /// What [`Signature::encode`] wrote; `None` for anything else.
    pub fn decode(bytes: &[u8; Self::BYTES]) -> Option<Signature> {
        let long = |at: usize| u64::from_le_bytes(std::array::from_fn(|i| bytes[at + i]));
        let word =
            |place: usize| u32::from_le_bytes(std::array::from_fn(|i| bytes[16 + 4 * place + i]));
        let built_in = Reduction::BUILT_IN.into_iter().chain([Reduction::PreMulSum]);
        let reduction = built_in.into_iter().find(|reduction| *reduction as u32 == word(1))?;
        let root = word(2);
        let kind = match word(0) {
            0 => Kind::AllReduce(reduction),
            1 => Kind::Reduce(reduction, root),
            2 => Kind::ReduceScatter(reduction),
            3 => Kind::Broadcast(root),
            4 => Kind::AllGather,
            5 => Kind::AllToAll,
            6 => Kind::Gather(root),
            7 => Kind::Scatter(root),
            8 => Kind::Message,
            9 => Kind::Split,
            _ => return None,
        };
        let element = Element::of(i32::try_from(word(3)).ok()?).ok()?;
        Some(Signature { sequence: long(0), kind, element, count: long(8) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_come_back_from_the_wire() {
        let kinds = [
            Kind::AllReduce(Reduction::Avg),
            Kind::Reduce(Reduction::PreMulSum, 5),
            Kind::ReduceScatter(Reduction::Min),
            Kind::Broadcast(7),
            Kind::AllGather,
            Kind::AllToAll,
            Kind::Gather(1),
            Kind::Scatter(2),
            Kind::Message,
            Kind::Split,
        ];
        for (sequence, kind) in (1 << 40..).zip(kinds) {
            let call = Signature { sequence, kind, element: Element::E5m2, count: 1 << 33 };
            assert_eq!(Signature::decode(&call.encode()), Some(call));
        }
        assert_eq!(Signature::decode(&[0xFF; Signature::BYTES]), None);
    }

    #[test]
    fn calls_are_named_with_their_place() {
        let kind = Kind::Reduce(Reduction::Sum, 3);
        let call = Signature { sequence: 4, kind, element: Element::F32, count: 100 };
        assert_eq!(call.words(), "ncclReduce (sum) to rank 3 of 100 f32 (call 5)");
    }
}
