//! Points of climbs as one table, a row per kernel: of a sweep that has just run, or of stored runs. Both are read from
//! the climb's JSON form, which the store contains.

use lanework_lab::PARAMETERS;
use lanework_terminal::output::duration;
use lanework_terminal::table::{Cell, Column, Table, Tone, listed, prose, shown};
use serde::Deserialize;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

/// The fields of a climb that the table shows.
#[derive(Debug, Deserialize)]
#[cfg_attr(not(feature = "history"), allow(dead_code))]
pub struct Climb {
    /// The ladder's name.
    pub ladder: String,
    size: Vec<u64>,
    element: String,
    bytes: u64,
    flops: u64,
    host: Option<HostTime>,
    /// Libraries that were skipped, and why.
    #[serde(default)]
    skipped_peers: BTreeMap<String, String>,
    /// The rungs.
    pub rungs: Vec<Rung>,
    /// The other fields, settings included.
    #[serde(flatten)]
    rest: Map<String, Value>,
}

/// The fields of a rung that the table shows.
#[derive(Debug, Deserialize)]
pub struct Rung {
    name: String,
    verified: bool,
    error: Option<String>,
    rejection: Option<String>,
    skipped: Option<String>,
    resources: Option<Resources>,
    counters: Option<Value>,
    sampled: Option<Sampled>,
    time: Option<Time>,
    predicted: Option<PredictedTime>,
}

#[derive(Debug, Deserialize)]
struct PredictedTime {
    predicted_ns: f64,
}

#[derive(Debug, Deserialize)]
struct HostTime {
    median_ns: f64,
}

#[derive(Debug, Deserialize)]
struct Resources {
    registers: u32,
    spill_bytes: u32,
    occupancy: f64,
}

#[derive(Debug, Deserialize)]
struct Sampled {
    blocks_counted: u64,
    blocks: u64,
}

#[derive(Debug, Deserialize)]
struct Time {
    median_ns: f64,
    interval_ns: [f64; 2],
    gigabytes_per_second: f64,
    gigaflops_per_second: f64,
    invalid: Option<String>,
}

/// A point without a result: its problem and why.
pub struct Without {
    /// The problem by name.
    pub problem: BTreeMap<String, String>,
    /// `skipped` or `failed`.
    pub outcome: &'static str,
    /// Why.
    pub why: String,
}

impl Climb {
    /// Reads the fields that the table shows from a climb's JSON form; `None` if it is something else.
    pub fn of(record: &Value) -> Option<Climb> {
        serde_json::from_value(record.clone()).ok()
    }

    /// The settings, by name.
    fn settings(&self) -> impl Iterator<Item = (&'static str, String)> {
        let known = PARAMETERS.iter().map(|parameter| parameter.name);
        known.filter_map(|name| Some((name, self.rest.get(name)?.to_string())))
    }

    /// The rungs that were not verified, in a line each.
    pub fn wrong(&self) -> impl Iterator<Item = String> {
        self.rungs.iter().filter_map(|rung| {
            let at = self.place();
            Some(format!("  {} at {at}: {}", rung.name, rung.error.as_deref()?))
        })
    }

    /// Why rungs and libraries were skipped, in a line each.
    pub fn skips(&self) -> impl Iterator<Item = String> {
        let rungs = self.rungs.iter().filter_map(|rung| Some((&rung.name, rung.skipped.as_ref()?)));
        let all = rungs.chain(&self.skipped_peers);
        all.map(|(name, why)| format!("{name} is skipped: {why}"))
    }

    /// Whether some rung ran.
    pub fn ran(&self) -> bool {
        self.rungs.iter().any(|rung| rung.skipped.is_none())
    }

    fn size_in_words(&self) -> String {
        self.size.iter().map(u64::to_string).collect::<Vec<_>>().join("x")
    }

    fn place(&self) -> String {
        let settings: String =
            self.settings().map(|(name, value)| format!(", {name} {value}")).collect();
        format!("{} {}{settings}", self.size_in_words(), self.element)
    }
}

/// The points as a table, and why some have no result.
pub fn describe(climbs: &[Climb], without: &[Without]) -> String {
    let mut text = String::new();
    if !climbs.is_empty() {
        text.push_str(&table(climbs));
    }
    for (why, points) in by_reason(without) {
        let first = points[0];
        let problem: Vec<String> =
            first.problem.iter().map(|(name, value)| format!("{name} {value}")).collect();
        let problem = problem.join(", ");
        text.push_str(&listed(
            "  ",
            &match points.len() {
                1 => format!("{problem}: {}: {why}", first.outcome),
                count => {
                    format!("{count} points, the first at {problem}: {}: {why}", first.outcome)
                }
            },
        ));
    }
    let skips: BTreeSet<String> = climbs.iter().flat_map(Climb::skips).collect();
    skips.iter().for_each(|line| text.push_str(&listed("  ", line)));
    text
}

/// Groups the points by the reason for their missing result, in the order of first occurrence.
fn by_reason(without: &[Without]) -> Vec<(&str, Vec<&Without>)> {
    let mut reasons: Vec<(&str, Vec<&Without>)> = Vec::new();
    for point in without {
        match reasons.iter_mut().find(|(why, _)| *why == point.why) {
            Some((_, points)) => points.push(point),
            None => reasons.push((&point.why, vec![point])),
        }
    }
    reasons
}

/// A row per kernel and point.
fn table(climbs: &[Climb]) -> String {
    let rungs = || climbs.iter().flat_map(|climb| &climb.rungs);
    let timed = rungs().any(|rung| rung.time.is_some());
    let computes = climbs.iter().any(|climb| climb.flops > 0);
    let names: BTreeSet<&str> =
        climbs.iter().flat_map(Climb::settings).map(|(name, _)| name).collect();
    let known = PARAMETERS.iter().map(|parameter| parameter.name);
    let settings: Vec<&str> = known.filter(|name| names.contains(name)).collect();
    let first = &climbs[0];
    let elements = climbs.iter().any(|climb| climb.element != first.element);
    let mut columns = Vec::new();
    columns.extend(elements.then(|| Column::name("type")));
    columns.extend(settings.iter().map(|name| Column::number(*name).rank(0)));
    columns.extend([Column::number("size").rank(0), Column::name("rung")]);
    columns.extend(match timed {
        true => vec![
            Column::number("median").rank(0),
            Column::number("+-").rank(4),
            Column::number(if computes { "GFLOP/s" } else { "GB/s" }).rank(1),
            Column::number("vs first").rank(2),
        ],
        false => vec![
            Column::number("sectors/pair (opt 2)").short("s/pair").rank(1),
            Column::number("conflicts/request").short("confl.").rank(2),
        ],
    });
    let predicted = rungs().any(|rung| rung.predicted.is_some());
    columns.extend(predicted.then(|| Column::number("predicted").rank(3)));
    columns.extend([Column::number("regs").rank(5), Column::number("occup.").rank(5)]);
    columns.push(Column::label("result").rank(1));
    let host = climbs.iter().any(|climb| climb.host.is_some());
    columns.extend(host.then(|| Column::number("host").rank(6)));
    let mut rows = Table::new(columns);
    for climb in climbs {
        let before = |name: &str| {
            let of: BTreeMap<&str, String> = climb.settings().collect();
            of.get(name).cloned().unwrap_or_default()
        };
        let point = || {
            let element = elements.then(|| Cell::from(climb.element.clone()));
            let settings = settings.iter().map(|name| Cell::from(before(name)));
            element.into_iter().chain(settings).chain([climb.size_in_words().into()])
        };
        for (place, rung) in climb.rungs.iter().enumerate() {
            let mut row: Vec<Cell> = point().chain([rung.name.clone().into()]).collect();
            row.extend(if timed { times(climb, rung) } else { counts(climb, rung) });
            let time = |found: &PredictedTime| duration(found.predicted_ns);
            row.extend(
                predicted.then(|| Cell::from(rung.predicted.as_ref().map_or(String::new(), time))),
            );
            row.extend(resources(rung));
            row.push(result(rung));
            let host = climb.host.as_ref().filter(|_| place == 0);
            row.extend(host.map(|host| Cell::from(duration(host.median_ns))));
            rows.row(row);
        }
    }
    let model = match predicted {
        true => prose(super::PREDICTED),
        false => String::new(),
    };
    shown(&rows)
        + &prose(match timed {
            true => {
                "GPU event time, cold cache; +-: half of the median's 95 % interval; vs first: time of the point's first \
                 rung over this one's; host: serially, by the host's clock."
            }
            false => {
                "Counted by the emulator, which does not model time. sectors/pair: sectors loaded and stored per pair that \
                 is needed (optimal: 2.00); conflicts/request: excess wavefronts of shared memory; ~: of a sample of \
                 blocks, after every element was verified; regs: estimated; host: serially, by the host's clock."
            }
        })
        + &model
}

fn times(climb: &Climb, rung: &Rung) -> Vec<Cell> {
    let Some(time) = &rung.time else { return vec![Cell::default(); 4] };
    let half = (time.interval_ns[1] - time.interval_ns[0]) / time.median_ns / 2.0;
    let rate = match (&time.invalid, climb.flops) {
        (Some(_), _) => Cell::from("INVALID").tone(Tone::Bad),
        (None, 0) => format!("{:.0}", time.gigabytes_per_second).into(),
        (None, _) => format!("{:.0}", time.gigaflops_per_second).into(),
    };
    let first = climb.rungs.iter().find_map(|rung| rung.time.as_ref());
    let ratio =
        first.map_or(String::new(), |first| format!("{:.2}x", first.median_ns / time.median_ns));
    vec![
        duration(time.median_ns).into(),
        format!("{:.2} %", 100.0 * half).into(),
        rate,
        ratio.into(),
    ]
}

fn counts(climb: &Climb, rung: &Rung) -> Vec<Cell> {
    let Some(counters) = &rung.counters else { return vec![Cell::default(); 2] };
    let count = |path: &str| counters.pointer(path).and_then(Value::as_f64).unwrap_or(0.0);
    let part = rung.sampled.as_ref().map_or(1.0, |of| of.blocks_counted as f64 / of.blocks as f64);
    let sectors = count("/global_load/sectors") + count("/global_store/sectors");
    let needed = climb.bytes as f64 / 32.0 * part;
    let requests = count("/shared_load/requests") + count("/shared_store/requests");
    let conflicts = count("/shared_load/bank_conflicts") + count("/shared_store/bank_conflicts");
    let mark = if rung.sampled.is_some() { "~" } else { "" };
    let per_request = if requests == 0.0 { 0.0 } else { conflicts / requests };
    vec![
        format!("{mark}{:.2}", 2.0 * sectors / needed.max(1.0)).into(),
        format!("{mark}{per_request:.2}").into(),
    ]
}

fn resources(rung: &Rung) -> [Cell; 2] {
    let Some(taken) = &rung.resources else { return [Cell::default(), Cell::default()] };
    let registers = match taken.spill_bytes {
        0 => taken.registers.to_string(),
        bytes => format!("{} +{bytes} B", taken.registers),
    };
    [registers.into(), format!("{:.0} %", 100.0 * taken.occupancy).into()]
}

fn result(rung: &Rung) -> Cell {
    match (rung.verified, &rung.skipped, rung.rejection.as_deref()) {
        (true, ..) => Cell::from("verified").short("ok").tone(Tone::Good),
        (_, Some(_), _) => Cell::from("skipped").tone(Tone::Weak),
        (.., Some("wrong")) => Cell::from("WRONG").tone(Tone::Bad),
        (.., Some(_)) => Cell::from("LOW PRECISION").tone(Tone::Bad),
        _ => Cell::from("NO").tone(Tone::Bad),
    }
}
