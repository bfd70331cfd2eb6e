//! Methods of constants and of variants whose arguments exist only in a kernel.

#![allow(const_item_mutation, reason = "a constant is copied for each call, as in Rust")]

use lanework::prelude::*;
#[device]
#[derive(Clone, Copy, Debug, PartialEq)]
struct Squares(u64);
#[device]
impl Squares {
    const EMPTY: Squares = Squares(0);
    const FULL: Squares = Squares(!0);
    fn without(self, other: Squares) -> Squares {
        Squares(self.0 & !other.0)
    }
    fn grown(mut self, by: u64) -> Squares {
        self.0 += by;
        self
    }
    fn holds(&self, bit: u32) -> bool {
        self.0 >> bit & 1 == 1
    }
    fn next(&mut self, by: u64) -> u64 {
        self.0 = self.0.wrapping_mul(5).wrapping_add(by);
        self.0
    }
}
const CORNERS: Squares = Squares(0x8100_0000_0000_0081);
#[device]
trait Turn {
    fn turned(self, by: u32) -> u32;
}
#[device]
#[derive(Clone, Copy, Debug, PartialEq)]
enum Edge {
    Left,
    Right,
    Far(u32),
}
#[device]
impl Turn for Edge {
    fn turned(self, by: u32) -> u32 {
        match self {
            Edge::Left => by + 1,
            Edge::Right => by * 2,
            Edge::Far(n) => by ^ n,
        }
    }
}
#[device]
impl Edge {
    const LAST: Edge = Edge::Far(9);
    fn shift(self, board: Squares) -> Squares {
        match self {
            Self::Left => Squares(board.0 << 1),
            Self::Right => Squares(board.0 >> 1),
            Self::Far(n) => Squares(board.0 >> n),
        }
    }
    fn both(board: Squares) -> Squares {
        Self::Left.shift(Self::Right.shift(board))
    }
    fn pick(self, all: &[u64], i: usize) -> u64 {
        match self {
            Edge::Left => all[i],
            _ => all[all.len() - 1 - i],
        }
    }
    fn apply(self, x: u32, f: impl Fn(u32) -> u32) -> u32 {
        if self == Edge::Left { f(x) } else { x }
    }
}
impl Edge {
    const fn host_only(self, k: u32) -> u32 {
        match self {
            Edge::Left => k + 3,
            _ => k,
        }
    }
}
#[device]
fn mix(b: Squares, i: u32, all: &[u64]) -> [u64; 10] {
    let k = 4;
    [
        Edge::LAST.shift(b).0,
        Edge::both(b).0,
        CORNERS.without(b).0,
        Squares::FULL.without(b).without(Squares::EMPTY).0,
        Squares::EMPTY.grown(b.0).0,
        CORNERS.holds(i) as u64,
        Squares::FULL.next(b.0),
        Edge::Right.turned(i) as u64 + Edge::LAST.turned(i) as u64 + Edge::Left.turned(2) as u64,
        Edge::Left.host_only(k) as u64 + Edge::Left.host_only(2) as u64,
        Edge::Right.pick(all, i as usize)
            + Edge::Left.pick(all, 1)
            + Edge::Left.apply(i, |x| x * 3) as u64,
    ]
}
#[kernel]
fn run(x: &[u64], out: &mut [[u64; 10]]) {
    let i = thread_idx.x as usize;
    out[i] = mix(Squares(x[i]), i as u32, x);
}
#[test]
fn methods_of_constants_take_values_of_the_kernel() -> lanework::Result<()> {
    let x: Vec<u64> = (0..32u64).map(|i| (i + 1).wrapping_mul(0x9e3779b97f4a7c15)).collect();
    let x: Vec<u64> = x.iter().map(|x| x >> 8).collect();
    let d = Device::emulator().sanitized();
    let mut out = d.upload(&vec![[0u64; 10]; 32])?;
    run(&d.upload(&x)?, &mut out).grid(1).block(32).launch(&d)?;
    for (i, got) in out.download()?.into_iter().enumerate() {
        assert_eq!(got, mix(Squares(x[i]), i as u32, &x), "{i}");
    }
    Ok(())
}
