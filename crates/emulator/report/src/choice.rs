//! Which line of a kernel a picture shows, and which of its accesses.

use crate::record::ProfileRecord;
use lanework_emulator::TracedAccess;

/// A line, its file and its instructions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The file; `None` for the PTX itself.
    pub file: Option<String>,
    /// The line.
    pub line: u32,
    /// Its instructions, by number.
    pub instructions: Vec<u32>,
}

/// The line of this number, or the one with the largest share that accesses global or shared memory.
///
/// # Errors
/// Where no such line accesses memory: that in words, and the lines that do.
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
