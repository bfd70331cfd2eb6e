//! Timing: what is recorded of a timed kernel and of a comparison of two.

mod clock;
mod record;

pub use clock::{rfc3339, utc_now};
pub use record::{
    ComparisonRecord, PROTOCOL, Reset, SubjectKind, SubjectRecord, SummaryRecord, TimedRecord,
    TimedSample, Verdict, Verified,
};
