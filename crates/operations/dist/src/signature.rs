//! What a rank calls, so that ranks can compare: kind, elements, reduction, root, and how many calls came before.

use crate::element::{Reduction, type_name};

/// A collective, or one side of a message between two ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    AllReduce(Reduction),
    ReduceScatter(Reduction),
    AllGather,
    Broadcast {
        root: u32,
    },
    Barrier,
    /// From one rank to one other.
    Message,
    /// That a message of the other rank is received; sent where the data take another way.
    Receipt,
}

/// One call on a communicator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Signature {
    /// Calls of the communicator before this one; of a message, messages between the same two ranks.
    pub sequence: u64,
    pub kind: Kind,
    /// The number of the element type.
    pub element: u8,
    /// Elements that the call names: of the input, of a broadcast's data.
    pub count: u64,
}

impl Signature {
    /// Bytes on the wire.
    pub const BYTES: usize = 24;

    /// The call in words.
    pub fn words(&self) -> String {
        let Signature { kind, element, count, .. } = *self;
        let of = format!("of {count} {}", type_name(element));
        match kind {
            Kind::AllReduce(reduction) => format!("all_reduce ({}) {of}", reduction.name()),
            Kind::ReduceScatter(reduction) => format!("reduce_scatter ({}) {of}", reduction.name()),
            Kind::AllGather => format!("all_gather {of}"),
            Kind::Broadcast { root } => format!("broadcast from rank {root} {of}"),
            Kind::Barrier => "barrier".to_owned(),
            Kind::Message => format!("send of {count} {}", type_name(element)),
            Kind::Receipt => format!("recv of {count} {}", type_name(element)),
        }
    }

    /// The call with its place among the calls of the communicator, from 1.
    pub fn place(&self) -> String {
        let what = match self.kind {
            Kind::Message | Kind::Receipt => "message",
            _ => "call",
        };
        format!("{} ({what} {})", self.words(), self.sequence + 1)
    }

    pub fn encode(&self) -> [u8; Self::BYTES] {
        let (kind, more) = match self.kind {
            Kind::AllReduce(reduction) => (0u8, reduction as u32),
            Kind::ReduceScatter(reduction) => (1, reduction as u32),
            Kind::AllGather => (2, 0),
            Kind::Broadcast { root } => (3, root),
            Kind::Barrier => (4, 0),
            Kind::Message => (5, 0),
            Kind::Receipt => (6, 0),
        };
        let mut bytes = [0; Self::BYTES];
        bytes[..8].copy_from_slice(&self.sequence.to_le_bytes());
        bytes[8..16].copy_from_slice(&self.count.to_le_bytes());
        bytes[16..20].copy_from_slice(&more.to_le_bytes());
        (bytes[20], bytes[21]) = (kind, self.element);
        bytes
    }

    /// What [`Signature::encode`] wrote; `None` for anything else.
    pub fn decode(bytes: &[u8; Self::BYTES]) -> Option<Signature> {
        let long = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap_or_default());
        let more = u32::from_le_bytes(bytes[16..20].try_into().unwrap_or_default());
        let reduction = || Reduction::ALL.into_iter().find(|reduction| *reduction as u32 == more);
        let kind = match bytes[20] {
            0 => Kind::AllReduce(reduction()?),
            1 => Kind::ReduceScatter(reduction()?),
            2 => Kind::AllGather,
            3 => Kind::Broadcast { root: more },
            4 => Kind::Barrier,
            5 => Kind::Message,
            6 => Kind::Receipt,
            _ => return None,
        };
        Some(Signature { sequence: long(0), kind, element: bytes[21], count: long(8) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_come_back_from_the_wire() {
        let kinds = [
            Kind::AllReduce(Reduction::Max),
            Kind::ReduceScatter(Reduction::Prod),
            Kind::AllGather,
            Kind::Broadcast { root: 7 },
            Kind::Barrier,
            Kind::Message,
            Kind::Receipt,
        ];
        for (sequence, kind) in (1 << 40..).zip(kinds) {
            let call = Signature { sequence, kind, element: 7, count: 1 << 33 };
            assert_eq!(Signature::decode(&call.encode()), Some(call));
        }
        let wrong = [0xFF; Signature::BYTES];
        assert_eq!(Signature::decode(&wrong), None);
    }

    #[test]
    fn calls_are_named_with_their_place() {
        let kind = Kind::AllReduce(Reduction::Sum);
        let call = Signature { sequence: 4, kind, element: 7, count: 100 };
        assert_eq!(call.place(), "all_reduce (sum) of 100 f32 (call 5)");
    }
}
