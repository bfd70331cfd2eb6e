//! `language.cu`: structs by value, unions, templates, globals, jumps, calls, assertions, printing.

use crate::Case;
use crate::case::{args, doubles, floats, ints};

const UNIT: &str = "language";

pub fn cases() -> Vec<Case> {
    let mut cases = vec![by_value(), unions(), heap_sort(), globals(), polynomials()];
    cases.extend([interpreter(), tangled(), virtual_calls(), function_pointers(), recursion()]);
    cases.extend([assertions(true), assertions(false), printing(), heap_lists(), clocks()]);
    cases.extend([bounded(), carved()]);
    cases
}

/// The bytes of a `Big` of the source.
fn big(a: [i32; 5], d: f64, c: i8, s: [i16; 3], pair: [f32; 2]) -> Vec<u8> {
    let mut bytes: Vec<u8> = a.iter().flat_map(|v| v.to_le_bytes()).collect();
    bytes.extend([0; 4]);
    bytes.extend(d.to_le_bytes());
    bytes.extend([c as u8, 0]);
    bytes.extend(s.iter().flat_map(|v| v.to_le_bytes()));
    bytes.extend(pair.iter().flat_map(|v| v.to_le_bytes()));
    bytes
}

fn by_value() -> Case {
    let given = big([1, -2, 3, -4, 5], 0.75, 9, [100, 200, 300], [1.5, 7.0]);
    let fields = |bytes: &[u8]| {
        // Padding is undefined.
        let mut bytes = bytes.to_vec();
        bytes[20..24].fill(0);
        bytes[33] = 0;
        bytes
    };
    let mut expected = Vec::new();
    for thread in 0..4 {
        expected.extend(big([2 + thread, -4, 6, -8, 10], 1.5, 10, [100, 197, 300], [1.5, -1.5]));
    }
    // `pick` is 1: s[1] = s[1] of the argument + a[2] of the argument, which is 200 + 3.
    expected.chunks_mut(48).for_each(|big| big[36..38].copy_from_slice(&203i16.to_le_bytes()));
    Case::new(UNIT, "structs by value")
        .with("out", &[0u8; 48 * 4])
        .run("by_value", 1, 4, args![given, "out", 1i32])
        .satisfies("out", move |found: &[u8]| {
            let found: Vec<u8> = found.chunks(48).flat_map(fields).collect();
            match found.iter().zip(&expected).position(|(a, b)| a != b) {
                None => Ok(()),
                Some(at) => Err(format!("[{at}] is {} instead of {}", found[at], expected[at])),
            }
        })
        .may_differ("out", "padding")
}

fn unions() -> Case {
    let x: Vec<f32> = floats(1, 32).iter().map(|v| v * 1000.0).collect();
    let mut out = Vec::new();
    for x in &x {
        let bits = x.to_bits();
        let [a, b, c, d] = bits.to_le_bytes();
        let swapped = u32::from_le_bytes([d, b, c, a]);
        out.extend([bits >> 23 & 255, swapped]);
        out.push((swapped & 0x807f_ffff | 127 << 23) ^ 1 << 31);
    }
    Case::new(UNIT, "unions")
        .with("in", &x)
        .with("out", &[0u32; 96])
        .run("unions", 1, 32, args!["in", "out"])
        .expects("out", &out)
}

fn heap_sort() -> Case {
    let n = 20;
    let x = ints(2, 32 * n, -500, 500);
    let mut out = x.clone();
    out.chunks_mut(n).for_each(<[i32]>::sort_unstable);
    Case::new(UNIT, "arrays in local memory")
        .with("in", &x)
        .with("out", &vec![0i32; x.len()])
        .run("heap_sort", 1, 32, args!["in", "out", n as i32])
        .expects("out", &out)
}

fn globals() -> Case {
    let word =
        |n: i32, w: &[u8]| w.iter().fold(n, |n, &c| n.wrapping_mul(31).wrapping_add(i32::from(c)));
    let scaled: Vec<f64> = (0..6).map(|i| [0.5, -2.0, 1e300][i % 3] * i as f64).collect();
    Case::new(UNIT, "globals and constants")
        .with("out", &[0i32; 5])
        .with("scaled", &[0f64; 6])
        .run("globals", 1, 6, args!["out", "scaled"])
        .run("globals_after", 1, 1, args!["out"])
        .expects("out", &[4, 15, word(word(0, b"one"), b"three"), 1, 46 + 15])
        .expects("scaled", &scaled)
}

fn polynomials() -> Case {
    let (c, x) = ([1f32, -2.0, 3.0, 0.5], ints(3, 16, -20, 20));
    let x: Vec<f32> = x.iter().map(|&v| v as f32).collect();
    let value = |c: [f32; 4], x: f32| c.iter().rev().fold(0.0, |v, c| v * x + c);
    let derived: [f32; 4] = std::array::from_fn(|i| c[i] * i as f32 * 0.25);
    let out: Vec<f32> =
        x.iter().map(|&x| value(c, x)).chain(x.iter().map(|&x| value(derived, x))).collect();
    let bytes: Vec<u8> = c.iter().flat_map(|v| v.to_le_bytes()).collect();
    Case::new(UNIT, "templates and lambdas")
        .with("in", &x)
        .with("out", &[0f32; 32])
        .run(
            "_Z11polynomialsILi4EEv10PolynomialIXT_EEPKfPff",
            1,
            16,
            args![bytes, "in", "out", 0.25f32],
        )
        .expects("out", &out)
}

fn interpreter() -> Case {
    // The square of the thread's index plus 7, then reduced by 3 while above 10.
    let code = [3u8, 2, 0, 7, 1, 0, 3, 4, 3, 0, 10, 4, 5, 5, 7, 255];
    let out: Vec<i32> = (0..40)
        .map(|t| {
            let mut v = t * t + 7 - 3;
            while v > 10 {
                v -= 3;
            }
            1000 - v
        })
        .collect();
    Case::new(UNIT, "a machine with a jump per operation")
        .with("code", &code)
        .with("out", &[0i32; 40])
        .run("interpreter", 1, 40, args!["code", 16i32, "out", 10_000i32])
        .expects("out", &out)
}

fn tangled() -> Case {
    let (n, x) = (5, ints(4, 128, -100, 400));
    let mut out = Vec::new();
    for (i, &x) in x.iter().enumerate() {
        let (mut v, mut steps) = (x, 0);
        out.push('again: loop {
            steps += 1;
            if v > 50 {
                v /= 2;
                continue;
            }
            for k in 0..n {
                if v % 7 == 0 {
                    break 'again v * 100 + steps;
                }
                if v < -60 {
                    break 'again -steps;
                }
                v += k * (i as i32 % 3);
                steps += 1;
                if v > 50 {
                    continue 'again;
                }
            }
            break 1000 * 100 + steps;
        });
    }
    Case::new(UNIT, "jumps across loops")
        .with("in", &x)
        .with("out", &[0i32; 128])
        .run("tangled", 1, 128, args!["in", "out", n])
        .expects("out", &out)
}

fn virtual_calls() -> Case {
    let area = |i: usize| (i * i * if i.is_multiple_of(3) { 3 } else { 1 }) as f32;
    Case::new(UNIT, "virtual calls")
        .with("out", &[0f32; 64])
        .run("virtual_calls", 1, 64, args!["out"])
        .expects("out", &(0..64).map(|i| area(i) + area(i ^ 1)).collect::<Vec<_>>())
}

fn function_pointers() -> Case {
    let x = ints(5, 32, -50, 50);
    let second = |i: i32, v: i32| if v & 1 == 0 { i + 3 } else { i - 3 };
    let out: Vec<i32> = (0..32).zip(&x).map(|(i, &v)| v * 7 + second(i, v)).collect();
    Case::new(UNIT, "function pointers")
        .with("in", &x)
        .with("out", &[0i32; 32])
        .run("function_pointers", 1, 32, args!["in", "out", 2i32])
        .expects("out", &out)
}

fn recursion() -> Case {
    let out: Vec<i32> = (0..32).map(|i| [4, 5, 9][i % 3]).collect();
    Case::new(UNIT, "recursion")
        .with("out", &[0i32; 32])
        .run("recursion", 1, 32, args!["out"])
        .expects("out", &out)
}

fn assertions(hold: bool) -> Case {
    let x: Vec<i32> = (0..32).map(|i| if hold { i } else { i * 4 }).collect();
    let name = if hold { "assertions that hold" } else { "an assertion that fails" };
    let case = Case::new(UNIT, name)
        .with("in", &x)
        .with("out", &[0i32; 32])
        .run("assertions", 1, 32, args!["in", "out"])
        .expects("out", &x);
    if hold { case } else { case.fails_with("assertion").not_on_gpu() }
}

fn printing() -> Case {
    let x = ints(6, 20, -999, 999);
    // `printf` returns the number of its arguments.
    let out: Vec<i32> = (0..20).map(|i| if i % 5 == 0 { 8 } else { 0 }).collect();
    Case::new(UNIT, "printing")
        .with("in", &x)
        .with("out", &[0i32; 20])
        .run("printing", 2, 10, args!["in", "out"])
        .expects("out", &out)
}

fn heap_lists() -> Case {
    let n = 9;
    let sum = |t: i32| (0..n).map(|i| i * t * (n - i)).sum::<i32>();
    Case::new(UNIT, "lists on the device's heap")
        .with("out", &[0i32; 32])
        .run("heap_lists", 1, 32, args!["out", n])
        .expects("out", &(0..32).map(|t| sum(t) - (n - 1)).collect::<Vec<_>>())
}

fn clocks() -> Case {
    Case::new(UNIT, "clocks")
        .with("out", &[0i32; 64])
        .run("clocks", 1, 64, args!["out"])
        .expects("out", &[15i32; 64])
}

fn bounded() -> Case {
    let x: Vec<f32> = ints(7, 64, -64, 64).iter().map(|&v| v as f32).collect();
    let out: Vec<f32> =
        x.iter().map(|&first| x[..10].iter().fold(first, |v, x| v.mul_add(0.5, *x))).collect();
    Case::new(UNIT, "launch bounds")
        .with("in", &x)
        .with("out", &[0f32; 64])
        .run("bounded", 1, 64, args!["in", "out", 10i32])
        .expects("out", &out)
}

fn carved() -> Case {
    let n = 5000usize;
    let x: Vec<f64> = doubles(8, n).iter().map(|v| (v * 1000.0).round() / 8.0).collect();
    let at = |i: usize| {
        let (second, third) = (x[(i + 1) % n] as f32 * 2.0, (x[(i + 2) % n] * 3.0) as i16);
        x[n - 1 - i] as f32 + second + f32::from(third)
    };
    Case::new(UNIT, "dynamic shared memory in parts")
        .with("in", &x)
        .with("out", &vec![0f32; n])
        .run_shared("carved", 1, 256, (n * 14) as u32, args!["in", "out", n as i32])
        .expects("out", &(0..n).map(at).collect::<Vec<_>>())
}
