//! Pictures of what a warp touches: lanes in 32-byte sectors, lanes in the banks of shared memory, and
//! how many lanes of each warp are active over time.

mod svg;
mod text;

pub use svg::svg;
pub use text::text;

use lanework::sim::{AccessKind, Place, Space, Touch};
use lanework_lab::pattern;
use std::collections::BTreeMap;

/// What is drawn.
pub struct Picture {
    /// The kernel, the block and the warp.
    pub title: String,
    /// The line of code.
    pub code: String,
    /// One access of each of the line's instructions.
    pub touches: Vec<Touch>,
    /// The block's instructions with their active lanes.
    pub steps: Vec<(Place, u32)>,
}

/// Columns of the strips that show divergence.
const COLUMNS: usize = 64;
/// Warps whose strips are drawn.
const STRIPS: usize = 16;

/// What an access does, in words.
fn caption(touch: &Touch) -> String {
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

fn lanes(touch: &Touch) -> impl Iterator<Item = usize> {
    let mask = touch.mask;
    (0..32).filter(move |lane| mask >> lane & 1 != 0)
}

/// The 128-byte lines that are touched, each with the lanes in its four sectors.
fn sector_lines(touch: &Touch) -> BTreeMap<u64, [Vec<usize>; 4]> {
    let mut lines: BTreeMap<u64, [Vec<usize>; 4]> = BTreeMap::new();
    for lane in lanes(touch) {
        let first = touch.addresses[lane] / 32;
        let last = touch.addresses[lane].wrapping_add(u64::from(touch.bytes.max(1)) - 1) / 32;
        for sector in first..=last.max(first) {
            lines.entry(sector / 4).or_default()[(sector % 4) as usize].push(lane);
        }
    }
    lines
}

/// The rows of 32 words of shared memory that are touched, each with the lanes at its words.
fn bank_rows(touch: &Touch) -> BTreeMap<u64, [Vec<usize>; 32]> {
    let mut rows: BTreeMap<u64, [Vec<usize>; 32]> = BTreeMap::new();
    for lane in lanes(touch) {
        let first = touch.addresses[lane] / 4;
        for word in first..first + u64::from(touch.bytes.div_ceil(4)) {
            rows.entry(word / 32).or_default()[(word % 32) as usize].push(lane);
        }
    }
    rows
}

/// Distinct words that are touched in each bank.
fn words_by_bank(rows: &BTreeMap<u64, [Vec<usize>; 32]>) -> [usize; 32] {
    std::array::from_fn(|bank| rows.values().filter(|row| !row[bank].is_empty()).count())
}

/// For each warp its number of instructions, and the mean of its active lanes in each column of time.
fn strips(steps: &[(Place, u32)]) -> Vec<(u32, usize, Vec<f64>)> {
    let mut by_warp: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for (place, mask) in steps {
        by_warp.entry(place.warp).or_default().push(mask.count_ones());
    }
    let longest = by_warp.values().map(Vec::len).max().unwrap_or(0);
    let columns = longest.clamp(1, COLUMNS);
    let strip = |(warp, active): (u32, Vec<u32>)| {
        let means = (0..columns).map(|column| {
            let from = (column * longest / columns).min(active.len());
            let to = ((column + 1) * longest / columns).min(active.len());
            let part = &active[from..to];
            part.iter().sum::<u32>() as f64 / part.len().max(1) as f64
        });
        (warp, active.len(), means.collect())
    };
    by_warp.into_iter().take(STRIPS).map(strip).collect()
}

/// Lanes in few letters: `0-7`, `3`, `0,2,4`.
fn ranges(lanes: &[usize]) -> String {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn touch(space: Space, bytes: u32, at: impl Fn(u64) -> u64) -> Touch {
        let addresses = std::array::from_fn(|lane| at(lane as u64));
        let (kind, place) = (AccessKind::Load, Place::default());
        Touch { place, space, kind, bytes, mask: u32::MAX, addresses }
    }

    fn picture(touch: Touch) -> Picture {
        let step = |warp, mask| (Place { block: 0, warp, instruction: 0 }, mask);
        let steps = vec![step(0, u32::MAX), step(0, 0xffff), step(1, u32::MAX)];
        Picture {
            title: "k".to_owned(),
            code: "line 3: a < b".to_owned(),
            touches: vec![touch],
            steps,
        }
    }

    #[test]
    fn lanes_lie_in_their_sectors() {
        let lines = sector_lines(&touch(Space::Global, 4, |lane| 4096 + 4 * lane));
        assert_eq!(lines.len(), 1);
        assert_eq!(ranges(&lines[&32][1]), "8-15");
        assert_eq!(sector_lines(&touch(Space::Global, 4, |lane| 4096 * lane)).len(), 32);
    }

    #[test]
    fn a_column_of_a_tile_lies_in_one_bank_unless_padded() {
        let column = bank_rows(&touch(Space::Shared, 4, |lane| 128 * lane));
        assert_eq!(words_by_bank(&column)[0], 32);
        let padded = bank_rows(&touch(Space::Shared, 4, |lane| 132 * lane));
        assert_eq!(words_by_bank(&padded), [1; 32]);
    }

    #[test]
    fn pictures_name_what_they_show() {
        let said = text(&picture(touch(Space::Global, 4, |lane| 4 * lane)));
        assert!(said.contains("global load of 4 B by 32 lanes: lanes 4 B apart"), "{said}");
        assert!(
            said.contains("0-7") && said.contains("24-31") && said.contains("warp 1"),
            "{said}"
        );
        let said = text(&picture(touch(Space::Shared, 4, |lane| 128 * lane)));
        assert!(said.contains("32 words in one bank"), "{said}");
        assert!(said.lines().all(|line| line.chars().count() <= 100), "{said}");
    }

    #[test]
    fn a_drawing_is_whole_and_escapes_its_code() {
        for space in [Space::Global, Space::Shared] {
            let drawn = svg(&picture(touch(space, 4, |lane| 128 * lane)));
            assert!(drawn.starts_with("<svg ") && drawn.ends_with("</svg>\n"));
            assert!(drawn.contains("a &lt; b"));
            assert_eq!(drawn.matches("<rect").count(), drawn.matches("/>").count());
        }
    }

    #[test]
    fn strips_are_as_long_as_the_longest_warp() {
        let step = |warp, mask| (Place { block: 0, warp, instruction: 0 }, mask);
        let steps: Vec<_> = (0..100).map(|_| step(0, 1)).chain([step(1, 3)]).collect();
        let strips = strips(&steps);
        assert_eq!(strips[0].2.len(), COLUMNS);
        assert!((strips[0].2[5] - 1.0).abs() < 1e-9);
        assert_eq!((strips[1].1, strips[1].2[COLUMNS - 1]), (1, 0.0));
    }
}
