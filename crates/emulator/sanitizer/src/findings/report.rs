//! Findings as plain data.

use crate::findings::kinds::ReportKind;
use lanework_engine::fault::{Fault, NearAllocation, SourceLocation};
use std::fmt;

/// The access that a race is with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OtherAccess {
    /// The source position of its instruction, where the module tells.
    pub location: Option<SourceLocation>,
    /// The line in the PTX text, 0 when unknown.
    pub text_line: u32,
    /// The calls that its instruction is inside of, the innermost first.
    pub callers: Vec<SourceLocation>,
    /// Its instruction, as PTX writes its name.
    pub instruction: String,
    /// Its block.
    pub block: [u32; 3],
    /// Its thread.
    pub thread: [u32; 3],
}

/// A place in a kernel.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CodeLocation {
    /// The source position, where the module tells.
    pub location: Option<SourceLocation>,
    /// The line in the PTX text, 0 when unknown.
    pub text_line: u32,
}

impl fmt::Display for CodeLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&place(self.location.as_ref(), self.text_line))
    }
}

/// Two accesses that race.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccessPair {
    /// The one that was made later.
    pub access: CodeLocation,
    /// The other one.
    pub other: CodeLocation,
}

/// One thing that is wrong, however often it happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// What kind of error it is.
    pub kind: ReportKind,
    /// What happened first, in one line.
    pub message: String,
    /// The source position of the instruction, where the module tells.
    pub location: Option<SourceLocation>,
    /// The line in the PTX text, 0 when unknown.
    pub text_line: u32,
    /// The calls that the instruction is inside of, the innermost first.
    pub callers: Vec<SourceLocation>,
    /// The instruction, as PTX writes its name.
    pub instruction: String,
    /// The kernel.
    pub kernel: String,
    /// The block.
    pub block: [u32; 3],
    /// The thread in the block.
    pub thread: [u32; 3],
    /// The address accessed, if it has to do with one.
    pub address: Option<u64>,
    /// The size of the access in bytes, 0 when there is none.
    pub size: u32,
    /// The allocation or variable that is meant or nearest.
    pub allocation: Option<NearAllocation>,
    /// The other access of a race.
    pub other: Option<OtherAccess>,
    /// Further races that the same missing barrier explains.
    pub also: Vec<AccessPair>,
    /// What to do about it.
    pub help: String,
    /// How often it happened.
    pub count: u64,
}

impl Report {
    /// The report of a fault; `None` for faults that no check finds.
    pub fn from_fault(fault: Fault) -> Option<Report> {
        Some(Report {
            kind: ReportKind::from_fault(fault.kind)?,
            message: fault.message,
            location: fault.location,
            text_line: fault.text_line,
            callers: fault.callers,
            instruction: fault.instruction,
            kernel: fault.kernel,
            block: fault.block,
            thread: fault.thread,
            address: fault.address,
            size: fault.size,
            allocation: fault.allocation,
            other: None,
            also: Vec::new(),
            help: fault.help,
            count: 1,
        })
    }

    /// A read by the host of `bytes` bytes, of which those from `address` on were never written.
    pub fn host_read(bytes: u64, near: NearAllocation, address: u64) -> Report {
        Report {
            message: format!(
                "uninitialised copy to the host: {bytes} bytes of `{}`, in which nothing has written the byte at {}{:+}",
                near.name, near.name, near.offset
            ),
            address: Some(address),
            size: u32::try_from(bytes).unwrap_or(u32::MAX),
            allocation: Some(near),
            help: "let a kernel write all of it, or copy only what was written".to_owned(),
            ..Report::of_host(ReportKind::Uninitialized)
        }
    }

    /// A report of something that no kernel did.
    fn of_host(kind: ReportKind) -> Report {
        Report {
            kind,
            message: String::new(),
            location: None,
            text_line: 0,
            callers: Vec::new(),
            instruction: String::new(),
            kernel: String::new(),
            block: [0; 3],
            thread: [0; 3],
            address: None,
            size: 0,
            allocation: None,
            other: None,
            also: Vec::new(),
            help: String::new(),
            count: 1,
        }
    }

    /// Memory that is still allocated.
    pub fn leak(address: u64, bytes: u64, name: &str) -> Report {
        let name = name.to_owned();
        Report {
            message: format!("leak: {bytes} bytes of `{name}` were never freed"),
            address: Some(address),
            allocation: Some(NearAllocation { name, address, bytes, offset: 0, distance: 0 }),
            help: "drop the buffer, or free what was allocated by hand".to_owned(),
            ..Report::of_host(ReportKind::Leak)
        }
    }

    /// Of a race between operations of streams, what the two are: copies and fills have no place.
    pub fn operations(&self) -> Option<(&str, &str)> {
        let other = self.other.as_ref().filter(|_| self.kind.is_of_streams())?;
        Some((&self.instruction, &other.instruction))
    }

    /// Names a further race that the same missing barrier explains; copies of a line are one place.
    pub fn add_pair(&mut self, pair: AccessPair) {
        let line = |spot: &CodeLocation| match &spot.location {
            Some(at) => (at.file.clone(), at.line),
            None => (String::new(), spot.text_line),
        };
        let lines = |one: &AccessPair| [line(&one.access), line(&one.other)];
        let known = |one: &AccessPair| lines(one) == lines(&pair);
        if !self.also.iter().any(known) {
            self.also.push(pair);
        }
    }

    /// The line that it is at: of the source, else of the PTX text; 0 when unknown.
    pub fn line(&self) -> u32 {
        self.location.as_ref().map_or(self.text_line, |location| location.line)
    }
}

/// Merges reports into others; what is found at the same place counts there. Copies of a line, as an
/// unrolled loop has them, are one place.
pub fn merge(to: &mut Vec<Report>, found: Vec<Report>) {
    fn at(location: Option<&SourceLocation>, text_line: u32) -> (Option<&SourceLocation>, u32) {
        (location, if location.is_some() { 0 } else { text_line })
    }
    fn place(report: &Report) -> impl PartialEq + '_ {
        let other = report.other.as_ref();
        let other_at = other.map(|other| at(other.location.as_ref(), other.text_line));
        let place = (report.kind, at(report.location.as_ref(), report.text_line), other_at);
        (place, report.operations())
    }
    for report in found {
        match to.iter_mut().find(|known| place(known) == place(&report)) {
            Some(known) => {
                known.count += report.count;
                report.also.into_iter().for_each(|pair| known.add_pair(pair));
            }
            None => to.push(report),
        }
    }
}

fn place(location: Option<&SourceLocation>, text_line: u32) -> String {
    match location {
        Some(location) => location.to_string(),
        None if text_line > 0 => format!("line {text_line} of the PTX text"),
        None => "an unknown line".to_owned(),
    }
}
