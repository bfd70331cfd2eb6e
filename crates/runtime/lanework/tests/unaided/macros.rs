//! macro_rules! that generate kernels for types, and macros in kernel bodies.
use lanework::prelude::*;

macro_rules! max_of {
    ($x:expr) => { $x };
    ($x:expr, $($rest:expr),+) => {{
        let a = $x;
        let b = max_of!($($rest),+);
        if a > b { a } else { b }
    }};
}

macro_rules! elementwise {
    ($($name:ident: $t:ty = |$a:ident, $b:ident| $body:expr;)*) => {
        $(
            #[kernel]
            fn $name(x: &[$t], y: &[$t], out: &mut [$t]) {
                let i = block_idx.x * block_dim.x + thread_idx.x;
                if i < out.len() {
                    let ($a, $b) = (x[i], y[i]);
                    out[i] = $body;
                }
            }
        )*
    };
}

elementwise! {
    saturating_i8: i8 = |a, b| a.saturating_add(b);
    wrapping_i16: i16 = |a, b| a.wrapping_mul(b).wrapping_sub(3);
    mix_u64: u64 = |a, b| (a ^ b.rotate_left(17)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    largest_f64: f64 = |a, b| max_of!(a, b, a * b, 0.5);
    average_u8: u8 = |a, b| ((a as u16 + b as u16) / 2) as u8;
}

macro_rules! compare {
    ($kernel:ident, $t:ty, $make:expr, |$a:ident, $b:ident| $want:expr) => {{
        let device = Device::emulator().sanitized();
        let x: Vec<$t> = (0..300u32).map($make).collect();
        let y: Vec<$t> = (0..300u32).rev().map($make).collect();
        let mut out = device.zeros::<$t>(300)?;
        $kernel(&device.upload(&x)?, &device.upload(&y)?, &mut out)
            .grid(3)
            .block(128)
            .launch(&device)?;
        let want: Vec<$t> = x.iter().zip(&y).map(|(&$a, &$b)| $want).collect();
        assert_eq!(out.download()?, want);
    }};
}

#[test]
fn all_types() -> lanework::Result<()> {
    compare!(saturating_i8, i8, |i| (i * 7) as i8, |a, b| a.saturating_add(b));
    compare!(wrapping_i16, i16, |i| (i * 977) as i16, |a, b| a.wrapping_mul(b).wrapping_sub(3));
    compare!(mix_u64, u64, |i| i as u64 * 0x0123_4567_89AB, |a, b| (a ^ b.rotate_left(17))
        .wrapping_mul(0x9E37_79B9_7F4A_7C15));
    compare!(largest_f64, f64, |i| i as f64 / 100.0 - 1.5, |a, b| a.max(b).max(a * b).max(0.5));
    compare!(average_u8, u8, |i| i as u8, |a, b| ((a as u16 + b as u16) / 2) as u8);
    Ok(())
}
