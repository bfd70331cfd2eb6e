//! Parsers of the values that options take: sizes, shapes and times.

use lanework::Dim3;

/// A whole number, or a power of two as `2^28`.
pub fn extent(text: &str) -> Result<u64, String> {
    let value = match text.split_once('^') {
        Some(("2", exponent)) => exponent.parse().ok().and_then(|e| 1u64.checked_shl(e)),
        _ => text.parse().ok(),
    };
    let help = "give a whole number up to 2^40, such as 1024 or 2^10";
    value.filter(|&value| value <= 1 << 40).ok_or_else(|| help.to_owned())
}

/// Bytes of shared memory.
pub fn shared_bytes(text: &str) -> Result<u32, String> {
    let value = extent(text).ok().and_then(|value| u32::try_from(value).ok());
    value.ok_or_else(|| "give a number of bytes, such as 49152 or 2^14".to_owned())
}

/// A macro: `NAME`, `NAME=VALUE` or `NAME(PARAMETERS)=VALUE`.
pub fn macro_definition(text: &str) -> Result<String, String> {
    let name = text.split(['=', '(']).next().unwrap_or_default();
    let of_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let starts = name.starts_with(|c: char| !c.is_ascii_digit());
    match starts && name.chars().all(of_name) {
        true => Ok(text.to_owned()),
        false => Err(format!("`{name}` is not a name of a macro; give NAME or NAME=VALUE")),
    }
}

/// Maximum number of values in one range.
const MOST_VALUES: usize = 10_000;

/// An extent, or a range of them: `512..16384*2` multiplies, `8..64+8` adds, up to and including the end if a step
/// reaches it.
pub fn axis(text: &str) -> Result<Vec<u64>, String> {
    let Some((start, rest)) = text.split_once("..") else { return Ok(vec![extent(text)?]) };
    let help =
        "give a range as 512..16384*2 (each twice the previous one) or 8..64+8 (each 8 more)";
    let (end, step, multiplies) = match (rest.split_once('*'), rest.split_once('+')) {
        (Some((end, factor)), None) => (end, factor, true),
        (None, Some((end, step))) => (end, step, false),
        _ => return Err(help.to_owned()),
    };
    let [start, end, step] = [start, end, step].map(extent);
    let (start, end, step) = (start?, end?, step?);
    let next = |value: &u64| match multiplies {
        true => value.checked_mul(step),
        false => value.checked_add(step),
    };
    if step < 1 + u64::from(multiplies) || (multiplies && start == 0) {
        return Err(format!("the range does not grow: {help}"));
    }
    if start > end {
        return Err(format!("the range begins above its end: {help}"));
    }
    let values = std::iter::successors(Some(start), next).take_while(|value| *value <= end);
    let values: Vec<u64> = values.take(MOST_VALUES + 1).collect();
    match values.len() > MOST_VALUES {
        true => Err(format!("the range has more than {MOST_VALUES} values: use larger steps")),
        false => Ok(values),
    }
}

/// An extent other than 0.
pub fn positive(text: &str) -> Result<u64, String> {
    extent(text).and_then(|value| match value {
        0 => Err("give a whole number greater than 0".to_owned()),
        value => Ok(value),
    })
}

/// A whole number from 1 to 32.
pub fn up_to_32(text: &str) -> Result<u32, String> {
    match text.parse() {
        Ok(count @ 1..=32) => Ok(count),
        _ => Err("give a whole number from 1 to 32".to_owned()),
    }
}

/// `XxY`, each from 1 to 32.
pub fn threads(text: &str) -> Result<Dim3, String> {
    let remedy = "give two whole numbers from 1 to 32 as XxY, such as 4x2";
    let (x, y) = text.split_once(['x', 'X']).ok_or(remedy)?;
    Ok(Dim3::from((up_to_32(x).map_err(|_| remedy)?, up_to_32(y).map_err(|_| remedy)?)))
}

/// The number of a stored run.
pub fn run_number(text: &str) -> Result<i64, String> {
    text.parse().map_err(|_| "give the number of a run; `lanework history` lists them".to_owned())
}

/// `N`, `XxY` or `XxYxZ`.
pub fn dimensions(text: &str) -> Result<Dim3, String> {
    let parts: Option<Vec<u32>> =
        text.split(['x', 'X', ',']).map(|part| part.trim().parse().ok()).collect();
    match parts.as_deref() {
        Some(parts) if parts.contains(&0) => {
            Err("no dimension can be 0: give 1 or more".to_owned())
        }
        Some([x]) => Ok(Dim3::from((*x, 1))),
        Some([x, y]) => Ok(Dim3::from((*x, *y))),
        Some([x, y, z]) => Ok(Dim3::from((*x, *y, *z))),
        _ => Err("give one to three whole numbers up to 2^32 - 1 as N, XxY or XxYxZ".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_outside_one_to_thirty_two_are_refused() {
        assert_eq!(threads("2x3"), Ok(Dim3::from((2, 3))));
        for text in ["0x1", "33x1", "1", "1x", "ax2", "1x2x3", "-1x2"] {
            assert!(threads(text).is_err(), "{text}");
        }
    }

    #[test]
    fn ranges_multiply_or_add() {
        assert_eq!(axis("64"), Ok(vec![64]));
        assert_eq!(axis("512..4096*2"), Ok(vec![512, 1024, 2048, 4096]));
        assert_eq!(axis("2^9..3000*2"), Ok(vec![512, 1024, 2048]));
        assert_eq!(axis("8..32+8"), Ok(vec![8, 16, 24, 32]));
        assert_eq!(axis("0..2+1"), Ok(vec![0, 1, 2]));
        assert_eq!(axis("5..5*3"), Ok(vec![5]));
        for text in [
            "1..",
            "..8*2",
            "1..8",
            "1..8*1",
            "1..8*0",
            "1..8+0",
            "0..8*2",
            "8..1*2",
            "1..8*2+1",
            "a..8*2",
            "1..8*b",
            "1..2^40+1",
            "1...8*2",
        ] {
            assert!(axis(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_macro_has_a_name() {
        for text in ["N", "N=", "N=3", "_f(x)=x + 1", "N1=a=b"] {
            assert_eq!(macro_definition(text).as_deref(), Ok(text));
        }
        for text in ["", "=3", "3N=1", "a-b=1", "(x)=1", "a b"] {
            assert!(macro_definition(text).is_err(), "{text}");
        }
    }

    #[test]
    fn shapes_have_one_to_three_extents() {
        assert_eq!(dimensions("4"), Ok(Dim3::from((4, 1))));
        assert_eq!(dimensions("4x2x3"), Ok(Dim3::from((4, 2, 3))));
        assert!(dimensions("4x").is_err() && dimensions("1x1x1x1").is_err());
        assert!(dimensions("0").is_err() && dimensions("4x0x2").is_err());
        assert!(positive("0").is_err() && positive("1") == Ok(1));
    }

    #[test]
    fn extents_are_whole_numbers_or_powers_of_two() {
        assert_eq!(extent("17"), Ok(17));
        assert_eq!(extent("2^28"), Ok(1 << 28));
        for text in ["-1", "NaN", "1.5", "18446744073709551616", "", "2^64", "3^2"] {
            assert!(extent(text).is_err(), "{text}");
        }
    }
}
