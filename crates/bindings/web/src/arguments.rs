//! A kernel's arguments as a user writes them: a number, or memory described by contents and size (`rand:1000`,
//! `zeros:32x32`). Also reads the memory after a launch.

use crate::request::RequestFailure;
use lanework_cuda_cpp::KernelParameter;
use lanework_emulator::Emulator;
use serde_json::{Value, json};

/// The accepted descriptions of memory, for messages.
const FORMS: &str = "a number for a value; for memory rand:N, rand:N:SEED, iota:N, ones:N, zeros:N or uninit:N, where N may \
                     be a shape such as 32x32; or a list in brackets, such as [1, 2, 3]";

/// Maximum number of listed elements in an answer.
const LISTED: usize = 1024;

/// One argument: its bytes as a parameter, and its memory if it is a pointer.
pub struct Ready {
    /// The parameter's bytes.
    pub bytes: Vec<u8>,
    /// The memory.
    pub memory: Option<Buffer>,
}

/// Memory of an argument.
pub struct Buffer {
    /// Its device address.
    pub address: u64,
    /// The name of the parameter.
    pub name: String,
    /// The number type.
    pub number: &'static str,
    /// The extents.
    pub shape: Vec<u64>,
    /// The contents before the launch; `None` if they are not initialized.
    pub before: Option<Vec<u8>>,
    /// The size in bytes.
    pub size: u64,
}

fn bytes_of(number: &str) -> u64 {
    match number {
        "f64" | "i64" | "u64" => 8,
        "f32" | "i32" | "u32" => 4,
        "f16" | "bf16" | "i16" | "u16" => 2,
        _ => 1,
    }
}

/// The bits of an f16 or bf16 nearest to a value.
fn half_bits(number: &str, value: f64) -> u16 {
    let value = value as f32;
    let bits = value.to_bits();
    if number == "bf16" {
        return ((bits + 0x7fff + (bits >> 16 & 1)) >> 16) as u16;
    }
    let (sign, exponent) = ((bits >> 16 & 0x8000) as u16, (bits >> 23 & 0xff) as i32 - 127);
    if exponent > 15 {
        return sign | 0x7c00;
    }
    // Scale the value: rounding the result to an integer then rounds the value to f16's precision.
    let shift = (10 - exponent.max(-14)) as f64;
    let mantissa = (f64::from(value.abs()) * shift.exp2()).round_ties_even() as u32;
    let biased = if exponent < -14 { 0 } else { (exponent + 14) as u32 };
    sign | ((biased << 10) + mantissa) as u16
}

/// The value of an f16 or bf16.
fn half_value(number: &str, bits: u16) -> f64 {
    if number == "bf16" {
        return f64::from(f32::from_bits(u32::from(bits) << 16));
    }
    let (exponent, mantissa) = (i32::from(bits >> 10 & 31), f64::from(bits & 0x3ff));
    let size = match exponent {
        0 => mantissa * (-24f64).exp2(),
        31 if mantissa == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        _ => (1024.0 + mantissa) * f64::from(exponent - 25).exp2(),
    };
    if bits & 0x8000 == 0 { size } else { -size }
}

/// Encodes a number as bytes.
fn encode(number: &str, value: f64, to: &mut Vec<u8>) {
    match number {
        "f64" => to.extend(value.to_le_bytes()),
        "f32" => to.extend((value as f32).to_le_bytes()),
        "f16" | "bf16" => to.extend(half_bits(number, value).to_le_bytes()),
        "u64" => to.extend((value as u64).to_le_bytes()),
        "i64" => to.extend((value as i64).to_le_bytes()),
        "bool" => to.push(u8::from(value != 0.0)),
        _ => to.extend_from_slice(&(value as i64).to_le_bytes()[..bytes_of(number) as usize]),
    }
}

/// Decodes a number from its bytes.
fn decode(number: &str, bytes: &[u8]) -> f64 {
    let mut wide = [0; 8];
    wide[..bytes.len()].copy_from_slice(bytes);
    let word = u64::from_le_bytes(wide);
    match number {
        "f64" => f64::from_bits(word),
        "f32" => f64::from(f32::from_bits(word as u32)),
        "f16" | "bf16" => half_value(number, word as u16),
        "i64" => word as i64 as f64,
        "i32" => f64::from(word as i32),
        "i16" => f64::from(word as i16),
        "i8" => f64::from(word as i8),
        _ => word as f64,
    }
}

/// Parses a number: decimal, hexadecimal, or a power such as `2^20`.
fn number(text: &str) -> Option<f64> {
    let text = text.trim();
    match (text, text.strip_prefix("0x")) {
        ("true", _) => Some(1.0),
        ("false", _) => Some(0.0),
        (_, Some(digits)) => u64::from_str_radix(digits, 16).ok().map(|value| value as f64),
        _ => match text.split_once('^') {
            Some(("2", exponent)) => Some(f64::from(exponent.parse::<u8>().ok()?).exp2()),
            Some(_) => None,
            None => text.trim_end_matches(['f', 'u', 'U', 'l', 'L']).parse().ok(),
        },
    }
}

/// Parses extents such as `1000`, `32x32` or `2^20`.
fn extents(text: &str) -> Option<Vec<u64>> {
    let extent = |text: &str| number(text).filter(|n| n.fract() == 0.0 && (1.0..=4e9).contains(n));
    text.split('x').map(|text| extent(text).map(|n| n as u64)).collect()
}

/// Memory contents as the user describes them.
struct Contents {
    shape: Vec<u64>,
    values: ContentValues,
}

/// The numbers in memory.
enum ContentValues {
    List(Vec<f64>),
    /// A form such as `rand`, and a seed.
    Form(String, u64),
}

impl Contents {
    /// Parses `rand:4x8:2` or `[1, 2]`.
    fn of(text: &str) -> Option<Contents> {
        if let Some(list) = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            let values: Vec<f64> = list.split(',').map(number).collect::<Option<_>>()?;
            return Some(Contents {
                shape: vec![values.len() as u64],
                values: ContentValues::List(values),
            });
        }
        let (form, rest) = text.split_once(':')?;
        let (size, seed) = match rest.split_once(':') {
            Some((size, seed)) => (size, seed.parse().ok()?),
            None => (rest, 1),
        };
        let is_known = ["zeros", "ones", "iota", "rand", "uninit"].contains(&form);
        let values = is_known.then(|| ContentValues::Form(form.to_owned(), seed))?;
        Some(Contents { shape: extents(size)?, values })
    }

    /// The size in bytes if each element has `lanes` numbers; `None` if it exceeds 64 bits.
    fn size(&self, number: &str, lanes: u64) -> Option<u64> {
        let count = self.shape.iter().try_fold(1u64, |all, extent| all.checked_mul(*extent))?;
        let lanes = if matches!(self.values, ContentValues::List(_)) { 1 } else { lanes };
        count.checked_mul(lanes)?.checked_mul(bytes_of(number))
    }

    /// The bytes, of the size that [`Contents::size`] returned; `None` if they are not initialized.
    fn bytes(&self, number: &str, size: u64) -> Option<Vec<u8>> {
        let mut bytes = Vec::with_capacity(size as usize);
        let count = size / bytes_of(number);
        let (form, seed) = match &self.values {
            ContentValues::List(values) => {
                values.iter().for_each(|value| encode(number, *value, &mut bytes));
                return Some(bytes);
            }
            ContentValues::Form(form, seed) => (form.as_str(), *seed),
        };
        let is_float = number.starts_with('f') || number == "bf16";
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let mut random = || {
            // SplitMix64 (Steele, Lea and Flood 2014).
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut z = state;
            z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
            (z ^ z >> 31) >> 11
        };
        for index in 0..count {
            let value = match form {
                "zeros" => 0.0,
                "ones" => 1.0,
                "iota" => index as f64,
                "rand" if is_float => random() as f64 / (1u64 << 52) as f64 - 1.0,
                "rand" if number == "bool" => (random() % 2) as f64,
                "rand" => (random() % 100) as f64,
                _ => return None,
            };
            encode(number, value, &mut bytes);
        }
        Some(bytes)
    }
}

/// Prepares an argument and allocates its memory.
///
/// # Errors
/// If the text does not fit the parameter, or the device has too little memory.
pub fn prepare(
    emulator: &Emulator,
    parameter: &KernelParameter,
    text: &str,
) -> Result<Ready, RequestFailure> {
    let text = text.trim();
    let name = &parameter.name;
    let is_pointer = parameter.pointee.is_some();
    let refuse = |why: String| Err(RequestFailure::new(why, format!("give {FORMS}")));
    if !is_pointer {
        if parameter.lanes != 1 {
            return refuse(format!(
                "parameter `{name}` is a class: the form cannot fill it; write a `main`"
            ));
        }
        let Some(value) = number(text) else {
            return refuse(format!("`{text}` is not a number for parameter `{name}`"));
        };
        let bits =
            parameter.number.strip_prefix(['i', 'u']).and_then(|bits| bits.parse::<i32>().ok());
        // Either sign, as in C++.
        if bits.is_some_and(|bits| {
            let most = f64::from(bits).exp2();
            value.fract() != 0.0 || value >= most || value < -most / 2.0
        }) {
            return refuse(format!(
                "`{text}` is not a whole number of {} bits, which parameter `{name}` is",
                &parameter.number[1..]
            ));
        }
        let mut bytes = Vec::new();
        // Floating-point numbers cannot represent all large integers.
        match (parameter.number, text.parse::<i128>()) {
            ("i64" | "u64", Ok(whole)) => bytes.extend_from_slice(&whole.to_le_bytes()[..8]),
            _ => encode(parameter.number, value, &mut bytes),
        }
        return Ok(Ready { bytes, memory: None });
    }
    if matches!(text, "null" | "nullptr" | "0") {
        return Ok(Ready { bytes: vec![0; 8], memory: None });
    }
    let number_type = if parameter.number.is_empty() { "u8" } else { parameter.number };
    let lanes = u64::from(parameter.lanes.max(1));
    let contents = Contents::of(text);
    let size = contents.as_ref().and_then(|contents| contents.size(number_type, lanes));
    let Some((contents, size)) = contents.zip(size) else {
        return refuse(format!("`{text}` is not memory for parameter `{name}`"));
    };
    let failed = |why: lanework_emulator::MemoryError| {
        RequestFailure::new(why.to_string(), "take less memory, or raise the limit in the settings")
    };
    let address = emulator.allocate(size, name).map_err(failed)?;
    let before = contents.bytes(number_type, size);
    if let Some(bytes) = &before {
        emulator.write(address, bytes).map_err(failed)?;
    }
    // The size counts elements. Each element of `float4` has four numbers.
    let mut shape = contents.shape;
    if lanes > 1 && !text.starts_with('[') {
        shape.push(lanes);
    }
    let memory = Buffer { address, name: name.clone(), number: number_type, shape, before, size };
    Ok(Ready { bytes: address.to_le_bytes().to_vec(), memory: Some(memory) })
}

impl Buffer {
    /// The contents now.
    pub fn bytes(&self, emulator: &Emulator) -> Vec<u8> {
        let mut bytes = vec![0; self.size as usize];
        // The buffer is allocated, so its bytes can be read.
        let _ = emulator.read(self.address, &mut bytes);
        bytes
    }

    /// Decodes all numbers in bytes.
    pub fn values(&self, bytes: &[u8]) -> Vec<f64> {
        bytes
            .chunks_exact(bytes_of(self.number) as usize)
            .map(|chunk| decode(self.number, chunk))
            .collect()
    }

    /// The contents now as JSON: the first elements and a summary. Non-finite numbers are strings.
    pub fn json(&self, emulator: &Emulator) -> Value {
        let after = self.bytes(emulator);
        let values = self.values(&after);
        let changed = self.before.as_ref().is_none_or(|before| *before != after);
        let shown = |value: &f64| match value.is_finite() {
            true => json!(value),
            false => json!(value.to_string()),
        };
        let finite = values.iter().copied().filter(|value| value.is_finite());
        let (low, high) = finite
            .clone()
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)));
        let count = finite.clone().count();
        let mean = finite.sum::<f64>() / count.max(1) as f64;
        json!({
            "name": self.name,
            "number": self.number,
            "shape": self.shape,
            "count": values.len(),
            "changed": changed,
            "values": values.iter().take(LISTED).map(shown).collect::<Vec<_>>(),
            "least": (count > 0).then_some(low),
            "most": (count > 0).then_some(high),
            "mean": (count > 0).then_some(mean),
            "not_finite": values.len() - count,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_round_to_the_nearest_and_back() {
        for (value, bits) in [(1.0, 0x3c00), (-2.0, 0xc000), (65504.0, 0x7bff), (5.96e-8, 1)] {
            assert_eq!(half_bits("f16", value), bits, "{value}");
        }
        assert_eq!(half_bits("f16", 65536.0), 0x7c00);
        for bits in [0u16, 1, 0x3ff, 0x400, 0x3c01, 0x7bff, 0xbc00] {
            assert_eq!(half_bits("f16", half_value("f16", bits)), bits);
        }
        assert_eq!(half_bits("bf16", 1.0), 0x3f80);
    }

    #[test]
    fn contents_have_the_size_of_their_shape() {
        let made = |number: &str, text: &str| {
            let contents = Contents::of(text)?;
            let size = contents.size(number, 1)?;
            Some((contents.bytes(number, size), contents.shape))
        };
        let (bytes, shape) = made("f32", "rand:4x8").expect("memory");
        assert_eq!((shape, bytes.map(|bytes| bytes.len())), (vec![4, 8], Some(128)));
        let (bytes, _) = made("i32", "[1, -2]").expect("memory");
        assert_eq!(bytes.expect("bytes")[4..], [254, 255, 255, 255]);
        assert!(Contents::of("rand").is_none() && Contents::of("zeros:0").is_none());
        assert!(Contents::of("fill:4").is_none());
        assert_eq!(made("f32", "uninit:3"), Some((None, vec![3])));
        assert_ne!(made("f32", "rand:4"), made("f32", "rand:4:2"));
    }
}
