//! Texture and surface references, with pre-CUDA 4 launches.

use super::calls::*;
use crate::common::{allocate, context, download, load, upload};
use std::ffi::{c_char, c_void};

const TEXT: &str = ".version 3.0 .target sm_30 .address_size 64
    .global .texref image;
    .global .surfref drawn;
    .global .u64 other;
    .visible .entry fetch(.param .u64 out, .param .u32 first) {
        .reg .b32 %r<8>; .reg .f32 %f<8>; .reg .b64 %rd<4>;
        ld.param.u64 %rd1, [out]; ld.param.u32 %r1, [first];
        mov.u32 %r0, %tid.x; mul.wide.u32 %rd2, %r0, 4; add.u64 %rd1, %rd1, %rd2; add.u32 %r1, %r1, %r0;
        tex.1d.v4.f32.s32 {%f4, %f5, %f6, %f7}, [image, {%r1}];
        st.global.f32 [%rd1], %f4; ret;
    }
    .visible .entry read(.param .u64 out, .param .f32 x, .param .f32 y) {
        .reg .f32 %f<8>; .reg .b64 %rd<4>;
        ld.param.u64 %rd1, [out]; ld.param.f32 %f0, [x]; ld.param.f32 %f1, [y];
        tex.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [image, {%f0, %f1}];
        st.global.f32 [%rd1], %f4; ret;
    }
    .visible .entry draw() {
        .reg .b32 %r<3>;
        mov.u32 %r0, %tid.x; shl.b32 %r1, %r0, 2;
        sust.b.2d.b32.trap [drawn, {%r1, 1}], {%r0}; ret;
    }\0";

fn function(module: u64, name: &std::ffi::CStr) -> u64 {
    let mut function = 0u64;
    let code = call!("cuModuleGetFunction"(&mut function => *mut u64, module => u64, name.as_ptr() => *const c_char));
    assert_eq!(code, 0);
    function
}

fn reference(module: u64, name: &std::ffi::CStr) -> (i32, u64) {
    let mut reference = 0u64;
    let code = call!("cuModuleGetTexRef"(&mut reference => *mut u64, module => u64, name.as_ptr() => *const c_char));
    (code, reference)
}

/// Launches `read`, passing parameters one by one.
fn read(function: u64, reference: u64, out: u64, x: f32, y: f32) -> (i32, f32) {
    for code in [
        call!("cuFuncSetBlockShape"(function => u64, 1 => i32, 1 => i32, 1 => i32)),
        call!("cuParamSetv"(function => u64, 0 => i32, &out => *const u64, 8 => u32)),
        call!("cuParamSetf"(function => u64, 8 => i32, x => f32)),
        call!("cuParamSetf"(function => u64, 12 => i32, y => f32)),
        call!("cuParamSetSize"(function => u64, 16 => u32)),
        call!("cuParamSetTexRef"(function => u64, -1 => i32, reference => u64)),
    ] {
        assert_eq!(code, 0);
    }
    let code = call!("cuLaunchGrid"(function => u64, 1 => i32, 1 => i32));
    (code, if code == 0 { download(out, 1)[0] } else { 0.0 })
}

#[test]
fn a_kernel_sees_the_texture_binding_at_its_start() {
    context();
    let (module, fetch) = load(TEXT, "fetch");
    let of_rows = function(module, c"read");
    let (code, image) = reference(module, c"image");
    assert_eq!(code, 0);
    assert_eq!(reference(module, c"image"), (0, image));
    assert_eq!(reference(module, c"other").0, 500); // no texture
    assert_eq!(reference(module, c"nothing").0, 500);

    // Unaligned linear memory: the kernel adds the offset.
    let (memory, out) = (allocate(64 * 4), allocate(64));
    upload(memory, &(0..64).map(|i| i as f32).collect::<Vec<f32>>());
    assert_eq!(call!("cuTexRefSetFormat"(image => u64, FLOAT => u32, 1 => i32)), 0);
    let mut offset = 77usize;
    let bind = |offset: *mut usize, address: u64, bytes: usize| call!("cuTexRefSetAddress"(offset => *mut usize, image => u64, address => u64, bytes => usize));
    assert_eq!(bind(std::ptr::null_mut(), memory + 16, 32), 1);
    assert_eq!((bind(&mut offset, memory + 16, 32), offset), (0, 16));
    for code in [
        call!("cuFuncSetBlockShape"(fetch => u64, 9 => i32, 1 => i32, 1 => i32)),
        call!("cuParamSetv"(fetch => u64, 0 => i32, &out => *const u64, 8 => u32)),
        call!("cuParamSeti"(fetch => u64, 8 => i32, (offset / 4) as u32 => u32)),
        call!("cuParamSetSize"(fetch => u64, 12 => u32)),
        call!("cuLaunch"(fetch => u64)),
    ] {
        assert_eq!(code, 0);
    }
    // Past the end of the memory, texels are 0.
    assert_eq!(download::<f32>(out, 9), [4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 0.0]);

    // Pitched memory, filtered, with normalized coordinates.
    let rows = Plane { width: 4, height: 3, format: FLOAT, channels: 1 };
    let code = call!("cuTexRefSetAddress2D"(image => u64, &rows => *const Plane, memory => u64, 32 => usize));
    assert_eq!(code, 0);
    assert_eq!(read(of_rows, image, out, 1.5, 2.5), (0, 17.0));
    assert_eq!(call!("cuTexRefSetFilterMode"(image => u64, 1 => u32)), 0);
    assert_eq!(read(of_rows, image, out, 2.0, 1.0), (0, 5.5));
    assert_eq!(call!("cuTexRefSetFlags"(image => u64, 2 => u32)), 0);
    assert_eq!(read(of_rows, image, out, 0.5, 0.5), (0, 9.5));
    for dimension in 0..2 {
        let code = call!("cuTexRefSetAddressMode"(image => u64, dimension => i32, 0 => u32));
        assert_eq!(code, 0);
    }
    assert_eq!(read(of_rows, image, out, 1.5, -0.5), (0, 9.5));
    let (mut address, mut mode, mut flags) = (0u64, 9u32, 0u32);
    for code in [
        call!("cuTexRefGetAddress"(&mut address => *mut u64, image => u64)),
        call!("cuTexRefGetAddressMode"(&mut mode => *mut u32, image => u64, 1 => i32)),
        call!("cuTexRefGetFlags"(&mut flags => *mut u32, image => u64)),
    ] {
        assert_eq!(code, 0);
    }
    assert_eq!((address, mode, flags), (memory, 0, 2));

    // An array, which has its own format.
    let array =
        array(Shape { width: 2, height: 2, format: BYTES, channels: 1, ..Shape::default() });
    assert_eq!(copy(array, &mut [0u8, 51, 102, 255], [2, 2, 1], true), 0);
    assert_eq!(call!("cuTexRefSetFilterMode"(image => u64, 0 => u32)), 0);
    assert_eq!(call!("cuTexRefSetArray"(image => u64, array => u64, 1 => u32)), 0);
    assert_eq!(read(of_rows, image, out, 0.75, 0.25), (0, 0.2));
    let (mut bound, mut format, mut channels) = (0u64, 0u32, 0i32);
    assert_eq!(call!("cuTexRefGetArray"(&mut bound => *mut u64, image => u64)), 0);
    let code = call!("cuTexRefGetFormat"(&mut format => *mut u32, &mut channels => *mut i32, image => u64));
    assert_eq!((code, bound, format, channels), (0, array, BYTES, 1));
    assert_eq!(call!("cuTexRefGetAddress"(&mut address => *mut u64, image => u64)), 1);
    // An invalid texture is an error of the launch, and no kernel runs.
    assert_eq!(call!("cuTexRefSetFlags"(image => u64, 1 => u32)), 0);
    assert_eq!(call!("cuTexRefSetFilterMode"(image => u64, 1 => u32)), 0);
    assert_eq!(read(of_rows, image, out, 0.75, 0.25).0, 1);
    assert_eq!(call!("cuModuleUnload"(module => u64)), 0);
    assert_eq!(call!("cuTexRefSetFlags"(image => u64, 0 => u32)), 400);
}

#[test]
fn an_unbound_texture_reference_is_an_error_of_the_kernel() {
    context();
    let (module, of_rows) = load(TEXT, "read");
    let (_, image) = reference(module, c"image");
    let out = allocate(4);
    assert_eq!(call!("cuTexRefSetFilterMode"(image => u64, 1 => u32)), 0);
    let launched = call!("cuFuncSetBlockShape"(of_rows => u64, 1 => i32, 1 => i32, 1 => i32));
    assert_eq!(launched, 0);
    for code in [
        call!("cuParamSetv"(of_rows => u64, 0 => i32, &out => *const u64, 8 => u32)),
        call!("cuParamSetSize"(of_rows => u64, 16 => u32)),
        call!("cuLaunchGrid"(of_rows => u64, 1 => i32, 1 => i32)),
    ] {
        assert_eq!(code, 0);
    }
    assert_eq!(call!("cuCtxSynchronize"(0 => u64)), 719);
}

#[test]
fn a_surface_reference_is_drawn_to() {
    context();
    let (module, draw) = load(TEXT, "draw");
    let array = array(Shape {
        width: 3,
        height: 2,
        format: 3,
        channels: 1,
        flags: SURFACE,
        ..Shape::default()
    });
    let mut texels = [7u32; 6];
    assert_eq!(copy(array, &mut texels, [3, 2, 1], true), 0);
    let mut reference = 0u64;
    let code = call!("cuModuleGetSurfRef"(&mut reference => *mut u64, module => u64, c"drawn".as_ptr() => *const c_char));
    assert_eq!(code, 0);
    assert_eq!(call!("cuSurfRefSetArray"(reference => u64, array => u64, 0 => u32)), 0);
    let none = std::ptr::null::<c_void>();
    let code = call!("cuLaunchKernel"(
        draw => u64, 1 => u32, 1 => u32, 1 => u32, 3 => u32, 1 => u32, 1 => u32, 0 => u32, 0 => u64,
        none => *const c_void, none => *const c_void
    ));
    assert_eq!(code, 0);
    assert_eq!(copy(array, &mut texels, [3, 2, 1], false), 0);
    assert_eq!(texels, [7, 7, 7, 0, 1, 2]);
}
