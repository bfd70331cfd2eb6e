//! Messages to and from a worker process: plain data, with arenas in separate files.
//!
//! An arena is one allocation with all arrays of a problem and canaries around each. The judge draws its bytes and
//! compares them afterwards; the worker only copies them to and from the device and knows no expected results.

use crate::task::Shape;
use lanework_lab::TimedRecord;
use lanework_runtime::Dim3;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A source to compile.
#[derive(Debug, Serialize, Deserialize)]
pub struct CompileOrder {
    /// Its name in messages.
    pub name: String,
    /// CUDA C++.
    pub source: String,
}

/// The outcome of a compilation.
#[derive(Debug, Serialize, Deserialize)]
pub enum Compiled {
    /// PTX.
    Ptx(String),
    /// The compiler's log.
    Refused(String),
    /// No compiler is available.
    Missing(String),
}

/// Launches of a kernel on a device.
#[derive(Debug, Serialize, Deserialize)]
pub struct LaunchOrder {
    /// The device, as accepted by `Device::open`.
    pub device: String,
    /// The PTX.
    pub ptx: String,
    /// The kernel.
    pub entry: String,
    /// Launches, each on its own arena. The arena after run `i` is written to `i.after`.
    pub runs: Vec<RunOrder>,
    /// The run to time, on copies of its arena, and its position among the runs.
    pub timed: Option<TimeOrder>,
}

/// One launch.
#[derive(Debug, Serialize, Deserialize)]
pub struct RunOrder {
    /// Its grid, block and the rest.
    pub shape: ShapeOrder,
    /// The kernel's arguments, in order.
    pub arguments: Vec<Slot>,
}

/// An argument.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Slot {
    /// An array, by its offset in the arena.
    Offset(u64),
    /// The bytes of a number.
    Bytes(Vec<u8>),
}

/// The shape of a launch.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct ShapeOrder {
    grid: [u32; 3],
    block: [u32; 3],
    shared: u32,
    cluster: Option<[u32; 3]>,
    cooperative: bool,
}

/// A timing request.
#[derive(Debug, Serialize, Deserialize)]
pub struct TimeOrder {
    /// The run whose arena is copied; the runs up to and including it launch before timing, the others after.
    pub run: usize,
    /// Bytes and operations of the work, if the task states them.
    pub work: Option<(u64, u64)>,
    /// Bytes that a launch touches.
    pub touched: u64,
    /// Bytes per element.
    pub element_bytes: Option<usize>,
    /// The problem by name, for the record.
    pub problem: BTreeMap<String, String>,
    /// Maximum seconds of sampling.
    pub seconds: u64,
}

/// The results of the launches.
#[derive(Debug, Serialize, Deserialize)]
pub struct Answer {
    /// Number of completed runs.
    pub runs: usize,
    /// Copies of the timed arena, each written to `i.timed`.
    pub copies: usize,
    /// The measured time.
    pub time: Option<TimedRecord>,
    /// Why it ended early.
    pub failed: Option<String>,
}

impl From<Shape> for ShapeOrder {
    fn from(shape: Shape) -> Self {
        ShapeOrder {
            grid: shape.grid.to_array(),
            block: shape.block.to_array(),
            shared: shape.dynamic_shared,
            cluster: shape.cluster.map(Dim3::to_array),
            cooperative: shape.cooperative,
        }
    }
}

impl From<ShapeOrder> for Shape {
    fn from(order: ShapeOrder) -> Self {
        let mut shape = Shape::new(order.grid, order.block).shared_bytes(order.shared);
        if let Some(cluster) = order.cluster {
            shape = shape.cluster(cluster);
        }
        if order.cooperative { shape.cooperative() } else { shape }
    }
}
