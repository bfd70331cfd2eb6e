//! The arguments of a kernel of a file: the syntax of `--arg`.

mod contents;
mod map;

use lanework::Swizzle;
use lanework_lab::ElementType;
use std::path::PathBuf;

pub use contents::Contents;
pub use map::MapForm;

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
    /// `tensormap:...:arg:N`: a tensor map of the memory of another argument, counted from 0.
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
                _ => Err(format!("`{part}`: a struct has scalars and memory")),
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

fn element_type(name: &str) -> Result<ElementType, String> {
    // PTX's b32 and s32 are u32 and i32 here.
    let name = match name.strip_prefix(['b', 's']).filter(|bits| bits.parse::<u8>().is_ok()) {
        Some(bits) if name.starts_with('s') => format!("i{bits}"),
        Some(bits) => format!("u{bits}"),
        None => name.to_owned(),
    };
    ElementType::named(&name)
        .ok_or_else(|| format!("`{name}` is not a type; use f16 to f64, u8 to u64 or i8 to i64"))
}

/// `N`, or `RxC` and so on.
fn extents(text: &str) -> Result<Vec<u64>, String> {
    let extents: Option<Vec<u64>> = text.split('x').map(|part| part.parse().ok()).collect();
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

/// The bytes of a scalar.
fn scalar(element: ElementType, text: &str) -> Result<Vec<u8>, String> {
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
        // Infinity has to be asked for by its name.
        let named = text.trim_start_matches(['-', '+']).starts_with(['i', 'I']);
        return match held.is_infinite() && !named {
            true => Err(format!("{text} does not fit {}", element.name)),
            false => Ok(bytes),
        };
    }
    let (digits, negative) = match text.strip_prefix('-') {
        Some(digits) => (digits, true),
        None => (text, false),
    };
    let value = match digits.strip_prefix("0x") {
        Some(hex) => i128::from_str_radix(hex, 16),
        None => digits.parse(),
    };
    let value = value.map_err(|_| wrong())? * if negative { -1 } else { 1 };
    let bits = 8 * element.bytes as u32;
    let signed = element.name.starts_with('i');
    // A signed number in hex may be its bits.
    let hex = digits.starts_with("0x");
    let high = if signed && !hex { 1i128 << (bits - 1) } else { 1i128 << bits } - 1;
    let low = -(1i128 << (bits - 1));
    let least = if signed { low } else { 0 };
    if value < least || value > high {
        return Err(format!("{text} does not fit {}", element.name));
    }
    Ok(value.to_le_bytes()[..element.bytes].to_vec())
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
