//! Iterators and the methods of slices: each function on the host and in a kernel.

use lanework::prelude::*;

const WEIGHTS: [f32; 4] = [0.5, -1.0, 2.0, 0.25];

#[device]
fn of_ranges(n: u32) -> u32 {
    let squares: u32 = (0..n).map(|i| i * i).sum();
    let odd = (1..=n).filter(|i| i % 2 == 1).count() as u32;
    let down = (0..n).rev().fold(0u32, |all, i| all * 3 + i);
    let wide = (2..n).step_by(3).map(|i| i + 1).fold(1u32, |all, i| all * i + 2);
    let backwards = (1..n).step_by(2).rev().fold(0u32, |all, i| all * 5 + i);
    let some = (0..n).skip(2).take(3).map(|i| i * 10).sum::<u32>();
    let empty = (n..0).map(|i| i * i).sum::<u32>() + (5..5u32).count() as u32;
    let signed = (-3..n as i32).map(|i| i * i).sum::<i32>() as u32;
    let long = (0..=n as u64).map(|i| i * i).max().unwrap_or(9) as u32;
    let none = (n..0).max().unwrap_or(77) + (n..0).min().map_or(5, |i| i);
    squares + odd * 10 + down + wide + backwards + some + empty + signed + long + none
}

#[device]
fn of_slices(x: &[f32], y: &[f32]) -> f32 {
    let dot = x.iter().zip(y).map(|(a, b)| a * b).sum::<f32>();
    let also: f32 = x.iter().zip(y.iter()).map(|(&a, &b)| a * b).sum();
    let most = x.iter().copied().fold(f32::NEG_INFINITY, |a, b| a.max(b));
    let least = y.iter().fold(f32::INFINITY, |a, &b| a.min(b));
    let weighted: f32 = x.iter().enumerate().map(|(i, v)| i as f32 * v).sum();
    let positive = x.iter().filter(|v| **v > 0.0).count();
    let first = x.iter().position(|&v| v > 1.5).unwrap_or(100);
    let found = y.iter().rev().find(|&&v| v < 0.0).copied().unwrap_or(3.0);
    let product = y.iter().take_while(|v| **v != 0.0).map(|v| v * 0.5).product::<f32>();
    let triple: f32 = x.iter().zip(y).zip(1..).map(|((a, b), k)| a * b + k as f32).sum();
    let reduced = x.iter().copied().reduce(|a, b| if a > b { a } else { b }).unwrap_or(0.0);
    let small = x.iter().all(|v| v.abs() < 100.0) && !y.iter().any(|&v| v > 50.0);
    let mut rest = 0.0;
    x.iter().skip(1).step_by(2).for_each(|v| rest += v);
    let numbers = positive as f32 + first as f32 + if small { 1000.0 } else { 0.0 };
    dot + also * 0.5 + most + least + weighted + numbers + found + product + triple + reduced + rest
}

#[device]
fn of_arrays(x: &[f32]) -> f32 {
    let mut near = [0.0f32; 4];
    for (i, v) in near.iter_mut().enumerate() {
        *v = x[i] + i as f32;
    }
    let total: f32 = near.iter().sum();
    let weighted: f32 = near.iter().zip(WEIGHTS.iter()).map(|(a, w)| a * w).sum();
    let table = WEIGHTS.iter().fold(1.0f32, |all, w| all * w);
    let last = near.iter().rev().position(|v| *v < 1.0).unwrap_or(9);
    total + weighted * 2.0 + table + last as f32
}

#[device]
fn in_loops(x: &[u32], n: u32) -> u32 {
    let mut sum = 0u32;
    for (i, v) in x.iter().enumerate().skip(1) {
        sum += i as u32 * v;
    }
    for (a, b) in x.iter().zip(x.iter().rev()) {
        if a > b {
            continue;
        }
        sum = sum * 3 + (b - a);
    }
    for (i, k) in (0..n).zip(5..) {
        sum += i * k;
        if i == 4 {
            break;
        }
    }
    'outer: for i in (0..n).filter(|i| i % 3 != 0) {
        for v in x.iter().copied().filter(|&v| v > 2) {
            if v == i {
                continue 'outer;
            }
            if v + i > 40 {
                break 'outer;
            }
            sum += v ^ i;
        }
    }
    for (i, c) in (0..n).map(|i| i * 7).enumerate() {
        sum ^= c << (i % 5);
    }
    for mut i in 3.. {
        i += 1;
        sum += i;
        if i > n {
            break;
        }
    }
    for (mut a, i) in x.iter().copied().zip((0..n).rev().step_by(2).rev()) {
        a ^= i;
        sum += a;
    }
    let chain = x.iter().map(|v| v * 2).filter(|v| v % 3 == 0);
    for v in chain {
        sum += v;
    }
    sum
}

#[device]
fn elements(x: &[u32], i: u32) -> u32 {
    let at = x.get(i as usize).copied().unwrap_or(500);
    let before = match x.get((i as usize).wrapping_sub(1)) {
        Some(v) if *v > 2 => *v,
        Some(_) => 40,
        None => 60,
    };
    let (first, last) = (x.first().copied(), x.last());
    at + before + first.unwrap_or(7) * last.copied().unwrap_or(9)
}

#[kernel]
fn all(x: &[f32], y: &[f32], whole: &[u32], reals: &mut [f32], numbers: &mut [u32]) {
    let i = thread_idx.x;
    reals[2 * i] = of_slices(x, y);
    reals[2 * i + 1] = of_arrays(x);
    numbers[3 * i] = of_ranges(i);
    numbers[3 * i + 1] = in_loops(whole, i);
    numbers[3 * i + 2] = elements(whole, i);
}

#[test]
fn iterator_chains_match_the_host() -> lanework::Result<()> {
    let x = [1.5f32, -2.0, 3.25, 0.5, -7.0];
    let y = [4.0f32, 0.25, -1.0, 0.0, 8.0, 3.0];
    let whole = [3u32, 9, 1, 12, 5];
    let threads = 12u32;
    for device in Device::for_tests("iterator_chains_match_the_host") {
        let (on_x, on_y, on_whole) =
            (device.upload(&x)?, device.upload(&y)?, device.upload(&whole)?);
        let mut reals = device.zeros::<f32>(2 * threads as usize)?;
        let mut numbers = device.zeros::<u32>(3 * threads as usize)?;
        all(&on_x, &on_y, &on_whole, &mut reals, &mut numbers)
            .grid(1)
            .block(threads)
            .launch(&device)?;
        let (reals, numbers) = (reals.download()?, numbers.download()?);
        for i in 0..threads {
            let k = i as usize;
            assert_eq!(reals[2 * k], of_slices(&x, &y));
            assert_eq!(reals[2 * k + 1], of_arrays(&x));
            assert_eq!(numbers[3 * k], of_ranges(i), "ranges to {i}");
            assert_eq!(numbers[3 * k + 1], in_loops(&whole, i), "loops to {i}");
            assert_eq!(numbers[3 * k + 2], elements(&whole, i), "element {i}");
        }
    }
    Ok(())
}

#[kernel]
fn in_place(x: &mut [f32], y: &[f32]) {
    let tile = shared::<f32>(5);
    for (i, v) in tile.iter_mut().enumerate() {
        *v = y[i] + i as f32;
    }
    for v in x.iter_mut() {
        *v *= 2.0;
    }
    for (v, w) in x.iter_mut().zip(y).rev().skip(1) {
        *v += *w;
    }
    let mut near = [1.0f32; 3];
    for v in &mut near {
        *v += 0.5;
    }
    for (v, t) in near.iter_mut().zip(tile.iter().take(3)) {
        *v += t;
    }
    for v in x.iter_mut().take(1) {
        *v += near.iter().sum::<f32>();
    }
}

#[test]
fn elements_are_changed_in_place() -> lanework::Result<()> {
    for device in Device::for_tests("elements_are_changed_in_place") {
        let (mut x, y) =
            (device.upload(&[1.0f32; 5])?, device.upload(&[1.0f32, 2.0, 3.0, 4.0, 5.0])?);
        in_place(&mut x, &y).grid(1).block(1).launch(&device)?;
        assert_eq!(x.download()?, [3.0 + 4.5 + 1.0 + 3.0 + 5.0, 4.0, 5.0, 6.0, 2.0]);
    }
    Ok(())
}

#[kernel]
fn in_shared(x: &mut [u32], sums: &mut [u32]) {
    let tile = shared::<u32>(8);
    let t = thread_idx.x;
    tile[t] = x[t];
    sync_threads();
    sums[t] = tile.iter().take(t + 1).sum();
    sync_threads();
    if t < 4 {
        tile.swap(t, 7 - t);
        x.swap(t, 7 - t);
    }
    sync_threads();
    sums[t] += tile.iter().zip(x.iter()).all(|(a, b)| a == b) as u32 * 1000;
}

#[test]
fn shared_memory_has_iterators() -> lanework::Result<()> {
    for device in Device::for_tests("shared_memory_has_iterators") {
        let mut x = device.upload(&[1u32, 2, 3, 4, 5, 6, 7, 8])?;
        let mut sums = device.zeros::<u32>(8)?;
        in_shared(&mut x, &mut sums).grid(1).block(8).launch(&device)?;
        assert_eq!(sums.download()?, [1, 3, 6, 10, 15, 21, 28, 36].map(|s| s + 1000));
        assert_eq!(x.download()?, [8, 7, 6, 5, 4, 3, 2, 1]);
    }
    Ok(())
}

#[device]
fn total(x: &[f32]) -> f32 {
    x.iter().sum()
}

#[device]
fn doubled(x: &mut [f32]) {
    for v in x.iter_mut() {
        *v *= 2.0;
    }
}

/// Parts of parts, with ends of every form.
#[device]
fn of_parts(x: &[f32], i: usize) -> f32 {
    let (from, rest) = (&x[i..], &x[..=i]);
    let mut sum = total(from) * 3.0 + total(rest);
    sum += total(&x[1..3]) + total(&x[..x.len()]) + total(&x[i..i]) + total(&x[x.len()..]);
    sum += x[i..][..2].iter().rev().fold(0.0, |all, v| all * 2.0 + v);
    let mut end = 2;
    let head = &x[..end];
    end += 1;
    sum + head.len() as f32 + total(&head[1..]) + end as f32
}

#[kernel]
fn parts(x: &[f32], y: &mut [f32], out: &mut [f32]) {
    let i = thread_idx.x as usize;
    out[i] = of_parts(x, i);
    doubled(&mut y[2 * i..2 * i + 2]);
    let shared = shared_slice::<f32>();
    shared[i] = x[i];
    sync_threads();
    let half = &shared[1..i + 1];
    out[i] += half.iter().sum::<f32>() + half.len() as f32;
    if i == 0 {
        out[3..][0] = 1000.0;
        out[i] += total(&y[4..]);
    }
}

#[test]
fn parts_of_slices_are_slices() -> lanework::Result<()> {
    let x = [1.0f32, 2.0, 4.0, 8.0];
    for device in Device::for_tests("parts_of_slices_are_slices") {
        let on_device = device.upload(&x)?;
        let mut y = device.upload(&[1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0])?;
        let mut out = device.zeros::<f32>(4)?;
        let launch = parts(&on_device, &mut y, &mut out).grid(1).block(2).shared_bytes(16);
        launch.launch(&device)?;
        assert_eq!(y.download()?, [2.0, 4.0, 6.0, 8.0, 5.0, 6.0]);
        let out = out.download()?;
        assert_eq!(out, [of_parts(&x, 0) + 11.0, of_parts(&x, 1) + 2.0 + 1.0, 0.0, 1000.0]);
    }
    Ok(())
}

#[kernel]
fn cut(x: &[f32], out: &mut [f32], from: u32, to: u32) {
    let part = &x[from as usize..to as usize];
    out[0] = part.len() as f32;
}

#[test]
fn a_part_outside_of_its_slice_is_reported() -> lanework::Result<()> {
    let device = Device::emulator();
    let (x, mut out) = (device.upload(&[1.0f32; 8])?, device.zeros::<f32>(1)?);
    for (from, to, good) in
        [(0, 8, true), (8, 8, true), (3, 3, true), (0, 9, false), (5, 4, false), (9, 9, false)]
    {
        let done = cut(&x, &mut out, from, to).grid(1).block(1).launch(&device);
        assert_eq!(done.is_ok(), good, "{from}..{to}: {done:?}");
        if good {
            assert_eq!(out.download()?, [(to - from) as f32]);
        }
    }
    let error = cut(&x, &mut out, 2, 9).grid(1).block(1).launch(&device).unwrap_err().to_string();
    assert!(
        error.contains("index 8") && error.contains("x") && error.contains("8 elements"),
        "{error}"
    );
    Ok(())
}
