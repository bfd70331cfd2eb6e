//! The counters of bulk and tensor copies match a formula.

use crate::tensors::TENSORS;
use lanework::emulator::{Blocks, Bulk};
use lanework::{Device, DynTensorMap, PtxArg, PtxShape, Swizzle, TensorElement, Tiling};

/// Columns and rows of the tensor of floats, and of a tile.
const EXTENT: [u64; 2] = [200, 60];
const TILE: [u32; 2] = [32, 16];

/// The counters of the copies of `entry` (loads, stores, reductions), for a tile at `at` in a tensor with rows of
/// `pitch` bytes.
fn copies(entry: &str, at: [i32; 2], pitch: u64, more: &[u32]) -> [Bulk; 3] {
    let device = Device::emulator();
    let module = device.load_ptx(TENSORS).expect("a module");
    let tensor = device.zeros::<u8>((pitch * EXTENT[1]) as usize).expect("memory");
    let tiling = Tiling::new(&EXTENT, &TILE).strides(&[pitch]).swizzle(Swizzle::B128);
    let element = match entry {
        "reduce_2d" => TensorElement::U32,
        _ => TensorElement::F32,
    };
    let map = DynTensorMap::new(&tensor, element, &tiling).expect("a tensor map");
    let words = TILE[0] * TILE[1];
    let memory = device.zeros::<u8>(4 * words as usize).expect("memory");
    let number = |value: u32| PtxArg::Bytes(value.to_le_bytes().to_vec());
    let place = at.iter().flat_map(|at| at.to_le_bytes()).collect();
    let mut arguments = vec![PtxArg::Map(&map), PtxArg::Bytes(place)];
    if entry == "load_2d" {
        arguments.push(number(4 * words));
    }
    arguments.push(PtxArg::Memory(&memory));
    arguments.push(number(words));
    arguments.extend(more.iter().map(|value| number(*value)));
    let shape = PtxShape::new(3, 128).shared_bytes(4 * words);
    let profile = module.profile(entry, shape, &arguments, Blocks::All).expect("it runs");
    let found = profile.counters;
    // The sums over lines and the sectors of the launch must agree, too.
    let of_lines = profile.instructions.iter().map(|one| one.counters.bulk_load.bytes);
    assert_eq!(of_lines.sum::<u64>(), found.bulk_load.bytes);
    let bulk = [found.bulk_load, found.bulk_store, found.bulk_reduce];
    let plain = found.global_load.sectors + found.global_store.sectors;
    assert_eq!(found.sectors(), plain + bulk.iter().map(|one| one.sectors).sum::<u64>());
    bulk
}

/// Counters of three blocks, each of which moves `rows` rows of `row` bytes that start at multiples of 32 bytes.
fn formula(row: u64, rows: u64) -> Bulk {
    let sectors = 3 * rows * row.div_ceil(32);
    let all = u64::from(4 * TILE[0] * TILE[1]);
    Bulk {
        requests: 3,
        sectors,
        ideal_sectors: (3 * row * rows).div_ceil(32),
        bytes: 3 * row * rows,
        shared_bytes: 3 * all,
    }
}

#[test]
fn a_tensor_copy_has_the_bytes_of_its_tile() {
    let none = Bulk::default();
    let inside = formula(128, 16);
    assert_eq!(copies("load_2d", [64, 16], 832, &[]), [inside, none, none]);
    assert_eq!(copies("store_2d", [64, 16], 832, &[]), [none, inside, none]);
    assert_eq!(copies("reduce_2d", [64, 16], 832, &[0]), [none, none, inside]);
}

#[test]
fn elements_outside_the_tensor_move_no_global_memory() {
    // In the last tile, 8 of 32 columns and 12 of 16 rows are inside.
    let [found, ..] = copies("load_2d", [192, 48], 832, &[]);
    assert_eq!(found, formula(32, 12));
    let [found, ..] = copies("load_2d", [-32, 0], 832, &[]);
    assert_eq!((found.requests, found.bytes, found.sectors), (3, 0, 0));
}

#[test]
fn rows_that_start_within_a_sector_take_more_of_them() {
    // Rows of 816 bytes: every other one starts 16 bytes into a sector.
    let [found, ..] = copies("load_2d", [64, 16], 816, &[]);
    assert_eq!(found.bytes, 3 * 16 * 128);
    assert_eq!((found.sectors, found.ideal_sectors), (3 * (8 * 4 + 8 * 5), 3 * 16 * 4));
}
