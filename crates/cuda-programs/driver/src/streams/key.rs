//! How the driver names a stream, and what orders a stream with the legacy default stream of its context.

use crate::handles::Handle;

/// A stream of a context. Handle 0 is the legacy default stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct StreamKey {
    pub context: Handle,
    pub stream: Handle,
}

/// A stream, and whether it keeps the order of the legacy default stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OrderedStream {
    pub key: StreamKey,
    /// Whether the default stream waits for it, and it for the default stream: it was made without `CU_STREAM_NON_BLOCKING`.
    pub blocking: bool,
}
