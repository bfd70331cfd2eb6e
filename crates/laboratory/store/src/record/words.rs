//! The number of a run, and the words for what it is and what became of it.

use serde::Serialize;
use std::fmt;

/// The number of a run, never used again for another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct RunId(pub i64);

impl fmt::Display for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A choice of words: its variants, each with the word that the store and its readers use.
macro_rules! words {
    ($(#[$about:meta])* $name:ident { $($(#[$of:meta])* $variant:ident = $word:literal,)+ }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
        #[serde(rename_all = "kebab-case")]
        pub enum $name { $($(#[$of])* $variant,)+ }

        impl $name {
            /// The word for it.
            pub fn name(self) -> &'static str {
                match self { $($name::$variant => $word,)+ }
            }

            /// What the word stands for.
            pub fn named(word: &str) -> Option<$name> {
                match word { $($word => Some($name::$variant),)+ _ => None }
            }
        }
    };
}

words! {
    /// The command that made a run.
    Kind {
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
    /// What became of a point.
    Outcome {
        /// It ran; its entries say what was found.
        Done = "done",
        /// It is impossible, and was not run.
        Skipped = "skipped",
        /// The device failed.
        Failed = "failed",
    }
}

words! {
    /// What an entry shows. Times and counts are never shown as one.
    Shown {
        /// Times of a GPU.
        Timed = "timed",
        /// Counts of the emulator.
        Counts = "counts",
        /// The verdict on two others of the point.
        Comparison = "comparison",
        /// Nothing but why.
        Nothing = "none",
    }
}
