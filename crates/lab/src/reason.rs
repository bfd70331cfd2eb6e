//! The counters that changed most from one rung to the next.

use crate::record::RungRecord;
use lanework::Counters;

/// Changes below this factor are left out where there are larger ones.
const NOTABLE: f64 = 1.15;
/// Changes below this factor are always left out.
const SLIGHT: f64 = 1.01;

type Count = fn(&Counters) -> u64;

/// Counts that are compared: a name and where it lies.
const COUNTS: [(&str, Count); 8] = [
    ("load sectors", |c| c.global_load.sectors),
    ("store sectors", |c| c.global_store.sectors),
    ("global requests", |c| c.global_load.requests + c.global_store.requests),
    ("bank conflicts", |c| c.shared_load.bank_conflicts + c.shared_store.bank_conflicts),
    ("shared wavefronts", |c| c.shared_load.wavefronts + c.shared_store.wavefronts),
    ("instructions", |c| c.warp_instructions),
    ("barriers", |c| c.barriers),
    ("divergent branches", |c| c.divergent_branches),
];

/// What changed notably from one rung to the next, largest change first, at most four, or else the
/// largest slight change; `None` where either was not counted in full.
pub(crate) fn reason(before: &RungRecord, now: &RungRecord) -> Option<String> {
    if before.sampled.is_some() || now.sampled.is_some() {
        return None;
    }
    let counted = (before.counters.as_ref()?, now.counters.as_ref()?);
    let counts = COUNTS
        .iter()
        .filter_map(|(name, count)| change(name, count(counted.0) as f64, count(counted.1) as f64));
    let figure =
        |name: &str, of: fn(&RungRecord) -> Option<f64>| change(name, of(before)?, of(now)?);
    let figures = [
        figure("instructions per warp", RungRecord::instructions_per_warp),
        figure("active lanes", RungRecord::active_lanes),
        figure("occupancy", |rung| Some(rung.resources?.occupancy)),
        figure("spilled bytes", |rung| Some(f64::from(rung.resources?.spill_bytes))),
        figure("warps", |rung| Some(rung.warps? as f64)),
    ];
    let of_rung = now.figures.iter().filter_map(|(name, value)| {
        change(&name.replace('_', " "), *before.figures.get(name)?, *value)
    });
    let mut changes: Vec<(f64, String)> =
        counts.chain(figures.into_iter().flatten()).chain(of_rung).collect();
    changes.sort_by(|a, b| b.0.total_cmp(&a.0));
    let notable = changes.iter().filter(|(factor, _)| *factor >= NOTABLE).count();
    changes.truncate(notable.clamp(1, 4));
    let words: Vec<String> = changes.into_iter().map(|(_, words)| words).collect();
    Some(if words.is_empty() { "no count changed".to_owned() } else { words.join(", ") })
}

/// How notable a change is, and the change in words; `None` where there is next to none.
fn change(name: &str, before: f64, now: f64) -> Option<(f64, String)> {
    match (before > 0.0, now > 0.0) {
        (false, false) => None,
        (false, true) => Some((f64::MAX, format!("+{name}"))),
        (true, false) => Some((f64::MAX, format!("no {name}"))),
        (true, true) => {
            let ratio = now / before;
            let factor = ratio.max(1.0 / ratio);
            let digits = if factor < NOTABLE { 2 } else { 1 };
            let sign = if ratio < 1.0 { '/' } else { 'x' };
            (factor >= SLIGHT).then(|| (factor, format!("{name} {sign}{factor:.digits$}")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_named_with_their_factor() {
        assert_eq!(change("sectors", 1000.0, 1001.0), None);
        assert_eq!(change("sectors", 105.0, 100.0), Some((1.05, "sectors /1.05".to_owned())));
        assert_eq!(change("sectors", 100.0, 25.0), Some((4.0, "sectors /4.0".to_owned())));
        assert_eq!(change("sectors", 10.0, 0.0).map(|c| c.1), Some("no sectors".to_owned()));
        assert_eq!(change("sectors", 0.0, 9.0).map(|c| c.1), Some("+sectors".to_owned()));
    }
}
