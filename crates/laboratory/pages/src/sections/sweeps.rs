//! The sweep page: lines for one varying parameter, heat maps for two.

use super::climbs::{rate_of, tip_of_time};
use crate::charts::{Cell, Heat};
use crate::charts::{Curve, Lines, Point, Tip};
use crate::format::{bandwidth, count, time};
use crate::record::{Climb, Report, Rung, Sweep};
use crate::words::t;
use maud::{Markup, html};

/// The page.
pub fn page(report: &Report) -> Markup {
    html! {
        section.page id="sweeps" data-title="nav:sweeps" {
            h1 { (t("nav:sweeps")) }
            p.lead { (t("sweeps:lead")) }
            @for sweep in &report.sweeps { (of_sweep(sweep)) }
        }
    }
}

/// The names of the parameters that vary over the points; those with the most values come first.
fn axes(sweep: &Sweep) -> Vec<String> {
    let Some(first) = sweep.points.first() else { return Vec::new() };
    let settings = first.settings.iter().filter(|(_, value)| value.is_u64()).map(|(name, _)| name);
    let names = first.extents.iter().chain(settings);
    let mut found: Vec<(usize, String)> = Vec::new();
    let mut seen: Vec<Vec<Option<u64>>> = Vec::new();
    for name in names {
        let values: Vec<Option<u64>> =
            sweep.points.iter().map(|point| point.number(name)).collect();
        let mut distinct = values.clone();
        distinct.sort_unstable();
        distinct.dedup();
        // Extents that vary together form one axis.
        if distinct.len() > 1 && !seen.contains(&values) {
            seen.push(values);
            found.push((distinct.len(), name.clone()));
        }
    }
    found.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
    found.into_iter().map(|(_, name)| name).collect()
}

/// The figure of a rung at a point: a value, its interval, its text, and its tooltip.
struct ShownPoint {
    value: f64,
    interval: Option<[f64; 2]>,
    tip: Tip,
}

/// The kind of figure of a sweep: a rate if the ladder has operations, else a bandwidth, else counts.
fn figure(sweep: &Sweep) -> (&'static str, fn(f64) -> String, bool) {
    let first = sweep.points.first();
    match (sweep.points.iter().any(Climb::timed), first) {
        (true, Some(climb)) if climb.flops > climb.bytes => ("axis:rate", rate_of(climb), true),
        (true, _) => ("axis:bandwidth", bandwidth, true),
        _ => ("axis:instructions", count, false),
    }
}

fn shown(climb: &Climb, rung: &Rung, key: &str) -> Option<ShownPoint> {
    if let Some(found) = &rung.time {
        let amount = if key == "axis:rate" { climb.flops } else { climb.bytes } as f64;
        let [low, high] = found.interval_ns;
        let tip = tip_of_time(climb, rung, found).row("col:problem", climb.size_in_words());
        return Some(ShownPoint {
            value: amount / found.median_ns,
            interval: Some([amount / high, amount / low]),
            tip: tip.row("time:median", time(found.median_ns)),
        });
    }
    let counters = rung.counters.as_ref()?;
    let value = counters.get("warp_instructions") as f64;
    let tip = Tip::new(format!("{}/{}", climb.ladder, rung.name))
        .row("col:problem", climb.size_in_words())
        .row("count:instructions", crate::format::thousands(value))
        .row("count:sectors", crate::format::thousands(counters.sectors() as f64))
        .row("count:conflicts", crate::format::thousands(counters.conflicts() as f64));
    Some(ShownPoint { value, interval: None, tip })
}

fn of_sweep(sweep: &Sweep) -> Markup {
    let axes = axes(sweep);
    let (key, tick, more_is_better) = figure(sweep);
    let mut rungs: Vec<&Rung> = Vec::new();
    for rung in sweep.points.iter().flat_map(|point| &point.rungs) {
        if rungs.iter().all(|known| known.name != rung.name) {
            rungs.push(rung);
        }
    }
    let points = sweep.points.len();
    html! {
        div.card.sweep.filtered data-points=(points) {
            h2 { (sweep.ladder) " · " (sweep.device.name) }
            ul.chips {
                li.device.gpu[sweep.points.iter().any(Climb::timed)] { (sweep.device.name) }
                @if let Some(first) = sweep.points.first() { li { (first.element) } }
                @for axis in &axes { li { (axis) " " (values(sweep, axis).iter().map(u64::to_string).collect::<Vec<_>>().join(", ")) } }
            }
            @match axes.as_slice() {
                [] => p.note { (t("sweeps:nothing-varies")) },
                [x] => (lines(sweep, x, None, &rungs, (key, tick))),
                [x, y, ..] => {
                    @let values = values(sweep, y);
                    div.tabs {
                        div.panel {
                            h3.panel-name { (t("panel:heat")) }
                            div.heats { @for heat in heats(sweep, (x, y), &rungs, (key, tick), more_is_better) { div.heat-frame { (heat.draw()) } } }
                            p.note { (t(key)) " · " (t(if more_is_better { "sweeps:more" } else { "sweeps:less" })) }
                        }
                        @for value in values {
                            div.panel {
                                h3.panel-name { (y) " " (value) }
                                (lines(sweep, x, Some((y, value)), &rungs, (key, tick)))
                            }
                        }
                    }
                }
            }
        }
    }
}

fn values(sweep: &Sweep, name: &str) -> Vec<u64> {
    let mut all: Vec<u64> = sweep.points.iter().filter_map(|point| point.number(name)).collect();
    all.sort_unstable();
    all.dedup();
    all
}

fn lines(
    sweep: &Sweep,
    x: &str,
    only: Option<(&str, u64)>,
    rungs: &[&Rung],
    (key, tick): (&'static str, fn(f64) -> String),
) -> Markup {
    let chosen: Vec<&Climb> = sweep
        .points
        .iter()
        .filter(|point| only.is_none_or(|(name, value)| point.number(name) == Some(value)))
        .collect();
    let curve = |rung: &&Rung| {
        let mut points: Vec<Point> = chosen
            .iter()
            .filter_map(|climb| {
                let found = climb.rungs.iter().find(|other| other.name == rung.name)?;
                let ShownPoint { value, interval, tip } = shown(climb, found, key)?;
                Some(Point { x: climb.number(x)? as f64, y: value, interval, tip })
            })
            .collect();
        points.sort_by(|a, b| a.x.total_cmp(&b.x));
        Curve { name: rung.name.clone(), vendor: rung.peer(), points }
    };
    let curves: Vec<Curve> =
        rungs.iter().map(curve).filter(|curve| !curve.points.is_empty()).collect();
    html! {
        fieldset.filters {
            legend { (t("filter:show")) }
            @for (index, curve) in curves.iter().enumerate() {
                label {
                    input type="checkbox" checked data-filter-group=(index);
                    svg.key viewBox="-8 -8 16 16" aria-hidden="true" {
                        g class={ "curve c" (index % 8) } { (crate::charts::shape(index, 0.0, 0.0, 5.5)) }
                    }
                    (curve.name)
                }
            }
        }
        figure {
            (Lines {
                x_title: html! { (x) },
                y_title: crate::words::drawn(key),
                tick,
                caption: format!("{} {x}", sweep.ladder),
                curves,
            }.draw())
        }
    }
}

fn heats(
    sweep: &Sweep,
    (x, y): (&str, &str),
    rungs: &[&Rung],
    (key, tick): (&'static str, fn(f64) -> String),
    more_is_better: bool,
) -> Vec<Heat> {
    let cells = |rung: &&Rung| -> Vec<Cell> {
        let at = |climb: &Climb| {
            let found = climb.rungs.iter().find(|other| other.name == rung.name)?;
            let ShownPoint { value, tip, .. } = shown(climb, found, key)?;
            Some(Cell { at: (climb.number(x)?, climb.number(y)?), value, text: tick(value), tip })
        };
        sweep.points.iter().filter_map(at).collect()
    };
    let all: Vec<(String, Vec<Cell>)> =
        rungs.iter().map(|rung| (rung.name.clone(), cells(rung))).collect();
    let values = all.iter().flat_map(|(_, cells)| cells.iter().map(|cell| cell.value));
    let ends =
        values.fold((f64::MAX, 0.0), |(low, high), value: f64| (value.min(low), value.max(high)));
    let map = |(name, cells): (String, Vec<Cell>)| Heat {
        title: html! { (name) },
        names: (x.to_owned(), y.to_owned()),
        cells,
        ends,
        more_is_better,
    };
    all.into_iter().filter(|(_, cells)| !cells.is_empty()).map(map).collect()
}
