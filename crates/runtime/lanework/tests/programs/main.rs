//! Ordinary programs with kernels, as a newcomer writes them; each compares its results with the host's.

macro_rules! programs {
    ($($name:ident)*) => {$(
        mod $name;

        #[test]
        fn $name() {
            $name::main().expect("the program runs");
        }
    )*};
}

programs! { histogram macros mandelbrot parse reduce scan softmax stencil }
