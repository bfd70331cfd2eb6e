//! The programs of the guide "Writing kernels" and of the exercises on the ladders' pages, compiled and run as tests.
//!
//! The Chinese pages hold the same programs; `cargo test -p lanework-cli --test invariants` compares
//! them.
#![cfg(doctest)]

macro_rules! pages {
    ($($name:ident = $file:literal)*) => {$(
        #[doc = include_str!(concat!("../../../../docs/src/en/", $file))]
        struct $name;
    )*};
}

pages! {
    First = "writing/first.md"
    Memory = "writing/memory.md"
    Warps = "writing/warps.md"
    Generics = "writing/generics.md"
    Structs = "writing/structs.md"
    Testing = "writing/testing.md"
    VectorAdd = "vector-add.md"
    SumSquares = "sum-squares.md"
    Scan = "scan.md"
    Softmax = "softmax.md"
    LayerNorm = "layer-norm.md"
    RmsNorm = "rms-norm.md"
    Transpose = "transpose.md"
    Matvec = "matvec.md"
    Matmul = "matmul.md"
    Sgemm = "sgemm.md"
    IntMatmul = "int-matmul.md"
    Hgemm = "hgemm.md"
    TensorFloats = "tf32.md"
    EightBitFloats = "fp8.md"
    Dgemm = "dgemm.md"
    Attention = "attention.md"
}
