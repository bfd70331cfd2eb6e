//! Encodes maps and decodes them again, and breaks each rule.

use crate::instructions::tensor_map::*;

fn matrix() -> TensorMap {
    TensorMap {
        element: TensorElement::Bf16,
        address: 0x7f00_0000_0000,
        extent: vec![1024, 1 << 32, 3],
        strides: vec![4096, 1 << 39],
        tile: vec![64, 256, 1],
        steps: vec![1, 3, 8],
        swizzle: Swizzle::B128,
        nan_outside: true,
        im2col: None,
    }
}

#[test]
fn maps_survive_their_bytes() {
    let one =
        TensorMap { extent: vec![7], strides: vec![], tile: vec![8], steps: vec![1], ..matrix() };
    for map in [matrix(), one] {
        let bytes = map.encode().expect("sound");
        assert_eq!(TensorMap::decode(&bytes), Some(map.clone()));
        assert_eq!(TensorMap::decode(&std::array::from_fn(|i| bytes[i] ^ 1)), None);
        // CUTLASS and Triton clear a bit of this word in each map.
        for bit in 0..64 {
            let mut bytes = bytes;
            bytes[8 + bit / 8] ^= 1 << (bit % 8);
            assert_eq!(
                TensorMap::decode(&bytes),
                Some(map.clone()),
                "bit {bit} of the second word"
            );
        }
    }
    assert_eq!(TensorMap::decode(&[0; MAP_BYTES]), None);
    assert_eq!((matrix().counts(), matrix().tile_bytes()), (vec![64, 86, 1], 128 * 86));
}

#[test]
fn each_broken_rule_is_named() {
    let integer = TensorElement::I32;
    for (map, expected) in [
        (TensorMap { extent: vec![], ..matrix() }, "0 dimensions"),
        (TensorMap { strides: vec![], ..matrix() }, "need 2 strides"),
        (TensorMap { address: 8, ..matrix() }, "0x8 is not a multiple of 16"),
        (TensorMap { extent: vec![1, 0, 1], ..matrix() }, "extent 0"),
        (TensorMap { strides: vec![4096, 24], ..matrix() }, "24 bytes"),
        (TensorMap { tile: vec![64, 257, 1], ..matrix() }, "tile extent 257"),
        (TensorMap { steps: vec![1, 9, 1], ..matrix() }, "step 9"),
        (TensorMap { tile: vec![4, 1, 1], ..matrix() }, "8 bytes, not a multiple of 16"),
        (TensorMap { tile: vec![128, 1, 1], ..matrix() }, "256 bytes, more than the 128"),
        (TensorMap { element: integer, tile: vec![32, 1, 1], ..matrix() }, "no NaN"),
    ] {
        let rule = map.encode().expect_err("the map breaks a rule");
        assert!(rule.contains(expected), "{rule}\nlacks {expected}");
    }
}
