//! The stated error bounds, on a sample; the table of the docs, row by row; the reference itself; special values.
//! The whole of f32 takes `cargo run --release -p lanework-math --example math_errors` minutes.

use lanework_math as math;
use lanework_math::errors::{
    ONES, TWOS, sweep_double, sweep_pairs, sweep_single, ulps_double, ulps_single,
};

#[test]
fn sampled_errors_are_within_the_bounds_and_those_within_cudas() {
    for function in ONES {
        // A stride without common factors with powers of two.
        let single = sweep_single(function, 10_007, 2);
        let double = sweep_double(function, 20_000, 2);
        for (worst, bound, ty) in
            [(single, function.bounds[0], "f32"), (double, function.bounds[1], "f64")]
        {
            assert!(worst.ulps <= bound, "{} of {ty}: {worst:x?}, bound {bound}", function.name);
        }
    }
    for function in TWOS {
        for (worst, bound) in sweep_pairs(function, 300_000, 2).into_iter().zip(function.bounds) {
            assert!(worst.ulps <= bound, "{}: {worst:x?}, bound {bound}", function.name);
        }
    }
    let all = ONES
        .iter()
        .map(|f| (f.name, f.bounds, f.cuda))
        .chain(TWOS.iter().map(|f| (f.name, f.bounds, f.cuda)));
    for (name, bounds, cuda) in all {
        // CUDA states the distance from the correctly rounded result, which is at most half a unit more.
        let distance = bounds.map(|bound| (bound + 0.5).floor());
        assert!(
            distance[0] <= cuda[0] && distance[1] <= cuda[1],
            "{name}: {bounds:?}, CUDA {cuda:?}"
        );
    }
}

/// The rows of the docs' table: function, ulp and argument of f32, ulp and argument of f64.
fn rows(text: &str) -> Vec<[String; 5]> {
    let cells = |line: &str| -> Vec<String> {
        line.split('|')
            .map(|cell| cell.trim().replace('`', ""))
            .filter(|cell| !cell.is_empty())
            .collect()
    };
    text.lines()
        .filter(|line| line.starts_with("| `"))
        .map(cells)
        .filter(|cells| cells.get(2).is_some_and(|cell| cell.starts_with("0x")))
        .filter_map(|cells| cells.get(..5)?.to_vec().try_into().ok())
        .collect()
}

fn bits(cell: &str) -> Vec<u64> {
    cell.split(", ")
        .map(|word| {
            u64::from_str_radix(word.trim_start_matches("0x"), 16).expect("hexadecimal bits")
        })
        .collect()
}

#[test]
fn every_row_of_the_docs_table_is_what_its_argument_gives() {
    for language in ["en", "zh"] {
        let path = format!("{}/../../docs/src/{language}/math.md", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(&path).expect("the page of the docs");
        let rows = rows(&text);
        assert_eq!(rows.len(), ONES.len() + TWOS.len(), "{path}");
        for [name, single, single_at, double, double_at] in rows {
            let (x, y) = (bits(&single_at), bits(&double_at));
            let (a, b) = (f32::from_bits(x[0] as u32), f64::from_bits(y[0]));
            let errors = match (
                ONES.iter().find(|f| f.name == name),
                TWOS.iter().find(|f| f.name == name),
            ) {
                (Some(f), _) => [
                    ulps_single((f.single)(a), (f.host)(a.into())),
                    ulps_double((f.double)(b), (f.reference)(b)),
                ],
                (None, Some(f)) => {
                    let (c, d) = (f32::from_bits(x[1] as u32), f64::from_bits(y[1]));
                    [
                        ulps_single((f.single)(a, c), (f.host)(a.into(), c.into())),
                        ulps_double((f.double)(b, d), (f.reference)(b, d)),
                    ]
                }
                _ => panic!("{path}: no function is called {name}"),
            };
            for (error, stated) in errors.into_iter().zip([single, double]) {
                let figure: f64 = stated.parse().expect("a figure");
                assert!((error - figure).abs() < 2e-4, "{path}: {name} {stated}, computed {error}");
            }
        }
    }
}

#[test]
fn the_reference_agrees_with_200_bits() {
    let mut rows = 0;
    for line in include_str!("references.txt").lines() {
        let words: Vec<&str> = line.split(' ').collect();
        let number = |i: usize| f64::from_bits(u64::from_str_radix(words[i], 16).expect("bits"));
        let one = ONES.iter().find(|f| f.name == words[0]);
        let two = TWOS.iter().find(|f| f.name == words[0]);
        let (got, first) = match (one, two) {
            (Some(f), _) => ((f.reference)(number(1)), 2),
            (_, Some(f)) => ((f.reference)(number(1), number(2)), 3),
            _ => panic!("no function is called {}", words[0]),
        };
        let (high, low) = (number(first), number(first + 1));
        // Both as the distance from the rounded value, in units of its last place.
        let scale = 2f64.powi(-got.power / 2) * 2f64.powi(-got.power - -got.power / 2);
        let unit = high.abs() * scale * f64::EPSILON;
        let error = ((got.high - high * scale) + (got.low - low * scale)).abs() / unit;
        assert!(error < 1e-9, "{line}: {got:?}, {error:e} ulp");
        rows += 1;
    }
    assert_eq!(rows, 12 * 25);
}

/// Where a result is exact, it is Rust's.
#[test]
fn special_values_are_rusts() {
    let values = [
        0.0f64,
        0.5,
        1.0,
        1.5,
        2.0,
        3.0,
        4.0,
        1e300,
        9_007_199_254_740_993.0,
        4_503_599_627_370_497.0,
        1e-300,
        5e-324,
        f64::INFINITY,
        f64::NAN,
    ];
    let all: Vec<f64> = values.iter().flat_map(|x| [*x, -x]).collect();
    let exact = |x: f64| x == 0.0 || !x.is_finite() || x == x.trunc() && x.abs() < 1e9;
    let check = |name: &str, x: f64, y: f64, got: f64, want: f64, exact: bool| {
        let same = got.to_bits() == want.to_bits() || got.is_nan() && want.is_nan();
        assert!(same || !exact, "{name}({x:e}, {y:e}) is {got:e}, not {want:e}");
        assert!(
            (got - want).abs() <= 4.0 * f64::EPSILON * want.abs() || same,
            "{name}({x:e}, {y:e}): {got:e}, {want:e}"
        );
    };
    for x in &all {
        for y in &all {
            let (x, y) = (*x, *y);
            check("powf", x, y, math::powf(x, y), x.powf(y), exact(x.powf(y)));
            check("atan2", x, y, math::atan2(x, y), x.atan2(y), exact(x.atan2(y)));
            check("hypot", x, y, math::hypot(x, y), x.hypot(y), exact(x.hypot(y)));
            check("rem", x, y, math::rem(x, y), x % y, true);
            check("rem_euclid", x, y, math::rem_euclid(x, y), x.rem_euclid(y), true);
            check("div_euclid", x, y, math::div_euclid(x, y), x.div_euclid(y), true);
            let (a, b) = (x as f32, y as f32);
            let wide = |v: f32| f64::from(v);
            check("rem", x, y, wide(math::rem(a, b)), wide(a % b), true);
            let power = a.powf(b);
            if exact(wide(power)) {
                check("powf", x, y, wide(math::powf(a, b)), wide(power), true);
            }
        }
    }
    for function in ONES {
        for x in &all {
            let (x, y) = (*x, (function.host)(*x));
            let got = (function.double)(x);
            assert_eq!(got.is_nan(), y.is_nan(), "{}({x:e})", function.name);
            if y == 0.0 || y.is_infinite() {
                assert_eq!(got.to_bits(), y.to_bits(), "{}({x:e}) is {got:e}", function.name);
            }
        }
    }
    for k in -300..=300 {
        assert_eq!(math::log10(10f64.powi(k)).round(), f64::from(k));
        assert_eq!(math::log2(2f64.powi(k)), f64::from(k));
        assert_eq!(math::exp2(f64::from(k)), 2f64.powi(k));
    }
    for k in 0..=22 {
        assert_eq!(math::log10(10f64.powi(k)), f64::from(k));
    }
    for k in 0..=10 {
        assert_eq!(math::log10(10f32.powi(k)), k as f32);
    }
}

/// Rust's remainder is exact on the host: a second implementation.
#[test]
fn remainders_are_exact() {
    for i in 0..200_000 {
        let (x, y) = math::errors::pair_single(i);
        let (got, want) = (math::rem(x, y), x % y);
        assert!(
            got.to_bits() == want.to_bits() || got.is_nan() && want.is_nan(),
            "{x:e} % {y:e}: {got:e}"
        );
        let (x, y) = math::errors::pair_double(i);
        let (got, want) = (math::rem(x, y), x % y);
        assert!(
            got.to_bits() == want.to_bits() || got.is_nan() && want.is_nan(),
            "{x:e} % {y:e}: {got:e}"
        );
    }
}
