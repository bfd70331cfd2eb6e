//! Ordinary programs with kernels, as a newcomer writes them; each compares its results with the host's.

mod histogram;
mod macros;
mod mandelbrot;
mod parse;
mod reduce;
mod scan;
mod softmax;
mod stencil;

#[test]
fn programs_match_the_host() {
    histogram::main().expect("histogram");
    macros::main().expect("macros");
    mandelbrot::main().expect("mandelbrot");
    parse::main().expect("parse");
    reduce::main().expect("reduce");
    scan::main().expect("scan");
    softmax::main().expect("softmax");
    stencil::main().expect("stencil");
}
