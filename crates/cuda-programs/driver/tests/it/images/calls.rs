//! Arrays, textures, and a sampling kernel, for the other tests.

use crate::common::{allocate, download, kernel, launch, upload};
use std::ffi::c_void;

/// `CUDA_ARRAY3D_DESCRIPTOR` and its prefix.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Shape {
    pub width: usize,
    pub height: usize,
    pub depth: usize,
    pub format: u32,
    pub channels: u32,
    pub flags: u32,
}

/// `CUDA_ARRAY_DESCRIPTOR`.
#[repr(C)]
pub struct Plane {
    pub width: usize,
    pub height: usize,
    pub format: u32,
    pub channels: u32,
}

/// One side of `CUDA_MEMCPY3D`.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct Side {
    pub x_bytes: usize,
    pub y: usize,
    pub z: usize,
    pub level: usize,
    pub memory: u32,
    pub host: u64,
    pub device: u64,
    pub array: u64,
    pub reserved: u64,
    pub pitch: usize,
    pub height: usize,
}

/// `CUDA_MEMCPY3D`.
#[repr(C)]
pub struct Copy3D {
    pub from: Side,
    pub to: Side,
    pub extent: [usize; 3],
}

/// `CUDA_RESOURCE_DESC` as words of eight bytes.
pub type Resource = [u64; 18];
/// `CUDA_TEXTURE_DESC` as words of four bytes.
pub type Reading = [u32; 26];

pub const FLOAT: u32 = 0x20;
pub const BYTES: u32 = 1;
pub const LAYERED: u32 = 1;
pub const SURFACE: u32 = 2;
pub const CUBE: u32 = 4;

pub fn array(shape: Shape) -> u64 {
    let mut array = 0u64;
    assert_eq!(
        call!("cuArray3DCreate"(&mut array => *mut u64, &shape => *const Shape)),
        0,
        "{shape:?}"
    );
    let mut back = Shape::default();
    assert_eq!(call!("cuArray3DGetDescriptor"(&mut back => *mut Shape, array => u64)), 0);
    assert_eq!(back, shape);
    array
}

/// Copies host rows to an array, or back.
pub fn copy<T>(array: u64, values: &mut [T], extent: [usize; 3], to_array: bool) -> i32 {
    let width = extent[0] * size_of::<T>();
    let host = values.as_mut_ptr() as u64;
    let host = Side { memory: 1, host, pitch: width, height: extent[1], ..Side::default() };
    let image = Side { memory: 3, array, ..Side::default() };
    let (from, to) = if to_array { (host, image) } else { (image, host) };
    let part = Copy3D { from, to, extent: [width, extent[1], extent[2]] };
    call!("cuMemcpy3D"(&part => *const Copy3D))
}

pub fn texture(resource: Resource, reading: Reading) -> Result<u64, i32> {
    let mut object = 0u64;
    let code = call!("cuTexObjectCreate"(
        &mut object => *mut u64, &resource => *const Resource, &reading => *const Reading, std::ptr::null() => *const c_void
    ));
    if code == 0 { Ok(object) } else { Err(code) }
}

pub fn of_array(array: u64) -> Resource {
    let mut resource = [0; 18];
    resource[1] = array;
    resource
}

/// Address modes, filter (1: linear), flags (1: read integers, 2: normalized), border color.
pub fn reading(mode: u32, filter: u32, flags: u32, border: f32) -> Reading {
    let mut reading = [0; 26];
    reading[..5].copy_from_slice(&[mode, mode, mode, filter, flags]);
    reading[10..14].fill(border.to_bits());
    reading
}

/// A kernel that samples at a list of places (four words each) and stores the first channel.
pub fn sampler(instruction: &str) -> u64 {
    let text = format!(
        ".version 7.0 .target sm_70 .address_size 64
        .visible .entry sample(.param .u64 image, .param .u64 in, .param .u64 out) {{
            .reg .b32 %r<8>; .reg .f32 %f<8>; .reg .b64 %rd<8>;
            ld.param.u64 %rd1, [image]; ld.param.u64 %rd2, [in]; ld.param.u64 %rd3, [out];
            mov.u32 %r0, %tid.x;
            mul.wide.u32 %rd4, %r0, 16; add.u64 %rd2, %rd2, %rd4;
            mul.wide.u32 %rd4, %r0, 4; add.u64 %rd3, %rd3, %rd4;
            ld.global.v4.f32 {{%f0, %f1, %f2, %f3}}, [%rd2]; ld.global.v4.b32 {{%r1, %r2, %r3, %r4}}, [%rd2];
            {instruction}
            st.global.f32 [%rd3], %f4;
            ret;
        }}\0"
    );
    kernel(&text, "sample")
}

/// Samples with a kernel of `sampler`.
pub fn sample(function: u64, object: u64, places: &[[u32; 4]]) -> Vec<f32> {
    let (from, to) = (allocate(16 * places.len()), allocate(4 * places.len()));
    upload(from, places);
    assert_eq!(launch(function, places.len() as u32, &[object, from, to]), 0);
    download(to, places.len())
}

pub fn at(places: &[[f32; 3]]) -> Vec<[u32; 4]> {
    places.iter().map(|[x, y, z]| [x.to_bits(), y.to_bits(), z.to_bits(), 0]).collect()
}
