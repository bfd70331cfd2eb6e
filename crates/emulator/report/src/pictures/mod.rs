//! Pictures of a warp's accesses: lanes in 32-byte sectors, lanes in the banks of shared memory,
//! and the active lanes of each warp over time.

mod access;
pub mod drawing;
mod svg;

pub use access::{
    COLUMNS, Choice, Cost, Picture, STRIPS, Sector, Strip, bank_rows, bank_wavefronts, caption,
    choose, cost, first_of_each, grouped, moments, ranges, repeated, sector_lines, strips,
};
pub use svg::{grid, svg};

#[cfg(test)]
mod tests {
    use super::*;
    use lanework_emulator::{AccessKind, Place, Space, TracedAccess};

    fn touch(space: Space, bytes: u32, at: impl Fn(u64) -> u64) -> TracedAccess {
        let addresses = std::array::from_fn(|lane| at(lane as u64));
        let (kind, place) = (AccessKind::Load, Place::default());
        TracedAccess { place, space, kind, bytes, mask: u32::MAX, addresses }
    }

    fn picture(touch: TracedAccess) -> Picture {
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

    #[test]
    fn lanes_are_mapped_to_their_sectors() {
        let lines = sector_lines(&touch(Space::Global, 4, |lane| 4096 + 4 * lane));
        assert_eq!(lines.len(), 1);
        assert_eq!(ranges(&lines[&32][1].lanes), "8-15");
        assert_eq!(lines[&32][1].bytes, u32::MAX);
        let far = sector_lines(&touch(Space::Global, 4, |lane| 4096 * lane));
        assert_eq!((far.len(), far[&0][0].bytes), (32, 0xf));
    }

    #[test]
    fn a_tile_column_uses_one_bank_unless_padded() {
        assert_eq!(bank_wavefronts(&touch(Space::Shared, 4, |lane| 128 * lane))[0], 32);
        assert_eq!(bank_wavefronts(&touch(Space::Shared, 4, |lane| 132 * lane)), [1; 32]);
    }

    #[test]
    fn adjacent_wide_accesses_have_no_bank_conflicts() {
        let wide = touch(Space::Shared, 16, |lane| 16 * lane);
        assert_eq!(bank_wavefronts(&wide), [1; 32]);
        let said = cost(&wide);
        assert!(said.optimal && said.text == "4 wavefronts: no bank conflicts", "{}", said.text);
    }

    #[test]
    fn lanes_of_an_atomic_at_one_word_are_no_bank_conflict() {
        let on = |lane: fn(u64) -> u64| {
            let touched = touch(Space::Shared, 4, lane);
            cost(&TracedAccess { kind: AccessKind::Atomic, ..touched }).text
        };
        let turns = "atomic: lanes at one word or bank take turns, 8 turns here";
        assert_eq!(on(|lane| 4 * (lane % 4)), turns);
        assert_eq!(on(|lane| 4 * lane), "atomic: no two lanes at one word or bank");
    }

    #[test]
    fn costs_name_the_optimum() {
        let said = cost(&touch(Space::Global, 4, |lane| 128 * lane)).text;
        assert_eq!(said, "32 sectors of 32 bytes (optimal: 4): 12 % of their bytes are used");
        let said = cost(&touch(Space::Global, 4, |lane| 4 * lane));
        assert!(said.optimal && said.text.starts_with("4 sectors"), "{}", said.text);
        assert!(cost(&touch(Space::Global, 4, |_| 0)).optimal);
        let said = cost(&touch(Space::Shared, 4, |lane| 8 * lane)).text;
        assert_eq!(said, "2 wavefronts (optimal: 1): 1 bank conflict");
    }

    #[test]
    fn equal_patterns_are_one_group() {
        let rows: Vec<TracedAccess> = (0..48u64)
            .map(|row| touch(Space::Global, 4, |lane| 4096 * row + 4 * lane))
            .chain([touch(Space::Global, 4, |lane| 8 * lane)])
            .chain([touch(Space::Global, 4, |lane| 16 + 4 * lane)])
            .collect();
        let counts: Vec<usize> = grouped(&rows).iter().map(|(_, count)| *count).collect();
        assert_eq!(counts, [48, 1, 1], "the last one is not aligned");
        let drawn = svg(&Picture { touches: rows, ..picture(touch(Space::Global, 4, |_| 0)) });
        assert!(drawn.contains("x48: 48 accesses"));
        assert_eq!(drawn.matches("global load").count(), 3);
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
    fn a_grid_picture_is_small_and_shows_every_lane() {
        let generic = touch(Space::Shared, 4, |lane| (1 << 32) + 128 * lane);
        assert!(access::bank_rows(&generic).keys().eq(&(0..32).collect::<Vec<u64>>()));
        let drawn = grid(&touch(Space::Shared, 4, |lane| 128 * lane), 32).expect("a grid");
        assert!(drawn.len() < 6_000, "{}", drawn.len());
        // A row of adjacent banks is one line and one text, whose digits have places of their own.
        let row = grid(&touch(Space::Shared, 4, |lane| 4 * lane), 32).expect("a grid");
        assert!(
            row.contains("d='M112 31h702M112 55h702'") && row.contains(">01234567891011"),
            "{row}"
        );
        assert!(row.contains("x='122 144 166"), "{row}");
        assert!(drawn.matches("<path").count() <= 4 && !drawn.contains("<rect"));
        assert!((0..32).all(|lane| drawn.contains(&format!(">{lane}</text>"))));
        let drawn = grid(&touch(Space::Global, 4, |lane| 4 * lane), 32).expect("a grid");
        assert!(drawn.contains(">24-31</text>"));
        assert!(grid(&touch(Space::Local, 4, |lane| 4 * lane), 32).is_none());
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
