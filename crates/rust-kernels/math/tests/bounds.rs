//! The stated error bounds, on a sample; the table of the docs, row by row; the reference itself; special values.
//! `cargo run --release -p lanework-math --example math_errors` tests all f32 numbers; it takes minutes.

use lanework_math as math;
use lanework_math::errors::{
    Kind, ONES, Record, TWOS, sweep_double, sweep_pairs, sweep_single, ulps_double, ulps_single,
};

#[test]
fn sampled_errors_are_within_our_bounds_and_ours_within_cudas() {
    for function in ONES {
        // The stride is odd, so the sample covers all low bits.
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

const RECORDS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../docs/results/h200/math.txt");

/// The records, one per function and format. If there are several, the one with the most arguments; if those are
/// equal, the last one.
fn records() -> Vec<Record> {
    let text = std::fs::read_to_string(RECORDS).expect("the record of the errors");
    let mut records: Vec<Record> = Vec::new();
    for record in text.lines().filter_map(Record::parse) {
        let same = |other: &Record| (&other.name, other.kind) == (&record.name, record.kind);
        match records.iter().position(same) {
            Some(known) if records[known].judged > record.judged => {}
            Some(known) => records[known] = record,
            None => records.push(record),
        }
    }
    records
}

/// The record of a function of `arguments` arguments in `f32` (0) or `f64` (1).
fn record<'a>(records: &'a [Record], name: &str, arguments: usize, format: usize) -> &'a Record {
    let kind = [[Kind::Single, Kind::Double], [Kind::SinglePairs, Kind::DoublePairs]];
    let kind = kind[arguments - 1][format];
    records
        .iter()
        .find(|record| record.name == name && record.kind == kind)
        .unwrap_or_else(|| panic!("no record of {name} {kind:?} in docs/results/h200/math.txt"))
}

#[test]
fn every_record_is_reproducible_and_within_the_bound() {
    let records = records();
    let near = |record: &Record, error: f64, bound: f64| {
        assert!((error - record.worst.ulps).abs() < 2e-4, "{record}; computed {error}");
        assert!(record.other == 0 && record.worst.ulps <= bound, "{record}; bound {bound}");
    };
    for f in ONES {
        let [single, double] = [0, 1].map(|format| record(&records, f.name, 1, format));
        let x = f32::from_bits(single.worst.at[0] as u32);
        near(single, ulps_single((f.single)(x), (f.host)(x.into())), f.bounds[0]);
        let x = f64::from_bits(double.worst.at[0]);
        near(double, ulps_double((f.double)(x), (f.reference)(x)), f.bounds[1]);
    }
    for f in TWOS {
        let [single, double] = [0, 1].map(|format| record(&records, f.name, 2, format));
        let [x, y] = single.worst.at.map(|bits| f32::from_bits(bits as u32));
        near(single, ulps_single((f.single)(x, y), (f.host)(x.into(), y.into())), f.bounds[0]);
        let [x, y] = double.worst.at.map(f64::from_bits);
        near(double, ulps_double((f.double)(x, y), (f.reference)(x, y)), f.bounds[1]);
    }
}

/// The table of the docs, and the number of judged arguments, in English and Chinese.
fn tables(records: &[Record]) -> [String; 2] {
    let ones = ONES.iter().map(|f| (f.name, 1, f.bounds, f.cuda));
    let twos = TWOS.iter().map(|f| (f.name, 2, f.bounds, f.cuda));
    let mut rows = String::new();
    for (name, arguments, bounds, cuda) in ones.chain(twos) {
        let [single, double] = [0, 1].map(|format| record(records, name, arguments, format));
        let at = |record: &Record| format!("`{}`", record.arguments().join("`, `"));
        let cuda = match cuda[0].is_finite() {
            true => format!("{}, {}", cuda[0], cuda[1]),
            false => "-".into(),
        };
        let (x, y) = (single.worst.ulps, double.worst.ulps);
        let [a, b] = [single, double].map(at);
        let [one, two] = bounds;
        rows += &format!("| `{name}` | {x:.4} | {a} | {y:.4} | {b} | {one}, {two} | {cuda} |\n");
    }
    // For each kind, the smallest number of arguments of any function.
    let judged = Kind::ALL.map(|(kind, _)| {
        let of = records.iter().filter(|record| record.kind == kind);
        let least = of.map(|record| record.judged).min().unwrap_or(0).to_string();
        let digits: Vec<&str> =
            least.as_bytes().rchunks(3).rev().filter_map(|d| std::str::from_utf8(d).ok()).collect();
        digits.join(",")
    });
    let [a, b, c, d] = judged;
    let english = format!(
        "| function | f32: ulp | at | f64: ulp | at | bounds | CUDA's |\n|---|---|---|---|---|---|---|\n{rows}\n\
         Tested for each function: {a} numbers of `f32` (of 4,294,967,296 in all) and {b} of `f64`; for functions\n\
         of two arguments, {c} pairs of `f32` and {d} of `f64`.\n"
    );
    let chinese = format!(
        "| 函数 | f32：ulp | 参数 | f64：ulp | 参数 | 误差界 | CUDA 的误差界 |\n|---|---|---|---|---|---|---|\n{rows}\n\
         每个函数测试过的参数：{a} 个 `f32`（共有 4,294,967,296 个）、{b} 个 `f64`；双参数函数为 {c} 对 `f32` 和 {d} 对 `f64`。\n"
    );
    [english, chinese]
}

/// `LANEWORK_BLESS=1 cargo test -p lanework-math --test bounds` writes the tables. It keeps one record per function and format
/// of the records file, to which the output of `math_bits` may have been appended.
#[test]
fn the_docs_tables_match_the_records() {
    let records = records();
    if std::env::var_os("LANEWORK_BLESS").is_some() {
        let lines: String = records.iter().map(|record| format!("{record}\n")).collect();
        std::fs::write(RECORDS, lines).expect("the records can be written");
    }
    for (language, table) in ["en", "zh"].into_iter().zip(tables(&records)) {
        let path = format!("{}/../../../docs/src/{language}/math.md", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(&path).expect("the page of the docs");
        let (open, close) = ("<!-- errors -->\n", "<!-- /errors -->");
        let start = text.find(open).expect("where the table begins") + open.len();
        let end = text.find(close).expect("where it ends");
        if std::env::var_os("LANEWORK_BLESS").is_some() {
            let page = format!("{}{table}{}", &text[..start], &text[end..]);
            std::fs::write(&path, page).expect("the page can be written");
        } else {
            let same = text[start..end] == table;
            assert!(same, "{path} differs from its records: LANEWORK_BLESS=1 writes it");
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

/// Exact results equal Rust's.
#[test]
fn special_values_match_rust() {
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

/// On the host, Rust's remainder is exact: it serves as a second implementation.
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
