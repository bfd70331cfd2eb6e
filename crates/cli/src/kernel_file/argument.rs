//! The arguments of a kernel of a file: the forms of their values, contents of memory before a launch, and tensor maps.

use crate::npy;
use lanework::{Buffer, DynTensorMap, Swizzle, TensorElement, Tiling};
use lanework_lab::{Array, ElementType, random_elements};
use std::path::PathBuf;

/// One argument.
#[derive(Clone, Debug, PartialEq)]
pub enum Argument {
    /// `TYPE:VALUE`: a scalar, its type and its bytes.
    Scalar(ElementType, Vec<u8>),
    /// Memory; the kernel gets its address.
    Memory {
        /// Its contents before the launch.
        before: Contents,
        /// The file that it is written to after the launch.
        after: Option<PathBuf>,
        /// The kernel gets a tensor map of it instead of its address.
        map: Option<MapForm>,
    },
    /// `struct:PART,PART`: scalars and memory in one parameter.
    Struct(Vec<Argument>),
    /// `tensormap:...:arg:N`: a tensor map of the memory of another argument, whose index is `N - 1`.
    MapOf(usize, MapForm),
}

/// The forms of an argument, for messages.
pub const FORMS: &str = "TYPE:VALUE, in:FILE, inout:FILE, out:FILE:TYPE:SHAPE, zeros:TYPE:N, \
                         rand:TYPE:N[:SEED], uninit:TYPE:N, struct:PART,PART.. or \
                         tensormap:TILE[,OPTION]:MEMORY";

/// Reads an argument.
///
/// # Errors
/// A message, if the text matches no form.
pub fn parse(text: &str) -> Result<Argument, String> {
    let (form, rest) = text.split_once(':').ok_or_else(|| format!("give {FORMS}"))?;
    let memory = |before, after| Ok(Argument::Memory { before, after, map: None });
    let sized = |rest: &str| -> Result<(ElementType, Vec<u64>), String> {
        let (element, shape) = rest
            .split_once(':')
            .ok_or_else(|| format!("`{text}` is not of the form {form}:TYPE:N"))?;
        Ok((element_type(element)?, extents(shape)?))
    };
    match form {
        "in" | "inout" if rest.is_empty() => Err(format!("a file is missing after `{text}`")),
        "in" => memory(Contents::File(rest.into()), None),
        "inout" => memory(Contents::File(rest.into()), Some(rest.into())),
        "out" => {
            let mut parts = rest.rsplitn(3, ':');
            let (shape, element, file) = (parts.next(), parts.next(), parts.next());
            let (Some(shape), Some(element), Some(file)) = (shape, element, file) else {
                return Err(format!(
                    "`{text}` is not out:FILE:TYPE:SHAPE, such as out:y.npy:f32:2x3"
                ));
            };
            memory(Contents::Poison(element_type(element)?, extents(shape)?), Some(file.into()))
        }
        "zeros" => sized(rest).and_then(|(e, shape)| memory(Contents::Zeros(e, shape), None)),
        "uninit" => sized(rest).and_then(|(e, shape)| memory(Contents::Poison(e, shape), None)),
        "rand" => {
            let (rest, seed) = match rest.split(':').collect::<Vec<_>>()[..] {
                [_, _, seed] => {
                    let seed_of =
                        seed.parse().map_err(|_| format!("`{seed}` is not a valid seed"))?;
                    (&rest[..rest.len() - seed.len() - 1], seed_of)
                }
                _ => (rest, 1),
            };
            sized(rest).and_then(|(e, shape)| memory(Contents::Random(e, shape, seed), None))
        }
        "tensormap" => tensor_map(rest),
        "struct" => {
            let part = |part: &str| match parse(part)? {
                Argument::Scalar(..) | Argument::Memory { map: None, .. } => parse(part),
                _ => Err(format!("`{part}`: a struct consists of scalars and memory")),
            };
            Ok(Argument::Struct(rest.split(',').map(part).collect::<Result<_, _>>()?))
        }
        element => {
            let element = element_type(element).map_err(|_| format!("give {FORMS}"))?;
            Ok(Argument::Scalar(element, scalar(element, rest)?))
        }
    }
}

/// `TILE[,OPTION...]:MEMORY`.
fn tensor_map(text: &str) -> Result<Argument, String> {
    let help = "give tensormap:TILE[,swizzle32|swizzle64|swizzle128][,nan]:MEMORY, such as tensormap:32x64:in:x.npy";
    let (form, memory) = text.split_once(':').ok_or(help)?;
    let mut words = form.split(',');
    let tile = extents(words.next().unwrap_or_default())?;
    let tile = tile.into_iter().map(u32::try_from).collect::<Result<Vec<u32>, _>>();
    let mut form = MapForm { tile: tile.map_err(|_| help)?, swizzle: Swizzle::None, nan: false };
    for word in words {
        match word {
            "swizzle32" => form.swizzle = Swizzle::B32,
            "swizzle64" => form.swizzle = Swizzle::B64,
            "swizzle128" => form.swizzle = Swizzle::B128,
            "nan" => form.nan = true,
            other => return Err(format!("`{other}` is not an option of a tensor map; {help}")),
        }
    }
    if let Some(number) = memory.strip_prefix("arg:") {
        let number: Option<usize> = number.parse().ok();
        let index = number.and_then(|number| number.checked_sub(1));
        let index = index.ok_or_else(|| format!("`{memory}`: arguments are counted from 1"))?;
        return Ok(Argument::MapOf(index, form));
    }
    match parse(memory)? {
        Argument::Memory { before, after, map: None } => {
            Ok(Argument::Memory { before, after, map: Some(form) })
        }
        _ => Err(format!("`{memory}` is not memory; {help}")),
    }
}

/// The element type of this name: Rust's, or PTX's `b32` and `s32`.
///
/// # Errors
/// If the name is unknown.
pub fn element_type(name: &str) -> Result<ElementType, String> {
    // PTX's b32 and s32 are u32 and i32 here.
    let name = match name.strip_prefix(['b', 's']).filter(|bits| bits.parse::<u8>().is_ok()) {
        Some(bits) if name.starts_with('s') => format!("i{bits}"),
        Some(bits) => format!("u{bits}"),
        None => name.to_owned(),
    };
    ElementType::named(&name)
        .ok_or_else(|| format!("`{name}` is not a type; use f16 to f64, u8 to u64 or i8 to i64"))
}

/// `N`, `2^N`, or `RxC` and so on.
///
/// # Errors
/// If the text has another form, or the array would have no elements or too many.
pub fn extents(text: &str) -> Result<Vec<u64>, String> {
    let extents: Option<Vec<u64>> = text.split('x').map(extent).collect();
    let total = extents.as_ref().and_then(|extents| {
        extents.iter().try_fold(1u64, |total, extent| total.checked_mul(*extent))
    });
    match (extents, total) {
        (Some(_), Some(0)) => Err(format!("`{text}` has no elements: give 1 or more, in decimal")),
        (Some(extents), Some(total)) if total <= 1 << 36 => Ok(extents),
        (Some(_), _) => Err(format!("`{text}` is more than 2^36 elements")),
        _ => Err(format!("`{text}` is not a number of elements or a shape, such as 1000 or 20x50")),
    }
}

/// A whole number, or a power of two as `2^20`.
fn extent(text: &str) -> Option<u64> {
    match text.split_once('^') {
        Some(("2", exponent)) => 1u64.checked_shl(exponent.parse().ok()?),
        _ => text.parse().ok(),
    }
}

/// The bytes of a scalar.
///
/// # Errors
/// If the text is not a number that the type can represent.
pub fn scalar(element: ElementType, text: &str) -> Result<Vec<u8>, String> {
    let wrong = || format!("`{text}` is not a valid {}", element.name);
    if element.name.contains('f') {
        let value: f64 = text.parse().map_err(|_| wrong())?;
        let (held, bytes) = match element.name {
            "f64" => (value, value.to_le_bytes().to_vec()),
            "f32" => (f64::from(value as f32), (value as f32).to_le_bytes().to_vec()),
            "f16" => {
                let half = half::f16::from_f64(value);
                (half.to_f64(), half.to_le_bytes().to_vec())
            }
            _ => {
                let half = half::bf16::from_f64(value);
                (half.to_f64(), half.to_le_bytes().to_vec())
            }
        };
        // A finite number that overflows is an error; infinity is written by its name.
        let named = text.trim_start_matches(['-', '+']).starts_with(['i', 'I']);
        return match held.is_infinite() && !named {
            true => Err(format!("{text} does not fit {}", element.name)),
            false => Ok(bytes),
        };
    }
    let text = match text {
        "true" => "1",
        "false" => "0",
        text => text,
    };
    let (digits, negative) = match text.strip_prefix('-') {
        Some(digits) => (digits, true),
        None => (text, false),
    };
    let value = match digits.strip_prefix("0x") {
        Some(hex) => i128::from_str_radix(hex, 16).ok(),
        None => digits.parse().ok().or_else(|| extent(digits).map(i128::from)),
    };
    let value = value.ok_or_else(wrong)? * if negative { -1 } else { 1 };
    let bits = 8 * element.bytes as u32;
    let signed = element.name.starts_with('i');
    // A hexadecimal number may be the bits of a signed one.
    let hex = digits.starts_with("0x");
    let high = if signed && !hex { 1i128 << (bits - 1) } else { 1i128 << bits } - 1;
    let low = -(1i128 << (bits - 1));
    let least = if signed { low } else { 0 };
    if value < least || value > high {
        return Err(format!("{text} does not fit {}", element.name));
    }
    Ok(value.to_le_bytes()[..element.bytes].to_vec())
}

/// The contents of memory before a launch.
#[derive(Clone, Debug, PartialEq)]
pub enum Contents {
    /// `in:FILE` and `inout:FILE`.
    File(PathBuf),
    /// `zeros:TYPE:N`.
    Zeros(ElementType, Vec<u64>),
    /// `rand:TYPE:N[:SEED]`.
    Random(ElementType, Vec<u64>, u64),
    /// `uninit:TYPE:N` and `out:FILE:TYPE:SHAPE`: 0xCD in every byte.
    Poison(ElementType, Vec<u64>),
}

impl Contents {
    /// An upper bound for the size of the array in bytes; 0 for a file.
    pub fn bytes(&self) -> u64 {
        match self {
            Contents::File(path) => std::fs::metadata(path).map_or(0, |file| file.len()),
            Contents::Zeros(element, shape)
            | Contents::Poison(element, shape)
            | Contents::Random(element, shape, _) => {
                shape.iter().fold(element.bytes as u64, |bytes, n| bytes.saturating_mul(*n))
            }
        }
    }

    /// The initial array, and the name of its type in its file.
    ///
    /// # Errors
    /// If a file cannot be read.
    pub fn array(&self) -> Result<(Array, Option<String>), lanework_terminal::failure::Failure> {
        let filled = |element: ElementType, shape: &[u64], byte: u8| {
            let count = self.bytes() as usize;
            let mut bytes = Vec::new();
            bytes.try_reserve_exact(count).map_err(|_| {
                let what = format!(
                    "{count} bytes for an argument: this computer does not have enough memory"
                );
                lanework_terminal::failure::Failure::input(what, "use a smaller array")
            })?;
            bytes.resize(count, byte);
            Ok((Array { shape: shape.to_vec(), element, bytes }, None))
        };
        match self {
            Contents::File(path) => {
                let (array, name) = npy::read(path)?;
                Ok((array, Some(name)))
            }
            Contents::Zeros(element, shape) => filled(*element, shape, 0),
            Contents::Poison(element, shape) => filled(*element, shape, 0xCD),
            Contents::Random(element, shape, seed) => {
                let (mut array, name) = filled(*element, shape, 0)?;
                let count = array.bytes.len() / element.bytes;
                array.bytes = random_values(*element, count, *seed);
                Ok((array, name))
            }
        }
    }
}

/// Random bytes for integers; for floats, values uniform in -1 to 1.
fn random_values(element: ElementType, count: usize, seed: u64) -> Vec<u8> {
    if !element.name.contains('f') {
        return random_elements::<u8>(count * element.bytes, seed);
    }
    let mut bytes = Vec::with_capacity(count * element.bytes);
    for x in lanework_lab::uniform_floats(count, seed) {
        match element.name {
            "f64" => bytes.extend(f64::from(x).to_le_bytes()),
            "f32" => bytes.extend(x.to_le_bytes()),
            "f16" => bytes.extend(half::f16::from_f32(x).to_le_bytes()),
            _ => bytes.extend(half::bf16::from_f32(x).to_le_bytes()),
        }
    }
    bytes
}

/// `TILE[,swizzle32|,swizzle64|,swizzle128][,nan]`: the tiles of a tensor map.
#[derive(Clone, Debug, PartialEq)]
pub struct MapForm {
    /// Extents in the array's order: rows before columns.
    pub tile: Vec<u32>,
    /// Swizzle in shared memory.
    pub swizzle: Swizzle,
    /// Elements out of bounds are NaN instead of zero.
    pub nan: bool,
}

impl MapForm {
    /// The tensor map of an array of this shape in a buffer.
    ///
    /// # Errors
    /// The rule of tensor maps that it violates.
    pub fn map<'a>(
        &self,
        buffer: &'a Buffer<u8>,
        array: &Array,
    ) -> Result<DynTensorMap<'a>, lanework::Error> {
        let extent: Vec<u64> = array.shape.iter().rev().copied().collect();
        let tile: Vec<u32> = self.tile.iter().rev().copied().collect();
        let tiling = Tiling::new(&extent, &tile).swizzle(self.swizzle);
        let tiling = if self.nan { tiling.nan_outside() } else { tiling };
        DynTensorMap::new(buffer, tensor_element(array.element), &tiling)
    }
}

/// The copy engine's type for an array's.
fn tensor_element(element: ElementType) -> TensorElement {
    match element.name {
        "f16" => TensorElement::F16,
        "bf16" => TensorElement::Bf16,
        "f32" => TensorElement::F32,
        "f64" => TensorElement::F64,
        "i32" => TensorElement::I32,
        "i64" => TensorElement::I64,
        // The copy engine copies bits and lacks narrow signed types; unsigned types of that size replace them.
        _ => match element.bytes {
            1 => TensorElement::U8,
            2 => TensorElement::U16,
            4 => TensorElement::U32,
            _ => TensorElement::U64,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scalars_become_their_bytes() {
        let bytes = |text| match parse(text) {
            Ok(Argument::Scalar(_, bytes)) => bytes,
            other => panic!("{text}: {other:?}"),
        };
        assert_eq!(bytes("f32:2.0"), 2.0f32.to_le_bytes());
        assert_eq!(bytes("u32:1000"), 1000u32.to_le_bytes());
        assert_eq!(bytes("s64:-1"), (-1i64).to_le_bytes());
        assert_eq!(bytes("b16:0xFFFF"), [0xFF, 0xFF]);
        assert_eq!(bytes("f16:1"), half::f16::ONE.to_le_bytes());
        assert_eq!(bytes("f32:-inf"), f32::NEG_INFINITY.to_le_bytes());
        assert_eq!(bytes("i8:0xFF"), [0xFF]);
    }

    #[test]
    fn memory_has_its_forms_and_errors_name_the_remedy() {
        let Ok(Argument::Memory { before, after, map: None }) = parse("out:C:/y.npy:f32:2x3")
        else {
            panic!("refused")
        };
        assert_eq!(after, Some(PathBuf::from("C:/y.npy")));
        assert!(matches!(before, Contents::Poison(e, shape) if e.bytes == 4 && shape == [2, 3]));
        assert!(matches!(
            parse("rand:f64:7:9"),
            Ok(Argument::Memory { before: Contents::Random(_, _, 9), after: None, map: None })
        ));
        let form = MapForm { tile: vec![32, 64], swizzle: Swizzle::B128, nan: true };
        let Ok(Argument::Memory { map: Some(map), .. }) =
            parse("tensormap:32x64,swizzle128,nan:zeros:f32:64x64")
        else {
            panic!("refused")
        };
        assert_eq!(map, form);
        assert_eq!(parse("tensormap:32x64,nan,swizzle128:arg:2"), Ok(Argument::MapOf(1, form)));
        let Ok(Argument::Struct(parts)) = parse("struct:f32:2,in:x.npy,u8:1") else {
            panic!("refused")
        };
        assert!(matches!(parts[..], [Argument::Scalar(..), Argument::Memory { .. }, _]));
        for (text, words) in [
            ("struct:f32:2,arg", "TYPE:VALUE"),
            ("struct:f32:2,struct:u8:1", "scalars and memory"),
            ("tensormap:32x64", "tensormap:TILE"),
            ("tensormap:32,swizzle16:zeros:f32:64", "not an option"),
            ("tensormap:32:u32:7", "is not memory"),
            ("tensormap:32:arg:0", "counted from 1"),
            ("1000", "TYPE:VALUE"),
            ("u8:256", "does not fit u8"),
            ("u8:-1", "does not fit u8"),
            ("i8:200", "does not fit i8"),
            ("f32:1e300", "does not fit f32"),
            ("f16:70000", "does not fit f16"),
            ("f32:x", "is not a valid f32"),
            ("zeros:f32", "TYPE:N"),
            ("zeros:q7:3", "is not a type"),
            ("zeros:f32:0x10", "has no elements"),
            ("out:y.npy", "out:FILE:TYPE:SHAPE"),
            ("uninit:f32:2x", "not a number of elements"),
        ] {
            let why = parse(text).expect_err(text);
            assert!(why.contains(words), "{text}: {why}");
        }
    }
}
