//! The exercises of the ladders' pages, with solutions. Their programs are compiled and run as doctests of `lanework`
//! (`pages!` in its `lib.rs`), and are the same in both languages (`tests/invariants`).

macro_rules! exercises {
    ($ladder:expr, $place:expr; $($name:literal)*) => {
        match ($ladder, $place) {
            $(($name, 0) => include_str!(concat!("exercises/", $name, ".en.md")),
            ($name, _) => include_str!(concat!("exercises/", $name, ".zh.md")),)*
            _ => "",
        }
    };
}

/// The exercises of a ladder, as the end of its page in English (0) or Chinese (1).
pub fn of_ladder(ladder: &str, place: usize) -> &'static str {
    exercises!(ladder, place; "vector-add" "sum-squares" "scan" "softmax" "layer-norm" "rms-norm" "transpose" "matvec" "matmul" "sgemm" "int-matmul" "hgemm" "tf32" "fp8" "dgemm" "attention")
}
