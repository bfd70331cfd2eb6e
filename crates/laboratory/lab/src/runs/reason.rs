//! The gain of a ladder's step and its reason: the time on a GPU, the counters on the emulator.
//!
//! A time counts as changed only if the 95 % intervals of both medians are disjoint. The emulator does not model
//! time: a step that reduces a count is better by that count, never faster.

use crate::record::{RungRecord, Step, TimeRecord};
use lanework::Counters;

/// Changes below this factor are omitted if there are larger ones.
const NOTABLE: f64 = 1.15;
/// Changes below this factor are always omitted.
const SLIGHT: f64 = 1.01;
/// The most changes listed per direction.
const NAMED: usize = 3;

type Count = fn(&Counters) -> u64;

/// Compared counts: name and field. Fewer is better.
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

/// Counts of load and store instructions. Where bulk copies replace those instructions, another unit does the work, and
/// fewer of them are no gain.
const OF_INSTRUCTIONS: [&str; 4] =
    ["load sectors", "store sectors", "global requests", "shared wavefronts"];

/// Whether a kernel moves data by bulk copies.
fn copies_in_bulk(counters: &Counters) -> bool {
    counters.bulk_load.requests + counters.bulk_store.requests > 0
}

/// The direction in which a figure improves.
#[derive(Clone, Copy, PartialEq)]
enum Better {
    Less,
    More,
    /// Neither: it shows how the work is divided.
    Neither,
}

/// A change of a figure.
struct Change {
    factor: f64,
    words: String,
    /// The same in a sentence: `4.0x fewer load sectors`.
    phrase: String,
    /// Whether it is an improvement; `None` if unknown.
    good: Option<bool>,
}

/// The gain of the step from one rung to the next and its reason; `None` if either was neither timed nor counted.
pub(crate) fn reason(before: &RungRecord, now: &RungRecord) -> Option<(Step, String)> {
    match (&before.time, &now.time) {
        (Some(earlier), Some(later)) => timed((before, earlier), (now, later)),
        _ => {
            before.counters.as_ref().and(now.counters.as_ref())?;
            Some(counted(changes_and_moves(before, now)))
        }
    }
}

/// The largest changes from one rung to the next as phrases, at most three, improvements first.
pub(crate) fn story(before: &RungRecord, now: &RungRecord) -> Vec<String> {
    let moves = moves_work(before, now);
    let mut changes = changes(before, now);
    changes.sort_by(|a, b| b.factor.total_cmp(&a.factor));
    let notable = changes.iter().filter(|change| change.factor >= NOTABLE).count();
    changes.truncate(notable.max(1));
    let of = |good: Option<bool>| {
        let chosen = changes.iter().filter(move |change| change.good == good);
        chosen.map(|change| change.phrase.clone())
    };
    let worse = of(Some(false)).count().min(1);
    let better = NAMED - worse - moves.iter().count();
    let moves = moves.map(str::to_owned);
    let mut told: Vec<String> = moves.into_iter().chain(of(Some(true)).take(better)).collect();
    let left = NAMED - told.len();
    told.extend(of(Some(false)).take(left));
    told
}

/// The unit that moves the data, if it changes from one rung to the next.
fn moves_work(before: &RungRecord, now: &RungRecord) -> Option<&'static str> {
    let in_bulk = |rung: &RungRecord| rung.counters.as_ref().is_some_and(copies_in_bulk);
    match (in_bulk(before), in_bulk(now)) {
        (false, true) => Some("bulk copies (TMA) move the data"),
        (true, false) => Some("the threads move the data without bulk copies"),
        _ => None,
    }
}

/// The step by its time; `None` if a time is invalid.
fn timed(
    (before, earlier): (&RungRecord, &TimeRecord),
    (now, later): (&RungRecord, &TimeRecord),
) -> Option<(Step, String)> {
    if earlier.invalid.is_some() || later.invalid.is_some() {
        return None;
    }
    let ratio = earlier.median_ns / later.median_ns;
    let step = match (later.interval_ns, earlier.interval_ns) {
        (now, before) if now[1] < before[0] => Step::Faster,
        (now, before) if now[0] > before[1] => Step::Slower,
        _ => Step::NoFaster,
    };
    let told = match step {
        Step::Faster => format!("{ratio:.2}x faster"),
        Step::Slower => format!("NOT faster: takes {:.2}x the time", 1.0 / ratio),
        _ => format!("NOT faster: {ratio:.2}x, within the 95 % intervals"),
    };
    let (better, worse, cut) = by_direction(changes_and_moves(before, now));
    let all: Vec<String> = [better, worse, cut].concat();
    Some((step, if all.is_empty() { told } else { format!("{told}; {}", all.join(", ")) }))
}

/// The step by its counts.
fn counted(changes: Vec<Change>) -> (Step, String) {
    let (better, worse, cut) = by_direction(changes);
    let (step, mut told) = match (better.is_empty(), worse.is_empty()) {
        (false, true) => (Step::Cheaper, format!("better: {}", better.join(", "))),
        (false, false) => {
            (Step::Mixed, format!("better: {}; worse: {}", better.join(", "), worse.join(", ")))
        }
        (true, false) => {
            (Step::Dearer, format!("no counter improved; worse: {}", worse.join(", ")))
        }
        (true, true) => {
            (Step::Unchanged, "no counter improved; only a time on a GPU can decide".to_owned())
        }
    };
    if !cut.is_empty() {
        told.push_str(&format!("; also changed: {}", cut.join(", ")));
    }
    (step, told)
}

/// Improvements, regressions, and neutral changes, in words, the largest first. Slight changes are listed only if there
/// are no others.
fn by_direction(mut changes: Vec<Change>) -> (Vec<String>, Vec<String>, Vec<String>) {
    changes.sort_by(|a, b| b.factor.total_cmp(&a.factor));
    let notable = changes.iter().filter(|change| change.factor >= NOTABLE).count();
    changes.truncate(notable.max(1));
    let of = |good: Option<bool>| -> Vec<String> {
        let chosen = changes.iter().filter(|change| change.good == good);
        chosen.take(NAMED).map(|change| change.words.clone()).collect()
    };
    (of(Some(true)), of(Some(false)), of(None))
}

/// The changes from one rung to the next, with the unit that moves the data if it is another one.
fn changes_and_moves(before: &RungRecord, now: &RungRecord) -> Vec<Change> {
    let moves = moves_work(before, now).map(|unit| Change {
        factor: f64::INFINITY,
        words: unit.to_owned(),
        phrase: unit.to_owned(),
        good: None,
    });
    moves.into_iter().chain(changes(before, now)).collect()
}

/// The changes from one rung to the next. A figure of 0 was not measured, and counts of instructions are left out where
/// another unit does their work.
fn changes(before: &RungRecord, now: &RungRecord) -> Vec<Change> {
    // Counts of a sample of blocks are scaled to all blocks.
    let whole = |rung: &RungRecord| {
        rung.sampled.map_or(1.0, |part| part.blocks as f64 / part.blocks_counted.max(1) as f64)
    };
    let moved = moves_work(before, now).is_some();
    let counts =
        before.counters.as_ref().zip(now.counters.as_ref()).into_iter().flat_map(|(a, b)| {
            let compared =
                COUNTS.iter().filter(|(name, _)| !moved || !OF_INSTRUCTIONS.contains(name));
            compared.filter_map(move |(name, count)| {
                let (a, b) = (count(a) as f64 * whole(before), count(b) as f64 * whole(now));
                change(name, Better::Less, a, b)
            })
        });
    let measured = |name: &str, better: Better, before: f64, now: f64| {
        (before > 0.0 && now > 0.0).then(|| change(name, better, before, now)).flatten()
    };
    let figure = |name: &str, better: Better, of: fn(&RungRecord) -> Option<f64>| {
        measured(name, better, of(before)?, of(now)?)
    };
    let spilled = |rung: &RungRecord| Some(f64::from(rung.resources?.spill_bytes));
    let spills = spilled(before).zip(spilled(now));
    let cut = before.warps != now.warps;
    let per_warp = cut.then_some(RungRecord::instructions_per_warp as fn(&RungRecord) -> _);
    let figures = [
        per_warp.and_then(|of| figure("instructions per warp", Better::Neither, of)),
        figure("warps", Better::Neither, |rung| Some(rung.warps? as f64)),
        figure("active lanes", Better::More, RungRecord::active_lanes),
        figure("occupancy", Better::More, |rung| Some(rung.resources?.occupancy)),
        spills.and_then(|(before, now)| change("spilled bytes", Better::Less, before, now)),
    ];
    let of_rung = now.figures.iter().filter_map(|(name, value)| {
        let shown = match *name {
            "host_ns" => return None,
            "longest_warp_instructions" => "instructions in the longest warp".to_owned(),
            name => name.replace('_', " "),
        };
        measured(&shown, Better::Less, *before.figures.get(name)?, *value)
    });
    counts.chain(figures.into_iter().flatten()).chain(of_rung).collect()
}

/// A change as text; `None` if it is negligible.
fn change(name: &str, better: Better, before: f64, now: f64) -> Option<Change> {
    let good = match better {
        Better::Less => Some(now < before),
        Better::More => Some(now > before),
        Better::Neither => None,
    };
    let (factor, words, phrase) = match (before > 0.0, now > 0.0) {
        (false, false) => return None,
        (false, true) => (f64::MAX, format!("+{name}"), format!("new: {name}")),
        (true, false) => (f64::MAX, format!("no {name}"), format!("no {name}")),
        (true, true) => {
            let ratio = now / before;
            let factor = ratio.max(1.0 / ratio);
            let digits = if factor < NOTABLE { 2 } else { 1 };
            let sign = if ratio < 1.0 { '/' } else { 'x' };
            let than = match (name, ratio < 1.0) {
                ("occupancy", true) => "lower",
                ("occupancy", false) => "higher",
                (_, true) => "fewer",
                (_, false) => "more",
            };
            (
                factor,
                format!("{name} {sign}{factor:.digits$}"),
                format!("{factor:.digits$}x {than} {name}"),
            )
        }
    };
    (factor >= SLIGHT).then_some(Change { factor, words, phrase, good })
}

#[cfg(test)]
mod tests {
    use super::*;
    use lanework::report::SampleRecord;

    fn words(before: f64, now: f64) -> Option<String> {
        change("sectors", Better::Less, before, now).map(|change| change.words)
    }

    #[test]
    fn changes_are_named_with_their_factor() {
        assert_eq!(words(1000.0, 1001.0), None);
        assert_eq!(words(105.0, 100.0).as_deref(), Some("sectors /1.05"));
        assert_eq!(words(100.0, 25.0).as_deref(), Some("sectors /4.0"));
        assert_eq!(words(10.0, 0.0).as_deref(), Some("no sectors"));
        assert_eq!(words(0.0, 9.0).as_deref(), Some("+sectors"));
    }

    fn counting(sectors: u64, barriers: u64) -> RungRecord {
        let mut counters = Counters { barriers, ..Counters::default() };
        counters.global_load.sectors = sectors;
        RungRecord { counters: Some(counters), ..RungRecord::default() }
    }

    #[test]
    fn a_missing_figure_is_not_a_change() {
        let of = |cycles| RungRecord {
            figures: [("cycles", cycles)].into_iter().collect(),
            ..counting(800, 10)
        };
        assert_eq!(said(&of(900.0), &of(300.0)).1, "better: cycles /3.0");
        assert_eq!(said(&of(900.0), &of(0.0)).0, Step::Unchanged);
    }

    fn said(before: &RungRecord, now: &RungRecord) -> (Step, String) {
        reason(before, now).expect("both were counted or timed")
    }

    #[test]
    fn a_step_without_improved_counters_is_reported() {
        let before = counting(800, 10);
        let of = |sectors, barriers| said(&before, &counting(sectors, barriers));
        assert_eq!(of(100, 10), (Step::Cheaper, "better: load sectors /8.0".to_owned()));
        let mixed = "better: load sectors /8.0; worse: barriers x2.0".to_owned();
        assert_eq!(of(100, 20), (Step::Mixed, mixed));
        let dearer = "no counter improved; worse: barriers x2.0".to_owned();
        assert_eq!(of(800, 20), (Step::Dearer, dearer));
        assert_eq!(of(800, 10).0, Step::Unchanged);
        assert!(of(800, 10).1.starts_with("no counter improved"));
    }

    #[test]
    fn the_story_has_at_most_three_changes_in_words() {
        let before = counting(800, 10);
        assert_eq!(story(&before, &counting(100, 0)), ["no barriers", "8.0x fewer load sectors"]);
        assert_eq!(
            story(&before, &counting(100, 20)),
            ["8.0x fewer load sectors", "2.0x more barriers"]
        );
        assert!(story(&before, &before).is_empty());
    }

    #[test]
    fn loads_replaced_by_bulk_copies_are_not_a_gain() {
        let mut before = counting(800, 10);
        before.counters.iter_mut().for_each(|counters| counters.global_load.requests = 200);
        let mut now = counting(0, 10);
        if let Some(counters) = &mut now.counters {
            (counters.bulk_load.requests, counters.bulk_load.sectors) = (2, 800);
        }
        assert_eq!(story(&before, &now), ["bulk copies (TMA) move the data"]);
        let (step, told) = said(&before, &now);
        assert_eq!(step, Step::Unchanged);
        assert!(told.ends_with("; also changed: bulk copies (TMA) move the data"), "{told}");
    }

    #[test]
    fn counts_of_a_sample_are_scaled_to_all_blocks() {
        let part = |blocks_counted| Some(SampleRecord { blocks_counted, blocks: 100 });
        let before = RungRecord { sampled: part(10), ..counting(800, 10) };
        let now = RungRecord { sampled: part(20), ..counting(800, 20) };
        assert_eq!(said(&before, &now).1, "better: load sectors /2.0");
    }

    fn taking(median_ns: f64, half: f64) -> RungRecord {
        let interval_ns = [median_ns - half, median_ns + half];
        let time = TimeRecord { median_ns, interval_ns, ..TimeRecord::default() };
        RungRecord { time: Some(time), ..RungRecord::default() }
    }

    #[test]
    fn a_time_is_shorter_only_if_the_intervals_are_disjoint() {
        let before = taking(1000.0, 10.0);
        assert_eq!(said(&before, &taking(500.0, 10.0)), (Step::Faster, "2.00x faster".to_owned()));
        let (step, told) = said(&before, &taking(995.0, 10.0));
        assert_eq!(step, Step::NoFaster);
        assert!(told.starts_with("NOT faster: 1.01x, within the 95 % intervals"), "{told}");
        let slower = "NOT faster: takes 1.50x the time".to_owned();
        assert_eq!(said(&before, &taking(1500.0, 10.0)), (Step::Slower, slower));
        let mut invalid = taking(1.0, 0.1);
        invalid.time.iter_mut().for_each(|time| time.invalid = Some("too short".to_owned()));
        assert_eq!(reason(&before, &invalid), None);
    }
}
