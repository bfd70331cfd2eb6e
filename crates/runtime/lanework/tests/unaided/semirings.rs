//! A tiled matrix product over any semiring: ordinary products and shortest paths.
use lanework::prelude::*;

#[device]
trait Semiring {
    type Element: Number;
    const ZERO: Self::Element;
    fn plus(a: Self::Element, b: Self::Element) -> Self::Element;
    fn times(a: Self::Element, b: Self::Element) -> Self::Element;
}

#[device]
struct Ordinary;

#[device]
struct Tropical;

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
impl Semiring for Tropical {
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
fn load<S: Semiring>(matrix: &[S::Element], row: usize, column: usize, n: usize) -> S::Element {
    if row < n && column < n { matrix[row * n + column] } else { S::ZERO }
}

#[kernel]
fn product<S: Semiring, const TILE: usize>(
    a: &[S::Element],
    b: &[S::Element],
    c: &mut [S::Element],
    n: u32,
) {
    let left = shared::<[[S::Element; TILE]; TILE]>();
    let right = shared::<[[S::Element; TILE]; TILE]>();
    let (x, y, n) = (thread_idx.x as usize, thread_idx.y as usize, n as usize);
    let row = block_idx.y as usize * TILE + y;
    let column = block_idx.x as usize * TILE + x;

    let mut sum = S::ZERO;
    for first in (0..n).step_by(TILE) {
        left[y][x] = load::<S>(a, row, first + x, n);
        right[y][x] = load::<S>(b, first + y, column, n);
        sync_threads();
        for k in 0..TILE {
            sum = S::plus(sum, S::times(left[y][k], right[k][x]));
        }
        sync_threads();
    }
    if row < n && column < n {
        c[row * n + column] = sum;
    }
}

#[test]
fn floats() -> lanework::Result<()> {
    let device = Device::emulator().sanitized();
    let n = 21usize;
    let a: Vec<f32> = (0..n * n).map(|i| (i % 11) as f32 - 5.0).collect();
    let b: Vec<f32> = (0..n * n).map(|i| (i * i % 7) as f32 * 0.5).collect();
    let mut c = device.zeros::<f32>(n * n)?;
    product::<Ordinary, 8>(&device.upload(&a)?, &device.upload(&b)?, &mut c, n as u32)
        .grid((3, 3))
        .block((8, 8))
        .launch(&device)?;
    let c = c.download()?;
    for row in 0..n {
        for column in 0..n {
            let want: f32 = (0..n).map(|k| a[row * n + k] * b[k * n + column]).sum();
            assert_eq!(c[row * n + column], want, "{row} {column}");
        }
    }
    Ok(())
}

#[test]
fn shortest_paths() -> lanework::Result<()> {
    let device = Device::emulator().sanitized();
    let n = 13usize;
    let mut lengths = vec![u32::MAX; n * n];
    for i in 0..n {
        lengths[i * n + i] = 0;
        lengths[i * n + (i + 1) % n] = 3 + i as u32;
        lengths[i * n + (i * 5 + 2) % n] = if i * 4 % n == n - 2 { 0 } else { 20 };
    }
    for i in 0..n {
        lengths[i * n + i] = 0;
    }
    let mut now = device.upload(&lengths)?;
    for _ in 0..4 {
        let mut next = device.zeros::<u32>(n * n)?;
        product::<Tropical, 4>(&now, &now, &mut next, n as u32)
            .grid((4, 4))
            .block((4, 4))
            .launch(&device)?;
        now = next;
    }
    let mut want = lengths;
    for k in 0..n {
        for i in 0..n {
            for j in 0..n {
                let through = want[i * n + k].saturating_add(want[k * n + j]);
                want[i * n + j] = want[i * n + j].min(through);
            }
        }
    }
    assert_eq!(now.download()?, want);
    Ok(())
}
