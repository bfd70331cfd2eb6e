//! Every rung, on a sanitized emulator, against f64.

use super::{HEAD, Heads, on_host, rungs};
use half::bf16;
use lanework::{Device, Result};

/// Pseudorandom numbers from -2 to 2.
fn numbers(count: u32, seed: u32) -> Vec<bf16> {
    let mixed = |i: u32| (i.wrapping_mul(2_246_822_519) ^ i >> 7).wrapping_mul(seed) >> 8;
    (0..count).map(|i| bf16::from_f32(mixed(i) as f32 / 4_194_304.0 - 2.0)).collect()
}

#[test]
fn every_rung_agrees_with_the_host() -> Result<()> {
    let device = Device::emulator().sanitized();
    let (heads, length) = (2, 256);
    let inputs = [2_654_435_761, 3_266_489_917, 668_265_263]
        .map(|seed| numbers(heads * length * HEAD, seed));
    let inputs = inputs.each_ref().map(Vec::as_slice);
    for rung in rungs() {
        let mut x = Heads::place(&device, heads, length, inputs)?;
        (rung.prepare)(&mut x, &device)?.launch()?;
        let out = x.out.download()?;
        for row in (0..heads * length).step_by(37) {
            let want = on_host(length as usize, row as usize..row as usize + 1, inputs);
            for (column, (want, sum)) in want.into_iter().enumerate() {
                let got = out[(row * HEAD) as usize + column].to_f64();
                let bound = 1e-6 + sum / 128.0;
                let name = rung.info.name;
                assert!((got - want).abs() <= bound, "{name}: {row}, {column}: {got}, not {want}");
            }
        }
    }
    Ok(())
}

#[test]
fn a_length_that_is_not_made_of_tiles_is_refused() {
    let x = numbers(100 * HEAD, 1);
    let placed = Heads::place(&Device::emulator(), 1, 100, [&x, &x, &x]);
    let text = placed.err().expect("refused").to_string();
    assert!(text.contains("1 heads of 100 rows do not form whole tiles of 128 rows"), "{text}");
}
