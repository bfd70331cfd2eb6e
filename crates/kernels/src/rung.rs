//! Rungs and ladders as data.

use lanework::{Device, Prepared, Result};

/// A kernel of a ladder that works on `P`, a problem with its buffers on a device.
#[derive(Clone, Copy)]
pub struct Rung<P> {
    /// What the rung is, apart from the problem it works on.
    pub info: RungInfo,
    /// Compiles the kernel for a problem; running what it returns solves the problem once.
    pub prepare: for<'a> fn(&'a mut P, &Device) -> Result<Prepared<'a>>,
}

/// What a rung is called and where it stands.
#[derive(Clone, Copy, Debug)]
pub struct RungInfo {
    /// Name, unique in its ladder.
    pub name: &'static str,
    /// The experiment of the notes that it reproduces, or `beyond`.
    pub experiment: &'static str,
    /// The text of its file.
    pub source: &'static str,
}

/// The header of a rung's file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Header {
    /// The one idea.
    pub idea: String,
    /// What the counters will show.
    pub predicts: String,
    /// What it costs.
    pub costs: String,
}

/// A ladder, for lists and help.
#[derive(Clone, Debug)]
pub struct Ladder {
    /// Name on the command line.
    pub name: &'static str,
    /// What is computed, in a line.
    pub title: &'static str,
    /// Rungs from the bottom up.
    pub rungs: Vec<RungInfo>,
}

impl RungInfo {
    /// The header, read from the `//!` lines on top of the rung's file.
    pub fn header(&self) -> Header {
        let mut header = Header::default();
        let mut field = None;
        for line in self.source.lines().map_while(|line| line.strip_prefix("//!")).map(str::trim) {
            let opened =
                ["Idea:", "Predicts:", "Costs:"].into_iter().find(|key| line.starts_with(key));
            field = opened.or(field).filter(|_| !line.is_empty());
            let text = match field {
                Some("Idea:") => &mut header.idea,
                Some("Predicts:") => &mut header.predicts,
                Some(_) => &mut header.costs,
                None => continue,
            };
            if !text.is_empty() {
                text.push(' ');
            }
            text.push_str(line.strip_prefix(opened.unwrap_or_default()).unwrap_or(line).trim());
        }
        header
    }
}
