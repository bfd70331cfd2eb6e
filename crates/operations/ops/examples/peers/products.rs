//! Matrix-product contests.

use crate::contest::Arena;
use crate::library::{Peers, Product, Type};
use crate::numbers::{Number, draw, near};
use crate::row::Problem;
use lanework::{Buffer, Device, Result};
use lanework_bench::{Cache, Work};
use lanework_ops::{GemmElement, Precision, Tensor, TensorMut, gemm};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use std::rc::Rc;

/// Extents from which the odd shapes are combined.
const ODD: [u32; 9] = [1, 17, 100, 255, 1000, 1023, 2049, 4097, 8191];

/// `count` odd shapes of at most 2^38 operations, the same on every run.
fn odd(count: usize) -> Vec<[u32; 3]> {
    let mut rng = StdRng::seed_from_u64(38);
    let mut shapes: Vec<[u32; 3]> = Vec::new();
    while shapes.len() < count {
        let shape = [(); 3].map(|()| ODD[rng.random_range(0..ODD.len())]);
        let flops = 2 * shape.iter().map(|&extent| u64::from(extent)).product::<u64>();
        if flops <= 1 << 38 && !shapes.contains(&shape) {
            shapes.push(shape);
        }
    }
    shapes
}

/// The types and the accuracy of a product.
#[derive(Clone, Copy)]
struct Kind {
    group: &'static str,
    precision: Precision,
    peer: Type,
    results: Type,
    /// Error bound of a result, relative to the sum of the magnitudes of its k products.
    bound: f64,
    /// Whether B is column-major.
    b_transposed: bool,
    /// Whether to compare with cuBLASLt's best algorithm.
    fastest: bool,
}

pub fn all(arena: &mut Arena, quick: bool) {
    let fp32 = Kind {
        group: "sgemm",
        precision: Precision::Full,
        peer: Type::F32,
        results: Type::F32,
        bound: 1e-6,
        b_transposed: false,
        fastest: false,
    };
    let squares = |arena: &mut Arena,
                   kind: Kind,
                   sizes: &[u32],
                   reach: f64,
                   run: fn(&mut Arena, Kind, [u32; 4], f64)| {
        sizes.iter().for_each(|&n| run(arena, kind, [n, n, n, 1], reach));
    };
    let small: &[u32] = if quick { &[512] } else { &[128, 256, 384, 512, 768] };
    let large: &[u32] = if quick { &[1024, 4096] } else { &[1024, 2048, 4096, 8192, 16384] };
    squares(arena, Kind { group: "sgemm-small", ..fp32 }, small, 1.0, contest::<f32, f32>);
    squares(arena, fp32, large, 1.05, contest::<f32, f32>);
    let ragged = Kind { group: "sgemm-ragged", ..fp32 };
    squares(
        arena,
        ragged,
        if quick { &[1000, 4097] } else { &[1000, 4097, 8191] },
        1.05,
        contest::<f32, f32>,
    );
    for [m, n, k] in odd(if quick { 8 } else { 30 }) {
        contest::<f32, f32>(arena, ragged, [m, n, k, 1], 0.95);
    }
    let skinny = Kind { group: "sgemm-skinny", ..fp32 };
    let shapes: &[[u32; 4]] = &[
        [1, 4096, 4096, 1],
        [4096, 1, 16384, 1],
        [8, 4096, 4096, 1],
        [4096, 16, 4096, 1],
        [32, 8192, 8192, 1],
        [64, 64, 16384, 1],
        [64, 64, 64, 1000],
    ];
    shapes
        .iter()
        .take(if quick { 3 } else { 7 })
        .for_each(|&shape| contest::<f32, f32>(arena, skinny, shape, 1.0));

    let sizes: &[u32] = if quick { &[4096] } else { &[4096, 8192, 16384] };
    let accurate = Kind { group: "accurate", precision: Precision::Accurate, ..fp32 };
    squares(arena, accurate, sizes, 3.6, contest::<f32, f32>);
    let sizes: &[u32] = if quick { &[2048, 8192] } else { &[2048, 4096, 8192, 16384] };
    let tf32 = Kind {
        group: "tf32",
        precision: Precision::TensorFloat32,
        peer: Type::Tf32,
        bound: 1e-3,
        fastest: true,
        ..fp32
    };
    squares(arena, Kind { b_transposed: true, ..tf32 }, sizes, 1.0, contest::<f32, f32>);
    contest::<f32, f32>(arena, Kind { fastest: false, ..tf32 }, [4097, 4097, 4097, 1], 2.5);
    let half = Kind { bound: 1e-6, b_transposed: true, fastest: true, ..fp32 };
    let bf16 = Kind { group: "bf16", peer: Type::Bf16, ..half };
    squares(arena, bf16, sizes, 1.0, contest::<half::bf16, f32>);
    contest::<half::bf16, f32>(
        arena,
        Kind { b_transposed: false, ..bf16 },
        [4096, 4096, 4096, 1],
        1.0,
    );
    squares(
        arena,
        Kind { group: "f16", peer: Type::F16, ..half },
        sizes,
        1.0,
        contest::<half::f16, f32>,
    );
    contest::<half::bf16, f32>(
        arena,
        Kind { group: "bf16-skinny", ..bf16 },
        [64, 8192, 8192, 1],
        1.0,
    );
    // Bounds: in the first kind, tensor cores truncate every partial sum to about 14 bits (3.2e-4
    // for 16384 terms); the second has the rounding errors of f32 sums.
    let fp8 = Kind { group: "fp8", peer: Type::E4m3Fast, bound: 5e-4, ..half };
    let sizes: &[u32] = if quick { &[8192] } else { &[4096, 8192, 16384] };
    squares(arena, fp8, sizes, 0.97, contest::<lanework_ops::Fp8E4m3, f32>);
    let exact = Kind {
        group: "fp8-accurate",
        peer: Type::E4m3,
        precision: Precision::Accurate,
        bound: 1e-5,
        ..fp8
    };
    squares(arena, exact, sizes, 0.97, contest::<lanework_ops::Fp8E4m3, f32>);
    let f64s = Kind { group: "f64", peer: Type::F64, results: Type::F64, bound: 1e-15, ..fp32 };
    squares(
        arena,
        f64s,
        if quick { &[4096] } else { &[1024, 4096, 8192] },
        1.0,
        contest::<f64, f64>,
    );
    let i8s = Kind {
        group: "i8",
        peer: Type::I8,
        results: Type::I32,
        bound: 0.0,
        b_transposed: true,
        fastest: true,
        ..fp32
    };
    squares(arena, i8s, if quick { &[4096] } else { &[4096, 8192] }, 1.0, contest::<i8, i32>);
}

struct Matrices<A: lanework::Storable, C: lanework::Storable> {
    a: Buffer<A>,
    b: Buffer<A>,
    c: Buffer<C>,
    /// Scales of A and of B, if used.
    scales: Option<[Buffer<f32>; 2]>,
    /// The same scales in the peer's layout.
    both: Buffer<f32>,
}

/// Scales of FP8 matrices.
const SCALES: [f32; 2] = [0.5, 2.0];

fn contest<A, C>(arena: &mut Arena, kind: Kind, [m, n, k, batch]: [u32; 4], reach: f64)
where
    A: Number + GemmElement,
    C: Number + GemmElement,
{
    let batched = if batch > 1 { format!(" x {batch}") } else { String::new() };
    let title = format!(
        "{} {m} x {n} x {k}{batched}{}",
        kind.group,
        if kind.b_transposed { ", B by columns" } else { "" }
    );
    if !arena.wants(kind.group, &title) {
        return;
    }
    let [rows, columns, depth, count] = [m, n, k, batch].map(|extent| extent as usize);
    let shape = Product {
        m,
        n,
        k,
        batch,
        b_transposed: kind.b_transposed,
        factors: kind.peer,
        results: kind.results,
    };
    let a = draw::<A>(count * rows * depth, 5);
    let b = draw::<A>(count * depth * columns, 6);
    let both: Vec<f32> = (0..128).map(|i| SCALES[i / 64]).collect();
    let setup = |device: &Device| {
        let mut c = device.uninit::<C>(count * rows * columns)?;
        c.fill_bytes(0xff)?;
        let scales = match kind.peer {
            Type::E4m3 | Type::E4m3Fast => {
                Some([device.upload(&SCALES[..1])?, device.upload(&SCALES[1..])?])
            }
            _ => None,
        };
        Ok(Matrices {
            a: device.upload(&a)?,
            b: device.upload(&b)?,
            c,
            scales,
            both: device.upload(&both)?,
        })
    };
    fn ours<'s, A: Number + GemmElement, C: Number + GemmElement>(
        state: &'s mut Matrices<A, C>,
        [m, n, k, count]: [usize; 4],
        kind: Kind,
    ) -> Result<lanework_ops::Plan<'s>> {
        let strides = if kind.b_transposed { [n * k, 1, k] } else { [n * k, n, 1] };
        let b = Tensor::with_strides(&state.b, [count, k, n], strides, 0)?;
        let a = Tensor::new(&state.a, [count, m, k])?;
        let mut product = gemm(a, b).precision(kind.precision);
        if let Some([a, b]) = &state.scales {
            product = product.scales(a, b);
        }
        product.prepare(TensorMut::new(&mut state.c, [count, m, n])?)
    }
    fn peer<'s, A: Number, C: Number>(
        state: &'s mut Matrices<A, C>,
        peers: &Rc<Peers>,
        shape: Product,
        fastest: bool,
    ) -> Result<Box<dyn FnMut() -> Result<()> + 's>> {
        let peers = peers.clone();
        if fastest
            && let Some(product) = peers.fastest(
                shape,
                (&state.a, &state.b, &mut state.c),
                state.scales.as_ref().map(|_| &state.both),
            )?
        {
            return Ok(Box::new(move || product.run(&state.a, &state.b, &mut state.c)));
        }
        Ok(Box::new(move || peers.product(shape, &state.a, &state.b, &mut state.c)))
    }
    let flops = 2 * u64::from(m) * u64::from(n) * u64::from(k) * u64::from(batch);
    let moved = count * (rows * depth + depth * columns) * size_of::<A>()
        + count * rows * columns * size_of::<C>();
    let work = Work { bytes: moved as u64, flops };
    let peer_name = if kind.fastest { "cuBLASLt" } else { "cuBLAS" };
    let problem =
        Problem { group: kind.group, title, peer: peer_name, work, cache: Cache::Hot, reach };
    let extents = [rows, columns, depth, count];
    arena.contest(
        problem,
        setup,
        |state| ours(state, extents, kind),
        |state, peers| peer(state, peers, shape, kind.fastest),
        |state| verify(state, &a, &b, extents, kind),
    );
}

/// Compares some results with the host's, including the first and last rows and columns.
fn verify<A: Number, C: Number>(
    state: &Matrices<A, C>,
    a: &[A],
    b: &[A],
    [m, n, k, count]: [usize; 4],
    kind: Kind,
) -> Result<(), String> {
    let mut rng = StdRng::seed_from_u64(7);
    for round in 0..24 {
        let (batch, row) = match round {
            0 => (0, 0),
            1 => (count - 1, m - 1),
            _ => (rng.random_range(0..count), rng.random_range(0..m)),
        };
        let mut got = vec![C::zeroed(); n];
        state.c.download_part((batch * m + row) * n, &mut got).map_err(|why| why.to_string())?;
        if let Some(column) = got.iter().position(|x| !x.exact().is_finite()) {
            return Err(format!("matrix {batch}, row {row}, column {column} was not written"));
        }
        for at in 0..8 {
            let column = match at {
                0 => 0,
                1 => n - 1,
                _ => rng.random_range(0..n),
            };
            let (mut want, mut size) = (0.0f64, 0.0f64);
            for i in 0..k {
                let place = if kind.b_transposed { column * k + i } else { i * n + column };
                let product =
                    a[(batch * m + row) * k + i].exact() * b[batch * n * k + place].exact();
                want += product;
                size += product.abs();
            }
            let bound = kind.bound * size + kind.bound;
            near(
                &format!("matrix {batch}, row {row}, column {column}"),
                got[column].exact(),
                want,
                bound,
            )?;
        }
    }
    Ok(())
}
