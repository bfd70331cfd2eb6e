//! The picture that `lanework look` requests from a process: one warp's accesses at a line of one
//! launch.

use crate::Profile;
use crate::tool::launching::Launching;
use crate::tool::launching::machine;
use crate::tool::record::Picture;
use lanework_emulator::{Blocks, Fault, Keep, TraceConfig};
use lanework_report::{self as report, By, Extras};

/// Maximum number of a block's steps, and of accesses, in a picture.
const STEPS: usize = 1 << 20;

/// The launch, line, block and warp that a picture shows.
pub(in crate::tool) struct LookAt {
    /// The kernel; empty for the first one.
    pub(in crate::tool) kernel: String,
    /// Its launch, from 1.
    pub(in crate::tool) launch: u64,
    /// The line; `None` for the costliest.
    line: Option<u32>,
    block: u64,
    warp: u32,
}

impl LookAt {
    pub(in crate::tool) fn parse(text: &str) -> Option<LookAt> {
        let [kernel, launch, line, block, warp] =
            text.split('\t').collect::<Vec<_>>().try_into().ok()?;
        let line: u32 = line.parse().ok()?;
        Some(LookAt {
            kernel: kernel.to_owned(),
            launch: launch.parse().ok()?,
            line: (line > 0).then_some(line),
            block: block.parse().ok()?,
            warp: warp.parse().ok()?,
        })
    }

    /// The requested accesses, from runs on copies of the memory.
    pub(in crate::tool) fn picture(&self, launch: Launching<'_>) -> Result<Picture, Fault> {
        let twin = |stage: &str| {
            launch.emulator.copy().ok_or_else(|| {
                let kind = lanework_emulator::FaultKind::LimitExceeded;
                let help = "look at a launch with less memory";
                let what = format!("there is no room for a copy of the device's memory ({stage})");
                Fault::before_launch(kind, launch.config.entry, what, help)
            })
        };
        let counted = launch.count(&twin("counts")?)?;
        let profile = Profile::new(counted, launch.program, launch.config);
        let mut picture = Picture {
            profile,
            module: launch.module,
            refused: None,
            file: None,
            line: 0,
            instructions: Vec::new(),
            touches: Vec::new(),
            steps: Vec::new(),
        };
        let blocks = picture.profile.blocks;
        if self.block >= blocks {
            let what = format!("there is no block {}", self.block);
            picture.refused = Some((what, format!("the grid has blocks 0 to {}", blocks - 1)));
            return Ok(picture);
        }
        let machine = machine();
        let record =
            report::record(&picture.profile.counted(), Extras::default(), By::Source, &machine);
        let chosen = match report::choose(&record, self.line) {
            Ok(chosen) => chosen,
            Err(refused) => {
                picture.refused = Some(refused);
                return Ok(picture);
            }
        };
        let wanted = TraceConfig {
            steps: true,
            accesses: Keep::Of(chosen.instructions.clone()),
            most: STEPS,
            only: Some(self.block..self.block + 1),
        };
        let blocks = match launch.waits() {
            true => Blocks::All,
            false => Blocks::Range { first: self.block, count: 1 },
        };
        let trace = launch.trace(&twin("a trace")?, blocks, wanted)?;
        picture.touches = report::first_of_each(&trace.touches, self.warp);
        (picture.file, picture.line) = (chosen.file, chosen.line);
        (picture.instructions, picture.steps) = (chosen.instructions, trace.steps);
        Ok(picture)
    }
}
