//! The table of contests: one line each, and geometric means by group.

use crate::row::{Outcome, Row};
use lanework_bench::TimedRecord;

/// Times of a row: both medians in nanoseconds, and the ratio (peer's time over ours) with its confidence interval.
struct Times {
    ours: f64,
    peer: f64,
    ratio: f64,
    interval: [f64; 2],
}

/// The times of a row, if it has any. Times measured elsewhere count as exact.
fn times(row: &Row) -> Option<Times> {
    match &row.outcome {
        Outcome::Timed(record) => {
            let [low, high] = record.interval;
            Some(Times {
                ours: record.b.summary.median_ns,
                peer: record.a.summary.median_ns,
                ratio: 1.0 / record.ratio,
                interval: [1.0 / high, 1.0 / low],
            })
        }
        Outcome::Beside(record, peer) => {
            let (ours, [low, high]) = (record.summary.median_ns, record.summary.interval_ns);
            Some(Times {
                ours,
                peer: *peer,
                ratio: peer / ours,
                interval: [peer / high, peer / low],
            })
        }
        Outcome::Verified | Outcome::Failed(_) => None,
    }
}

/// Formats one row.
pub fn line(row: &Row) -> String {
    let title = format!("{:<44} {:<9}", row.problem.title, row.problem.peer);
    match &row.outcome {
        Outcome::Verified => format!("{title} verified"),
        Outcome::Failed(why) => {
            format!("{title} FAILED: {}", why.lines().next().unwrap_or_default())
        }
        Outcome::Timed(_) | Outcome::Beside(..) => {
            let Some(Times { ours, peer, ratio, interval: [low, high] }) = times(row) else {
                return title;
            };
            let rate = |ns: f64| match row.problem.work.flops {
                0 => format!("{:7.0} GB/s", row.problem.work.bytes as f64 / ns),
                flops => format!("{:7.2} TFLOP/s", flops as f64 / ns / 1e3),
            };
            let miss = if ratio < row.problem.reach { " MISSED" } else { "" };
            format!(
                "{title} {:>10.2} us {}  peer {:>10.2} us {}  {ratio:.3} [{low:.3}, {high:.3}] reach {:.2}{miss}",
                ours / 1e3,
                rate(ours),
                peer / 1e3,
                rate(peer),
                row.problem.reach
            )
        }
    }
}

/// Geometric means by group, and the number of comparisons that missed their target.
pub fn summary(rows: &[Row]) -> String {
    let mut text = String::new();
    let mut groups: Vec<&str> = rows.iter().map(|row| row.problem.group).collect();
    groups.dedup();
    for group in groups {
        let of_group = || rows.iter().filter(|row| row.problem.group == group);
        let ratios: Vec<(f64, f64)> =
            of_group().filter_map(|row| Some((times(row)?.ratio, row.problem.reach))).collect();
        let failed = of_group().filter(|row| matches!(row.outcome, Outcome::Failed(_))).count();
        let mean = (ratios.iter().map(|(ratio, _)| ratio.ln()).sum::<f64>()
            / ratios.len().max(1) as f64)
            .exp();
        let least = ratios.iter().map(|(ratio, _)| *ratio).fold(f64::INFINITY, f64::min);
        let missed = ratios.iter().filter(|(ratio, reach)| ratio < reach).count();
        text += &format!(
            "{group:<28} {:>3} timed, geometric mean {mean:.3}, least {least:.3}, {missed} missed, {failed} failed\n",
            ratios.len()
        );
    }
    text
}

/// Formats one row as JSON.
pub fn json(row: &Row) -> String {
    let mut value = serde_json::json!({
        "group": row.problem.group, "problem": row.problem.title, "peer": row.problem.peer,
        "bytes": row.problem.work.bytes, "flops": row.problem.work.flops, "reach": row.problem.reach,
        "cache": row.problem.cache.name(),
    });
    if let Outcome::Failed(why) = &row.outcome {
        value["failed"] = why.clone().into();
        return value.to_string();
    }
    value["verified"] = true.into();
    if let Some(Times { ours, peer, ratio, interval }) = times(row) {
        value["ratio"] = ratio.into();
        value["interval"] = interval.to_vec().into();
        value["ours_ns"] = ours.into();
        value["peer_ns"] = peer.into();
    }
    let clock = |record: &TimedRecord| record.samples.last().and_then(|sample| sample.sm_mhz);
    match &row.outcome {
        Outcome::Timed(record) => {
            value["samples"] = record.b.samples.len().into();
            value["sm_mhz"] = serde_json::json!([clock(&record.b), clock(&record.a)]);
        }
        Outcome::Beside(record, _) => {
            value["samples"] = record.samples.len().into();
            value["sm_mhz"] = serde_json::json!([clock(record)]);
            value["peer_elsewhere"] = true.into();
        }
        Outcome::Verified | Outcome::Failed(_) => {}
    }
    value.to_string()
}
