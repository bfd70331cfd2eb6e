//! Executes on the host the PTX instructions on small floats that CUDA's headers contain: arithmetic on `half` and
//! `bfloat16`, and conversions, also to and from fp8.
//!
//! A text is parsed when the function that contains it is translated, not each time it executes.

mod conversions;
mod frequent;
mod pairs;
mod short;

use conversions::Conversion;
#[allow(unused_imports, reason = "only machine code uses the numbers")]
pub use frequent::{FrequentConversion, INFINITY, LEAST_NORMAL, MAGIC, REBIAS, SCALE, TOO_LARGE};
use pairs::PairConversion;
use short::ShortFormat;

/// A parsed PTX instruction on small floats.
#[derive(Clone, Debug)]
pub struct HalfOperation {
    kind: OperationKind,
    inputs: Vec<Input>,
}

/// An input: a number of an operand, from 0, or bits.
#[derive(Clone, Copy, Debug)]
enum Input {
    Operand(usize),
    Constant(u64),
}

#[derive(Clone, Debug)]
enum OperationKind {
    /// A frequent conversion.
    Frequent(FrequentConversion),
    Convert(Conversion),
    Pair(PairConversion),
    Arithmetic(Arithmetic),
}

impl HalfOperation {
    /// Parses a PTX text. `None` if it is not one of these instructions.
    pub fn parse(text: &str) -> Option<HalfOperation> {
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
                inputs.push(match (input.strip_prefix('%'), input.strip_prefix("0f")) {
                    (Some(number), _) => {
                        Input::Operand(number.parse::<usize>().ok()?.checked_sub(1)?)
                    }
                    (_, Some(bits)) => Input::Constant(u64::from_str_radix(bits, 16).ok()?),
                    _ if *input == "c" => Input::Constant(constant),
                    _ => return None,
                });
            }
            result =
                Some(HalfOperation { kind: OperationKind::parse(name, inputs.len())?, inputs });
        }
        result
    }

    /// The conversion, if the instruction is a frequent one of the first operand.
    #[cfg_attr(
        not(all(feature = "native", unix, target_arch = "x86_64")),
        allow(dead_code, reason = "only compiled host code asks")
    )]
    pub fn frequent(&self) -> Option<FrequentConversion> {
        match (&self.kind, self.inputs.as_slice()) {
            (OperationKind::Frequent(frequent), [Input::Operand(0)]) => Some(*frequent),
            _ => None,
        }
    }

    /// Executes the instruction.
    pub fn execute(&self, operands: &[u64]) -> u64 {
        let mut inputs = [0; 3];
        for (place, input) in inputs.iter_mut().zip(&self.inputs) {
            *place = match input {
                Input::Operand(at) => operands.get(*at).copied().unwrap_or(0),
                Input::Constant(bits) => *bits,
            };
        }
        match &self.kind {
            OperationKind::Frequent(frequent) => frequent.convert(inputs[0]),
            OperationKind::Convert(conversion) => conversion.convert(inputs[0]),
            OperationKind::Pair(conversion) => conversion.convert(&inputs[..self.inputs.len()]),
            OperationKind::Arithmetic(arithmetic) => arithmetic.execute(&inputs),
        }
    }
}

impl OperationKind {
    /// An instruction by its name and the number of its inputs.
    fn parse(name: &str, inputs: usize) -> Option<OperationKind> {
        let parts: Vec<&str> = name.split('.').collect();
        if parts.first() != Some(&"cvt") {
            return Arithmetic::parse(&parts, inputs).map(OperationKind::Arithmetic);
        }
        if let Some(conversion) = PairConversion::parse(&parts[1..], inputs) {
            return Some(OperationKind::Pair(conversion));
        }
        if inputs != 1 {
            return None;
        }
        match FrequentConversion::parse(&parts[1..]) {
            Some(frequent) => Some(OperationKind::Frequent(frequent)),
            None => Conversion::parse(&parts[1..]).map(OperationKind::Convert),
        }
    }
}

/// Arithmetic on one number or two.
#[derive(Clone, Copy, Debug)]
struct Arithmetic {
    op: ArithmeticOp,
    format: ShortFormat,
    lanes: u32,
    saturate: bool,
    relu: bool,
    /// Whether a NaN operand makes the minimum or maximum NaN.
    keeps_nan: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ArithmeticOp {
    Negate,
    Absolute,
    Add,
    Subtract,
    Multiply,
    MultiplyAdd,
    Minimum,
    Maximum,
}

impl Arithmetic {
    fn parse(parts: &[&str], inputs: usize) -> Option<Arithmetic> {
        let (name, modifiers) = parts.split_first()?;
        let (op, arity) = match *name {
            "neg" => (ArithmeticOp::Negate, 1),
            "abs" => (ArithmeticOp::Absolute, 1),
            "add" => (ArithmeticOp::Add, 2),
            "sub" => (ArithmeticOp::Subtract, 2),
            "mul" => (ArithmeticOp::Multiply, 2),
            "fma" => (ArithmeticOp::MultiplyAdd, 3),
            "min" => (ArithmeticOp::Minimum, 2),
            "max" => (ArithmeticOp::Maximum, 2),
            _ => return None,
        };
        let (last, modifiers) = modifiers.split_last()?;
        let single = last.strip_suffix("x2");
        let known = modifiers.iter().all(|part| ["rn", "sat", "relu", "NaN"].contains(part));
        if !known || inputs != arity {
            return None;
        }
        Some(Arithmetic {
            op,
            format: ShortFormat::named(single.unwrap_or(last))?,
            lanes: if single.is_some() { 2 } else { 1 },
            saturate: modifiers.contains(&"sat"),
            relu: modifiers.contains(&"relu"),
            keeps_nan: modifiers.contains(&"NaN"),
        })
    }

    fn execute(self, inputs: &[u64; 3]) -> u64 {
        (0..self.lanes).fold(0, |result, lane| {
            let bits = inputs.map(|bits| bits >> (16 * lane) & 0xffff);
            result | self.lane(bits) << (16 * lane)
        })
    }

    fn lane(self, bits: [u64; 3]) -> u64 {
        let [a, b, c] = bits.map(|bits| self.format.value(bits));
        let value = match self.op {
            ArithmeticOp::Negate => return bits[0] ^ 0x8000,
            ArithmeticOp::Absolute => return bits[0] & 0x7fff,
            ArithmeticOp::Add => a + b,
            ArithmeticOp::Subtract => a - b,
            ArithmeticOp::Multiply => a * b,
            ArithmeticOp::MultiplyAdd => a.mul_add(b, c),
            _ if self.keeps_nan && (a.is_nan() || b.is_nan()) => f64::NAN,
            ArithmeticOp::Minimum if a == b => return bits[0] | bits[1],
            ArithmeticOp::Maximum if a == b => return bits[0] & bits[1],
            ArithmeticOp::Minimum => a.min(b),
            ArithmeticOp::Maximum => a.max(b),
        };
        let value = match (self.saturate, self.relu) {
            (true, _) if value.is_nan() => 0.0,
            (true, _) => value.clamp(0.0, 1.0),
            (_, true) if value < 0.0 => 0.0,
            _ => value,
        };
        self.format.nearest(value)
    }
}

#[cfg(test)]
mod tests {
    use super::HalfOperation;

    fn execute(text: &str, operands: &[u64]) -> Option<u64> {
        Some(HalfOperation::parse(text)?.execute(operands))
    }

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
    fn arithmetic_rounds_once() {
        let fma = |a, b, c| execute("fma.rn.f16 %0, %1, %2, %3;", &[a, b, c]);
        // 2049 is in the middle of two halves: to even.
        assert_eq!(fma(0x3c00, 0x6800, 0x3c00), Some(0x6800));
        assert_eq!(fma(0x3c00, 0x3c01, 0x0001), Some(0x3c01));
        assert_eq!(fma(0x3801, 0x3c01, 0x0001), Some(0x3802));
        // Rounded to f32 first, this sum would be in the middle of two halves.
        assert_eq!(fma(0x43e6, 0x3e00, 0x0001), Some(0x45ed));
        // (1 + 2^-10) * 2047 is just below 2049.
        assert_eq!(fma(0x3c01, 0x67ff, 0x0000), Some(0x6800));
        assert_eq!(execute("add.bf16 %0, %1, %2;", &[0x3f00, 0x3f00]), Some(0x3f80));
        // Every finite half times one is itself, as is every half plus zero.
        for bits in (0..0x7c00_u64).chain(0x8001..0xfc00) {
            assert_eq!(execute("mul.f16 %0, %1, %2;", &[bits, 0x3c00]), Some(bits));
            assert_eq!(execute("add.f16 %0, %1, %2;", &[bits, 0x8000]), Some(bits));
        }
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

    #[test]
    fn pairs_convert_with_the_first_input_above() {
        let bits = |value: f32| u64::from(value.to_bits());
        let text = "cvt.rn.satfinite.e4m3x2.f32 %0, 0f00000000, %1;";
        assert_eq!(execute(text, &[bits(448.0)]), Some(0x7e));
        assert_eq!(execute(text, &[bits(1e9)]), Some(0x7e));
        let text = "cvt.rn.satfinite.e5m2x2.f32 %0, %1, %2;";
        assert_eq!(execute(text, &[bits(1.0), bits(-2.0)]), Some(0x3cc0));
        let text = "cvt.rn.satfinite.relu.e5m2x2.f32 %0, %1, %2;";
        assert_eq!(execute(text, &[bits(1.0), bits(-2.0)]), Some(0x3c00));
        assert_eq!(execute("cvt.rn.f16x2.e4m3x2 %0, %1;", &[0x38b8]), Some(0x3c00_bc00));
        assert_eq!(execute("cvt.rn.f16x2.e5m2x2 %0, %1;", &[0x7f7c]), Some(0x7fff_7c00));
        assert_eq!(execute("cvt.rn.satfinite.e4m3x2.f16x2 %0, %1;", &[0x3c00_bc00]), Some(0x38b8));
        let text = "cvt.rn.bf16x2.f32 %0, %1, %2;";
        assert_eq!(execute(text, &[bits(1.0), bits(-2.0)]), Some(0x3f80_c000));
        assert_eq!(
            execute("cvt.rn.f16x2.f32 %0, %1, %2;", &[bits(1.0), bits(-2.0)]),
            Some(0x3c00_c000)
        );
    }
}
