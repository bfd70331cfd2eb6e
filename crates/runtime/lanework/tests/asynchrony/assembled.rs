//! ptxas accepts the PTX of the typed operations: if `PTXAS` names it, these tests assemble every kernel
//! (`PTXAS=ptxas cargo test -p lanework --test asynchrony assembled`).

use crate::{bulk, clusters, gathered, order, pipelines, pixels, tiles};
use lanework::prelude::*;
use lanework::{Launch, Result};
use std::process::Command;

/// Registers are reallocated between roles: 2 x 136 become 40 and 232.
#[kernel(block = 256, max_registers = 136)]
pub fn roles(out: &mut [u32]) {
    let [one, two] = warp_roles([4, 4]);
    if one.active() {
        one.give_registers(40);
        out[one.thread()] = 1;
        one.barrier().sync();
    }
    if two.active() {
        two.take_registers(232);
        out[two.thread() + 128] = 2;
        two.barrier().sync();
    }
}

/// A copy whose source is used once and whose result is kept.
#[kernel(block = 128)]
pub fn hints(x: &[f32], y: &mut [f32]) {
    let i = block_idx.x * 128 + thread_idx.x;
    let once = CacheHint::new().read_only().l1(Evict::NoAllocate).l2_fetch(256);
    let kept = CacheHint::new().l2(l2_policy(Evict::Last, 0.5));
    prefetch_l2(&x[(i + 128) % x.len() as u32]);
    store_hinted(&mut y[i], load_hinted(&x[i], once), kept);
}

/// Instructions that the other kernels do not use.
#[kernel(block = 32, cluster = 2)]
fn others(x: &mut [u32], y: &[f32], z: &mut [f32]) {
    let tile = shared::<u32>(64);
    let sum = shared::<u64>(1);
    let full = mbarriers(2, 3);
    let keep = CacheHint::new().l2(l2_policy(Evict::Last, 0.25)).l1(Evict::Last);
    store_hinted(&mut z[0], load_hinted(&y[0], keep.read_only().l2_fetch(128)), keep);
    prefetch_l1(&y[1]);
    prefetch_l2(&y[2]);
    full.at(1).expect(16);
    full.at(1).arrive_times(2);
    full.at(0).arrive_and_drop();
    full.at(0).of_block(1).arrive_expect(64);
    fence(Scope::Cluster);
    fence_sc(Scope::System);
    fence_proxy_async();
    let far = atomic(&mut sum.of_block(1)[0], Order::Release, Scope::Cluster);
    far.add(1);
    far.cas(1, 2);
    far.max(3);
    far.exch(4);
    far.and(5);
    let near = atomic(&mut x[0], Order::Acquire, Scope::Block);
    near.min(1);
    near.or(2);
    near.xor(3);
    store_relaxed(&mut x[1], load_relaxed(&x[2], Scope::System), Scope::Cluster);
    bulk_and(x.span_mut(0, 64), &tile);
    bulk_or(x.span_mut(0, 64), &tile);
    bulk_xor(x.span_mut(0, 64), &tile);
    bulk_min(x.span_mut(0, 64), &tile);
    bulk_add(z.span_mut(0, 4), shared::<f32>(4));
    bulk_commit();
    bulk_wait_read(1);
    bulk_send(tile.of_block(1), &tile, full.at(0).of_block(1));
    let there = full.at(0).of_block(1);
    let floats = shared::<f32>(1);
    let signed = shared::<i32>(1);
    store_async(&mut sum.of_block(1)[0], 1, there);
    store_async(&mut floats.of_block(1)[0], 1.5, there);
    add_async(&mut sum.of_block(1)[0], 2, there);
    add_async(&mut signed.of_block(1)[0], -2, there);
    min_async(&mut signed.of_block(1)[0], -3, there);
    max_async(&mut tile.of_block(1)[0], 4, there);
    and_async(&mut tile.of_block(1)[0], 5, there);
    or_async(&mut tile.of_block(1)[0], 6, there);
    xor_async(&mut signed.of_block(1)[0], 7, there);
    let arrival = cluster_arrive();
    arrival.wait();
    x[cluster_block_idx.x + cluster_dim.y + cluster_idx.z] = cluster_size();
}

fn assemble(launch: &Launch<'_>, ptxas: &str, number: usize) -> Result<()> {
    let text = launch.module()?.to_string();
    let folder = std::env::temp_dir();
    let path = folder.join(format!("lanework-asynchrony-{}-{number}.ptx", std::process::id()));
    std::fs::write(&path, &text).expect("a temporary file");
    let arch = if text.contains(".target sm_100a") { "-arch=sm_100a" } else { "-arch=sm_90a" };
    let output = Command::new(ptxas).args([arch, "-o", "/dev/null"]).arg(&path).output();
    let output = output.unwrap_or_else(|e| panic!("{ptxas} does not run: {e}"));
    std::fs::remove_file(&path).expect("written above");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}\n{text}");
    Ok(())
}

#[test]
fn ptxas_accepts_the_printed_ptx() -> Result<()> {
    let Ok(ptxas) = std::env::var("PTXAS") else {
        eprintln!("SKIPPED: what the typed forms print is not assembled: PTXAS names no ptxas");
        return Ok(());
    };
    let device = Device::emulator();
    let words = device.zeros::<u32>(4096)?;
    let floats = device.zeros::<f32>(4096)?;
    let [mut a, mut b] = [device.zeros::<u32>(4096)?, device.zeros::<u32>(4096)?];
    let mut c = device.zeros::<f32>(4096)?;
    let mut long = device.zeros::<u64>(64)?;
    let ints = device.zeros::<i32>(1920)?;
    let map = TensorMap::new(&words, &Tiles::new([64, 64], [32, 32]))?;
    let source = TensorMap::new(&floats, &Tiles::new([64, 64], [32, 32]))?;
    macro_rules! check {
        ($number:literal $launch:expr) => {
            assemble(&$launch, &ptxas, $number)?;
        };
    }
    check!(0 tiles::fetch::<32, 32>(&map, 0, 0, &mut a, &mut b, Swizzle::B128));
    {
        let mut out = device.zeros::<f32>(4096)?;
        let target = TensorMapMut::new(&mut out, &Tiles::new([64, 64], [32, 32]))?;
        check!(1 tiles::transpose(&source, target));
    }
    check!(2 pipelines::column_sums::<3>(&map, 1, &mut a));
    check!(3 clusters::shared_loads(&map, 1, &mut a));
    check!(4 clusters::reduction(&words, &mut a));
    check!(5 clusters::relay(&mut a));
    let images = PixelMap::new(&floats, &Pixels::new([2, 8, 8, 4], 32))?;
    check!(19 pixels::convolution::<3, 2>(&images, &floats, &mut c, (8, 8), (0, 0), 1));
    let images = PixelMap::new(&floats, &Pixels::new([2, 4, 4, 8, 4], 16))?;
    check!(20 pixels::space(&images, &mut c));
    {
        let (numbers, rows) = (device.zeros::<i32>(64)?, Tiles::new([64, 64], [1, 16]));
        let (table, mut out) = (device.zeros::<u32>(4096)?, device.zeros::<u32>(4096)?);
        let source = TensorMap::new(&table, &rows)?;
        let target = TensorMapMut::new(&mut out, &rows)?;
        check!(21 gathered::moved_rows(&source, &numbers, &numbers, 0, target));
    }
    check!(18 clusters::mailboxes(&words, &mut a));
    check!(6 order::ping_pong(1, &mut a));
    check!(7 order::grid_reduction(&words, &mut a, &mut b));
    check!(8 order::first(&mut a, 1));
    check!(9 order::messages(&mut a, &mut b));
    check!(10 order::scan(&words, &mut a, &mut long, &mut b));
    check!(11 bulk::add_up(&words, &mut a, &mut b));
    check!(12 bulk::tokens(&mut a));
    check!(13 roles(&mut a));
    check!(17 hints(&floats, &mut c));
    check!(14 others(&mut a, &floats, &mut c));
    let mut out = device.zeros::<i32>(1920)?;
    let tiles = Tiles::new([3, 4, 5, 12], [2, 2, 2, 8]);
    let target = TensorMapMut::new(&mut out, &tiles)?;
    check!(15 bulk::four(&TensorMap::new(&ints, &tiles)?, target));
    let tiles = Tiles::new([3, 2, 3, 4, 8], [2, 1, 2, 2, 8]);
    let target = TensorMapMut::new(&mut out, &tiles)?;
    check!(16 bulk::five(&TensorMap::new(&ints, &tiles)?, target));
    Ok(())
}

#[test]
fn hints_change_no_value() -> Result<()> {
    for device in crate::devices("cache hints") {
        let input: Vec<f32> = (0..512).map(|i| i as f32).collect();
        let (x, mut y) = (device.upload(&input)?, device.zeros::<f32>(512)?);
        hints(&x, &mut y).grid(4).block(128).launch(&device)?;
        assert_eq!(y.download()?, input);
    }
    Ok(())
}

#[test]
fn registers_move_between_roles() -> Result<()> {
    for device in crate::devices("warp roles") {
        let mut out = device.zeros::<u32>(256)?;
        roles(&mut out).grid(2).block(256).launch(&device)?;
        let expected: Vec<u32> = (0..256).map(|t| 1 + t / 128).collect();
        assert_eq!(out.download()?, expected);
    }
    Ok(())
}
