//! Functions of the library that machine code calls without a helper, because they neither fail nor access the program's
//! memory.

/// A function that machine code calls directly.
#[derive(Clone, Copy, Debug)]
#[allow(dead_code, reason = "only machine code uses the address")]
pub enum DirectFunction {
    /// A function of `math.h`.
    Math(MathFunction),
    /// `rand`.
    Random,
}

/// The address of a function that only computes a number.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)]
#[allow(dead_code, reason = "only machine code uses the addresses")]
pub enum MathFunction {
    F32(extern "C" fn(f32) -> f32),
    F64(extern "C" fn(f64) -> f64),
    F32Pair(extern "C" fn(f32, f32) -> f32),
    F64Pair(extern "C" fn(f64, f64) -> f64),
}
