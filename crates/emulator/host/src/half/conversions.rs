//! Conversions of 16-bit floats, which the headers write as PTX.

use super::short::ShortFormat;
use lanework_numbers::NumberType;

/// The instruction `cvt.ROUNDING.TO.FROM`.
#[derive(Clone, Copy, Debug)]
pub struct Conversion {
    from: NumberType,
    to: NumberType,
    round: fn(f64) -> f64,
    /// The format, if the conversion rounds to the nearest number of it.
    nearest: Option<ShortFormat>,
}

impl Conversion {
    /// A conversion by the modifiers after `cvt`; `None` for other instructions.
    pub fn parse(parts: &[&str]) -> Option<Conversion> {
        let (rounding, to, from) = match *parts {
            [to, from] => (None, to, from),
            [rounding, to, from] => (Some(rounding), to, from),
            _ => return None,
        };
        let round = match rounding.map(|mode| mode.trim_end_matches('i')) {
            None | Some("rn") => f64::round_ties_even,
            Some("rz") => f64::trunc,
            Some("rp") => f64::ceil,
            Some("rm") => f64::floor,
            _ => return None,
        };
        let nearest = ShortFormat::named(to).filter(|_| rounding == Some("rn"));
        Some(Conversion { from: number_type(from)?, to: number_type(to)?, round, nearest })
    }

    /// Converts the low bits of a word.
    pub fn convert(self, operand: u64) -> u64 {
        let Conversion { from, to, round, nearest } = self;
        let value = if from.is_float() {
            from.read(&operand.to_le_bytes())
        } else {
            // An integer that f64 does not represent exactly exceeds the range of f16.
            from.read_integer(&operand.to_le_bytes()) as f64
        };
        if let Some(format) = nearest {
            return format.nearest(value);
        }
        let mut bytes = Vec::with_capacity(8);
        match (to.is_float(), value.is_nan()) {
            (true, true) if to.bits() == 16 => bytes.extend(0x7fff_u16.to_le_bytes()),
            (true, _) => to.put(rounded(value, to, round), &mut bytes),
            (false, true) => to.put_integer(0, &mut bytes),
            (false, false) => {
                let least = if to.name().starts_with('i') { -to.largest() - 1.0 } else { 0.0 };
                let whole = round(value).clamp(least, to.largest());
                to.put_integer(whole as i128, &mut bytes);
            }
        }
        let mut word = [0; 8];
        word[..bytes.len()].copy_from_slice(&bytes);
        u64::from_le_bytes(word)
    }
}

/// A type from the end of an instruction's name.
fn number_type(name: &str) -> Option<NumberType> {
    let found = NumberType::ALL.into_iter().find(|number| number.ptx_name() == name);
    found.filter(|number| number.small_float().is_none() && *number != NumberType::E8m0)
}

/// Rounds to a float of the type.
fn rounded(value: f64, to: NumberType, round: fn(f64) -> f64) -> f64 {
    if value == 0.0 || !value.is_finite() || to == NumberType::F64 {
        return value;
    }
    let largest = to.largest();
    // The distance of neighbors at this magnitude.
    let exponent = (value.to_bits() >> 52 & 0x7ff) as i32 - 1023;
    let step = 2f64.powi(exponent + 1 - to.precision() as i32).max(to.smallest());
    let result = round(value / step) * step;
    if result.abs() <= largest {
        return result;
    }
    // Rounding to nearest overflows; a directed mode that never reaches infinity stays finite.
    let toward = round(value.signum() * 0.5 + value.signum()) != value.signum();
    (if toward { f64::INFINITY } else { largest }).copysign(value)
}

#[cfg(test)]
mod tests {
    use super::Conversion;

    fn convert(text: &str, operand: u64) -> Option<u64> {
        let name = text.strip_suffix(" %0, %1;")?.strip_prefix("cvt.")?;
        let parts: Vec<&str> = name.split('.').collect();
        Some(Conversion::parse(&parts)?.convert(operand))
    }

    #[test]
    fn halves_convert_with_every_rounding() {
        let from = |mode: &str, value: f32| {
            convert(&format!("cvt.{mode}.f16.f32 %0, %1;"), value.to_bits().into()).unwrap()
        };
        assert_eq!(
            [1.0, -2.5, 0.0, -0.0].map(|value| from("rn", value)),
            [0x3c00, 0xc100, 0, 0x8000]
        );
        let tie = 1.0 + 1.0 / 2048.0;
        assert_eq!(
            ["rn", "rz", "rp", "rm"].map(|mode| from(mode, tie)),
            [0x3c00, 0x3c00, 0x3c01, 0x3c00]
        );
        assert_eq!(
            ["rn", "rz", "rp", "rm"].map(|mode| from(mode, 1e6)),
            [0x7c00, 0x7bff, 0x7c00, 0x7bff]
        );
        assert_eq!(
            ["rn", "rz", "rp", "rm"].map(|mode| from(mode, -1e6)),
            [0xfc00, 0xfbff, 0xfbff, 0xfc00]
        );
        assert_eq!([6e-8, 2e-8].map(|value| from("rn", value)), [1, 0]);
        assert_eq!(from("rn", f32::NAN), 0x7fff);
        // A single rounding: f32 would make it a tie.
        let value = 1.0 + 2f64.powi(-11) + 2f64.powi(-40);
        assert_eq!(convert("cvt.rn.f16.f64 %0, %1;", value.to_bits()), Some(0x3c01));
    }

    #[test]
    fn halves_become_floats_and_integers() {
        let of = |text: &str, half: u64| convert(text, half).unwrap();
        for half in 0..0x1_0000 {
            let float = of("cvt.f32.f16 %0, %1;", half);
            let back = of("cvt.rn.f16.f32 %0, %1;", float);
            assert!(back == half || half & 0x7fff > 0x7c00 && back == 0x7fff, "{half:x}");
        }
        assert_eq!(of("cvt.rni.s32.f16 %0, %1;", 0xc100), u64::from(-2i32 as u32));
        assert_eq!(of("cvt.rmi.s16.f16 %0, %1;", 0xc100), u64::from(-3i16 as u16));
        assert_eq!(of("cvt.rzi.u32.f16 %0, %1;", 0xc100), 0);
        assert_eq!(of("cvt.rzi.s16.f16 %0, %1;", 0x7bff), 0x7fff);
        assert_eq!(of("cvt.rn.f16.s32 %0, %1;", u64::from(-3i32 as u32)), 0xc200);
        assert_eq!(of("cvt.rn.f16.u64 %0, %1;", u64::MAX), 0x7c00);
        assert_eq!(of("cvt.rn.bf16.f32 %0, %1;", 1.0f32.to_bits().into()), 0x3f80);
        assert_eq!(of("cvt.rz.bf16.f32 %0, %1;", f32::MAX.to_bits().into()), 0x7f7f);
        assert_eq!(convert("ex2.approx.f16 %0, %1;", 0), None);
    }
}
