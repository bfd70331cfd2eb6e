//! Expected matrix products.

use crate::element::Element;
use crate::references::approx::{Approx, Arithmetic, Sum};
use crate::references::data::{Data, wrap};
use crate::task::Factor;

/// A matrix product.
pub struct Product<'a> {
    /// The problem's data.
    pub data: &'a Data,
    /// The output.
    pub output: usize,
    /// The first factor.
    pub a: usize,
    /// The second factor.
    pub b: usize,
    /// Whether each factor is transposed.
    pub transposed: (bool, bool),
}

impl Product<'_> {
    /// Indices of the terms of an element: first index and stride in A, first index and stride in B, and the number
    /// of terms.
    fn terms(&self, at: usize) -> ([usize; 2], [usize; 2], usize) {
        let shape = |array: usize| {
            let shape = &self.data.shapes[array];
            (shape[0] as usize, shape[1] as usize)
        };
        let (n, (of_a, of_b)) = (self.data.row(self.output).max(1), (shape(self.a), shape(self.b)));
        let (i, j) = (at / n, at % n);
        let (a, k) = match self.transposed.0 {
            true => ([i, of_a.1], of_a.0),
            false => ([i * of_a.1, 1], of_a.1),
        };
        let b = if self.transposed.1 { [j * of_b.1, 1] } else { [j, of_b.1] };
        (a, b, k)
    }

    /// An element of a floating-point product.
    pub fn element(
        &self,
        at: usize,
        [alpha, beta]: [Approx; 2],
        arithmetic: &Arithmetic,
    ) -> Approx {
        let ([a, a_step], [b, b_step], k) = self.terms(at);
        let (of_a, of_b) = (&self.data.values[self.a], &self.data.values[self.b]);
        let mut sum = Sum::new();
        let mut largest = 0f64;
        for index in 0..k {
            // Exact in f64 for factors of single precision or lower.
            let term = of_a[a + index * a_step] * of_b[b + index * b_step];
            largest = largest.max(term.abs());
            sum.add(Approx::exact(term));
        }
        // Each product is rounded once unless it is fused with the addition.
        let mut product = sum.finish(1.0, arithmetic);
        product.wild |= largest > arithmetic.format.largest();
        let product = match alpha.value {
            1.0 => product,
            _ => product.multiply(alpha, arithmetic),
        };
        match beta.value {
            0.0 => product,
            _ => {
                let before = Approx::exact(self.data.values[self.output][at]);
                product.add(before.multiply(beta, arithmetic), arithmetic)
            }
        }
    }

    /// Elements of a product of wrapping integers.
    pub fn integers(
        &self,
        element: Element,
        at: &[usize],
        alpha: Factor,
        beta: Factor,
    ) -> Vec<i128> {
        let whole = |factor: Factor| match factor {
            Factor::Parameter(number) => self.data.scalars[number].1,
            Factor::Number(value) => value as i64,
        };
        let (alpha, beta) = (whole(alpha), whole(beta));
        let (of_a, of_b) = (&self.data.integers[self.a], &self.data.integers[self.b]);
        let element_at = |at: &usize| {
            let ([a, a_step], [b, b_step], k) = self.terms(*at);
            let sum = (0..k).fold(0i64, |sum, index| {
                let term = of_a[a + index * a_step].wrapping_mul(of_b[b + index * b_step]);
                sum.wrapping_add(term)
            });
            let before = self.data.integers[self.output].get(*at).copied().unwrap_or(0);
            wrap(alpha.wrapping_mul(sum).wrapping_add(beta.wrapping_mul(before)), element)
        };
        at.iter().map(element_at).collect()
    }
}
