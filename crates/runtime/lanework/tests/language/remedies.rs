//! The code that error messages suggest as remedies. A test of the macros looks for each remedy's code here.

use lanework::prelude::*;
use lanework::{TensorMap, TensorMapMut};

#[device]
#[derive(Clone, Copy, Debug, PartialEq)]
struct Name {
    field: f32,
    other: f32,
}

#[device]
impl Name {
    fn sum(self) -> f32 {
        self.field + self.other
    }
}

#[device]
impl std::ops::Add for Name {
    type Output = Name;
    fn add(self, o: Name) -> Name {
        Name { field: self.field + o.field, other: self.other + o.other }
    }
}

#[device]
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(u32)]
enum Choice {
    First,
    Second,
}

#[device]
fn set(at: &mut f32, v: f32) {
    *at = v;
}

/// Both bounds are variables.
#[device]
fn part_of(x: &mut [f32], a: u32, b: u32) {
    let (a, b) = (a as usize, b as usize);
    for v in x[a..b].iter_mut() {
        *v += 0.0;
    }
}

#[device]
fn halved(value: f32) -> f32 {
    if value > 1.0 {
        return value;
    } else {
        let half = value / 2.0;
        return half;
    }
}

/// A value, or none.
#[device]
fn above(value: f32, least: f32) -> Option<f32> {
    if value > least { Some(value) } else { None }
}

/// Takes the expression that differs between callers as a closure.
#[device]
fn folded(x: bool, a: f32, op: impl Fn(f32, f32) -> f32) -> f32 {
    op(a, u32::from(x) as f32)
}

/// A closure in place of a trait object, a byte in place of a character, and an atomic in place of a static.
#[device]
fn counted(f: impl Fn(f32) -> f32, x: f32, counts: &mut [u32]) -> f32 {
    let mut count = 0u32;
    count += 1;
    atomic_add(&mut counts[(b'a' % 97) as usize], count);
    f(x)
}

/// Slices in all spellings, and constants.
#[device]
fn generic<T: Element>(x: &[T], y: &mut [T], #[constant] n: u32) {
    #[unroll]
    for i in 0..n {
        y[i] = x[i];
    }
}

#[kernel]
fn remedies(bytes: &[u8], y: &mut [f32], n: u32, s: u32) {
    let i = thread_idx.x;
    assert!(i < n, "text {i}");
    let (a, b) = (2u32, 9u32);
    assert_eq!(a, b - 7);
    {
        let b = a;
        assert_eq!(a, b);
    }
    let v = bytes[i] as f32;
    let mut x = 0.0;
    loop {
        if x < v {
            x = v;
        }
        break;
    }
    x -= v;
    for j in a..b {
        x += j as f32;
    }
    for i in a..=b {
        let mut j = i;
        j += 1;
        x += j as f32;
    }
    for j in (a..b).step_by(s) {
        x += j as f32;
    }
    for j in (a..b).rev() {
        x = x * 0.5 + j as f32;
    }
    part_of(y, 0, 2);
    let closed = |x: f32| -> f32 {
        if x > 100.0 {
            return 100.0;
        }
        x
    };
    x = closed(x);
    set(&mut x, x + halved(v));
    let x = {
        let mut x = Name { field: x, other: 1.0 };
        set(&mut x.field, x.field + 1.0);
        x
    };
    let (mut found, mut kept) = (false, 0.0);
    if x.field > 3.0 {
        (found, kept) = (true, x.field);
    }
    let found: bool = found;
    let (found, x) = (found, kept);
    let mut sum = -1.0;
    if found {
        sum = x;
    }
    if matches!(a, 1 | 2) {
        if let (2, _) = (a, b) {
            sum += 4.0;
        }
    }
    let mut choice = Choice::First;
    if i == 3 {
        choice = Choice::Second;
    }
    sum += folded(found, 0.0, |a, b| a * b);
    match choice {
        Choice::First => sum += 1.0,
        Choice::Second | _ if s == 99 => sum += 2.0,
        _ => sum += 3.0,
    }
    let a = Name { field: 1.0, other: 2.0 };
    let b = Name { field: 3.0, other: sum };
    let mut whole = a + b;
    if s == 99 {
        whole = &a + &b;
    }
    let mut a = [0.0f32; 4];
    a[i] = v;
    let mut x = a;
    set(&mut x[i], v);
    set(&mut y[i], whole.sum() + x[i]);
    let x = s;
    let bits: u32 = ptx!("popc.b32 {}, {};", out(u32), in(x));
    let option = above(v, 100.0);
    if let Some(v) = option {
        sum += v;
    }
    let mut tile = shared::<f32>(4);
    tile[i] = v;
    sync_threads();
    y[i] += tile[i];
    atomic_add(&mut y[0], 0.0);
    println!("{bits:8} {bits:<8} {bits:08} {sum:.3} {bits:x} {bits:X} {sum:e} {}", i);
}

/// A trait whose functions take a value of an associated type.
#[device]
#[allow(dead_code)]
trait Keyed {
    type Key: Number;
    fn next(key: Self::Key) -> Self::Key;
}

/// Tensor maps: this test only compiles them; the tests of asynchrony run them.
#[kernel]
#[allow(dead_code, unused_variables)]
fn mapped<T: Element, const R: usize>(from: &TensorMap<T, R>, to: &mut TensorMapMut<T, R>) {
    sync_threads();
}

#[kernel]
fn counts(y: &mut [f32], counts: &mut [u32]) {
    y[thread_idx.x] = counted(|x: f32| 2.0 * x, 3.0, counts);
}

#[kernel]
fn copies<T: Element>(x: &[T], y: &mut [T]) {
    generic(x, y, 4);
}

#[test]
fn the_remedies_compute() {
    for device in Device::for_tests("language") {
        let bytes = device.upload(&[1u8, 2, 3, 4]).unwrap();
        let mut y = device.zeros::<f32>(4).unwrap();
        remedies(&bytes, &mut y, 4, 3).grid(1).block(4).launch(&device).unwrap();
        let found = y.download().unwrap();
        assert!(found[0] > 10.0 && found[3] > found[0], "{found:?}");
        // SAFETY: every index is below the lengths.
        unsafe { remedies(&bytes, &mut y, 4, 3).grid(1).block(4).launch_unchecked(&device) }
            .unwrap();
        let mut copy = device.zeros::<u8>(4).unwrap();
        copies(&bytes, &mut copy).grid(1).block(1).launch(&device).unwrap();
        assert_eq!(copy.download().unwrap(), [1, 2, 3, 4]);
        let mut counted = device.zeros::<u32>(1).unwrap();
        counts(&mut y, &mut counted).grid(1).block(4).launch(&device).unwrap();
        assert_eq!((y.download().unwrap()[3], counted.download().unwrap()[0]), (6.0, 4));
    }
}
