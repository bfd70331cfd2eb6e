//! Fourier transforms by their definition, in f64, and random input.

/// A complex number.
pub type Number = [f64; 2];

/// Random numbers from a seed, by xorshift.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// A number below a limit.
    pub fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0 >> 11) % limit as u64) as usize
    }

    /// A number from -1 to 1.
    pub fn unit(&mut self) -> f64 {
        self.below(1 << 20) as f64 / (1 << 19) as f64 - 1.0
    }
}

/// The sum that defines the transform, along every axis of an array in row-major order.
pub fn transform(sizes: &[usize], from: &[Number], inverse: bool) -> Vec<Number> {
    let mut data = from.to_vec();
    let mut inner = 1;
    for size in sizes.iter().rev() {
        let sign = if inverse { 1.0 } else { -1.0 };
        let angle = |at: usize| sign * std::f64::consts::TAU * at as f64 / *size as f64;
        let turns: Vec<(f64, f64)> = (0..*size).map(|at| angle(at).sin_cos()).collect();
        for part in data.chunks_exact_mut(size * inner) {
            for column in 0..inner {
                let old: Vec<Number> = (0..*size).map(|at| part[at * inner + column]).collect();
                for to in 0..*size {
                    let mut sum = [0.0; 2];
                    for (at, [re, im]) in old.iter().enumerate() {
                        let (sine, cosine) = turns[at * to % size];
                        sum[0] += re * cosine - im * sine;
                        sum[1] += re * sine + im * cosine;
                    }
                    part[to * inner + column] = sum;
                }
            }
        }
        inner *= size;
    }
    data
}

/// Root mean square of the differences, relative to the root mean square of the expected values.
pub fn error(wanted: &[Number], got: &[Number]) -> f64 {
    assert_eq!(wanted.len(), got.len());
    let square = |[re, im]: Number| re * re + im * im;
    let differences =
        wanted.iter().zip(got).map(|(a, b)| square([a[0] - b[0], a[1] - b[1]])).sum::<f64>();
    (differences / wanted.iter().map(|number| square(*number)).sum::<f64>().max(1e-300)).sqrt()
}
