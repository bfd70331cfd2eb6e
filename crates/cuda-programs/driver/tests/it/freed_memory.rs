//! Freed memory, in a process that allocates nothing in between.

use crate::common::{allocate, context};

#[test]
fn a_freed_address_belongs_to_no_allocation() {
    if !crate::common::is_alone("freed_memory::a_freed_address_belongs_to_no_allocation") {
        return;
    }
    context();
    let (x, mut host) = (allocate(100), [7u8; 100]);
    assert_eq!(call!("cuMemFree"(x => u64)), 0);
    assert_eq!(call!("cuMemFree"(x => u64)), 1);
    let own = host.as_mut_ptr() as u64;
    for (to, from) in [(x, own), (own, x), (x, x)] {
        assert_eq!(call!("cuMemcpy"(to => u64, from => u64, 100 => usize)), 1);
    }
    // In a 2D copy, the program's own memory is also refused as device memory.
    for (place, expected) in [(x, 1), (own, 1), (0, 0)] {
        let place = if place == 0 { allocate(100) } else { place };
        let of_device = [0, 0, 2, 0, place, 0, 100];
        let of_host = [0, 0, 1, own, 0, 0, 100];
        let rows = [&of_host[..], &of_device, &[100, 1]].concat();
        assert_eq!(call!("cuMemcpy2D"(rows.as_ptr() => *const u64)), expected);
    }
    // Double free in stream order.
    let mut memory = 0u64;
    let code = call!("cuMemAllocAsync"(&mut memory => *mut u64, 4 => usize, 0 => u64));
    assert_eq!(code, 0);
    assert_eq!(call!("cuMemFreeAsync"(memory => u64, 0 => u64)), 0);
    assert_eq!(call!("cuMemFreeAsync"(memory => u64, 0 => u64)), 1);
    // Neither call frees anything.
    assert_eq!(call!("cuMemFreeAsync"(0 => u64, 0 => u64)), 0);
    assert_eq!(call!("cuMemFree"(0 => u64)), 0);
}
