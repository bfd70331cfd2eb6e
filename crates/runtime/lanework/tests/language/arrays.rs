//! Arrays indexed at run time: variables in local memory, tables in constant memory, and
//! copies of run-time values.

use lanework::prelude::*;

/// Runs a kernel of 32 threads on every device and compares their results.
fn run<T: Element>(
    each: usize,
    launch: impl Fn(&mut Buffer<T>) -> Launch<'_>,
    expected: impl Fn(u32) -> Vec<T>,
) {
    let expected: Vec<T> = (0..32).flat_map(expected).collect();
    assert_eq!(expected.len(), 32 * each);
    for device in Device::for_tests("language") {
        let mut out = device.zeros::<T>(expected.len()).unwrap();
        launch(&mut out).grid(1).block(32).launch(&device).unwrap();
        assert_eq!(out.download().unwrap(), expected);
    }
}

#[kernel]
fn insertion_sort(out: &mut [u32]) {
    let t = thread_idx.x;
    let mut a = [0u32; 16];
    for i in 0..a.len() {
        a[i] = (t * 7 + i as u32 * 13) % 31;
    }
    for i in 1..16usize {
        let value = a[i];
        let mut k = i;
        while k > 0 && a[k - 1] > value {
            a[k] = a[k - 1];
            k -= 1;
        }
        a[k] = value;
    }
    // The same array at indices known while staging.
    a[0] += 100;
    let kept = a[15];
    a[t % 16] += 1000;
    #[unroll]
    for i in 0..16 {
        out[t * 17 + i] = a[i];
    }
    out[t * 17 + 16] = kept;
}

#[test]
fn local_arrays_are_written_and_read_at_run_time() {
    run(
        17,
        |out| insertion_sort(out),
        |t| {
            let mut a: Vec<u32> = (0..16).map(|i| (t * 7 + i * 13) % 31).collect();
            a.sort_unstable();
            a[0] += 100;
            let kept = a[15];
            a[t as usize % 16] += 1000;
            a.push(kept);
            a
        },
    );
}

#[kernel]
fn matrices(out: &mut [f64]) {
    let t = thread_idx.x;
    let mut a = [[0.5f64; 3]; 4];
    for i in 0..4u32 {
        for j in 0..3i32 {
            a[i][j] = (i * 10) as f64 + j as f64;
        }
        a[i][1] += 0.25;
    }
    a[t % 4][t % 3] *= 2.0;
    let row = a[t % 4];
    a[2][t % 3] -= 1.0;
    out[t * 4] = row[0] + row[2];
    out[t * 4 + 1] = a[t % 4][1];
    out[t * 4 + 2] = a[2][(t + 1) % 3];
    out[t * 4 + 3] = a[3][2];
}

#[test]
fn arrays_of_arrays_take_run_time_indices_in_any_place() {
    run(
        4,
        |out| matrices(out),
        |t| {
            let mut a = [[0.5f64; 3]; 4];
            for (i, row) in a.iter_mut().enumerate() {
                for (j, x) in row.iter_mut().enumerate() {
                    *x = i as f64 * 10.0 + j as f64;
                }
                row[1] += 0.25;
            }
            let t = t as usize;
            a[t % 4][t % 3] *= 2.0;
            let row = a[t % 4];
            a[2][t % 3] -= 1.0;
            vec![row[0] + row[2], a[t % 4][1], a[2][(t + 1) % 3], a[3][2]]
        },
    );
}

#[kernel]
fn rows_first(out: &mut [u32]) {
    let t = thread_idx.x;
    let mut a = [[[1u8; 2]; 3]; 4];
    a[2][t % 3][1] = 20;
    a[3][1][t % 2] += 9;
    a[1][t % 3] = [5, t as u8];
    a[t % 4][t % 3][t % 2] += 100;
    let mut sum = 0;
    for i in 0..24u32 {
        sum = (sum * 3 + a[i / 6][i / 2 % 3][i % 2] as u32) % 65_521;
    }
    out[t] = sum;
}

#[test]
fn indexing_a_row_first_gives_the_same_memory() {
    run(
        1,
        |out| rows_first(out),
        |t| {
            let at = t as usize;
            let mut a = [[[1u8; 2]; 3]; 4];
            a[2][at % 3][1] = 20;
            a[3][1][at % 2] += 9;
            a[1][at % 3] = [5, t as u8];
            a[at % 4][at % 3][at % 2] += 100;
            vec![
                a.as_flattened()
                    .as_flattened()
                    .iter()
                    .fold(0, |s, x| (s * 3 + u32::from(*x)) % 65_521),
            ]
        },
    );
}

#[kernel]
fn of_every_type(out: &mut [i64]) {
    let t = thread_idx.x;
    let mut bytes = [-1i8; 4];
    let mut shorts = [1u16, 2, 3];
    let mut flags = [false; 8];
    let pairs = [(t / 2, 0.5f32 * t as f32), (t, t as f32 * 0.5)];
    bytes[t % 4] -= 100;
    shorts[t % 3] *= 40_000;
    flags[t % 8] = t % 3 == 0;
    flags[7 - t % 8] |= flags[t % 8];
    let (first, second) = pairs[t % 2];
    let mut sum = 0i64;
    for k in 0..8u32 {
        sum += flags[k] as i64 * (1i64 << k);
    }
    out[t * 4] = bytes[(t + 1) % 4] as i64 * 1000 + bytes[t % 4] as i64;
    out[t * 4 + 1] = shorts[0] as i64 + shorts[t % 3] as i64;
    out[t * 4 + 2] = sum;
    out[t * 4 + 3] = first as i64 * 100 + second as i64;
}

#[test]
fn elements_of_every_type_live_in_local_memory() {
    run(
        4,
        |out| of_every_type(out),
        |t| {
            let at = t as usize;
            let mut bytes = [-1i8; 4];
            let mut shorts = [1u16, 2, 3];
            let mut flags = [false; 8];
            let pairs = [(t / 2, 0.5f32 * t as f32), (t, t as f32 * 0.5)];
            bytes[at % 4] -= 100;
            shorts[at % 3] = shorts[at % 3].wrapping_mul(40_000);
            flags[at % 8] = t % 3 == 0;
            flags[7 - at % 8] |= flags[at % 8];
            let sum = (0..8).map(|k| i64::from(flags[k]) << k).sum();
            let (first, second) = pairs[at % 2];
            let words = i64::from(bytes[(at + 1) % 4]) * 1000 + i64::from(bytes[at % 4]);
            let shorts = i64::from(shorts[0]) + i64::from(shorts[at % 3]);
            vec![words, shorts, sum, i64::from(first) * 100 + second as i64]
        },
    );
}

#[device]
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
struct Body {
    position: [f32; 3],
    kind: u8,
    alive: bool,
    mass: f32,
}

#[kernel]
fn of_structs(out: &mut [f32]) {
    let t = thread_idx.x;
    let mut bodies = [Body { position: [1.0, 2.0, 3.0], kind: 7, alive: false, mass: 0.5 }; 4];
    bodies[1].mass = 2.5;
    bodies[t % 4].mass += t as f32;
    bodies[t % 3].position[t % 2] = 10.0;
    bodies[t % 4].alive = t > 7;
    bodies[2] = Body { position: [t as f32, 0.0, 1.0], kind: 3, alive: true, mass: 0.25 };
    let body = bodies[(t + 1) % 4];
    let row = bodies[0].position;
    let mut sum = body.mass + body.position[t % 3] * 3.0 + row[t % 3] + body.kind as f32;
    if bodies[t % 4].alive {
        sum += 1000.0;
    }
    out[t] = sum + bodies[1].mass * 100.0;
}

#[test]
fn arrays_of_structs_live_in_local_memory() {
    run(
        1,
        |out| of_structs(out),
        |t| {
            let at = t as usize;
            let mut bodies =
                [Body { position: [1.0, 2.0, 3.0], kind: 7, alive: false, mass: 0.5 }; 4];
            bodies[1].mass = 2.5;
            bodies[at % 4].mass += t as f32;
            bodies[at % 3].position[at % 2] = 10.0;
            bodies[at % 4].alive = t > 7;
            bodies[2] = Body { position: [t as f32, 0.0, 1.0], kind: 3, alive: true, mass: 0.25 };
            let body = bodies[(at + 1) % 4];
            let row = bodies[0].position;
            let mut sum =
                body.mass + body.position[at % 3] * 3.0 + row[at % 3] + f32::from(body.kind);
            if bodies[at % 4].alive {
                sum += 1000.0;
            }
            vec![sum + bodies[1].mass * 100.0]
        },
    );
}

const WEIGHTS: [f32; 9] = [0.5, 1.5, -2.0, 3.0, 4.25, 5.0, 6.0, -7.0, 8.0];
static OFFSETS: [[i8; 2]; 4] = [[-1, 0], [1, 0], [0, -128], [0, 127]];
const PRIMES: &[u64] = &[2, 3, 5, 7, 11, 1 << 40];

mod tables {
    pub const MASKS: [bool; 4] = [true, false, false, true];
}

#[kernel]
fn tables(#[constant] steps: [u16; 5], out: &mut [f32]) {
    const LOCAL: [i32; 3] = [-5, 0, 5];
    let t = thread_idx.x;
    let weight = WEIGHTS[t % WEIGHTS.len() as u32];
    let offset = OFFSETS[t % 4][t / 4 % 2] as f32;
    let vertical = OFFSETS[t % 4][1] as f32 + OFFSETS[2][t % 2] as f32;
    let prime = PRIMES[t % 6] as f32;
    let step = steps[t % 5] as f32;
    let local = if tables::MASKS[t % 4] { LOCAL[t % 3] as f32 } else { 0.0 };
    out[t] = weight * 1000.0 + offset * 100.0 + vertical + prime * 3.0 + step + local * 0.125;
}

#[test]
fn constants_are_tables_in_constant_memory() {
    let steps = [1, 2, 3, 5, 65_535];
    run(
        1,
        |out| tables(steps, out),
        |t| {
            let t = t as usize;
            let offset = f32::from(OFFSETS[t % 4][t / 4 % 2]);
            let vertical = f32::from(OFFSETS[t % 4][1]) + f32::from(OFFSETS[2][t % 2]);
            let local = if tables::MASKS[t % 4] { [-5.0, 0.0, 5.0][t % 3] } else { 0.0 };
            let sum =
                WEIGHTS[t % 9] * 1000.0 + offset * 100.0 + vertical + PRIMES[t % 6] as f32 * 3.0;
            vec![sum + f32::from(steps[t % 5]) + local * 0.125]
        },
    );
    let device = Device::emulator();
    let mut out = device.zeros::<f32>(32).unwrap();
    let ptx = tables(steps, &mut out).module().unwrap().to_string();
    assert!(ptx.contains(".const .align 16 .f32 table[9]"), "{ptx}");
    assert!(!ptx.contains(".local"), "{ptx}");
}

#[device]
fn pick(values: &[f32; 4], i: u32) -> f32 {
    values[i]
}

#[device]
fn rotate(values: &mut [f32; 4], by: u32) {
    for _ in 0..by {
        let first = values[0];
        for i in 0..3 {
            values[i] = values[i + 1];
        }
        values[3] = first;
    }
}

#[kernel]
fn in_functions(out: &mut [f32]) {
    let t = thread_idx.x;
    let x = t as f32;
    let fixed = [x, x + 0.5, x * 2.0, 1.0];
    let mut turned = fixed;
    rotate(&mut turned, t % 5);
    let chosen = if t > 16 { fixed } else { [x, 0.0, -x, 9.0] };
    out[t] = pick(&fixed, t % 4) + 3.0 * pick(&turned, (t + 1) % 4) + 100.0 * chosen[t / 2 % 4];
}

#[test]
fn arrays_are_indexed_in_device_functions_and_on_the_host() {
    run(
        1,
        |out| in_functions(out),
        |t| {
            let x = t as f32;
            let fixed = [x, x + 0.5, x * 2.0, 1.0];
            let mut turned = fixed;
            rotate(&mut turned, t % 5);
            let chosen = if t > 16 { fixed } else { [x, 0.0, -x, 9.0] };
            let sum = pick(&fixed, t % 4) + 3.0 * pick(&turned, (t + 1) % 4);
            vec![sum + 100.0 * chosen[t as usize / 2 % 4]]
        },
    );
}

#[device]
fn total(values: &[f32]) -> f32 {
    let mut sum = 0.0;
    for (i, value) in values.iter().enumerate() {
        if i % 2 == 0 {
            continue;
        }
        sum += *value;
    }
    for &value in values {
        if value > 50.0 {
            break;
        }
        sum += value;
    }
    sum
}

#[kernel]
fn over_elements(x: &[f32], out: &mut [f32]) {
    let t = thread_idx.x;
    let tile = shared::<f32>(8);
    if t < 8 {
        tile[t] = x[t];
    }
    sync_threads();
    let mut sum = total(x);
    for k in [t, t + 1, 5] {
        sum += k as f32;
    }
    for (i, weight) in WEIGHTS.iter().enumerate() {
        if i as u32 == t {
            break;
        }
        sum += *weight;
    }
    for value in tile {
        sum += value;
    }
    out[t] = sum;
}

#[test]
fn loops_go_over_arrays_and_slices() {
    let x: Vec<f32> = (0..70).map(|i| i as f32).collect();
    for device in Device::for_tests("language") {
        let dx = device.upload(&x).unwrap();
        let mut out = device.zeros::<f32>(32).unwrap();
        over_elements(&dx, &mut out).grid(1).block(32).launch(&device).unwrap();
        let expected: Vec<f32> = (0..32usize)
            .map(|t| {
                let mut sum = total(&x);
                for k in [t, t + 1, 5] {
                    sum += k as f32;
                }
                WEIGHTS.iter().take(t).for_each(|weight| sum += weight);
                x[..8].iter().for_each(|value| sum += value);
                sum
            })
            .collect();
        assert_eq!(out.download().unwrap(), expected);
    }
}

#[kernel]
fn past_the_end(out: &mut [f32]) {
    let mut a = [1.0f32; 4];
    a[thread_idx.x] = 2.0;
    out[thread_idx.x] = a[0];
}

#[test]
fn an_index_past_a_local_array_is_reported() {
    let device = Device::emulator();
    let mut out = device.zeros::<f32>(8).unwrap();
    let error = past_the_end(&mut out).grid(1).block(8).launch(&device).unwrap_err();
    let text = error.to_string();
    assert!(text.contains("index 4 is out of bounds: the array has 4 elements"), "{text}");
    assert!(text.contains("arrays.rs:"), "{text}");
}

#[kernel]
fn only_host_indices(out: &mut [f32]) {
    let mut a = [0.0f32; 4];
    #[unroll]
    for i in 0..4 {
        a[i] += i as f32;
    }
    out[thread_idx.x] = a[0] + a[3];
}

#[test]
fn host_indices_stay_in_registers() {
    let device = Device::emulator();
    let mut out = device.zeros::<f32>(8).unwrap();
    let ptx = only_host_indices(&mut out).module().unwrap().to_string();
    assert!(!ptx.contains("local"), "{ptx}");
}
