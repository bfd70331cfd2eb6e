//! The sweep page (lines for one varying parameter, heat maps for two), and the samples page: each timed kernel with
//! the distribution of its samples and the clock.

use super::climbs::{rate_of, tip_of_time};
use crate::charts::{Cell, Columns, Curve, Heat, Lines, Point, Tip};
use crate::format::{bandwidth, count, digits, thousands, time};
use crate::record::{Climb, Report, Rung, Sweep, Timed};
use crate::words::{drawn, t};
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

/// The page.
pub fn samples(report: &Report) -> Markup {
    html! {
        section.page id="samples" data-title="nav:samples" {
            h1 { (t("nav:samples")) }
            p.lead { (t("samples:lead")) }
            @for timed in &report.timed { (one(timed)) }
        }
    }
}

fn one(timed: &Timed) -> Markup {
    let name = match &timed.subject.ladder {
        Some(ladder) => format!("{ladder}/{}", timed.subject.name),
        None => timed.subject.name.clone(),
    };
    let mean = |of: &dyn Fn(&crate::record::Sample) -> Option<f64>| {
        let all: Vec<f64> = timed.samples.iter().filter_map(of).collect();
        (!all.is_empty()).then(|| all.iter().sum::<f64>() / all.len() as f64)
    };
    let off = timed.samples.iter().filter(|sample| sample.off_clock).count();
    html! {
        div.card.samples {
            h2 { (name) }
            ul.chips {
                li.device.gpu { (timed.device.name) }
                @for (name, value) in &timed.problem { li { (name) " " (value) } }
                @if !timed.taken.is_empty() { li { (timed.taken) } }
                @if let Some(revision) = &timed.revision { li { (revision) } }
            }
            dl.numbers {
                div { dt { (t("time:median")) } dd { (time(timed.summary.median_ns)) } p.note { (time(timed.summary.interval_ns[0])) " – " (time(timed.summary.interval_ns[1])) } }
                div { dt { (t("time:least")) } dd { (time(timed.summary.min_ns)) } }
                div { dt { (t("time:samples")) } dd { (thousands(timed.summary.count as f64)) } }
                @if let Some(mhz) = mean(&|sample| sample.sm_mhz) { div { dt { (t("samples:clock")) } dd { (digits(mhz)) " MHz" } } }
                @if let Some(watts) = mean(&|sample| sample.watts) { div { dt { (t("samples:power")) } dd { (digits(watts)) " W" } } }
                @if let Some(celsius) = mean(&|sample| sample.celsius) { div { dt { (t("samples:temperature")) } dd { (digits(celsius)) " °C" } } }
                @if off > 0 { div.alarm { dt { (t("samples:off-clock")) } dd { (off) } } }
            }
            @if let Some(why) = &timed.invalid { p.callout.bad-text { (t("time:invalid")) ": " (why) } }
            @if timed.samples.len() > 1 { figure { (distribution(timed).draw()) } }
        }
    }
}

/// A histogram of samples in equal steps; the slowest hundredth is counted in the last column.
fn distribution(timed: &Timed) -> Columns {
    let mut all: Vec<f64> =
        timed.samples.iter().map(|sample| sample.ns).filter(|ns| ns.is_finite()).collect();
    all.sort_by(f64::total_cmp);
    let low = all.first().copied().unwrap_or(0.0);
    let high =
        all.get(all.len().saturating_sub(1) * 99 / 100).copied().unwrap_or(low).max(low + 1e-3);
    let bins = ((all.len() as f64).sqrt().ceil() as usize).clamp(4, 32);
    let step = (high - low) / bins as f64;
    let mut counts = vec![0u64; bins];
    for ns in &all {
        counts[(((ns - low) / step) as usize).min(bins - 1)] += 1;
    }
    let columns = counts.into_iter().enumerate().map(|(index, found)| {
        let from = low + step * index as f64;
        let tip = Tip::new(format!("{} – {}", time(from), time(from + step)));
        (time(from), found as f64, tip.row("time:samples", thousands(found as f64)))
    });
    Columns {
        x_title: drawn("axis:time"),
        y_title: drawn("time:samples"),
        columns: columns.collect(),
        tick: thousands,
        caption: timed.subject.name.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Sample;

    #[test]
    fn every_sample_is_in_a_column() {
        let samples = [5.0, 5.0, 6.0, 7.0, 900.0].map(|ns| Sample { ns, ..Sample::default() });
        let timed = Timed { samples: samples.into(), ..Timed::default() };
        let total: f64 = distribution(&timed).columns.iter().map(|column| column.1).sum();
        assert_eq!(total, 5.0);
        assert!(distribution(&Timed::default()).columns.iter().all(|column| column.1 == 0.0));
    }
}
