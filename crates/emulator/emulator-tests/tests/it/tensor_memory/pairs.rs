//! Products of a pair of blocks (`cta_group::2`).

use crate::common::{device, download, load, upload};
use crate::tensor_memory::gemm::{Gemm, Layout, draw, ptxas_accepts};
use lanework_emulator::{Fault, LaunchConfig, NullObserver};

/// Runs a product of a pair, in which each block has half of A's rows and half of B's columns. Returns the words of
/// tensor memory, block by block.
fn run(m: usize, n: usize, change: fn(String) -> String) -> Result<Vec<u32>, Fault> {
    let types = 1 << 4;
    let narrow = Layout::BY_K[2];
    let half =
        Gemm { a: Some(narrow), b: narrow, ..Gemm::new("kind::f16", [m / 2, n / 2, 2], 2, types) };
    let columns = if m == 128 { n / 2 } else { n };
    let descriptor = types | (n as u32 / 8) << 17 | (m as u32 / 16) << 24;
    let columns_of_half = half.columns();
    // Derives the text for a pair from the text for one block.
    let text = half
        .text()
        .replace("cta_group::1", "cta_group::2")
        .replace(&format!("{:#x};", half.descriptor()), &format!("{descriptor:#x};"))
        .replace(".visible .entry k(.param .u64 in, .param .u64 out)", ".visible .entry k(.param .u64 in, .param .u64 out) .reqnctapercluster 2, 1, 1")
        .replace("ld.param.u64 %rd2, [out];", &format!(
            "ld.param.u64 %rd2, [out]; mov.u32 %r50, %cluster_ctarank; setp.ne.u32 %p6, %r50, 0; mov.b16 %h0, 3;
             mul.wide.u32 %rd9, %r50, {}; add.u64 %rd1, %rd1, %rd9;
             mul.wide.u32 %rd9, %r50, {}; add.u64 %rd2, %rd2, %rd9;",
            4 * half.image(|_, _| 0, |_, _| 0).len(),
            128 * 4 * columns,
        ))
        .replace(".reg .pred %p<8>;", ".reg .pred %p<8>; .reg .b16 %h<2>;")
        // After both blocks have filled their tiles, the first one issues the product.
        .replace("@%p3 bra ISSUED;", "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned; or.pred %p7, %p3, %p6; @%p7 bra ISSUED;")
        .replace(
            "mbarrier::arrive::one.shared::cluster.b64 [bar];",
            "mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [bar], %h0;",
        )
        // No block exits or frees while the other may still access tensor memory.
        .replace("@%p2 bra DONE;", "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned; @%p2 bra DONE;");
    // Stores all columns of D.
    let store = |columns: usize| -> String {
        (0..columns)
            .step_by(4)
            .map(|c| {
                format!(
                    "tcgen05.ld.sync.aligned.32x32b.x4.b32 {{%r30, %r31, %r32, %r33}}, [%r12+{c}];
                 tcgen05.wait::ld.sync.aligned;
                 st.global.v4.u32 [%rd7+{}], {{%r30, %r31, %r32, %r33}};\n",
                    4 * c
                )
            })
            .collect()
    };
    let old = store(columns_of_half);
    assert!(text.contains(&old));
    let text = text.replace(&old, &store(columns)).replace(
        &format!("%r1, {}, %rd2;", 4 * columns_of_half),
        &format!("%r1, {}, %rd2;", 4 * columns),
    );
    let text =
        change(text.replace("[base], 128;", "[base], 256;").replace("%r10, 128;", "%r10, 256;"));
    let mut input = Vec::new();
    for rank in 0..2 {
        let bits = |d: u32| u32::from(half::f16::from_f32((d % 17) as f32 - 8.0).to_bits());
        input.extend(half.image(
            |row, k| bits(draw(rank * m / 2 + row, k)),
            |column, k| bits(draw(k, rank * n / 2 + column + 1000)),
        ));
    }
    let emulator = device(false);
    let program = load(&emulator, &text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let input = upload(&emulator, "in", &input);
    let out = emulator.allocate(2 * 128 * 4 * columns as u64, "out").expect("memory");
    let launch = LaunchConfig::new("k", [2, 1, 1], [128, 1, 1]);
    let arguments: [&[u8]; 2] = [&input.to_le_bytes(), &out.to_le_bytes()];
    emulator.launch(&program, &launch, &arguments, &mut NullObserver)?;
    ptxas_accepts(&text);
    Ok(download(&emulator, out, 2 * 128 * columns))
}

#[test]
fn two_blocks_multiply_together() {
    for (m, n) in [(256, 32), (256, 128), (128, 32), (128, 96)] {
        let words = run(m, n, |text| text).unwrap_or_else(|fault| panic!("{m}x{n}: {fault}"));
        let columns = if m == 128 { n / 2 } else { n };
        for row in 0..m {
            for column in 0..n {
                let value = |d: u32| f64::from(d % 17) - 8.0;
                let of = |k| value(draw(row, k)) * value(draw(k, column + 1000));
                let expected: f64 = (0..32).map(of).sum();
                let (rank, within) = (row / (m / 2), row % (m / 2));
                let lane = if m == 128 { within + column / columns * 64 } else { within };
                let word = words[(rank * 128 + lane) * columns + column % columns];
                assert_eq!(f64::from(f32::from_bits(word)), expected, "{m}x{n}: ({row}, {column})");
            }
        }
    }
}

#[test]
fn a_pair_needs_both_blocks() {
    let alone = run(256, 32, |text| text.replace(".reqnctapercluster 2, 1, 1", ""));
    let fault = alone.expect_err("there is no peer").to_string();
    assert!(fault.contains("this block has no peer"), "{fault}");
    // The second block does not free.
    let one = |text: String| text.replace("@%p2 bra DONE;", "@%p6 bra DONE; @%p2 bra DONE;");
    assert!(run(256, 32, one).is_err());
}
