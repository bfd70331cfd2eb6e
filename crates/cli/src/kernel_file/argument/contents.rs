//! Contents of an argument's memory before a launch.

use crate::npy;
use lanework_lab::{Array, ElementType, random_elements};
use std::path::PathBuf;

/// The contents of memory before a launch.
#[derive(Clone, Debug, PartialEq)]
pub enum Contents {
    /// `in:FILE` and `inout:FILE`.
    File(PathBuf),
    /// `zeros:TYPE:N`.
    Zeros(ElementType, Vec<u64>),
    /// `rand:TYPE:N[:SEED]`.
    Random(ElementType, Vec<u64>, u64),
    /// `uninit:TYPE:N` and `out:FILE:TYPE:SHAPE`: 0xCD in every byte.
    Poison(ElementType, Vec<u64>),
}

impl Contents {
    /// An upper bound for the size of the array in bytes; 0 for a file.
    pub fn bytes(&self) -> u64 {
        match self {
            Contents::File(path) => std::fs::metadata(path).map_or(0, |file| file.len()),
            Contents::Zeros(element, shape)
            | Contents::Poison(element, shape)
            | Contents::Random(element, shape, _) => {
                shape.iter().fold(element.bytes as u64, |bytes, n| bytes.saturating_mul(*n))
            }
        }
    }

    /// The initial array, and the name of its type in its file.
    ///
    /// # Errors
    /// If a file cannot be read.
    pub fn array(&self) -> Result<(Array, Option<String>), lanework_terminal::failure::Failure> {
        let filled = |element: ElementType, shape: &[u64], byte: u8| {
            let count = self.bytes() as usize;
            let mut bytes = Vec::new();
            bytes.try_reserve_exact(count).map_err(|_| {
                let what = format!(
                    "{count} bytes for an argument: this computer does not have enough memory"
                );
                lanework_terminal::failure::Failure::input(what, "use a smaller array")
            })?;
            bytes.resize(count, byte);
            Ok((Array { shape: shape.to_vec(), element, bytes }, None))
        };
        match self {
            Contents::File(path) => {
                let (array, name) = npy::read(path)?;
                Ok((array, Some(name)))
            }
            Contents::Zeros(element, shape) => filled(*element, shape, 0),
            Contents::Poison(element, shape) => filled(*element, shape, 0xCD),
            Contents::Random(element, shape, seed) => {
                let (mut array, name) = filled(*element, shape, 0)?;
                let count = array.bytes.len() / element.bytes;
                array.bytes = random_values(*element, count, *seed);
                Ok((array, name))
            }
        }
    }
}

/// Random bytes for integers; for floats, values uniform in -1 to 1.
fn random_values(element: ElementType, count: usize, seed: u64) -> Vec<u8> {
    if !element.name.contains('f') {
        return random_elements::<u8>(count * element.bytes, seed);
    }
    let uniform = lanework_lab::uniform_floats(count, seed).into_iter();
    match element.name {
        "f64" => uniform.flat_map(|x| f64::from(x).to_le_bytes()).collect(),
        "f32" => uniform.flat_map(f32::to_le_bytes).collect(),
        "f16" => uniform.flat_map(|x| half::f16::from_f32(x).to_le_bytes()).collect(),
        _ => uniform.flat_map(|x| half::bf16::from_f32(x).to_le_bytes()).collect(),
    }
}
