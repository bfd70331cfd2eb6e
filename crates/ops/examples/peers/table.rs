//! The table of contests: a line each, and geometric means by group.

use crate::contest::{Outcome, Row};
use lanework_bench::ComparisonRecord;

/// The peer's time over ours, with its interval.
pub fn ratio(record: &ComparisonRecord) -> (f64, [f64; 2]) {
    let [low, high] = record.interval;
    (1.0 / record.ratio, [1.0 / high, 1.0 / low])
}

/// One line.
pub fn line(row: &Row) -> String {
    let title = format!("{:<44} {:<9}", row.problem.title, row.problem.peer);
    match &row.outcome {
        Outcome::Verified => format!("{title} verified"),
        Outcome::Failed(why) => {
            format!("{title} FAILED: {}", why.lines().next().unwrap_or_default())
        }
        Outcome::Timed(record) => {
            let (ratio, [low, high]) = ratio(record);
            let rate = |ns: f64| match row.problem.work.flops {
                0 => format!("{:7.0} GB/s", row.problem.work.bytes as f64 / ns),
                flops => format!("{:7.2} TFLOP/s", flops as f64 / ns / 1e3),
            };
            let (ours, peer) = (record.b.summary.median_ns, record.a.summary.median_ns);
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

/// Geometric means by group, and how many missed their ratio.
pub fn summary(rows: &[Row]) -> String {
    let mut text = String::new();
    let mut groups: Vec<&str> = rows.iter().map(|row| row.problem.group).collect();
    groups.dedup();
    for group in groups {
        let of_group = || rows.iter().filter(|row| row.problem.group == group);
        let ratios: Vec<(f64, f64)> = of_group()
            .filter_map(|row| match &row.outcome {
                Outcome::Timed(record) => Some((ratio(record).0, row.problem.reach)),
                _ => None,
            })
            .collect();
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

/// One line of JSON.
pub fn json(row: &Row) -> String {
    let mut value = serde_json::json!({
        "group": row.problem.group, "problem": row.problem.title, "peer": row.problem.peer,
        "bytes": row.problem.work.bytes, "flops": row.problem.work.flops, "reach": row.problem.reach,
        "cache": row.problem.cache.name(),
    });
    match &row.outcome {
        Outcome::Verified => value["verified"] = true.into(),
        Outcome::Failed(why) => value["failed"] = why.clone().into(),
        Outcome::Timed(record) => {
            let (ratio, interval) = ratio(record);
            value["verified"] = true.into();
            value["ratio"] = ratio.into();
            value["interval"] = interval.to_vec().into();
            value["ours_ns"] = record.b.summary.median_ns.into();
            value["peer_ns"] = record.a.summary.median_ns.into();
            value["samples"] = record.b.samples.len().into();
            let clock = |record: &lanework_bench::TimedRecord| {
                record.samples.last().and_then(|sample| sample.sm_mhz)
            };
            value["sm_mhz"] = serde_json::json!([clock(&record.b), clock(&record.a)]);
        }
    }
    value.to_string()
}
