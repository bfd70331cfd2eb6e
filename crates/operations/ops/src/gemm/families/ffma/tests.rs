//! Every tile with every load method, on awkward shapes, sanitized; and `ptxas` statistics of the kernels.

use super::config::{FfmaConfig, Load, Tile};
use super::shapes::Tail;
use super::{config, shapes, with_tile};
use crate::gemm::problem::{GemmProblem, Precision};
use crate::workspace::{Workspace, WorkspaceLayout};
use crate::{Gemm, Plan, Tensor, TensorMut, gemm};
use lanework::{Device, Result};

/// A product with a given tile.
fn planned<'c>(
    product: Gemm<'c, 2>,
    c: TensorMut<'c, f32, 2>,
    tile: Tile,
    tail: Option<Tail>,
    copied: bool,
) -> Result<Plan<'c>> {
    let problem = product.problem(c)?;
    assert!(super::suits(&problem), "{problem:?}");
    let (workspace, mut layout) = (Workspace::new(&problem.device), WorkspaceLayout::default());
    let then = |problem: GemmProblem<'c>, layout: &mut WorkspaceLayout| {
        with_tile(problem, layout, tile, tail)
    };
    let recipe = config::factors(problem, &mut layout, (copied, copied), then)?;
    let scratch = workspace.reserve(&layout)?;
    Ok(Plan::new(recipe(&scratch)?, [scratch]))
}

/// Numbers whose products and sums are exact.
fn number(i: usize) -> f32 {
    (((i * 2_654_435_761) >> 7) % 15) as f32 - 7.0
}

/// A matrix in a buffer with NaN gaps: strides, first element and the whole buffer.
fn laid(rows: usize, columns: usize, by_rows: bool, gap: usize) -> ([usize; 2], usize, Vec<f32>) {
    let (lines, width) = if by_rows { (rows, columns) } else { (columns, rows) };
    let (ld, first) = (width + gap, gap);
    let mut host = vec![f32::NAN; first + lines * ld];
    for i in 0..lines * width {
        host[first + i / width * ld + i % width] = number(i + 7 * gap + lines);
    }
    (if by_rows { [ld, 1] } else { [1, ld] }, first, host)
}

fn every_way(
    (tile, tail): (Tile, Option<Tail>),
    device: &Device,
    (m, n, k): (usize, usize, usize),
    copied: bool,
) -> Result<()> {
    // Gaps of 4 keep rows aligned if their length is a multiple of 4; gaps of 3 do not.
    for (by_rows_a, by_rows_b, gap) in
        [(true, true, 4), (false, true, 4), (false, false, 3), (true, false, 3), (false, true, 3)]
    {
        let (of_a, first_a, host_a) = laid(m, k, by_rows_a, gap);
        let (of_b, first_b, host_b) = laid(k, n, by_rows_b, gap);
        let (of_c, first_c, host_c) = laid(m, n, true, gap);
        let (a, b) = (device.upload(&host_a)?, device.upload(&host_b)?);
        let mut c = device.upload(&host_c)?;
        let product = gemm(
            Tensor::with_strides(&a, [m, k], of_a, first_a)?,
            Tensor::with_strides(&b, [k, n], of_b, first_b)?,
        );
        let output = TensorMut::with_strides(&mut c, [m, n], of_c, first_c)?;
        planned(product.alpha(2.0).beta(-1.0), output, tile, tail, copied)?.launch()?;
        let got = c.download()?;
        let mut want = host_c.clone();
        for y in 0..m {
            for x in 0..n {
                let at = first_c + y * of_c[0] + x;
                let sum: f32 = (0..k)
                    .map(|s| {
                        host_a[first_a + y * of_a[0] + s * of_a[1]]
                            * host_b[first_b + s * of_b[0] + x * of_b[1]]
                    })
                    .sum();
                want[at] = 2.0 * sum - host_c[at];
            }
        }
        let same = got.iter().zip(&want).position(|(a, b)| a != b && !(a.is_nan() && b.is_nan()));
        assert_eq!(same, None, "{tile:?} {m} x {n} x {k} {by_rows_a} {by_rows_b} {gap}");
    }
    Ok(())
}

/// The tiles selected for some shape, and some with each cluster size.
fn tiles() -> Vec<Tile> {
    let mut tiles = shapes::TILES.to_vec();
    for (splits, parts, i) in [(2, 1, 2), (4, 1, 3), (8, 1, 4), (1, 3, 3), (1, 12, 2)] {
        tiles.push(Tile { splits, parts, ..shapes::TILES[i] });
    }
    tiles.push(Tile { depth: 8, ..shapes::TILES[3] });
    tiles.push(Tile { depth: 8, ..shapes::TILES[1] });
    tiles
}

#[test]
#[ignore = "slow: every tile in every form"]
fn every_tile_loads_exactly_the_elements_that_it_needs() -> Result<()> {
    let device = Device::emulator().sanitized();
    for tile in tiles() {
        every_way((tile, None), &device, (68, 36, 76), false)?;
    }
    Ok(())
}

#[test]
fn the_last_tiles_may_be_a_launch_of_their_own() -> Result<()> {
    let device = Device::emulator().sanitized();
    for (index, tiles, splits) in [(3, 3, 8), (4, 1, 2), (2, 5, 4)] {
        let of = (shapes::TILES[index], Some(Tail { tiles, splits }));
        every_way(of, &device, (132, 68, 76), index == 4)?;
    }
    Ok(())
}

#[test]
fn elements_after_k_and_in_gaps_are_not_multiplied() -> Result<()> {
    // NaN after the last step of each line, with a step count that is not a multiple of a stage's.
    let device = Device::emulator().sanitized();
    every_way((shapes::TILES[4], None), &device, (8, 8, 17), false)?;
    every_way((shapes::TILES[4], None), &device, (1, 1, 1), false)
}

#[test]
fn copied_factors_give_the_same_product() -> Result<()> {
    let device = Device::emulator().sanitized();
    every_way((shapes::TILES[2], None), &device, (67, 37, 70), true)
}

#[test]
fn compensated_sums_lose_nothing_that_f32_sums_lose() -> Result<()> {
    // 2^24 + 1 - 2^24, in a different order in each row: plain f32 sums lose the 1.
    let (device, k) = (Device::emulator().sanitized(), 35);
    let mut a = vec![0.0f32; 70 * k];
    for (y, row) in a.chunks_mut(k).enumerate() {
        (row[y % 11], row[11 + y % 11], row[22 + y % 11]) = (16_777_216.0, 1.0, -16_777_216.0);
    }
    let (a, b) = (device.upload(&a)?, device.upload(&vec![1.0f32; k * 9])?);
    let (a, b) = (Tensor::new(&a, [70, k])?, Tensor::new(&b, [k, 9])?);
    assert_eq!(gemm(&a, &b).eval::<f32>()?.download()?, [0.0; 630]);
    let product = gemm(&a, &b).precision(Precision::Compensated);
    let mut c = device.zeros::<f32>(630)?;
    assert!(super::suits(&product.clone().problem(TensorMut::new(&mut c, [70, 9])?)?));
    assert_eq!(product.eval::<f32>()?.download()?, [1.0; 630]);
    Ok(())
}

/// `ptxas -v` output for the kernel of a tile with row-major factors of this size.
fn compiled(ptxas: &std::ffi::OsStr, tile: Tile, size: usize) -> Result<String> {
    let (device, shape) = (Device::emulator(), [size, size]);
    let (a, b) = (device.zeros::<f32>(size * size)?, device.zeros::<f32>(size * size)?);
    let mut c = device.zeros::<f32>(size * size)?;
    let (a, b) = (Tensor::new(&a, shape)?, Tensor::new(&b, shape)?);
    let mut plan = planned(gemm(a, b), TensorMut::new(&mut c, shape)?, tile, None, false)?;
    let Tile { rows, cols, wide, splits, .. } = tile;
    let name = format!("lanework_ffma_{}_{rows}_{cols}_{wide}_{splits}_{size}", std::process::id());
    let path = std::env::temp_dir().join(name).with_extension("ptx");
    std::fs::write(&path, plan.steps()[0].module().to_string())
        .expect("a place for temporary files");
    let output = std::process::Command::new(ptxas)
        .args(["-arch=sm_90a", "-v", "-o", "/dev/null"])
        .arg(&path)
        .output()
        .expect("PTXAS names a program");
    std::fs::remove_file(&path).expect("written above");
    Ok(String::from_utf8_lossy(&output.stderr).into_owned())
}

#[test]
fn ptxas_finds_registers_for_everything() -> Result<()> {
    let Some(ptxas) = std::env::var_os("PTXAS") else {
        eprintln!("SKIPPED: PTXAS does not name a ptxas; registers and spills were not looked at");
        return Ok(());
    };
    // Rows with and without TMA alignment.
    for (size, load) in [(64, Load::Rows), (63, Load::Words)] {
        for tile in tiles() {
            let said = compiled(&ptxas, tile, size)?;
            assert!(said.contains("0 bytes spill stores, 0 bytes spill loads"), "{tile:?}: {said}");
            let used = said.split("Used ").nth(1).and_then(|rest| rest.split(' ').next());
            let registers: u32 = used.and_then(|word| word.parse().ok()).expect(&said);
            let config = FfmaConfig::new(tile, (load.of_a(tile), Load::Map));
            let most = 65_536 / (config.threads() * tile.blocks);
            assert!(registers <= most.min(255), "{tile:?}: {registers} registers");
            assert!(config.shared_bytes() + 2048 <= 233_472, "{tile:?}");
        }
    }
    Ok(())
}
