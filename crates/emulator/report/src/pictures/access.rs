//! One memory access of a warp for pictures: its sectors, banks and cost.

use crate::remarks::pattern;
use lanework_emulator::{AccessKind, Space, TracedAccess};
use std::collections::BTreeMap;

/// The cost of an access as text, and whether it is optimal.
pub struct Cost {
    /// Sectors, or wavefronts in shared memory; 0 in local memory.
    pub count: u64,
    /// The minimum for the same bytes.
    pub best: u64,
    /// Sectors or wavefronts, with the optimum.
    pub text: String,
    /// Whether no access to the same bytes costs less.
    pub optimal: bool,
}

/// The cost of the access.
pub fn cost(touch: &TracedAccess) -> Cost {
    let many =
        |count: u64, what: &str| format!("{count} {what}{}", if count == 1 { "" } else { "s" });
    match touch.space {
        Space::Shared => {
            let served = touch.served();
            let wavefronts: u64 = served.iter().map(|(_, passes)| passes).sum();
            let best = served.len() as u64;
            let optimal = wavefronts <= best;
            let text = match optimal {
                true => format!("{}: no bank conflicts", many(wavefronts, "wavefront")),
                false => format!(
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

/// The access as text: space, kind, width, lanes and pattern.
pub fn caption(touch: &TracedAccess) -> String {
    let space = match touch.space {
        Space::Global => "global",
        Space::Shared => "shared",
        Space::Local => "local",
        Space::Constant => "constant",
    };
    let kind = match touch.kind {
        AccessKind::Load => "load",
        AccessKind::Store => "store",
        AccessKind::Atomic => "atomic",
    };
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
    /// A bit for each byte that is accessed.
    pub bytes: u32,
}

/// The 128-byte lines that are accessed, each with its four sectors.
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

/// The rows of 32 words of shared memory that are accessed, with the lanes at each word.
pub fn bank_rows(touch: &TracedAccess) -> BTreeMap<u64, [Vec<usize>; 32]> {
    let mut rows: BTreeMap<u64, [Vec<usize>; 32]> = BTreeMap::new();
    for lane in lanes(touch) {
        let first = touch.addresses[lane] / 4;
        for word in first..first + u64::from(touch.bytes.div_ceil(4)) {
            rows.entry(word / 32).or_default()[(word % 32) as usize].push(lane);
        }
    }
    rows
}

/// The wavefronts of each bank: the most distinct words in it (for atomics: the most lanes) in one
/// conflict phase.
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

/// Lanes as ranges: `0-7`, `3`, `0,2,4`.
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
