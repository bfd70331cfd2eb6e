//! Managed memory: queries return the advice that programs passed, per page.

use crate::common::{allocate, context};
use std::ffi::c_void;

const PAGE: usize = 4096;

fn asked<const N: usize>(kind: i32, address: u64, bytes: usize) -> Result<[i32; N], i32> {
    let mut words = [0i32; N];
    let code = call!("cuMemRangeGetAttribute"(
        words.as_mut_ptr().cast() => *mut c_void, 4 * N => usize, kind => i32, address => u64, bytes => usize
    ));
    if code == 0 { Ok(words) } else { Err(code) }
}

/// Advice by number; a location is a type (1 device, 2 host) and an id.
fn advise(address: u64, bytes: usize, advice: i32, location: u64) -> i32 {
    call!("cuMemAdvise"(address => u64, bytes => usize, advice => i32, location => u64))
}

#[test]
fn advice_is_remembered_where_it_was_given() {
    context();
    let mut memory = 0u64;
    let code = call!("cuMemAllocManaged"(&mut memory => *mut u64, 4 * PAGE => usize, 1 => u32));
    assert_eq!(code, 0);
    let (device, host) = (1, 2);
    assert_eq!(asked(2, memory, 4 * PAGE), Ok([-2])); // no advice
    assert_eq!((advise(memory, 4 * PAGE, 1, 0), advise(memory, 4 * PAGE, 1, device)), (1, 0));
    assert_eq!(asked(1, memory, 4 * PAGE), Ok([1]));
    assert_eq!(advise(memory, PAGE, 2, device), 0);
    assert_eq!(asked(1, memory, 4 * PAGE), Ok([0])); // not all pages
    assert_eq!(asked(1, memory + 2 * PAGE as u64, PAGE), Ok([1]));
    assert_eq!((advise(memory, 4 * PAGE, 3, device), asked(2, memory, PAGE)), (0, Ok([0])));
    assert_eq!((advise(memory, 4 * PAGE, 3, host), asked(2, memory, PAGE)), (0, Ok([-1])));
    assert_eq!((advise(memory, 4 * PAGE, 5, device), advise(memory, 4 * PAGE, 5, host)), (0, 0));
    assert_eq!(asked(3, memory, PAGE), Ok([0, -1, -2]));
    assert_eq!(asked(4, memory, PAGE), Ok([-2]));
    let code = call!("cuMemPrefetchAsync"(
        memory => u64, 4 * PAGE => usize, device => u64, 0 => u32, 0 => u64
    ));
    assert_eq!((code, asked(4, memory, 4 * PAGE)), (0, Ok([0])));
    assert_eq!(asked(7, memory, 4 * PAGE), Ok([1]));
    // Errors: past the end, on device memory, and for a missing device.
    assert_eq!(advise(memory, 5 * PAGE, 1, 0), 1);
    assert_eq!(advise(allocate(PAGE), PAGE, 1, 0), 1);
    assert_eq!(advise(memory, PAGE, 3, 1 | 9 << 32), 1);
    assert_eq!(asked::<1>(99, memory, PAGE), Err(1));
}

#[test]
fn truth_values_of_a_pointer_are_whole_words() {
    context();
    let mut managed = 0u64;
    assert_eq!(call!("cuMemAllocManaged"(&mut managed => *mut u64, PAGE => usize, 1 => u32)), 0);
    let own = allocate(PAGE);
    // Synchronous, managed, legacy IPC, mapped. The words contain other values before the call.
    for (address, wanted) in [(managed, [1, 1, 0, 1]), (own, [1, 0, 1, 1])] {
        let mut words = [u32::MAX; 4];
        for (word, attribute) in words.iter_mut().zip([6, 8, 10, 13]) {
            let code = call!("cuPointerGetAttribute"(
                std::ptr::from_mut(word) => *mut u32, attribute => i32, address => u64
            ));
            assert_eq!(code, 0);
        }
        assert_eq!(words, wanted);
        // The synchronous attribute can be set and cleared.
        for wanted in [1u32, 0] {
            let (set, mut found) = (wanted as u8, 9u32);
            let code = call!("cuPointerSetAttribute"(&set => *const u8, 6 => i32, address => u64));
            let told =
                call!("cuPointerGetAttribute"(&mut found => *mut u32, 6 => i32, address => u64));
            assert_eq!((code, told, found), (0, 0, wanted));
        }
    }
}

#[test]
fn ranges_are_prefetched_in_batches() {
    context();
    let mut memory = 0u64;
    assert_eq!(call!("cuMemAllocManaged"(&mut memory => *mut u64, 3 * PAGE => usize, 1 => u32)), 0);
    let addresses = [0, 1, 2].map(|page| memory + page * PAGE as u64);
    let (sizes, places) = ([PAGE; 3], [[2i32, 0], [1, 0]]);
    let prefetch = |first: &[usize; 2]| {
        call!("cuMemPrefetchBatchAsync"(
            addresses.as_ptr() => *const u64, sizes.as_ptr() => *const usize, 3 => usize, places.as_ptr() => *const [i32; 2],
            first.as_ptr() => *const usize, 2 => usize, 0 => u64, 0x2 => u64
        ))
    };
    assert_eq!((prefetch(&[1, 2]), prefetch(&[0, 3])), (1, 1)); // the first range has no location; there is no fourth range
    assert_eq!(prefetch(&[0, 2]), 0);
    let found = addresses.map(|address| asked(4, address, PAGE));
    assert_eq!(found, [Ok([-1]), Ok([-1]), Ok([0])]);
}
