//! A `#[device]` function that calls itself without end is an error of the launch, which names the function.

use lanework::prelude::*;

#[device]
fn factorial(n: u32) -> u32 {
    if n == 0 { 1 } else { n * factorial(n - 1) }
}

#[device]
fn even(n: u32) -> bool {
    if n == 0 { true } else { odd(n - 1) }
}

#[device]
fn odd(n: u32) -> bool {
    if n == 0 { false } else { even(n - 1) }
}

#[device]
struct Digits {
    base: u32,
}

#[device]
impl Digits {
    fn count(self, n: u32) -> u32 {
        if n < self.base { 1 } else { 1 + self.count(n / self.base) }
    }
}

#[kernel]
fn direct(out: &mut [u32]) {
    out[thread_idx.x] = factorial(thread_idx.x);
}

#[kernel]
fn mutual(out: &mut [u32]) {
    out[thread_idx.x] = even(thread_idx.x) as u32;
}

#[kernel]
fn method(out: &mut [u32]) {
    out[thread_idx.x] = Digits { base: 10 }.count(thread_idx.x);
}

/// A function called within the arguments of itself does not call itself.
#[kernel]
fn composed(out: &mut [u32]) {
    out[thread_idx.x] = once(once(once(once(thread_idx.x))));
}

#[device]
fn once(n: u32) -> u32 {
    2 * n + 1
}

#[test]
fn endless_recursion_is_an_error_that_names_the_function() {
    let device = Device::emulator();
    let mut out = device.zeros::<u32>(9).unwrap();
    let mut error_of = |launch: fn(&mut Buffer<u32>) -> lanework::Launch<'_>| {
        launch(&mut out).grid(1).block(9).launch(&device).unwrap_err().to_string()
    };
    let errors = [
        (error_of(|x| direct(x)), "`factorial` calls itself: a kernel"),
        (error_of(|x| mutual(x)), " calls itself through `"),
        (error_of(|x| method(x)), "`count` calls itself: a kernel"),
    ];
    for (error, wanted) in errors {
        assert!(error.contains(wanted), "{error}");
        assert!(error.contains("write a loop, with a local array as its stack"), "{error}");
        assert!(error.contains("recursion.rs"), "{error}");
    }
    composed(&mut out).grid(1).block(9).launch(&device).unwrap();
    assert_eq!(out.download().unwrap()[1], once(once(once(once(1)))));
    assert_eq!(factorial(5), 120);
    assert!(even(4) && Digits { base: 10 }.count(1234) == 4);
}
