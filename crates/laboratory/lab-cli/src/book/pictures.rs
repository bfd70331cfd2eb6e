//! The pictures of the documentation, once for each language: `pictures/NAME.svg` in the folder of the pages. They are
//! drawn from the kernels, the rules of the machine and the stored results.

mod access;
mod execution;

use super::words::{LANGUAGES, PictureWords};
use lanework::Result;
use lanework::report::pictures::drawing::{Anchor, Drawing, EMPTY, FAINT, FILLS, INK};
use lanework_lab::specs;
use lanework_ladders::{Language, RungInfo};
use serde_json::Value;
use std::path::Path;

/// A picture's name and its description, for readers who cannot see it.
pub struct Shown {
    /// The file's name without `.svg`.
    pub name: &'static str,
    /// Its description in English and Chinese.
    pub says: [&'static str; 2],
}

/// The pictures after the story of a ladder.
pub fn of_ladder(ladder: &str) -> &'static [Shown] {
    match ladder {
        "vector-add" => &[Shown {
            name: "coalescing",
            says: [
                "The sectors of a warp's load of neighboring floats, of every other float and of distant ones",
                "一个 warp 读取相邻的、每隔一个的和相距很远的 float 时访问的扇区",
            ],
        }],
        "sum-squares" => &[Shown {
            name: "reduction-trees",
            says: [
                "Three reduction trees: which threads add which partial sums in each step",
                "三种归约树：每一步由哪些线程把哪些部分和相加",
            ],
        }],
        "transpose" => &[Shown {
            name: "banks",
            says: [
                "A column of a tile is in one bank with 32 columns and in 32 banks with 33",
                "tile 有 32 列时，一列落在同一个 bank 里；有 33 列时，一列分布在 32 个 bank 里",
            ],
        }],
        "matmul" | "int-matmul" => &[Shown {
            name: "tiles",
            says: [
                "A tile of C is the sum of products of tiles along a row of A and a column of B",
                "C 的一个 tile 是 A 的一行 tile 与 B 的一列 tile 乘积之和",
            ],
        }],
        "sgemm" => &[
            Shown {
                name: "tiles",
                says: [
                    "A tile of C is the sum of products of tiles along a row of A and a column of B",
                    "C 的一个 tile 是 A 的一行 tile 与 B 的一列 tile 乘积之和",
                ],
            },
            Shown {
                name: "roofline",
                says: [
                    "The roofline of an H200 with the measured rungs of four ladders",
                    "H200 的 roofline，以及四个阶梯各级的实测值",
                ],
            },
        ],
        _ => &[],
    }
}

/// Whether the rung has a picture of its accesses, `LADDER-RUNG`.
pub fn of_rung(ladder: &str, rung: &RungInfo) -> bool {
    ladder == access::TRACED && rung.name != "cublas"
}

/// The line of Markdown that shows a picture on a page.
pub fn line(name: &str, says: &str) -> String {
    format!("![{says}](pictures/{name}.svg)\n")
}

/// All pictures.
///
/// # Errors
/// If a rung cannot be traced on the emulator.
pub fn pictures(results: &Path) -> Result<Vec<(String, String)>> {
    let rungs = access::traced()?;
    let mut pages = Vec::new();
    for (language, folder, _) in LANGUAGES {
        let words = PictureWords(language);
        let mut add = |name: &str, drawn: String| {
            pages.push((format!("{folder}/pictures/{name}.svg"), drawn));
        };
        add("threads", execution::threads(words));
        add("divergence", execution::divergence(words));
        add("pipeline", execution::pipeline(words));
        add("shuffles", shuffles(words));
        add("reduction-trees", reductions(words));
        add("tiles", execution::tiles(words));
        add("coalescing", access::coalescing(words));
        add("banks", access::banks(words));
        add("roofline", roofline(results, words));
        for (rung, touches) in &rungs {
            add(&format!("{}-{rung}", access::TRACED), access::rung(rung, touches, words));
        }
    }
    Ok(pages)
}

/// The plot's corner and size, and its ranges: powers of ten of operations per byte and of GFLOP/s.
const LEFT: f64 = 70.0;
const TOP: f64 = 40.0;
const SIZE: (f64, f64) = (640.0, 330.0);
const X: (f64, f64) = (-2.0, 3.0);
const Y: (f64, f64) = (1.0, 5.0);

fn x(intensity: f64) -> f64 {
    LEFT + SIZE.0 * (intensity.log10() - X.0) / (X.1 - X.0)
}

fn y(rate: f64) -> f64 {
    TOP + SIZE.1 * (Y.1 - rate.log10()) / (Y.1 - Y.0)
}

/// The picture, from the stored climbs.
pub fn roofline(results: &Path, words: PictureWords) -> String {
    let mut d = Drawing::new(760.0);
    let gpu = specs().gpu("H200").expect("tested: every GPU of the table is found");
    let (bandwidth, peak) = (gpu.bandwidth_gb_s, gpu.fp32_tflops * 1000.0);
    d.title((16.0, 22.0), words.of("FP32 on an H200", "H200 上的 FP32"));
    for power in X.0 as i32..=X.1 as i32 {
        let at = x(10f64.powi(power));
        d.line((at, TOP), (at, TOP + SIZE.1), EMPTY);
        let label = if power < 0 {
            format!("{}", 10f64.powi(power))
        } else {
            10i32.pow(power as u32).to_string()
        };
        d.text((at, TOP + SIZE.1 + 16.0), 11, Anchor::Middle, FAINT, &label);
    }
    for power in Y.0 as i32..=Y.1 as i32 {
        let at = y(10f64.powi(power));
        d.line((LEFT, at), (LEFT + SIZE.0, at), EMPTY);
        d.text(
            (LEFT - 8.0, at + 4.0),
            11,
            Anchor::End,
            FAINT,
            &10i32.pow(power as u32).to_string(),
        );
    }
    let ridge = peak / bandwidth;
    let low = 10f64.powf(X.0);
    d.line((x(low), y(low * bandwidth)), (x(ridge), y(peak)), INK);
    d.line((x(ridge), y(peak)), (LEFT + SIZE.0, y(peak)), INK);
    let memory = format!("{bandwidth} GB/s");
    d.text((x(0.9), y(0.9 * bandwidth) - 12.0), 12, Anchor::End, INK, &memory);
    let compute = format!("{} TFLOP/s", gpu.fp32_tflops);
    d.text((LEFT + SIZE.0 - 4.0, y(peak) - 7.0), 12, Anchor::End, INK, &compute);
    for (ladder, fill) in ["vector-add", "sum-squares", "matmul", "sgemm"].into_iter().zip(FILLS) {
        let Some(climb) = read_json(&results.join(format!("h200/{ladder}.json"))) else {
            continue;
        };
        let number = |value: &Value| value.as_f64().unwrap_or(0.0);
        let intensity = number(&climb["flops"]) / number(&climb["bytes"]).max(1.0);
        let rungs = climb["rungs"].as_array().into_iter().flatten();
        let rates: Vec<(String, f64)> = rungs
            .map(|rung| {
                let name = rung["name"].as_str().unwrap_or_default().to_owned();
                (name, number(&rung["time"]["gigaflops_per_second"]))
            })
            .filter(|(name, rate)| name != "cublas" && *rate >= 10f64.powf(Y.0))
            .collect();
        for (_, rate) in &rates {
            d.circle((x(intensity), y(*rate)), 5.0, fill);
        }
        let best = rates.iter().max_by(|a, b| a.1.total_cmp(&b.1));
        let Some((name, rate)) = best else { continue };
        let (dx, anchor) =
            if intensity > 100.0 { (-10.0, Anchor::End) } else { (10.0, Anchor::Start) };
        let said = format!("{ladder}/{name}");
        d.text((x(intensity) + dx, y(*rate) + 4.0), 11, anchor, INK, &said);
    }
    let below = TOP + SIZE.1;
    let axis = words.of(
        "operations per byte that any solution must move (horizontal), GFLOP/s (vertical); both axes are logarithmic",
        "横轴：运算次数除以任何解法至少要搬运的字节数；纵轴：GFLOP/s；两轴均为对数",
    );
    let under = d.note((LEFT, below + 36.0), axis);
    let note = words.of(
        "A dot is a rung, measured on an H200. Left of the ridge the memory is the limit, right of it the arithmetic. Roofs are nominal.",
        "每个点是一级在 H200 上的实测。脊点左边受内存限制，右边受算力限制。上限为标称值。",
    );
    let height = d.note((LEFT, under + 4.0), note);
    d.finish(height)
}

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
pub fn reductions(words: PictureWords) -> String {
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
        "Cells are the words tree[0..16]. Blue: thread t adds the orange word at the arrow's tail. Gray: already added.",
        "每格是 tree[0..16] 的一个字。蓝：线程 t 把箭头起点处橙色的字加进来。灰：已经加过。",
    );
    let height = d.note((16.0, y + 8.0), note);
    d.finish(height)
}

/// `shuffle_down` by halves, and `shuffle_xor`, for eight lanes.
pub fn shuffles(words: PictureWords) -> String {
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
                // Lanes whose value still counts toward the sum.
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

/// The JSON of a file; `None` if it cannot be read.
pub fn read_json(path: &Path) -> Option<Value> {
    serde_json::from_str(&std::fs::read_to_string(path).ok()?).ok()
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
