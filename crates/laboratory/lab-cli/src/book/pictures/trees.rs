//! Reductions: which threads add which partial sums in each step.

use super::wording::Words;
use lanework::report::pictures::drawing::{Anchor, Drawing, EMPTY, FAINT, FILLS, INK};
use lanework_ladders::Language;

/// The number of sums in a picture.
const COUNT: usize = 16;

/// One step of a tree: the pairs (to, from), and the thread of each.
type Step = Vec<(usize, usize, usize)>;

/// Interleaved: thread `t` adds to its own place, where `t` is a multiple of the width.
fn interleaved() -> Vec<Step> {
    let offsets = [1, 2, 4, 8];
    offsets.map(|o| (0..COUNT).step_by(2 * o).map(|t| (t, t + o, t)).collect()).to_vec()
}

/// Strided: the first threads take the same pairs.
fn strided() -> Vec<Step> {
    let offsets = [1, 2, 4, 8];
    offsets.map(|o| (0..COUNT / (2 * o)).map(|t| (2 * o * t, 2 * o * t + o, t)).collect()).to_vec()
}

/// Halving: the first threads take the two halves.
fn halving() -> Vec<Step> {
    let offsets = [8, 4, 2, 1];
    offsets.map(|o| (0..o).map(|t| (t, t + o, t)).collect()).to_vec()
}

/// The three trees of the ladder in shared memory.
pub fn reductions(words: Words) -> String {
    let mut d = Drawing::new(760.0);
    let (left, cell, row) = (170.0, 34.0, 44.0);
    let mut y = 8.0;
    let trees = [
        (
            "tree-interleaved",
            words.of("idle lanes in every warp", "每个 warp 里都有空闲的 lane"),
            interleaved(),
        ),
        (
            "tree-strided",
            words.of(
                "contiguous threads, strided words: bank conflicts",
                "线程连续，但访问有步长：bank 冲突",
            ),
            strided(),
        ),
        ("tree-halving", words.of("contiguous threads and words", "线程和数据都连续"), halving()),
    ];
    for (name, says, steps) in trees {
        d.code((16.0, y + 16.0), 13, Anchor::Start, name);
        d.text((left, y + 16.0), 12, Anchor::Start, FAINT, says);
        y += 26.0;
        // Sums that are still to be added.
        let mut live = [true; COUNT];
        for (i, step) in steps.iter().enumerate() {
            let said = match words.0 {
                Language::English if step.len() == 1 => format!("step {}: 1 thread", i + 1),
                Language::English => format!("step {}: {} threads", i + 1, step.len()),
                _ => format!("第 {} 步：{} 个线程", i + 1, step.len()),
            };
            d.text((left - 12.0, y + 15.0), 11, Anchor::End, FAINT, &said);
            for (k, live) in live.iter().enumerate() {
                let to = step.iter().find(|(to, ..)| *to == k);
                let fill = match (live, to) {
                    (_, Some(_)) => FILLS[0],
                    (true, None) => FILLS[1],
                    (false, None) => EMPTY,
                };
                let at = (left + k as f64 * cell, y);
                d.rect(at, (cell - 3.0, 22.0), fill);
                if let Some((_, _, thread)) = to {
                    let middle = (at.0 + cell / 2.0 - 1.5, at.1 + 15.0);
                    d.text(middle, 11, Anchor::Middle, INK, &format!("t{thread}"));
                }
            }
            for (to, from, _) in step {
                let x = |k: &usize| left + *k as f64 * cell + cell / 2.0 - 1.5;
                d.arrow((x(from), y + 23.0), (x(to) + 4.0, y + row - 2.0), FAINT);
                live[*from] = false;
            }
            y += row;
        }
        y += 10.0;
    }
    let note = words.of(
        "Cells are the words tree[0..16]. Blue: thread t adds the orange word at the arrow's tail. Grey: already added.",
        "每格是 tree[0..16] 的一个字。蓝：线程 t 把箭头起点处橙色的字加进来。灰：已经加过。",
    );
    let height = d.note((16.0, y + 8.0), note);
    d.finish(height)
}

/// `shuffle_down` by halves, and `shuffle_xor`, for eight lanes.
pub fn shuffles(words: Words) -> String {
    let mut d = Drawing::new(760.0);
    let (cell, row) = (40.0, 46.0);
    let kinds = [
        ("shuffle_down", words.of("lane 0 has the sum", "lane 0 得到总和")),
        ("shuffle_xor", words.of("every lane has the sum", "每个 lane 都得到总和")),
    ];
    for (side, (name, says)) in kinds.into_iter().enumerate() {
        let left = 20.0 + side as f64 * 372.0;
        d.code((left, 22.0), 13, Anchor::Start, name);
        let mut y = 34.0;
        for offset in [4usize, 2, 1, 0] {
            for lane in 0..8usize {
                let x = left + lane as f64 * cell;
                // Lanes whose value counts in the end.
                let whole = if name == "shuffle_xor" {
                    true
                } else {
                    lane < 2 * offset.max(1) && (offset > 0 || lane == 0)
                };
                d.rect((x, y), (cell - 4.0, 22.0), if whole { FILLS[0] } else { EMPTY });
                d.text(
                    (x + cell / 2.0 - 2.0, y + 15.0),
                    11,
                    Anchor::Middle,
                    INK,
                    &lane.to_string(),
                );
                if offset == 0 {
                    continue;
                }
                let from = if name == "shuffle_xor" { lane ^ offset } else { lane + offset };
                if from < 8 && (name == "shuffle_xor" || lane < offset) {
                    let start = left + from as f64 * cell + cell / 2.0 - 2.0;
                    d.arrow((start, y + 23.0), (x + cell / 2.0 - 2.0, y + row - 2.0), FAINT);
                }
            }
            if offset > 0 {
                d.code(
                    (left + 8.0 * cell + 2.0, y + 38.0),
                    11,
                    Anchor::Start,
                    &format!("{offset}"),
                );
            }
            y += row;
        }
        d.text((left, y - 4.0), 12, Anchor::Start, FAINT, says);
    }
    d.finish(236.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each tree leaves the sum of all words in the first.
    #[test]
    fn the_trees_add_every_word_once() {
        for steps in [interleaved(), strided(), halving()] {
            let mut words: Vec<u64> = (0..COUNT as u64).map(|k| 1 << k).collect();
            for (to, from, _) in steps.into_iter().flatten() {
                words[to] += words[from];
            }
            assert_eq!(words[0], (1 << COUNT) - 1);
        }
    }
}
