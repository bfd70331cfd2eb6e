//! The sampling protocol: the cache contents, how they are established, the timer, and the condition that
//! ends sampling.

use serde::{Deserialize, Serialize};

/// State of the cache when a kernel starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Cache {
    /// Nothing of use.
    Cold,
    /// The data of the previous run: every launch uses the same buffers.
    Hot,
}

/// Why sampling stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stop {
    /// The median's interval was narrow enough.
    Settled,
    /// The time limit.
    TimeLimit,
}

/// How a sample was taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Timer {
    /// Events before and after one launch.
    Events,
    /// Events around a graph of this many launches.
    Graph(u32),
}

/// How the cache was brought into its state before a sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reset {
    /// Not at all: every launch uses the same buffers.
    None,
    /// Launches rotate over this many copies of the problem, together at least twice the L2 cache.
    Rotation {
        /// Copies of the problem.
        copies: u32,
    },
    /// Before each launch a buffer of this many bytes, at least twice the L2 cache, is overwritten.
    Flush {
        /// Bytes written.
        bytes: u64,
    },
}

impl Cache {
    /// `cold` or `hot`.
    pub fn name(self) -> &'static str {
        match self {
            Cache::Cold => "cold",
            Cache::Hot => "hot",
        }
    }
}
