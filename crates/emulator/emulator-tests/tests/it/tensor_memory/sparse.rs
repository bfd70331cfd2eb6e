//! Products with a sparse A.

use crate::tensor_memory::gemm::{Gemm, draw};

/// The two columns, of four, of a chunk's stored elements.
fn kept(row: usize, chunk: usize) -> [usize; 2] {
    let all = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]];
    all[draw(row + 3, chunk + 50) as usize % 6]
}

/// The metadata of all steps: 128 rows of 16 bytes. A step has four bytes per row for 16-bit elements, and eight for
/// 8-bit elements.
fn metadata(steps: usize, bits: usize) -> Vec<u8> {
    let mut words = vec![[0u32; 4]; 128];
    for row in 0..128 {
        for step in 0..steps {
            // Columns per step.
            let k = if bits == 16 { 32 } else { 64 };
            for chunk in 0..k / 4 {
                let [first, second] = kept(row, step * k / 4 + chunk);
                let nibble = (first | second << 2) as u32;
                // CuTe's layout of the fragment: ((8,2,8),(16,2)):((1,2048,16),(128,8)), or by rows.
                let at = chunk * 4;
                let place = match bits {
                    16 => {
                        row % 8 + row / 8 % 2 * 2048 + row / 16 * 16 + at % 16 * 128 + at / 16 * 8
                    }
                    _ => row + 128 * at,
                };
                let (lane, bit) = (place % 128, place / 128);
                words[lane][step * k / 32 + bit / 32] |= nibble << (bit % 32);
            }
        }
    }
    words.into_iter().flatten().flat_map(u32::to_le_bytes).collect()
}

fn run(
    kind: &'static str,
    element: usize,
    types: u32,
    step_bits: u32,
    bits: fn(u32) -> u32,
    value: fn(u32) -> f64,
    read: fn(u32) -> f64,
) {
    let mut this = Gemm::new(kind, [128, 32, 2], element, types | 1 << 2);
    this.longer = 2;
    this.appended = metadata(2, 8 * element);
    let meta = this.columns();
    this.before = format!(
        "mov.b64 %rd8, {:#x}; add.u64 %rd8, %rd8, %rd4;
         tcgen05.cp.cta_group::1.128x128b [%r10+{meta}], %rd8; add.u32 %r13, %r10, {meta};",
        (this.appended_at() as u64 >> 4) | 8 << 16 | 8 << 32 | 1 << 46
    );
    this.step_bits = step_bits;
    let text = this.text().replace("%rd6, %r11", "%rd6, [%r13], %r11");
    let text = text.replace("tcgen05.mma.cta_group", "tcgen05.mma.sp.cta_group");
    // Kinds without a selector use the next columns.
    let next = if step_bits == 0 { "add.u32 %r13, %r13, 2;" } else { "" };
    let text = text.replace("add.u32 %r11, %r11,", &format!("{next} add.u32 %r11, %r11,"));
    let image = this.image(|row, at| bits(draw(row, at)), |column, k| bits(draw(k, column + 1000)));
    let words = crate::tensor_memory::gemm::run_text(&text, &image, 128 * 32)
        .unwrap_or_else(|f| panic!("{f}"));
    let found = this.result(&words);
    for row in 0..128 {
        for column in 0..32 {
            let stored = 64 / element;
            let expected: f64 = (0..stored)
                .map(|at| {
                    let k = at / 2 * 4 + kept(row, at / 2)[at % 2];
                    value(draw(row, at)) * value(draw(k, column + 1000))
                })
                .sum();
            assert_eq!(read(found[row * 32 + column]), expected, "{kind}: ({row}, {column})");
        }
    }
}

#[test]
fn metadata_gives_the_positions_of_elements() {
    let half = |d: u32| u32::from(half::f16::from_f32((d % 17) as f32 - 8.0).to_bits());
    let single = |word| f64::from(f32::from_bits(word));
    run("kind::f16", 2, 1 << 4, 1, half, |d| f64::from(d % 17) - 8.0, single);
    let signed = 2 << 4 | 1 << 7 | 1 << 10;
    run(
        "kind::i8",
        1,
        signed,
        0,
        |d| d & 0xff,
        |d| f64::from(d as u8 as i8),
        |word| f64::from(word as i32),
    );
}
