//! The contents of a picture, and the active lanes of a block's warps over time.
//!
//! Selects the line of a kernel for a picture, and its accesses.

use crate::record::ProfileRecord;
use lanework_emulator::{Place, TracedAccess};
use std::collections::BTreeMap;

/// The contents of a picture.
pub struct Picture {
    /// The kernel, the block and the warp.
    pub title: String,
    /// The line of code, with its place.
    pub code: String,
    /// One access of each of the line's instructions.
    pub touches: Vec<TracedAccess>,
    /// The warp of these accesses.
    pub warp: u32,
    /// The line's instructions.
    pub instructions: Vec<u32>,
    /// The block's instructions with their active lanes.
    pub steps: Vec<(Place, u32)>,
}

/// Columns of the strips that show divergence.
pub const COLUMNS: usize = 64;
/// Maximum number of strips.
pub const STRIPS: usize = 16;

/// Neighboring warps with equal activity over time.
pub struct Strip {
    /// The first and the last of the warps.
    pub warps: (u32, u32),
    /// Instructions of each warp.
    pub instructions: usize,
    /// Mean active lanes in each column of time.
    pub means: Vec<f64>,
}

impl Strip {
    /// The warps, as a label.
    pub fn name(&self) -> String {
        match self.warps {
            (first, last) if first == last => format!("warp {first}"),
            (first, last) => format!("warps {first}-{last}"),
        }
    }
}

/// The strips of the warps with equal neighbors merged, and the number of strips left out.
pub fn strips(steps: &[(Place, u32)]) -> (Vec<Strip>, usize) {
    let mut by_warp: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for (place, mask) in steps {
        by_warp.entry(place.warp).or_default().push(mask.count_ones());
    }
    let longest = by_warp.values().map(Vec::len).max().unwrap_or(0);
    let columns = longest.clamp(1, COLUMNS);
    let mut strips: Vec<Strip> = Vec::new();
    for (warp, active) in by_warp {
        let means = (0..columns).map(|column| {
            let (from, to) = span(column, columns, longest);
            let part = &active[from.min(active.len())..to.min(active.len())];
            part.iter().sum::<u32>() as f64 / part.len().max(1) as f64
        });
        let strip =
            Strip { warps: (warp, warp), instructions: active.len(), means: means.collect() };
        match strips.last_mut() {
            Some(last)
                if last.instructions == strip.instructions
                    && last.means == strip.means
                    && last.warps.1 + 1 == warp =>
            {
                last.warps.1 = warp;
            }
            _ => strips.push(strip),
        }
    }
    let more = strips.len().saturating_sub(STRIPS);
    strips.truncate(STRIPS);
    (strips, more)
}

/// The instructions of a column of time.
fn span(column: usize, columns: usize, longest: usize) -> (usize, usize) {
    (column * longest / columns, (column + 1) * longest / columns)
}

/// The columns of time in which the picture's warp runs its line.
pub fn moments(picture: &Picture) -> Vec<bool> {
    let count = |warp| picture.steps.iter().filter(|(place, _)| place.warp == warp).count();
    let warps: std::collections::BTreeSet<u32> =
        picture.steps.iter().map(|(place, _)| place.warp).collect();
    let longest = warps.into_iter().map(count).max().unwrap_or(0);
    let columns = longest.clamp(1, COLUMNS);
    let own = picture.steps.iter().filter(|(place, _)| place.warp == picture.warp);
    let here: Vec<bool> =
        own.map(|(place, _)| picture.instructions.contains(&place.instruction)).collect();
    let column = |column| {
        let (from, to) = span(column, columns, longest);
        here[from.min(here.len())..to.min(here.len())].contains(&true)
    };
    (0..columns).map(column).collect()
}

/// A line, its file and its instructions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The file; `None` for the PTX itself.
    pub file: Option<String>,
    /// The line.
    pub line: u32,
    /// Numbers of its instructions.
    pub instructions: Vec<u32>,
}

/// The line of this number, or the one with the largest share that accesses global or shared
/// memory.
///
/// # Errors
/// If the line accesses no memory: a message, and the lines that do.
pub fn choose(record: &ProfileRecord, line: Option<u32>) -> Result<Choice, (String, String)> {
    let accesses = |sectors: u64, wavefronts: u64| sectors + wavefronts > 0;
    let mut lines: Vec<_> = record
        .lines
        .iter()
        .filter(|one| accesses(one.counters.sectors(), one.counters.wavefronts()))
        .collect();
    lines.sort_by(|a, b| b.share.total_cmp(&a.share));
    let found = match line {
        Some(line) => lines.iter().find(|one| one.line == line),
        None => lines.first(),
    };
    let Some(found) = found else {
        let known: Vec<String> = lines.iter().map(|one| one.line.to_string()).collect();
        return Err((
            match line {
                Some(line) => format!("line {line} accesses no global or shared memory"),
                None => "the kernel accesses no global or shared memory".to_owned(),
            },
            format!("lines that do: {}", known.join(", ")),
        ));
    };
    Ok(Choice {
        file: found.file.clone(),
        line: found.line,
        instructions: found.instructions.clone(),
    })
}

/// The first access of each instruction by a warp: a line may load and store.
pub fn first_of_each(touches: &[TracedAccess], warp: u32) -> Vec<TracedAccess> {
    let mut first: Vec<TracedAccess> = Vec::new();
    for touch in touches.iter().filter(|touch| touch.place.warp == warp) {
        if first.iter().all(|seen| seen.place.instruction != touch.place.instruction) {
            first.push(touch.clone());
        }
    }
    first
}
