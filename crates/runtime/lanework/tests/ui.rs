//! Mistakes in kernels are compile errors at the author's line, with a remedy.

#[test]
fn mistakes_are_explained() {
    trybuild::TestCases::new().compile_fail("tests/ui/*.rs");
}
