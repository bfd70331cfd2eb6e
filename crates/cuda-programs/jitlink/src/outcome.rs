//! Return codes.

/// `nvJitLinkResult`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum Outcome {
    /// Success.
    Success = 0,
    /// Unknown option.
    UnrecognizedOption = 1,
    /// Unreadable input.
    InvalidInput = 3,
    /// Invalid PTX.
    PtxCompile = 4,
    /// LTO-IR that cannot be compiled.
    NvvmCompile = 5,
    /// Internal error.
    Internal = 6,
    /// Unsupported input type.
    UnrecognizedInput = 8,
    /// Null pointer.
    NullInput = 10,
    /// Machine code without PTX.
    MissingFatbin = 15,
}
