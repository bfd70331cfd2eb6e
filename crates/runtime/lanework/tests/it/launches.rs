//! Invalid launches and buffers, and their errors.

use lanework::emulator::Options;
use lanework::prelude::*;

#[kernel]
fn fill(x: &mut [u32], value: u32) {
    let i = block_idx.x * block_dim.x + thread_idx.x;
    x[i] = value;
}

#[kernel]
fn spin(x: &mut [u32]) {
    while x[0] == 0 {}
}

fn told(result: lanework::Result<()>) -> String {
    result.expect_err("a launch that cannot be").to_string()
}

#[test]
fn a_buffer_larger_than_memory_is_refused() {
    for device in Device::for_tests("impossible buffers") {
        for length in [usize::MAX, (1 << 61) + 1, 1 << 50] {
            assert!(device.zeros::<u64>(length).is_err(), "{length} elements");
        }
    }
}

#[test]
fn an_index_past_the_end_names_its_place() {
    for device in Device::for_tests("bounds checks") {
        let mut x = device.zeros::<u32>(100).expect("memory");
        let launched = fill(&mut x, 7).grid(2).block(64).launch(&device);
        let said = told(launched.and_then(|()| device.synchronize()));
        assert!(said.contains("is out of bounds: `x` has 100 elements"), "{said}");
        assert!(said.contains("launches.rs:9:5") && said.contains("block (1,0,0)"), "{said}");
        // The device still works, and the elements within bounds were written.
        assert_eq!(x.download().expect("a working device"), [7; 100]);
    }
}

#[test]
fn a_shape_that_is_missing_or_too_large_is_refused() {
    for device in Device::for_tests("impossible shapes") {
        let mut x = device.zeros::<u32>(1).expect("memory");
        assert!(told(fill(&mut x, 1).block(1).launch(&device)).contains("it has no grid"));
        assert!(told(fill(&mut x, 1).grid(1).launch(&device)).contains("it has no block"));
        assert!(told(fill(&mut x, 1).grid(1).block(2000).launch(&device)).contains("1024"));
        assert!(fill(&mut x, 1).grid(0).block(1).launch(&device).is_err());
        assert!(fill(&mut x, 1).grid((1, 70_000)).block(1).launch(&device).is_err());
    }
}

#[test]
fn a_buffer_of_another_device_is_refused() {
    let (one, other) = (Device::emulator(), Device::emulator_with(Options::default()));
    let mut x = other.zeros::<u32>(1).expect("memory");
    assert!(told(fill(&mut x, 1).grid(1).block(1).launch(&one)).contains("another device"));
}

#[test]
fn a_kernel_that_never_ends_is_stopped() {
    let limited = Options { max_instructions: Some(100_000), ..Options::default() };
    let device = Device::emulator_with(limited);
    let mut x = device.zeros::<u32>(1).expect("memory");
    let said = told(spin(&mut x).grid(1).block(32).launch(&device));
    assert!(said.contains("launches.rs:14"), "{said}");
}

#[test]
fn clusters_divide_the_grid() {
    let device = Device::emulator();
    let mut x = device.zeros::<u32>(128).expect("memory");
    fill(&mut x, 7).grid(4).block(32).cluster(2).launch(&device).expect("two clusters");
    assert_eq!(x.download().expect("ran"), [7; 128]);
    let said = told(fill(&mut x, 1).grid(4).block(32).cluster(3).launch(&device));
    assert!(said.contains("does not divide into clusters of 3 x 1 x 1"), "{said}");
    let said = told(fill(&mut x, 1).grid(32).block(32).cluster(32).launch(&device));
    assert!(said.contains("1 to 16 are possible"), "{said}");
}
