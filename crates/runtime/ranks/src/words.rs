//! Texts for ranks and times.

use std::time::Duration;

/// `rank 2`, or `ranks 2, 3 and 5`.
pub fn ranks(ranks: &[usize]) -> String {
    match ranks {
        [] => "no rank".to_owned(),
        [one] => format!("rank {one}"),
        [first @ .., last] => {
            let first: Vec<String> = first.iter().map(usize::to_string).collect();
            format!("ranks {} and {last}", first.join(", "))
        }
    }
}

/// `rank 2 of 4 has not arrived`, or `ranks 2 and 3 of 4 have not arrived`.
pub fn not_arrived(absent: &[usize], size: usize) -> String {
    let has = if absent.len() == 1 { "has" } else { "have" };
    format!("{} of {size} {has} not arrived", ranks(absent))
}

/// `30 s`, or `0.5 s`.
pub fn seconds(time: Duration) -> String {
    format!("{} s", (time.as_secs_f64() * 10.0).round() / 10.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_and_times_are_listed() {
        assert_eq!(ranks(&[2]), "rank 2");
        assert_eq!(ranks(&[2, 3, 5]), "ranks 2, 3 and 5");
        assert_eq!(not_arrived(&[2], 4), "rank 2 of 4 has not arrived");
        assert_eq!(not_arrived(&[2, 3, 5], 6), "ranks 2, 3 and 5 of 6 have not arrived");
        assert_eq!(seconds(Duration::from_millis(500)), "0.5 s");
        assert_eq!(seconds(Duration::from_secs(30)), "30 s");
    }
}
