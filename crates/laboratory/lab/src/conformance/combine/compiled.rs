//! Combinations that the driver's compiler miscompiles, as observed with driver 580 on an H200. The comparison omits
//! them, because no emulator of the instructions can reproduce their results.

use super::super::exhaustive::is_approximate;
use super::super::form::InstructionForm;

/// The compiler's behavior; `None` if it compiles the instruction correctly.
pub fn instead(form: &InstructionForm) -> Option<&'static str> {
    let (name, text) = (form.name.as_str(), form.text.as_str());
    let starts = |names: &[&str]| names.iter().any(|start| name.starts_with(start));
    let guarded = text.contains("@%g") || text.contains("@!%g") || text.contains("@$d");
    let literal = ["0f3F", "0d3F", "1.5"].iter().any(|literal| text.contains(literal));
    if is_approximate(form) && literal {
        return Some("computes the function of a constant itself, rounded to nearest");
    }
    if starts(&["red.global.v", "atom.global.v"]) && literal {
        return Some("takes the low word of a literal of 64 bits");
    }
    if starts(&["testp.finite"]) && guarded {
        return Some("leaves the guard out");
    }
    if starts(&["abs.f32", "neg.f32"]) && guarded {
        return Some("changes the sign bit alone, so that a NaN keeps its payload");
    }
    if starts(&["set."]) && guarded && (text.contains(".f16.") || text.contains(".bf16.")) {
        return Some("converts what the destination held before");
    }
    if starts(&["cvt.sat"]) && text.contains(".reg .v2") {
        return Some("leaves the saturation out");
    }
    if text.contains(".reg .b128") && guarded {
        return Some("splits the register, whose value is undefined where the guard is false");
    }
    let crashes =
        ["atom.shared.add.u32", "atom.shared.add.f32", "atom.shared.add.f64", "ld.shared.b64"];
    if crashes.contains(&name) {
        return Some("stops with a segmentation fault in a module of such combinations");
    }
    None
}

#[cfg(test)]
mod tests {
    use super::super::candidates;
    use super::*;

    #[test]
    fn few_combinations_are_left_out() {
        let all = candidates();
        let left_out = all.iter().filter(|one| instead(&one.form).is_some()).count();
        assert!(left_out > 0 && left_out * 50 < all.len(), "{left_out} of {}", all.len());
    }
}
