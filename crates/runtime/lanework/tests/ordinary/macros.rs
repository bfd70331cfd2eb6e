//! Macros that kernels call, and macros that declare kernels.

use lanework::prelude::*;

#[device]
macro_rules! clamp {
    ($x:expr, $low:expr, $high:expr) => {
        if $x < $low {
            $low
        } else if $x > $high {
            $high
        } else {
            $x
        }
    };
}

macro_rules! elementwise {
    ($name:ident, $t:ty, |$a:ident, $b:ident| $body:expr) => {
        #[kernel]
        fn $name(a: &[$t], b: &[$t], out: &mut [$t]) {
            let i = block_idx.x * block_dim.x + thread_idx.x;
            if i < out.len() as u32 {
                let $a = a[i];
                let $b = b[i];
                out[i] = $body;
            }
        }
    };
}

elementwise!(add_clamped, f32, |a, b| clamp!(a + b, 0.0, 10.0));
elementwise!(xor_shift, u32, |x, y| (x ^ y) << 1);

#[test]
fn macros() -> lanework::Result<()> {
    let device = Device::emulator().sanitized();
    let (a, b) = (device.upload(&[-5.0f32, 2.0, 9.0])?, device.upload(&[1.0f32, 3.0, 9.0])?);
    let mut out = device.zeros::<f32>(3)?;
    add_clamped(&a, &b, &mut out).grid(1).block(32).launch(&device)?;
    assert_eq!(out.download()?, [0.0, 5.0, 10.0]);
    let (a, b) = (device.upload(&[1u32, 2])?, device.upload(&[3u32, 3])?);
    let mut out = device.zeros::<u32>(2)?;
    xor_shift(&a, &b, &mut out).grid(1).block(32).launch(&device)?;
    assert_eq!(out.download()?, [4, 2]);
    Ok(())
}
