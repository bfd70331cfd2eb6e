//! Methods of integers that wrap, saturate or report overflow, compared with Rust's, for every integer type.

use lanework::prelude::*;

/// Methods of all integers.
const COMMON: usize = 38;

macro_rules! compared {
    ($($name:ident: $t:ty, $count:literal, |$a:ident| [$($own:expr),*];)*) => {$(
        mod $name {
            use super::*;

            #[device]
            fn common(x: $t, y: $t, s: u32) -> [$t; COMMON] {
                [
                    x.wrapping_div(y),
                    x.wrapping_rem(y),
                    x.overflowing_div(y).0 ^ x.overflowing_div(y).1 as $t,
                    x.overflowing_rem(y).0 ^ x.overflowing_rem(y).1 as $t,
                    x.saturating_div(y),
                    x.overflowing_shl(s).0 ^ x.overflowing_shl(s).1 as $t,
                    x.overflowing_shr(s).0 ^ x.overflowing_shr(s).1 as $t,
                    x.overflowing_pow(s).0,
                    x.overflowing_pow(s).1 as $t,
                    x.checked_pow(s).unwrap_or(77),
                    x.saturating_pow(s),
                    x.checked_pow(3).unwrap_or(77),
                    (3 as $t).checked_pow(s).unwrap_or(5),
                    x.checked_ilog2().unwrap_or(99) as $t,
                    x.midpoint(y),
                    x.checked_rem(y).unwrap_or(4),
                    x.checked_neg().unwrap_or(4),
                    x.wrapping_neg(),
                    x.wrapping_shl(s),
                    x.wrapping_shr(s),
                    x.wrapping_pow(s),
                    x.saturating_add(y),
                    x.saturating_sub(y),
                    x.saturating_mul(y),
                    x.checked_shl(s).unwrap_or(3),
                    x.checked_shr(s).unwrap_or(3),
                    x.trailing_ones() as $t,
                    x.leading_ones() as $t,
                    x.reverse_bits(),
                    x.count_zeros() as $t,
                    x.rotate_left(s),
                    x.overflowing_neg().0,
                    <$t>::MAX.checked_sub(y).unwrap_or(1),
                    <$t>::MAX.wrapping_div(y),
                    (100 as $t).wrapping_rem(y),
                    x.abs_diff(y) as $t,
                    x.rem_euclid(if y == (0 as $t).wrapping_sub(1) { 1 } else { y }),
                    <$t>::MAX.midpoint(y),
                ]
            }

            #[device]
            fn own($a: $t) -> [$t; $count] {
                [$($own),*]
            }

            #[kernel]
            fn all(x: &[$t], y: &[$t], s: &[u32], out: &mut [[$t; COMMON]], owns: &mut [[$t; $count]]) {
                let i = (block_idx.x * block_dim.x + thread_idx.x) as usize;
                if i < x.len() {
                    out[i] = common(x[i], y[i], s[i]);
                    owns[i] = own(x[i]);
                }
            }

            #[test]
            fn methods_match_the_host() -> lanework::Result<()> {
                let (least, most, zero): ($t, $t, $t) = (<$t>::MIN, <$t>::MAX, 0);
                let near = [zero.wrapping_sub(1), zero.wrapping_sub(2), zero.wrapping_sub(8)];
                let ends = [most, most - 1, least, least + 1, most / 2, most / 2 + 1, most / 3 * 2, least / 2];
                let some = [0, 1, 2, 3, 5, 7, 8, 15, 16, 100, 127];
                let values: Vec<$t> = some.into_iter().chain(near).chain(ends).collect();
                let (mut x, mut y, mut s) = (Vec::new(), Vec::new(), Vec::new());
                for (i, &a) in values.iter().enumerate() {
                    for (j, &b) in values.iter().enumerate().filter(|(_, b)| **b != 0) {
                        x.extend([a, a]);
                        y.extend([b, b]);
                        s.extend([((i * 7 + j * 3) % 70) as u32, ((i + j) % 9) as u32]);
                    }
                }
                let device = Device::emulator().sanitized();
                let mut out = device.upload(&vec![[zero; COMMON]; x.len()])?;
                let mut owns = device.upload(&vec![[zero; $count]; x.len()])?;
                all(&device.upload(&x)?, &device.upload(&y)?, &device.upload(&s)?, &mut out, &mut owns)
                    .grid(x.len().div_ceil(64) as u32)
                    .block(64)
                    .launch(&device)?;
                let (out, owns) = (out.download()?, owns.download()?);
                for i in 0..x.len() {
                    assert_eq!(out[i], common(x[i], y[i], s[i]), "{} {} {}", x[i], y[i], s[i]);
                    assert_eq!(owns[i], own(x[i]), "{}", x[i]);
                }
                Ok(())
            }
        }
    )*};
}

macro_rules! signed {
    ($($t:ident)*) => {
        compared! {$(
            $t: $t, 7, |x| [x.wrapping_abs(), x.unsigned_abs() as $t, x.signum(), x.overflowing_abs().0 ^ x.overflowing_abs().1 as $t, x.checked_abs().unwrap_or(3), x.saturating_abs(), x.saturating_neg()];
        )*}
    };
}

macro_rules! unsigned {
    ($($t:ident)*) => {
        compared! {$(
            $t: $t, 5, |x| [x.is_power_of_two() as $t, if x > <$t>::MAX / 2 { 0 } else { x.next_power_of_two() }, x.checked_next_power_of_two().unwrap_or(6), x.isqrt(), if x == 0 { 0 } else { x.ilog2() as $t }];
        )*}
    };
}

signed!(i8 i16 i32 i64 isize);
unsigned!(u8 u16 u32 u64 usize);
