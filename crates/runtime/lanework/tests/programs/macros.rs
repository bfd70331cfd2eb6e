//! macro_rules! inside kernels and to make kernels.
use lanework::prelude::*;

#[device]
macro_rules! global_id {
    () => {
        (block_idx.x * block_dim.x + thread_idx.x) as usize
    };
}

#[device]
macro_rules! clamp {
    ($x:expr, $lo:expr, $hi:expr) => {{
        let x = $x;
        if x < $lo {
            $lo
        } else if x > $hi {
            $hi
        } else {
            x
        }
    }};
}

#[device]
macro_rules! butterfly {
    ($a:ident, $b:ident, $w:expr) => {
        let t = $b * $w;
        $b = $a - t;
        $a = $a + t;
    };
}

macro_rules! elementwise {
    ($name:ident, $x:ident => $body:expr) => {
        #[kernel]
        fn $name(input: &[f32], out: &mut [f32]) {
            let i = global_id!();
            if i < out.len() {
                let $x = input[i];
                out[i] = $body;
            }
        }
    };
}

elementwise!(square, v => v * v);
elementwise!(relu6, v => clamp!(v, 0.0, 6.0));

#[kernel]
fn pairs(x: &mut [f32]) {
    let i = global_id!();
    let half = x.len() / 2;
    if i < half {
        let mut a = x[i];
        let mut b = x[i + half];
        butterfly!(a, b, 0.5);
        x[i] = a;
        x[i + half] = b;
    }
}

pub fn main() -> lanework::Result<()> {
    let device = Device::best();
    let input: Vec<f32> = (0..100).map(|i| i as f32 - 50.0).collect();
    let x = device.upload(&input)?;
    let mut y = device.zeros::<f32>(100)?;
    square(&x, &mut y).grid(1).block(128).launch(&device)?;
    assert_eq!(y.download()?[3], 47.0 * 47.0);
    relu6(&x, &mut y).grid(1).block(128).launch(&device)?;
    assert_eq!(y.download()?[99], 6.0);
    let mut z = device.upload(&[1.0f32, 2.0, 4.0, 8.0])?;
    pairs(&mut z).grid(1).block(32).launch(&device)?;
    assert_eq!(z.download()?, [3.0, 6.0, -1.0, -2.0]);
    Ok(())
}
