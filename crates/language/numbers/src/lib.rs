//! The number types of GPUs: their names in Rust, PTX and CUDA, their sizes, and exact conversion.
//!
//! ```
//! use lanework_numbers::{NumberType, SmallFloat};
//!
//! assert_eq!((NumberType::I32.name(), NumberType::I32.ptx_name()), ("i32", "s32"));
//! assert_eq!(NumberType::Bf16.read(&[0x80, 0x3f]), 1.0);
//! assert_eq!(SmallFloat::E4M3.encode(1e9), 0x7e); // 448, the largest
//! ```

#[doc(hidden)]
pub mod c_text;
mod data_type;
mod number_type;
mod small_float;

pub use data_type::DataType;
pub use number_type::NumberType;
pub use small_float::SmallFloat;
