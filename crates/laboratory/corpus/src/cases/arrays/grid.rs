//! `grid.cu`: stencils and convolutions.

use crate::Case;
use crate::case::{args, bytes, doubles, integer_floats, ints, many, words};

const UNIT: &str = "grid";
const TAPS: [f32; 9] = [1.0, 2.0, 3.0, 4.0, 5.0, 4.0, 3.0, 2.0, 1.0];

pub fn cases() -> Vec<Case> {
    let mut cases = vec![line(), heat(), volume(), life()];
    cases.extend([convolve_line(), convolve_plane(), blur(), channels(), median()]);
    cases
}

fn line() -> Case {
    let n = 300usize;
    let x = ints(1, n, -99, 99);
    let out: Vec<i32> =
        (0..n).map(|i| x[i.saturating_sub(3)..(i + 4).min(n)].iter().sum()).collect();
    Case::new(UNIT, "seven points of a line")
        .with("in", &x)
        .with("out", &vec![0i32; n])
        .run("stencil_line", 3, 128, args!["in", "out", n as i32])
        .expects("out", &out)
}

fn heat() -> Case {
    let (w, h) = (40, 30);
    let x = doubles(2, w * h);
    let step = |from: &[f64]| -> Vec<f64> {
        let at = |i: usize| {
            if i.is_multiple_of(w) || i % w == w - 1 || i < w || i >= (h - 1) * w {
                return from[i];
            }
            let around = from[i - 1] + from[i + 1] + from[i - w] + from[i + w];
            from[i] + 0.2 * (around - 4.0 * from[i])
        };
        (0..w * h).map(at).collect()
    };
    let launch = ((5, 8), (8, 4));
    Case::new(UNIT, "heat in a plane, two steps")
        .with("a", &x)
        .with("b", &vec![0f64; w * h])
        .run("heat_plane", launch.0, launch.1, args!["a", "b", w as i32, h as i32, 0.2f64])
        .run("heat_plane", launch.0, launch.1, args!["b", "a", w as i32, h as i32, 0.2f64])
        .expects_within("a", &step(&step(&x)), 1e-14)
}

fn volume() -> Case {
    let (w, h, d) = (40i32, 12i32, 6i32);
    let n = (w * h * d) as usize;
    let x = integer_floats(3, n, 1000);
    let mut out = Vec::new();
    for z in 0..d {
        for y in 0..h {
            for column in 0..w {
                let at = |dx: i32, dy: i32, dz: i32| {
                    let (x1, y1, z1) = (column + dx, y + dy, z + dz);
                    let inside =
                        (0..w).contains(&x1) && (0..h).contains(&y1) && (0..d).contains(&z1);
                    if inside { x[((z1 * h + y1) * w + x1) as usize] } else { 0.0 }
                };
                let around = at(1, 0, 0) + at(-1, 0, 0) + at(0, 1, 0) + at(0, -1, 0);
                out.push(around + at(0, 0, 1) + at(0, 0, -1) - 6.0 * at(0, 0, 0));
            }
        }
    }
    Case::new(UNIT, "seven points of a volume")
        .with("in", &x)
        .with("out", &vec![0f32; n])
        .run("laplace_volume", (2, 2), (32, 8), args!["in", "out", w, h, d])
        .expects("out", &out)
}

fn life() -> Case {
    let (columns, rows) = (4usize, 20usize);
    let x = words(4, columns * rows);
    let alive = |column: usize, row: usize| {
        let (column, row) = (column % (32 * columns), row % rows);
        x[row * columns + column / 32] >> (column % 32) & 1
    };
    let mut out = vec![0u32; x.len()];
    for row in 0..rows {
        for column in 0..32 * columns {
            let near = [rows - 1, 0, 1]
                .into_iter()
                .flat_map(|dy| [32 * columns - 1, 0, 1].map(|dx| alive(column + dx, row + dy)));
            let around = near.sum::<u32>() - alive(column, row);
            let lives = around == 3 || (around == 2 && alive(column, row) == 1);
            out[row * columns + column / 32] |= u32::from(lives) << (column % 32);
        }
    }
    Case::new(UNIT, "life")
        .with("in", &x)
        .with("out", &vec![0u32; x.len()])
        .run("life", rows as u32, columns as u32, args!["in", "out", columns as i32, rows as i32])
        .expects("out", &out)
}

/// A line convolved with the taps, zeros beyond its ends.
fn convolved(line: &[f32]) -> Vec<f32> {
    let at = |i: usize| {
        let tap = |(k, tap): (usize, &f32)| {
            (i + k).checked_sub(4).and_then(|j| line.get(j)).map_or(0.0, |x| tap * x)
        };
        TAPS.iter().enumerate().map(tap).sum()
    };
    (0..line.len()).map(at).collect()
}

fn convolve_line() -> Case {
    let x = integer_floats(5, 200, 1000);
    Case::new(UNIT, "convolution of a line")
        .with("in", &x)
        .with("out", &[0f32; 200])
        .run("convolve_line", 2, 128, args!["in", "out", 200i32])
        .expects("out", &convolved(&x))
}

fn convolve_plane() -> Case {
    const MASK: [[i32; 5]; 5] =
        [[0, 1, 2, 1, 0], [1, 3, 5, 3, 1], [2, 5, 9, 5, 2], [1, 3, 5, 3, 1], [0, 1, 2, 1, 0]];
    let (w, h) = (50usize, 37usize);
    let x = bytes(6, w * h);
    let at = |i: usize| {
        let mut sum = 0;
        for (dy, row) in MASK.iter().enumerate() {
            for (dx, weight) in row.iter().enumerate() {
                let column = (i % w + dx).saturating_sub(2).min(w - 1);
                let row = (i / w + dy).saturating_sub(2).min(h - 1);
                sum += weight * i32::from(x[row * w + column]);
            }
        }
        sum
    };
    Case::new(UNIT, "convolution of a plane")
        .with("in", &x)
        .with("out", &vec![0i32; w * h])
        .run("convolve_plane", (4, 3), (16, 16), args!["in", "out", w as i32, h as i32])
        .expects("out", &(0..w * h).map(at).collect::<Vec<_>>())
}

fn blur() -> Case {
    let (w, h) = (70usize, 20usize);
    let x = integer_floats(7, w * h, 100);
    let rows: Vec<f32> = x.chunks(w).flat_map(convolved).collect();
    let mut out = vec![0f32; w * h];
    for column in 0..w {
        let line: Vec<f32> = (0..h).map(|row| rows[row * w + column]).collect();
        for (row, value) in convolved(&line).into_iter().enumerate() {
            out[row * w + column] = value;
        }
    }
    Case::new(UNIT, "separable convolution")
        .with("in", &x)
        .with("rows", &vec![0f32; w * h])
        .with("out", &vec![0f32; w * h])
        .run_shared("blur_rows", h as u32, 64, (w as u32 + 8) * 4, args!["in", "rows", w as i32])
        .run("blur_columns", 2, 64, args!["rows", "out", w as i32, h as i32])
        .expects("rows", &rows)
        .expects("out", &out)
}

fn channels() -> Case {
    let (outputs, channels, size) = (5usize, 3usize, 12usize);
    let x = many(8, channels * size * size, |r| r as i8);
    let weights = many(9, outputs * channels * 9, |r| r as i8);
    let mut out = Vec::new();
    for i in 0..outputs * size * size {
        let (o, y, x0) = (i / (size * size), i / size % size, i % size);
        let mut sum = 0;
        for tap in 0..channels * 9 {
            let (c, dy, dx) = (tap / 9, tap / 3 % 3, tap % 3);
            let (sy, sx) = ((y + dy).wrapping_sub(1), (x0 + dx).wrapping_sub(1));
            if sy < size && sx < size {
                sum += i32::from(x[(c * size + sy) * size + sx])
                    * i32::from(weights[o * channels * 9 + tap]);
            }
        }
        out.push(sum.max(0));
    }
    Case::new(UNIT, "convolution over channels")
        .with("in", &x)
        .with("weights", &weights)
        .with("out", &vec![0i32; out.len()])
        .run(
            "convolve_channels",
            outputs as u32,
            (size as u32, size as u32),
            args!["in", "weights", "out", channels as i32, size as i32],
        )
        .expects("out", &out)
}

fn median() -> Case {
    let (w, h) = (45usize, 9usize);
    let x = many(10, w * h, |r| r as u16);
    let at = |i: usize| {
        let near = |k: usize| {
            let row = (i / w + k / 3).saturating_sub(1).min(h - 1);
            x[row * w + (i % w + k % 3).saturating_sub(1).min(w - 1)]
        };
        let mut values: Vec<u16> = (0..9).map(near).collect();
        values.sort_unstable();
        values[4]
    };
    Case::new(UNIT, "median")
        .with("in", &x)
        .with("out", &vec![0u16; w * h])
        .run("median", (2, h as u32), 32, args!["in", "out", w as i32, h as i32])
        .expects("out", &(0..w * h).map(at).collect::<Vec<_>>())
}
