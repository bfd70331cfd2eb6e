//! Pictures in the terminal of what a warp accesses.

mod text;

pub use text::text;

#[cfg(test)]
mod tests {
    use super::text;
    use lanework::emulator::{AccessKind, Place, Space, TracedAccess};
    use lanework::report::pictures::Picture;

    fn touch(space: Space, bytes: u32, at: impl Fn(u64) -> u64) -> TracedAccess {
        let addresses = std::array::from_fn(|lane| at(lane as u64));
        let (kind, place) = (AccessKind::Load, Place::default());
        TracedAccess { place, space, kind, bytes, mask: u32::MAX, addresses }
    }

    fn plain(touch: TracedAccess) -> String {
        within(touch, 100)
    }

    fn within(touch: TracedAccess, width: usize) -> String {
        let step = |warp, mask| (Place { block: 0, warp, instruction: 0 }, mask);
        let picture = Picture {
            title: "k".to_owned(),
            code: "k.cu:3  a < b".to_owned(),
            touches: vec![touch],
            warp: 0,
            instructions: vec![0],
            steps: vec![step(0, u32::MAX), step(0, 0xffff), step(1, u32::MAX)],
        };
        anstream::adapter::strip_str(&text(&picture, width)).to_string()
    }

    #[test]
    fn pictures_name_what_they_show() {
        let said = plain(touch(Space::Global, 4, |lane| 4 * lane));
        assert!(said.contains("global load of 4 B by 32 lanes: stride 4 B"), "{said}");
        assert!(
            said.contains("0-7") && said.contains("24-31") && said.contains("warp 1"),
            "{said}"
        );
        let said = plain(touch(Space::Shared, 4, |lane| 128 * lane));
        assert!(said.contains("32 wavefronts (optimal: 1)"), "{said}");
        assert!(said.lines().all(|line| line.chars().count() <= 100), "{said}");
    }

    #[test]
    fn pictures_fit_the_terminal() {
        for width in 60..=100 {
            for bytes in [4, 16] {
                for space in [Space::Global, Space::Shared, Space::Local] {
                    for stride in [0, u64::from(bytes), 36, 256] {
                        let said = within(touch(space, bytes, |lane| stride * lane), width);
                        let most = said.lines().map(|line| line.chars().count()).max();
                        assert!(most <= Some(width), "{width} columns\n{said}");
                        assert!(said.lines().all(|line| line.trim_end() == line), "{said}");
                    }
                }
            }
        }
    }

    #[test]
    fn banks_without_conflicts_have_no_row_of_wavefronts() {
        let said = plain(touch(Space::Shared, 16, |lane| 16 * lane));
        assert!(!said.contains("wavefronts "), "{said}");
    }
}
