//! The instructions of [`fast`](crate::fast), where each is documented.

#![allow(missing_docs)]

use crate::emit::current::{here, with};
use crate::emit::value::Value;
use crate::scalar::var::{IntoVar, Var};
use lanework_ptx::ScalarType;

fn instruction(name: &str, inputs: &[Value]) -> Var<f32> {
    let ty = ScalarType::F32;
    let inputs: Vec<_> = inputs.iter().map(|value| (*value, ty)).collect();
    Var::new(with(|b| b.pure(name, ty, &inputs)))
}

macro_rules! instructions {
    ($($name:ident $op:literal;)*) => {$(
        #[track_caller]
        pub fn $name(x: impl IntoVar<f32>) -> Var<f32> {
            here();
            instruction($op, &[x.into_var().value])
        }
    )*};
}

instructions! {
    sin "sin.approx.f32";
    cos "cos.approx.f32";
    exp2 "ex2.approx.f32";
    exp2_ftz "ex2.approx.ftz.f32";
    log2 "lg2.approx.f32";
    tanh "tanh.approx.f32";
    rsqrt "rsqrt.approx.f32";
    sqrt "sqrt.approx.f32";
    recip "rcp.approx.f32";
}

#[track_caller]
pub fn exp(x: impl IntoVar<f32>) -> Var<f32> {
    exp2(x.into_var() * std::f32::consts::LOG2_E)
}

#[track_caller]
pub fn ln(x: impl IntoVar<f32>) -> Var<f32> {
    log2(x) * std::f32::consts::LN_2
}

#[track_caller]
pub fn log10(x: impl IntoVar<f32>) -> Var<f32> {
    log2(x) * std::f32::consts::LOG10_2
}

#[track_caller]
pub fn tan(x: impl IntoVar<f32>) -> Var<f32> {
    let x = x.into_var();
    div(sin(x), cos(x))
}

#[track_caller]
pub fn powf(x: impl IntoVar<f32>, y: impl IntoVar<f32>) -> Var<f32> {
    exp2(y.into_var() * log2(x))
}

#[track_caller]
pub fn div(x: impl IntoVar<f32>, y: impl IntoVar<f32>) -> Var<f32> {
    here();
    instruction("div.approx.f32", &[x.into_var().value, y.into_var().value])
}
