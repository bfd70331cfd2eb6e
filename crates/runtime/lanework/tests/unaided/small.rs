//! Small kernels, one construct each: names of the kernel language for a user's types, `?` after `self`, blocks with a label, array
//! literals, slice variables and patterns, and macros of the same file.
use lanework::prelude::*;

#[device]
struct Accumulator {
    rows: [[u32; 2]; 2],
}

#[device]
struct Waiter<T> {
    left: T,
}

#[device]
trait Twice {
    fn twice(self) -> Self;
}

#[device]
impl Twice for u32 {
    fn twice(self) -> u32 {
        self * 2
    }
}

#[device]
impl Accumulator {
    fn times(&self, other: &Accumulator) -> Accumulator {
        let mut rows = [[0, 0], [0, 0]];
        for i in 0..2 {
            for j in 0..2 {
                for k in 0..2 {
                    rows[i][j] += self.rows[i][k] * other.rows[k][j];
                }
            }
        }
        Accumulator { rows }
    }
    fn take(&mut self, amount: u32) -> Option<u32> {
        self.rows[0][0] = self.rows[0][0].checked_sub(amount)?;
        let left = self.left()?;
        Some(left)
    }
    fn left(&self) -> Option<u32> {
        if self.rows[0][0] == 3 { None } else { Some(self.rows[0][0]) }
    }
}

#[device]
fn spend(matrix: &mut Accumulator, part: &mut Waiter<u32>) -> Option<u32> {
    part.left = matrix.take(part.left)?;
    Some(part.left.twice())
}

#[device]
fn doubled<T: Twice>(x: T) -> T {
    x.twice()
}

macro_rules! greater {
    ($a:expr) => { $a };
    ($a:expr, $($rest:expr),+) => {{
        let (a, b) = ($a, greater!($($rest),+));
        if a > b { a } else { b }
    }};
}

macro_rules! bump {
    ($place:expr) => {
        $place += 1;
    };
}

#[device]
const fn wide(x: u32) -> u64 {
    (x as u64) << 33 | 1
}

#[device]
fn labels(n: u32) -> u32 {
    let mut sum = 0;
    'numbers: for i in 0..n {
        let kind = 'kind: {
            if i % 5 == 4 {
                continue 'numbers;
            }
            if i == 11 {
                break 'numbers;
            }
            if i % 3 == 0 {
                break 'kind 100;
            }
            i
        };
        'add: {
            if kind == 1 {
                break 'add;
            }
            sum += kind;
        }
    }
    sum
}

#[device]
fn arrays(v: u32) -> u32 {
    let pairs = [(1, 2.0), (v, 3.0), (7, v as f32)];
    let rows = [[0, 1], [v, v], [v, 5]];
    let mut sum = rows[0][1] + 10 * rows[1][0] + 100 * rows[2][1];
    for (number, factor) in pairs {
        sum += number * factor as u32;
    }
    sum
}

#[device]
fn shape(x: &[u32]) -> u32 {
    match x {
        [] => 1,
        [one] => 10 + one,
        [first, .., last] if first == last => 20 + last,
        &[a, b] => a * b,
        [_, middle @ .., 7] => 1000 + middle.len() as u32,
        [.., before, _] => *before,
    }
}

#[device]
fn alternating(x: &[u32]) -> u32 {
    let mut rest = x;
    let mut sum = 0;
    while let Some((last, others)) = rest.split_last() {
        sum = sum * 2 + last;
        rest = others;
        if let [_, inner @ ..] = rest {
            rest = inner;
        }
    }
    let Some((first, _)) = x.split_first() else { return 77 };
    sum + first
}

#[kernel]
fn all(x: &[u32], out: &mut [u32], wides: &mut [u64]) {
    let i = thread_idx.x as usize;
    let Some(slot) = out.get_mut(i) else { return };
    let m = Accumulator { rows: [[1, 1], [1, i as u32]] };
    let mut square = m.times(&m);
    let mut part = Waiter { left: i as u32 };
    let spent = spend(&mut square, &mut part).unwrap_or(50);
    *slot = spent + doubled(square.rows[1][1]) + labels(i as u32 * 3) + arrays(i as u32);
    *slot = greater!(*slot, 5, x[i]) + shape(&x[..i]) + alternating(&x[..i]);
    bump!(*slot);
    let front = &mut wides[i];
    *front = wide(i as u32);
    *front += 1;
}

fn on_the_host(x: &[u32], i: usize) -> u32 {
    let m = Accumulator { rows: [[1, 1], [1, i as u32]] };
    let mut square = m.times(&m);
    let mut part = Waiter { left: i as u32 };
    let spent = spend(&mut square, &mut part).unwrap_or(50);
    let sum = spent + doubled(square.rows[1][1]) + labels(i as u32 * 3) + arrays(i as u32);
    sum.max(5).max(x[i]) + shape(&x[..i]) + alternating(&x[..i]) + 1
}

#[test]
fn small_kernels_compute_what_the_host_computes() -> lanework::Result<()> {
    let x = [3u32, 5, 3, 7, 2, 7, 2, 9, 7, 7];
    let device = Device::emulator().sanitized();
    let on_x = device.upload(&x)?;
    let (mut out, mut wides) = (device.zeros::<u32>(x.len())?, device.zeros::<u64>(x.len())?);
    all(&on_x, &mut out, &mut wides).grid(1).block(32).launch(&device)?;
    let want: Vec<u32> = (0..x.len()).map(|i| on_the_host(&x, i)).collect();
    assert_eq!(out.download()?, want);
    assert_eq!(wides.download()?, (0..10).map(|i| wide(i) + 1).collect::<Vec<_>>());
    Ok(())
}
