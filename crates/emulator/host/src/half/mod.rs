//! Executes on the host the PTX instructions on 16-bit floats that the headers of `half` and `bfloat16` contain.

mod conversions;

use conversions::convert;
use lanework_numbers::NumberType;

/// A 16-bit float format.
#[derive(Clone, Copy)]
struct ShortFormat {
    kind: NumberType,
    not_a_number: u64,
}

impl ShortFormat {
    fn named(name: &str) -> Option<ShortFormat> {
        let not_a_number = 0x7fff;
        match name {
            "f16" => Some(ShortFormat { kind: NumberType::named("f16")?, not_a_number }),
            "bf16" => Some(ShortFormat { kind: NumberType::named("bf16")?, not_a_number }),
            _ => None,
        }
    }

    fn value(self, bits: u64) -> f64 {
        self.kind.read(&(bits as u16).to_le_bytes())
    }

    fn nearest(self, value: f64) -> u64 {
        if value.is_nan() {
            return self.not_a_number;
        }
        let mut bytes = Vec::new();
        self.kind.put(value, &mut bytes);
        bytes.resize(2, 0);
        u64::from(u16::from_le_bytes([bytes[0], bytes[1]]))
    }
}

/// Executes a PTX instruction on operands. `None` if it is not one of these instructions.
pub fn execute(text: &str, operands: &[u64]) -> Option<u64> {
    let text = text.trim().trim_start_matches('{').trim_end_matches('}');
    let mut constant = 0;
    let mut result = None;
    for statement in text.split(';').map(str::trim).filter(|statement| !statement.is_empty()) {
        let (name, rest) = statement.split_once(' ')?;
        let rest: Vec<&str> = rest.split(',').map(str::trim).collect();
        if name == ".reg" {
            continue;
        }
        if name.starts_with("mov.b") {
            constant = u64::from_str_radix(rest.get(1)?.strip_prefix("0x")?, 16).ok()?;
            continue;
        }
        if result.is_some() {
            return None;
        }
        let mut inputs = Vec::new();
        for input in rest.iter().skip(1) {
            inputs.push(match input.strip_prefix('%') {
                Some(number) => {
                    let number: usize = number.parse().ok()?;
                    *operands.get(number.checked_sub(1)?)?
                }
                None if *input == "c" => constant,
                None => return None,
            });
        }
        let parts: Vec<&str> = name.split('.').collect();
        result = Some(match parts.first()? {
            &"cvt" => convert(&format!("{name} %0, %1;"), *inputs.first()?)?,
            _ => arithmetic(&parts, &inputs)?,
        });
    }
    result
}

fn arithmetic(parts: &[&str], inputs: &[u64]) -> Option<u64> {
    let last = *parts.last()?;
    let single = last.strip_suffix("x2");
    let format = ShortFormat::named(single.unwrap_or(last))?;
    let lanes = if single.is_some() { 2 } else { 1 };
    let mut result = 0;
    for lane in 0..lanes {
        let bits: Vec<u64> = inputs.iter().map(|bits| bits >> (16 * lane) & 0xffff).collect();
        result |= lane_of(parts, format, &bits)? << (16 * lane);
    }
    Some(result)
}

fn lane_of(parts: &[&str], format: ShortFormat, bits: &[u64]) -> Option<u64> {
    let values: Vec<f64> = bits.iter().map(|bits| format.value(*bits)).collect();
    let has = |modifier: &str| parts.contains(&modifier);
    let known = ["rn", "sat", "relu", "NaN", "f16", "bf16", "f16x2", "bf16x2"];
    if parts.iter().skip(1).any(|part| !known.contains(part)) {
        return None;
    }
    let either_nan = values.iter().any(|value| value.is_nan());
    let value = match (parts[0], values.as_slice()) {
        ("neg", [_]) => return Some(bits[0] ^ 0x8000),
        ("abs", [_]) => return Some(bits[0] & 0x7fff),
        ("add", [a, b]) => a + b,
        ("sub", [a, b]) => a - b,
        ("mul", [a, b]) => a * b,
        ("fma", [a, b, c]) => a.mul_add(*b, *c),
        ("min" | "max", [_, _]) if has("NaN") && either_nan => f64::NAN,
        ("min", [a, b]) if a == b => return Some(bits[0] | bits[1]),
        ("max", [a, b]) if a == b => return Some(bits[0] & bits[1]),
        ("min", [a, b]) => a.min(*b),
        ("max", [a, b]) => a.max(*b),
        _ => return None,
    };
    let value = match (has("sat"), has("relu")) {
        (true, _) if value.is_nan() => 0.0,
        (true, _) => value.clamp(0.0, 1.0),
        (_, true) if value < 0.0 => 0.0,
        _ => value,
    };
    Some(format.nearest(value))
}

#[cfg(test)]
mod tests {
    use super::execute;

    #[test]
    fn conversions_round_as_their_mode_says() {
        let bits = |value: f32| u64::from(value.to_bits());
        assert_eq!(execute("cvt.rn.f16.f32 %0, %1;", &[bits(1.5)]), Some(0x3e00));
        assert_eq!(execute("cvt.rn.f16.f32 %0, %1;", &[bits(65520.0)]), Some(0x7c00));
        assert_eq!(execute("cvt.rz.f16.f32 %0, %1;", &[bits(1.0009)]), Some(0x3c00));
        assert_eq!(execute("cvt.rp.f16.f32 %0, %1;", &[bits(1.0001)]), Some(0x3c01));
        assert_eq!(execute("cvt.rm.f16.f32 %0, %1;", &[bits(-1.0001)]), Some(0xbc01));
        assert_eq!(execute("cvt.f32.f16 %0, %1;", &[0xc000]), Some(bits(-2.0)));
        assert_eq!(execute("cvt.rzi.s32.f16 %0, %1;", &[0xc100]), Some(0xffff_fffe));
        assert_eq!(execute("cvt.rn.f16.s32 %0, %1;", &[0xffff_ffff]), Some(0xbc00));
        assert_eq!(execute("cvt.rn.bf16.f32 %0, %1;", &[bits(3.0)]), Some(0x4040));
    }

    #[test]
    fn arithmetic_works_on_each_lane() {
        assert_eq!(execute("add.f16 %0, %1, %2;", &[0x3c00, 0x4000]), Some(0x4200));
        assert_eq!(
            execute("mul.f16x2 %0, %1, %2;", &[0x4000_3c00, 0x4000_4200]),
            Some(0x4400_4200)
        );
        let text = "{ .reg .b16 c; mov.b16 c, 0x3F80; fma.rn.bf16 %0, %1, c, %2; }";
        assert_eq!(execute(text, &[0x3f80, 0x4000]), Some(0x4040));
        assert_eq!(execute("max.NaN.f16 %0, %1, %2;", &[0x7e00, 0x3c00]), Some(0x7fff));
        assert_eq!(execute("ex2.approx.f16 %0, %1;", &[0]), None);
    }
}
