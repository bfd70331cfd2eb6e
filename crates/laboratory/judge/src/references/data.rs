//! The data of a problem as numbers for references.

use crate::element::Element;
use crate::problems::problem::{Argument, Problem};
use crate::references::approx::{Approx, Arithmetic};
use crate::references::formula::{Scene, View};
use crate::task::Factor;

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
    /// Arrays of these shapes and values alone.
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
                    values = element.all(before);
                    if *element == Element::F32 {
                        values.iter_mut().for_each(|value| *value = rounded(*value));
                    }
                    if !element.is_float() {
                        let chunks = before.chunks_exact(element.bytes());
                        integers = chunks.map(|one| element.integer(one) as i64).collect();
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
    element.integer(&bytes)
}
