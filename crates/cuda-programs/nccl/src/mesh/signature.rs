//! The signature of a call, which ranks compare: kind, elements, reduction, root, and sequence number.

use crate::reduction::Reduction;
use crate::reduction::element::Element;

/// A collective, or a message between two ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallKind {
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
    /// Splitting a communicator.
    Split,
}

/// One call on a communicator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Signature {
    /// Number of earlier collectives of the communicator; for a message, of earlier messages from the same sender to the same receiver.
    pub sequence: u64,
    pub kind: CallKind,
    pub element: Element,
    /// Elements as the call counts them.
    pub count: u64,
}

impl Signature {
    /// Bytes on the wire.
    pub const BYTES: usize = 32;

    /// The call with its number among the calls of the communicator, from 1.
    pub fn words(&self) -> String {
        let of = format!("of {} {}", self.count, self.element.name());
        let what = match self.kind {
            CallKind::AllReduce(reduction) => format!("ncclAllReduce ({}) {of}", reduction.name()),
            CallKind::Reduce(reduction, root) => {
                format!("ncclReduce ({}) to rank {root} {of}", reduction.name())
            }
            CallKind::ReduceScatter(reduction) => {
                format!("ncclReduceScatter ({}) {of}", reduction.name())
            }
            CallKind::Broadcast(root) => format!("ncclBroadcast from rank {root} {of}"),
            CallKind::AllGather => format!("ncclAllGather {of}"),
            CallKind::AllToAll => format!("ncclAlltoAll {of}"),
            CallKind::Gather(root) => format!("ncclGather to rank {root} {of}"),
            CallKind::Scatter(root) => format!("ncclScatter from rank {root} {of}"),
            CallKind::Message => return format!("a message {of} (message {})", self.sequence + 1),
            CallKind::Split => "ncclCommSplit".to_owned(),
        };
        format!("{what} (call {})", self.sequence + 1)
    }

    pub fn encode(&self) -> [u8; Self::BYTES] {
        let (kind, reduction, root) = match self.kind {
            CallKind::AllReduce(reduction) => (0, Some(reduction), 0),
            CallKind::Reduce(reduction, root) => (1, Some(reduction), root),
            CallKind::ReduceScatter(reduction) => (2, Some(reduction), 0),
            CallKind::Broadcast(root) => (3, None, root),
            CallKind::AllGather => (4, None, 0),
            CallKind::AllToAll => (5, None, 0),
            CallKind::Gather(root) => (6, None, root),
            CallKind::Scatter(root) => (7, None, root),
            CallKind::Message => (8, None, 0),
            CallKind::Split => (9, None, 0),
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

    /// Decodes the bytes of [`Signature::encode`]; `None` for anything else.
    pub fn decode(bytes: &[u8; Self::BYTES]) -> Option<Signature> {
        let long = |at: usize| u64::from_le_bytes(std::array::from_fn(|i| bytes[at + i]));
        let word =
            |place: usize| u32::from_le_bytes(std::array::from_fn(|i| bytes[16 + 4 * place + i]));
        let built_in = Reduction::BUILT_IN.into_iter().chain([Reduction::PreMulSum]);
        let reduction = built_in.into_iter().find(|reduction| *reduction as u32 == word(1))?;
        let root = word(2);
        let kind = match word(0) {
            0 => CallKind::AllReduce(reduction),
            1 => CallKind::Reduce(reduction, root),
            2 => CallKind::ReduceScatter(reduction),
            3 => CallKind::Broadcast(root),
            4 => CallKind::AllGather,
            5 => CallKind::AllToAll,
            6 => CallKind::Gather(root),
            7 => CallKind::Scatter(root),
            8 => CallKind::Message,
            9 => CallKind::Split,
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
    fn signatures_round_trip() {
        let kinds = [
            CallKind::AllReduce(Reduction::Avg),
            CallKind::Reduce(Reduction::PreMulSum, 5),
            CallKind::ReduceScatter(Reduction::Min),
            CallKind::Broadcast(7),
            CallKind::AllGather,
            CallKind::AllToAll,
            CallKind::Gather(1),
            CallKind::Scatter(2),
            CallKind::Message,
            CallKind::Split,
        ];
        for (sequence, kind) in (1 << 40..).zip(kinds) {
            let call = Signature { sequence, kind, element: Element::E5m2, count: 1 << 33 };
            assert_eq!(Signature::decode(&call.encode()), Some(call));
        }
        assert_eq!(Signature::decode(&[0xFF; Signature::BYTES]), None);
    }

    #[test]
    fn calls_are_named_with_their_number() {
        let kind = CallKind::Reduce(Reduction::Sum, 3);
        let call = Signature { sequence: 4, kind, element: Element::F32, count: 100 };
        assert_eq!(call.words(), "ncclReduce (sum) to rank 3 of 100 f32 (call 5)");
    }
}
