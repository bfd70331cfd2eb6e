//! Products with block scale factors.

use crate::tensor_memory::gemm::{Gemm, draw};

/// The values of `e2m1`.
const FOURS: [f64; 8] = [0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0];

fn four(bits: u32) -> f64 {
    let magnitude = FOURS[bits as usize & 7];
    if bits & 8 != 0 { -magnitude } else { magnitude }
}

/// A scale factor: its byte and its value.
type Factor = fn(u32) -> (u8, f64);

const POWER: Factor = |d| (125 + (d % 5) as u8, 2f64.powi((d % 5) as i32 - 2));
const UE4M3: Factor = |d| [(0x30, 0.5), (0x38, 1.0), (0x3c, 1.5), (0x40, 2.0)][d as usize % 4];

/// Runs a product with `factors` scale factors per row of a step.
fn run(
    kind: &'static str,
    (types, n, steps): (u32, usize, usize),
    (factors, factor): (usize, Factor),
    value: fn(u32) -> f64,
    byte: fn(u32) -> u32,
) {
    let mut this = Gemm::new(kind, [128, n, steps], 1, types);
    // Factors of a row are packed in words; one word has the factors of one to four steps.
    let (of_a, of_b) = (|row, at| draw(row + 7, at + 40), |column, at| draw(column + 9, at + 80));
    let block = |of: &dyn Fn(usize, usize) -> u32, rows: usize| {
        let mut bytes = Vec::new();
        for lane in 0..32 {
            for quarter in 0..4 {
                for at in 0..4 {
                    let row = (32 * quarter + lane) % rows.max(1);
                    bytes.push(factor(of(row, at)).0);
                }
            }
        }
        bytes
    };
    this.appended = [block(&of_a, 128), block(&of_b, n.min(128))].concat();
    let at = this.appended_at();
    let (a, b) = (this.columns(), this.columns() + 4);
    let copy = |to: usize, from: usize| {
        format!(
            "mov.b64 %rd8, {:#x}; add.u64 %rd8, %rd8, %rd4;
             tcgen05.cp.cta_group::1.32x128b.warpx4 [%r10+{to}], %rd8;\n",
            (from as u64 >> 4) | 8 << 16 | 8 << 32 | 1 << 46
        )
    };
    this.before = copy(a, at) + &copy(b, at + 512);
    this.extra.0 = format!(", [%r10+{a}], [%r10+{b}]");
    this.step_bits = (factors as u32) << 29 | (factors as u32) << 4;
    let found = this
        .run(|row, k| byte(draw(row, k)), |column, k| byte(draw(k, column + 1000)))
        .unwrap_or_else(|fault| panic!("{kind}: {fault}"));
    for row in 0..128 {
        for column in 0..n {
            let mut expected = 0.0;
            for k in 0..32 * steps {
                let number = k / 32 * factors + k % 32 * factors / 32;
                let scale = factor(of_a(row, number)).1 * factor(of_b(column, number)).1;
                let (x, y) = (draw(row, k), draw(k, column + 1000));
                // A byte has two elements or one.
                let sum = match kind.contains("mxf4") {
                    true => four(x & 15) * four(y & 15) + four(x >> 4 & 15) * four(y >> 4 & 15),
                    false => value(x) * value(y),
                };
                expected += scale * sum;
            }
            let found = f64::from(f32::from_bits(found[row * n + column]));
            assert_eq!(found, expected, "{kind}: ({row}, {column})");
        }
    }
}

const E4M3: [(u32, f64); 4] = [(0, 0.0), (0x38, 1.0), (0xc0, -2.0), (0x44, 3.0)];

#[test]
fn factors_scale_blocks_of_each_kind() {
    let value = |d: u32| E4M3[d as usize % 4].1;
    let byte = |d: u32| E4M3[d as usize % 4].0;
    let powers = 1 << 23;
    run("kind::mxf8f6f4.block_scale", (powers, 64, 3), (1, POWER), value, byte);
    run("kind::mxf8f6f4.block_scale.block32", (powers, 8, 1), (1, POWER), value, byte);
    let fours = 1 << 7 | 1 << 10;
    let packed = |d: u32| d & 0xff;
    run("kind::mxf4.block_scale", (powers | fours, 128, 2), (2, POWER), value, packed);
    run("kind::mxf4nvf4.block_scale.block16", (fours, 32, 1), (4, UE4M3), value, packed);
    run(
        "kind::mxf4nvf4.block_scale.scale_vec::4X",
        (powers | fours, 32, 1),
        (4, POWER),
        value,
        packed,
    );
}
