//! Problems for the tests of verdicts: data of every kind, sums in every order that kernels use.

use super::sample::Product;
use lanework_bench::{Accuracy, Rejection};
use rand::{Rng, SeedableRng, rngs::StdRng};

/// A problem with its data.
#[derive(Clone, Debug)]
pub struct Problem {
    pub extents: (usize, usize, usize),
    pub scales: (f32, f32),
    pub a: Vec<f32>,
    pub b: Vec<f32>,
    pub c: Vec<f32>,
}

/// Kinds of data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Data {
    Uniform,
    OneSigned,
    Tenths,
    NearlyConstant,
    FewValues,
    LogUniform,
    Canceling,
    Wide,
    LargeFirst,
    Ramp,
    Whole,
    Subnormal,
}

pub const DATA: [Data; 12] = [
    Data::Uniform,
    Data::OneSigned,
    Data::Tenths,
    Data::NearlyConstant,
    Data::FewValues,
    Data::LogUniform,
    Data::Canceling,
    Data::Wide,
    Data::LargeFirst,
    Data::Ramp,
    Data::Whole,
    Data::Subnormal,
];

/// Data whose numbers differ enough for statistics.
pub const VARIED: [Data; 4] = [Data::Uniform, Data::OneSigned, Data::LogUniform, Data::Ramp];

impl Data {
    fn draw(self, lines: usize, length: usize, random: &mut StdRng) -> Vec<f32> {
        let of = |index: usize, random: &mut StdRng| -> f32 {
            let (line, at) = (index / length, index % length);
            match self {
                Data::Uniform => random.random_range(-1.0..1.0),
                Data::OneSigned => random.random_range(0.0..1.0),
                Data::Tenths => 0.1,
                Data::NearlyConstant => 0.1 + 1e-6 * random.random_range(0.0..1.0f32),
                Data::FewValues => [0.1, 0.3, -0.7][random.random_range(0..3)],
                Data::LogUniform => 10f32.powf(random.random_range(-3.0..3.0)),
                Data::Canceling => {
                    let sign = if at % 2 == 0 { 1.0 } else { -1.0 };
                    sign * ((line * 31 + at / 2 * 17) % 101 + 1) as f32 / 101.0
                }
                Data::Wide => {
                    let sign = if random.random_range(0..2) == 0 { 1.0 } else { -1.0 };
                    sign * 2f32.powf(random.random_range(-30.0..30.0))
                }
                Data::LargeFirst if at == 0 => 30_000.0 + line as f32,
                Data::LargeFirst => random.random_range(0.0..0.05),
                Data::Ramp => (index % 1009) as f32 / 1009.0,
                Data::Whole => random.random_range(-20..20) as f32,
                Data::Subnormal => 1e-20 * random.random_range(-1.0..1.0f32),
            }
        };
        (0..lines * length).map(|index| of(index, random)).collect()
    }

    pub fn problem(self, extents: (usize, usize, usize), seed: u64) -> Problem {
        let random = &mut StdRng::seed_from_u64(seed);
        let (m, n, k) = extents;
        let a = self.draw(m, k, random);
        let columns = self.draw(n, k, random);
        let b = (0..k * n).map(|index| columns[index % n * k + index / n]).collect();
        let c = self.draw(m, n, random);
        Problem { extents, scales: (1.0, 0.0), a, b, c }
    }
}

/// Orders of adding up products in f32.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    Sequential,
    Fused,
    Backwards,
    Pairwise,
    Blocked(usize),
    Interleaved(usize),
    Compensated,
    Sorted,
}

pub const ORDERS: [Order; 9] = [
    Order::Sequential,
    Order::Fused,
    Order::Backwards,
    Order::Pairwise,
    Order::Blocked(8),
    Order::Blocked(128),
    Order::Interleaved(32),
    Order::Compensated,
    Order::Sorted,
];

fn pairwise(terms: &[f32]) -> f32 {
    match terms {
        [] => 0.0,
        [one] => *one,
        _ => {
            let (left, right) = terms.split_at(terms.len() / 2);
            pairwise(left) + pairwise(right)
        }
    }
}

impl Order {
    pub fn sum(self, a: &[f32], b: &[f32]) -> f32 {
        let terms = || a.iter().zip(b).map(|(a, b)| a * b);
        let fused =
            |a: &[f32], b: &[f32]| a.iter().zip(b).fold(0.0f32, |s, (a, b)| a.mul_add(*b, s));
        match self {
            Order::Sequential => terms().fold(0.0, |sum, term| sum + term),
            Order::Fused => fused(a, b),
            Order::Backwards => terms().rev().fold(0.0, |sum, term| sum + term),
            Order::Pairwise => pairwise(&terms().collect::<Vec<_>>()),
            Order::Blocked(size) => {
                a.chunks(size).zip(b.chunks(size)).fold(0.0, |sum, (a, b)| sum + fused(a, b))
            }
            Order::Interleaved(lanes) => {
                let lane =
                    |lane| terms().skip(lane).step_by(lanes).fold(0.0, |sum, term| sum + term);
                pairwise(&(0..lanes).map(lane).collect::<Vec<f32>>())
            }
            Order::Compensated => {
                let (mut sum, mut lost) = (0.0f32, 0.0f32);
                for term in terms() {
                    let term = term - lost;
                    let next = sum + term;
                    (lost, sum) = ((next - sum) - term, next);
                }
                sum
            }
            Order::Sorted => {
                let mut terms: Vec<f32> = terms().collect();
                terms.sort_by(f32::total_cmp);
                terms.into_iter().fold(0.0, |sum, term| sum + term)
            }
        }
    }
}

impl Problem {
    pub fn product(&self) -> Product<'_> {
        let (_, n, k) = self.extents;
        Product {
            extents: self.extents,
            leading: (k, n, n),
            alpha: self.scales.0,
            beta: self.scales.1,
            a: &self.a,
            b: &self.b,
            c: &self.c,
        }
    }

    /// The result of a kernel that adds up each element in this order.
    pub fn by(&self, sum: impl Fn(&[f32], &[f32]) -> f32) -> Vec<f32> {
        let (m, n, k) = self.extents;
        let column = |j: usize| (0..k).map(|p| self.b[p * n + j]).collect::<Vec<f32>>();
        let columns: Vec<Vec<f32>> = (0..n).map(column).collect();
        let (alpha, beta) = self.scales;
        let at = |i: usize, j: usize| {
            let sum = alpha * sum(&self.a[i * k..][..k], &columns[j]);
            if beta == 0.0 { sum } else { sum + beta * self.c[i * n + j] }
        };
        (0..m).flat_map(|i| (0..n).map(move |j| (i, j))).map(|(i, j)| at(i, j)).collect()
    }

    /// The result in this order, with the inputs changed first.
    pub fn of_inputs(&self, change: impl Fn(f32) -> f32) -> Vec<f32> {
        let change = |x: &[f32]| x.iter().map(|&x| change(x)).collect::<Vec<f32>>();
        Problem { a: change(&self.a), b: change(&self.b), ..self.clone() }
            .by(|a, b| Order::Fused.sum(a, b))
    }

    pub fn right(&self) -> Vec<f32> {
        self.by(|a, b| Order::Fused.sum(a, b))
    }

    pub fn verdict(&self, got: &[f32]) -> Result<Accuracy, Rejection> {
        let product = self.product();
        product.compare(&product.reference(), got)
    }

    pub fn wrong(&self, got: &[f32]) -> String {
        match self.verdict(got) {
            Err(Rejection::Wrong(why)) => why,
            other => panic!("{:?}: {other:?}", self.extents),
        }
    }

    pub fn lower(&self, got: &[f32]) -> String {
        match self.verdict(got) {
            Err(Rejection::LowerPrecision(why)) => why,
            other => panic!("{:?}: {other:?}", self.extents),
        }
    }
}
