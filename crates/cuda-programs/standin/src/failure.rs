//! What fails in every stand-in, whatever status its library has for that.

/// What failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The process has no driver, or not the emulator's.
    NoEmulator,
    /// A pointer for a result is null.
    Null,
    /// Bytes lie outside of what is allocated on devices.
    Memory,
    /// The device has no memory left.
    Allocation,
    /// There is no such device.
    Device,
    /// The driver answers with an error.
    Driver,
    /// A panic, which is an error of the stand-in.
    Panic,
}

/// Why something was not done.
#[derive(Clone, Debug)]
pub struct Failure {
    /// What failed.
    pub kind: Kind,
    /// The same in a sentence.
    pub why: String,
}

impl Failure {
    /// A failure.
    pub(crate) fn new(kind: Kind, why: impl Into<String>) -> Failure {
        Failure { kind, why: why.into() }
    }
}

/// What fails in this crate, or not.
pub(crate) type Result<T = ()> = std::result::Result<T, Failure>;

/// Fails.
pub(crate) fn fail<T>(kind: Kind, why: impl Into<String>) -> Result<T> {
    Err(Failure::new(kind, why))
}
