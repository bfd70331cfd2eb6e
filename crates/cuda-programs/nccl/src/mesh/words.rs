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

/// `rank 2 of 4 has not come`, or `ranks 2 and 3 of 4 have not come`.
pub fn not_come(absent: &[usize], size: usize) -> String {
    let has = if absent.len() == 1 { "has" } else { "have" };
    format!("{} of {size} {has} not come", ranks(absent))
}

/// How long ranks wait for each other: 600 seconds, or `LANEWORK_NCCL_TIMEOUT`.
pub fn timeout() -> Duration {
    let told = std::env::var("LANEWORK_NCCL_TIMEOUT").ok();
    let seconds: Option<f64> = told.and_then(|text| text.trim().parse().ok());
    let seconds = seconds.filter(|seconds| (0.001..1e9).contains(seconds)).unwrap_or(600.0);
    Duration::from_secs_f64(seconds)
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
        assert_eq!(not_come(&[2], 4), "rank 2 of 4 has not come");
        assert_eq!(not_come(&[2, 3, 5], 6), "ranks 2, 3 and 5 of 6 have not come");
        assert_eq!(seconds(Duration::from_millis(500)), "0.5 s");
    }
}
