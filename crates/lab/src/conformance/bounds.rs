//! The error bounds of approximate instructions, as the PTX manual states them (ISA 8.7, "Floating Point
//! Instructions" and "Half Precision Floating Point Instructions", the section of each instruction).
//!
//! The emulator computes these in double precision and rounds once, so that its own error is half a
//! unit in the last place; a GPU may err by the bound.

/// The error that the PTX manual grants an approximation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bound {
    /// Part of the true value.
    pub relative: f64,
    /// Added to that.
    pub absolute: f64,
    /// Holds for arguments of at most this magnitude; the manual gives no bound for others.
    pub within: f64,
    /// The bound in words.
    pub text: &'static str,
}

const fn bound(relative: f64, absolute: f64, text: &'static str) -> Bound {
    Bound { relative, absolute, within: f64::INFINITY, text }
}

/// 2^-n.
const fn part(n: i32) -> f64 {
    1.0 / (1u64 << n) as f64
}

/// Opcode, a modifier that the form has, its type, and the bound; the first that fits counts.
static BOUNDS: &[(&str, &str, &str, Bound)] = &[
    ("rcp", "approx", "f32", bound(part(23), 0.0, "1 ulp")),
    ("rcp", "approx", "f64", bound(part(19), 0.0, "relative 2^-19")),
    ("sqrt", "approx", "f32", bound(part(22), 0.0, "relative 2^-22")),
    ("rsqrt", "approx", "f32", bound(part(22), 0.0, "relative 2^-22")),
    ("rsqrt", "approx", "f64", bound(part(19), 0.0, "relative 2^-19")),
    ("div", "approx", "f32", bound(part(22), 0.0, "2 ulp")),
    ("div", "full", "f32", bound(part(22), 0.0, "2 ulp")),
    ("ex2", "approx", "f32", bound(part(22), 0.0, "relative 2^-22")),
    ("ex2", "approx", "f16", bound(2.0 * part(10), 0.0, "relative 2^-9.9")),
    ("ex2", "approx", "f16x2", bound(2.0 * part(10), 0.0, "relative 2^-9.9")),
    ("ex2", "approx", "bf16", bound(part(7), 0.0, "relative 2^-7")),
    ("ex2", "approx", "bf16x2", bound(part(7), 0.0, "relative 2^-7")),
    ("lg2", "approx", "f32", bound(part(22), part(22), "relative or absolute 2^-22")),
    ("sin", "approx", "f32", SINE),
    ("cos", "approx", "f32", SINE),
    ("tanh", "approx", "f32", bound(part(11), 0.0, "relative 2^-11")),
    ("tanh", "approx", "f16", bound(0.0, part(10), "absolute 2^-10.9")),
    ("tanh", "approx", "f16x2", bound(0.0, part(10), "absolute 2^-10.9")),
    ("tanh", "approx", "bf16", bound(0.0, part(8), "absolute 2^-8")),
    ("tanh", "approx", "bf16x2", bound(0.0, part(8), "absolute 2^-8")),
];

const SINE: Bound = Bound {
    relative: 0.0,
    absolute: 1.5 * part(21),
    within: 2.0 * std::f64::consts::PI,
    text: "absolute 2^-20.5 within 2 pi of 0",
};

/// Products of `m8n8k4` in f16: tensor cores since Turing have none, and the driver's compiler adds in
/// an order of its own. All others are what an H200 gives, bit for bit.
const SUMS: Bound = Bound {
    relative: part(9),
    absolute: 0.0,
    within: f64::INFINITY,
    text: "sums in another order",
};

/// The bound of an instruction, by its name such as `ex2.approx.f32`; `None` where there is none.
pub fn bound_of(name: &str) -> Option<&'static Bound> {
    let words: Vec<&str> = name.split('.').collect();
    let has = |word: &&str| words.contains(word);
    let quads = words[0] == "mma" && has(&"m8n8k4") && has(&"f16");
    if quads && !has(&"f32") {
        return Some(&SUMS);
    }
    let row = BOUNDS.iter().find(|(opcode, modifier, ty, _)| {
        words[0] == *opcode && has(modifier) && words.last() == Some(ty)
    });
    row.map(|(.., bound)| bound)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn approximations_have_bounds_and_roundings_have_none() {
        let text = |name| bound_of(name).map(|bound| bound.text);
        assert_eq!(text("rcp.rn.f32"), None);
        assert_eq!(text("rcp.approx.ftz.f32"), Some("1 ulp"));
        assert_eq!(text("tanh.approx.bf16x2"), Some("absolute 2^-8"));
        assert_eq!(text("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32"), None);
        assert_eq!(text("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32"), None);
        assert_eq!(
            text("mma.sync.aligned.m8n8k4.row.col.f16.f16.f16.f16"),
            Some("sums in another order")
        );
    }
}
