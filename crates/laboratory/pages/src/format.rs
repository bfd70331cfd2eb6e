//! Formats numbers for readers: times, rates, counts, shares. Identical in every language.

/// Nanoseconds in a suitable unit, with three or four digits.
pub fn time(ns: f64) -> String {
    match ns {
        ns if !ns.is_finite() => "-".to_owned(),
        ns if ns < 1e3 => format!("{} ns", digits(ns)),
        ns if ns < 1e6 => format!("{} µs", digits(ns / 1e3)),
        ns if ns < 1e9 => format!("{} ms", digits(ns / 1e6)),
        ns => format!("{} s", digits(ns / 1e9)),
    }
}

/// 10^9 bytes per second.
pub fn bandwidth(value: f64) -> String {
    scaled(value, "GB/s", "TB/s")
}

/// 10^9 operations per second.
pub fn rate(value: f64) -> String {
    scaled(value, "GFLOP/s", "TFLOP/s")
}

/// 10^9 operations on integers per second.
pub fn integer_rate(value: f64) -> String {
    scaled(value, "GOP/s", "TOP/s")
}

fn scaled(value: f64, small: &str, large: &str) -> String {
    if value < 1000.0 {
        format!("{} {small}", digits(value))
    } else {
        format!("{} {large}", digits(value / 1000.0))
    }
}

/// Bytes in binary units.
pub fn bytes(value: f64) -> String {
    let units = ["B", "KiB", "MiB", "GiB", "TiB"];
    let step = (0..4).filter(|step| value >= 1024f64.powi(step + 1)).count();
    format!("{} {}", digits(value / 1024f64.powi(step as i32)), units[step])
}

/// Three significant digits, or more before the point.
pub fn digits(value: f64) -> String {
    let size = value.abs();
    let text = match size {
        0.0 => "0".to_owned(),
        size if size < 0.001 => format!("{value:.1e}"),
        size if size < 1.0 => format!("{value:.3}"),
        size if size < 10.0 => format!("{value:.2}"),
        size if size < 100.0 => format!("{value:.1}"),
        _ => return thousands(value.round()),
    };
    match text.contains('.') && !text.contains('e') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}

/// An integer with commas between thousands.
pub fn thousands(value: f64) -> String {
    let plain = format!("{value:.0}");
    let (sign, plain) = plain.strip_prefix('-').map_or(("", plain.as_str()), |rest| ("-", rest));
    let mut text = String::new();
    for (index, digit) in plain.chars().enumerate() {
        if index > 0 && (plain.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    format!("{sign}{text}")
}

/// A short count: `1.05 M`.
pub fn count(value: f64) -> String {
    match value.abs() {
        size if size < 10_000.0 => thousands(value.round()),
        size if size < 1e6 => format!("{} k", digits(value / 1e3)),
        size if size < 1e9 => format!("{} M", digits(value / 1e6)),
        size if size < 1e12 => format!("{} G", digits(value / 1e9)),
        _ => format!("{} T", digits(value / 1e12)),
    }
}

/// A fraction as a percentage.
pub fn percent(part: f64) -> String {
    match 100.0 * part {
        part if part > 0.0 && part < 0.1 => "<0.1 %".to_owned(),
        part if part < 10.0 && part.fract() > 0.05 => format!("{part:.1} %"),
        part => format!("{part:.0} %"),
    }
}

/// A factor, such as `×2.21`.
pub fn factor(value: f64) -> String {
    format!("×{}", digits(value))
}

/// A number for an SVG attribute, with at most two decimals.
pub fn plain(value: f64) -> String {
    let text = format!("{value:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_units_and_few_digits() {
        assert_eq!(time(17_068.8), "17.1 µs");
        assert_eq!(time(275_721_588.0), "276 ms");
        assert_eq!(bandwidth(491.46), "491 GB/s");
        assert_eq!(rate(51_400.0), "51.4 TFLOP/s");
        assert_eq!(bytes(4224.0), "4.12 KiB");
        assert_eq!(thousands(1_234_567.0), "1,234,567");
        assert_eq!(count(1_048_576.0), "1.05 M");
        assert_eq!((percent(0.125), percent(0.0), percent(0.00001)).0, "12 %");
        assert_eq!(percent(0.00001), "<0.1 %");
        assert_eq!(factor(2.2119), "×2.21");
        assert_eq!((digits(100.0), digits(4.0), digits(0.5)).2, "0.5");
        assert_eq!(plain(3.10), "3.1");
    }
}
