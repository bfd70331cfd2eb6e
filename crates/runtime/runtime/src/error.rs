//! Errors of devices, buffers and launches, with location, cause and remedy.

use lanework_abi::{CheckSite, FaultRecord, IndexKind, StageError};
use lanework_emulator::sanitize::{Report, ReportKind};
use lanework_emulator::{FaultKind, LoadError, SourceLocation};
use std::fmt;

/// A result whose error is [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Any failure of a device, a buffer or a launch.
///
/// ```
/// use lanework::prelude::*;
///
/// #[kernel]
/// fn read(x: &[f32], y: &mut [f32]) {
///     y[0] = x[thread_idx.x];
/// }
///
/// let device = Device::emulator();
/// let (x, mut y) = (device.zeros::<f32>(10)?, device.zeros::<f32>(1)?);
/// let error = read(&x, &mut y).grid(1).block(11).launch(&device).unwrap_err();
/// assert!(error.is_kernel_fault());
/// println!("{error}"); // the line, block, thread and index, and what to do
/// let lanework::Error::Index(fault) = &error else { panic!() };
/// let fault: &lanework::IndexFault = fault;
/// assert_eq!((fault.site.line > 0, error.kind(), error.fault().is_none()), (true, "out-of-bounds", true));
///
/// // A sanitized device reports all findings of a launch.
/// let device = device.sanitized();
/// let (x, mut y) = (device.uninit::<f32>(10)?, device.zeros::<f32>(1)?);
/// let error = read(&x, &mut y).grid(1).block(1).launch(&device).unwrap_err();
/// assert!(error.reports()[0].to_string().contains("uninit")); // nothing was written to `x`
/// let lanework::Error::Sanitizer(reports) = error else { panic!() };
/// let reports: lanework::Reports = reports;
/// println!("{reports}");
/// # Ok::<(), lanework::Error>(())
/// ```
#[non_exhaustive]
pub enum Error {
    /// The kernel could not be turned into PTX with these constants.
    Stage {
        /// The kernel's name.
        kernel: String,
        /// The errors, each with its source position.
        errors: Vec<StageError>,
    },
    /// An index was outside its slice or tile.
    Index(Box<IndexFault>),
    /// The emulator stopped a kernel.
    Fault(Box<lanework_emulator::Fault>),
    /// A sanitized device reports findings.
    Sanitizer(Reports),
    /// A text is not PTX.
    Ptx(Box<lanework_ptx::Diagnostics>),
    /// The emulator does not support this module.
    Load(lanework_emulator::LoadError),
    /// An error of the emulator's memory.
    Memory(lanework_emulator::MemoryError),
    /// An error of the CUDA driver.
    Cuda(Box<lanework_cuda::CudaError>),
    /// The launch is invalid.
    Launch {
        /// The kernel's name.
        kernel: String,
        /// The broken rule.
        why: String,
        /// The remedy.
        help: String,
    },
    /// An invalid request, such as one with an extent that is too large.
    Request {
        /// The problem with the request.
        why: String,
        /// The remedy.
        help: String,
    },
    /// Ranks that work together disagree, or one of them is missing.
    Communication {
        /// The failure, with the ranks.
        why: String,
        /// The remedy.
        help: String,
    },
    /// A tensor cannot be described for the copy engine.
    TensorMap {
        /// The broken rule.
        rule: String,
    },
    /// No such device.
    Device {
        /// The request.
        name: String,
        /// The reason.
        why: String,
        /// The remedy.
        help: String,
    },
    /// The size in bytes exceeds 64 bits.
    Size {
        /// Requested elements.
        elements: usize,
        /// Bytes of an element.
        bytes: usize,
    },
    /// Only the other kind of device supports this.
    Unsupported {
        /// The request.
        what: &'static str,
        /// The device.
        device: String,
        /// The remedy.
        help: &'static str,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Stage { kernel, errors } => {
                write!(f, "kernel `{kernel}` cannot be built: {}", first(errors))
            }
            Error::Index(inner) => fmt::Display::fmt(inner, f),
            Error::Fault(inner) => fmt::Display::fmt(inner, f),
            Error::Sanitizer(inner) => fmt::Display::fmt(inner, f),
            Error::Ptx(inner) => fmt::Display::fmt(inner, f),
            Error::Load(inner) => fmt::Display::fmt(inner, f),
            Error::Memory(inner) => fmt::Display::fmt(inner, f),
            Error::Cuda(inner) => fmt::Display::fmt(inner, f),
            Error::Launch { kernel, why, help } => {
                write!(f, "kernel `{kernel}` cannot be launched: {why}\n  = help: {help}")
            }
            Error::Request { why, help } | Error::Communication { why, help } => {
                write!(f, "{why}\n  = help: {help}")
            }
            Error::TensorMap { rule } => write!(f, "invalid tensor map: {rule}"),
            Error::Device { name, why, help } => {
                write!(f, "no device `{name}`: {why}\n  = help: {help}")
            }
            Error::Size { elements, bytes } => write!(
                f,
                "a buffer of {elements} elements of {bytes} bytes is larger than any memory\n  = help: check how its length was computed"
            ),
            Error::Unsupported { what, device, help } => {
                write!(f, "{what} is not possible on {device}\n  = help: {help}")
            }
        }
    }
}

impl std::error::Error for Error {}

impl From<lanework_emulator::LoadError> for Error {
    fn from(inner: lanework_emulator::LoadError) -> Self {
        Error::Load(inner)
    }
}

impl From<lanework_emulator::MemoryError> for Error {
    fn from(inner: lanework_emulator::MemoryError) -> Self {
        Error::Memory(inner)
    }
}

/// The same as [`Display`](fmt::Display), because a test that returns or unwraps an error prints its `Debug` form.
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl From<lanework_emulator::Fault> for Error {
    fn from(fault: lanework_emulator::Fault) -> Self {
        Error::Fault(Box::new(fault))
    }
}

impl From<lanework_cuda::CudaError> for Error {
    fn from(error: lanework_cuda::CudaError) -> Self {
        Error::Cuda(Box::new(error))
    }
}

/// The findings of a sanitized launch, in the order of detection.
#[derive(Clone, Debug, PartialEq)]
pub struct Reports {
    /// The findings.
    pub found: Vec<Report>,
    /// The fault that ended the kernel early, unless it is a finding: a `trap`, or an endless loop.
    pub stopped: Option<Box<lanework_emulator::Fault>>,
}

impl std::ops::Deref for Reports {
    type Target = [Report];

    fn deref(&self) -> &[Report] {
        &self.found
    }
}

impl fmt::Display for Reports {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, report) in self.found.iter().enumerate() {
            let between = if index > 0 { "\n\n" } else { "" };
            write!(f, "{between}{report}")?;
        }
        match &self.stopped {
            Some(fault) => write!(f, "\nthen the kernel was stopped: {fault}"),
            None => Ok(()),
        }
    }
}

impl Error {
    /// The error for recording a kernel that checks its indices: a replay would write to a fault record that the host
    /// has already read.
    pub(crate) fn unrecordable(kernel: &str) -> Error {
        Error::Launch {
            kernel: kernel.to_owned(),
            why: "it checks its indices, and a recorded launch could not report a failed check"
                .to_owned(),
            help: "prepare it with `prepare_unchecked`".to_owned(),
        }
    }

    /// The reports of a sanitized launch; none for other errors.
    pub fn reports(&self) -> &[Report] {
        match self {
            Error::Sanitizer(reports) => reports,
            _ => &[],
        }
    }

    /// The kind of error, for programs to read: [`FaultKind::name`] of a fault.
    pub fn kind(&self) -> &'static str {
        match self {
            Error::Stage { .. } => "build",
            Error::Index(_) => FaultKind::OutOfBounds.name(),
            Error::Fault(fault) => fault.kind.name(),
            Error::Sanitizer(_) => "findings",
            Error::Ptx(_) => "ptx",
            Error::Load(_) | Error::Unsupported { .. } => FaultKind::Unsupported.name(),
            Error::Memory(_) | Error::Size { .. } => "memory",
            Error::Cuda(_) => "cuda",
            Error::Launch { .. } => "launch",
            Error::Request { .. } => "request",
            Error::Communication { .. } => "communication",
            Error::TensorMap { .. } => FaultKind::TensorMap.name(),
            Error::Device { .. } => "device",
        }
    }

    /// The fault that ended a kernel on the emulator; `None` for other errors.
    pub fn fault(&self) -> Option<&lanework_emulator::Fault> {
        match self {
            Error::Fault(fault) => Some(fault),
            _ => None,
        }
    }

    /// The same error, with the file's name if its location is in PTX text.
    pub(crate) fn in_file(self, name: &str) -> Error {
        let file = Some(name.to_owned());
        match self {
            Error::Ptx(problems) => Error::Ptx(Box::new(problems.in_file(name))),
            Error::Load(error) => Error::Load(LoadError { text_file: file, ..error }),
            Error::Fault(mut fault) => {
                fault.text_file = file;
                Error::Fault(fault)
            }
            Error::Sanitizer(mut reports) => {
                if let Some(fault) = &mut reports.stopped {
                    fault.text_file = file;
                }
                Error::Sanitizer(reports)
            }
            other => other,
        }
    }

    /// Whether the kernel failed while it ran, as opposed to an invalid request of the host.
    pub fn is_kernel_fault(&self) -> bool {
        match self {
            Error::Index(_) | Error::Sanitizer(_) => true,
            Error::Fault(fault) => !matches!(
                fault.kind,
                FaultKind::LimitExceeded | FaultKind::BadArguments | FaultKind::Unsupported
            ),
            Error::Cuda(error) => error.context_lost(),
            _ => false,
        }
    }
}

/// The first of several errors, and the number of the others.
fn first(errors: &[StageError]) -> String {
    match errors {
        [] => "no reason was given".to_owned(),
        [only] => only.to_string(),
        [one, rest @ ..] => format!("{one} (and {} more)", rest.len()),
    }
}

/// A failed bounds check of a safe launch: thread, index and source position.
#[derive(Clone, Debug, PartialEq)]
pub struct IndexFault {
    /// The kernel's name.
    pub kernel: String,
    /// The indexed slice or tile and its place in the source.
    pub site: CheckSite,
    /// The index, the exclusive bound, the block and the thread.
    pub record: FaultRecord,
}

/// Size in 32-bit words of the record a checked kernel writes when an index is out of bounds.
pub(crate) const RECORD_WORDS: usize = FaultRecord::BYTES as usize / 4;

impl IndexFault {
    /// The fault in a record, or `None` while no check has failed.
    pub(crate) fn decode(
        kernel: &str,
        sites: &[CheckSite],
        words: &[u32; RECORD_WORDS],
    ) -> Option<Self> {
        let record = FaultRecord::decode(words)?;
        let site = sites.get(record.site as usize)?.clone();
        Some(IndexFault { kernel: kernel.to_owned(), site, record })
    }
}

impl From<IndexFault> for Report {
    fn from(fault: IndexFault) -> Report {
        let text = fault.to_string();
        let help = text.split_once("= help: ").map_or("", |(_, help)| help).to_owned();
        let IndexFault { kernel, site, record } = fault;
        Report {
            message: text.lines().next().unwrap_or_default().to_owned(),
            location: Some(SourceLocation {
                file: site.file.to_string(),
                line: site.line,
                column: site.column,
            }),
            kernel,
            block: record.block,
            thread: record.thread,
            help,
            ..Report::new(ReportKind::OutOfBounds)
        }
    }
}

impl fmt::Display for IndexFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kernel, site, record } = self;
        let FaultRecord { index, length, block, thread, .. } = record;
        let array = match site.array.as_str() {
            "" => "the array".to_owned(),
            name => format!("`{name}`"),
        };
        let (what, guard) = match site.what {
            IndexKind::Slice => (format!("{array} has {length} elements"), "if i < x.len() { .. }"),
            IndexKind::Assertion => (String::new(), ""),
            IndexKind::Array => {
                (format!("the array has {length} elements"), "if i < a.len() { .. }")
            }
            IndexKind::SharedAxis(axis) => (
                format!("axis {axis} of {array} has an extent of {length}"),
                "if i < extent { .. }",
            ),
        };
        let triple = |[x, y, z]: &[u32; 3]| format!("({x},{y},{z})");
        let (block, thread) = (triple(block), triple(thread));
        if site.what == IndexKind::Assertion {
            writeln!(f, "{}", site.array)?;
            writeln!(f, "  --> {}:{}:{}", site.file, site.line, site.column)?;
            writeln!(f, "   = kernel `{kernel}`, thread {thread} of block {block}")?;
            return write!(f, "   = help: what the thread printed is in the program's output");
        }
        writeln!(f, "index {index} is out of bounds: {what}")?;
        writeln!(f, "  --> {}:{}:{}", site.file, site.line, site.column)?;
        writeln!(f, "   = kernel `{kernel}`, thread {thread} of block {block}")?;
        write!(f, "   = help: guard the access, as in `{guard}`, or launch fewer threads")
    }
}
