//! An image filter: a sorting network orders the pixels of a window, a policy picks the result.
use lanework::prelude::*;

#[device]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
struct Rgb {
    r: u8,
    g: u8,
    b: u8,
}

#[device]
impl Rgb {
    fn map(self, f: impl Fn(u8) -> u8) -> Rgb {
        Rgb { r: f(self.r), g: f(self.g), b: f(self.b) }
    }

    fn luma(&self) -> u32 {
        (77 * self.r as u32 + 150 * self.g as u32 + 29 * self.b as u32) >> 8
    }
}

#[device]
struct Image<'a> {
    pixels: &'a [Rgb],
    width: usize,
    height: usize,
}

#[device]
#[derive(Clone, Copy, PartialEq, Eq)]
enum Border {
    Clamp,
    Mirror,
    Fill(Rgb),
}

#[device]
impl Border {
    fn coordinate(self, at: i32, size: usize) -> Option<usize> {
        let last = size as i32 - 1;
        let inside = match self {
            Border::Clamp => at.clamp(0, last),
            Border::Mirror if at < 0 => -at,
            Border::Mirror if at > last => 2 * last - at,
            Border::Fill(_) if !(0..=last).contains(&at) => return None,
            _ => at,
        };
        Some(inside as usize)
    }
}

#[device]
impl Image<'_> {
    fn at(&self, x: i32, y: i32, border: Border) -> Rgb {
        let position = border.coordinate(x, self.width).zip(border.coordinate(y, self.height));
        match (position, border) {
            (Some((x, y)), _) => self.pixels[y * self.width + x],
            (None, Border::Fill(color)) => color,
            (None, _) => Rgb::default(),
        }
    }

    fn window<const N: usize>(&self, x: usize, y: usize, border: Border) -> [Rgb; N] {
        let side = if N == 25 { 5 } else { 3 };
        let mut window = [Rgb::default(); N];
        for (k, pixel) in window.iter_mut().enumerate() {
            let (dx, dy) =
                ((k % side) as i32 - side as i32 / 2, (k / side) as i32 - side as i32 / 2);
            *pixel = self.at(x as i32 + dx, y as i32 + dy, border);
        }
        window
    }
}

#[device]
fn exchange<T: Copy, const N: usize>(
    values: &mut [T; N],
    i: usize,
    before: &impl Fn(T, T) -> bool,
) {
    if before(values[i + 1], values[i]) {
        values.swap(i, i + 1);
    }
}

/// Odd-even transposition sort.
#[device]
fn sort<T: Copy, const N: usize>(values: &mut [T; N], before: impl Fn(T, T) -> bool) {
    for round in 0..N {
        for i in (round % 2..N - 1).step_by(2) {
            exchange(values, i, &before);
        }
    }
}

#[device]
trait Pick {
    fn pick<const N: usize>(sorted: &[Rgb; N]) -> Rgb;
}

#[device]
struct Median;

#[device]
struct TrimmedMean;

#[device]
impl Pick for Median {
    fn pick<const N: usize>(sorted: &[Rgb; N]) -> Rgb {
        sorted[N / 2]
    }
}

#[device]
impl Pick for TrimmedMean {
    fn pick<const N: usize>(sorted: &[Rgb; N]) -> Rgb {
        let inner = &sorted[1..N - 1];
        let mean = |channel: fn(&Rgb) -> u8| {
            (inner.iter().map(|p| channel(p) as u32).sum::<u32>() / inner.len() as u32) as u8
        };
        Rgb { r: mean(|p| p.r), g: mean(|p| p.g), b: mean(|p| p.b) }
    }
}

#[kernel]
fn filter<P: Pick, const N: usize>(
    pixels: &[Rgb],
    width: u32,
    fill: Rgb,
    mode: u32,
    invert: bool,
    out: &mut [Rgb],
) {
    let image = Image { pixels, width: width as usize, height: pixels.len() / width as usize };
    let x = (block_idx.x * block_dim.x + thread_idx.x) as usize;
    let y = (block_idx.y * block_dim.y + thread_idx.y) as usize;
    if x >= image.width || y >= image.height {
        return;
    }
    let border = match mode {
        0 => Border::Clamp,
        1 => Border::Mirror,
        _ => Border::Fill(fill),
    };
    let mut window = image.window::<N>(x, y, border);
    sort(&mut window, |a, b| a.luma() < b.luma());
    let result = P::pick(&window);
    out[y * image.width + x] = if invert { result.map(|c| 255 - c) } else { result };
}

const FILL: Rgb = Rgb { r: 10, g: 200, b: 30 };

fn sorted_window(
    pixels: &[Rgb],
    (w, h): (i32, i32),
    (x, y): (i32, i32),
    radius: i32,
    mode: u32,
) -> Vec<Rgb> {
    let inside = |at: i32, size: i32| match mode {
        0 => Some(at.max(0).min(size - 1)),
        1 => Some(if at < 0 { -at } else { at.min(2 * (size - 1) - at) }),
        _ => (at >= 0 && at < size).then_some(at),
    };
    let mut all = Vec::new();
    for v in y - radius..=y + radius {
        for u in x - radius..=x + radius {
            all.push(match (inside(u, w), inside(v, h)) {
                (Some(u), Some(v)) => pixels[(v * w + u) as usize],
                _ => FILL,
            });
        }
    }
    all.sort_by_key(|p| (77 * p.r as u32 + 150 * p.g as u32 + 29 * p.b as u32) / 256);
    all
}

fn check<P: Pick, const N: usize>(radius: i32, of: impl Fn(&[Rgb]) -> Rgb) -> lanework::Result<()> {
    let device = Device::emulator().sanitized();
    let (w, h) = (19, 11);
    let byte = |i: u32, k: u32| (i * k % 1009 * 31 % 256) as u8;
    let pixels: Vec<Rgb> =
        (0..w * h).map(|i| Rgb { r: byte(i, 71), g: byte(i, 113), b: byte(i, 17) }).collect();
    let on_pixels = device.upload(&pixels)?;
    for (mode, invert) in [(0, false), (1, false), (2, true)] {
        let mut out = device.upload(&vec![Rgb::default(); pixels.len()])?;
        filter::<P, N>(&on_pixels, w, FILL, mode, invert, &mut out)
            .grid((3, 2))
            .block((8, 8))
            .launch(&device)?;
        for (i, got) in out.download()?.into_iter().enumerate() {
            let at = (i as i32 % w as i32, i as i32 / w as i32);
            let want = of(&sorted_window(&pixels, (w as i32, h as i32), at, radius, mode));
            let want = if invert { Rgb { r: !want.r, g: !want.g, b: !want.b } } else { want };
            assert_eq!(got, want, "mode {mode}, pixel {at:?}");
        }
    }
    Ok(())
}

#[test]
fn medians() -> lanework::Result<()> {
    check::<Median, 9>(1, |sorted| sorted[4])?;
    check::<Median, 25>(2, |sorted| sorted[12])
}

#[test]
fn trimmed_means() -> lanework::Result<()> {
    check::<TrimmedMean, 9>(1, |sorted| {
        let mut sums = [0u32; 3];
        for p in &sorted[1..8] {
            sums[0] += p.r as u32;
            sums[1] += p.g as u32;
            sums[2] += p.b as u32;
        }
        let [r, g, b] = sums.map(|s| (s / 7) as u8);
        Rgb { r, g, b }
    })
}
