//! The data of a problem as numbers for references, and the check that its arrays have the shapes that a built-in
//! reference requires (the task file declares them separately).

use crate::problems::problem::{Argument, Problem};
use crate::references::approx::{Approx, Arithmetic};
use crate::references::formula::{Scene, View};
use crate::task::{Element, Factor, Reference};
use std::cell::Cell;

/// The data of a problem as numbers.
pub struct Data {
    /// The elements of arrays as numbers, by parameter.
    pub values: Vec<Vec<f64>>,
    /// The elements of arrays of integers.
    pub integers: Vec<Vec<i64>>,
    /// The shapes of arrays.
    pub shapes: Vec<Vec<u64>>,
    /// The scalars, as numbers and as integers.
    pub scalars: Vec<(f64, i64)>,
    extents: Vec<u64>,
}

impl Data {
    /// Only arrays of these shapes and values.
    #[cfg(test)]
    pub fn of_shapes(shapes: Vec<Vec<u64>>, values: Vec<Vec<f64>>) -> Data {
        let integers = vec![Vec::new(); values.len()];
        let scalars = vec![(0.0, 0); values.len()];
        Data { values, integers, shapes, scalars, extents: Vec::new() }
    }

    /// The data of a problem; `rounded` is applied to every element of a single-precision array.
    pub fn of(problem: &Problem, order: &[String], rounded: &dyn Fn(f64) -> f64) -> Data {
        let mut data = Data {
            values: Vec::new(),
            integers: Vec::new(),
            shapes: Vec::new(),
            scalars: Vec::new(),
            extents: order
                .iter()
                .map(|name| problem.extents.get(name).copied().unwrap_or(0))
                .collect(),
        };
        for argument in &problem.arguments {
            let (mut values, mut integers, mut shape, mut scalar) =
                (Vec::new(), Vec::new(), Vec::new(), (0.0, 0));
            match argument {
                Argument::Scalar { value, whole, .. } => scalar = (*value, *whole),
                Argument::Array { element, shape: of, before, .. } => {
                    shape = of.clone();
                    values = element.read_all(before);
                    if *element == Element::F32 {
                        values.iter_mut().for_each(|value| *value = rounded(*value));
                    }
                    if !element.is_float() {
                        let chunks = before.chunks_exact(element.bytes());
                        integers = chunks.map(|one| element.read_integer(one) as i64).collect();
                    }
                    let count = of.iter().product::<u64>() as usize;
                    values.resize(count, 0.0);
                }
            }
            data.values.push(values);
            data.integers.push(integers);
            data.shapes.push(shape);
            data.scalars.push(scalar);
        }
        data
    }

    /// The scene for evaluating formulas.
    pub fn scene(&self, arithmetic: Arithmetic) -> Scene<'_> {
        let view = |number: usize| View {
            values: &self.values[number],
            integers: &self.integers[number],
            shape: &self.shapes[number],
        };
        Scene {
            arrays: (0..self.values.len()).map(view).collect(),
            scalars: self.scalars.clone(),
            extents: self.extents.clone(),
            arithmetic,
            terms: Cell::new(0),
        }
    }

    /// The value of a factor.
    pub fn factor(&self, factor: Factor, arithmetic: &Arithmetic) -> Approx {
        match factor {
            Factor::Parameter(number) => Approx::exact(self.scalars[number].0),
            Factor::Number(value) => Approx::constant(value, arithmetic),
        }
    }

    /// The length of the rows of an array: its last extent.
    pub fn row(&self, array: usize) -> usize {
        self.shapes[array].last().copied().unwrap_or(1) as usize
    }
}

/// The integer, wrapped to the type.
pub fn wrap(value: i64, element: Element) -> i128 {
    let mut bytes = Vec::new();
    element.put_integer(value.into(), &mut bytes);
    element.read_integer(&bytes)
}

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
                        "its input is {from} and its output is {to}; they must be the same"
                    ));
                }
                let Reference::Norm { weight, bias, .. } = self else { return Ok(()) };
                let row = data.row(*output);
                for array in [weight, bias].into_iter().flatten() {
                    let count = data.values[*array].len();
                    if count < row {
                        return Err(format!(
                            "rows have {row} elements, but an array of factors has {count}"
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
                        "a factor of a product must be a matrix, and this is {}",
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
        assert_eq!(why, "its input is 5 x 31 and its output is 31 x 31; they must be the same");
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
