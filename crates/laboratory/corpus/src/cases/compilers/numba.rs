//! `others/numba_kernels.py`: kernels compiled by Numba. An array takes a parameter each for two
//! owners, the number of elements, their size, the address, the extents and the strides.

use crate::Case;
use crate::case::{Argument, args};
use crate::random::{bytes, doubles, floats, integer_floats};

pub fn cases() -> Vec<Case> {
    vec![dot(), product(), escapes(), letters()]
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

fn product() -> Case {
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
