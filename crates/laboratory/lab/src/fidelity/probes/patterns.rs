//! The access patterns of the probes.

use super::instructions::{Probe, Space};

/// An offset that disables its lane.
pub const OUT: u32 = u32::MAX;

/// The offsets that the lanes of a warp access.
pub struct Pattern {
    /// Its name.
    pub name: String,
    /// Bytes from the start of memory, or [`OUT`].
    pub offsets: [u32; 32],
}

impl Pattern {
    /// The offsets from elements of `probe` by lane.
    fn new(probe: &Probe, name: String, element: &dyn Fn(u32) -> u32) -> Pattern {
        let reach = if probe.space == Space::Local { REACH_OF_LOCAL } else { REACH };
        let offsets = std::array::from_fn(|lane| match element(lane as u32) {
            OUT => OUT,
            element => element.wrapping_mul(probe.bytes) % reach,
        });
        Pattern { name, offsets }
    }
}

/// Range of a pattern's offsets, in bytes.
const REACH: u32 = 16_384;
/// Range of offsets in local memory, in bytes.
const REACH_OF_LOCAL: u32 = 512;

/// The next number of a random sequence that is the same on every machine.
fn draw(state: &mut u32) -> u32 {
    *state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
    *state >> 8
}

/// The plain patterns of `probe`.
pub fn patterns(probe: &Probe) -> Vec<Pattern> {
    let mut found = Vec::new();
    let mut add = |name: String, offset: &dyn Fn(u32) -> u32| {
        found.push(Pattern::new(probe, name, offset));
    };
    for stride in [0, 1, 2, 3, 8, 32, 33] {
        add(format!("stride {stride}"), &|lane| lane * stride);
    }
    if !probe.whole_warp {
        add("half warp".to_owned(), &|lane| if lane < 16 { lane } else { OUT });
        add("even lanes".to_owned(), &|lane| if lane % 2 == 0 { lane } else { OUT });
    }
    add("pairs".to_owned(), &|lane| lane / 2);
    add("pairs apart".to_owned(), &|lane| lane & !2);
    add("halves alike".to_owned(), &|lane| lane & 15);
    for (seed, below) in [(1, 64), (2, 128), (3, 512)] {
        let mut state = seed * 77 + probe.bytes;
        let drawn: Vec<u32> = (0..32).map(|_| draw(&mut state) % below).collect();
        add(format!("random {below}"), &|lane| drawn[lane as usize]);
    }
    found
}

/// Disabled lanes.
type Mask = (&'static str, fn(u32) -> bool);
const MASKS: [Mask; 12] = [
    ("", |_| true),
    ("", |_| true),
    ("", |_| true),
    (", lane 5", |lane| lane == 5),
    (", lanes 16-31", |lane| lane >= 16),
    (", odd lanes", |lane| lane % 2 == 1),
    (", every fourth lane", |lane| lane % 4 == 0),
    (", lanes 1-30", |lane| (1..31).contains(&lane)),
    (", lanes 8-15", |lane| lane / 8 == 1),
    (", lanes 4-19", |lane| (4..20).contains(&lane)),
    (", some lanes", |lane| 0x9e3b_51c7u32 >> lane & 1 == 1),
    (", few lanes", |lane| 0x0408_2111u32 >> lane & 1 == 1),
];

/// Elements by lane.
type Shape = (&'static str, fn(u32) -> u32);
const SHAPES: [Shape; 29] = [
    ("from 1", |lane| lane + 1),
    ("from 5", |lane| lane + 5),
    ("from 7, stride 2", |lane| 7 + 2 * lane),
    ("stride 4", |lane| 4 * lane),
    ("stride 5", |lane| 5 * lane),
    ("stride 6", |lane| 6 * lane),
    ("stride 7", |lane| 7 * lane),
    ("stride 9", |lane| 9 * lane),
    ("stride 12", |lane| 12 * lane),
    ("stride 16", |lane| 16 * lane),
    ("stride 17", |lane| 17 * lane),
    ("stride 31", |lane| 31 * lane),
    ("stride 65", |lane| 65 * lane),
    ("reversed", |lane| 31 - lane),
    ("fours", |lane| lane / 4),
    ("eights", |lane| lane / 8 * 3),
    ("four in turn", |lane| lane % 4),
    ("eight in turn, apart", |lane| lane % 8 * 9),
    ("columns of 8 rows", |lane| lane % 8 * 4 + lane / 8),
    ("columns of 8 rows, 36 apart", |lane| lane % 8 * 36 + lane / 8),
    ("4 rows of 8, 20 apart", |lane| lane / 8 * 20 + lane % 8),
    ("2 rows of 16, 33 apart", |lane| lane / 16 * 33 + lane % 16),
    ("crossed", |lane| lane ^ 5),
    ("swizzled column", |lane| lane * 32 + (lane ^ lane >> 2)),
    ("two alike, far apart", |lane| lane % 2 * 512),
    ("all but one alike", |lane| if lane == 9 { 40 } else { 3 }),
    ("pairs with the lane 16 on, scattered", |lane| lane % 16 * 77 % 97),
    ("squares", |lane| lane * lane),
    ("scattered", |lane| lane.wrapping_mul(0x9E37_79B1) >> 25),
];

/// A few of many patterns, different for each probe.
pub fn sweep(probe: &Probe, index: usize) -> Vec<Pattern> {
    let count = SHAPES.len() * MASKS.len();
    let all = (0..count).map(|k| (index * 61 + k * 37) % count);
    let fits = |at: &usize| !probe.whole_warp || MASKS[at % MASKS.len()].0.is_empty();
    let wanted = if probe.whole_warp { 6 } else { 8 };
    let drawn = all.filter(fits).take(wanted).map(|at| {
        let ((shape, element), (mask, active)) =
            (SHAPES[at / MASKS.len()], MASKS[at % MASKS.len()]);
        let element = |lane| if active(lane) { element(lane) } else { OUT };
        Pattern::new(probe, format!("{shape}{mask}"), &element)
    });
    let mut found: Vec<Pattern> = Vec::new();
    for pattern in drawn {
        if found.iter().all(|known| known.name != pattern.name) {
            found.push(pattern);
        }
    }
    let mut state = index as u32 * 977 + 5;
    let below = [8, 24, 64, 200, 1024][index % 5];
    let drawn: Vec<u32> = (0..32).map(|_| draw(&mut state) % below).collect();
    let some = draw(&mut state) << 8 | draw(&mut state);
    let kept = |lane: u32| probe.whole_warp || some >> lane & 1 == 1;
    found.push(Pattern::new(probe, format!("random {below}"), &|lane| drawn[lane as usize]));
    if !probe.whole_warp {
        let element = |lane: u32| if kept(lane) { drawn[lane as usize] / 2 } else { OUT };
        found.push(Pattern::new(probe, format!("random {}, some lanes", below / 2), &element));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::instructions::{MORE, PROBES};
    use super::*;

    #[test]
    fn offsets_are_aligned_and_in_reach() {
        for (index, probe) in PROBES.iter().chain(MORE).enumerate() {
            for pattern in patterns(probe).into_iter().chain(sweep(probe, index)) {
                for offset in pattern.offsets.into_iter().filter(|&offset| offset != OUT) {
                    assert_eq!(offset % probe.bytes, 0, "{} {}", probe.name, pattern.name);
                    assert!(offset + probe.bytes <= REACH);
                }
                let all = pattern.offsets.iter().all(|&offset| offset != OUT);
                assert!(!probe.whole_warp || all, "{} {}", probe.name, pattern.name);
            }
        }
    }
}
