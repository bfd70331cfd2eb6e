//! Softmax and norms on the host, in `f64`, and the scale of the rounding errors.

/// The operation on rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operation {
    Softmax,
    LayerNorm,
    RmsNorm,
}

impl Operation {
    /// The name of its ladder.
    pub(super) fn ladder(self) -> &'static str {
        match self {
            Operation::Softmax => "softmax",
            Operation::LayerNorm => "layer-norm",
            Operation::RmsNorm => "rms-norm",
        }
    }
}

/// Roundings of an element in addition to those of its row's sums: exponential, root, quotients and products.
pub(super) const OTHERS: usize = 32;

/// The results for rows of `cols` numbers, each with the sum of magnitudes that scales its rounding errors.
pub(super) fn reference(
    operation: Operation,
    x: &[f32],
    cols: usize,
    (gamma, beta): (&[f32], &[f32]),
    eps: f32,
) -> Vec<(f64, f64)> {
    let mut results = Vec::with_capacity(x.len());
    for row in x.chunks(cols) {
        let row: Vec<f64> = row.iter().map(|x| f64::from(*x)).collect();
        let mean_of = |f: &dyn Fn(f64) -> f64| row.iter().map(|x| f(*x)).sum::<f64>() / cols as f64;
        if operation == Operation::Softmax {
            let most = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let sum: f64 = row.iter().map(|x| (x - most).exp()).sum();
            results.extend(row.iter().map(|x| {
                let result = (x - most).exp() / sum;
                // The rounding of an exponent is relative to the exponent.
                (result, result * (2.0 + 2.0 * (x - most).abs()))
            }));
            continue;
        }
        let squares = mean_of(&|x| x * x);
        let shift = if operation == Operation::LayerNorm { mean_of(&|x| x) } else { 0.0 };
        let spread = mean_of(&|x| (x - shift).powi(2)) + f64::from(eps);
        let (root, magnitude) = (spread.sqrt(), mean_of(&f64::abs));
        for (i, x) in row.iter().enumerate() {
            let factor = f64::from(gamma[i]);
            let summand = if operation == Operation::LayerNorm { f64::from(beta[i]) } else { 0.0 };
            let plain = (x - shift) / root * factor;
            // For the mean, the variance (possibly a difference of squares), and the rest.
            let of_mean = (x.abs() + magnitude) / root * factor.abs();
            let scale = of_mean + plain.abs() * 2.0 * squares / spread + summand.abs();
            results.push((plain + summand, scale));
        }
    }
    results
}
