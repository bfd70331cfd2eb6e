//! Arrays, memory as textures, surfaces.

use super::calls::*;
use crate::common::{allocate, context, download, kernel, launch, upload};

#[test]
fn planes_are_filtered_and_continue_beyond_their_edges() {
    context();
    let plane = Plane { width: 3, height: 2, format: FLOAT, channels: 1 };
    let mut array = 0u64;
    assert_eq!(call!("cuArrayCreate"(&mut array => *mut u64, &plane => *const Plane)), 0);
    let mut texels = [1f32, 2.0, 3.0, 10.0, 20.0, 30.0];
    assert_eq!(copy(array, &mut texels, [3, 2, 1], true), 0);
    let mut back = [0f32; 6];
    assert_eq!(copy(array, &mut back, [3, 2, 1], false), 0);
    assert_eq!(back, texels);
    assert_eq!(copy(array, &mut back, [3, 3, 1], false), 1); // more rows than the array has

    let read = sampler("tex.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%rd1, {%f0, %f1}];");
    let places = at(&[[0.5, 0.5, 0.0], [1.0, 0.5, 0.0], [1.0, 1.0, 0.0], [-2.0, 9.0, 0.0]]);
    let clamped = texture(of_array(array), reading(1, 0, 0, 0.0)).expect("a texture");
    assert_eq!(sample(read, clamped, &places), [1.0, 2.0, 20.0, 10.0]);
    let linear = texture(of_array(array), reading(1, 1, 0, 0.0)).expect("a texture");
    assert_eq!(sample(read, linear, &places), [1.0, 1.5, 8.25, 10.0]);
    let bordered = texture(of_array(array), reading(3, 0, 0, 7.0)).expect("a texture");
    assert_eq!(sample(read, bordered, &places), [1.0, 2.0, 20.0, 7.0]);
    // Only normalized coordinates repeat; otherwise they clamp.
    let repeats = texture(of_array(array), reading(0, 0, 0, 0.0)).expect("a texture");
    assert_eq!(sample(read, repeats, &places), [1.0, 2.0, 20.0, 10.0]);
    let repeats = texture(of_array(array), reading(0, 0, 2, 0.0)).expect("a texture");
    assert_eq!(sample(read, repeats, &at(&[[1.5, 2.75, 0.0], [-0.1, 0.0, 0.0]])), [20.0, 3.0]);

    let mut asked: Resource = [0; 18];
    assert_eq!(call!("cuTexObjectGetResourceDesc"(&mut asked => *mut Resource, linear => u64)), 0);
    assert_eq!(asked[1], array);
    assert_eq!(call!("cuTexObjectDestroy"(linear => u64)), 0);
    assert_eq!(call!("cuTexObjectDestroy"(linear => u64)), 1);
    assert_eq!(call!("cuArrayDestroy"(array => u64)), 0);
    assert_eq!(call!("cuArrayDestroy"(array => u64)), 400);
    assert_eq!(texture(of_array(array), reading(1, 0, 0, 0.0)), Err(400));
}

#[test]
fn volumes_layers_and_cubes_have_their_planes_one_after_the_other() {
    context();
    let mut texels: Vec<f32> = (0..24).map(|i| i as f32).collect();
    let shape = |width, height, depth, flags| Shape {
        width,
        height,
        depth,
        format: FLOAT,
        channels: 1,
        flags,
    };
    let mut made = |shape: Shape, extent: [usize; 3]| {
        let array = array(shape);
        let count = extent[0] * extent[1] * extent[2];
        assert_eq!(copy(array, &mut texels[..count], extent, true), 0);
        texture(of_array(array), reading(1, 0, 0, 0.0)).expect("a texture")
    };
    let volume = made(shape(2, 3, 4, 0), [2, 3, 4]);
    let read = sampler("tex.3d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%rd1, {%f0, %f1, %f2, %f2}];");
    assert_eq!(sample(read, volume, &at(&[[1.5, 2.5, 3.5], [0.5, 1.5, 2.5]])), [23.0, 14.0]);

    let planes = made(shape(2, 3, 4, LAYERED), [2, 3, 4]);
    let read = sampler("tex.a2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%rd1, {%r1, %f1, %f2, %f2}];");
    let place = [3, 1.5f32.to_bits(), 0.5f32.to_bits(), 0];
    assert_eq!(sample(read, planes, &[place]), [19.0]);

    let lines = made(shape(4, 0, 6, LAYERED), [4, 1, 6]);
    let read = sampler("tex.a1d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%rd1, {%r1, %f1}];");
    assert_eq!(sample(read, lines, &[[5, 2.5f32.to_bits(), 0, 0]]), [22.0]);

    let cube = made(shape(2, 2, 6, CUBE), [2, 2, 6]);
    let read = sampler("tex.cube.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%rd1, {%f0, %f1, %f2, %f2}];");
    // On face +x, s decreases with z and t with y; -z is the last face.
    assert_eq!(sample(read, cube, &at(&[[1.0, 0.9, 0.8], [0.5, 0.5, -1.0]])), [0.0, 20.0]);
    for wrong in [
        shape(2, 3, 6, CUBE),
        shape(2, 2, 5, CUBE),
        shape(4, 0, 0, LAYERED),
        shape(0, 0, 0, 0),
        Shape { channels: 3, ..shape(2, 2, 0, 0) },
        Shape { format: 77, ..shape(2, 2, 0, 0) },
    ] {
        let mut array = 0u64;
        let code = call!("cuArray3DCreate"(&mut array => *mut u64, &wrong => *const Shape));
        assert_eq!(code, 1, "{wrong:?}");
    }
}

#[test]
fn memory_is_read_by_index_or_in_rows() {
    context();
    let texels: Vec<u8> = (0..64).map(|i| 3 * i).collect();
    let memory = allocate(64);
    upload(memory, &texels);
    let fetch = "tex.1d.v4.s32.s32 {%r4, %r5, %r6, %r7}, [%rd1, {%r1}]; cvt.rn.f32.s32 %f4, %r4;";
    let places = [[2u32, 0, 0, 0], [15, 0, 0, 0], [16, 0, 0, 0], [u32::MAX, 0, 0, 0]];
    let mut linear: Resource = [0; 18];
    (linear[0], linear[1], linear[2], linear[3]) = (2, memory, u64::from(BYTES) | 1 << 32, 16);
    let object = texture(linear, reading(0, 0, 1, 0.0)).expect("a texture");
    assert_eq!(sample(sampler(fetch), object, &places), [6.0, 45.0, 0.0, 0.0]);
    // As normalized values.
    let fetch = "tex.1d.v4.f32.s32 {%f4, %f5, %f6, %f7}, [%rd1, {%r1}];";
    let object = texture(linear, reading(0, 0, 0, 0.0)).expect("a texture");
    assert_eq!(sample(sampler(fetch), object, &places)[..2], [6.0 / 255.0, 45.0 / 255.0]);

    let mut rows: Resource = [0; 18];
    (rows[0], rows[1], rows[2]) = (3, memory, u64::from(BYTES) | 1 << 32);
    (rows[3], rows[4], rows[5]) = (5, 4, 16);
    let object = texture(rows, reading(1, 1, 0, 0.0)).expect("a texture");
    let read = sampler("tex.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%rd1, {%f0, %f1}];");
    // Between 3 * 16 and 3 * 17; then the last texel of the last row.
    let got = sample(read, object, &at(&[[1.0, 1.5, 0.0], [99.0, 99.0, 0.0]]));
    let close = |got: f32, expected: f32| (got - expected / 255.0).abs() < 1e-6;
    assert!(close(got[0], 49.5) && close(got[1], 3.0 * 52.0), "{got:?}");
    // Integers can only be filtered when read as floats.
    assert_eq!(texture(rows, reading(1, 1, 1, 0.0)), Err(1));
}

#[test]
fn surfaces_are_written_and_read() {
    context();
    let shape = Shape {
        width: 4,
        height: 2,
        depth: 6,
        format: 0x0a,
        channels: 2,
        flags: LAYERED | SURFACE,
    };
    let array = array(shape);
    let mut object = 0u64;
    assert_eq!(
        call!("cuSurfObjectCreate"(&mut object => *mut u64, &of_array(array) => *const Resource)),
        0
    );
    let write = kernel(
        ".version 7.0 .target sm_70 .address_size 64
        .visible .entry write(.param .u64 image) {
            .reg .b32 %r<8>; .reg .b64 %rd<2>;
            ld.param.u64 %rd1, [image];
            mov.u32 %r0, %tid.x; and.b32 %r1, %r0, 3; shl.b32 %r1, %r1, 3;
            shr.u32 %r2, %r0, 2; and.b32 %r2, %r2, 1; shr.u32 %r3, %r0, 3;
            neg.s32 %r4, %r0;
            sust.b.a2d.v2.b32.trap [%rd1, {%r3, %r1, %r2, %r2}], {%r0, %r4};
            ret;
        }\0",
        "write",
    );
    assert_eq!(launch(write, 48, &[object]), 0);
    let mut back = vec![[0i32; 2]; 48];
    assert_eq!(copy(array, &mut back, [4, 2, 6], false), 0);
    assert_eq!(back, (0..48).map(|i| [i, -i]).collect::<Vec<_>>());
    // Byte by byte, from memory and back.
    let memory = allocate(32);
    assert_eq!(call!("cuMemcpyAtoD"(memory => u64, array => u64, 8 => usize, 16 => usize)), 0);
    assert_eq!(download::<i32>(memory, 4), [1, -1, 2, -2]);
    assert_eq!(call!("cuMemcpyAtoD"(memory => u64, array => u64, 24 => usize, 16 => usize)), 1);
    // The last thread is out of bounds.
    assert_eq!(launch(write, 49, &[object]), 719);
    assert_eq!(call!("cuSurfObjectDestroy"(object => u64)), 0);
    assert_eq!(call!("cuSurfObjectDestroy"(0 => u64)), 0);
    assert_eq!(call!("cuSurfObjectDestroy"(object => u64)), 1);
}
