//! Memory operations (`cuStreamWaitValue`, `cuStreamWriteValue`), on streams and as graph nodes.

use crate::api::{api, warn};
use crate::graphs::nodes::{add, change, replace};
use crate::graphs::work::{Node, Work};
use crate::pointers::*;
use crate::state::{Handle, driver, lock, table};
use crate::status::{Result, Status};
use std::fmt;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// One operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryOp {
    /// Waits until a word of this many bytes satisfies a condition.
    Wait { address: u64, bytes: usize, value: u64, condition: WaitCondition },
    /// Writes a word of this many bytes.
    Write { address: u64, bytes: usize, value: u64 },
    /// A barrier. It has no effect, because operations are ordered anyway.
    Barrier(u32),
}

/// Wait conditions (`CUstreamWaitValue_flags`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum WaitCondition {
    /// At or after the value, with wraparound.
    NotBefore = 0,
    Equal = 1,
    /// A bit of the value is set.
    AnyOf = 2,
    /// A bit that is set in neither: `~(word | value)` is nonzero.
    NoneOf = 3,
}

/// Wait flag: flush remote writes. An H200 does not support it.
const FLUSH: u32 = 1 << 30;
/// Maximum operations per call.
const MOST: u32 = 256;

/// `CUstreamBatchMemOpParams`.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct MemOpParameters {
    operation: u32,
    /// For barriers and flushes.
    kind: u32,
    address: u64,
    value: u64,
    flags: u32,
    rest: [u32; 5],
}

abi!(MemOpParameters = 48, 8 { operation: 0, kind: 4, address: 8, value: 16, flags: 24, rest: 28 });

impl MemoryOp {
    /// Creates a wait from its flags.
    pub fn wait(address: u64, bytes: usize, value: u64, flags: u32) -> Result<MemoryOp> {
        if flags & FLUSH != 0 {
            return Err(Status::NotSupported);
        }
        let condition = match flags {
            0 => WaitCondition::NotBefore,
            1 => WaitCondition::Equal,
            2 => WaitCondition::AnyOf,
            3 => WaitCondition::NoneOf,
            _ => return Err(Status::InvalidValue),
        };
        MemoryOp::Wait { address, bytes, value, condition }.checked()
    }

    /// Creates a write from its flags.
    pub fn write(address: u64, bytes: usize, value: u64, flags: u32) -> Result<MemoryOp> {
        // GPUs since Volta do not support writes without a memory barrier.
        if flags != 0 {
            return Err(Status::InvalidValue);
        }
        MemoryOp::Write { address, bytes, value }.checked()
    }

    /// Checks address and alignment.
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

    /// Runs the operation. Returns false if it is a wait whose condition does not hold.
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

    /// Whether it is a wait.
    pub fn is_wait(&self) -> bool {
        matches!(self, MemoryOp::Wait { .. })
    }

    /// Converts it to C's struct.
    fn parameters(&self) -> MemOpParameters {
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
        MemOpParameters { operation, kind, address, value, flags, rest: [0; 5] }
    }
}

/// Reads a word.
fn word(address: u64, bytes: usize) -> Result<u64> {
    let mut word = [0; 8];
    driver()?.read(address, &mut word[..bytes])?;
    Ok(u64::from_le_bytes(word))
}

impl WaitCondition {
    fn holds(self, found: u64, value: u64, bytes: usize) -> bool {
        // Shift out the unused upper bits, which differences and complements may set.
        let unused = 64 - 8 * bytes as u32;
        let bits = |number: u64| number << unused;
        match self {
            WaitCondition::NotBefore => bits(found.wrapping_sub(value)).cast_signed() >= 0,
            WaitCondition::Equal => bits(found ^ value) == 0,
            WaitCondition::AnyOf => bits(found & value) != 0,
            WaitCondition::NoneOf => bits(!(found | value)) != 0,
        }
    }
}

impl fmt::Display for MemoryOp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let MemoryOp::Wait { address, bytes, value, condition } = *self else {
            return f.write_str("nothing");
        };
        let what = match condition {
            WaitCondition::NotBefore => format!("be at least {value:#x}"),
            WaitCondition::Equal => format!("be {value:#x}"),
            WaitCondition::AnyOf => format!("have a bit of {value:#x} set"),
            WaitCondition::NoneOf => format!("have a bit clear that {value:#x} also has clear"),
        };
        write!(f, "the {}-bit word at {address:#x} to {what}", 8 * bytes)?;
        match word(address, bytes) {
            Ok(found) => write!(f, "; it is {found:#x}"),
            Err(_) => f.write_str("; that address is not mapped"),
        }
    }
}

/// Runs operations. Blocks on waits.
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

/// How long a call waits for a word if nothing makes progress.
pub fn wait_limit() -> Duration {
    static SECONDS: OnceLock<u64> = OnceLock::new();
    let said = || std::env::var("LANEWORK_WAIT_SECONDS").ok()?.parse().ok();
    Duration::from_secs(*SECONDS.get_or_init(|| said().unwrap_or(30)))
}

/// Reports an endless wait.
pub fn report_endless_wait(what: &str) {
    let seconds = wait_limit().as_secs();
    let why = format!(
        "{what}, and nothing happened for {seconds} s\n  = help: write the word from another stream or thread before waiting for this \
         stream; LANEWORK_WAIT_SECONDS allows more time"
    );
    warn("a stream is blocked", &why);
}

/// Reads and checks the operations that a C program passes.
pub fn read(count: u32, parameters: In<'_, MemOpParameters>, flags: u32) -> Result<Vec<MemoryOp>> {
    if count > MOST || flags != 0 || (count > 0 && parameters.is_null()) {
        return Err(Status::InvalidValue);
    }
    let all = parameters.list(count as usize)?;
    let op = |&MemOpParameters { operation, kind, address, value, flags, .. }: &MemOpParameters| {
        match operation {
            1 => MemoryOp::wait(address, 4, value & 0xffff_ffff, flags),
            2 => MemoryOp::write(address, 4, value & 0xffff_ffff, flags),
            3 => Err(Status::NotSupported), // flush of remote writes
            4 => MemoryOp::wait(address, 8, value, flags),
            5 => MemoryOp::write(address, 8, value, flags),
            6 if kind <= 1 => Ok(MemoryOp::Barrier(kind)),
            _ => Err(Status::InvalidValue),
        }
    };
    all.iter().map(op).collect()
}

/// The operations as an array of C's structs, in words.
pub fn words(ops: &[MemoryOp]) -> Vec<usize> {
    let words = |op: &MemoryOp| {
        let MemOpParameters { operation, kind, address, value, flags, .. } = op.parameters();
        let pair = |low: u32, high: u32| (u64::from(high) << 32 | u64::from(low)) as usize;
        [pair(operation, kind), address as usize, value as usize, pair(flags, 0), 0, 0]
    };
    ops.iter().flat_map(words).collect()
}

/// `CUDA_BATCH_MEM_OP_NODE_PARAMS`.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct BatchMemOpParameters {
    context: Handle,
    count: u32,
    operations: *const MemOpParameters,
    flags: u32,
}

abi!(BatchMemOpParameters = 32, 8 { context: 0, count: 8, operations: 16, flags: 24 });

/// Queues one operation on a word of device memory.
fn queue(stream: Handle, address: u64, bytes: usize, op: Result<MemoryOp>) -> Result {
    driver()?.stream(stream)?;
    let op = op?;
    known(address, bytes)?;
    driver()?.submit(stream, Work::Memory(vec![op]))
}

/// Checks that a word is device memory, now or when the graph runs.
fn known(address: u64, bytes: usize) -> Result {
    match driver()?.graph_spans(address, bytes) {
        true => Ok(()),
        false => driver()?.check_range(address, bytes),
    }
}

/// Queues several operations.
fn batch(stream: Handle, count: u32, all: In<'_, MemOpParameters>, flags: u32) -> Result {
    driver()?.stream(stream)?;
    let ops = read(count, all, flags)?;
    for op in &ops {
        if let MemoryOp::Wait { address, bytes, .. } | MemoryOp::Write { address, bytes, .. } = *op
        {
            known(address, bytes)?;
        }
    }
    driver()?.submit(stream, Work::Memory(ops))
}

/// The work of a node.
pub fn operations(parameters: In<'_, BatchMemOpParameters>) -> Result<Work> {
    let parameters = parameters.get()?;
    let BatchMemOpParameters { count, operations, flags, .. } = parameters;
    // SAFETY: the struct comes from a caller of the driver, who passes `operations` with `count` elements.
    let operations = unsafe { In::new(operations) };
    Ok(Work::Memory(read(count, operations, flags)?))
}

/// Stores a node's parameters. The node owns the operations until the next query.
pub fn show_operations(node: &Node, to: Out<'_, BatchMemOpParameters>) -> Result {
    let Work::Memory(ops) = &*node.work() else { return Err(Status::InvalidValue) };
    let mut shown = lock(&node.shown);
    *shown = words(ops);
    let (count, operations) = (ops.len() as u32, shown.as_ptr().cast());
    to.store(BatchMemOpParameters { context: 0, count, operations, flags: 0 })
}

macro_rules! waits_and_writes {
    ($($name:ident $value:ty, $op:ident;)*) => {
        api! {
            $(fn $name(stream: Handle, address: u64, value: $value, flags: u32) {
                let bytes = size_of::<$value>();
                queue(stream, address, bytes, MemoryOp::$op(address, bytes, u64::from(value), flags))
            })*

            fn cuStreamBatchMemOp(stream: Handle, count: u32, all: In<'_, MemOpParameters>, flags: u32) {
                batch(stream, count, all, flags)
            }

            fn cuStreamBatchMemOp_v2(stream: Handle, count: u32, all: In<'_, MemOpParameters>, flags: u32) {
                batch(stream, count, all, flags)
            }

            fn cuGraphAddBatchMemOpNode(node: Out<'_, Handle>, graph: Handle, after: In<'_, Handle>, count: usize, parameters: In<'_, BatchMemOpParameters>) {
                add(node, graph, after, count, operations(parameters)?)
            }

            fn cuGraphBatchMemOpNodeGetParams(node: Handle, parameters: Out<'_, BatchMemOpParameters>) {
                show_operations(&*table::<Node>().some(node)?, parameters)
            }

            fn cuGraphBatchMemOpNodeSetParams(node: Handle, parameters: In<'_, BatchMemOpParameters>) {
                change(node, operations(parameters)?)
            }

            fn cuGraphExecBatchMemOpNodeSetParams(executable: Handle, node: Handle, parameters: In<'_, BatchMemOpParameters>) {
                replace(executable, node, operations(parameters)?)
            }
        }
    };
}

waits_and_writes! {
    cuStreamWaitValue32 u32, wait;
    cuStreamWaitValue32_v2 u32, wait;
    cuStreamWaitValue64 u64, wait;
    cuStreamWaitValue64_v2 u64, wait;
    cuStreamWriteValue32 u32, write;
    cuStreamWriteValue32_v2 u32, write;
    cuStreamWriteValue64 u64, write;
    cuStreamWriteValue64_v2 u64, write;
}

#[cfg(test)]
mod tests;
