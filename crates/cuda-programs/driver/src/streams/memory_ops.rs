//! Operations on words of memory in the order of a stream: waits for a value, and writes.

use crate::api::say;
use crate::pointers::{In, abi};
use crate::state::driver;
use crate::status::{Result, Status};
use std::fmt;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// One operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryOp {
    /// Waits until a word of so many bytes is as the condition says of a value.
    Wait { address: u64, bytes: usize, value: u64, condition: Condition },
    /// Writes a word of so many bytes.
    Write { address: u64, bytes: usize, value: u64 },
    /// Orders what stands before and behind, which is ordered anyway.
    Barrier(u32),
}

/// Conditions of a wait (`CUstreamWaitValue_flags`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Condition {
    /// Not before the value, in the order of numbers that wrap around.
    NotBefore = 0,
    Equal = 1,
    /// A bit is set that the value has.
    AnyOf = 2,
    /// A bit is clear that the value has not.
    NoneOf = 3,
}

/// Flags of a wait that ask for the writes of other devices to be flushed, which an H200 does not support.
const FLUSH: u32 = 1 << 30;
/// Flags of a write that leave out the barrier before it.
const NO_BARRIER: u32 = 1;

/// Operations of one call at most.
const MOST: u32 = 256;

/// `CUstreamBatchMemOpParams`.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Parameters {
    operation: u32,
    /// Of barriers and flushes.
    kind: u32,
    address: u64,
    value: u64,
    flags: u32,
    rest: [u32; 5],
}

abi!(Parameters = 48, 8 { operation: 0, kind: 4, address: 8, value: 16, flags: 24, rest: 28 });

impl MemoryOp {
    /// A wait, by its flags.
    pub fn wait(address: u64, bytes: usize, value: u64, flags: u32) -> Result<MemoryOp> {
        if flags & FLUSH != 0 {
            return Err(Status::NotSupported);
        }
        let condition = match flags {
            0 => Condition::NotBefore,
            1 => Condition::Equal,
            2 => Condition::AnyOf,
            3 => Condition::NoneOf,
            _ => return Err(Status::InvalidValue),
        };
        MemoryOp::Wait { address, bytes, value, condition }.checked()
    }

    /// A write, by its flags.
    pub fn write(address: u64, bytes: usize, value: u64, flags: u32) -> Result<MemoryOp> {
        if flags & !NO_BARRIER != 0 {
            return Err(Status::InvalidValue);
        }
        MemoryOp::Write { address, bytes, value }.checked()
    }

    /// Refuses an address that no word of the size has.
    fn checked(self) -> Result<MemoryOp> {
        match self {
            MemoryOp::Wait { address, bytes, .. } | MemoryOp::Write { address, bytes, .. }
                if address == 0 || !address.is_multiple_of(bytes as u64) =>
            {
                Err(Status::InvalidValue)
            }
            _ => Ok(self),
        }
    }

    /// What it does now; a wait is passed where its condition holds, and else is false.
    pub fn pass(&self) -> Result<bool> {
        let driver = driver()?;
        match *self {
            MemoryOp::Wait { address, bytes, value, condition } => {
                Ok(condition.holds(word(address, bytes)?, value, bytes))
            }
            MemoryOp::Write { address, bytes, value } => {
                driver.write(address, &value.to_le_bytes()[..bytes]).map(|()| true)
            }
            MemoryOp::Barrier(_) => Ok(true),
        }
    }

    /// Whether it may have to wait.
    pub fn is_wait(&self) -> bool {
        matches!(self, MemoryOp::Wait { .. })
    }

    /// As C reads it.
    fn parameters(&self) -> Parameters {
        let (operation, kind, address, value, flags) = match *self {
            MemoryOp::Wait { address, bytes: 4, value, condition } => {
                (1, 0, address, value, condition as u32)
            }
            MemoryOp::Wait { address, value, condition, .. } => {
                (4, 0, address, value, condition as u32)
            }
            MemoryOp::Write { address, bytes: 4, value } => (2, 0, address, value, 0),
            MemoryOp::Write { address, value, .. } => (5, 0, address, value, 0),
            MemoryOp::Barrier(kind) => (6, kind, 0, 0, 0),
        };
        Parameters { operation, kind, address, value, flags, rest: [0; 5] }
    }
}

/// A word of memory.
fn word(address: u64, bytes: usize) -> Result<u64> {
    let mut word = [0; 8];
    driver()?.read(address, &mut word[..bytes])?;
    Ok(u64::from_le_bytes(word))
}

impl Condition {
    fn holds(self, found: u64, value: u64, bytes: usize) -> bool {
        // The bits of the word; differences and complements have more.
        let unused = 64 - 8 * bytes as u32;
        let bits = |number: u64| number << unused;
        match self {
            Condition::NotBefore => bits(found.wrapping_sub(value)).cast_signed() >= 0,
            Condition::Equal => bits(found ^ value) == 0,
            Condition::AnyOf => bits(found & value) != 0,
            Condition::NoneOf => bits(!(found | value)) != 0,
        }
    }
}

impl fmt::Display for MemoryOp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let MemoryOp::Wait { address, bytes, value, condition } = *self else {
            return f.write_str("nothing");
        };
        let what = match condition {
            Condition::NotBefore => format!("at least {value:#x}"),
            Condition::Equal => format!("{value:#x}"),
            Condition::AnyOf => format!("with a bit of {value:#x}"),
            Condition::NoneOf => format!("without a bit beside {value:#x}"),
        };
        write!(f, "the {}-bit word at {address:#x} to be {what}", 8 * bytes)?;
        match word(address, bytes) {
            Ok(found) => write!(f, "; it is {found:#x}"),
            Err(_) => f.write_str("; no memory is there"),
        }
    }
}

/// Does operations, waiting here for what they wait for.
pub fn run(ops: &[MemoryOp]) -> Result {
    for op in ops {
        let began = Instant::now();
        while !op.pass()? {
            if began.elapsed() > wait_limit() {
                report_endless_wait(&format!("it waits for {op}"));
                return Err(Status::LaunchTimeout);
            }
            std::thread::sleep(Duration::from_micros(200));
        }
    }
    Ok(())
}

/// How long a call waits for a word while nothing else happens.
pub fn wait_limit() -> Duration {
    static SECONDS: OnceLock<u64> = OnceLock::new();
    let said = || std::env::var("LANEWORK_WAIT_SECONDS").ok()?.parse().ok();
    Duration::from_secs(*SECONDS.get_or_init(|| said().unwrap_or(30)))
}

/// Says that a wait is not over.
pub fn report_endless_wait(what: &str) {
    let seconds = wait_limit().as_secs();
    let why = format!(
        "{what}, and nothing happened for {seconds} s\n  = help: write the word from another stream or thread before waiting for this \
         stream; LANEWORK_WAIT_SECONDS allows more time"
    );
    say("a stream does not go on", &why);
}

/// The operations that C passes.
pub fn read(count: u32, parameters: In<'_, Parameters>, flags: u32) -> Result<Vec<MemoryOp>> {
    if count > MOST || flags != 0 || (count > 0 && parameters.is_null()) {
        return Err(Status::InvalidValue);
    }
    let all = parameters.list(count as usize)?;
    let op =
        |&Parameters { operation, kind, address, value, flags, .. }: &Parameters| match operation {
            1 => MemoryOp::wait(address, 4, value & 0xffff_ffff, flags),
            2 => MemoryOp::write(address, 4, value & 0xffff_ffff, flags),
            3 => Err(Status::NotSupported), // a flush of other devices' writes
            4 => MemoryOp::wait(address, 8, value, flags),
            5 => MemoryOp::write(address, 8, value, flags),
            6 if kind <= 1 => Ok(MemoryOp::Barrier(kind)),
            _ => Err(Status::InvalidValue),
        };
    all.iter().map(op).collect()
}

/// Words of the operations as C reads them.
pub fn words(ops: &[MemoryOp]) -> Vec<usize> {
    let words = |op: &MemoryOp| {
        let Parameters { operation, kind, address, value, flags, .. } = op.parameters();
        let pair = |low: u32, high: u32| (u64::from(high) << 32 | u64::from(low)) as usize;
        [pair(operation, kind), address as usize, value as usize, pair(flags, 0), 0, 0]
    };
    ops.iter().flat_map(words).collect()
}

#[cfg(test)]
mod tests;
