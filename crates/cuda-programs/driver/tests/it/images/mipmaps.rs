//! Mipmapped arrays and sRGB.

use super::calls::*;
use crate::common::context;

#[test]
fn levels_of_mipmaps_are_arrays() {
    context();
    let shape = Shape { width: 8, height: 4, format: FLOAT, channels: 4, ..Shape::default() };
    let (mut levels, mut level) = (0u64, 0u64);
    assert_eq!(
        call!("cuMipmappedArrayCreate"(&mut levels => *mut u64, &shape => *const Shape, 99 => u32)),
        0
    );
    for (number, width, height) in [(0, 8, 4), (1, 4, 2), (2, 2, 1), (3, 1, 1)] {
        let code =
            call!("cuMipmappedArrayGetLevel"(&mut level => *mut u64, levels => u64, number => u32));
        let mut back = Shape::default();
        assert_eq!(
            (code, call!("cuArray3DGetDescriptor"(&mut back => *mut Shape, level => u64))),
            (0, 0)
        );
        assert_eq!((back.width, back.height), (width, height));
    }
    let code = call!("cuMipmappedArrayGetLevel"(&mut level => *mut u64, levels => u64, 4 => u32));
    assert_eq!(code, 1);
    assert_eq!(call!("cuMipmappedArrayDestroy"(levels => u64)), 0);
}

/// A single-channel float mipmap whose level `i` is `10^i` everywhere.
fn powers(width: usize, height: usize, count: u32) -> u64 {
    let shape = Shape { width, height, format: FLOAT, channels: 1, ..Shape::default() };
    let (mut levels, mut level) = (0u64, 0u64);
    assert_eq!(
        call!("cuMipmappedArrayCreate"(&mut levels => *mut u64, &shape => *const Shape, count => u32)),
        0
    );
    for number in 0..count {
        let code =
            call!("cuMipmappedArrayGetLevel"(&mut level => *mut u64, levels => u64, number => u32));
        assert_eq!(code, 0);
        let extent = [(width >> number).max(1), (height >> number).max(1), 1];
        let mut texels = vec![10f32.powi(number as i32); extent[0] * extent[1]];
        assert_eq!(copy(level, &mut texels, extent, true), 0);
    }
    levels
}

const NORMALIZED: u32 = 2;

/// Mipmap sampling: filter (1: linear), bias, and limits.
fn reading_levels(filter: u32, bias: f32, least: f32, most: f32) -> Reading {
    let mut reading = reading(1, 0, NORMALIZED, 0.0);
    reading[6..10].copy_from_slice(&[filter, bias.to_bits(), least.to_bits(), most.to_bits()]);
    reading
}

#[test]
fn levels_of_mipmaps_are_read_by_number_and_gradient() {
    context();
    let levels = powers(16, 8, 4);
    let mut resource: Resource = [0; 18];
    (resource[0], resource[1]) = (1, levels);
    let read = sampler("tex.level.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%rd1, {%f0, %f1}], %f2;");
    let places = at(&[[0.5, 0.5, 0.0], [0.1, 0.9, 1.0], [0.5, 0.5, 1.5], [0.5, 0.5, 99.0]]);
    let whole = texture(resource, reading_levels(1, 0.0, 0.0, 3.0)).expect("a texture");
    assert_eq!(sample(read, whole, &places), [1.0, 10.0, 55.0, 1000.0]);
    let nearest = texture(resource, reading_levels(0, -1.0, 0.0, 1.0)).expect("a texture");
    assert_eq!(sample(read, nearest, &places), [1.0, 1.0, 10.0, 10.0]);
    // A zeroed descriptor limits sampling to level 0.
    let lowest = texture(resource, reading_levels(1, 0.0, 0.0, 0.0)).expect("a texture");
    assert_eq!(sample(read, lowest, &places), [1.0; 4]);
    let gradient = sampler(
        "mov.f32 %f5, 0f00000000; tex.grad.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%rd1, {%f0, %f0}], {%f1, %f5}, {%f5, %f2};",
    );
    // 2 texels of 16 in x, 4 of 8 in y.
    let places = at(&[[0.5, 0.125, 0.0], [0.5, 0.125, 0.5]]);
    assert_eq!(sample(gradient, whole, &places), [10.0, 100.0]);

    // A view starts at its own first level.
    let mut view = [0u32; 32];
    (view[8], view[9]) = (1, 2);
    let mut object = 0u64;
    let code = call!("cuTexObjectCreate"(
        &mut object => *mut u64, &resource => *const Resource, &reading_levels(0, 0.0, 0.0, 9.0) => *const Reading,
        view.as_ptr() => *const u32
    ));
    assert_eq!(code, 0);
    let places = at(&[[0.5, 0.5, 0.0], [0.5, 0.5, 1.0], [0.5, 0.5, 2.0]]);
    assert_eq!(sample(read, object, &places), [10.0, 100.0, 100.0]);
    // Mipmapped arrays require normalized coordinates.
    let mut plain = reading_levels(0, 0.0, 0.0, 9.0);
    plain[4] = 0;
    assert_eq!(texture(resource, plain), Err(1));
    assert_eq!(call!("cuMipmappedArrayDestroy"(levels => u64)), 0);
    assert_eq!(texture(resource, reading_levels(0, 0.0, 0.0, 9.0)), Err(400));
}

#[test]
fn colors_of_srgb_are_read_as_linear_ones() {
    context();
    let shape = Shape { width: 2, height: 1, format: BYTES, channels: 4, ..Shape::default() };
    let array = array(shape);
    let mut texels = [[0u8, 0, 0, 0], [255, 128, 64, 128]];
    assert_eq!(copy(array, &mut texels, [2, 1, 1], true), 0);
    const SRGB: u32 = 0x10;
    let object = texture(of_array(array), reading(1, 1, SRGB, 0.0)).expect("a texture");
    for (channel, expected) in [("%f4", 0.5), ("%f5", 0.215_86 / 2.0), ("%f7", 128.0 / 510.0)] {
        let read = sampler(&format!(
            "tex.2d.v4.f32.f32 {{%f4, %f5, %f6, %f7}}, [%rd1, {{%f0, %f1}}]; mov.f32 %f4, {channel};"
        ));
        let got = sample(read, object, &at(&[[1.0, 0.5, 0.0]]))[0];
        assert!((got - expected).abs() < 1e-4, "{channel}: {got}");
    }
    // Integers have no sRGB conversion.
    assert_eq!(texture(of_array(array), reading(1, 0, SRGB | 1, 0.0)), Err(801));
}
