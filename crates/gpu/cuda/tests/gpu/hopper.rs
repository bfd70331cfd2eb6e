//! Clusters and the bulk copy engine, which need sm_90.

use lanework_cuda::{
    CudaError, Element, L2Promotion, LaunchShape, Swizzle, TiledMap, encode_tiled_map,
};

use crate::support::{self, HOPPER, Words};

/// A matrix of words, copied in 16x16 tiles.
fn map(address: u64, rows: u64, columns: u64) -> TiledMap {
    TiledMap {
        element: Element::U32,
        address,
        extent: vec![columns, rows],
        strides: vec![columns * 4],
        tile: vec![16, 16],
        steps: vec![1, 1],
        swizzle: Swizzle::None,
        l2_promotion: L2Promotion::B128,
        nan_outside: false,
        im2col: None,
    }
}

#[test]
fn clusters_know_their_ranks() {
    let Some(gpu) = support::hopper("clusters_know_their_ranks") else { return };
    let kernel = support::kernel(&gpu, HOPPER, "cluster_rank");
    for size in [1u32, 2, 4, 8, 16] {
        let out = Words::new(&gpu, &[0; 16]);
        let shape = LaunchShape::new([16, 1, 1], [32, 1, 1]).cluster([size, 1, 1]);
        // SAFETY: each block writes its own word of 16.
        unsafe { gpu.launch_shaped(&kernel, &shape, &[&out.argument()], None).unwrap() };
        let expected: Vec<u32> = (0..16).map(|block| 100 * size + block % size).collect();
        assert_eq!(out.get(), expected, "clusters of {size}");
    }
    let uneven = LaunchShape::new([3, 1, 1], [32, 1, 1]).cluster([2, 1, 1]);
    // SAFETY: the launch is rejected before it reaches the GPU.
    let refused = unsafe { gpu.launch_shaped(&kernel, &uneven, &[&[0; 8]], None) };
    assert!(matches!(refused, Err(CudaError::Limit { .. })), "{refused:?}");
}

#[test]
fn the_copy_engine_reads_tiles_and_zeros_outside() {
    let Some(gpu) = support::hopper("the_copy_engine_reads_tiles_and_zeros_outside") else {
        return;
    };
    let kernel = support::kernel(&gpu, HOPPER, "copy_tile");
    let (rows, columns) = (40u32, 44u32);
    let source = Words::new(&gpu, &(1..=rows * columns).collect::<Vec<_>>());
    let map = encode_tiled_map(&map(source.address, rows.into(), columns.into())).unwrap();
    for (x, y) in [(0u32, 0u32), (16, 8), (32, 32)] {
        let out = Words::new(&gpu, &[u32::MAX; 256]);
        let arguments: [&[u8]; 4] =
            [map.as_bytes(), &out.argument(), &x.to_ne_bytes(), &y.to_ne_bytes()];
        // SAFETY: the map describes `source`, and 256 threads write the 256 words of `out`.
        unsafe { gpu.launch(&kernel, [1; 3], [256, 1, 1], 0, &arguments, None).unwrap() };
        let expected: Vec<u32> = (0..256u32)
            .map(|word| (y + word / 16, x + word % 16))
            .map(
                |(row, column)| {
                    if row < rows && column < columns { row * columns + column + 1 } else { 0 }
                },
            )
            .collect();
        assert!(out.get() == expected, "tile at column {x}, row {y}: {:?}...", &out.get()[..18]);
    }
}

#[test]
fn tensor_maps_need_a_driver_and_valid_parameters() {
    let unaligned = encode_tiled_map(&map(8, 64, 64));
    assert!(matches!(unaligned, Err(CudaError::Invalid { .. })), "{unaligned:?}");
    match encode_tiled_map(&map(1 << 32, 64, 64)) {
        Ok(encoded) => assert!(encoded.as_bytes().iter().any(|&byte| byte != 0)),
        // Drivers for older GPUs may not support tensor maps. On sm_90 the test above encodes one.
        Err(CudaError::Driver { .. } | CudaError::Unsupported { .. }) => {}
        Err(CudaError::Unavailable { why }) => {
            support::skip("tensor_maps_need_a_driver_and_valid_parameters", &why)
        }
        Err(other) => panic!("{other}"),
    }
}
