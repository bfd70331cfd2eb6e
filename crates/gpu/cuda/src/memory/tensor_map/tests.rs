//! The size of a map as a parameter, and each rule broken.

use super::*;

fn matrix() -> TiledMap {
    TiledMap {
        element: Element::F32,
        address: 0x7f00_0000_0000,
        extent: vec![1024, 512],
        strides: vec![4096],
        tile: vec![32, 32],
        steps: vec![1, 1],
        swizzle: Swizzle::B128,
        l2_promotion: L2Promotion::B128,
        nan_outside: false,
        im2col: None,
    }
}

#[test]
fn the_map_is_what_a_kernel_parameter_needs() {
    assert_eq!((size_of::<TensorMap>(), align_of::<TensorMap>()), (128, 64));
    assert_eq!(check(&matrix()), Ok(()));
}

#[test]
fn each_broken_rule_is_named() {
    for (map, expected) in [
        (TiledMap { extent: vec![], ..matrix() }, "0 dimensions"),
        (
            TiledMap { strides: vec![], ..matrix() },
            "need 1 strides, 2 tile extents and 2 steps; 0, 2 and 2",
        ),
        (TiledMap { address: 8, ..matrix() }, "0x8 is not a multiple of 16"),
        (TiledMap { extent: vec![0, 1], ..matrix() }, "extent 0"),
        (TiledMap { strides: vec![4100], ..matrix() }, "4100 bytes"),
        (TiledMap { tile: vec![32, 257], ..matrix() }, "tile extent 257"),
        (TiledMap { steps: vec![1, 9], ..matrix() }, "step 9"),
        (TiledMap { tile: vec![3, 3], ..matrix() }, "12 bytes, not a multiple of 16"),
        (TiledMap { tile: vec![64, 4], ..matrix() }, "256 bytes, more than the 128"),
        (TiledMap { element: Element::I32, nan_outside: true, ..matrix() }, "no NaN"),
    ] {
        let rule = check(&map).expect_err("the map violates a rule");
        assert!(rule.contains(expected), "{rule}\nlacks {expected}");
    }
}
