//! Checks that the arrays of a problem have the shapes that a built-in reference requires; the task file declares
//! them separately.

use crate::references::data::Data;
use crate::task::Reference;

impl Reference {
    /// Checks the shapes of a problem.
    ///
    /// # Errors
    /// A description of the mismatch.
    pub fn fits(&self, data: &Data) -> Result<(), String> {
        let shape = |array: usize| data.shapes[array].as_slice();
        let words = |shape: &[u64]| {
            let extents: Vec<String> = shape.iter().map(u64::to_string).collect();
            extents.join(" x ")
        };
        match self {
            Reference::Softmax { output, input }
            | Reference::Scan { output, input, .. }
            | Reference::Norm { output, input, .. } => {
                let (from, to) = (shape(*input), shape(*output));
                if from != to {
                    let (from, to) = (words(from), words(to));
                    return Err(format!(
                        "its input is {from} and its output {to}, which have to be the same"
                    ));
                }
                let Reference::Norm { weight, bias, .. } = self else { return Ok(()) };
                let row = data.row(*output);
                for array in [weight, bias].into_iter().flatten() {
                    let count = data.values[*array].len();
                    if count < row {
                        return Err(format!(
                            "rows have {row} elements, and an array of factors {count}"
                        ));
                    }
                }
                Ok(())
            }
            Reference::Product { output, a, b, transposed, .. } => {
                let matrix = |array: usize, transposed: bool| match shape(array) {
                    [rows, columns] if transposed => Ok((*columns, *rows)),
                    [rows, columns] => Ok((*rows, *columns)),
                    other => Err(format!(
                        "a factor of a product is a matrix, and this is {}",
                        words(other)
                    )),
                };
                let ((m, k), (of_b, n)) = (matrix(*a, transposed.0)?, matrix(*b, transposed.1)?);
                let elements: u64 = shape(*output).iter().product();
                match k == of_b && m * n == elements && data.row(*output) as u64 == n {
                    true => Ok(()),
                    false => Err(format!(
                        "a product of {m} x {k} and {of_b} x {n} is not {}",
                        words(shape(*output))
                    )),
                }
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::references::data::Data;
    use crate::task::{Factor, Reference};

    fn data(shapes: &[&[u64]]) -> Data {
        let values = shapes.iter().map(|shape| vec![0.0; shape.iter().product::<u64>() as usize]);
        Data::of_shapes(shapes.iter().map(|shape| shape.to_vec()).collect(), values.collect())
    }

    #[test]
    fn rows_keep_their_shape() {
        let softmax = Reference::Softmax { output: 0, input: 1 };
        assert_eq!(softmax.fits(&data(&[&[5, 31], &[5, 31]])), Ok(()));
        let why = softmax.fits(&data(&[&[31, 31], &[5, 31]])).expect_err("other shapes");
        assert_eq!(why, "its input is 5 x 31 and its output 31 x 31, which have to be the same");
    }

    #[test]
    fn factors_of_a_product_fit_each_other() {
        let product = |transposed| Reference::Product {
            output: 0,
            a: 1,
            b: 2,
            transposed,
            alpha: Factor::Number(1.0),
            beta: Factor::Number(0.0),
        };
        let shapes: [&[u64]; 3] = [&[2, 3], &[2, 4], &[4, 3]];
        assert_eq!(product((false, false)).fits(&data(&shapes)), Ok(()));
        assert!(product((true, false)).fits(&data(&shapes)).is_err());
        assert_eq!(product((false, true)).fits(&data(&[&[2, 3], &[2, 4], &[3, 4]])), Ok(()));
        assert!(product((false, false)).fits(&data(&[&[2, 3], &[8], &[4, 3]])).is_err());
    }
}
