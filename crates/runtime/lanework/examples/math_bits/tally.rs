//! Counts a function's results while the host compares them.

use lanework::math::errors::{Kind, Record, Worst};

/// Counts of one function.
#[derive(Clone, Copy, Default)]
pub struct Tally {
    compared: u64,
    differ: u64,
    first: [u64; 2],
    judged: u64,
    other: u64,
    worst: Worst,
}

impl Tally {
    /// Counts a result: whether its bits agree, its error if it was measured, and its arguments.
    pub fn count(&mut self, agrees: bool, error: Option<f64>, at: [u64; 2]) {
        self.compared += 1;
        if !agrees {
            self.first = if self.differ == 0 { at } else { self.first };
            self.differ += 1;
        }
        let Some(ulps) = error else { return };
        self.judged += 1;
        self.other += u64::from(ulps.is_infinite());
        if ulps > self.worst.ulps {
            self.worst = Worst { ulps, at };
        }
    }

    /// Adds another thread's counts.
    pub fn add(&mut self, other: Tally) {
        self.first = if self.differ == 0 { other.first } else { self.first };
        self.compared += other.compared;
        self.differ += other.differ;
        self.judged += other.judged;
        self.other += other.other;
        if other.worst.ulps > self.worst.ulps {
            self.worst = other.worst;
        }
    }

    /// The record of errors, a text about the bits, and whether all bits agree.
    pub fn record(&self, name: &str, kind: Kind) -> (Record, String, bool) {
        let Tally { compared, differ, first: [x, y], judged, other, worst } = *self;
        let record = Record { name: name.into(), kind, judged, other, worst };
        let bits = match differ {
            0 => format!("{compared} compared with the host's bits, 0 differ"),
            _ => format!(
                "{compared} compared with the host's bits, {differ} differ, first at {x:#x} {y:#x}"
            ),
        };
        (record, bits, differ == 0)
    }
}

/// Counts every element of `got` on all cores.
pub fn count<T: Sync>(got: &[T], one: impl Fn(usize, &T, &mut Tally) + Sync) -> Tally {
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get());
    let size = got.len().div_ceil(threads).max(1);
    let tallies: Vec<Tally> = std::thread::scope(|scope| {
        let work: Vec<_> = got
            .chunks(size)
            .enumerate()
            .map(|(part, chunk)| {
                let one = &one;
                scope.spawn(move || {
                    let mut tally = Tally::default();
                    for (i, value) in chunk.iter().enumerate() {
                        one(part * size + i, value, &mut tally);
                    }
                    tally
                })
            })
            .collect();
        work.into_iter().map(|w| w.join().expect("a judge does not panic")).collect()
    });
    let mut all = Tally::default();
    tallies.into_iter().for_each(|tally| all.add(tally));
    all
}

/// Whether two numbers have the same bits, except the payload of a NaN.
pub fn same_single(x: f32, y: f32) -> bool {
    x.to_bits() == y.to_bits() || x.is_nan() && y.is_nan()
}

/// As [`same_single`], for `f64`.
pub fn same_double(x: f64, y: f64) -> bool {
    x.to_bits() == y.to_bits() || x.is_nan() && y.is_nan()
}
