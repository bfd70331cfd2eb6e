//! Kernels of other compilers: Triton (`others/triton_kernels.py`) and Numba (`others/numba_kernels.py`).
//!
//! Triton's entries take two more addresses than their source declares, for scratch memory that these kernels do not
//! use, and run 128 threads per program. Numba passes an array as seven parameters or more: two owners, the number of
//! elements, their size, the address, the extents and the strides.

use crate::Case;
use crate::case::{Argument, args, bytes, doubles, floats, integer_floats, ints, many};
use half::f16;

const THREADS: u32 = 128;

pub fn cases() -> Vec<Case> {
    [triton_cases(), numba_cases()].into_iter().flatten().collect()
}

fn triton_cases() -> Vec<Case> {
    let mut cases = vec![softmax(), layer_norm(), product(), scan(), sort(), histogram()];
    cases.extend([attention(), philox(), transpose()]);
    cases
}

/// The parameters of an entry: its own, and no scratch memory.
fn with_scratch(own: &[Argument]) -> Vec<Argument> {
    own.iter().cloned().chain([Argument::from(0u64), Argument::from(0u64)]).collect()
}

fn softmax() -> Case {
    let (rows, cols) = (4usize, 400usize);
    let x: Vec<f32> = floats(1, rows * cols).iter().map(|v| v * 8.0).collect();
    let of_row = |row: &[f32]| {
        let top = row.iter().copied().fold(f32::MIN, f32::max);
        let powers: Vec<f64> = row.iter().map(|v| f64::from(v - top).exp()).collect();
        let sum: f64 = powers.iter().sum();
        powers.iter().map(|power| (power / sum) as f32).collect::<Vec<_>>()
    };
    let arguments = with_scratch(args!["x", "out", cols as i32]);
    Case::new("triton_softmax", "softmax by Triton")
        .with("x", &x)
        .with("out", &vec![0f32; x.len()])
        .run_shared("softmax", rows as u32, THREADS, 16, &arguments)
        .expects_within("out", &x.chunks(cols).flat_map(of_row).collect::<Vec<_>>(), 1e-6)
}

fn layer_norm() -> Case {
    let (rows, cols) = (3usize, 200usize);
    let (x, scale, shift) = (floats(2, rows * cols), floats(3, cols), floats(4, cols));
    let mut out = Vec::new();
    for row in x.chunks(cols) {
        let mean = row.iter().map(|&v| f64::from(v)).sum::<f64>() / cols as f64;
        let square = row.iter().map(|&v| (f64::from(v) - mean).powi(2)).sum::<f64>() / cols as f64;
        out.extend(row.iter().enumerate().map(|(i, &v)| {
            let unit = (f64::from(v) - mean) / (square + 1e-5).sqrt();
            (unit * f64::from(scale[i]) + f64::from(shift[i])) as f32
        }));
    }
    let arguments = with_scratch(args!["x", "scale", "shift", "out", cols as i32]);
    Case::new("triton_layer_norm", "layer norm by Triton")
        .with("x", &x)
        .with("scale", &scale)
        .with("shift", &shift)
        .with("out", &vec![0f32; x.len()])
        .run_shared("layer_norm", rows as u32, THREADS, 1024, &arguments)
        .expects_within("out", &out, 1e-5)
}

fn half_bits(values: &[f32]) -> Vec<u16> {
    values.iter().map(|&v| f16::from_f32(v).to_bits()).collect()
}

fn product() -> Case {
    let (m, n, k) = (128usize, 128usize, 96usize);
    let (a, b) = (integer_floats(5, m * k, 30), integer_floats(6, k * n, 30));
    let c = crate::cases::arrays::dense::product((m, n, k), |sum: f32, i, j| sum + a[i] * b[j]);
    let own = args!["a", "b", "c", m as i32, n as i32, k as i32];
    Case::new("triton_product", "a product by Triton")
        .with("a", &half_bits(&a))
        .with("b", &half_bits(&b))
        .with("c", &vec![0f32; m * n])
        .run_shared("product", (2, 2), THREADS, 24_576, &with_scratch(own))
        .expects("c", &c)
}

fn scan() -> Case {
    let x = ints(7, 1024, -1000, 1000);
    let (mut sums, mut least) = (Vec::new(), Vec::new());
    for block in x.chunks(512) {
        let (mut sum, mut low) = (0, i32::MAX);
        for &v in block {
            sum += v;
            low = low.min(v);
            sums.push(sum);
            least.push(low);
        }
    }
    Case::new("triton_scan", "scans by Triton")
        .with("x", &x)
        .with("sums", &[0i32; 1024])
        .with("least", &[0i32; 1024])
        .run_shared("scan", 2, THREADS, 16, &with_scratch(args!["x", "sums", "least"]))
        .expects("sums", &sums)
        .expects("least", &least)
}

fn sort() -> Case {
    let x = floats(8, 512);
    let (mut out, mut best) = (x.clone(), Vec::new());
    for block in out.chunks_mut(256) {
        let most = block.iter().copied().fold(f32::MIN, f32::max);
        best.push(block.iter().position(|&v| v == most).expect("the most is one") as i32);
        block.sort_unstable_by(f32::total_cmp);
    }
    Case::new("triton_sort", "a sort by Triton")
        .with("x", &x)
        .with("out", &[0f32; 512])
        .with("best", &[0i32; 2])
        .run_shared("sort", 2, THREADS, 1024, &with_scratch(args!["x", "out", "best"]))
        .expects("out", &out)
        .expects("best", &best)
}

fn histogram() -> Case {
    let x: Vec<u8> = bytes(9, 1200).iter().map(|v| v % 64).collect();
    let mut bins = [0i32; 64];
    x.iter().for_each(|&v| bins[usize::from(v)] += 1);
    Case::new("triton_histogram", "a histogram by Triton")
        .with("x", &x)
        .with("bins", &[0i32; 64])
        .run_shared("histogram", 3, THREADS, 256, &with_scratch(args!["x", "bins", 1200i32]))
        .expects("bins", &bins)
}

fn attention() -> Case {
    const D: usize = 32;
    let length = 64usize;
    let rounded = |seed| {
        let values: Vec<f32> = floats(seed, length * D);
        values.iter().map(|&v| f16::from_f32(v).to_f32()).collect::<Vec<_>>()
    };
    let (q, k, v) = (rounded(10), rounded(11), rounded(12));
    let mut out = Vec::new();
    for query in 0..length {
        let score = |key: usize| {
            let pair = |d: usize| f64::from(q[query * D + d]) * f64::from(k[key * D + d]);
            (0.5 * (0..D).map(pair).sum::<f64>()).exp()
        };
        let weights: Vec<f64> = (0..length).map(score).collect();
        let total: f64 = weights.iter().sum();
        out.extend((0..D).map(|d| {
            let sum: f64 = (0..length).map(|key| weights[key] * f64::from(v[key * D + d])).sum();
            (sum / total) as f32
        }));
    }
    let own = args!["q", "k", "v", "out", length as i32, 0.5f32];
    Case::new("triton_attention", "attention by Triton")
        .with("q", &half_bits(&q))
        .with("k", &half_bits(&k))
        .with("v", &half_bits(&v))
        .with("out", &vec![0f32; length * D])
        .run_shared("attention", 2, THREADS, 10_240, &with_scratch(own))
        .expects_within("out", &out, 1e-3)
}

fn philox() -> Case {
    let seed = 42u32;
    let number = |i: u32| {
        let (mut c, mut k) = ([i, 0, 0, 0], [seed, 0]);
        for _ in 0..10 {
            let (a, b) = (u64::from(c[0]) * 0xd251_1f53, u64::from(c[2]) * 0xcd9e_8d57);
            c = [
                (b >> 32) as u32 ^ c[1] ^ k[0],
                b as u32,
                (a >> 32) as u32 ^ c[3] ^ k[1],
                a as u32,
            ];
            k = [k[0].wrapping_add(0x9e37_79b9), k[1].wrapping_add(0xbb67_ae85)];
        }
        c[0] ^ c[1] ^ c[2] ^ c[3]
    };
    Case::new("triton_philox", "Philox by Triton")
        .with("out", &[0u32; 512])
        .run("philox", 2, THREADS, &with_scratch(args!["out", seed as i32]))
        .expects("out", &(0..512).map(number).collect::<Vec<_>>())
}

fn transpose() -> Case {
    let (rows, cols) = (50usize, 70usize);
    let x = many(13, rows * cols, |r| r as i16);
    let out: Vec<i16> = (0..rows * cols).map(|i| x[i % rows * cols + i / rows]).collect();
    let own = args!["x", "out", rows as i32, cols as i32];
    Case::new("triton_transpose", "a transposition by Triton")
        .with("x", &x)
        .with("out", &vec![0i16; x.len()])
        .run_shared("transpose", (2, 3), THREADS, 2048, &with_scratch(own))
        .expects("out", &out)
}

fn numba_cases() -> Vec<Case> {
    vec![dot(), product_of_doubles(), escapes(), letters()]
}

/// The parameters of an array in C's order.
fn array(name: &'static str, bytes: u64, extents: &[u64]) -> Vec<Argument> {
    let mut stride = bytes;
    let mut strides: Vec<u64> = Vec::new();
    for extent in extents.iter().rev() {
        strides.insert(0, stride);
        stride *= extent;
    }
    let mut arguments = args![0u64, 0u64, extents.iter().product::<u64>(), bytes, name].to_vec();
    arguments.extend(extents.iter().chain(&strides).map(|&v| Argument::from(v)));
    arguments
}

fn dot() -> Case {
    let (a, b) = (integer_floats(1, 1000, 90), integer_floats(2, 1000, 90));
    let sum: f32 = a.iter().zip(&b).map(|(a, b)| a * b).sum();
    let arguments = [array("a", 4, &[1000]), array("b", 4, &[1000]), array("out", 4, &[1])];
    Case::new("numba_dot", "a dot product by Numba")
        .with("a", &a)
        .with("b", &b)
        .with("out", &[0f32])
        .run("dot", 3, 128, &arguments.concat())
        .expects("out", &[sum])
}

fn product_of_doubles() -> Case {
    let (m, n, k) = (20usize, 30usize, 25usize);
    let (a, b) = (doubles(3, m * k), doubles(4, k * n));
    let c =
        crate::cases::arrays::dense::product((m, n, k), |sum: f64, i, j| a[i].mul_add(b[j], sum));
    let [m64, n64, k64] = [m, n, k].map(|v| v as u64);
    let arguments =
        [array("a", 8, &[m64, k64]), array("b", 8, &[k64, n64]), array("c", 8, &[m64, n64])];
    Case::new("numba_product", "a product by Numba")
        .with("a", &a)
        .with("b", &b)
        .with("c", &vec![0f64; m * n])
        .run("product", (4, 3), (8, 8), &arguments.concat())
        .expects_within("c", &c, 1e-14)
}

fn escapes() -> Case {
    // Whole steps of a grid far from where rounding decides.
    let points: Vec<f32> = floats(5, 400).iter().map(|v| v * 2.0).collect();
    let steps = |point: &[f32]| {
        let (c, mut z, mut n) = ([f64::from(point[0]), f64::from(point[1])], [0f64; 2], 0i32);
        while n < 12 && z[0] * z[0] + z[1] * z[1] <= 4.0 {
            z = [z[0] * z[0] - z[1] * z[1] + c[0], 2.0 * z[0] * z[1] + c[1]];
            n += 1;
        }
        n
    };
    let mut arguments = [array("points", 8, &[200]), array("steps", 4, &[200])].concat();
    arguments.push(Argument::from(12i32));
    Case::new("numba_escapes", "complex numbers by Numba")
        .with("points", &points)
        .with("steps", &[0i32; 200])
        .run("escapes", 4, 64, &arguments)
        .expects("steps", &points.chunks(2).map(steps).collect::<Vec<_>>())
}

fn letters() -> Case {
    let text = bytes(6, 3000);
    let mut counts = [0i32; 26];
    for c in text.iter().map(|c| c | 32).filter(u8::is_ascii_lowercase) {
        counts[usize::from(c - b'a')] += 1;
    }
    let arguments = [array("text", 1, &[3000]), array("counts", 4, &[26])];
    Case::new("numba_letters", "letters counted by Numba")
        .with("text", &text)
        .with("counts", &[0i32; 26])
        .run("letters", 2, 96, &arguments.concat())
        .expects("counts", &counts)
}
