//! Whole tensor-core kernels, which `tensor-cores.md` shows, compared with the host.

pub mod attention;
pub mod cluster;
pub mod mma;
pub mod wgmma;

use crate::host::{Numbers, compare, next};
use crate::{accepted, devices};
use half::bf16;
use lanework::Result;
use lanework::lang::tensor_cores::SwizzleMode;
use lanework::prelude::*;

fn factors(m: u32, n: u32, k: u32) -> (Numbers, Numbers, Numbers) {
    let (a, b) = (Numbers::random::<bf16>(m, k, 1), Numbers::random::<bf16>(k, n, 2));
    let zero = Numbers { rows: m as usize, columns: n as usize, at: vec![0; (m * n) as usize] };
    let c = a.times(&b, &zero);
    (a, b, c)
}

#[test]
fn products_by_mma() -> Result<()> {
    for (good, m, n, k) in [(false, 32, 24, 48), (true, 128, 128, 32), (true, 128, 256, 192)] {
        let (a, b, want) = factors(m, n, k);
        for device in devices("products by mma", (8, 0)) {
            let (x, y) = (device.upload(&a.stored::<bf16>())?, device.upload(&b.stored::<bf16>())?);
            let mut z = device.zeros::<f32>((m * n) as usize)?;
            let launch = match good {
                false => mma::plain(&x, &y, &mut z, n, k).grid((n / 8, m / 16)).block(32),
                true => mma::good(&x, &y, &mut z, n, k)
                    .grid((n / mma::TILE.1, m / mma::TILE.0))
                    .block(128)
                    .shared_bytes(mma::SHARED_BYTES),
            };
            accepted(&launch);
            launch.launch(&device)?;
            compare::<f32>("product by mma", &z.download()?, &want);
        }
    }
    Ok(())
}

#[test]
fn products_by_wgmma() -> Result<()> {
    // In the last case, blocks process several tiles, and there are fewer rows of tiles than a group has.
    for (m, n, k, columns, grid) in
        [(128, 256, 64, 256, 1), (256, 256, 448, 256, 2), (1152, 128, 192, 64, 4)]
    {
        let (a, b, want) = factors(m, n, k);
        for device in devices("products by wgmma", (9, 0)) {
            let x = device.upload(&a.stored::<bf16>())?;
            let y = device.upload(&b.t().stored::<bf16>())?;
            let mut z = device.zeros::<f32>((m * n) as usize)?;
            let (rows, depth) = wgmma::TILE;
            let tiles = |extent: u32, tile: u32| {
                Tiles::new([extent as usize, k as usize], [tile, depth])
                    .swizzle(Swizzle128::SWIZZLE)
            };
            let of_a = TensorMap::new(&x, &tiles(m, rows))?;
            let of_b = TensorMap::new(&y, &tiles(n, columns))?;
            let launch = match columns {
                256 => wgmma::product::<256>(&of_a, &of_b, &mut z, m, n, k),
                _ => wgmma::product::<64>(&of_a, &of_b, &mut z, m, n, k),
            };
            accepted(&launch);
            launch
                .grid(grid)
                .block(384)
                .shared_bytes(wgmma::shared_bytes(columns))
                .launch(&device)?;
            compare::<f32>("product by wgmma", &z.download()?, &want);
        }
    }
    assert_eq!([1024, 2048, 8192].map(|n| wgmma::columns(n, n, 132)), [64, 256, 256]);
    Ok(())
}

#[test]
fn products_by_clusters() -> Result<()> {
    // A cluster with one tile, and clusters with several.
    for (m, n, k, grid) in [(256, 256, 64, 2), (512, 768, 320, 4)] {
        let (a, b, want) = factors(m, n, k);
        for device in devices("products by clusters", (9, 0)) {
            let x = device.upload(&a.stored::<bf16>())?;
            let y = device.upload(&b.t().stored::<bf16>())?;
            let mut z = device.zeros::<f32>((m * n) as usize)?;
            let tiles = |rows: u32, columns: u32, tile: [u32; 2]| {
                Tiles::new([rows as usize, columns as usize], tile).swizzle(Swizzle128::SWIZZLE)
            };
            let (rows, _, depth) = cluster::TILE;
            let of_a = TensorMap::new(&x, &tiles(m, k, [rows, depth]))?;
            let of_b = TensorMap::new(&y, &tiles(n, k, [cluster::HALF, depth]))?;
            let of_c = TensorMapMut::new(&mut z, &tiles(m, n, cluster::PART.into()))?;
            let launch = cluster::product(&of_a, &of_b, of_c, m, n, k);
            accepted(&launch);
            launch.grid(grid).block(384).shared_bytes(cluster::SHARED_BYTES).launch(&device)?;
            compare::<f32>("product by clusters", &z.download()?, &want);
        }
    }
    Ok(())
}

#[test]
fn attention_by_mma() -> Result<()> {
    let (queries, keys, head) = (128usize, 192usize, attention::HEAD as usize);
    let mut state = 9;
    let mut random = |rows: usize| -> Vec<bf16> {
        let number = |state: &mut u64| (next(state) % 2001) as f32 / 1000.0 - 1.0;
        (0..rows * head).map(|_| bf16::from_f32(number(&mut state))).collect()
    };
    let (q, k, v) = (random(queries), random(keys), random(keys));
    let scale = 0.5;
    let mut want = vec![0.0f64; queries * head];
    for row in 0..queries {
        let dot = |key: usize| -> f64 {
            let at = |x: &[bf16], r: usize, i: usize| x[r * head + i].to_f64();
            (0..head).map(|i| at(&q, row, i) * at(&k, key, i)).sum()
        };
        let scores: Vec<f64> = (0..keys).map(|key| f64::from(scale) * dot(key)).collect();
        let most = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let weights: Vec<f64> = scores.iter().map(|s| (s - most).exp()).collect();
        let total: f64 = weights.iter().sum();
        for i in 0..head {
            let sum: f64 = (0..keys).map(|key| weights[key] * v[key * head + i].to_f64()).sum();
            want[row * head + i] = sum / total;
        }
    }
    for device in devices("attention by mma", (8, 0)) {
        let (x, y, z) = (device.upload(&q)?, device.upload(&k)?, device.upload(&v)?);
        let mut out = device.zeros::<f32>(queries * head)?;
        let launch = attention::attention(&x, &y, &z, &mut out, keys as u32, scale);
        accepted(&launch);
        launch.grid(queries as u32 / attention::QUERIES).block(128).launch(&device)?;
        for (i, (got, want)) in out.download()?.iter().zip(&want).enumerate() {
            // Weights are rounded to bf16 before the second product.
            let error = (f64::from(*got) - want).abs();
            assert!(error < 4e-3, "row {}, column {}: {got}, not {want}", i / head, i % head);
        }
    }
    Ok(())
}
