//! A failed bounds check of a safe launch.

use lanework_abi::{CheckSite, FaultRecord, IndexKind};
use lanework_emulator::SourceLocation;
use lanework_emulator::sanitize::{Report, ReportKind};
use std::fmt;

/// A failed bounds check of a safe launch: thread, index and source position.
#[derive(Clone, Debug, PartialEq)]
pub struct IndexFault {
    /// The kernel's name.
    pub kernel: String,
    /// The indexed slice or tile and its place in the source.
    pub site: CheckSite,
    /// The index, the length it should have been below, the block and the thread.
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
            kind: ReportKind::OutOfBounds,
            message: text.lines().next().unwrap_or_default().to_owned(),
            location: Some(SourceLocation {
                file: site.file.to_string(),
                line: site.line,
                column: site.column,
            }),
            text_line: 0,
            callers: Vec::new(),
            instruction: String::new(),
            kernel,
            block: record.block,
            thread: record.thread,
            address: None,
            size: 0,
            allocation: None,
            other: None,
            also: Vec::new(),
            help,
            count: 1,
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
