//! How threads are arranged and run, and the tiling of a matrix product: grid, block and warp; a divergent branch; a
//! pipeline of copies; tiles.

use crate::book::words::PictureWords;
use lanework::report::pictures::drawing::{Anchor, Drawing, EMPTY, FAINT, FILLS, GOOD, INK};
use lanework_ladders::Language;

/// Grid, block, warp, lane: which thread has which index.
pub fn threads(words: PictureWords) -> String {
    let mut d = Drawing::new(760.0);
    d.title((16.0, 24.0), words.of("the grid: 3 x 2 blocks", "网格：3 x 2 个线程块"));
    let (left, top, width, height) = (16.0, 36.0, 72.0, 52.0);
    let chosen = (1, 1);
    for y in 0..2 {
        for x in 0..3 {
            let at = (left + f64::from(x) * (width + 6.0), top + f64::from(y) * (height + 6.0));
            let fill = if (x, y) == chosen { FILLS[0] } else { EMPTY };
            d.rect(at, (width, height), fill);
            let middle = (at.0 + width / 2.0, at.1 + height / 2.0 + 4.0);
            d.code(middle, 12, Anchor::Middle, &format!("({x}, {y})"));
        }
    }
    let note = words.of("block_idx; blocks run in any order", "block_idx；线程块的执行次序任意");
    d.text((left, 168.0), 12, Anchor::Start, FAINT, note);

    d.title((300.0, 24.0), words.of("one block: 16 x 4 threads", "一个线程块：16 x 4 个线程"));
    let (left, top, cell) = (300.0, 36.0, 27.0);
    d.line((left - 62.0, top + height + 6.0), (left - 4.0, top), FAINT);
    d.line((left - 62.0, top + 2.0 * height + 6.0), (left - 4.0, top + 4.0 * cell), FAINT);
    for y in 0..4 {
        for x in 0..16 {
            let at = (left + f64::from(x) * cell, top + f64::from(y) * cell);
            let fill = if y < 2 { FILLS[1] } else { FILLS[2] };
            d.rect(at, (cell - 2.0, cell - 2.0), fill);
            let lane = (y % 2) * 16 + x;
            d.text(
                (at.0 + cell / 2.0 - 1.0, at.1 + 17.0),
                10,
                Anchor::Middle,
                INK,
                &lane.to_string(),
            );
        }
    }
    let note = words.of(
        "warps of 32 lanes, counted along x first: warp 0 (orange), warp 1 (green)",
        "每个 warp 有 32 个 lane，先沿 x 编号：warp 0（橙）、warp 1（绿）",
    );
    d.text((left, top + 4.0 * cell + 18.0), 12, Anchor::Start, FAINT, note);

    let y = 196.0;
    d.code((16.0, y), 13, Anchor::Start, "let x = block_idx.x * block_dim.x + thread_idx.x;");
    let said = words.of(
        "lane 5 of warp 1 here: thread_idx (5, 2), x = 1 * 16 + 5 = 21",
        "这里 warp 1 的 lane 5：thread_idx 为 (5, 2)，x = 1 * 16 + 5 = 21",
    );
    let height = d.note((16.0, y + 20.0), said);
    d.finish(height)
}

/// A branch that splits a warp, and one that does not.
pub fn divergence(words: PictureWords) -> String {
    let mut d = Drawing::new(760.0);
    let cell = 17.0;
    let left = 200.0;
    let mut y = 8.0;
    let steps = ["if ..", "a();", "b();", "c();"];
    // The code, and the interval of the lanes that take the first side.
    let cases = [
        ("if lane % 2 == 0 { a() } else { b() } c()", 2),
        ("if warp == 0 { a() } else { b() } c()", 1),
    ];
    for (what, every) in cases {
        d.code((16.0, y + 18.0), 13, Anchor::Start, what);
        y += 28.0;
        let mut issued = 0;
        for (step, name) in steps.iter().enumerate() {
            let active = |lane: u32| match step {
                1 => lane.is_multiple_of(every),
                2 => !lane.is_multiple_of(every),
                _ => true,
            };
            if !(0..32).any(active) {
                continue;
            }
            issued += 1;
            d.code((left - 12.0, y + 13.0), 12, Anchor::End, name);
            for lane in 0..32 {
                let fill = if active(lane) { FILLS[0] } else { EMPTY };
                d.rect((left + f64::from(lane) * cell, y), (cell - 2.0, cell - 2.0), fill);
            }
            y += cell + 1.0;
        }
        let said = match words.0 {
            Language::English => format!("{issued} instructions issued to warp 0"),
            _ => format!("向 warp 0 发射 {issued} 条指令"),
        };
        d.text((left, y + 13.0), 12, Anchor::Start, FAINT, &said);
        y += 32.0;
    }
    let note = words.of(
        "Columns are the 32 lanes; gray lanes wait. Both sides of a split run one after the other, then the lanes reconverge.",
        "每一列是一个 lane，共 32 个；灰色的 lane 在等待。分化的两侧先后执行，然后各 lane 重新汇合。",
    );
    let height = d.note((16.0, y + 6.0), note);
    d.finish(height)
}

/// Copies and products in time, with one buffer and with a ring of three.
pub fn pipeline(words: PictureWords) -> String {
    let mut d = Drawing::new(760.0);
    let (left, row) = (90.0, 26.0);
    let (copy, product) = (78.0, 56.0);
    let mut y = 12.0;
    let bar = |d: &mut Drawing, x: f64, y: f64, width: f64, fill: &str, text: &str| {
        d.rect((left + x, y), (width - 3.0, row - 4.0), fill);
        d.text((left + x + width / 2.0 - 1.0, y + 15.0), 11, Anchor::Middle, INK, text);
    };
    let load = |k: usize| format!("{} {k}", words.of("copy", "拷贝"));
    let use_of = |k: usize| format!("{} {k}", words.of("use", "计算"));
    for stages in [1usize, 3] {
        let title = match (stages, words.0) {
            (1, Language::English) => "one buffer".to_owned(),
            (1, _) => "一个缓冲区".to_owned(),
            (_, Language::English) => format!("a ring of {stages} stages"),
            _ => format!("{stages} 级的环"),
        };
        d.title((16.0, y + 10.0), &title);
        y += 20.0;
        // A copy starts once its stage has been consumed. Copies share the memory, products the tensor cores.
        let (mut loaded, mut used): (Vec<f64>, Vec<f64>) = (Vec::new(), Vec::new());
        for k in 0..4 {
            // Copies in flight overlap, except for the time that the bandwidth takes.
            let after_copy = if k == 0 { 0.0 } else { loaded[k - 1] - copy + 52.0 };
            let start = if k >= stages { after_copy.max(used[k - stages]) } else { after_copy };
            loaded.push(start + copy);
            let begin = if k == 0 { loaded[0] } else { loaded[k].max(used[k - 1]) };
            used.push(begin + product);
            let place = y + (k % stages) as f64 * row;
            bar(&mut d, start, place, copy, FILLS[0], &load(k));
            bar(&mut d, begin, place, product, FILLS[2], &use_of(k));
            d.text(
                (left - 10.0, place + 15.0),
                11,
                Anchor::End,
                FAINT,
                &format!("{} {}", words.of("stage", "级"), k % stages),
            );
        }
        let end = left + used[3];
        d.line((end, y - 4.0), (end, y + stages as f64 * row), GOOD);
        y += stages as f64 * row + 20.0;
    }
    let note = words.of(
        "Time runs to the right. With one buffer, every product waits for its copy; with a ring, the next copies are in flight while a product runs.",
        "时间向右。只有一个缓冲区时，每次计算都要等自己的拷贝；有环时，计算的同时后面的拷贝已在途中。",
    );
    let height = d.note((16.0, y + 6.0), note);
    d.finish(height)
}

/// Width of a cell, and cells along an edge: tiles of 2 x 2 cells in matrices of 8 x 8.
const CELL: f64 = 19.0;
const N: usize = 8;

/// A matrix at a place: the color of each cell by row and column.
fn matrix(
    d: &mut Drawing,
    (left, top): (f64, f64),
    name: &str,
    fill: impl Fn(usize, usize) -> &'static str,
) {
    let edge = N as f64 * CELL;
    d.title((left, top - 8.0), name);
    for y in 0..N {
        for x in 0..N {
            let at = (left + x as f64 * CELL, top + y as f64 * CELL);
            d.rect(at, (CELL - 1.0, CELL - 1.0), fill(y, x));
        }
    }
    for k in 0..=4 {
        let along = k as f64 * 2.0 * CELL - 0.5;
        d.line((left - 0.5, top + along), (left + edge - 0.5, top + along), FAINT);
        d.line((left + along, top - 0.5), (left + along, top + edge - 0.5), FAINT);
    }
}

/// A block's tile of C, its loads of A and B in one step, and the part that a thread keeps in
/// registers.
pub fn tiles(words: PictureWords) -> String {
    let mut d = Drawing::new(760.0);
    let edge = N as f64 * CELL;
    let (row, step, column) = (2..4, 2..4, 4..6);
    let a = (24.0, 56.0);
    let b = (24.0 + edge + 40.0, 56.0);
    let c = (24.0 + 2.0 * (edge + 40.0), 56.0);
    d.title((16.0, 24.0), words.of("C = A B by tiles", "按 tile 计算 C = A B"));
    matrix(&mut d, a, "A", |y, x| match (row.contains(&y), step.contains(&x)) {
        (true, true) => FILLS[0],
        (true, false) => "#dcebff",
        _ => EMPTY,
    });
    matrix(&mut d, b, "B", |y, x| match (column.contains(&x), step.contains(&y)) {
        (true, true) => FILLS[1],
        (true, false) => "#ffe8d6",
        _ => EMPTY,
    });
    matrix(
        &mut d,
        c,
        "C",
        |y, x| {
            if row.contains(&y) && column.contains(&x) { FILLS[2] } else { EMPTY }
        },
    );
    d.text((b.0 - 20.0, a.1 + edge / 2.0), 20, Anchor::Middle, INK, "x");
    d.text((c.0 - 20.0, a.1 + edge / 2.0), 20, Anchor::Middle, INK, "=");
    d.arrow((a.0 + 2.0, a.1 + edge + 12.0), (a.0 + edge, a.1 + edge + 12.0), FAINT);
    d.arrow((b.0 + edge + 12.0, b.1 + 2.0), (b.0 + edge + 12.0, b.1 + edge), FAINT);
    d.code((a.0 + edge / 2.0, a.1 + edge + 27.0), 12, Anchor::Middle, "k");
    d.code((b.0 + edge + 19.0, b.1 + edge - 2.0), 12, Anchor::Start, "k");

    let at = (c.0 + edge + 36.0, 56.0);
    d.title((at.0, 48.0), words.of("one thread's part", "一个线程的部分"));
    let cell = 24.0;
    for k in 0..4 {
        let k = f64::from(k);
        d.rect((at.0, at.1 + 30.0 + k * cell), (20.0, cell - 2.0), FILLS[0]);
        d.rect((at.0 + 28.0 + k * cell, at.1), (cell - 2.0, 20.0), FILLS[1]);
        for x in 0..4 {
            d.rect(
                (at.0 + 28.0 + f64::from(x) * cell, at.1 + 30.0 + k * cell),
                (cell - 2.0, cell - 2.0),
                FILLS[2],
            );
        }
    }
    d.text(
        (at.0, at.1 + 148.0),
        12,
        Anchor::Start,
        FAINT,
        words.of("4 + 4 loads,", "读 4 + 4 次，"),
    );
    d.text(
        (at.0, at.1 + 164.0),
        12,
        Anchor::Start,
        FAINT,
        words.of("16 multiply-adds", "16 次乘加"),
    );

    let said = words.of(
        "A block computes one tile of C (green). In each step along k it loads a tile of A (blue) and one of B (orange) into \
         shared memory, and every value is used by a whole row or column of threads. A thread keeps a small square of C in \
         registers and uses each loaded value 4 times.",
        "一个线程块计算 C 的一个 tile（绿）。沿 k 的每一步，它把 A 的一个 tile（蓝）和 B 的一个 tile（橙）读入共享内存，\
         每个值供一整行或一整列线程使用。线程把 C 的一小块保存在寄存器里，读来的每个值用 4 次。",
    );
    let height = d.note((16.0, 264.0), said);
    d.finish(height)
}
