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
    /// The line of code, with its place.
    pub code: String,
    /// One access of each of the line's instructions.
    pub touches: Vec<Touch>,
    /// The warp whose accesses these are.
    pub warp: u32,
    /// The line's instructions.
    pub instructions: Vec<u32>,
    /// The block's instructions with their active lanes.
    pub steps: Vec<(Place, u32)>,
}

/// Columns of the strips that show divergence.
const COLUMNS: usize = 64;
/// Strips that are drawn.
const STRIPS: usize = 16;

/// What an access costs, in words, and whether that is as little as it could be.
struct Verdict {
    text: String,
    good: bool,
}

/// What the access costs.
fn verdict(touch: &Touch) -> Verdict {
    let many =
        |count: u64, what: &str| format!("{count} {what}{}", if count == 1 { "" } else { "s" });
    match touch.space {
        Space::Shared => {
            let served = touch.served();
            let wavefronts: u64 = served.iter().map(|(_, passes)| passes).sum();
            let ideal = served.len() as u64;
            let good = wavefronts <= ideal;
            let text = match good {
                true => format!("{}: no bank conflicts", many(wavefronts, "wavefront")),
                false => format!(
                    "{} where {ideal} would do: {}",
                    many(wavefronts, "wavefront"),
                    many(wavefronts - ideal, "bank conflict")
                ),
            };
            Verdict { text, good }
        }
        Space::Local => Verdict {
            text: "each lane's own memory, interleaved: a word of 32 lanes is 4 sectors".to_owned(),
            good: true,
        },
        Space::Global | Space::Constant => {
            let cells = sector_lines(touch);
            let touched = cells.values().flatten().filter(|cell| !cell.lanes.is_empty());
            let (sectors, used) = touched
                .fold((0, 0), |(count, used), cell| (count + 1, used + cell.bytes.count_ones()));
            let ideal = u64::from(used).div_ceil(32).min(sectors);
            let good = sectors <= ideal;
            let percent = 100.0 * f64::from(used) / (32 * sectors.max(1)) as f64;
            let text = match good {
                true => format!("{} of 32 bytes, as few as can be", many(sectors, "sector")),
                false => format!(
                    "{} of 32 bytes where {ideal} would do: {percent:.0} % of their bytes are used",
                    many(sectors, "sector")
                ),
            };
            Verdict { text, good }
        }
    }
}

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

/// A sector: who touches it, and which of its bytes, a bit each.
#[derive(Default)]
struct Sector {
    lanes: Vec<usize>,
    bytes: u32,
}

/// The 128-byte lines that are touched, each with its four sectors.
fn sector_lines(touch: &Touch) -> BTreeMap<u64, [Sector; 4]> {
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

/// For each bank, the most distinct words (of an atomic: lanes) in it among lanes served together.
fn turns(touch: &Touch) -> [usize; 32] {
    let mut turns = [0; 32];
    for (group, _) in touch.served() {
        let part = Touch { mask: group, ..touch.clone() };
        let rows = bank_rows(&part);
        for (bank, most) in turns.iter_mut().enumerate() {
            let count = match touch.kind {
                AccessKind::Atomic => rows.values().map(|row| row[bank].len()).sum(),
                _ => rows.values().filter(|row| !row[bank].is_empty()).count(),
            };
            *most = count.max(*most);
        }
    }
    turns
}

/// Warps that did alike, over time.
struct Strip {
    /// The first and the last of them.
    warps: (u32, u32),
    /// Instructions of each.
    instructions: usize,
    /// The mean of the active lanes in each column of time.
    means: Vec<f64>,
}

impl Strip {
    fn name(&self) -> String {
        match self.warps {
            (first, last) if first == last => format!("warp {first}"),
            (first, last) => format!("warps {first}-{last}"),
        }
    }
}

/// The warps' strips, neighbours that are alike as one; and how many more there are.
fn strips(steps: &[(Place, u32)]) -> (Vec<Strip>, usize) {
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
fn moments(picture: &Picture) -> Vec<bool> {
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
            code: "k.cu:3  a < b".to_owned(),
            touches: vec![touch],
            warp: 0,
            instructions: vec![0],
            steps,
        }
    }

    fn plain(picture: &Picture) -> String {
        anstream::adapter::strip_str(&text(picture)).to_string()
    }

    #[test]
    fn lanes_lie_in_their_sectors() {
        let lines = sector_lines(&touch(Space::Global, 4, |lane| 4096 + 4 * lane));
        assert_eq!(lines.len(), 1);
        assert_eq!(ranges(&lines[&32][1].lanes), "8-15");
        assert_eq!(lines[&32][1].bytes, u32::MAX);
        let far = sector_lines(&touch(Space::Global, 4, |lane| 4096 * lane));
        assert_eq!((far.len(), far[&0][0].bytes), (32, 0xf));
    }

    #[test]
    fn a_column_of_a_tile_lies_in_one_bank_unless_padded() {
        assert_eq!(turns(&touch(Space::Shared, 4, |lane| 128 * lane))[0], 32);
        assert_eq!(turns(&touch(Space::Shared, 4, |lane| 132 * lane)), [1; 32]);
    }

    #[test]
    fn wide_accesses_side_by_side_conflict_with_nobody() {
        let wide = touch(Space::Shared, 16, |lane| 16 * lane);
        assert_eq!(turns(&wide), [1; 32]);
        let said = verdict(&wide);
        assert!(said.good && said.text == "4 wavefronts: no bank conflicts", "{}", said.text);
        let said = plain(&picture(wide));
        assert!(!said.contains("turns"), "{said}");
    }

    #[test]
    fn verdicts_tell_what_would_do() {
        let said = verdict(&touch(Space::Global, 4, |lane| 128 * lane)).text;
        assert_eq!(said, "32 sectors of 32 bytes where 4 would do: 12 % of their bytes are used");
        let said = verdict(&touch(Space::Global, 4, |lane| 4 * lane));
        assert!(said.good && said.text.starts_with("4 sectors"), "{}", said.text);
        assert!(verdict(&touch(Space::Global, 4, |_| 0)).good);
        let said = verdict(&touch(Space::Shared, 4, |lane| 8 * lane)).text;
        assert_eq!(said, "2 wavefronts where 1 would do: 1 bank conflict");
    }

    #[test]
    fn pictures_name_what_they_show() {
        let said = plain(&picture(touch(Space::Global, 4, |lane| 4 * lane)));
        assert!(said.contains("global load of 4 B by 32 lanes: lanes 4 B apart"), "{said}");
        assert!(
            said.contains("0-7") && said.contains("24-31") && said.contains("warp 1"),
            "{said}"
        );
        let said = plain(&picture(touch(Space::Shared, 4, |lane| 128 * lane)));
        assert!(said.contains("32 wavefronts where 1 would do"), "{said}");
        assert!(said.lines().all(|line| line.chars().count() <= 100), "{said}");
    }

    #[test]
    fn a_drawing_is_whole_and_escapes_its_code() {
        for space in [Space::Global, Space::Shared, Space::Local] {
            let drawn = svg(&picture(touch(space, 4, |lane| 128 * lane)));
            assert!(drawn.starts_with("<svg ") && drawn.ends_with("</svg>\n"));
            assert!(drawn.contains("a &lt; b"));
            assert_eq!(drawn.matches("<text").count(), drawn.matches("</text>").count());
            assert_eq!(drawn.matches("<rect").count(), drawn.matches("/>").count());
        }
    }

    #[test]
    fn strips_are_as_long_as_the_longest_warp_and_alike_ones_are_one() {
        let step = |warp, mask| (Place { block: 0, warp, instruction: 0 }, mask);
        let mut steps: Vec<_> = (0..100).map(|_| step(0, 1)).chain([step(1, 3)]).collect();
        let (found, more) = strips(&steps);
        assert_eq!(found[0].means.len(), COLUMNS);
        assert!((found[0].means[5] - 1.0).abs() < 1e-9);
        assert_eq!((found[1].instructions, found[1].means[COLUMNS - 1], more), (1, 0.0, 0));
        steps.push(step(2, 5));
        let (found, _) = strips(&steps);
        assert_eq!((found.len(), found[1].name().as_str()), (2, "warps 1-2"));
        let many: Vec<_> =
            (0..40).flat_map(|warp| (0..=warp).map(move |_| step(warp, 1))).collect();
        assert_eq!(strips(&many).1, 40 - STRIPS);
    }
}
