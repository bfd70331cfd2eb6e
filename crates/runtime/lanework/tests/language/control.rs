//! `if`, loops, jumps and device functions.

use lanework::prelude::*;

/// Runs a kernel of 64 threads that writes one `u32` each.
fn run(launch: impl Fn(&mut Buffer<u32>) -> Launch<'_>, expected: impl Fn(u32) -> u32) {
    for device in Device::for_tests("language") {
        let mut out = device.zeros::<u32>(64).unwrap();
        launch(&mut out).grid(1).block(64).launch(&device).unwrap();
        let out = out.download().unwrap();
        let expected: Vec<u32> = (0..64).map(&expected).collect();
        assert_eq!(out, expected);
    }
}

#[kernel]
fn branches(out: &mut [u32]) {
    let i = thread_idx.x;
    let mut sum = 0;
    if i % 2 == 0 {
        sum += 1;
        if i % 3 == 0 {
            sum += 10;
        } else if i % 5 == 0 {
            sum += 100;
        } else {
            sum += 1000;
        }
        sum *= 2;
    }
    let kind = if i < 10 {
        1
    } else if i < 20 {
        2
    } else {
        out[i] * 0 + 3
    };
    let (low, high) = if i > 31 { (i - 32, 1) } else { (i, 0) };
    out[i] = sum + kind * 10_000 + low * 100_000 + high * 10_000_000;
}

#[test]
fn branches_take_their_sides() {
    run(
        |out| branches(out),
        |i| {
            let mut sum = 0;
            if i % 2 == 0 {
                sum += 1;
                sum += match i {
                    _ if i % 3 == 0 => 10,
                    _ if i % 5 == 0 => 100,
                    _ => 1000,
                };
                sum *= 2;
            }
            let kind = if i < 10 {
                1
            } else if i < 20 {
                2
            } else {
                3
            };
            let (low, high) = if i > 31 { (i - 32, 1) } else { (i, 0) };
            sum + kind * 10_000 + low * 100_000 + high * 10_000_000
        },
    );
}

#[kernel]
fn loops(out: &mut [u32]) {
    let i = thread_idx.x;
    let mut sum = 0;
    for j in 0..i {
        if j == 3 {
            continue;
        }
        if j > 20 {
            break;
        }
        sum += j;
    }
    for j in (1..=i).step_by(7) {
        sum += j * 3;
    }
    for j in (0..i).rev() {
        if j < 60 {
            sum = sum * 3 + j;
        }
    }
    let mut k = i;
    while k > 1 && sum > 0 {
        k = if k % 2 == 0 { k / 2 } else { 3 * k + 1 };
        sum += 1;
    }
    out[i] = sum;
}

#[test]
fn loops_run_as_often_as_in_rust() {
    run(
        |out| loops(out),
        |i| {
            let mut sum = 0u32;
            for j in 0..i {
                if j == 3 {
                    continue;
                }
                if j > 20 {
                    break;
                }
                sum += j;
            }
            for j in (1..=i).step_by(7) {
                sum += j * 3;
            }
            for j in (0..i).rev() {
                if j < 60 {
                    sum = sum.wrapping_mul(3).wrapping_add(j);
                }
            }
            let mut k = i;
            while k > 1 && sum > 0 {
                k = if k % 2 == 0 { k / 2 } else { 3 * k + 1 };
                sum = sum.wrapping_add(1);
            }
            sum
        },
    );
}

#[kernel]
fn labels(out: &mut [u32], n: u32) {
    let i = thread_idx.x;
    let mut sum = 0;
    'rows: for row in 0..n {
        for column in 0..n {
            if column == i % 7 {
                continue 'rows;
            }
            if row * n + column > i {
                break 'rows;
            }
            sum += row * 100 + column;
        }
        sum += 1;
    }
    let mut turns = 0;
    loop {
        turns += 1;
        if turns > i {
            break;
        }
        if turns % 2 == 1 {
            continue;
        }
        sum += 3;
    }
    out[i] = sum;
}

#[test]
fn labels_name_their_loops() {
    run(
        |out| labels(out, 9),
        |i| {
            let mut sum = 0;
            'rows: for row in 0..9 {
                for column in 0..9 {
                    if column == i % 7 {
                        continue 'rows;
                    }
                    if row * 9 + column > i {
                        break 'rows;
                    }
                    sum += row * 100 + column;
                }
                sum += 1;
            }
            sum + 3 * (i / 2)
        },
    );
}

#[kernel]
fn unrolled<const N: usize>(out: &mut [u32], #[constant] weights: [u32; 3], #[constant] odd: bool) {
    let i = thread_idx.x;
    let mut digits = [0; N];
    #[unroll]
    for d in 0..N {
        if d == 3 && odd {
            continue;
        }
        digits[d] = i + d as u32;
        if digits[d] > 40 {
            break;
        }
    }
    let mut sum = 0;
    #[unroll]
    for (d, weight) in weights.into_iter().enumerate() {
        if N > 2 {
            sum += digits[d] * weight;
        } else {
            sum += 1;
        }
    }
    #[unroll]
    for step in [16u32, 8, 4] {
        if sum % step == 0 {
            continue;
        }
        sum += step;
    }
    out[i] = sum;
}

#[test]
fn unrolled_loops_resolve_host_values() {
    for odd in [false, true] {
        run(
            |out| unrolled::<4>(out, [1, 10, 100], odd),
            |i| {
                let mut digits = [0; 4];
                for (d, digit) in digits.iter_mut().enumerate() {
                    if d == 3 && odd {
                        continue;
                    }
                    *digit = i + d as u32;
                    if *digit > 40 {
                        break;
                    }
                }
                let mut sum = digits[0] + digits[1] * 10 + digits[2] * 100;
                for step in [16, 8, 4] {
                    if sum % step != 0 {
                        sum += step;
                    }
                }
                sum
            },
        );
    }
    run(|out| unrolled::<2>(out, [1, 10, 100], true), |_| 3 + 16 + 8 + 4);
}

/// The larger root of x * x = n, by bisection, with an early return.
#[device]
fn root(n: u32) -> u32 {
    if n < 2 {
        return n;
    }
    let (mut low, mut high) = (0, n);
    while high - low > 1 {
        let middle = (low + high) / 2;
        if middle * middle == n {
            return middle;
        }
        if middle * middle > n {
            high = middle;
        } else {
            low = middle;
        }
    }
    low
}

#[device]
fn divide(x: u32, by: u32) -> (u32, u32) {
    (x / by, x % by)
}

#[device]
fn add_to(sum: &mut u32, parts: &mut [u32; 2], x: u32) {
    if x > 50 {
        return;
    }
    *sum += x;
    parts[0] += *sum;
    parts[1] = parts[0] + 1;
}

#[device]
fn total(parts: &[u32; 2], out: &[u32], mut at: u32) -> u32 {
    at += 1;
    parts[0] + parts[1] + out[at - 1]
}

#[kernel]
fn calls(out: &mut [u32]) {
    let i = thread_idx.x;
    let mut sum = i;
    let mut parts = [0, 0];
    add_to(&mut sum, &mut parts, root(i));
    let (quotient, rest) = divide(i, 7);
    for _ in 0..2 {
        add_to(&mut sum, &mut parts, i);
    }
    out[i] = total(&parts, &out, i) + root(sum) + quotient * 1000 + rest * 10_000;
}

#[test]
fn device_functions_are_inlined_with_their_returns() {
    run(
        |out| calls(out),
        |i| {
            let root = |n: u32| f64::from(n).sqrt().floor() as u32;
            let (mut sum, mut first, mut second) = (i, 0, 0);
            for x in [root(i), i, i] {
                if x <= 50 {
                    sum += x;
                    first += sum;
                    second = first + 1;
                }
            }
            first + second + root(sum) + i / 7 * 1000 + i % 7 * 10_000
        },
    );
}

#[kernel]
fn variables(out: &mut [u32]) {
    let i = thread_idx.x;
    let (mut a, mut b) = (i, 1u32);
    let before = a;
    a += 1;
    (a, b) = (b, a);
    let pair = (a, b);
    b = b + {
        b += 5;
        b
    };
    let mut grid = [[0u32; 3]; 2];
    grid[1][2] = before;
    grid[0][1] = grid[1][2] + 1;
    let copy = grid;
    grid[1][2] = 99;
    let shadow = a;
    let shadow = shadow + 1;
    out[i] = before
        + pair.0 * 100
        + pair.1 * 1000
        + b * 10_000
        + copy[1][2]
        + copy[0][1]
        + grid[1][2]
        + shadow;
}

#[test]
fn shadowed_variables_keep_their_values() {
    run(
        |out| variables(out),
        |i| {
            let after = i + 1;
            let b = after + (after + 5);
            i + 100 + after * 1000 + b * 10_000 + i + (i + 1) + 99 + 2
        },
    );
}

#[device]
fn guarded(x: u32, y: u32) -> u32 {
    if x < 32 {
        return 1;
    }
    (x + y) * 3
}

#[kernel]
fn reuse(out: &mut [u32], y: u32) {
    let x = thread_idx.x;
    let first = guarded(x, y);
    // Value numbers of code that the early return skipped must not be reused here.
    let second = (x + y) * 3;
    let mut third = 0;
    #[unroll]
    for k in 0..2u32 {
        if x == 40 + k {
            break;
        }
        if x > 50 {
            continue;
        }
        third += x * y + k;
    }
    out[x] = first + second * 10 + third * 1000 + (x * y + 1) * 100_000;
}

#[test]
fn values_skipped_by_a_jump_are_recomputed() {
    run(
        |out| reuse(out, 5),
        |x| {
            let first = if x < 32 { 1 } else { (x + 5) * 3 };
            let third = match x {
                40 => 0,
                41 => x * 5,
                x if x > 50 => 0,
                x => x * 10 + 1,
            };
            first + (x + 5) * 30 + third * 1000 + (x * 5 + 1) * 100_000
        },
    );
}

#[kernel]
fn short_circuit(x: &[u32], out: &mut [u32]) {
    let i = thread_idx.x;
    let mut hits = 0;
    if i < x.len() as u32 && x[i] > 2 {
        hits += 1;
    }
    if i >= x.len() as u32 || x[i] == 1 {
        hits += 10;
    }
    while hits < 40 && (hits % 7 != 3 || i == 0) {
        hits += 1;
    }
    out[i] = hits;
}

#[test]
fn the_right_side_runs_only_where_needed() {
    for device in Device::for_tests("language") {
        let values = [0u32, 1, 2, 3, 4];
        let x = device.upload(&values).unwrap();
        let mut out = device.zeros::<u32>(64).unwrap();
        // The launch is checked, so a read past the end would be an error.
        short_circuit(&x, &mut out).grid(1).block(64).launch(&device).unwrap();
        for (i, got) in out.download().unwrap().into_iter().enumerate() {
            let value = values.get(i);
            let mut hits = u32::from(value.is_some_and(|v| *v > 2));
            hits += if value.is_none_or(|v| *v == 1) { 10 } else { 0 };
            while hits < 40 && (hits % 7 != 3 || i == 0) {
                hits += 1;
            }
            assert_eq!(got, hits, "thread {i}");
        }
    }
}

/// A loop as the value of a function, left only by `return`.
#[device]
fn divisor(a: u32, b: u32) -> u32 {
    let (mut a, mut b) = (a, b);
    loop {
        if b == 0 {
            return a;
        }
        for _ in 0..2 {
            break;
        }
        (a, b) = (b, a % b);
    }
}

#[kernel]
fn divisors(out: &mut [u32]) {
    out[thread_idx.x] = divisor(thread_idx.x, 12);
}

#[test]
fn a_loop_without_break_needs_no_value() {
    run(
        |out| divisors(out).grid(1).block(64),
        |i| {
            let (mut a, mut b) = (i, 12);
            while b != 0 {
                (a, b) = (b, a % b);
            }
            a
        },
    );
}

#[kernel]
fn tails(out: &mut [u32], mut n: u32) {
    let i = thread_idx.x;
    n += 1;
    let seven = {
        if i > n {
            n = 0;
        }
        7
    };
    if i % 2 == 0 { out[i] = n + seven } else { out[i] = seven }
}

#[test]
fn an_if_without_else_may_end_a_block() {
    run(
        |out| tails(out, 4).grid(1).block(64),
        |i| match (i % 2, i > 5) {
            (0, true) => 7,
            (0, false) => 12,
            _ => 7,
        },
    );
}

#[kernel]
fn stepping(out: &mut [u32], #[constant] step: u32) {
    for i in (0..64u32).step_by(step) {
        out[i] = 1;
    }
}

#[test]
fn a_step_of_zero_is_an_error_value() {
    let device = Device::emulator();
    let mut out = device.zeros::<u32>(64).unwrap();
    let error = stepping(&mut out, 0).grid(1).block(1).launch(&device).unwrap_err().to_string();
    assert!(error.contains("step is not above 0") && error.contains("control.rs"), "{error}");
    stepping(&mut out, 32).grid(1).block(1).launch(&device).unwrap();
    assert_eq!(out.download().unwrap().iter().sum::<u32>(), 2);
}

#[device]
fn first_above(x: &[u32], limit: u32) -> u32 {
    let mut i = 0usize;
    let found = loop {
        if i >= x.len() {
            break 1000;
        }
        if (limit..=limit + 100).contains(&x[i]) {
            break x[i];
        }
        i += 1;
    };
    // An inner loop that gives the outer loop its value.
    let pair = 'outer: loop {
        for k in 0..4u32 {
            if (1..3).contains(&k) && k + found > 3 {
                break 'outer (k, true);
            }
        }
        break (9, false);
    };
    found + 10_000 * pair.0 + 100_000 * pair.1 as u32
}

#[kernel]
fn loops_with_values(x: &[u32], out: &mut [u32]) {
    let i = thread_idx.x;
    out[i] = first_above(x, i);
}

#[test]
fn a_loop_expression_has_a_value() {
    let numbers = [3u32, 1, 4, 1, 5, 9, 2, 6];
    for device in Device::for_tests("language") {
        let x = device.upload(&numbers).unwrap();
        let mut out = device.zeros::<u32>(12).unwrap();
        loops_with_values(&x, &mut out).grid(1).block(12).launch(&device).unwrap();
        let want: Vec<u32> = (0..12).map(|i| first_above(&numbers, i)).collect();
        assert_eq!(out.download().unwrap(), want);
    }
}
