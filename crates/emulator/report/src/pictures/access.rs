//! The contents of a picture: one memory access of a warp with its sectors, banks and cost, and the active lanes of a
//! block's warps over time. Also chooses the line of a kernel, and its accesses, for a picture.

use crate::record::{LineRecord, ProfileRecord};
use crate::remarks::pattern;
use lanework_emulator::{AccessKind, Place, Space, TracedAccess};
use std::collections::BTreeMap;

/// The cost of an access, as a number and as text.
pub struct Cost {
    /// Number of sectors, or of wavefronts for shared memory; 0 for local memory.
    pub count: u64,
    /// Minimum for the same number of bytes.
    pub best: u64,
    /// Number of sectors or wavefronts and the optimum, as text.
    pub text: String,
    /// Whether `count` is the minimum.
    pub optimal: bool,
}

/// Computes the cost of an access.
pub fn cost(touch: &TracedAccess) -> Cost {
    let many =
        |count: u64, what: &str| format!("{count} {what}{}", if count == 1 { "" } else { "s" });
    match touch.space {
        Space::Shared => {
            let served = touch.served();
            let wavefronts: u64 = served.iter().map(|(_, passes)| passes).sum();
            let best = served.len() as u64;
            let optimal = wavefronts <= best;
            let text = match (touch.kind == AccessKind::Atomic, optimal) {
                // An atomic serves lanes of one word one after the other, which is no bank conflict.
                (true, true) => "atomic: no two lanes at one word or bank".to_owned(),
                (true, false) => format!(
                    "atomic: lanes at one word or bank take turns, {} here",
                    many(wavefronts, "turn")
                ),
                (false, true) => {
                    format!("{}: no bank conflicts", many(wavefronts, "wavefront"))
                }
                (false, false) => format!(
                    "{} (optimal: {best}): {}",
                    many(wavefronts, "wavefront"),
                    many(wavefronts - best, "bank conflict")
                ),
            };
            Cost { count: wavefronts, best, text, optimal }
        }
        Space::Local => Cost {
            count: 0,
            best: 0,
            text: "per-lane memory, interleaved: one word of 32 lanes is 4 sectors".to_owned(),
            optimal: true,
        },
        Space::Global | Space::Constant => {
            let cells = sector_lines(touch);
            let touched = cells.values().flatten().filter(|cell| !cell.lanes.is_empty());
            let (sectors, used) = touched
                .fold((0, 0), |(count, used), cell| (count + 1, used + cell.bytes.count_ones()));
            let best = u64::from(used).div_ceil(32).min(sectors);
            let optimal = sectors <= best;
            let percent = 100.0 * f64::from(used) / (32 * sectors.max(1)) as f64;
            let text = match optimal {
                true => format!("{} of 32 bytes, optimal", many(sectors, "sector")),
                false => format!(
                    "{} of 32 bytes (optimal: {best}): {percent:.0} % of their bytes are used",
                    many(sectors, "sector")
                ),
            };
            Cost { count: sectors, best, text, optimal }
        }
    }
}

/// Describes an access: space, kind, width, lanes and pattern.
pub fn caption(touch: &TracedAccess) -> String {
    let (space, kind) = (touch.space.name(), touch.kind.name());
    format!(
        "{space} {kind} of {} B by {} lanes: {}",
        touch.bytes,
        touch.mask.count_ones(),
        pattern(touch)
    )
}

/// The active lanes.
fn lanes(touch: &TracedAccess) -> impl Iterator<Item = usize> {
    let mask = touch.mask;
    (0..32).filter(move |lane| mask >> lane & 1 != 0)
}

/// A 32-byte sector.
#[derive(Default)]
pub struct Sector {
    /// The lanes that access it.
    pub lanes: Vec<usize>,
    /// One bit per accessed byte.
    pub bytes: u32,
}

/// The accessed 128-byte lines, each with its four sectors.
pub fn sector_lines(touch: &TracedAccess) -> BTreeMap<u64, [Sector; 4]> {
    let mut lines: BTreeMap<u64, [Sector; 4]> = BTreeMap::new();
    for lane in lanes(touch) {
        for byte in 0..u64::from(touch.bytes.max(1)) {
            let at = touch.addresses[lane].wrapping_add(byte);
            let sector = &mut lines.entry(at / 128).or_default()[(at / 32 % 4) as usize];
            sector.bytes |= 1 << (at % 32);
            if sector.lanes.last() != Some(&lane) {
                sector.lanes.push(lane);
            }
        }
    }
    lines
}

/// The accessed rows of shared memory (32 words each), with the lanes at each word.
pub fn bank_rows(touch: &TracedAccess) -> BTreeMap<u64, [Vec<usize>; 32]> {
    let mut rows: BTreeMap<u64, [Vec<usize>; 32]> = BTreeMap::new();
    for lane in lanes(touch) {
        // Generic addresses of shared memory have the offset in their lower half.
        let first = (touch.addresses[lane] & u64::from(u32::MAX)) / 4;
        for word in first..first + u64::from(touch.bytes.div_ceil(4)) {
            rows.entry(word / 32).or_default()[(word % 32) as usize].push(lane);
        }
    }
    rows
}

/// The wavefronts of each bank: the maximum number of distinct words (for atomics: of lanes) in it
/// in one conflict phase.
pub fn bank_wavefronts(touch: &TracedAccess) -> [usize; 32] {
    let mut wavefronts = [0; 32];
    for (phase, _) in touch.served() {
        let part = TracedAccess { mask: phase, ..touch.clone() };
        let rows = bank_rows(&part);
        for (bank, most) in wavefronts.iter_mut().enumerate() {
            let count = match touch.kind {
                AccessKind::Atomic => rows.values().map(|row| row[bank].len()).sum(),
                _ => rows.values().filter(|row| !row[bank].is_empty()).count(),
            };
            *most = count.max(*most);
        }
    }
    wavefronts
}

/// Formats lanes as ranges: `0-7`, `3`, `0,2,4`.
pub fn ranges(lanes: &[usize]) -> String {
    let mut text = String::new();
    let mut i = 0;
    while i < lanes.len() {
        let mut j = i;
        while j + 1 < lanes.len() && lanes[j + 1] == lanes[j] + 1 {
            j += 1;
        }
        if !text.is_empty() {
            text.push(',');
        }
        text.push_str(&lanes[i].to_string());
        if j > i {
            text.push_str(&format!("-{}", lanes[j]));
        }
        i = j + 1;
    }
    text
}

/// The contents of a picture.
pub struct Picture {
    /// The kernel, the block and the warp.
    pub title: String,
    /// The line of code, with its file and line number.
    pub code: String,
    /// One access per instruction of the line.
    pub touches: Vec<TracedAccess>,
    /// The warp of these accesses.
    pub warp: u32,
    /// The line's instructions.
    pub instructions: Vec<u32>,
    /// The executed instructions of the block, with their active lanes.
    pub steps: Vec<(Place, u32)>,
}

/// Number of columns of a strip that shows divergence.
pub const COLUMNS: usize = 64;

/// Maximum number of strips.
pub const STRIPS: usize = 16;

/// Consecutive warps with the same active lanes over time.
pub struct Strip {
    /// The first and the last warp.
    pub warps: (u32, u32),
    /// Number of instructions per warp.
    pub instructions: usize,
    /// Mean active lanes in each column of time.
    pub means: Vec<f64>,
}

impl Strip {
    /// Label with the warps.
    pub fn name(&self) -> String {
        match self.warps {
            (first, last) if first == last => format!("warp {first}"),
            (first, last) => format!("warps {first}-{last}"),
        }
    }
}

/// Returns the strips of the warps, with equal neighbors merged, and the number of omitted strips.
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

/// The range of instructions in a column of time.
fn span(column: usize, columns: usize, longest: usize) -> (usize, usize) {
    (column * longest / columns, (column + 1) * longest / columns)
}

/// By column of time: whether the picture's warp executes the chosen line.
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

/// Chooses the line with this number, or one that accesses global or shared memory: the costliest line with bank conflicts or
/// excess sectors, if it has a notable share, else the costliest line. Of lines that cost about the same, one that reads shared
/// memory is chosen: there the layout of a tile matters.
///
/// # Errors
/// If the line accesses no memory; the error has a message and the lines that do.
pub fn choose(record: &ProfileRecord, line: Option<u32>) -> Result<Choice, (String, String)> {
    /// The smallest share of a line whose excess is worth a picture.
    const NOTABLE: f64 = 0.05;
    let accesses = |sectors: u64, wavefronts: u64| sectors + wavefronts > 0;
    let mut lines: Vec<_> = record
        .lines
        .iter()
        .filter(|one| accesses(one.counters.sectors(), one.counters.wavefronts()))
        .collect();
    lines.sort_by(|a, b| b.share.total_cmp(&a.share));
    let found = match line {
        Some(line) => lines.iter().find(|one| one.line == line),
        None => {
            let wasteful = lines.iter().find(|one| one.share >= NOTABLE && has_excess(one));
            let costliest = lines.first().map_or(0.0, |first| first.share);
            let is_like = |one: &&&LineRecord| {
                one.share >= 0.9 * costliest && one.counters.shared_load.requests > 0
            };
            wasteful.or_else(|| lines.iter().find(is_like)).or(lines.first())
        }
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

/// Whether a line's accesses take at least a tenth more sectors or wavefronts than necessary.
fn has_excess(line: &LineRecord) -> bool {
    let counters = &line.counters;
    let ideal = counters.global_load.ideal_sectors + counters.global_store.ideal_sectors;
    let sectors = counters.global_load.sectors + counters.global_store.sectors;
    let conflicts = counters.bank_conflicts();
    sectors as f64 > 1.1 * ideal as f64 || conflicts as f64 > 0.1 * counters.wavefronts() as f64
}

/// The first access of each instruction by a warp. A line may have several, such as a load and a store. In place of warp 0, which
/// is the default, the first warp that accesses memory there.
pub fn first_of_each(touches: &[TracedAccess], warp: u32) -> Vec<TracedAccess> {
    let mut first: Vec<TracedAccess> = Vec::new();
    let accesses = touches.iter().any(|touch| touch.place.warp == warp);
    let other = touches.first().filter(|_| warp == 0 && !accesses);
    let warp = other.map_or(warp, |touch| touch.place.warp);
    for touch in touches.iter().filter(|touch| touch.place.warp == warp) {
        if first.iter().all(|seen| seen.place.instruction != touch.place.instruction) {
            first.push(touch.clone());
        }
    }
    first
}

/// One access of each pattern, and the number of accesses that have it: an unrolled line repeats its accesses.
pub fn grouped(touches: &[TracedAccess]) -> Vec<(&TracedAccess, usize)> {
    let mut groups: Vec<(PicturePattern, &TracedAccess, usize)> = Vec::new();
    for touch in touches {
        let pattern = PicturePattern::of(touch);
        match groups.iter_mut().find(|(known, ..)| *known == pattern) {
            Some((.., count)) => *count += 1,
            None => groups.push((pattern, touch, 1)),
        }
    }
    groups.into_iter().map(|(_, touch, count)| (touch, count)).collect()
}

/// The common part of accesses with the same picture: all but their first address.
#[derive(PartialEq)]
struct PicturePattern {
    form: (Space, AccessKind, u32, u32),
    cost: String,
    steps: Vec<u64>,
}

impl PicturePattern {
    fn of(touch: &TracedAccess) -> PicturePattern {
        let active = || (0..32).filter(|lane| touch.mask >> lane & 1 != 0);
        let first = active().next().map_or(0, |lane| touch.addresses[lane]);
        PicturePattern {
            form: (touch.space, touch.kind, touch.bytes, touch.mask),
            cost: cost(touch).text,
            steps: active().map(|lane| touch.addresses[lane].wrapping_sub(first)).collect(),
        }
    }
}

/// The line below the caption of a pattern, if several accesses have it.
pub fn repeated(count: usize) -> Option<String> {
    (count > 1).then(|| format!("x{count}: {count} accesses of this line have this pattern"))
}
