//! The programs of the guide "Writing kernels", compiled and run as tests.
//!
//! The Chinese pages hold the same programs; `cargo test -p lanework-cli --test invariants` compares
//! them.
#![cfg(doctest)]

macro_rules! pages {
    ($($name:ident = $file:literal)*) => {$(
        #[doc = include_str!(concat!("../../../docs/src/en/writing/", $file))]
        struct $name;
    )*};
}

pages! {
    First = "first.md"
    Memory = "memory.md"
    Warps = "warps.md"
    Generics = "generics.md"
    Structs = "structs.md"
    Testing = "testing.md"
}
