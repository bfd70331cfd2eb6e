//! `Option`, a closure, and shuffles.

use lanework::prelude::*;
#[device]
fn find(x: &[u32], wanted: impl Fn(u32) -> bool) -> Option<usize> {
    let (mut low, mut high) = (0, x.len());
    while low < high {
        let mid = low + (high - low) / 2;
        if wanted(x[mid]) {
            high = mid;
        } else {
            low = mid + 1;
        }
    }
    if low < x.len() { Some(low) } else { None }
}
#[kernel]
fn lower_bounds(x: &[u32], queries: &[u32], out: &mut [i32], hits: &mut [u32]) {
    let i = (block_idx.x * block_dim.x + thread_idx.x) as usize;
    let mut hit = 0u32;
    if i < queries.len() {
        let q = queries[i];
        out[i] = if let Some(at) = find(x, |v| v >= q) {
            hit = (x[at] == q) as u32;
            at as i32
        } else {
            -1
        };
    }
    let mut offset = 16;
    while offset > 0 {
        hit += shfl_down_sync(FULL_MASK, hit, offset);
        offset /= 2;
    }
    if thread_idx.x % 32 == 0 {
        atomic_add(&mut hits[0], hit);
    }
}
#[test]
fn searches() -> lanework::Result<()> {
    let device = Device::emulator();
    let x = device.upload(&[2u32, 4, 8, 16])?;
    let q = device.upload(&[1u32, 4, 9, 17])?;
    let mut out = device.zeros::<i32>(4)?;
    let mut hits = device.zeros::<u32>(1)?;
    lower_bounds(&x, &q, &mut out, &mut hits).grid(1).block(32).launch(&device)?;
    assert_eq!((out.download()?, hits.download()?), (vec![0, 1, 3, -1], vec![1]));
    Ok(())
}

/// A `?` in a closure leaves the closure, although the function returns an `Option` too.
#[device]
fn halved_sum(a: u32, b: u32) -> Option<u32> {
    let half = |v: u32| -> Option<u32> { v.is_multiple_of(2).then_some(v / 2) };
    let sum = Some(a).and_then(|v| v.checked_add(half(b)?)).unwrap_or(1000);
    let both = half(a).and_then(|x| {
        let y = half(b)?;
        Some(x + y)
    });
    if both.is_none() {
        return Some(sum + 1);
    }
    // This `?` leaves the function.
    let third = a.is_multiple_of(3).then_some(a / 3)?;
    Some(sum + third + both.unwrap_or(0))
}

#[device]
fn quotient(a: u32, b: u32) -> Result<u32, u8> {
    a.checked_div(b).ok_or(7)
}

/// The closure returns another type than the function, or the function returns nothing.
#[device]
fn quotients(a: u32, b: u32) -> Result<u32, u8> {
    let option = Some(a).and_then(|v| v.checked_sub(quotient(v, b).ok()?));
    let result = quotient(a, 1).and_then(|v| Ok(v + quotient(v, b)?));
    Ok(option.unwrap_or(50) + result.unwrap_or(60) + quotient(a, b)?)
}

#[kernel]
fn leave_closures(a: &[u32], b: &[u32], out: &mut [u32]) {
    let i = thread_idx.x as usize;
    let in_kernel =
        b.get(i).copied().and_then(|v| v.checked_sub(quotient(a[i], v).ok()?)).unwrap_or(5);
    let sum = halved_sum(a[i], b[i]).unwrap_or(777);
    out[i] = in_kernel + 100 * sum + 100_000 * quotients(a[i], b[i]).unwrap_or(9);
}

#[test]
fn a_question_mark_leaves_only_the_closure() -> lanework::Result<()> {
    let device = Device::emulator().sanitized();
    let a = [1u32, 2, 3, 4, 6, 8, 12, 9];
    let b = [2u32, 4, 5, 6, 8, 0, 3, 3];
    let (on_a, on_b) = (device.upload(&a)?, device.upload(&b)?);
    let mut out = device.zeros::<u32>(8)?;
    leave_closures(&on_a, &on_b, &mut out).grid(1).block(8).launch(&device)?;
    let want: Vec<u32> = (a.iter().zip(&b))
        .map(|(&a, &b)| {
            let quotient_of = |v: u32| v.checked_sub(quotient(a, v).ok()?);
            let in_kernel = quotient_of(b).unwrap_or(5);
            in_kernel
                + 100 * halved_sum(a, b).unwrap_or(777)
                + 100_000 * quotients(a, b).unwrap_or(9)
        })
        .collect();
    assert_eq!(out.download()?, want);
    Ok(())
}
