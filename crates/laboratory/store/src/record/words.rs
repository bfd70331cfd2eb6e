//! The number of a run, and the stored words for commands and outcomes.

use serde::Serialize;
use std::fmt;

/// The number of a run; numbers are never reused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct RunId(pub i64);

impl fmt::Display for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Defines an enum whose variants have the words that the store and its readers use.
macro_rules! words {
    ($(#[$about:meta])* $name:ident { $($(#[$of:meta])* $variant:ident = $word:literal,)+ }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
        #[serde(rename_all = "kebab-case")]
        pub enum $name { $($(#[$of])* $variant,)+ }

        impl $name {
            /// The stored word.
            pub fn name(self) -> &'static str {
                match self { $($name::$variant => $word,)+ }
            }

            /// The variant with this word.
            pub fn named(word: &str) -> Option<$name> {
                match word { $($word => Some($name::$variant),)+ _ => None }
            }
        }
    };
}

words! {
    /// The command of a run.
    RunCommand {
        /// `climb`.
        Climb = "climb",
        /// `sweep`.
        Sweep = "sweep",
        /// `bench`.
        Bench = "bench",
        /// `compare`.
        Compare = "compare",
        /// `tune`.
        Tune = "tune",
    }
}

words! {
    /// The outcome of a point.
    Outcome {
        /// It ran; its entries have the results.
        Done = "done",
        /// It is impossible and did not run.
        Skipped = "skipped",
        /// The device failed.
        Failed = "failed",
    }
}

words! {
    /// The kind of an entry's data. Times and counts are never mixed.
    Shown {
        /// Times measured on a GPU.
        Timed = "timed",
        /// Counts from the emulator.
        Counts = "counts",
        /// The verdict on two other entries of the point.
        Comparison = "comparison",
        /// Only a reason.
        Nothing = "none",
    }
}
