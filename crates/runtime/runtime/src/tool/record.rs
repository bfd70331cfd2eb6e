//! The records that a tool writes about a program.

use super::codec::{Field, fields};
use crate::{Counters, Profile};
use lanework_emulator::sanitize::Report;
use lanework_emulator::saved::{SavedAllocation, SavedLaunch};
use lanework_emulator::{Fault, Place, TracedAccess};
use lanework_report::{CacheRecord, Extras, InstructionProfile, Resources};

/// One event of a process.
#[derive(Clone, Debug, PartialEq)]
pub enum Record {
    /// The process itself, first in its file.
    Process(Process),
    /// The PTX of a kernel: its name, a number within the process, and the text.
    Module(String, u64, String),
    /// A launch, before it runs.
    Launch(Launched),
    /// The findings and the fault of a launch.
    Findings(Box<Findings>),
    /// The counts of a launch.
    Profile(Box<Profiled>),
    /// An activity on the host's clock, for a timeline.
    Activity(Box<Activity>),
    /// The accesses of one warp at one line.
    Picture(Box<Picture>),
    /// A launch's predicted time.
    Predicted(Box<Predicted>),
    /// A launch with its memory, before it runs.
    Saved(Box<Saved>),
    /// A note for users of the tool.
    Note(String),
    /// Work of the program that the tool could not check.
    Unchecked(String),
}

/// A process of the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Process {
    /// Process id.
    pub id: u32,
    /// Command line.
    pub command: Vec<String>,
}

/// A launch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launched {
    /// The kernel.
    pub kernel: String,
    /// Blocks.
    pub grid: [u32; 3],
    /// Threads of a block.
    pub block: [u32; 3],
}

/// The findings and the fault of a launch.
#[derive(Clone, Debug, PartialEq)]
pub struct Findings {
    /// The kernel.
    pub kernel: String,
    /// The number of its module, if it was text.
    pub module: Option<u64>,
    /// The findings.
    pub found: Vec<Report>,
    /// The fault that stopped it early.
    pub stopped: Option<Fault>,
}

/// The counts of a launch.
#[derive(Clone, Debug, PartialEq)]
pub struct Profiled {
    /// The counts.
    pub profile: Profile,
    /// The number of the kernel's module, if it was text.
    pub module: Option<u64>,
    /// The first access of each instruction, in the first launch of each kernel and shape.
    pub touches: Vec<TracedAccess>,
    /// Modeled caches of the same launch.
    pub caches: Option<CacheRecord>,
}

/// An activity that took time on the host.
#[derive(Clone, Debug, PartialEq)]
pub struct Activity {
    /// Its name: a kernel's name, `upload`, `download`.
    pub what: String,
    /// The thread of the host.
    pub thread: u64,
    /// Its start, in microseconds since the epoch.
    pub start_us: u64,
    /// Its duration in microseconds.
    pub took_us: u64,
    /// Copied bytes; 0 for a launch.
    pub bytes: u64,
    /// The launch and its counts; `None` for a copy.
    pub launch: Option<(Launched, Counters)>,
}

/// The predicted time of a launch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Predicted {
    /// The launch.
    pub launch: Launched,
    /// The number of the kernel's module, if it was text.
    pub module: Option<u64>,
    /// The prediction, as JSON.
    pub json: String,
    /// Whether only the traced blocks ran.
    pub partial: bool,
}

/// A launch, and what changed in memory since the saved launch before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Saved {
    /// The launch.
    pub launch: SavedLaunch,
    /// The number of the kernel's module, if it was text.
    pub module: Option<u64>,
    /// Why its memory is not saved; empty if it is.
    pub refused: String,
    /// The allocations.
    pub memory: Vec<SavedAllocation>,
}

/// The accesses of one warp at one line.
#[derive(Clone, Debug, PartialEq)]
pub struct Picture {
    /// The counts of the launch.
    pub profile: Profile,
    /// The number of the kernel's module, if it was text.
    pub module: Option<u64>,
    /// Why there is nothing to draw, and what to do.
    pub refused: Option<(String, String)>,
    /// The file of the line; `None` for the PTX.
    pub file: Option<String>,
    /// The line.
    pub line: u32,
    /// Its instructions.
    pub instructions: Vec<u32>,
    /// Their first accesses by the warp.
    pub touches: Vec<TracedAccess>,
    /// The steps of the block: each instruction with its active lanes.
    pub steps: Vec<(Place, u32)>,
}

fields! {
    Process { id, command }
    Launched { kernel, grid, block }
    Findings { kernel, module, found, stopped }
    Profiled { profile, module, touches, caches }
    Activity { what, thread, start_us, took_us, bytes, launch }
    Predicted { launch, module, json, partial }
    Picture { profile, module, refused, file, line, instructions, touches, steps }
    Saved { launch, module, refused, memory }
    SavedLaunch { entry, grid, block, dynamic_shared, cluster, cooperative, arguments, variables }
    SavedAllocation { address, bytes, name, of_module, constant, fill, changes }
}

impl Field for Profile {
    fn put(&self, to: &mut Vec<u8>) {
        self.kernel.put(to);
        self.grid.to_array().put(to);
        self.block.to_array().put(to);
        self.dynamic_shared.put(to);
        self.resources.put(to);
        self.instructions.put(to);
        (self.blocks_run, self.blocks).put(to);
    }
    fn take(from: &mut &[u8]) -> Option<Profile> {
        let kernel = String::take(from)?;
        let [grid, block] = [<[u32; 3]>::take(from)?, <[u32; 3]>::take(from)?];
        let (dynamic_shared, resources) = (u32::take(from)?, Resources::take(from)?);
        let instructions = Vec::<InstructionProfile>::take(from)?;
        let (blocks_run, blocks) = Field::take(from)?;
        let counters = Counters::sum(instructions.iter().map(|one| &one.counters));
        let (grid, block) = (grid.into(), block.into());
        Some(Profile {
            kernel,
            grid,
            block,
            dynamic_shared,
            resources,
            counters,
            instructions,
            blocks_run,
            blocks,
        })
    }
}

impl Field for Record {
    fn put(&self, to: &mut Vec<u8>) {
        match self {
            Record::Process(process) => (0u8, process.clone()).put(to),
            Record::Module(kernel, id, text) => {
                (1u8, (kernel.clone(), (*id, text.clone()))).put(to);
            }
            Record::Launch(launch) => (2u8, launch.clone()).put(to),
            Record::Findings(findings) => (3u8, findings.clone()).put(to),
            Record::Profile(profiled) => (4u8, profiled.clone()).put(to),
            Record::Activity(activity) => (5u8, activity.clone()).put(to),
            Record::Picture(picture) => (6u8, picture.clone()).put(to),
            Record::Note(note) => (7u8, note.clone()).put(to),
            Record::Unchecked(why) => (8u8, why.clone()).put(to),
            Record::Predicted(predicted) => (9u8, predicted.clone()).put(to),
            Record::Saved(saved) => {
                10u8.put(to);
                saved.put(to);
            }
        }
    }
    fn take(from: &mut &[u8]) -> Option<Record> {
        Some(match u8::take(from)? {
            0 => Record::Process(Field::take(from)?),
            1 => {
                let (kernel, (id, text)) = Field::take(from)?;
                Record::Module(kernel, id, text)
            }
            2 => Record::Launch(Field::take(from)?),
            3 => Record::Findings(Field::take(from)?),
            4 => Record::Profile(Field::take(from)?),
            5 => Record::Activity(Field::take(from)?),
            6 => Record::Picture(Field::take(from)?),
            7 => Record::Note(Field::take(from)?),
            8 => Record::Unchecked(Field::take(from)?),
            9 => Record::Predicted(Field::take(from)?),
            10 => Record::Saved(Field::take(from)?),
            _ => return None,
        })
    }
}

impl Profiled {
    /// The data that a report needs in addition to the counts.
    pub fn extras(&self) -> Extras {
        Extras { touches: self.touches.clone(), caches: self.caches.clone() }
    }
}
