//! Virtual memory management: kernels access the same memory through every mapping.

use crate::common::{context, download, kernel, launch, upload};
use std::ffi::c_void;

const PAGE: usize = 2 << 20;

/// `CUmemAllocationProp` of the first device, exportable as a file descriptor.
const PROPERTIES: [i32; 8] = [1, 1, 1, 0, 0, 0, 0, 0];
/// `CUmemAccessDesc`: read and write access for the first device.
const BOTH: [i32; 3] = [1, 0, 3];

const PTX: &str = "
.version 7.0
.target sm_70
.address_size 64
.visible .entry add(.param .u64 x) {
    .reg .b32 %r<3>; .reg .b64 %rd<3>;
    ld.param.u64 %rd1, [x];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd2, %r1, 4;
    add.u64 %rd1, %rd1, %rd2;
    ld.global.u32 %r2, [%rd1];
    add.u32 %r2, %r2, %r1;
    st.global.u32 [%rd1], %r2;
    ret;
}\0";

fn reserve(bytes: usize) -> u64 {
    let mut address = 0u64;
    let code = call!("cuMemAddressReserve"(
        &mut address => *mut u64, bytes => usize, 0 => usize, 0 => u64, 0 => u64
    ));
    assert_eq!((code, address % PAGE as u64), (0, 0));
    address
}

fn create() -> u64 {
    let mut handle = 0u64;
    let code = call!("cuMemCreate"(
        &mut handle => *mut u64, PAGE => usize, PROPERTIES.as_ptr().cast() => *const c_void, 0 => u64
    ));
    assert_eq!(code, 0);
    handle
}

fn map(address: u64, handle: u64) -> i32 {
    call!("cuMemMap"(address => u64, PAGE => usize, 0 => usize, handle => u64, 0 => u64))
}

fn allow(address: u64, bytes: usize) -> i32 {
    call!("cuMemSetAccess"(address => u64, bytes => usize, &BOTH => *const [i32; 3], 1 => usize))
}

#[test]
fn memory_is_mapped_side_by_side_and_twice() {
    let context = context();
    let add = kernel(PTX, "add");
    let mut granularity = 0usize;
    let code = call!("cuMemGetAllocationGranularity"(
        &mut granularity => *mut usize, PROPERTIES.as_ptr().cast() => *const c_void, 0 => i32
    ));
    assert_eq!((code, granularity), (0, PAGE));
    let (range, other) = (reserve(3 * PAGE), reserve(PAGE));
    let (first, second) = (create(), create());
    assert_eq!(map(range, first), 0);
    assert_eq!(map(range, second), 1); // already mapped
    assert_eq!(map(range + PAGE as u64, second), 0);
    assert_eq!(map(other, second), 0);
    assert_eq!(allow(range, 3 * PAGE), 1); // the end is not mapped
    assert_eq!((allow(range, 2 * PAGE), allow(other, PAGE)), (0, 0));
    // Copies and kernels cross from one mapping into the next.
    let middle = range + PAGE as u64 - 64;
    upload(middle, &[5u32; 32]);
    assert_eq!(launch(add, 32, &[middle]), 0);
    assert_eq!(download::<u32>(middle, 32), (5..37).collect::<Vec<_>>());
    // The second mapping shows the same memory.
    assert_eq!(download::<u32>(other, 16), (21..37).collect::<Vec<_>>());
    // Releasing the handle does not remove the mapping.
    assert_eq!(call!("cuMemRelease"(second => u64)), 0);
    assert_eq!(call!("cuMemUnmap"(range => u64, PAGE => usize)), 0);
    assert_eq!(launch(add, 1, &[range + PAGE as u64]), 0);
    assert_eq!(call!("cuMemAddressFree"(range => u64, 3 * PAGE => usize)), 1); // still mapped
    assert_eq!(launch(add, 1, &[range]), 700); // unmapped
    assert_eq!(call!("cuCtxDestroy"(context => u64)), 0);
    self::context();
    assert_eq!(call!("cuMemUnmap"(range + PAGE as u64 => u64, PAGE => usize)), 0);
    assert_eq!(call!("cuMemAddressFree"(range => u64, 3 * PAGE => usize)), 0);
}

#[test]
fn memory_is_exported_as_a_file_descriptor() {
    context();
    let (handle, range) = (create(), reserve(2 * PAGE));
    let (mut descriptor, mut imported) = (0i32, 0u64);
    let code = call!("cuMemExportToShareableHandle"(
        &mut descriptor => *mut i32, handle => u64, 1 => i32, 0 => u64
    ));
    assert_eq!(code, 0);
    let code = call!("cuMemImportFromShareableHandle"(
        &mut imported => *mut u64, descriptor as usize => usize, 1 => i32
    ));
    assert_eq!(code, 0);
    let next = range + PAGE as u64;
    assert_eq!((map(range, handle), map(next, imported), allow(range, 2 * PAGE)), (0, 0, 0));
    upload(range, &[1u32, 2, 3]);
    assert_eq!(download::<u32>(next, 3), [1, 2, 3]);
    let mut flags = 0u64;
    let code =
        call!("cuMemGetAccess"(&mut flags => *mut u64, [1, 0].as_ptr() => *const i32, next => u64));
    assert_eq!((code, flags), (0, 3));
    let mut again = 0u64;
    assert_eq!(call!("cuMemRetainAllocationHandle"(&mut again => *mut u64, next + 7 => u64)), 0);
    assert_eq!(again, imported);
    for _ in 0..2 {
        assert_eq!(call!("cuMemRelease"(imported => u64)), 0);
    }
    assert_eq!(call!("cuMemRelease"(imported => u64)), 1);
}

#[test]
fn multicast_objects_are_refused_as_the_attribute_says() {
    context();
    let mut supported = 9i32;
    assert_eq!(call!("cuDeviceGetAttribute"(&mut supported => *mut i32, 132 => i32, 0 => i32)), 0);
    let (mut object, properties) = (0u64, [1u64, 1 << 21, 1, 0]);
    let code =
        call!("cuMulticastCreate"(&mut object => *mut u64, properties.as_ptr() => *const u64));
    assert_eq!((supported, code, object), (0, 801, 0));
}
