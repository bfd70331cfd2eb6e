//! Structs and tuples: parameters, variables, fields, buffers, shared memory, functions.

use lanework::prelude::*;

/// A body of a simulation.
#[device]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Body {
    pos: [f32; 3],
    mass: f32,
    vel: Velocity,
}

/// A struct in a struct.
#[device]
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Velocity {
    x: f32,
    y: f32,
    steps: u32,
}

/// A parameter by value, with padding and with types that buffers cannot hold.
#[device]
#[derive(Clone, Copy, Debug)]
struct Settings {
    reverse: bool,
    dt: f64,
    shift: (u8, i16),
    half: bool,
}

fn body(i: u32) -> Body {
    let f = i as f32;
    Body {
        pos: [f, f + 0.25, f + 0.5],
        mass: 1.0 + f,
        vel: Velocity { x: f * 0.5, y: -f, steps: i },
    }
}

fn bodies(n: u32) -> Vec<Body> {
    (0..n).map(body).collect()
}

#[device]
fn moved(b: Body, dt: f32) -> Body {
    let pos = [b.pos[0] + dt * b.vel.x, b.pos[1] + dt * b.vel.y, b.pos[2]];
    Body { pos, vel: Velocity { steps: b.vel.steps + 1, ..b.vel }, ..b }
}

#[device]
fn kick(b: &mut Body, by: (f32, f32)) {
    b.vel.x += by.0;
    b.vel.y = b.vel.y - by.1;
}

#[device]
fn energy(b: &Body) -> f32 {
    0.5 * b.mass * (b.vel.x * b.vel.x + b.vel.y * b.vel.y)
}

#[kernel]
fn simulate(dt: f32, from: &[Body], to: &mut [Body], energies: &mut [f32]) {
    let i = block_idx.x * block_dim.x + thread_idx.x;
    if i < from.len() as u32 {
        let mut b = moved(from[i], dt);
        b.pos[2] *= 2.0;
        b.vel.x -= 0.125;
        kick(&mut b, (1.0, 0.5));
        to[i] = b;
        to[i].mass += 2.0;
        to[i].vel.steps = to[i].vel.steps * 2;
        kick(&mut to[i], (0.25, dt));
        energies[i] = energy(&b) + energy(&to[i]) + from[i].mass;
    }
}

#[test]
fn structs_live_in_buffers_variables_and_functions() {
    for device in Device::for_tests("structs") {
        let from = bodies(40);
        let (dt, n) = (0.5f32, from.len());
        let input = device.upload(&from).unwrap();
        let mut to = device.zeros::<Body>(n).unwrap();
        let mut energies = device.zeros::<f32>(n).unwrap();
        simulate(dt, &input, &mut to, &mut energies).grid(2).block(32).launch(&device).unwrap();
        let (mut wanted, mut sums) = (Vec::new(), Vec::new());
        for b in from {
            let pos = [b.pos[0] + dt * b.vel.x, b.pos[1] + dt * b.vel.y, b.pos[2] * 2.0];
            let vel =
                Velocity { x: b.vel.x - 0.125 + 1.0, y: b.vel.y - 0.5, steps: b.vel.steps + 1 };
            let energy = |b: &Body| 0.5 * b.mass * (b.vel.x * b.vel.x + b.vel.y * b.vel.y);
            let before = Body { pos, vel, ..b };
            let mut after = Body { mass: b.mass + 2.0, ..before };
            after.vel.steps *= 2;
            after.vel.x += 0.25;
            after.vel.y -= dt;
            wanted.push(after);
            sums.push(energy(&before) + energy(&after) + b.mass);
        }
        assert_eq!(to.download().unwrap(), wanted);
        assert_eq!(energies.download().unwrap(), sums);
    }
}

#[kernel]
fn by_value(settings: Settings, origin: (u32, f32), weights: [f32; 3], out: &mut [f64]) {
    let i = thread_idx.x;
    let mut value = weights[0] as f64 + weights[2] as f64 * settings.dt;
    if settings.reverse {
        value = -value;
    }
    if settings.half {
        value *= 0.5;
    }
    value += (settings.shift.0 as i32 + settings.shift.1 as i32) as f64;
    out[i] = value + (origin.0 + i) as f64 + origin.1 as f64;
}

#[test]
fn structs_tuples_and_arrays_are_passed_by_value() {
    for device in Device::for_tests("structs") {
        for (reverse, half) in [(false, true), (true, false), (true, true)] {
            let settings = Settings { reverse, dt: 0.25, shift: (200, -300), half };
            let mut out = device.zeros::<f64>(8).unwrap();
            by_value(settings, (7, 1.5), [1.0, 2.0, 4.0], &mut out)
                .grid(1)
                .block(8)
                .launch(&device)
                .unwrap();
            let wanted = |i: u32| {
                let sign = if reverse { -2.0 } else { 2.0 };
                sign * if half { 0.5 } else { 1.0 } - 100.0 + f64::from(7 + i) + 1.5
            };
            assert_eq!(out.download().unwrap(), (0..8).map(wanted).collect::<Vec<_>>());
        }
    }
}

#[kernel]
fn through_shared(from: &[Body], out: &mut [f32], indices: &[u32]) {
    let i = thread_idx.x;
    let tile = shared::<Body>([2, 32]);
    let flags = shared::<(bool, u16)>(64);
    tile[[i / 32, i % 32]] = from[i];
    flags[i].0 = i % 3 == 0;
    flags[i].1 = i as u16 * 2;
    sync_threads();
    let j = 63 - i;
    // An array in a struct in memory takes run-time indices.
    let axis = indices[i];
    let mut sum = tile[[j / 32, j % 32]].pos[axis] + tile[j / 32][j % 32].vel.x;
    if flags[j].0 {
        sum += flags[j].1 as f32;
    }
    sync_threads();
    tile[[i / 32, i % 32]].pos[axis] += 1.0;
    sync_threads();
    atomic_add(&mut tile[[0, 0]].vel.steps, 1);
    sync_threads();
    out[i] = sum + tile[[j / 32, j % 32]].pos[0] + tile[[0, 0]].vel.steps as f32;
}

#[test]
fn structs_live_in_shared_memory() {
    for device in Device::for_tests("structs") {
        let from = device.upload(&bodies(64)).unwrap();
        let indices: Vec<u32> = (0..64).map(|i| i % 3).collect();
        let indices = device.upload(&indices).unwrap();
        let mut out = device.zeros::<f32>(64).unwrap();
        through_shared(&from, &mut out, &indices).grid(1).block(64).launch(&device).unwrap();
        let wanted = |i: u32| {
            let j = 63 - i;
            let b = body(j);
            let mut sum = b.pos[(i % 3) as usize] + b.vel.x;
            if j % 3 == 0 {
                sum += (j * 2) as f32;
            }
            let first = b.pos[0] + if j % 3 == 0 { 1.0 } else { 0.0 };
            sum + first + 64.0
        };
        assert_eq!(out.download().unwrap(), (0..64).map(wanted).collect::<Vec<_>>());
    }
}

/// A pair of one type.
#[device]
#[derive(Clone, Copy, Debug, PartialEq)]
struct Pair<T> {
    first: T,
    second: T,
}

/// A tuple struct.
#[device]
#[derive(Clone, Copy, Debug, PartialEq)]
struct Weighted(f32, u32);

#[device]
fn swapped<T: Number>(pair: Pair<T>) -> Pair<T> {
    Pair { first: pair.second, second: pair.first }
}

#[kernel]
fn generics(pairs: &mut [Pair<f32>], weights: &mut [Weighted]) {
    let i = thread_idx.x;
    let p = swapped(pairs[i]);
    let q = swapped(Pair { first: i, second: 3u32 });
    pairs[i] = Pair { first: p.first * 2.0, second: p.second };
    let best = if q.second > 3 { Weighted(p.first, i) } else { Weighted(0.5, q.first) };
    weights[i] = best;
    weights[i].1 += 10;
}

#[test]
fn structs_are_generic_and_merge() {
    for device in Device::for_tests("structs") {
        let host: Vec<_> =
            (0..8).map(|i| Pair { first: i as f32, second: 100.0 - i as f32 }).collect();
        let mut pairs = device.upload(&host).unwrap();
        let mut weights = device.zeros::<Weighted>(8).unwrap();
        generics(&mut pairs, &mut weights).grid(1).block(8).launch(&device).unwrap();
        let wanted: Vec<_> =
            host.iter().map(|p| Pair { first: p.second * 2.0, second: p.first }).collect();
        assert_eq!(pairs.download().unwrap(), wanted);
        let wanted = |i: u32| {
            if i > 3 { Weighted(100.0 - i as f32, i + 10) } else { Weighted(0.5, 13) }
        };
        assert_eq!(weights.download().unwrap(), (0..8).map(wanted).collect::<Vec<_>>());
    }
}

#[device]
fn min_max(a: (f32, u32), b: (f32, u32)) -> ((f32, u32), (f32, u32)) {
    if a.0 <= b.0 { (a, b) } else { (b, a) }
}

#[kernel]
fn tuples(x: &[f32], out: &mut [f32]) {
    let i = thread_idx.x;
    let mut best = (x[0], 0u32, (1.0f32, 2.0f32, 3u64));
    for j in 1..i {
        let (low, high) = min_max((best.0, best.1), (x[j], j));
        best.0 = low.0;
        best.1 = low.1;
        best.2.0 += high.0;
        best.2.2 += 1;
        (best.2.1, best.2.0) = (best.2.0, best.2.1);
    }
    let mut copy = best;
    copy.1 += 1;
    let (a, mut b, (c, d, e)) = best;
    b += 100;
    out[i] = a + b as f32 + c + d + e as f32 + copy.1 as f32;
}

#[test]
fn tuples_are_variables_arguments_and_results() {
    for device in Device::for_tests("structs") {
        let x: Vec<f32> = (0..16).map(|i| ((i * 7) % 11) as f32).collect();
        let input = device.upload(&x).unwrap();
        let mut out = device.zeros::<f32>(16).unwrap();
        tuples(&input, &mut out).grid(1).block(16).launch(&device).unwrap();
        let wanted = |i: usize| {
            let mut best = (x[0], 0u32, (1.0f32, 2.0f32, 3u64));
            for (j, &next) in x.iter().enumerate().take(i).skip(1) {
                let (low, high) = if best.0 <= next {
                    ((best.0, best.1), (next, j as u32))
                } else {
                    ((next, j as u32), (best.0, best.1))
                };
                (best.0, best.1) = low;
                best.2.0 += high.0;
                best.2.2 += 1;
                (best.2.1, best.2.0) = (best.2.0, best.2.1);
            }
            let (a, b, (c, d, e)) = best;
            a + (b + 100) as f32 + c + d + e as f32 + (b + 1) as f32
        };
        assert_eq!(out.download().unwrap(), (0..16).map(wanted).collect::<Vec<_>>());
    }
}

#[kernel]
fn rows(out: &mut [u32]) {
    let tile = shared::<u32>([2, 3, 5]);
    let i = thread_idx.x;
    if i < 30 {
        tile[i / 15][i / 5 % 3][i % 5] = i;
    }
    sync_threads();
    if i < 3 {
        tile[1][i][4] += 100;
    }
    sync_threads();
    if i < 30 {
        out[i] = tile[[i / 15, i / 5 % 3, i % 5]];
    }
}

#[test]
fn shared_arrays_are_indexed_row_by_row() {
    for device in Device::for_tests("structs") {
        let mut out = device.zeros::<u32>(30).unwrap();
        rows(&mut out).grid(1).block(32).launch(&device).unwrap();
        let wanted = |i: u32| i + if i >= 15 && i % 5 == 4 { 100 } else { 0 };
        assert_eq!(out.download().unwrap(), (0..30).map(wanted).collect::<Vec<_>>());
    }
}

#[device]
#[derive(Clone, Copy)]
struct Scale {
    factor: f32,
    count: u32,
    wide: bool,
}

#[kernel]
fn one_field(scale: Scale, from: &[Body], to: &mut [Body], out: &mut [f32]) {
    let i = thread_idx.x;
    out[i] = from[i].vel.x * scale.factor;
    to[i].mass = 1.5;
    to[i].vel.steps += scale.count;
    out[i + 1] = energy(&from[i]);
}

/// The loads and stores of a kernel: mnemonic and offset, without registers.
fn accesses(module: &lanework::ptx::Module) -> Vec<String> {
    let text = module.to_string();
    let accesses = text.lines().map(str::trim).filter(|line| {
        ["ld.", "st."].iter().any(|word| line.starts_with(word))
            && !line.contains("_address")
            && !line.contains("_length")
    });
    let form = |line: &str| {
        let name = line.split_whitespace().next().unwrap_or_default();
        let inside = line.split(['[', ']']).nth(1).unwrap_or_default();
        let offset = inside.split_once('+').map_or("0", |(_, offset)| offset);
        let parameter = if inside.starts_with('%') { "" } else { inside };
        match parameter.is_empty() {
            true => format!("{name} +{offset}"),
            false => format!("{name} {parameter}"),
        }
    };
    accesses.map(form).collect()
}

#[test]
fn a_field_of_an_element_is_one_access() {
    let device = Device::emulator();
    let from = device.upload(&bodies(2)).unwrap();
    let mut to = device.zeros::<Body>(2).unwrap();
    let mut out = device.zeros::<f32>(2).unwrap();
    let scale = Scale { factor: 2.0, count: 3, wide: false };
    let _ = scale.wide;
    let module = one_field(scale, &from, &mut to, &mut out).module().unwrap();
    let text = module.to_string();
    assert!(text.contains(".param .align 4 .b8 scale[12]"), "{text}");
    assert_eq!(
        accesses(&module),
        [
            "ld.param.f32 scale",
            "ld.param.u32 scale+4",
            // from[i].vel.x
            "ld.global.f32 +16",
            "st.global.f32 +0",
            // to[i].mass
            "st.global.f32 +12",
            // to[i].vel.steps
            "ld.global.u32 +24",
            "st.global.u32 +24",
            // energy(&from[i]): the fields that it uses
            "ld.global.f32 +12",
            "ld.global.f32 +16",
            "ld.global.f32 +20",
            "st.global.f32 +0",
        ],
        "{text}"
    );
}
