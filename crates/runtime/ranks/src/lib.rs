//! Ranks that exchange data through the host: the communication layer of `lanework-dist` and of the stand-in for NCCL.
//!
//! | module | holds |
//! | --- | --- |
//! | [`mesh`] | one rank among its peers: sends messages, receives into one inbox, and compares calls |
//! | [`link`](mod@link) | the link to one peer: a channel within a process, or a stream between processes |
//! | [`signature`] | the description of a call that ranks compare |
//! | [`collectives`] | exchanges of data between all ranks |
//! | [`greeting`] | the first messages between processes that meet |
//! | [`words`] | texts for ranks and times |

pub mod collectives;
pub mod greeting;
pub mod link;
pub mod mesh;
pub mod signature;
pub mod words;
