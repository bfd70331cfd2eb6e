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

/// The same, but not 0.
pub fn positive(text: &str) -> Result<u64, String> {
    extent(text).and_then(|value| match value {
        0 => Err("give a whole number over 0".to_owned()),
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

/// A positive number of seconds.
pub fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(seconds) if seconds > 0.0 && seconds <= 3600.0 => Ok(seconds),
        _ => Err("give a number of seconds over 0 and up to 3600".to_owned()),
    }
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
        _ => Err("give one to three whole numbers as N, XxY or XxYxZ".to_owned()),
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
