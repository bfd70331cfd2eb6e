//! Failures common to all stand-ins, independent of a library's status codes.

/// Kind of a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailureKind {
    /// There is no driver, or it is not the emulator's.
    NoEmulator,
    /// Null pointer for a result.
    Null,
    /// Memory that is not allocated on a device.
    Memory,
    /// Out of device memory.
    Allocation,
    /// No device with this number.
    Device,
    /// An error of the driver.
    Driver,
    /// A panic: a bug in the stand-in.
    Panic,
}

/// A failure.
#[derive(Clone, Debug)]
pub struct Failure {
    /// Kind of the failure.
    pub kind: FailureKind,
    /// Description.
    pub why: String,
}

impl Failure {
    /// Creates a failure.
    pub(crate) fn new(kind: FailureKind, why: impl Into<String>) -> Failure {
        Failure { kind, why: why.into() }
    }
}

/// Result of functions in this crate.
pub(crate) type Result<T = ()> = std::result::Result<T, Failure>;

/// Returns a failure.
pub(crate) fn fail<T>(kind: FailureKind, why: impl Into<String>) -> Result<T> {
    Err(Failure::new(kind, why))
}
