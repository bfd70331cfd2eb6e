//! Shared memory, vectors, register arrays, places and bounds checks.

use lanework::Error;
use lanework::prelude::*;

#[kernel(block = (8, 4, 2))]
fn dimensions(out: &mut [u32], #[constant] n: u32) {
    let cube = shared::<u32>([2, 4, n]);
    let flat = shared::<u64>(64);
    let (x, y, z) = (thread_idx.x, thread_idx.y, thread_idx.z);
    let i = (z * 4 + y) * 8 + x;
    cube[[z, y, x + 1]] = i;
    flat[i] = (i * i) as u64;
    sync_threads();
    cube[[z, y, x + 1]] += 1;
    sync_threads();
    out[i] = cube[[1 - z, 3 - y, 8 - x]] + flat[63 - i] as u32 * 100;
}

#[test]
fn shared_arrays_have_up_to_three_dimensions() {
    for device in Device::for_tests("language") {
        let mut out = device.zeros::<u32>(64).unwrap();
        dimensions(&mut out, 9).grid(1).block((8, 4, 2)).launch(&device).unwrap();
        let expected: Vec<u32> = (0..64u32)
            .map(|i| {
                let mirror = 63 - i;
                mirror + 1 + mirror * mirror * 100
            })
            .collect();
        assert_eq!(out.download().unwrap(), expected);
    }
}

#[kernel]
fn dynamic(out: &mut [f32], #[constant] n: u32) {
    let first = shared_dynamic::<f32>(n);
    let second = shared_dynamic::<u8>(n);
    let third = shared_dynamic::<f64>([n, 2]);
    let i = thread_idx.x;
    first[i] = i as f32;
    second[i] = i as u8 * 3;
    third[[i, 1]] = i as f64 * 0.5;
    sync_threads();
    let j = n - 1 - i;
    out[i] = first[j] + second[j] as f32 + third[[j, 1]] as f32;
}

#[test]
fn dynamic_arrays_are_consecutive() {
    for device in Device::for_tests("language") {
        let n = 30;
        let mut out = device.zeros::<f32>(30).unwrap();
        let bytes = 128 + 32 + 480;
        let launch = dynamic(&mut out, n).grid(1).block(n).shared_bytes(bytes);
        launch.launch(&device).unwrap();
        let expected: Vec<f32> = (0..30)
            .map(|i| {
                let j = (29 - i) as f32;
                j + f32::from((29 - i) as u8 * 3) + j * 0.5
            })
            .collect();
        assert_eq!(out.download().unwrap(), expected);
    }
}

#[kernel]
fn vectors(src: &[f32], bytes: &[u8], out: &mut [f32], sums: &mut [u32]) {
    let tile = shared::<f32>([4, 32]);
    let i = thread_idx.x;
    let [a, b, c, d] = src.load4(i * 4);
    tile.store4((i / 8, i % 8 * 4), [d, c, b, a]);
    sync_threads();
    let v = tile.load2((i / 8, i % 8 * 4 + 2));
    out.store2(i * 2, v);
    let mut sum = 0u32;
    let quad = bytes.load4_nc(i * 4);
    #[unroll]
    for k in 0..4 {
        sum += (quad[k] as u32) << (8 * k);
    }
    sums[i] = sum + load_nc(&bytes[i]) as u32;
}

#[test]
fn vectors_move_adjacent_elements() {
    for device in Device::for_tests("language") {
        let values: Vec<f32> = (0..128).map(|v| v as f32).collect();
        let bytes: Vec<u8> = (0..128).map(|v| v as u8).collect();
        let src = device.upload(&values).unwrap();
        let packed = device.upload(&bytes).unwrap();
        let mut out = device.zeros::<f32>(64).unwrap();
        let mut sums = device.zeros::<u32>(32).unwrap();
        vectors(&src, &packed, &mut out, &mut sums).grid(1).block(32).launch(&device).unwrap();
        let expected: Vec<f32> = (0..32).flat_map(|i| [values[4 * i + 1], values[4 * i]]).collect();
        assert_eq!(out.download().unwrap(), expected);
        let quad = |i: usize| {
            u32::from_le_bytes([4 * i, 4 * i + 1, 4 * i + 2, 4 * i + 3].map(|b| b as u8))
        };
        let expected: Vec<u32> = (0..32).map(|i| quad(i) + i as u32).collect();
        assert_eq!(sums.download().unwrap(), expected);
    }
}

#[kernel]
fn tiles(out: &mut [f32], #[constant] rows: usize, #[constant] columns: usize) {
    let i = thread_idx.x as f32;
    let acc = registers(0.0f32, [rows, columns]);
    for k in 0..3 {
        #[unroll]
        for r in 0..rows {
            #[unroll]
            for c in 0..columns {
                acc[[r, c]] += i * (r * columns + c) as f32 + k as f32;
            }
        }
    }
    #[unroll]
    for r in 0..rows {
        #[unroll]
        for c in 0..columns {
            out[thread_idx.x * (rows * columns) as u32 + (r * columns + c) as u32] = acc[[r, c]];
        }
    }
}

#[test]
fn register_tiles_take_their_shape_from_constants() {
    for device in Device::for_tests("language") {
        for (rows, columns) in [(1, 1), (2, 3)] {
            let tile = rows * columns;
            let mut out = device.zeros::<f32>(4 * tile).unwrap();
            tiles(&mut out, rows, columns).grid(1).block(4).launch(&device).unwrap();
            let expected: Vec<f32> =
                (0..4 * tile).map(|e| 3.0 * (e / tile * (e % tile)) as f32 + 3.0).collect();
            assert_eq!(out.download().unwrap(), expected);
        }
    }
}

#[kernel]
fn offsets(src: &[i32], out: &mut [i32]) {
    let i = thread_idx.x as i64;
    let u = thread_idx.x as usize;
    let place = &src[u];
    out[u] = src[i + 1] - src[i + 2 - 1] + src[u + 3] * 100 + place.add(2).load() * 10_000;
    let mut j = thread_idx.x as i32;
    j -= 1;
    out[j + 1] += src[j + 1];
}

#[test]
fn constant_parts_of_indices_move_into_the_address() {
    for device in Device::for_tests("language") {
        let values: Vec<i32> = (0..40).map(|v| v * 3).collect();
        let src = device.upload(&values).unwrap();
        let mut out = device.zeros::<i32>(32).unwrap();
        offsets(&src, &mut out).grid(1).block(32).launch(&device).unwrap();
        let expected: Vec<i32> =
            (0..32).map(|i| values[i + 3] * 100 + values[i + 2] * 10_000 + values[i]).collect();
        assert_eq!(out.download().unwrap(), expected);
    }
}

#[kernel]
fn read_at(src: &[f32], out: &mut [f32], at: i64) {
    if block_idx.x == 1 && thread_idx.x == 5 {
        out[0] = src[at];
    }
}

#[test]
fn an_index_out_of_range_names_block_thread_and_line() {
    for device in Device::for_tests("language") {
        for at in [10, 11, -1, i64::MAX, 1 << 62] {
            let src = device.zeros::<f32>(10).unwrap();
            let mut out = device.zeros::<f32>(1).unwrap();
            let launch = read_at(&src, &mut out, at).grid(2).block(32);
            let result = launch.launch(&device).and_then(|()| device.synchronize());
            let Err(Error::Index(fault)) = result else { panic!("{at}: {result:?}") };
            let text = fault.to_string();
            assert!(text.contains("memory.rs:"), "{text}");
            assert!(text.contains(&at.to_string()), "{text}");
            assert!(text.contains("src"), "{text}");
        }
    }
}

#[kernel]
fn tile_at(out: &mut [f32], row: u32, column: i32) {
    let tile = shared::<f32>([4, 8]);
    tile[[row, column]] = 1.0;
    sync_threads();
    out[0] = tile[[0, 0]];
}

#[test]
fn every_axis_of_a_tile_is_checked() {
    for device in Device::for_tests("language") {
        let mut out = device.zeros::<f32>(1).unwrap();
        for (row, column, ok) in [(3, 7, true), (4, 0, false), (0, 8, false), (0, -1, false)] {
            let launch = tile_at(&mut out, row, column).grid(1).block(1);
            let result = launch.launch(&device).and_then(|()| device.synchronize());
            match (ok, result) {
                (true, Ok(())) => {}
                (false, Err(Error::Index(fault))) => {
                    assert!(fault.to_string().contains("tile"), "{fault}");
                }
                (_, other) => panic!("({row}, {column}): {other:?}"),
            }
        }
    }
}

#[kernel]
fn impossible(out: &mut [f32], #[constant] at: u32) {
    let tile = shared::<f32>(8);
    tile[at] = 1.0;
    let mut few = [0.0; 2];
    few[at] = 2.0;
    out[0] = few[0];
}

#[kernel]
fn demanding(out: &mut [f32], #[constant] t: u32) {
    assert!(t.is_power_of_two(), "the tile's edge must be a power of two");
    out[0] = t as f32;
}

#[test]
fn errors_of_constants_are_values() {
    let device = Device::emulator();
    let mut out = device.zeros::<f32>(1).unwrap();
    assert!(impossible(&mut out, 1).module().is_ok());
    let Err(Error::Stage { errors, .. }) = impossible(&mut out, 9).module() else {
        panic!("staged")
    };
    assert_eq!(errors.len(), 2, "{errors:?}");
    assert!(errors[0].message.contains("index 9"), "{}", errors[0]);
    assert!(errors[0].file.ends_with("memory.rs"));
    assert!(demanding(&mut out, 8).module().is_ok());
    let Err(Error::Stage { errors, .. }) = demanding(&mut out, 9).module() else {
        panic!("staged")
    };
    assert!(errors[0].message.contains("power of two"), "{}", errors[0]);
}
