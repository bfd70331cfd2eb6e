//! A kernel's page: its story, its text with counters by line, pictures of its accesses.

use super::climb::{Resources, Sampled};
use super::counters::Counters;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A ladder's story.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Story {
    /// The ladder.
    pub name: String,
    /// What it computes, in a line.
    pub title: String,
    /// The story in English and in Chinese.
    pub text: [String; 2],
}

/// The idea of a rung, in one language.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Header {
    /// The one idea.
    pub idea: String,
    /// The predicted counters.
    pub predicts: String,
    /// Its costs.
    pub costs: String,
}

/// A kernel.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Kernel {
    /// The ladder it is of; empty for a user's own.
    pub ladder: String,
    /// Its name in the ladder.
    pub name: String,
    /// The experiment that it reproduces, or `beyond`.
    pub experiment: String,
    /// The problem that it was counted on, in words.
    pub problem: String,
    /// Its header in English and in Chinese.
    pub header: Option<[Header; 2]>,
    /// What the emulator counted.
    pub profile: Option<Profile>,
    /// The source files that its lines are of.
    pub sources: Vec<Source>,
    /// Its PTX with counters by line.
    pub ptx: Option<Listing>,
    /// Its machine code, or why there is none.
    pub sass: Sass,
    /// Pictures of what a warp accesses.
    pub pictures: Vec<Picture>,
}

/// A profile, as `profile --json` prints it.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Profile {
    /// The entry.
    pub kernel: String,
    /// Blocks.
    pub grid: [u32; 3],
    /// Threads of a block.
    pub block: [u32; 3],
    /// The GPU that occupancy and caches are for.
    pub gpu: String,
    /// Present where only some blocks were counted.
    pub sampled: Option<Sampled>,
    /// What the kernel takes of a multiprocessor.
    pub resources: Resources,
    /// The counts of all instructions.
    pub counters: Counters,
    /// Warp instructions by class.
    pub classes: BTreeMap<String, u64>,
    /// Floating-point operations.
    pub flops: u64,
    /// Bytes of all sectors.
    pub sector_bytes: u64,
    /// Operations per such byte.
    pub intensity: Option<f64>,
    /// Lines of the source.
    pub lines: Vec<Line>,
    /// Modelled caches.
    pub modelled_caches: Option<Caches>,
}

/// A line of a source, or of PTX, with its counts.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Line {
    /// The file; `None` for PTX.
    pub file: Option<String>,
    /// The line, from 1.
    pub line: u32,
    /// PTX instructions, by number.
    pub instructions: Vec<u32>,
    /// Counts.
    pub counters: Counters,
    /// Floating-point operations.
    pub flops: u64,
    /// Its part of the kernel's weight.
    pub share: f64,
    /// Branches at which warps diverged.
    pub branches: Vec<Branch>,
    /// Remarks, in words.
    pub remarks: Vec<String>,
}

/// A branch at which warps diverged.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Branch {
    /// How often warps executed it.
    pub executions: u64,
    /// How often they diverged.
    pub divergent: u64,
}

/// Modelled caches.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Caches {
    /// Sectors that loads requested of the L1.
    pub l1_sectors: u64,
    /// Those that were there.
    pub l1_hits: u64,
    /// Sectors requested of the L2.
    pub l2_sectors: u64,
    /// Those that were there.
    pub l2_hits: u64,
}

/// A source file.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Source {
    /// Its path, as the lines name it.
    pub file: String,
    /// Its text.
    pub text: String,
}

/// A listing of PTX.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Listing {
    /// The text.
    pub text: String,
    /// Its counts, by the line of this text.
    pub lines: Vec<Line>,
    /// The line of the source, by the line of this text, where it is known.
    pub source: BTreeMap<u32, (String, u32)>,
}

/// Machine code.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Sass {
    /// The listing.
    pub text: Option<String>,
    /// The architecture it is for.
    pub target: String,
    /// The line of the source, by the line of the listing.
    pub source: BTreeMap<u32, (String, u32)>,
    /// Registers per thread that the assembler gave.
    pub registers: Option<u32>,
    /// Bytes of spills that it made, stores and loads.
    pub spills: Option<[u32; 2]>,
    /// Why there is none: `no-ptxas`, `no-lister`, `refused`.
    pub missing: String,
    /// What made it, or what else is known of why there is none.
    pub note: String,
}

/// What a warp accesses at a line.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Picture {
    /// The file.
    pub file: Option<String>,
    /// The line.
    pub line: u32,
    /// The code of the line.
    pub code: String,
    /// The block and the warp.
    pub warp: [u64; 2],
    /// The accesses.
    pub accesses: Vec<Access>,
}

/// An access of a warp.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Access {
    /// `global`, `shared`, `local` or `constant`.
    pub space: String,
    /// `load`, `store` or `atomic`.
    pub kind: String,
    /// Bytes of each lane.
    pub bytes: u32,
    /// Active lanes.
    pub lanes: u32,
    /// The stride, or how else the addresses go.
    pub pattern: String,
    /// What it costs.
    pub cost: Cost,
    /// The drawing, made by Lanework itself: never read from a file, so that no file can bring markup.
    #[serde(skip)]
    pub drawing: String,
}

/// What an access costs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Cost {
    /// Sectors, or wavefronts in shared memory.
    pub count: u64,
    /// The fewest that the same bytes need.
    pub optimal: u64,
}
