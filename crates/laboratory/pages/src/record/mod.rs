//! The contents of a report as plain data, read from the JSON output of the commands: climbs and sweeps (`climb
//! --json`, `sweep --json`), profiles (`profile --json`) and timed kernels. The page omits missing fields and ignores
//! unknown ones.
//! A kernel has its story, its text with line counters, pictures of its accesses, and timed samples.

mod climb;
mod read;

pub use climb::{
    Accuracy, Ceilings, Climb, Counters, Device, Histogram, Host, PredictedTime, Resources, Rung,
    Sampled, Sweep, Time,
};

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The contents of one report.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Report {
    /// Creation time, RFC 3339.
    pub taken: String,
    /// Version of Lanework.
    pub version: String,
    /// Whether the report opens in Chinese if the browser states no language.
    pub chinese: bool,
    /// The stories of the ladders.
    pub stories: Vec<Story>,
    /// Climbs: times from GPUs, counts from the emulator.
    pub climbs: Vec<Climb>,
    /// Sweeps.
    pub sweeps: Vec<Sweep>,
    /// Kernels with their sources and line counters.
    pub kernels: Vec<Kernel>,
    /// Timed kernels with every sample.
    pub timed: Vec<Timed>,
    /// Ceilings of GPUs, nominal and measured.
    pub ceilings: Vec<Ceilings>,
}

impl Report {
    /// The climbs of a ladder; those on GPUs come first.
    pub fn climbs_of(&self, ladder: &str) -> Vec<&Climb> {
        let mut found: Vec<&Climb> =
            self.climbs.iter().filter(|climb| climb.ladder == ladder).collect();
        found.sort_by_key(|climb| !climb.timed());
        found
    }

    /// The names of all ladders with data, in the order of the stories.
    pub fn ladders(&self) -> Vec<&str> {
        let stories = self.stories.iter().map(|story| story.name.as_str());
        let climbs = self.climbs.iter().map(|climb| climb.ladder.as_str());
        let mut names: Vec<&str> = Vec::new();
        for name in stories.chain(climbs) {
            let known = self.climbs.iter().any(|climb| climb.ladder == name)
                || self.kernels.iter().any(|kernel| kernel.ladder == name);
            if known && !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }

    /// Whether every figure is of a kernel whose result was compared: a profile of a user's kernel compares nothing.
    pub fn compares(&self) -> bool {
        self.kernels.iter().all(|kernel| !kernel.ladder.is_empty())
    }

    /// The story of a ladder.
    pub fn story(&self, ladder: &str) -> Option<&Story> {
        self.stories.iter().find(|story| story.name == ladder)
    }

    /// The kernel of a rung.
    pub fn kernel(&self, ladder: &str, rung: &str) -> Option<&Kernel> {
        self.kernels.iter().find(|kernel| kernel.ladder == ladder && kernel.name == rung)
    }

    /// The ceilings of the GPU with this name, or a similar one.
    pub fn ceilings_of(&self, device: &str) -> Option<&Ceilings> {
        let exact = self.ceilings.iter().find(|one| one.gpu == device);
        exact.or_else(|| {
            let contains = |one: &&Ceilings| !one.gpu.is_empty() && device.contains(&one.gpu);
            self.ceilings.iter().find(contains)
        })
    }
}

/// A ladder's story.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Story {
    /// The ladder.
    pub name: String,
    /// A one-line description of its result.
    pub title: String,
    /// The story in English and in Chinese.
    pub text: [String; 2],
}

/// The idea of a rung, in one language.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Header {
    /// The idea of the rung.
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
    /// Its ladder; empty for a user's kernel.
    pub ladder: String,
    /// Its name in the ladder.
    pub name: String,
    /// The experiment that it reproduces, or `beyond`.
    pub experiment: String,
    /// The counted problem, as text.
    pub problem: String,
    /// Its header in English and in Chinese.
    pub header: Option<[Header; 2]>,
    /// The emulator's profile.
    pub profile: Option<Profile>,
    /// The source files that its lines refer to.
    pub sources: Vec<Source>,
    /// Its PTX with line counters.
    pub ptx: Option<Listing>,
    /// Its machine code, or the reason why it is missing.
    pub sass: Sass,
    /// Pictures of warp accesses.
    pub pictures: Vec<Picture>,
    /// The time that the model predicts, for a user's kernel.
    pub predicted: Option<PredictedTime>,
}

/// A profile, as printed by `profile --json`.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Profile {
    /// The entry.
    pub kernel: String,
    /// Blocks.
    pub grid: [u32; 3],
    /// Threads of a block.
    pub block: [u32; 3],
    /// The GPU assumed for occupancy and caches.
    pub gpu: String,
    /// Set if only some blocks were counted.
    pub sampled: Option<Sampled>,
    /// The resources of the kernel.
    pub resources: Resources,
    /// The total counters.
    pub counters: Counters,
    /// Warp instructions by class.
    pub classes: BTreeMap<String, u64>,
    /// Floating-point operations.
    pub flops: u64,
    /// Bytes in all sectors.
    pub sector_bytes: u64,
    /// Operations per byte.
    pub intensity: Option<f64>,
    /// Lines of the source.
    pub lines: Vec<Line>,
    /// Modeled caches.
    pub modeled_caches: Option<Caches>,
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
    /// Its fraction of the kernel's weight.
    pub share: f64,
    /// Divergent branches.
    pub branches: Vec<Branch>,
    /// Remarks, as text.
    pub remarks: Vec<String>,
}

/// A divergent branch.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Branch {
    /// Number of warp executions.
    pub executions: u64,
    /// Number of divergent executions.
    pub divergent: u64,
}

/// Modeled caches.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Caches {
    /// Sectors that loads requested of the L1.
    pub l1_sectors: u64,
    /// L1 hits.
    pub l1_hits: u64,
    /// Sectors requested of the L2.
    pub l2_sectors: u64,
    /// L2 hits.
    pub l2_hits: u64,
}

/// A source file.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Source {
    /// Its path, as lines refer to it.
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
    /// Its counters, by line of this text.
    pub lines: Vec<Line>,
    /// The source line, by line of this text, if known.
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
    /// The source line, by line of the listing.
    pub source: BTreeMap<u32, (String, u32)>,
    /// Registers per thread, as allocated by the assembler.
    pub registers: Option<u32>,
    /// Bytes of spill stores and spill loads.
    pub spills: Option<[u32; 2]>,
    /// Why the listing is missing: `no-ptxas`, `no-lister`, `refused`.
    pub missing: String,
    /// The tool that made it, or details of why it is missing.
    pub note: String,
}

/// The accesses of a warp at a source line.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Picture {
    /// The file.
    pub file: Option<String>,
    /// The line.
    pub line: u32,
    /// The code of the line.
    pub code: String,
    /// Numbers of the block and the warp.
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
    /// Bytes per lane.
    pub bytes: u32,
    /// Active lanes.
    pub lanes: u32,
    /// The stride, or another description of the address pattern.
    pub pattern: String,
    /// Its cost.
    pub cost: Cost,
    /// The drawing, rendered by Lanework. Never read from a file, to prevent injected markup.
    #[serde(skip)]
    pub drawing: String,
}

/// The cost of an access.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Cost {
    /// Sectors, or wavefronts in shared memory.
    pub count: u64,
    /// The minimum for the same bytes.
    pub optimal: u64,
}

/// A timed kernel.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Timed {
    /// Time of the measurement, RFC 3339.
    pub taken: String,
    /// The measured kernel.
    pub subject: Subject,
    /// The device.
    pub device: Device,
    /// Revision of the user's checkout.
    pub revision: Option<String>,
    /// The problem, by name.
    pub problem: BTreeMap<String, String>,
    /// Every sample.
    pub samples: Vec<Sample>,
    /// Summary of the samples.
    pub summary: Summary,
    /// Why the figure cannot be right.
    pub invalid: Option<String>,
    /// The accuracy of its result.
    pub accuracy: Option<Accuracy>,
}

/// The measured kernel.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Subject {
    /// `rung`, `kernel`, `operation` or `peer`.
    pub kind: String,
    /// Its name.
    pub name: String,
    /// The ladder.
    pub ladder: Option<String>,
    /// The file.
    pub file: Option<String>,
}

/// One sample.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Sample {
    /// Nanoseconds.
    pub ns: f64,
    /// Clock of the multiprocessors.
    pub sm_mhz: Option<f64>,
    /// Power.
    pub watts: Option<f64>,
    /// Temperature.
    pub celsius: Option<f64>,
    /// Whether the clock differed from the settled one.
    pub off_clock: bool,
}

/// Summary of samples.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Summary {
    /// Median in nanoseconds.
    pub median_ns: f64,
    /// 95 % interval of the median.
    pub interval_ns: [f64; 2],
    /// Fastest sample.
    pub min_ns: f64,
    /// Number of samples.
    pub count: u64,
}
