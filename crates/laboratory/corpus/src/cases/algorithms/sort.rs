//! `sort.cu`: sorts within blocks, within warps and in global memory.

use crate::Case;
use crate::case::args;
use crate::random::{bytes, floats, ints, many, words};

const UNIT: &str = "sort";

pub fn cases() -> Vec<Case> {
    vec![odd_even(), bitonic(), bitonic_in_memory(), warp(), radix(), merge(), counting()]
}

fn sorted<T: Copy + Ord>(values: &[T]) -> Vec<T> {
    let mut values = values.to_vec();
    values.sort_unstable();
    values
}

fn sorted_by<T: Copy + Ord>(values: &[T], part: usize) -> Vec<T> {
    values.chunks(part).flat_map(sorted).collect()
}

fn odd_even() -> Case {
    let x = ints(1, 200, -100, 100);
    Case::new(UNIT, "odd-even")
        .with("data", &x)
        .run("sort_odd_even", 1, 256, args!["data", 200u32])
        .expects("data", &sorted(&x))
}

fn bitonic() -> Case {
    // Distinct keys, so that the order of the values is known.
    let keys: Vec<u32> =
        words(2, 1024).iter().enumerate().map(|(i, k)| k & !1023 | i as u32).collect();
    let values: Vec<u16> = (0..1024).collect();
    let mut pairs: Vec<(u32, u16)> = keys.iter().copied().zip(values.iter().copied()).collect();
    pairs.chunks_mut(512).for_each(|block| block.sort_unstable());
    Case::new(UNIT, "bitonic pairs")
        .with("keys", &keys)
        .with("values", &values)
        .run("sort_bitonic", 2, 256, args!["keys", "values"])
        .expects("keys", &pairs.iter().map(|pair| pair.0).collect::<Vec<_>>())
        .expects("values", &pairs.iter().map(|pair| pair.1).collect::<Vec<_>>())
}

fn bitonic_in_memory() -> Case {
    let x = floats(3, 1024);
    let mut expected = x.clone();
    expected.sort_unstable_by(f32::total_cmp);
    let mut case = Case::new(UNIT, "bitonic steps").with("data", &x).expects("data", &expected);
    for size in (1..=10).map(|log| 1u32 << log) {
        for stride in (0..size.ilog2()).rev().map(|log| 1u32 << log) {
            case = case.run("sort_bitonic_step", 4, 256, args!["data", size, stride]);
        }
    }
    case
}

fn warp() -> Case {
    let x = many(4, 256, |r| r as i64);
    Case::new(UNIT, "within warps")
        .with("data", &x)
        .run("sort_warp", 2, 128, args!["data"])
        .expects("data", &sorted_by(&x, 32))
}

fn radix() -> Case {
    let x = words(5, 512);
    Case::new(UNIT, "radix")
        .with("data", &x)
        .run("sort_radix", 2, 256, args!["data"])
        .expects("data", &sorted_by(&x, 256))
}

fn merge() -> Case {
    let (a, b) = (sorted(&ints(6, 300, 0, 99)), sorted(&ints(7, 411, 0, 99)));
    let both = [a.clone(), b.clone()].concat();
    Case::new(UNIT, "merge by ranks")
        .with("a", &a)
        .with("b", &b)
        .with("out", &vec![0i32; both.len()])
        .run("merge_ranks", 3, 256, args!["a", 300u32, "b", 411u32, "out"])
        .expects("out", &sorted(&both))
}

fn counting() -> Case {
    let x = bytes(8, 3000);
    Case::new(UNIT, "counting")
        .with("data", &x)
        .run("sort_counting", 1, 256, args!["data", 3000u32])
        .expects("data", &sorted(&x))
}
