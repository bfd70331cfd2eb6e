//! `match` and patterns: integers, ranges, bools, enums, tuples, structs, guards.

use lanework::prelude::*;

/// Runs a kernel of 64 threads that writes one `u32` each.
fn run(launch: impl Fn(&mut Buffer<u32>) -> Launch<'_>, expected: impl Fn(u32) -> u32) {
    for device in Device::for_tests("patterns") {
        let mut out = device.zeros::<u32>(64).unwrap();
        launch(&mut out).grid(1).block(64).launch(&device).unwrap();
        let expected: Vec<u32> = (0..64).map(&expected).collect();
        assert_eq!(out.download().unwrap(), expected);
    }
}

/// The task of a thread.
#[device]
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(u8)]
enum Shape {
    Circle,
    Square = 7,
    Line,
    Point = 200,
}

#[device]
impl Shape {
    fn of(i: u32) -> Shape {
        match i % 5 {
            0 | 4 => Shape::Circle,
            1 => Shape::Square,
            2 => Shape::Line,
            _ => Shape::Point,
        }
    }

    fn corners(self) -> u32 {
        match self {
            Self::Circle => 0,
            Self::Square => 4,
            Self::Line | Self::Point => 2 - (self == Shape::Point) as u32,
        }
    }
}

const LIMIT: u32 = 50;

#[device]
fn classify(i: u32, flag: bool) -> u32 {
    match (i, flag) {
        (0, _) => 1,
        (n @ 1..=9, true) => n * 10,
        (n, true) if n % 7 == 0 => n * 100,
        (LIMIT, false) => 77,
        (n, false) if n > 60 => {
            if n == 62 {
                return 5;
            }
            n + 1000
        }
        (40.., _) => 40,
        (a, b) => a + b as u32,
    }
}

#[kernel]
fn matches_of_tuples(out: &mut [u32]) {
    let i = thread_idx.x;
    out[i] = classify(i, i % 3 == 0);
}

#[test]
fn tuples_match_with_guards_ranges_and_bindings() {
    // The reference is the device function itself, run on the host.
    run(|out| matches_of_tuples(out), |i| classify(i, i % 3 == 0));
}

#[kernel]
fn enums(out: &mut [u32], chosen: Shape) {
    let i = thread_idx.x;
    let mut shape = Shape::of(i);
    let kept = shared::<Shape>(64);
    kept[i] = shape;
    sync_threads();
    if kept[63 - i] == chosen {
        shape = Shape::Point;
    }
    let mut sum = shape.corners() * 1000 + shape as u32;
    match kept[i] {
        Shape::Circle => sum += 100_000,
        Shape::Square if i > 20 => {
            sum += 200_000;
            sum += i;
        }
        other => sum += other as u32 * 10_000,
    }
    if matches!(shape, Shape::Line | Shape::Square if i < 40) {
        sum += 1_000_000;
    }
    out[i] = sum;
}

#[test]
fn enums_are_parameters_variables_and_matched() {
    for chosen in [Shape::Circle, Shape::Square, Shape::Line, Shape::Point] {
        run(
            |out| enums(out, chosen),
            |i| {
                let mut shape = Shape::of(i);
                if Shape::of(63 - i) == chosen {
                    shape = Shape::Point;
                }
                let mut sum = shape.corners() * 1000 + shape as u32;
                match Shape::of(i) {
                    Shape::Circle => sum += 100_000,
                    Shape::Square if i > 20 => sum += 200_000 + i,
                    other => sum += other as u32 * 10_000,
                }
                if matches!(shape, Shape::Line | Shape::Square if i < 40) {
                    sum += 1_000_000;
                }
                sum
            },
        );
    }
}

/// A ray.
#[device]
#[derive(Clone, Copy, Debug, PartialEq)]
struct Ray {
    origin: (i32, i32),
    kind: u32,
}

#[device]
fn hits(Ray { origin: (x, y), kind }: Ray, (dx, dy): (i32, i32)) -> (bool, u32) {
    let reach = x * dx + y * dy;
    match kind {
        0 => (reach > 0, kind),
        1 if reach % 2 == 0 => (true, 3),
        _ => (false, reach as u32),
    }
}

#[device]
fn search(limit: u32, i: u32) -> u32 {
    let ray = Ray { origin: (i as i32, 3 - i as i32), kind: i % 3 };
    let Ray { origin, kind: k } = ray;
    let (true, number) = hits(ray, (2, 1)) else {
        return (1000 + origin.1 * k as i32) as u32;
    };
    let mut sum = number;
    if let Ray { kind: 0 | 1, origin: (x, -60..=-10) } = ray {
        sum += 10_000 + x as u32;
    } else if let (mut a @ 10..=20, false) = (i, k == 2)
        && a != 12
    {
        a += 1;
        sum += a * 100;
    } else {
        sum += 7;
    }
    let mut j = i;
    while let 3..=1000 = j {
        j = match j % 2 {
            0 => j / 2,
            _ if sum > limit => break,
            _ => {
                sum += 1;
                j - 1
            }
        };
    }
    let [first, .., last] = [j, sum, i, i + 9];
    sum * 10 + first + last
}

#[kernel]
fn lets(limit: u32, out: &mut [u32]) {
    let i = thread_idx.x;
    out[i] = search(limit, i);
}

#[test]
fn patterns_work_in_let_if_while_and_parameters() {
    for limit in [5, 100_000] {
        run(|out| lets(limit, out), |i| search(limit, i));
    }
}

#[kernel]
fn either(out: &mut [u32]) {
    let i = thread_idx.x;
    out[i] = match (i % 4, i / 4) {
        (0, n) | (n, 0) => n + 1,
        (1, n @ 3..=9) | (n @ 2, 4) => n * 100,
        (a, b) => a * 1000 + b,
    };
}

#[test]
fn alternatives_bind_the_same_names() {
    run(
        |out| either(out),
        |i| match (i % 4, i / 4) {
            (0, n) | (n, 0) => n + 1,
            (1, n @ 3..=9) | (n @ 2, 4) => n * 100,
            (a, b) => a * 1000 + b,
        },
    );
}

/// A compile-time mode of a kernel.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Mode {
    Plain,
    Scaled(u32),
}

#[kernel]
fn on_host_values<const N: u32>(
    #[constant] double: bool,
    #[constant] offset: u32,
    out: &mut [u32],
) {
    let i = thread_idx.x;
    let factor = match N {
        0 => 1,
        1..=4 => N * 2,
        _ => 100,
    };
    let shift = match (double, offset) {
        (true, n) => n * 2,
        (false, 3) => 30,
        (false, n) => n,
    };
    out[i] = match i {
        0..32 => i * factor,
        _ => shift,
    };
}

#[test]
fn host_values_are_matched_while_staging() {
    run(|out| on_host_values::<3>(true, 5, out), |i| if i < 32 { i * 6 } else { 10 });
    run(|out| on_host_values::<0>(false, 3, out), |i| if i < 32 { i } else { 30 });
    run(|out| on_host_values::<9>(false, 4, out), |i| if i < 32 { i * 100 } else { 4 });
    assert_ne!(Mode::Plain, Mode::Scaled(1));
}

#[device]
fn later(i: u32) -> u32 {
    let sign;
    let body: Ray;
    if i % 2 == 0 {
        sign = 1;
        body = Ray { origin: (1, 2), kind: i };
    } else {
        if i == 7 {
            return 70;
        }
        sign = 3;
        body = Ray { origin: (i as i32, 5), kind: 0 };
    }
    let scale;
    match i {
        0..=9 => scale = 10,
        _ => {
            scale = 100;
        }
    }
    let mut best = (f32::INFINITY, 0);
    for k in 0..4usize {
        let d = (i as f32 - 3.0 * k as f32).abs();
        if d < best.0 {
            best = (d, k);
        }
    }
    sign * scale + body.origin.0 as u32 * 10_000 + body.kind + best.1 as u32
}

#[kernel]
fn values_later(out: &mut [u32]) {
    let i = thread_idx.x;
    out[i] = later(i);
}

#[test]
fn variables_get_their_value_later() {
    run(|out| values_later(out), later);
}

#[device]
fn rise(x: &[u32], i: usize) -> u32 {
    if i > 0
        && let Some(&before) = x.get(i - 1)
        && let Some(&here) = x.get(i)
        && before < here
        && let [low, high] = [before, here]
    {
        return high - low;
    } else if let Some(v) = x.get(i)
        && *v > 8
        && let 9..=12 = *v
    {
        return 100 + v;
    }
    let value = if let Some(a) = x.first()
        && let Some(b) = x.last()
        && a == b
    {
        *a
    } else {
        50
    };
    let mut sum = value;
    for k in 0..x.len() {
        if x[k] != 3
            && let 1 | 4 = x[k]
        {
            continue;
        }
        sum += x[k];
    }
    sum
}

#[kernel]
fn rises(x: &[u32], out: &mut [u32]) {
    out[thread_idx.x] = rise(x, thread_idx.x as usize);
}

#[test]
fn conditions_are_chained_with_lets() -> lanework::Result<()> {
    for device in Device::for_tests("conditions_are_chained_with_lets") {
        for x in [[9u32, 3, 5, 12, 4, 1], [7, 8, 1, 3, 3, 7]] {
            let (on_device, mut out) = (device.upload(&x)?, device.zeros::<u32>(8)?);
            rises(&on_device, &mut out).grid(1).block(8).launch(&device)?;
            assert_eq!(out.download()?, std::array::from_fn::<u32, 8, _>(|i| rise(&x, i)));
        }
    }
    Ok(())
}

/// The operation of a small machine's instruction.
#[device]
#[derive(Clone, Copy, Debug, PartialEq)]
enum Step {
    Push(i32),
    Jump { to: u8, when: bool },
    Scale(f32, Shape),
    Halt,
}

#[device]
impl Step {
    fn of(i: u32) -> Step {
        match i % 4 {
            0 => Step::Push(i as i32 - 9),
            1 => Step::Jump { to: i as u8, when: i > 20 },
            2 => Step::Scale(i as f32 / 2.0, Shape::of(i)),
            _ => Step::Halt,
        }
    }

    fn value(&self) -> i32 {
        match self {
            Step::Push(n @ 0..) => *n,
            Step::Push(n) => 1000 - n,
            Step::Jump { when: true, .. } => 77,
            Self::Jump { to, when: _ } => *to as i32 * 2,
            Step::Scale(by, Shape::Circle | Shape::Line) => *by as i32,
            Step::Scale(..) => -1,
            Self::Halt => 0,
        }
    }

    fn next(&mut self) {
        *self = match *self {
            Step::Push(n) if n < 5 => Step::Push(n + 1),
            Step::Jump { to, when } => Step::Jump { when: !when, to },
            Step::Scale(by, of) => Step::Scale(by + 1.0, of),
            _ => Step::Halt,
        };
    }
}

#[device]
fn found(i: u32) -> Option<Step> {
    let step = Step::of(i);
    if i % 5 == 0 { None } else { Some(step) }
}

#[device]
fn run_of(i: u32) -> i32 {
    let mut step = Step::of(i);
    let first = step.value();
    for _ in 0..i % 3 {
        step.next();
    }
    let mut steps = [Step::Halt; 3];
    steps[(i % 3) as usize] = step;
    let halted = steps[0] == Step::Halt;
    let Step::Push(n) = steps[(i % 3) as usize] else {
        return first * 10 + step.value() + halted as i32;
    };
    let same = step == Step::Push(n) && step != Step::of(i + 4) && matches!(step, Step::Push(_));
    let more = match found(i) {
        Some(Step::Push(n)) => n,
        Some(_) => 3,
        None => 4,
    };
    n + 100 * same as i32 + first * 1000 + more * 7
}

#[kernel]
fn steps(out: &mut [u32], given: Step) {
    let i = thread_idx.x;
    let kept = shared::<Step>(64);
    kept[i] = Step::of(i);
    sync_threads();
    let other = kept[63 - i];
    let bonus = if other == given { 50_000 } else { 0 };
    let given = if let Step::Scale(by, _) = given
        && i > 7
    {
        by as i32
    } else {
        0
    };
    out[i] = (run_of(i) + other.value() * 100 + bonus + given) as u32;
}

#[test]
fn enums_hold_data() {
    for given in [Step::Scale(4.5, Shape::Point), Step::Halt, Step::Push(-5)] {
        run(
            |out| steps(out, given),
            |i| {
                let other = Step::of(63 - i);
                let bonus = if other == given { 50_000 } else { 0 };
                let by = if let Step::Scale(by, _) = given
                    && i > 7
                {
                    by as i32
                } else {
                    0
                };
                (run_of(i) + other.value() * 100 + bonus + by) as u32
            },
        );
    }
}

#[device]
#[derive(Clone, Copy, Debug)]
enum Either<A, const N: usize> {
    One(A),
    Many([u32; N]),
}

#[device]
fn total<const N: usize>(of: Either<u32, N>) -> u32 {
    match of {
        Either::One(x) => x,
        Either::Many(all) => all.iter().copied().sum::<u32>(),
    }
}

#[device]
fn total_of_one_or_three(i: u32) -> u32 {
    total(if i < 9 { Either::<u32, 3>::One(i) } else { Either::<u32, 3>::Many([i, i + 1, i * 2]) })
}

#[kernel]
fn totals(out: &mut [u32]) {
    out[thread_idx.x] = total_of_one_or_three(thread_idx.x);
}

#[test]
fn enums_with_data_are_generic() {
    run(|out| totals(out), total_of_one_or_three);
}
