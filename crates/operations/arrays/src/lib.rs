//! The operations of `lanework-ops` on arrays whose element type and number of axes are known only at run time. The C and Python
//! bindings call them. Each function checks at run time what Rust's types check there, and queues the operation behind the device's
//! other work.
//!
//! ```
//! use lanework::Device;
//! use lanework_arrays::{Array, ArrayMut, ElementType, Reduction, reduce};
//!
//! let device = Device::best();
//! let x = device.upload(&[1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0])?;
//! let mut sums = device.zeros::<f32>(2)?;
//! let matrix = Array::new(x.view(..).cast(), ElementType::F32, &[2, 3], None)?;
//! let output = ArrayMut::new(sums.view_mut(..).cast(), ElementType::F32, &[2], None)?;
//! reduce(Reduction::Sum, matrix, None, Some(1), false, output)?;
//! assert_eq!(sums.download()?, [6.0, 15.0]);
//! # Ok::<(), lanework::Error>(())
//! ```

mod array;
mod matrices;
mod reductions;

pub use array::{
    AXES, Array, ArrayMut, ELEMENT_TYPES, ElementType, element_type_of_name, element_type_of_number,
};
pub use lanework_ops::Precision;
pub use matrices::{
    Activation, Norm, NormKind, Product, attention, gemm, norm, permute, softmax, sum_type,
    transpose, transpose_in_place,
};
pub use reductions::{Reduction, Scan, reduce, result_type, scan};
