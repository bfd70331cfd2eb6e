//! Mistakes in kernels are compile errors at the author's line, with a remedy.

#[test]
#[ignore = "slow: checks this crate and all its dependencies again, in a target folder of its own"]
fn mistakes_are_explained() {
    trybuild::TestCases::new().compile_fail("tests/ui/*.rs");
}
