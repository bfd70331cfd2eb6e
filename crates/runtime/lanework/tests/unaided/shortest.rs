//! A matrix product over any semiring, with shared tiles: sums of products, shortest paths, reachability.
use lanework::prelude::*;

#[device]
trait Semiring {
    type Element: Copy;
    const ZERO: Self::Element;
    fn plus(a: Self::Element, b: Self::Element) -> Self::Element;
    fn times(a: Self::Element, b: Self::Element) -> Self::Element;
}

struct Ordinary;
struct Shortest;
struct Reachable;

#[device]
impl Semiring for Ordinary {
    type Element = f32;
    const ZERO: f32 = 0.0;
    fn plus(a: f32, b: f32) -> f32 {
        a + b
    }
    fn times(a: f32, b: f32) -> f32 {
        a * b
    }
}

#[device]
impl Semiring for Shortest {
    type Element = u32;
    const ZERO: u32 = u32::MAX;
    fn plus(a: u32, b: u32) -> u32 {
        a.min(b)
    }
    fn times(a: u32, b: u32) -> u32 {
        a.saturating_add(b)
    }
}

#[device]
impl Semiring for Reachable {
    type Element = bool;
    const ZERO: bool = false;
    fn plus(a: bool, b: bool) -> bool {
        a || b
    }
    fn times(a: bool, b: bool) -> bool {
        a && b
    }
}

#[kernel]
fn product<S: Semiring, const TILE: usize>(
    a: &[S::Element],
    b: &[S::Element],
    c: &mut [S::Element],
    n: usize,
) {
    let a_tile = shared::<[[S::Element; TILE]; TILE]>();
    let b_tile = shared::<[[S::Element; TILE]; TILE]>();
    let (tx, ty) = (thread_idx.x as usize, thread_idx.y as usize);
    let column = block_idx.x as usize * TILE + tx;
    let row = block_idx.y as usize * TILE + ty;
    let mut sum = S::ZERO;
    for start in (0..n).step_by(TILE) {
        a_tile[ty][tx] = if row < n && start + tx < n { a[row * n + start + tx] } else { S::ZERO };
        b_tile[ty][tx] =
            if start + ty < n && column < n { b[(start + ty) * n + column] } else { S::ZERO };
        sync_threads();
        for k in 0..TILE {
            sum = S::plus(sum, S::times(a_tile[ty][k], b_tile[k][tx]));
        }
        sync_threads();
    }
    if row < n && column < n {
        c[row * n + column] = sum;
    }
}

fn reference<T: Copy>(a: &[T], b: &[T], n: usize, zero: T, step: impl Fn(T, T, T) -> T) -> Vec<T> {
    let mut c = vec![zero; n * n];
    for i in 0..n {
        for j in 0..n {
            c[i * n + j] = (0..n).fold(zero, |sum, k| step(sum, a[i * n + k], b[k * n + j]));
        }
    }
    c
}

const N: usize = 21;

#[test]
fn sums_of_products() -> lanework::Result<()> {
    let device = Device::emulator().sanitized();
    let a: Vec<f32> = (0..N * N).map(|i| (i % 7) as f32 - 3.0).collect();
    let b: Vec<f32> = (0..N * N).map(|i| (i % 5) as f32 * 0.5).collect();
    let mut c = device.zeros::<f32>(N * N)?;
    product::<Ordinary, 8>(&device.upload(&a)?, &device.upload(&b)?, &mut c, N)
        .grid((3, 3))
        .block((8, 8))
        .launch(&device)?;
    assert_eq!(c.download()?, reference(&a, &b, N, 0.0, |s, x, y| s + x * y));
    Ok(())
}

#[test]
fn shortest_paths() -> lanework::Result<()> {
    let device = Device::emulator().sanitized();
    let far = u32::MAX;
    let a: Vec<u32> =
        (0..N * N).map(|i| if i * 5 % 3 == 0 { (i * 37 % 50) as u32 } else { far }).collect();
    let mut c = device.zeros::<u32>(N * N)?;
    let on_a = device.upload(&a)?;
    product::<Shortest, 4>(&on_a, &on_a, &mut c, N).grid((6, 6)).block((4, 4)).launch(&device)?;
    let step = |s: u32, x: u32, y: u32| x.checked_add(y).map_or(s, |sum| s.min(sum));
    assert_eq!(c.download()?, reference(&a, &a, N, far, step));
    Ok(())
}

#[test]
fn reachability() -> lanework::Result<()> {
    let device = Device::emulator().sanitized();
    let a: Vec<bool> = (0..N * N).map(|i| i * i % 11 == 3).collect();
    let mut c = device.upload(&[true; N * N])?;
    let on_a = device.upload(&a)?;
    product::<Reachable, 16>(&on_a, &on_a, &mut c, N)
        .grid((2, 2))
        .block((16, 16))
        .launch(&device)?;
    assert_eq!(c.download()?, reference(&a, &a, N, false, |s, x, y| s | (x & y)));
    Ok(())
}
