//! Results of calls.

/// `nvJitLinkResult`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum Outcome {
    /// Done.
    Success = 0,
    /// An option that nvJitLink does not have.
    UnrecognizedOption = 1,
    /// An input that cannot be read.
    InvalidInput = 3,
    /// PTX with errors.
    PtxCompile = 4,
    /// LTO-IR that is not compiled.
    NvvmCompile = 5,
    /// An error of this library.
    Internal = 6,
    /// A kind of input that is not linked.
    UnrecognizedInput = 8,
    /// A null pointer.
    NullInput = 10,
    /// Machine code without PTX.
    MissingFatbin = 15,
}
