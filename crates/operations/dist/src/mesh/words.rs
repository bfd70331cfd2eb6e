//! Errors of ranks that disagree, leave or do not come.

use crate::mesh::signature::Signature;
use lanework::Error;
use std::time::Duration;

/// `rank 2`, or `ranks 2, 3 and 5`.
pub(crate) fn ranks(ranks: &[usize]) -> String {
    match ranks {
        [] => "no rank".to_owned(),
        [one] => format!("rank {one}"),
        [first @ .., last] => {
            let first: Vec<String> = first.iter().map(usize::to_string).collect();
            format!("ranks {} and {last}", first.join(", "))
        }
    }
}

/// Two ranks called different things.
pub(crate) fn disagree(rank: usize, own: &Signature, from: usize, theirs: &Signature) -> Error {
    Error::Communication {
        why: format!(
            "ranks disagree: rank {from} called {}, rank {rank} (this one) {}",
            theirs.place(),
            own.place()
        ),
        help:
            "every rank must make the same calls in the same order, with the same counts and types"
                .to_owned(),
    }
}

/// An awaited rank has left.
pub(crate) fn gone(rank: usize, own: &Signature, from: usize, why: &str) -> Error {
    Error::Communication {
        why: format!("rank {from} left before {} of rank {rank}: {why}", own.place()),
        help: format!("see the error of rank {from}; every rank must make every call"),
    }
}

/// Ranks did not come in time.
pub(crate) fn missing(
    rank: usize,
    size: usize,
    own: &Signature,
    absent: &[usize],
    waited: Duration,
) -> Error {
    let has = if absent.len() == 1 { "has" } else { "have" };
    Error::Communication {
        why: format!(
            "{}: {} of {size} {has} not come, rank {rank} waited {}",
            own.place(),
            ranks(absent),
            seconds(waited)
        ),
        help: "every rank must make every call; `timeout` or LANEWORK_DIST_TIMEOUT (seconds) makes ranks wait longer"
            .to_owned(),
    }
}

/// `30 s`, or `0.5 s`.
pub(crate) fn seconds(time: Duration) -> String {
    format!("{} s", (time.as_secs_f64() * 10.0).round() / 10.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_and_times_are_listed() {
        assert_eq!(ranks(&[2]), "rank 2");
        assert_eq!(ranks(&[2, 3, 5]), "ranks 2, 3 and 5");
        assert_eq!(seconds(Duration::from_millis(500)), "0.5 s");
        assert_eq!(seconds(Duration::from_secs(30)), "30 s");
    }
}
