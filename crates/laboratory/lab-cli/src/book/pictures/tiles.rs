//! The tiling of a matrix product.

use super::wording::Words;
use lanework::report::pictures::drawing::{Anchor, Drawing, EMPTY, FAINT, FILLS, INK};

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
pub fn tiles(words: Words) -> String {
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
