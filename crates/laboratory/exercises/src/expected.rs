//! The expected results of kernels.

/// The expected result of a kernel, computed from its arrays before the launch and its numbers.
pub enum ExpectedResult {
    /// The printed lines, in any order.
    Lines(fn() -> Vec<String>),
    /// The sum of the last array.
    Sum(fn(&[Vec<f64>]) -> f64),
    /// The elements of the last array and the largest error, relative to values above 1 and absolute below. NaN: any value.
    Elements(fn(&[Vec<f64>], &[f64]) -> Vec<f64>, f64),
}

impl ExpectedResult {
    /// The first difference of a result from this one: arrays and numbers before the launch, the last array and the output after it.
    pub fn differs(
        &self,
        (arrays, numbers): (&[Vec<f64>], &[f64]),
        result: &[f64],
        printed: &str,
    ) -> Option<String> {
        match self {
            ExpectedResult::Lines(lines) => {
                let mut missing = lines();
                for line in printed.lines() {
                    match missing.iter().position(|one| one == line) {
                        Some(at) => drop(missing.swap_remove(at)),
                        None => return Some(format!("the kernel should not print `{line}`")),
                    }
                }
                missing.first().map(|line| format!("the kernel does not print `{line}`"))
            }
            ExpectedResult::Sum(sum) => {
                let (got, want) = (result.iter().sum::<f64>(), sum(arrays));
                let is_wrong = got != want;
                is_wrong.then(|| format!("the sum of the result is {got}, should be {want}"))
            }
            ExpectedResult::Elements(elements, error) => {
                let want = elements(arrays, numbers);
                let differs = |(got, want): (&f64, &f64)| {
                    let is_close = (got - want).abs() <= error * want.abs().max(1.0);
                    !want.is_nan() && !is_close
                };
                let index = result.iter().zip(&want).position(differs)?;
                let (got, want) = (result[index], want[index]);
                Some(format!("element {index} of the result is {got}, should be {want}"))
            }
        }
    }
}
