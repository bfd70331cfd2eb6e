//! Objects of the host would be used once, while a kernel is staged.

#![allow(unused_imports)]

use lanework::prelude::*;
use std::cell::Cell;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, atomic};

static HITS: AtomicU32 = AtomicU32::new(0);
static LOG: Mutex<Vec<u32>> = Mutex::new(Vec::new());
static COUNTER: Counter = Counter { count: AtomicU32::new(0) };
static mut LAST: u32 = 0;
static TABLE: [u32; 2] = [3, 4];

thread_local! {
    static DEPTH: Cell<u32> = const { Cell::new(0) };
}

struct Counter {
    count: AtomicU32,
}

mod elsewhere {
    pub static TOTAL: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
}

#[kernel]
fn counts(x: &mut [u32]) {
    let count = Cell::new(0u32);
    let odd = atomic::AtomicBool::new(false);
    let sums: std::cell::RefCell<u32> = Default::default();
    HITS.fetch_add(1, Ordering::Relaxed);
    LOG.lock().unwrap().push(7);
    COUNTER.count.load(Ordering::Relaxed);
    DEPTH.with(|depth| depth.set(1));
    LAST += 1;
    assert!(HITS.load(Ordering::Relaxed) < 3);
    x[0] = TABLE[0] + const { Cell::new(3).into_inner() };
}

#[kernel]
fn counts_elsewhere(x: &mut [u32]) {
    x[0] = elsewhere::TOTAL.fetch_add(3, Ordering::Relaxed);
}

#[device]
fn counted(x: u32) -> u32 {
    HITS.fetch_add(x, Ordering::Relaxed)
}

struct Plain;

#[device]
trait Summed {
    fn summed(self, other: Self) -> Self;
}

#[device]
impl Summed for Plain {
    fn summed(self, _: Self) -> Self {
        self
    }
}

#[device]
trait Keyed {
    type Key: PartialOrd + Copy;
    fn key(self) -> Self::Key;
}

fn main() {}
