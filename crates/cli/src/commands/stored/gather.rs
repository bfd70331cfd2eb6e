//! Gathers the data of a report on rungs: stories, sources, PTX and machine code with counters by line,
//! pictures of their accesses.

mod kernel;
mod listing;
mod sass;

pub use kernel::kernel;

use lanework_lab::{Gpu, Specs};
use lanework_ladders::{Ladder, Language, RungInfo};
use lanework_pages::record::{Ceilings, Header, Story};

/// The story of a ladder.
pub fn story(ladder: &Ladder) -> Story {
    Story {
        name: ladder.name.to_owned(),
        title: ladder.title.to_owned(),
        text: ladder.story.map(str::to_owned),
    }
}

/// The header of a rung in both languages.
fn header(rung: &RungInfo) -> [Header; 2] {
    [Language::English, Language::Chinese].map(|language| {
        let lanework_ladders::Header { idea, predicts, costs } = rung.header(language);
        Header { idea, predicts, costs }
    })
}

/// The nominal ceilings of the GPU of this name; `None` if it is not in the table.
pub fn ceilings(specs: &Specs, device: &str) -> Option<Ceilings> {
    let Gpu { bandwidth_gb_s, fp32_tflops, bf16_tflops, source, .. } = specs.gpu(device)?;
    Some(Ceilings {
        gpu: device.to_owned(),
        bandwidth: *bandwidth_gb_s,
        fp32: 1000.0 * fp32_tflops,
        tensor: bf16_tflops.map(|rate| 1000.0 * rate),
        source: source.clone(),
        ..Ceilings::default()
    })
}
