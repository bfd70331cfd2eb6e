//! The contents of a report as plain data, read from the JSON output of the commands: climbs and sweeps (`climb
//! --json`, `sweep --json`), profiles (`profile --json`) and timed kernels. The page omits missing fields and ignores
//! unknown ones.

mod climb;
mod counters;
mod kernel;
mod read;

pub use climb::{
    Accuracy, Ceilings, Climb, Device, Histogram, Host, Resources, Rung, Sampled, Sweep, Time,
};
pub use counters::Counters;
pub use kernel::{
    Access, Branch, Caches, Cost, Header, Kernel, Line, Listing, Picture, Profile, Sample, Sass,
    Source, Story, Subject, Summary, Timed,
};

use serde::{Deserialize, Serialize};

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
