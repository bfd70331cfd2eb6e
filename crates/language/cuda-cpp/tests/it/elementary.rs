//! `headers/elementary.h` holds the functions of `lanework-math` as C++: this test writes it and checks that it is current.
//!
//! `LANEWORK_BLESS=1` writes the file.

use lanework_math::algorithms as functions;
use lanework_math::real::{Mask, Pair, Real, Word};
use std::cell::RefCell;
use std::fmt::Write;
use std::ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Neg, Not, Sub};

thread_local! {
    static TEXT: RefCell<(String, u32)> = const { RefCell::new((String::new(), 0)) };
}

/// Adds a line with a new variable.
fn emit(kind: &str, value: String) -> u32 {
    TEXT.with_borrow_mut(|(text, next)| {
        *next += 1;
        let _ = writeln!(text, "{kind} v{next} = {value};");
        *next
    })
}

fn raw(line: &str) {
    TEXT.with_borrow_mut(|(text, _)| {
        text.push_str(line);
        text.push('\n');
    });
}

#[derive(Clone, Copy)]
struct StagedMask(u32);

macro_rules! operator {
    ($t:ty, $trait:ident, $method:ident, $kind:expr, $format:expr) => {
        impl $trait for $t {
            type Output = Self;
            fn $method(self, other: Self) -> Self {
                Self(emit($kind, format!($format, self.0, other.0)))
            }
        }
    };
}

operator!(StagedMask, BitAnd, bitand, "bool", "v{} && v{}");
operator!(StagedMask, BitOr, bitor, "bool", "v{} || v{}");
operator!(StagedMask, BitXor, bitxor, "bool", "v{} != v{}");
impl Not for StagedMask {
    type Output = Self;
    fn not(self) -> Self {
        Self(emit("bool", format!("!v{}", self.0)))
    }
}
impl Mask for StagedMask {}

macro_rules! word {
    ($name:ident, $c:literal, $signed:literal, $suffix:literal, $high:literal, $zeros:literal, $t:ty, $table:literal) => {
        #[derive(Clone, Copy)]
        struct $name(u32);
        operator!($name, Add, add, $c, "v{} + v{}");
        operator!($name, Sub, sub, $c, "v{} - v{}");
        operator!($name, Mul, mul, $c, "v{} * v{}");
        operator!($name, BitAnd, bitand, $c, "v{} & v{}");
        operator!($name, BitOr, bitor, $c, "v{} | v{}");
        operator!($name, BitXor, bitxor, $c, "v{} ^ v{}");
        impl Word for $name {
            type Mask = StagedMask;
            type Short = Short32;
            type Entry = $t;
            fn constant(bits: u64) -> Self {
                Self(emit($c, format!("{}{}", bits as $t, $suffix)))
            }
            fn shl(self, by: Short32) -> Self {
                Self(emit($c, format!("v{} << v{}", self.0, by.0)))
            }
            fn shr(self, by: Short32) -> Self {
                Self(emit($c, format!("v{} >> v{}", self.0, by.0)))
            }
            fn sar(self, by: Short32) -> Self {
                Self(emit($c, format!("({})(({})v{} >> v{})", $c, $signed, self.0, by.0)))
            }
            fn mul_high(self, other: Self) -> Self {
                Self(emit($c, format!("{}(v{}, v{})", $high, self.0, other.0)))
            }
            fn rem(self, other: Self) -> Self {
                Self(emit($c, format!("v{} % v{}", self.0, other.0)))
            }
            fn leading_zeros(self) -> Short32 {
                Short32(emit("unsigned", format!("(unsigned){}(v{})", $zeros, self.0)))
            }
            fn eq(self, other: Self) -> StagedMask {
                StagedMask(emit("bool", format!("v{} == v{}", self.0, other.0)))
            }
            fn below(self, other: Self) -> StagedMask {
                StagedMask(emit("bool", format!("v{} < v{}", self.0, other.0)))
            }
            fn less(self, other: Self) -> StagedMask {
                StagedMask(emit("bool", format!("({0})v{1} < ({0})v{2}", $signed, self.0, other.0)))
            }
            fn where_else(self, mask: StagedMask, other: Self) -> Self {
                Self(emit($c, format!("v{} ? v{} : v{}", mask.0, self.0, other.0)))
            }
            fn short(self) -> Short32 {
                Short32(emit("unsigned", format!("(unsigned)v{}", self.0)))
            }
            fn extended(short: Short32) -> Self {
                Self(emit($c, format!("({})v{}", $c, short.0)))
            }
            fn look_up(_table: &'static [$t], index: Short32) -> Self {
                Self(emit($c, format!("{}[v{}]", $table, index.0)))
            }
            fn repeat<const N: usize>(
                state: [Self; N],
                go: impl Fn([Self; N]) -> StagedMask,
                step: impl Fn([Self; N]) -> [Self; N],
            ) -> [Self; N] {
                let state = state.map(|word| Self(emit($c, format!("v{}", word.0))));
                raw("for (;;) {");
                let mask = go(state);
                raw(&format!("if (!v{}) break;", mask.0));
                let next = step(state);
                for (old, new) in state.iter().zip(next) {
                    raw(&format!("v{} = v{};", old.0, new.0));
                }
                raw("}");
                state
            }
        }
    };
}

word!(Short32, "unsigned", "int", "u", "__umulhi", "__clz", u32, "__lw_two_over_pi_single");
word!(
    Long64,
    "unsigned long long",
    "long long",
    "ull",
    "__umul64hi",
    "__clzll",
    u64,
    "__lw_two_over_pi_double"
);

/// Stages both sides of a branch as `if` and `else`; each assigns its values to variables declared before.
fn branch<const N: usize>(
    mask: StagedMask,
    kinds: [&str; N],
    first: impl FnOnce() -> [u32; N],
    second: impl FnOnce() -> [u32; N],
) -> [u32; N] {
    let results = kinds.map(|kind| {
        TEXT.with_borrow_mut(|(text, next)| {
            *next += 1;
            let _ = writeln!(text, "{kind} v{next};");
            *next
        })
    });
    let assign = |values: [u32; N]| {
        for (result, value) in results.iter().zip(values) {
            raw(&format!("v{result} = v{value};"));
        }
    };
    raw(&format!("if (v{}) {{", mask.0));
    assign(first());
    raw("} else {");
    assign(second());
    raw("}");
    results
}

macro_rules! real {
    ($name:ident, $bits:ident, $c:literal, $double:literal, $field:ident, $p:literal, $fma:literal, $sqrt:literal, $abs:literal,
     $trunc:literal, $high:literal, $with_high:literal, $from_high:literal, $low:literal, $to:literal, $from:literal) => {
        #[derive(Clone, Copy)]
        struct $name(u32);
        operator!($name, Add, add, $c, concat!("__", $p, "add_rn(v{}, v{})"));
        operator!($name, Sub, sub, $c, concat!("__", $p, "sub_rn(v{}, v{})"));
        operator!($name, Mul, mul, $c, concat!("__", $p, "mul_rn(v{}, v{})"));
        operator!($name, Div, div, $c, concat!("__", $p, "div_rn(v{}, v{})"));
        impl Neg for $name {
            type Output = Self;
            fn neg(self) -> Self {
                Self(emit($c, format!("-v{}", self.0)))
            }
        }
        impl Real for $name {
            type Bits = $bits;
            const DOUBLE: bool = $double;
            fn constant(value: Pair) -> Self {
                let bits = value.$field.to_bits();
                Self(emit($c, format!("{}(0x{bits:x})", $from)))
            }
            fn two_over_pi(index: Short32) -> $bits {
                <$bits as Word>::look_up(&[], index)
            }
            fn fma(self, a: Self, b: Self) -> Self {
                Self(emit($c, format!("{}(v{}, v{}, v{})", $fma, self.0, a.0, b.0)))
            }
            fn sqrt(self) -> Self {
                Self(emit($c, format!("{}(v{})", $sqrt, self.0)))
            }
            fn abs(self) -> Self {
                Self(emit($c, format!("{}(v{})", $abs, self.0)))
            }
            fn trunc(self) -> Self {
                Self(emit($c, format!("{}(v{})", $trunc, self.0)))
            }
            fn eq(self, other: Self) -> StagedMask {
                StagedMask(emit("bool", format!("v{} == v{}", self.0, other.0)))
            }
            fn lt(self, other: Self) -> StagedMask {
                StagedMask(emit("bool", format!("v{} < v{}", self.0, other.0)))
            }
            fn le(self, other: Self) -> StagedMask {
                StagedMask(emit("bool", format!("v{} <= v{}", self.0, other.0)))
            }
            fn where_else(self, mask: StagedMask, other: Self) -> Self {
                Self(emit($c, format!("v{} ? v{} : v{}", mask.0, self.0, other.0)))
            }
            fn branch(
                mask: StagedMask,
                first: impl FnOnce() -> Self,
                second: impl FnOnce() -> Self,
            ) -> Self {
                Self(branch(mask, [$c], || [first().0], || [second().0])[0])
            }
            fn branch_parts(
                mask: StagedMask,
                first: impl FnOnce() -> (Self, Self, Short32),
                second: impl FnOnce() -> (Self, Self, Short32),
            ) -> (Self, Self, Short32) {
                let parts = |(a, b, n): (Self, Self, Short32)| [a.0, b.0, n.0];
                let [a, b, n] =
                    branch(mask, [$c, $c, "unsigned"], || parts(first()), || parts(second()));
                (Self(a), Self(b), Short32(n))
            }
            fn to_bits(self) -> $bits {
                $bits(emit(
                    if $double { "unsigned long long" } else { "unsigned" },
                    format!($to, self.0),
                ))
            }
            fn from_bits(bits: $bits) -> Self {
                Self(emit($c, format!("{}(v{})", $from, bits.0)))
            }
            fn high(self) -> Short32 {
                Short32(emit("unsigned", format!($high, self.0)))
            }
            fn with_high(self, high: Short32) -> Self {
                let _ = self;
                Self(emit($c, format!($with_high, high.0, self.0)))
            }
            fn from_high(high: Short32) -> Self {
                Self(emit($c, format!($from_high, high.0)))
            }
            fn low(self) -> Short32 {
                Short32(emit("unsigned", format!($low, self.0)))
            }
            fn from_short(integer: Short32) -> Self {
                Self(emit($c, format!("({})(int)v{}", $c, integer.0)))
            }
        }
    };
}

real!(
    Single,
    Short32,
    "float",
    false,
    single,
    "f",
    "__fmaf_rn",
    "__fsqrt_rn",
    "fabsf",
    "truncf",
    "__float_as_uint(v{})",
    "__uint_as_float(v{0} | (v{1} != v{1} ? 0u : 0u))",
    "__uint_as_float(v{})",
    "__float_as_uint(v{})",
    "__float_as_uint(v{})",
    "__uint_as_float"
);
real!(
    Double,
    Long64,
    "double",
    true,
    double,
    "d",
    "__fma_rn",
    "__dsqrt_rn",
    "fabs",
    "trunc",
    "(unsigned)__double2hiint(v{})",
    "__hiloint2double((int)v{0}, __double2loint(v{1}))",
    "__hiloint2double((int)v{}, 0)",
    "(unsigned)__double2loint(v{})",
    "(unsigned long long)__double_as_longlong(v{})",
    "__longlong_as_double"
);

/// Writes one function as C++.
fn stage(kind: &str, name: &str, parameters: usize, body: impl FnOnce(&[u32]) -> u32) -> String {
    TEXT.with_borrow_mut(|text| *text = (String::new(), parameters as u32));
    let arguments: Vec<u32> = (1..=parameters as u32).collect();
    let result = body(&arguments);
    let list: Vec<String> = arguments.iter().map(|at| format!("{kind} v{at}")).collect();
    let text = TEXT.with_borrow(|(text, _)| text.clone());
    format!(
        "__device__ inline {kind} {name}({}) {{\n{text}return v{result};\n}}\n",
        list.join(", ")
    )
}

#[test]
fn the_header_is_current() {
    let mut header = String::from(
        "// Written by tests/it/elementary.rs from the algorithms of lanework-math.\n",
    );
    let table = |kind: &str, name: &str, list: &[u64]| {
        let list: Vec<String> = list.iter().map(|word| format!("0x{word:x}")).collect();
        format!("__device__ const {kind} {name}[] = {{{}}};\n", list.join(", "))
    };
    let single: Vec<u64> = functions::TWO_OVER_PI_SINGLE.iter().map(|&word| word.into()).collect();
    header += &table("unsigned", "__lw_two_over_pi_single", &single);
    header +=
        &table("unsigned long long", "__lw_two_over_pi_double", functions::TWO_OVER_PI_DOUBLE);
    macro_rules! add {
        ($($name:literal $path:ident $count:tt;)*) => {$(
            header += &stage("float", concat!($name, "f"), $count, |v| add!(@call Single, $path, v, $count));
            header += &stage("double", $name, $count, |v| add!(@call Double, $path, v, $count));
            let list = if $count == 1 { ("float a", "a") } else { ("float a, float b", "a, b") };
            header += &format!("__device__ inline float {0}({1}) {{ return {0}f({2}); }}\n", $name, list.0, list.1);
        )*};
        (@call $t:ident, $path:ident, $v:ident, 1) => { functions::$path($t($v[0])).0 };
        (@call $t:ident, $path:ident, $v:ident, 2) => { functions::$path($t($v[0]), $t($v[1])).0 };
    }
    add! {
        "exp" exp 1; "exp2" exp2 1; "expm1" exp_m1 1; "log" ln 1; "log2" log2 1; "log10" log10 1; "log1p" ln_1p 1;
        "sin" sin 1; "cos" cos 1; "tan" tan 1; "asin" asin 1; "acos" acos 1; "atan" atan 1; "atan2" atan2 2;
        "sinh" sinh 1; "cosh" cosh 1; "tanh" tanh 1; "asinh" asinh 1; "acosh" acosh 1; "atanh" atanh 1;
        "erf" erf 1; "erfc" erfc 1; "cbrt" cbrt 1; "hypot" hypot 2; "pow" powf 2; "fmod" rem 2;
    }
    header += "__device__ inline void sincosf(float x, float *s, float *c) { *s = sinf(x); *c = cosf(x); }\n\
               __device__ inline void sincos(double x, double *s, double *c) { *s = sin(x); *c = cos(x); }\n\
               __device__ inline float exp10f(float x) { return powf(10.0f, x); }\n\
               __device__ inline double exp10(double x) { return pow(10.0, x); }\n\
               __device__ inline double pow(double x, int n) { return pow(x, (double)n); }\n\
               __device__ inline float pow(float x, int n) { return powf(x, (float)n); }\n\
               __device__ inline double pow(float x, double y) { return pow((double)x, y); }\n\
               __device__ inline double pow(double x, float y) { return pow(x, (double)y); }\n\
               __device__ inline double pow(int x, int n) { return pow((double)x, (double)n); }\n\
               __device__ inline float rcbrtf(float x) { return 1.0f / cbrtf(x); }\n\
               __device__ inline float rhypotf(float x, float y) { return 1.0f / hypotf(x, y); }\n";
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/headers/elementary.h");
    if std::env::var_os("LANEWORK_BLESS").is_some() {
        std::fs::write(path, &header).expect("a writable file");
    }
    let known = std::fs::read_to_string(path).expect("the header");
    assert!(
        known == header,
        "LANEWORK_BLESS=1 cargo test -p lanework-cuda-cpp --test it elementary writes the header"
    );
}
