//! The signature of a call, which ranks compare: kind, elements, reduction, root, and sequence number.

use crate::element::{Reduction, type_name};

/// A collective, or one side of a message between two ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CallKind {
    AllReduce(Reduction),
    ReduceScatter(Reduction),
    AllGather,
    Broadcast {
        root: u32,
    },
    Barrier,
    /// From one rank to one other.
    Message,
    /// Receipt of a message of the other rank; sent if the data takes another way.
    Receipt,
}

/// One call on a communicator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Signature {
    /// Number of earlier calls of the communicator; for a message, of earlier messages between the same two ranks.
    pub sequence: u64,
    pub kind: CallKind,
    /// The number of the element type.
    pub element: u8,
    /// Elements of the call: of the input, or of a broadcast's data.
    pub count: u64,
}

impl Signature {
    /// Bytes on the wire.
    pub const BYTES: usize = 24;

    /// The call as text.
    pub fn words(&self) -> String {
        let Signature { kind, element, count, .. } = *self;
        let of = format!("of {count} {}", type_name(element));
        match kind {
            CallKind::AllReduce(reduction) => format!("all_reduce ({}) {of}", reduction.name()),
            CallKind::ReduceScatter(reduction) => {
                format!("reduce_scatter ({}) {of}", reduction.name())
            }
            CallKind::AllGather => format!("all_gather {of}"),
            CallKind::Broadcast { root } => format!("broadcast from rank {root} {of}"),
            CallKind::Barrier => "barrier".to_owned(),
            CallKind::Message => format!("send of {count} {}", type_name(element)),
            CallKind::Receipt => format!("recv of {count} {}", type_name(element)),
        }
    }

    /// The call with its number among the calls of the communicator, from 1.
    pub fn place(&self) -> String {
        let what = match self.kind {
            CallKind::Message | CallKind::Receipt => "message",
            _ => "call",
        };
        format!("{} ({what} {})", self.words(), self.sequence + 1)
    }

    pub fn encode(&self) -> [u8; Self::BYTES] {
        let (kind, more) = match self.kind {
            CallKind::AllReduce(reduction) => (0u8, reduction as u32),
            CallKind::ReduceScatter(reduction) => (1, reduction as u32),
            CallKind::AllGather => (2, 0),
            CallKind::Broadcast { root } => (3, root),
            CallKind::Barrier => (4, 0),
            CallKind::Message => (5, 0),
            CallKind::Receipt => (6, 0),
        };
        let mut bytes = [0; Self::BYTES];
        bytes[..8].copy_from_slice(&self.sequence.to_le_bytes());
        bytes[8..16].copy_from_slice(&self.count.to_le_bytes());
        bytes[16..20].copy_from_slice(&more.to_le_bytes());
        (bytes[20], bytes[21]) = (kind, self.element);
        bytes
    }

    /// Decodes the bytes of [`Signature::encode`]; `None` for anything else.
    pub fn decode(bytes: &[u8; Self::BYTES]) -> Option<Signature> {
        let long = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap_or_default());
        let more = u32::from_le_bytes(bytes[16..20].try_into().unwrap_or_default());
        let reduction = || Reduction::ALL.into_iter().find(|reduction| *reduction as u32 == more);
        let kind = match bytes[20] {
            0 => CallKind::AllReduce(reduction()?),
            1 => CallKind::ReduceScatter(reduction()?),
            2 => CallKind::AllGather,
            3 => CallKind::Broadcast { root: more },
            4 => CallKind::Barrier,
            5 => CallKind::Message,
            6 => CallKind::Receipt,
            _ => return None,
        };
        Some(Signature { sequence: long(0), kind, element: bytes[21], count: long(8) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signatures_round_trip() {
        let kinds = [
            CallKind::AllReduce(Reduction::Max),
            CallKind::ReduceScatter(Reduction::Prod),
            CallKind::AllGather,
            CallKind::Broadcast { root: 7 },
            CallKind::Barrier,
            CallKind::Message,
            CallKind::Receipt,
        ];
        for (sequence, kind) in (1 << 40..).zip(kinds) {
            let call = Signature { sequence, kind, element: 7, count: 1 << 33 };
            assert_eq!(Signature::decode(&call.encode()), Some(call));
        }
        let wrong = [0xFF; Signature::BYTES];
        assert_eq!(Signature::decode(&wrong), None);
    }

    #[test]
    fn calls_are_named_with_their_number() {
        let kind = CallKind::AllReduce(Reduction::Sum);
        let call = Signature { sequence: 4, kind, element: 7, count: 100 };
        assert_eq!(call.place(), "all_reduce (sum) of 100 f32 (call 5)");
    }
}
