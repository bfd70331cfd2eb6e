//! Structs and enums that cannot be #[device].

use lanework::prelude::*;

#[device]
#[derive(Clone, Copy)]
struct Borrowed<'a> {
    data: &'a [f32],
}

#[device]
#[derive(Clone, Copy)]
enum WithData {
    Nothing,
    Something(&'static f32),
}

#[device]
#[derive(Clone, Copy)]
struct WithText {
    name: &'static str,
}

#[derive(Clone, Copy)]
struct Plain {
    value: f32,
}

#[device]
#[derive(Clone, Copy)]
struct Holds {
    plain: Plain,
}

fn main() {}
