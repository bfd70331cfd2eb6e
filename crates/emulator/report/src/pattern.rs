//! The access pattern of one warp: its stride, or the groups of lanes that have one, in words.

use lanework_emulator::TracedAccess;

/// The pattern of the active lanes' addresses, such as `stride 4096 B`.
pub fn pattern(touch: &TracedAccess) -> String {
    let lanes: Vec<usize> = (0..32).filter(|lane| touch.mask >> lane & 1 != 0).collect();
    let at = |i: usize| touch.addresses[lanes[i]] as i64;
    let count = lanes.len();
    if count < 2 {
        return "one lane".to_owned();
    }
    // The step between neighbours, if it is the same from `first` on for `length` lanes.
    let step = |first: usize, length: usize| {
        let step = at(first + 1).wrapping_sub(at(first));
        let even = (first + 1..first + length).all(|i| at(i).wrapping_sub(at(i - 1)) == step);
        even.then_some(step)
    };
    match step(0, count) {
        Some(0) => return "all lanes at one address".to_owned(),
        Some(step) => return format!("stride {step} B"),
        None => {}
    }
    for group in [16, 8, 4, 2] {
        if !count.is_multiple_of(group) || group >= count {
            continue;
        }
        let starts: Vec<usize> = (0..count).step_by(group).collect();
        let inner = step(0, group);
        let outer = at(group).wrapping_sub(at(0));
        let same = starts.iter().all(|&first| step(first, group) == inner)
            && starts.windows(2).all(|pair| at(pair[1]).wrapping_sub(at(pair[0])) == outer);
        if let (Some(inner), true) = (inner, same) {
            let within = match inner {
                0 => "one address".to_owned(),
                inner => format!("stride {inner} B"),
            };
            return match outer {
                0 => format!("groups of {group} lanes: {within}, the same in each"),
                outer => format!("groups of {group} lanes: {within}, {outer} B between groups"),
            };
        }
    }
    let low = (0..count).map(at).min().unwrap_or(0);
    let high = (0..count).map(at).max().unwrap_or(0);
    format!("scattered over {} B", high.wrapping_sub(low).wrapping_add(touch.bytes.into()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use lanework_emulator::{AccessKind, Place, Space};

    fn of(mask: u32, at: impl Fn(u64) -> u64) -> String {
        let addresses = std::array::from_fn(|lane| 1 << 20 | at(lane as u64));
        let (space, kind, place) = (Space::Global, AccessKind::Load, Place::default());
        pattern(&TracedAccess { place, space, kind, bytes: 4, mask, addresses })
    }

    #[test]
    fn patterns_have_words() {
        assert_eq!(of(u32::MAX, |lane| 4 * lane), "stride 4 B");
        assert_eq!(of(u32::MAX, |lane| 4096 * lane), "stride 4096 B");
        assert_eq!(of(u32::MAX, |_| 12), "all lanes at one address");
        assert_eq!(
            of(u32::MAX, |lane| lane % 16 * 4 + lane / 16 * 1024),
            "groups of 16 lanes: stride 4 B, 1024 B between groups"
        );
        assert_eq!(
            of(u32::MAX, |lane| lane / 8 * 512),
            "groups of 8 lanes: one address, 512 B between groups"
        );
        assert_eq!(
            of(u32::MAX, |lane| lane % 16 * 32),
            "groups of 16 lanes: stride 32 B, the same in each"
        );
        assert_eq!(of(1, |lane| lane), "one lane");
        assert_eq!(
            of(0xffff, |lane| lane / 8 * 512 + lane % 8 * 4),
            "groups of 8 lanes: stride 4 B, 512 B between groups"
        );
        assert_eq!(of(0b111, |lane| lane * lane * 32), "scattered over 132 B");
    }
    #[test]
    fn any_lanes_anywhere_have_a_pattern() {
        let mut random = 1u64;
        let mut next = move || {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            random >> 32
        };
        for count in 1..=32 {
            let mask = u32::MAX >> (32 - count);
            let scattered: [u64; 32] = std::array::from_fn(|_| next() % 4096);
            assert!(!of(mask, |lane| scattered[lane as usize]).is_empty());
            let stepped = of(mask, |lane| lane * lane);
            assert!(!stepped.is_empty());
            assert!(!of(mask.rotate_left(7) & next() as u32 | 1, |lane| lane ^ 5).is_empty());
        }
    }
}
