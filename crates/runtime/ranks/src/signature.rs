//! The signature of a call, which ranks compare: kind, elements, reduction, root, and sequence number. Also texts for ranks and times.

use std::time::Duration;

/// A reduction, by NCCL's numbers (`ncclRedOp_t`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Reduction {
    /// Sum.
    Sum,
    /// Product.
    Prod,
    /// Maximum.
    Max,
    /// Minimum.
    Min,
    /// Sum divided by the number of ranks.
    Avg,
    /// Sum of the inputs, each multiplied by its rank's factor.
    PreMulSum,
}

impl Reduction {
    /// All of them, by their numbers.
    pub const ALL: [Reduction; 6] = [
        Reduction::Sum,
        Reduction::Prod,
        Reduction::Max,
        Reduction::Min,
        Reduction::Avg,
        Reduction::PreMulSum,
    ];

    /// Its name in messages.
    pub fn name(self) -> &'static str {
        match self {
            Reduction::Sum => "sum",
            Reduction::Prod => "product",
            Reduction::Max => "maximum",
            Reduction::Min => "minimum",
            Reduction::Avg => "average",
            Reduction::PreMulSum => "sum of scaled inputs",
        }
    }
}

/// A collective, or one side of a message between two ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallKind {
    /// Every rank receives the combined inputs.
    AllReduce(Reduction),
    /// A root receives the combined inputs.
    Reduce(Reduction, u32),
    /// Each rank receives a part of the combined inputs.
    ReduceScatter(Reduction),
    /// Every rank receives the data of a root.
    Broadcast(u32),
    /// Every rank receives all inputs.
    AllGather,
    /// Each rank receives its part of every input.
    AllToAll,
    /// A root receives all inputs.
    Gather(u32),
    /// Each rank receives its part of the root's input.
    Scatter(u32),
    /// A message from one rank to another.
    Message,
    /// Receipt of the other rank's message. Sent if the data moves outside of the links.
    Receipt,
    /// Splitting a communicator.
    Split,
    /// Waiting for all ranks.
    Barrier,
}

/// The names of calls in messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Names {
    /// NCCL's C functions.
    Nccl,
    /// The methods of `lanework-dist`.
    Rust,
}

impl CallKind {
    /// Its number on the wire, its names, its reduction and its root.
    fn parts(self) -> (u32, [&'static str; 2], Option<Reduction>, u32) {
        match self {
            CallKind::AllReduce(by) => (0, ["ncclAllReduce", "all_reduce"], Some(by), 0),
            CallKind::Reduce(by, root) => (1, ["ncclReduce", "reduce"], Some(by), root),
            CallKind::ReduceScatter(by) => {
                (2, ["ncclReduceScatter", "reduce_scatter"], Some(by), 0)
            }
            CallKind::Broadcast(root) => (3, ["ncclBroadcast", "broadcast"], None, root),
            CallKind::AllGather => (4, ["ncclAllGather", "all_gather"], None, 0),
            CallKind::AllToAll => (5, ["ncclAlltoAll", "all_to_all"], None, 0),
            CallKind::Gather(root) => (6, ["ncclGather", "gather"], None, root),
            CallKind::Scatter(root) => (7, ["ncclScatter", "scatter"], None, root),
            CallKind::Message => (8, ["a message", "send"], None, 0),
            CallKind::Receipt => (9, ["a receipt", "recv"], None, 0),
            CallKind::Split => (10, ["ncclCommSplit", "split"], None, 0),
            CallKind::Barrier => (11, ["a barrier", "barrier"], None, 0),
        }
    }

    fn from_parts(number: u32, by: Option<Reduction>, root: u32) -> Option<CallKind> {
        Some(match number {
            0 => CallKind::AllReduce(by?),
            1 => CallKind::Reduce(by?, root),
            2 => CallKind::ReduceScatter(by?),
            3 => CallKind::Broadcast(root),
            4 => CallKind::AllGather,
            5 => CallKind::AllToAll,
            6 => CallKind::Gather(root),
            7 => CallKind::Scatter(root),
            8 => CallKind::Message,
            9 => CallKind::Receipt,
            10 => CallKind::Split,
            11 => CallKind::Barrier,
            _ => return None,
        })
    }
}

/// One call on a communicator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Signature {
    /// Number of earlier collectives of the communicator; for a message, of earlier messages from the same sender to the same
    /// receiver.
    pub sequence: u64,
    /// The kind of call.
    pub kind: CallKind,
    /// The element type, by NCCL's number (`ncclDataType_t`).
    pub element: u8,
    /// Number of elements in the unit of the call.
    pub count: u64,
}

/// The name of an element type by NCCL's number.
pub fn element_name(number: u8) -> &'static str {
    const NAMES: [&str; 12] =
        ["i8", "u8", "i32", "u32", "i64", "u64", "f16", "f32", "f64", "bf16", "f8e4m3", "f8e5m2"];
    NAMES.get(usize::from(number)).copied().unwrap_or("an unknown type")
}

impl Signature {
    /// Bytes on the wire.
    pub const BYTES: usize = 32;

    /// The call as text, with its number among the calls of the communicator, from 1.
    pub fn words(&self, names: Names) -> String {
        let (_, [nccl, rust], reduction, root) = self.kind.parts();
        let name = if names == Names::Nccl { nccl } else { rust };
        let reduction = reduction.map(|by| format!(" ({})", by.name())).unwrap_or_default();
        let root = match self.kind {
            CallKind::Reduce(..) | CallKind::Gather(_) => format!(" to rank {root}"),
            CallKind::Broadcast(_) | CallKind::Scatter(_) => format!(" from rank {root}"),
            _ => String::new(),
        };
        let of = match self.kind {
            CallKind::Split | CallKind::Barrier => String::new(),
            _ => format!(" of {} {}", self.count, element_name(self.element)),
        };
        let what = match self.kind {
            CallKind::Message | CallKind::Receipt => "message",
            _ => "call",
        };
        format!("{name}{reduction}{root}{of} ({what} {})", self.sequence + 1)
    }

    /// The bytes on the wire.
    pub fn encode(&self) -> [u8; Self::BYTES] {
        let (kind, _, reduction, root) = self.kind.parts();
        let reduction = reduction.map_or(0, |reduction| reduction as u32);
        let mut bytes = [0; Self::BYTES];
        bytes[..8].copy_from_slice(&self.sequence.to_le_bytes());
        bytes[8..16].copy_from_slice(&self.count.to_le_bytes());
        let words = [kind, reduction, root, self.element.into()];
        bytes[16..].copy_from_slice(words.map(u32::to_le_bytes).as_flattened());
        bytes
    }

    /// Decodes the bytes of [`Signature::encode`]; `None` for anything else.
    pub fn decode(bytes: &[u8; Self::BYTES]) -> Option<Signature> {
        let long = |at: usize| u64::from_le_bytes(std::array::from_fn(|i| bytes[at + i]));
        let word =
            |place: usize| u32::from_le_bytes(std::array::from_fn(|i| bytes[16 + 4 * place + i]));
        let reduction = Reduction::ALL.get(word(1) as usize).copied();
        let kind = CallKind::from_parts(word(0), reduction, word(2))?;
        let element = u8::try_from(word(3)).ok()?;
        Some(Signature { sequence: long(0), kind, element, count: long(8) })
    }
}

/// `rank 2`, or `ranks 2, 3 and 5`.
pub fn ranks(ranks: &[usize]) -> String {
    match ranks {
        [] => "no rank".to_owned(),
        [one] => format!("rank {one}"),
        [first @ .., last] => {
            let first: Vec<String> = first.iter().map(usize::to_string).collect();
            format!("ranks {} and {last}", first.join(", "))
        }
    }
}

/// `rank 2 of 4 has not arrived`, or `ranks 2 and 3 of 4 have not arrived`.
pub fn not_arrived(absent: &[usize], size: usize) -> String {
    let has = if absent.len() == 1 { "has" } else { "have" };
    format!("{} of {size} {has} not arrived", ranks(absent))
}

/// `30 s`, or `0.5 s`.
pub fn seconds(time: Duration) -> String {
    format!("{} s", (time.as_secs_f64() * 10.0).round() / 10.0)
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
            CallKind::Receipt,
            CallKind::Split,
            CallKind::Barrier,
        ];
        for (sequence, kind) in (1 << 40..).zip(kinds) {
            let call = Signature { sequence, kind, element: 11, count: 1 << 33 };
            assert_eq!(Signature::decode(&call.encode()), Some(call));
        }
        assert_eq!(Signature::decode(&[0xFF; Signature::BYTES]), None);
    }

    #[test]
    fn calls_are_named_with_their_number() {
        let call = |kind, element| Signature { sequence: 4, kind, element, count: 100 };
        let reduce = call(CallKind::Reduce(Reduction::Sum, 3), 7);
        assert_eq!(reduce.words(Names::Nccl), "ncclReduce (sum) to rank 3 of 100 f32 (call 5)");
        let all = call(CallKind::AllReduce(Reduction::Max), 0);
        assert_eq!(all.words(Names::Rust), "all_reduce (maximum) of 100 i8 (call 5)");
        let message = call(CallKind::Message, 10);
        assert_eq!(message.words(Names::Nccl), "a message of 100 f8e4m3 (message 5)");
        assert_eq!(message.words(Names::Rust), "send of 100 f8e4m3 (message 5)");
        assert_eq!(call(CallKind::Barrier, 0).words(Names::Rust), "barrier (call 5)");
        assert_eq!(call(CallKind::Split, 0).words(Names::Nccl), "ncclCommSplit (call 5)");
    }

    #[test]
    fn ranks_and_times_are_listed() {
        assert_eq!(ranks(&[2]), "rank 2");
        assert_eq!(ranks(&[2, 3, 5]), "ranks 2, 3 and 5");
        assert_eq!(not_arrived(&[2], 4), "rank 2 of 4 has not arrived");
        assert_eq!(not_arrived(&[2, 3, 5], 6), "ranks 2, 3 and 5 of 6 have not arrived");
        assert_eq!(seconds(Duration::from_millis(500)), "0.5 s");
        assert_eq!(seconds(Duration::from_secs(30)), "30 s");
    }
}
