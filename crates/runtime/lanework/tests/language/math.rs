//! Elementary functions: the emulator (and a GPU, if there is one) returns the host's bits, for numbers
//! of every kind; and special values equal Rust's.

use half::{bf16, f16};
use lanework::lang::Float;
use lanework::math;
use lanework::prelude::*;

/// The same kernel for each function of one argument, and the function's result on the host.
macro_rules! unary {
    ($($name:ident)*) => {
        $(#[kernel]
        fn $name<E: Element + Float>(x: &[E], out: &mut [E]) {
            let i = block_idx.x * block_dim.x + thread_idx.x;
            if i < x.len() as u32 {
                out[i] = x[i].$name();
            }
        })*

        #[test]
        fn functions_of_one_argument_have_the_hosts_bits() {
            for device in Device::for_tests("elementary functions") {
                let singles = singles();
                let x = device.upload(&singles).unwrap();
                let mut out = device.zeros::<f32>(singles.len()).unwrap();
                $(
                    let blocks = singles.len().div_ceil(256) as u32;
                    $name(&x, &mut out).grid(blocks).block(256).launch(&device).unwrap();
                    for (x, got) in singles.iter().zip(out.download().unwrap()) {
                        let want = math::$name(*x);
                        assert!(same(got.into(), want.into()), "{}({x:e}): {got:e}, not {want:e}", stringify!($name));
                    }
                )*
                let doubles = doubles();
                let x = device.upload(&doubles).unwrap();
                let mut out = device.zeros::<f64>(doubles.len()).unwrap();
                $(
                    let blocks = doubles.len().div_ceil(256) as u32;
                    $name(&x, &mut out).grid(blocks).block(256).launch(&device).unwrap();
                    for (x, got) in doubles.iter().zip(out.download().unwrap()) {
                        let want = math::$name(*x);
                        assert!(same(got, want), "{}({x:e}): {got:e}, not {want:e}", stringify!($name));
                    }
                )*
            }
        }

        #[test]
        fn every_function_of_one_argument_is_valid_ptx() {
            let device = Device::emulator();
            let (x, y) = (device.zeros::<f32>(1).unwrap(), device.zeros::<f64>(1).unwrap());
            let (mut single, mut double) = (device.zeros::<f32>(1).unwrap(), device.zeros::<f64>(1).unwrap());
            $(
                valid(stringify!($name), $name(&x, &mut single).module());
                valid(stringify!($name), $name(&y, &mut double).module());
            )*
        }

        #[test]
        fn half_precision_is_computed_in_f32() {
            let device = Device::emulator();
            let halves: Vec<f16> = (0..=u16::MAX).step_by(5).map(f16::from_bits).collect();
            let brains: Vec<bf16> = (0..=u16::MAX).step_by(5).map(bf16::from_bits).collect();
            let (x, y) = (device.upload(&halves).unwrap(), device.upload(&brains).unwrap());
            let mut half = device.zeros::<f16>(halves.len()).unwrap();
            let mut brain = device.zeros::<bf16>(brains.len()).unwrap();
            let blocks = halves.len().div_ceil(256) as u32;
            $(
                $name(&x, &mut half).grid(blocks).block(256).launch(&device).unwrap();
                $name(&y, &mut brain).grid(blocks).block(256).launch(&device).unwrap();
                for (x, got) in halves.iter().zip(half.download().unwrap()) {
                    let want = f16::from_f32(math::$name(x.to_f32()));
                    assert!(same(got.to_f64(), want.to_f64()), "{}({x:e}): {got}, not {want}", stringify!($name));
                }
                for (x, got) in brains.iter().zip(brain.download().unwrap()) {
                    let want = bf16::from_f32(math::$name(x.to_f32()));
                    assert!(same(got.to_f64(), want.to_f64()), "{}({x:e}): {got}, not {want}", stringify!($name));
                }
            )*
        }

        #[kernel]
        fn of_constants(out: &mut [f64]) {
            let mut i = 0;
            $(
                out[i] = Var::constant(0.75f64).$name();
                out[i + 1] = Var::constant(0.75f32).$name() as f64;
                i += 2;
            )*
        }
    };
}

unary! {
    exp exp2 exp_m1 ln log2 log10 ln_1p sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh cbrt erf erfc
}

macro_rules! binary {
    ($($name:ident)*) => {
        $(#[kernel]
        fn $name<E: Element + Float>(x: &[E], y: &[E], out: &mut [E]) {
            let i = block_idx.x * block_dim.x + thread_idx.x;
            if i < x.len() as u32 {
                out[i] = x[i].$name(y[i]);
            }
        })*

        #[kernel]
        fn rem<E: Element + Float>(x: &[E], y: &[E], out: &mut [E]) {
            let i = block_idx.x * block_dim.x + thread_idx.x;
            if i < x.len() as u32 {
                out[i] = x[i] % y[i];
            }
        }

        #[test]
        fn every_function_of_two_arguments_is_valid_ptx() {
            let device = Device::emulator();
            let (x, y) = (device.zeros::<f32>(1).unwrap(), device.zeros::<f64>(1).unwrap());
            let (mut single, mut double) = (device.zeros::<f32>(1).unwrap(), device.zeros::<f64>(1).unwrap());
            $(
                valid(stringify!($name), $name(&x, &x, &mut single).module());
                valid(stringify!($name), $name(&y, &y, &mut double).module());
            )*
            valid("%", rem(&x, &x, &mut single).module());
            valid("%", rem(&y, &y, &mut double).module());
        }

        #[test]
        fn functions_of_two_arguments_have_the_hosts_bits() {
            for device in Device::for_tests("elementary functions") {
                let (left, right) = pairs(&singles());
                let (x, y) = (device.upload(&left).unwrap(), device.upload(&right).unwrap());
                let mut out = device.zeros::<f32>(left.len()).unwrap();
                let blocks = left.len().div_ceil(256) as u32;
                binary!(@compare x y out device blocks left right; $($name)* rem);
                let (left, right) = pairs(&doubles());
                let (x, y) = (device.upload(&left).unwrap(), device.upload(&right).unwrap());
                let mut out = device.zeros::<f64>(left.len()).unwrap();
                let blocks = left.len().div_ceil(256) as u32;
                binary!(@compare x y out device blocks left right; $($name)* rem);
            }
        }
    };
    (@compare $x:ident $y:ident $out:ident $device:ident $blocks:ident $left:ident $right:ident; $($name:ident)*) => {$(
        $name(&$x, &$y, &mut $out).grid($blocks).block(256).launch(&$device).unwrap();
        for ((x, y), got) in $left.iter().zip(&$right).zip($out.download().unwrap()) {
            let want = math::$name(*x, *y);
            assert!(
                same(f64::from(got), f64::from(want)),
                "{}({x:e}, {y:e}): {got:e}, not {want:e}", stringify!($name)
            );
        }
    )*};
}

binary!(powf atan2 hypot rem_euclid div_euclid);

/// Checks that the module's text is valid PTX, and that ptxas accepts it if PTXAS names it.
fn valid(name: &str, module: lanework::Result<lanework::ptx::Module>) {
    let text = module.unwrap().to_string();
    let parsed = lanework::ptx::Module::parse(&text).unwrap();
    if let Err(faults) = parsed.validate() {
        panic!("{name}: {faults}\n{text}");
    }
    let Some(ptxas) = std::env::var_os("PTXAS") else { return };
    let path =
        std::env::temp_dir().join(format!("lanework-math-{}-{name}.ptx", std::process::id()));
    std::fs::write(&path, &text).unwrap();
    let output = std::process::Command::new(ptxas)
        .args(["-arch=sm_90", "-o", "/dev/null"])
        .arg(&path)
        .output()
        .expect("PTXAS names a program");
    std::fs::remove_file(&path).unwrap();
    assert!(output.status.success(), "{name}: {}\n{text}", String::from_utf8_lossy(&output.stderr));
}

/// Equal bits, or both NaN.
fn same(x: f64, y: f64) -> bool {
    x.to_bits() == y.to_bits() || x.is_nan() && y.is_nan()
}

/// Numbers of every magnitude, the ends of ranges, and NaNs.
fn singles() -> Vec<f32> {
    let mut values =
        vec![0.0f32, 1.0, 0.5, 2.0, 0.75, 100_000.0, 99_999.99, 16_777_217.0, f32::MAX];
    values.extend([
        f32::MIN_POSITIVE,
        f32::from_bits(1),
        f32::INFINITY,
        f32::NAN,
        88.72284,
        103.97208,
    ]);
    values.extend((0..3000u32).map(|i| f32::from_bits(i.wrapping_mul(0x0009_e3b1) & 0x7fff_ffff)));
    values.extend((0..1000).map(|i| i as f32 * 0.013));
    let negative: Vec<f32> = values.iter().map(|x| -x).collect();
    values.extend(negative);
    values
}

fn doubles() -> Vec<f64> {
    let mut values =
        vec![0.0f64, 1.0, 0.5, 2.0, 0.75, 1e9, 999_999_999.9, f64::MAX, f64::MIN_POSITIVE];
    values.extend([
        f64::from_bits(1),
        f64::INFINITY,
        f64::NAN,
        709.782_712_893_384,
        745.133_219_101_941,
    ]);
    values.extend((0..2000u64).map(|i| f64::from_bits(i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 1)));
    values.extend((0..1000).map(|i| f64::from(i) * 0.0137));
    let negative: Vec<f64> = values.iter().map(|x| -x).collect();
    values.extend(negative);
    values
}

/// A sample of all pairs.
fn pairs<T: Copy>(values: &[T]) -> (Vec<T>, Vec<T>) {
    let n = values.len();
    let second = |i: usize| values[(i * 7 + i / n * 13) % n];
    (0..3 * n).map(|i| (values[i % n], second(i))).unzip()
}

#[test]
fn constants_are_computed_while_staging_with_the_same_bits() {
    let device = Device::emulator();
    let mut out = device.zeros::<f64>(44).unwrap();
    of_constants(&mut out).grid(1).block(1).launch(&device).unwrap();
    let out = out.download().unwrap();
    assert_eq!(out[0], math::exp(0.75f64));
    assert_eq!(out[1], f64::from(math::exp(0.75f32)));
    assert_eq!(out[42], math::erfc(0.75f64));
}

#[device]
fn normal(x: f32) -> f32 {
    0.5 * (-x * std::f32::consts::FRAC_1_SQRT_2).erfc() + 0.0 * lanework::prelude::erf(x)
}

#[device]
fn mixed(x: f64, y: f64) -> f64 {
    math::sin(x) * math::powf(y, 1.5) + math::atan2(x, y) + fast::sqrt(4.0) as f64
}

#[kernel]
fn of_device_functions(x: &[f32], out: &mut [f64]) {
    let i = thread_idx.x;
    out[2 * i] = normal(x[i]) as f64;
    out[2 * i + 1] = mixed(x[i] as f64, 2.5);
}

#[test]
fn device_functions_have_the_same_bits_on_the_host() {
    let values: Vec<f32> = (0..32).map(|i| i as f32 * 0.2 - 3.0).collect();
    for device in Device::for_tests("elementary functions") {
        let x = device.upload(&values).unwrap();
        let mut out = device.zeros::<f64>(64).unwrap();
        of_device_functions(&x, &mut out).grid(1).block(32).launch(&device).unwrap();
        let out = out.download().unwrap();
        for (i, x) in values.iter().enumerate() {
            assert_eq!(out[2 * i], f64::from(normal(*x)));
            assert_eq!(out[2 * i + 1], mixed((*x).into(), 2.5));
        }
    }
}

#[kernel]
fn whole_powers(x: &[f32], n: &[i32], out: &mut [f32]) {
    out[thread_idx.x] = x[thread_idx.x].powi(n[thread_idx.x]);
}

#[test]
fn run_time_exponents_multiply_as_constant_ones_do() {
    let (bases, exponents) = ([1.5f32, -2.0, 3.0, 0.0, 7.0, 1.0], [5, -3, 0, -1, 40, i32::MIN]);
    for device in Device::for_tests("elementary functions") {
        let (x, n) = (device.upload(&bases).unwrap(), device.upload(&exponents).unwrap());
        let mut out = device.zeros::<f32>(6).unwrap();
        whole_powers(&x, &n, &mut out).grid(1).block(6).launch(&device).unwrap();
        let want: Vec<f32> =
            bases.iter().zip(&exponents).map(|(x, n)| math::powi(*x, *n)).collect();
        assert_eq!(out.download().unwrap(), want);
        assert_eq!(want[..4], [7.59375, -0.125, 1.0, f32::INFINITY]);
    }
}

#[kernel]
fn plain<E: Element + Float>(x: &[E], y: &[E], out: &mut [E]) {
    let (n, i) = (block_dim.x, thread_idx.x);
    let (x, y) = (x[i], y[i]);
    out[i] = x.signum();
    out[n + i] = x.copysign(y);
    out[2 * n + i] = x.fract();
    out[3 * n + i] = x.to_degrees();
    out[4 * n + i] = x.to_radians();
    out[5 * n + i] = x.clamp(-(1.0f32 as E), 1.0f32 as E);
    out[6 * n + i] = x.min(y);
    out[7 * n + i] = x.max(y);
    out[8 * n + i] = x.is_finite() as E + x.is_infinite() as E + x.is_infinite() as E;
    out[9 * n + i] = x.is_sign_negative() as E - x.is_sign_positive() as E;
    out[10 * n + i] = x.recip();
}

#[test]
fn signs_fractions_angles_and_bounds_match_rust() {
    let values =
        [0.0f32, -0.0, 1.5, -2.75, 3e9, f32::INFINITY, f32::NEG_INFINITY, f32::NAN, 1e-40, 57.3];
    let (left, right): (Vec<f32>, Vec<f32>) =
        values.iter().flat_map(|x| values.map(|y| (*x, y))).unzip();
    let n = left.len();
    for device in Device::for_tests("elementary functions") {
        let (x, y) = (device.upload(&left).unwrap(), device.upload(&right).unwrap());
        let mut out = device.zeros::<f32>(11 * n).unwrap();
        plain(&x, &y, &mut out).grid(1).block(n as u32).launch(&device).unwrap();
        let out = out.download().unwrap();
        for i in 0..n {
            let (x, y) = (left[i], right[i]);
            let want = [
                x.signum(),
                x.copysign(y),
                x.fract(),
                x.to_degrees(),
                x.to_radians(),
                x.clamp(-1.0, 1.0),
                x.min(y),
                x.max(y),
                f32::from(u8::from(x.is_finite()) + 2 * u8::from(x.is_infinite())),
                if x.is_sign_negative() { 1.0 } else { -1.0 },
                x.recip(),
            ];
            for (k, want) in want.into_iter().enumerate() {
                let got = out[k * n + i];
                // The sign of the minimum of two zeros is unspecified.
                let zeros = (k == 6 || k == 7) && x == 0.0 && y == 0.0;
                assert!(
                    same(got.into(), want.into()) || zeros || x.is_nan() && k == 9,
                    "{k} of {x}, {y}: {got}, not {want}"
                );
            }
        }
    }
}
