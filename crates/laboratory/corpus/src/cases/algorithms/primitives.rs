//! Parallel primitives: sums and extremes (`reduce.cu`), prefix sums, compaction and segments (`scan.cu`), sorts within
//! warps, within blocks and in global memory (`sort.cu`), and histograms (`histogram.cu`).

use crate::Case;
use crate::case::{args, bytes, doubles, floats, ints, many, words};

const REDUCE: &str = "reduce";

pub fn cases() -> Vec<Case> {
    [reduce_cases(), scan_cases(), sort_cases(), histogram_cases()].into_iter().flatten().collect()
}

fn reduce_cases() -> Vec<Case> {
    let n = 3000u32;
    let x = ints(1, n as usize, -1000, 1000);
    let total: i32 = x.iter().sum();
    let block_sums: Vec<i32> = x.chunks(256).map(|block| block.iter().sum()).collect();
    let by_block = |name| Case::new(REDUCE, name).with("in", &x).with("out", &[0i32; 12]);
    vec![
        by_block("tree")
            .run("reduce_tree", 12, 256, args!["in", "out", n])
            .expects("out", &block_sums),
        by_block("interleaved")
            .run_shared("reduce_interleaved", 12, 256, 1024, args!["in", "out", n])
            .expects("out", &block_sums),
        Case::new(REDUCE, "shuffle, integers")
            .with("in", &x)
            .with("out", &[0i32])
            .run("_Z14reduce_shuffleIiEvPKT_PS0_j", 4, 256, args!["in", "out", n])
            .expects("out", &[total]),
        shuffle_floats(),
        shuffle_doubles(),
        vectors(),
        Case::new(REDUCE, "last block")
            .with("in", &x)
            .with("partial", &[0i32; 7])
            .with("out", &[0i32])
            .run("reduce_last_block", 7, 128, args!["in", "partial", "out", n])
            .expects("out", &[total]),
        argmax(),
        tiles(),
    ]
}

fn shuffle_floats() -> Case {
    let x = floats(2, 5000);
    let sum: f64 = x.iter().map(|&v| f64::from(v)).sum();
    Case::new(REDUCE, "shuffle, floats")
        .with("in", &x)
        .with("out", &[0f32])
        .run("_Z14reduce_shuffleIfEvPKT_PS0_j", 6, 128, args!["in", "out", 5000u32])
        .expects_within("out", &[sum as f32], 1e-4)
        .may_differ("out", "blocks add in any order")
}

fn shuffle_doubles() -> Case {
    let x = doubles(3, 5000);
    Case::new(REDUCE, "shuffle, doubles")
        .with("in", &x)
        .with("out", &[0f64])
        .run("_Z14reduce_shuffleIdEvPKT_PS0_j", 6, 128, args!["in", "out", 5000u32])
        .expects_within("out", &[x.iter().sum::<f64>()], 1e-12)
        .may_differ("out", "blocks add in any order")
}

fn vectors() -> Case {
    let (x, grid, block) = (floats(4, 4096), 3, 256);
    // The host adds in the kernel's order, so the bits are equal.
    let mut sums = vec![0f32; grid * block];
    for (i, v) in x.chunks(4).enumerate() {
        sums[i % (grid * block)] += (v[0] + v[1]) + (v[2] + v[3]);
    }
    let warp = |lanes: &[f32]| {
        let mut lanes = lanes.to_vec();
        for offset in [16, 8, 4, 2, 1] {
            for lane in 0..offset {
                lanes[lane] += lanes[lane + offset];
            }
        }
        lanes[0]
    };
    let block_sum = |block: &[f32]| block.chunks(32).map(warp).fold(0f32, |sum, w| sum + w);
    let expected: Vec<f32> = sums.chunks(block).map(block_sum).collect();
    Case::new(REDUCE, "vectors")
        .with("in", &x)
        .with("out", &[0f32; 3])
        .run("reduce_vectors", grid as u32, block as u32, args!["in", "out", 1024u32])
        .expects("out", &expected)
}

fn argmax() -> Case {
    let mut x = floats(5, 2000);
    (x[1234], x[1700]) = (2.5, 2.5);
    let word = u64::from(2.5f32.to_bits() | 1 << 31) << 32 | u64::from(u32::MAX - 1234);
    Case::new(REDUCE, "argmax")
        .with("in", &x)
        .with("best", &[0u64])
        .run("argmax", 4, 128, args!["in", "best", 2000u32])
        .expects("best", &[word])
}

fn tiles() -> Case {
    let x = ints(6, 512, -99, 99);
    let sums: Vec<i32> = x.chunks(16).map(|tile| tile.iter().sum()).collect();
    Case::new(REDUCE, "tiles")
        .with("in", &x)
        .with("out", &[0i32; 32])
        .run("reduce_tiles", 4, 128, args!["in", "out"])
        .expects("out", &sums)
}

const SCAN: &str = "scan";

fn scan_cases() -> Vec<Case> {
    vec![steps(), tree(), shuffle(), look_back(), ordered(), aggregated(), segments()]
}

fn inclusive<T: Copy + Default>(values: &[T], add: impl Fn(T, T) -> T) -> Vec<T> {
    let mut sum = T::default();
    values
        .iter()
        .map(|&value| {
            sum = add(sum, value);
            sum
        })
        .collect()
}

fn steps() -> Case {
    let x = ints(1, 200, -50, 50);
    Case::new(SCAN, "steps")
        .with("in", &x)
        .with("out", &[0i32; 200])
        .run_shared("scan_steps", 1, 256, 2048, args!["in", "out", 200u32])
        .expects("out", &inclusive(&x, |a, b| a + b))
}

fn tree() -> Case {
    let x = ints(2, 4 * 512, -50, 50);
    let sums: Vec<i32> = x.chunks(512).map(|block| block.iter().sum()).collect();
    let after = inclusive(&x, |a, b| a + b);
    let before: Vec<i32> = after.iter().zip(&x).map(|(after, x)| after - x).collect();
    Case::new(SCAN, "tree, then the blocks before")
        .with("in", &x)
        .with("out", &vec![0i32; x.len()])
        .with("sums", &[0i32; 4])
        .run("scan_tree", 4, 256, args!["in", "out", "sums"])
        .run("scan_add", 4, 256, args!["out", "sums"])
        .expects("sums", &sums)
        .expects("out", &before)
}

fn shuffle() -> Case {
    let x = many(3, 2 * 384, |r| r as i64 >> 20);
    let expected: Vec<i64> = x.chunks(384).flat_map(|b| inclusive(b, |a, b| a + b)).collect();
    Case::new(SCAN, "shuffle")
        .with("in", &x)
        .with("out", &vec![0i64; x.len()])
        .run("scan_shuffle", 2, 384, args!["in", "out"])
        .expects("out", &expected)
}

fn look_back() -> Case {
    let n = 37 * 128 - 5;
    let x = words(4, n);
    Case::new(SCAN, "look-back over the grid")
        .with("in", &x)
        .with("out", &vec![0u32; n])
        .with("tiles", &[0u64; 37])
        .run("scan_look_back", 37, 128, args!["in", "out", "tiles", n as u32])
        .expects("out", &inclusive(&x, u32::wrapping_add))
}

fn ordered() -> Case {
    let n = 1000;
    let x = ints(5, n, -1000, 1000);
    let (mut out, mut counts) = (vec![7i32; 1024], Vec::new());
    for (block, values) in x.chunks(256).enumerate() {
        let kept: Vec<i32> = values.iter().copied().filter(|value| value % 3 == 0).collect();
        out[block * 256..][..kept.len()].copy_from_slice(&kept);
        counts.push(kept.len() as u32);
    }
    Case::new(SCAN, "ordered compaction")
        .with("in", &x)
        .with("out", &[7i32; 1024])
        .with("counts", &[0u32; 4])
        .run("compact_ordered", 4, 256, args!["in", "out", "counts", n as u32])
        .expects("out", &out)
        .expects("counts", &counts)
}

fn aggregated() -> Case {
    let n = 1500;
    let x = ints(6, n, -1000, 1000);
    let mut kept: Vec<i32> = x.iter().copied().filter(|value| value % 3 == 0).collect();
    kept.sort_unstable();
    let count = kept.len();
    Case::new(SCAN, "compaction by warps")
        .with("in", &x)
        .with("out", &vec![0i32; n])
        .with("count", &[0u32])
        .run("compact_aggregated", 12, 128, args!["in", "out", "count", n as u32])
        .expects("count", &[count as u32])
        .satisfies("out", move |found: &[i32]| {
            let mut found = found[..count].to_vec();
            found.sort_unstable();
            if found == kept { Ok(()) } else { Err("other values than those to keep".to_owned()) }
        })
        .may_differ("out", "warps append in any order")
}

fn segments() -> Case {
    let x = ints(7, 256, -50, 50);
    let heads: Vec<u8> = bytes(8, 256).iter().map(|b| u8::from(b % 5 == 0)).collect();
    let (mut sum, mut expected) = (0, Vec::new());
    for (i, value) in x.iter().enumerate() {
        sum = if i % 32 == 0 || heads[i] != 0 { *value } else { sum + value };
        expected.push(sum);
    }
    Case::new(SCAN, "segments")
        .with("in", &x)
        .with("heads", &heads)
        .with("out", &[0i32; 256])
        .run("scan_segments", 2, 128, args!["in", "heads", "out"])
        .expects("out", &expected)
}

const SORT: &str = "sort";

fn sort_cases() -> Vec<Case> {
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
    Case::new(SORT, "odd-even")
        .with("data", &x)
        .run("sort_odd_even", 1, 256, args!["data", 200u32])
        .expects("data", &sorted(&x))
}

fn bitonic() -> Case {
    // Distinct keys determine the order of the values.
    let keys: Vec<u32> =
        words(2, 1024).iter().enumerate().map(|(i, k)| k & !1023 | i as u32).collect();
    let values: Vec<u16> = (0..1024).collect();
    let mut pairs: Vec<(u32, u16)> = keys.iter().copied().zip(values.iter().copied()).collect();
    pairs.chunks_mut(512).for_each(|block| block.sort_unstable());
    Case::new(SORT, "bitonic pairs")
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
    let mut case = Case::new(SORT, "bitonic steps").with("data", &x).expects("data", &expected);
    for size in (1..=10).map(|log| 1u32 << log) {
        for stride in (0..size.ilog2()).rev().map(|log| 1u32 << log) {
            case = case.run("sort_bitonic_step", 4, 256, args!["data", size, stride]);
        }
    }
    case
}

fn warp() -> Case {
    let x = many(4, 256, |r| r as i64);
    Case::new(SORT, "within warps")
        .with("data", &x)
        .run("sort_warp", 2, 128, args!["data"])
        .expects("data", &sorted_by(&x, 32))
}

fn radix() -> Case {
    let x = words(5, 512);
    Case::new(SORT, "radix")
        .with("data", &x)
        .run("sort_radix", 2, 256, args!["data"])
        .expects("data", &sorted_by(&x, 256))
}

fn merge() -> Case {
    let (a, b) = (sorted(&ints(6, 300, 0, 99)), sorted(&ints(7, 411, 0, 99)));
    let both = [a.clone(), b.clone()].concat();
    Case::new(SORT, "merge by ranks")
        .with("a", &a)
        .with("b", &b)
        .with("out", &vec![0i32; both.len()])
        .run("merge_ranks", 3, 256, args!["a", 300u32, "b", 411u32, "out"])
        .expects("out", &sorted(&both))
}

fn counting() -> Case {
    let x = bytes(8, 3000);
    Case::new(SORT, "counting")
        .with("data", &x)
        .run("sort_counting", 1, 256, args!["data", 3000u32])
        .expects("data", &sorted(&x))
}

const HISTOGRAM: &str = "histogram";

fn histogram_cases() -> Vec<Case> {
    let x = bytes(1, 4000);
    let bytes_of = |name| Case::new(HISTOGRAM, name).with("in", &x).with("bins", &[0u32; 256]);
    let count = |bins: usize, which: &dyn Fn(u8) -> usize| {
        let mut counts = vec![0u32; bins];
        x.iter().for_each(|&value| counts[which(value)] += 1);
        counts
    };
    let all = count(256, &usize::from);
    let mut low = count(16, &|value| usize::from(value & 15));
    low.resize(256, 0);
    vec![
        bytes_of("global")
            .run("histogram_global", 5, 128, args!["in", "bins", 4000u32])
            .expects("bins", &all),
        bytes_of("shared")
            .run("histogram_shared", 3, 96, args!["in", "bins", 1000u32])
            .expects("bins", &all),
        bytes_of("matched")
            .run("histogram_matched", 32, 128, args!["in", "bins", 4000u32])
            .expects("bins", &low),
        private(),
        ranges(),
    ]
}

fn private() -> Case {
    let x = words(2, 2 * 128 * 20);
    let mut counts = [0u32; 16];
    x.iter().for_each(|value| counts[(value >> 28) as usize] += 1);
    Case::new(HISTOGRAM, "private")
        .with("in", &x)
        .with("bins", &[0u32; 16])
        .run("histogram_private", 2, 128, args!["in", "bins", 20u32])
        .expects("bins", &counts)
}

fn ranges() -> Case {
    let mut x = floats(3, 2500);
    (x[7], x[8], x[9]) = (f32::INFINITY, f32::NEG_INFINITY, -0.5);
    let mut counts = [0u32; 12];
    for &value in &x {
        let bin = match value {
            v if v < -0.5 => 10,
            v if v >= 0.5 => 11,
            v => ((v + 0.5) * 10.0) as usize,
        };
        counts[bin] += 1;
    }
    Case::new(HISTOGRAM, "ranges")
        .with("in", &x)
        .with("bins", &[0u32; 12])
        .run_shared(
            "histogram_ranges",
            4,
            128,
            48,
            args!["in", "bins", 2500u32, -0.5f32, 0.5f32, 10u32],
        )
        .expects("bins", &counts)
}
