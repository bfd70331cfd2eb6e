//! Counters of a launch, as a hardware profiler has them.
//!
//! | module | contents |
//! | --- | --- |
//! | [`cost`] | the cost of one memory access: 32-byte sectors, passes through the banks |
//! | [`counters`] | the table of counters and their sums |
//! | [`instruments`] | the instruments that count a launch and trace its accesses |
//! | [`words`] | counters and numbers as text |

pub mod cost;
pub mod counters;
pub mod instruments;
pub mod words;
