//! Short forms of ordinary Rust: `?` that converts errors, imported variants, functions and constructors as arguments, derived
//! defaults, and traits that only select functions.

#![allow(clippy::double_ended_iterator_last, reason = "kernels have `last`, not `next_back`")]

use lanework::prelude::*;

#[device]
#[derive(Clone, Copy, Debug, PartialEq)]
enum Low {
    Odd(u32),
    Zero,
}

#[device]
#[derive(Clone, Copy, Debug, PartialEq)]
enum High {
    Low(Low),
    Big,
}

#[device]
impl From<Low> for High {
    fn from(error: Low) -> Self {
        High::Low(error)
    }
}

#[device]
fn half(x: u32) -> Result<u32, Low> {
    if x == 0 {
        return Err(Low::Zero);
    }
    if x % 2 == 1 { Err(Low::Odd(x)) } else { Ok(x / 2) }
}

#[device]
fn eighth(x: u32) -> Result<u32, High> {
    if x > 1000 {
        return Err(High::Big);
    }
    let quarter = half(half(x)?)?;
    let again: Result<u32, High> = Ok(quarter);
    Ok(half(again?)?)
}

#[kernel]
fn eighths(x: &mut [u32]) {
    let i = thread_idx.x;
    x[i] = match eighth(x[i]) {
        Ok(v) => v,
        Err(High::Big) => 100,
        Err(High::Low(Low::Zero)) => 101,
        Err(High::Low(Low::Odd(n))) => 200 + n,
    };
}

#[test]
fn a_question_mark_converts_the_error() {
    for device in Device::for_tests("language") {
        let host = [8u32, 12, 0, 2000, 7, 64];
        let mut x = device.upload(&host).unwrap();
        eighths(&mut x).grid(1).block(6).launch(&device).unwrap();
        let of = |x| match eighth(x) {
            Ok(v) => v,
            Err(High::Big) => 100,
            Err(High::Low(Low::Zero)) => 101,
            Err(High::Low(Low::Odd(n))) => 200 + n,
        };
        assert_eq!(x.download().unwrap(), host.map(of));
    }
}

#[device]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Figure {
    #[default]
    Dot,
    Disk(u32),
    Box {
        side: u32,
    },
}

#[device]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Switch {
    Off,
    #[default]
    On,
}

#[device]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Record {
    a: u32,
    b: f32,
}

#[device]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Couple<T: Number> {
    a: T,
    b: T,
}

#[device]
fn figure(n: u32) -> Figure {
    use Figure::*;
    match n % 3 {
        0 => Dot,
        1 => Disk(n),
        _ => Box { side: n },
    }
}

#[device]
fn area(figure: Figure) -> u32 {
    use Figure::*;
    match figure {
        Dot => 0,
        Disk(n) if n > 100 => 1,
        Disk(n) => 3 * n * n,
        Box { side } => side * side,
    }
}

#[device]
fn shortened(x: u32) -> u32 {
    let mut record = Record::default();
    record.a += x;
    let mut pair = Couple::<u32>::default();
    pair.b += record.a + record.b as u32;
    let default = area(Figure::default()) + (Switch::default() as u32) + (Switch::Off as u32);
    let wide: u64 = (0..3u32).map(u64::from).sum();
    let last = (0..x).filter(|v| v % 2 == 0).map(Some).last().unwrap_or(None);
    pair.a + pair.b + default + wide as u32 + last.unwrap_or(7)
}

#[kernel]
fn figures(out: &mut [u32]) {
    let i = thread_idx.x;
    out[i] = area(figure(i)) + shortened(i);
}

#[device]
trait Fold {
    type State: Number;
    const START: u32;
    fn first() -> u32;
    fn step(state: Self::State, x: u32) -> Self::State;
    fn of(x: &[u32]) -> u32 {
        let mut sum = Self::first();
        for &v in x {
            sum += v;
        }
        sum
    }
}

/// Only selects functions, so it needs no attribute.
struct Plus;

#[device]
impl Fold for Plus {
    type State = u32;
    const START: u32 = 5;
    fn first() -> u32 {
        9
    }
    fn step(state: u32, x: u32) -> u32 {
        state + x
    }
}

#[kernel]
fn folded<S: Fold<State = u32>>(x: &[u32], out: &mut [u32]) {
    out[thread_idx.x] = S::step(S::START, x[thread_idx.x]) + S::of(x);
}

#[test]
fn short_forms_compute_as_on_the_host() {
    for device in Device::for_tests("language") {
        let mut out = device.zeros::<u32>(8).unwrap();
        figures(&mut out).grid(1).block(8).launch(&device).unwrap();
        let wanted: Vec<u32> = (0..8).map(|i| area(figure(i)) + shortened(i)).collect();
        assert_eq!(out.download().unwrap(), wanted);
        let x = device.upload(&[1u32, 2, 3]).unwrap();
        let mut out = device.zeros::<u32>(3).unwrap();
        folded::<Plus>(&x, &mut out).grid(1).block(3).launch(&device).unwrap();
        assert_eq!(out.download().unwrap(), [21, 22, 23]);
    }
}
