//! Memory-bound contests: reductions, scans and transposes.

use crate::contest::Arena;
use crate::library::Peers;
use crate::numbers::{draw, near, uniform};
use crate::row::Problem;
use lanework::{Buffer, Device, Result};
use lanework_bench::{Cache, Work};
use lanework_ops::{Plan, Tensor, TensorMut, nn, reduce, scan, transpose};
use rayon::prelude::*;
use std::rc::Rc;

pub fn all(arena: &mut Arena, quick: bool) {
    let sizes: &[(u32, f64)] = match quick {
        true => &[(20, 1.0), (28, 1.02)],
        false => &[(16, 1.0), (20, 1.05), (24, 1.05), (28, 1.02)],
    };
    for &(log, reach) in sizes {
        sums(arena, 1 << log, reach);
    }
    for log in [20, 28] {
        scans(arena, 1 << log);
    }
    let squares: &[(u32, f64)] = match quick {
        true => &[(1024, 1.1), (8192, 1.07), (16384, 1.02)],
        false => &[
            (1024, 1.1),
            (2048, 1.1),
            (4096, 1.1),
            (8096, 1.1),
            (8192, 1.07),
            (16192, 1.1),
            (16384, 1.02),
        ],
    };
    for &(n, reach) in squares {
        transposes::<f32>(arena, (n, n), "f32", reach);
    }
    transposes::<f64>(arena, (8192, 8192), "f64", 1.0);
    transposes::<f32>(arena, (8191, 4097), "f32", 1.0);
    transposes::<f32>(arena, (100_000, 100), "f32", 1.0);
    // cublasGeam does not support these elements, so compare with a copy.
    copied::<u8>(arena, "u8", (16384, 16384));
    copied::<u16>(arena, "u16", (8192, 16384));
    copied::<[u32; 4]>(arena, "16 bytes", (4096, 4096));
    let shapes: &[(usize, usize)] = match quick {
        true => &[(1 << 10, 1 << 10), (1 << 18, 1 << 10)],
        false => &[
            (4, 1 << 10),
            (1 << 10, 1 << 10),
            (1 << 14, 1 << 10),
            (1 << 18, 1 << 10),
            (1 << 14, 1 << 14),
            (1 << 22, 64),
            (256, 1 << 20),
        ],
    };
    for &shape in shapes {
        for (name, prepare) in ROWS {
            rows(arena, name, prepare, shape);
        }
    }
}

type Prepare = for<'s> fn(&'s mut Matrix<f32>, [usize; 2]) -> Result<Plan<'s>>;

/// Row-wise operations.
const ROWS: [(&str, Prepare); 3] = [
    ("softmax", |state, shape| {
        nn::softmax(Tensor::new(&state.x, shape)?).prepare(TensorMut::new(&mut state.out, shape)?)
    }),
    ("layer norm", |state, shape| {
        nn::layer_norm(Tensor::new(&state.x, shape)?)
            .prepare(TensorMut::new(&mut state.out, shape)?)
    }),
    ("RMS norm", |state, shape| {
        nn::rms_norm(Tensor::new(&state.x, shape)?).prepare(TensorMut::new(&mut state.out, shape)?)
    }),
];

/// The result of an operation for a row, in f64.
fn row_of(name: &str, x: &[f32]) -> Vec<f64> {
    let x: Vec<f64> = x.iter().map(|&x| f64::from(x)).collect();
    let mean = |of: &dyn Fn(f64) -> f64| x.iter().map(|&x| of(x)).sum::<f64>() / x.len() as f64;
    match name {
        "softmax" => {
            let most = x.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let total: f64 = x.iter().map(|x| (x - most).exp()).sum();
            x.iter().map(|x| (x - most).exp() / total).collect()
        }
        "layer norm" => {
            let middle = mean(&|x| x);
            let spread = (mean(&|x| (x - middle).powi(2)) + 1e-5).sqrt();
            x.iter().map(|x| (x - middle) / spread).collect()
        }
        _ => {
            let size = (mean(&|x| x * x) + 1e-5).sqrt();
            x.iter().map(|x| x / size).collect()
        }
    }
}

/// A row-wise operation against a copy of the same bytes.
fn rows(arena: &mut Arena, name: &'static str, prepare: Prepare, (rows, columns): (usize, usize)) {
    let title = format!("{name} f32 {rows} x {columns}");
    if !arena.wants("rows", &title) {
        return;
    }
    let host = uniform(rows * columns, 4);
    let setup = |device: &Device| {
        let mut out = device.uninit(rows * columns)?;
        out.fill_bytes(0xff)?;
        Ok(Matrix { x: device.upload(&host)?, out })
    };
    let what = problem("rows", title, "copy", (8 * host.len() as u64, 0), 0.9);
    arena.contest(
        what,
        setup,
        |state| prepare(state, [rows, columns]),
        |state, peers| Ok(copy(state, peers)),
        |state| {
            let mut got = vec![0.0f32; columns];
            for row in [0, rows / 3, rows - 1] {
                state.out.download_part(row * columns, &mut got).map_err(|why| why.to_string())?;
                // The copy's result is the input.
                let input = &host[row * columns..][..columns];
                if got == input {
                    continue;
                }
                for (column, (got, want)) in got.iter().zip(row_of(name, input)).enumerate() {
                    near(
                        &format!("row {row}, column {column}"),
                        f64::from(*got),
                        want,
                        2e-5 * want.abs() + 2e-6,
                    )?;
                }
            }
            Ok(())
        },
    );
}

/// The driver's copy.
fn copy<'s, T: lanework::Storable>(
    state: &'s mut Matrix<T>,
    peers: &Rc<Peers>,
) -> Box<dyn FnMut() -> Result<()> + 's> {
    let peers = peers.clone();
    Box::new(move || peers.copy(&state.x, &mut state.out))
}

/// A transpose against a copy of the same bytes.
fn copied<T: lanework::Storable + bytemuck::Pod + PartialEq + Sync>(
    arena: &mut Arena,
    name: &str,
    (m, n): (usize, usize),
) {
    let title = format!("transpose {name} {m} x {n}");
    if !arena.wants("transpose-copy", &title) {
        return;
    }
    let bits = uniform((m * n * size_of::<T>()).div_ceil(4), 5);
    let host: &[T] = &bytemuck::cast_slice(&bits)[..m * n];
    let setup = |device: &Device| {
        let mut out = device.uninit(m * n)?;
        out.fill_bytes(0xff)?;
        Ok(Matrix { x: device.upload(host)?, out })
    };
    let bytes = 2 * (size_of::<T>() * m * n) as u64;
    let what = problem("transpose-copy", title, "copy", (bytes, 0), 0.95);
    arena.contest(
        what,
        setup,
        |state| {
            transpose(Tensor::new(&state.x, [m, n])?)
                .prepare(TensorMut::new(&mut state.out, [n, m])?)
        },
        |state, peers| Ok(copy(state, peers)),
        |state| {
            let got = state.out.download().map_err(|why| why.to_string())?;
            let wrong =
                (0..m * n).into_par_iter().find_first(|&i| got[i] != host[i % m * n + i / m]);
            match wrong {
                // The copy's result is the input.
                Some(i) if got != host => Err(format!("element {i} of the transpose is wrong")),
                _ => Ok(()),
            }
        },
    );
}

/// Buffers of a reduction or a scan by CUB.
struct Line {
    x: Buffer<f32>,
    out: Buffer<f32>,
    temporary: Buffer<u8>,
}

fn line(device: &Device, host: &[f32], results: usize, temporary: usize) -> Result<Line> {
    let mut out = device.uninit(results)?;
    out.fill_bytes(0xff)?;
    Ok(Line { x: device.upload(host)?, out, temporary: device.uninit(temporary)? })
}

fn problem(
    group: &'static str,
    title: String,
    peer: &'static str,
    (bytes, flops): (u64, u64),
    reach: f64,
) -> Problem {
    let cache = if bytes < 1 << 26 { Cache::Hot } else { Cache::Cold };
    Problem { group, title, peer, work: Work { bytes, flops }, cache, reach }
}

fn sums(arena: &mut Arena, n: usize, reach: f64) {
    let title_of = |what: &str| format!("{what} f32 2^{}", n.ilog2());
    if !["sum", "sum of squares"].iter().any(|what| arena.wants("sum", &title_of(what))) {
        return;
    }
    let host = uniform(n, 1);
    let exact = |f: fn(f64) -> f64| host.par_iter().map(|&x| f(f64::from(x))).sum::<f64>();
    let (sum, squares) = (exact(|x| x), exact(|x| x * x));
    // The rounding error of a summation tree grows with its depth; this bound holds for any reasonable order.
    let bound = 1e-6 * (n as f64).sqrt();
    for (title, function, want, bound) in [
        ("sum", "peers_sum", sum, bound),
        ("sum of squares", "peers_sum_of_squares", squares, 2e-6 * n as f64),
    ] {
        let peers = arena.peers.clone();
        let setup = |device: &Device| line(device, &host, 1, peers.temporary(function, n)?);
        fn peer<'s>(
            state: &'s mut Line,
            peers: &Rc<Peers>,
            function: &'static str,
        ) -> Box<dyn FnMut() -> Result<()> + 's> {
            let peers = peers.clone();
            Box::new(move || peers.cub(function, &state.x, &mut state.out, &mut state.temporary))
        }
        arena.contest(
            problem("sum", title_of(title), "CUB", (4 * n as u64, 0), reach),
            setup,
            |state| match title {
                "sum" => reduce::sum(&state.x).prepare(&mut state.out),
                _ => reduce::sum_of_squares(&state.x).prepare(&mut state.out),
            },
            |state, peers| Ok(peer(state, peers, function)),
            |state| {
                near(
                    title,
                    state.out.download().map_err(|why| why.to_string())?[0].into(),
                    want,
                    bound,
                )
            },
        );
    }
}

fn scans(arena: &mut Arena, n: usize) {
    let title = format!("inclusive scan f32 2^{}", n.ilog2());
    if !arena.wants("scan", &title) {
        return;
    }
    let host = uniform(n, 2);
    let mut total = 0.0;
    let exact: Vec<f64> = host
        .iter()
        .map(|&x| {
            total += f64::from(x);
            total
        })
        .collect();
    let peers = arena.peers.clone();
    let setup =
        |device: &Device| line(device, &host, n, peers.temporary("peers_inclusive_scan", n)?);
    fn peer<'s>(state: &'s mut Line, peers: &Rc<Peers>) -> Box<dyn FnMut() -> Result<()> + 's> {
        let peers = peers.clone();
        Box::new(move || {
            peers.cub("peers_inclusive_scan", &state.x, &mut state.out, &mut state.temporary)
        })
    }
    arena.contest(
        problem("scan", title, "CUB", (8 * n as u64, 0), 1.0),
        setup,
        |state| scan::inclusive(&state.x).prepare(&mut state.out),
        |state, peers| Ok(peer(state, peers)),
        |state| {
            let got = state.out.download().map_err(|why| why.to_string())?;
            // Prefixes deviate more than the total: twice the bound of a sum.
            let bound = 2e-6 * (n as f64).sqrt();
            (0..n)
                .into_par_iter()
                .try_for_each(|i| near(&format!("sum up to {i}"), got[i].into(), exact[i], bound))
        },
    );
}

struct Matrix<T: lanework::Storable> {
    x: Buffer<T>,
    out: Buffer<T>,
}

fn transposes<T: crate::numbers::Number + lanework::Element + PartialEq>(
    arena: &mut Arena,
    (rows, columns): (u32, u32),
    name: &str,
    reach: f64,
) {
    let title = format!("transpose {name} {rows} x {columns}");
    if !arena.wants("transpose", &title) {
        return;
    }
    let host = draw::<T>(rows as usize * columns as usize, 3);
    let (m, n) = (rows as usize, columns as usize);
    let setup = |device: &Device| {
        let mut out = device.uninit(m * n)?;
        out.fill_bytes(0xff)?;
        Ok(Matrix { x: device.upload(&host)?, out })
    };
    fn peer<'s, T: lanework::Storable>(
        state: &'s mut Matrix<T>,
        peers: &Rc<Peers>,
        shape: (u32, u32),
    ) -> Box<dyn FnMut() -> Result<()> + 's> {
        let peers = peers.clone();
        Box::new(move || peers.transpose(shape, &state.x, &mut state.out))
    }
    let bytes = 2 * (size_of::<T>() * m * n) as u64;
    arena.contest(
        problem("transpose", title, "geam", (bytes, 0), reach),
        setup,
        |state| {
            transpose(Tensor::new(&state.x, [m, n])?)
                .prepare(TensorMut::new(&mut state.out, [n, m])?)
        },
        |state, peers| Ok(peer(state, peers, (rows, columns))),
        |state| {
            let got = state.out.download().map_err(|why| why.to_string())?;
            let wrong =
                (0..m * n).into_par_iter().find_first(|&i| got[i] != host[i % m * n + i / m]);
            wrong.map_or(Ok(()), |i| Err(format!("element {i} of the transpose is wrong")))
        },
    );
}
