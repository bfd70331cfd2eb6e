//! Bit tricks: Morton codes, population counts, i8 dot products, Gray codes, checked and overflowing arithmetic.
use lanework::prelude::*;

const MASKS: [(u32, u32); 4] =
    [(8, 0x00FF_00FF), (4, 0x0F0F_0F0F), (2, 0x3333_3333), (1, 0x5555_5555)];

#[device]
fn spread(x: u16) -> u32 {
    let mut x = u32::from(x);
    for (shift, mask) in MASKS {
        x = (x | x << shift) & mask;
    }
    x
}

#[device]
fn morton(x: u16, y: u16) -> u32 {
    spread(x) | spread(y) << 1
}

#[device]
fn dot4(a: u32, b: u32) -> i32 {
    let (a, b) = (a.to_le_bytes(), b.to_le_bytes());
    let mut sum = 0;
    for i in 0..4 {
        sum += a[i] as i8 as i32 * b[i] as i8 as i32;
    }
    sum
}

#[device]
fn nth_set_bit(mut x: u64, n: u32) -> Option<u32> {
    for _ in 0..n {
        x &= x.checked_sub(1)?;
    }
    (x != 0).then(|| x.trailing_zeros())
}

#[kernel]
fn tricks(x: &[u64], codes: &mut [u32], dots: &mut [i32], bits: &mut [i8], flags: &mut [u16]) {
    let i = (block_idx.x * block_dim.x + thread_idx.x) as usize;
    if let Some(&v) = x.get(i) {
        let (low, high) = (v as u32, (v >> 32) as u32);
        codes[i] = morton(low as u16, high as u16) ^ (low ^ low >> 1).reverse_bits();
        dots[i] = dot4(low, high);
        bits[i] = nth_set_bit(v, 3).map_or(-1, |b| b as i8);
        let (sum, carry) = low.overflowing_add(high);
        let power = v.is_power_of_two();
        let product = (low as i32).checked_mul(high as i32);
        flags[i] = (carry as u16)
            | (power as u16) << 1
            | u16::from(product.is_none()) << 2
            | ((sum.leading_zeros() + v.count_ones()) as u16) << 3
            | (((low as i8).rotate_left(3) >> 7) as u16 & 0x8000);
    }
}

#[test]
fn bits() -> lanework::Result<()> {
    let x: Vec<u64> = (0..400u64)
        .map(|i| match i {
            0 => 0,
            1..=63 => 1 << i,
            64..=127 => (1 << (i - 64)) - 1,
            _ => i.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ i << 50,
        })
        .collect();
    let n = x.len();
    let device = Device::emulator().sanitized();
    let on_x = device.upload(&x)?;
    let (mut codes, mut dots) = (device.zeros::<u32>(n)?, device.zeros::<i32>(n)?);
    let (mut bits, mut flags) = (device.zeros::<i8>(n)?, device.zeros::<u16>(n)?);
    tricks(&on_x, &mut codes, &mut dots, &mut bits, &mut flags)
        .grid(4)
        .block(128)
        .launch(&device)?;
    let (codes, dots, bits, flags) =
        (codes.download()?, dots.download()?, bits.download()?, flags.download()?);
    for (i, &v) in x.iter().enumerate() {
        let (low, high) = (v as u32, (v >> 32) as u32);
        let mut code = 0;
        for b in 0..16 {
            code |= (low >> b & 1) << (2 * b) | (high >> b & 1) << (2 * b + 1);
        }
        assert_eq!(codes[i], code ^ (low ^ (low >> 1)).reverse_bits(), "{v:x}");
        let dot: i32 =
            (0..4).map(|b| (low >> (8 * b)) as i8 as i32 * (high >> (8 * b)) as i8 as i32).sum();
        assert_eq!(dots[i], dot);
        assert_eq!(
            bits[i],
            (0..64).filter(|b| v >> b & 1 == 1).nth(3).map_or(-1, |b| b as i8),
            "{v:x}"
        );
        let sum = low as u64 + high as u64;
        let product = low as i32 as i64 * high as i32 as i64;
        let mut want = (sum >> 32) as u16;
        want |= u16::from(v.count_ones() == 1) << 1;
        want |= u16::from(product != product as i32 as i64) << 2;
        want |= (((sum as u32).leading_zeros() + v.count_ones()) as u16) << 3;
        want |= if v >> 4 & 1 == 1 { 0x8000 } else { 0 };
        assert_eq!(flags[i], want, "{v:x}");
    }
    Ok(())
}
