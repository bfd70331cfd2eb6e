//! The charts of a climb: times and rates on a GPU, counts and predicted times on the emulator, never two kinds in one chart. Also the URL
//! fragments of the pages within the file.

use crate::charts::{Bar, Bars, Reference, Segment, Tip};
use crate::format::{
    bandwidth, count, digits, factor, integer_rate, percent, rate, thousands, time,
};
use crate::record::PredictedTime;
use crate::record::{Ceilings, Climb, Counters, Report, Rung, Time};
use crate::words::{t, tf};
use maud::{Markup, html};

/// A named chart.
pub struct Panel {
    /// A catalog key.
    pub name: &'static str,
    /// The chart.
    pub chart: Markup,
}

/// Charts in tabs, one visible at a time; without the script all are visible.
pub fn tabs(panels: &[Panel]) -> Markup {
    html! {
        div.tabs {
            @for panel in panels {
                div.panel { h3.panel-name { (t(panel.name)) } (panel.chart) }
            }
        }
    }
}

/// The charts of a climb.
pub fn charts(report: &Report, climb: &Climb) -> Vec<Panel> {
    if climb.timed() { times(report, climb) } else { counts(report, climb) }
}

/// The link to a rung's page, if it has one.
pub fn link(report: &Report, ladder: &str, rung: &str) -> Option<String> {
    report.kernel(ladder, rung).map(|_| format!("#{}", kernel_fragment(ladder, rung)))
}

/// The format for the operation rates of a climb.
pub fn rate_of(climb: &Climb) -> fn(f64) -> String {
    if climb.element.starts_with('f') || climb.element.starts_with("bf") {
        rate
    } else {
        integer_rate
    }
}

/// The minimum time at the nominal rates of the GPU: by memory and, for f32, by arithmetic.
pub fn floor_ns(climb: &Climb, ceilings: &Ceilings) -> f64 {
    // The ceilings have no integer rates.
    let known = climb.element == "f32" || climb.flops <= climb.bytes;
    if ceilings.bandwidth <= 0.0 || !known {
        return 0.0;
    }
    let arithmetic = match climb.element.as_str() {
        "f32" if ceilings.fp32 > 0.0 => climb.flops as f64 / ceilings.fp32,
        _ => 0.0,
    };
    arithmetic.max(climb.bytes as f64 / ceilings.bandwidth)
}

fn class(climb: &Climb, rung: &Rung) -> &'static str {
    let best = climb.fastest().is_some_and(|(fastest, _)| fastest.name == rung.name);
    match (rung.peer(), rung.time.as_ref().is_some_and(|time| time.invalid.is_some()), best) {
        (true, ..) => "vendor",
        (_, true, _) => "bad",
        (_, _, true) => "best",
        _ => "own",
    }
}

/// The tooltip with all data of a time.
pub fn tip_of_time(climb: &Climb, rung: &Rung, time_of: &Time) -> Tip {
    let [low, high] = time_of.interval_ns;
    let [lower, upper] = time_of.quartiles_ns;
    let flops = time_of.gigaflops_per_second;
    let resources = rung.resources.as_ref();
    Tip::new(format!("{}/{}", climb.ladder, rung.name))
        .row("time:median", time(time_of.median_ns))
        .row("time:interval", format!("{} – {}", time(low), time(high)))
        .row("time:quartiles", format!("{} – {}", time(lower), time(upper)))
        .row("time:least", time(time_of.min_ns))
        .row("time:samples", thousands(time_of.samples as f64))
        .row("rate:bandwidth", bandwidth(time_of.gigabytes_per_second))
        .maybe("rate:operations", (flops > 0.0).then(|| rate_of(climb)(flops)))
        .maybe("time:step", rung.speedup.map(factor))
        .maybe("resource:registers", resources.map(|found| found.registers.to_string()))
        .maybe("resource:occupancy", resources.map(|found| percent(found.occupancy)))
        .row("time:cache", time_of.cache.clone())
        .maybe("time:invalid", time_of.invalid.clone())
}

/// A row for each rung; a rung without a figure shows the reason.
fn rows(report: &Report, climb: &Climb, of: &dyn Fn(&Rung, Bar) -> Option<Bar>) -> Vec<Bar> {
    let row = |rung: &Rung| {
        let bare = Bar {
            name: rung.name.clone(),
            link: link(report, &climb.ladder, &rung.name),
            tip: Tip::new(format!("{}/{}", climb.ladder, rung.name)),
            ..Bar::default()
        };
        if let Some(bar) = of(rung, bare.clone()) {
            return bar;
        }
        let why = rung.error.clone().or_else(|| rung.skipped.clone()).unwrap_or_default();
        let text = if rung.skipped.is_some() { t("rung:skipped") } else { t("rung:none") };
        let tip = bare.tip.clone().row("rung:why", why);
        Bar { text: Some(text), tip, ..bare }
    };
    climb.rungs.iter().map(row).collect()
}

fn times(report: &Report, climb: &Climb) -> Vec<Panel> {
    let ceilings = report.ceilings_of(&climb.device.name);
    let draw = |title: Markup,
                tick: fn(f64) -> String,
                references: Vec<Reference>,
                value: &dyn Fn(&Time) -> (f64, [f64; 2])| {
        let rows = rows(report, climb, &|rung, bare| {
            let found = rung.time.as_ref()?;
            let (value, interval) = value(found);
            let aside = rung.speedup.filter(|_| !rung.peer()).map(|step| {
                let slower = step < 0.995;
                html! { span.step.slower[slower].faster[step > 1.005] { (factor(step)) } }
            });
            Some(Bar {
                parts: vec![Segment { value, class: class(climb, rung) }],
                interval: Some(interval),
                text: Some(html! { (tick(value)) }),
                aside,
                tip: tip_of_time(climb, rung, found),
                ..bare
            })
        });
        Bars { title, tick, rows, references, may_be_dots: true }.draw(&t("axis:log"))
    };
    let reference =
        |value: f64, label: Markup, hardware: bool| Reference { value, label, hardware };
    let mut floor = Vec::new();
    let mut roof = Vec::new();
    let mut peak = Vec::new();
    if let Some(found) = ceilings {
        let least = floor_ns(climb, found);
        if least > 0.0 {
            floor.push(reference(least, t("floor:time"), true));
        }
        if found.bandwidth > 0.0 {
            roof.push(reference(found.bandwidth, t("roof:memory"), true));
        }
        if let Some((name, value)) = found.measured_bandwidth() {
            roof.push(reference(value, t(name), true));
        }
        if climb.element == "f32" && found.fp32 > 0.0 {
            peak.push(reference(found.fp32, t("roof:fp32"), true));
        }
    }
    if let Some((vendor, found)) = climb.vendor() {
        let label = || html! { (vendor.name) };
        floor.push(reference(found.median_ns, label(), false));
        roof.push(reference(found.gigabytes_per_second, label(), false));
        peak.push(reference(found.gigaflops_per_second, label(), false));
    }
    let over = |amount: f64| {
        move |found: &Time| {
            let [low, high] = found.interval_ns;
            (amount / found.median_ns, [amount / high, amount / low])
        }
    };
    let mut panels = vec![Panel {
        name: "panel:time",
        chart: draw(t("axis:time"), time, floor, &|found| (found.median_ns, found.interval_ns)),
    }];
    if climb.flops > 0 {
        let chart = draw(t("axis:rate"), rate_of(climb), peak, &over(climb.flops as f64));
        panels.push(Panel { name: "panel:rate", chart });
    }
    let chart = draw(t("axis:bandwidth"), bandwidth, roof, &over(climb.bytes as f64));
    panels.push(Panel { name: "panel:bandwidth", chart });
    panels
}

/// The full counters of a rung: from its profile if that has the same problem, else from the climb.
pub fn counters<'a>(report: &'a Report, climb: &Climb, rung: &'a Rung) -> Option<&'a Counters> {
    let of_climb = rung.counters.as_ref()?;
    let profile = report.kernel(&climb.ladder, &rung.name).and_then(|one| one.profile.as_ref());
    let same =
        |counted: &&Counters| counted.get("warp_instructions") == of_climb.get("warp_instructions");
    profile.map(|profile| &profile.counters).filter(same).or(Some(of_climb))
}

fn counts(report: &Report, climb: &Climb) -> Vec<Panel> {
    type Of = fn(&Counters) -> (u64, u64);
    let kinds: [(&'static str, &'static str, Of); 5] = [
        ("panel:sectors", "axis:sectors", |c| {
            let excess = if c.knows_ideals() { c.sectors() - c.ideal_sectors() } else { 0 };
            (c.sectors() - excess, excess)
        }),
        ("panel:wavefronts", "axis:wavefronts", |c| {
            (c.wavefronts() - c.conflicts(), c.conflicts())
        }),
        ("panel:instructions", "axis:instructions", |c| (c.get("warp_instructions"), 0)),
        ("panel:divergence", "axis:divergence", |c| (c.get("divergent_branches"), 0)),
        ("panel:barriers", "axis:barriers", |c| (c.get("barriers"), 0)),
    ];
    let panel = |(name, axis, of): (&'static str, &'static str, Of)| {
        let mut any = 0;
        let mut wasted = 0;
        let rows = rows(report, climb, &|rung, bare| {
            let found = counters(report, climb, rung)?;
            let (good, excess) = of(found);
            Some(Bar {
                parts: vec![
                    Segment { value: good as f64, class: "good" },
                    Segment { value: excess as f64, class: "excess" },
                ],
                text: Some(html! { (count((good + excess) as f64)) }),
                aside: (excess > 0).then(|| tf("count:excess", &[&count(excess as f64)])),
                tip: tip_of_counts(climb, rung, found),
                ..bare
            })
        });
        for row in &rows {
            any += row.parts.iter().filter(|part| part.value > 0.0).count();
            wasted += row.parts.iter().skip(1).filter(|part| part.value > 0.0).count();
        }
        let dots = wasted == 0;
        let chart = html! {
            (Bars { title: t(axis), tick: count, rows, references: Vec::new(), may_be_dots: dots }.draw(&t("axis:log")))
            @if wasted > 0 {
                ul.keys {
                    li { i.swatch.good {} (t("count:needed")) }
                    li { i.swatch.excess {} (t(if name == "panel:sectors" { "count:uncoalesced" } else { "count:conflicts-key" })) }
                }
            }
        };
        (any > 0).then_some(Panel { name, chart })
    };
    predicted(report, climb).into_iter().chain(kinds.into_iter().filter_map(panel)).collect()
}

/// The chart of predicted times, if there are any.
fn predicted(report: &Report, climb: &Climb) -> Option<Panel> {
    let (_, first) = climb.predicted().next()?;
    let of = |(_, found): (&Rung, &PredictedTime)| found.predicted_ns;
    let best = climb.predicted().map(of).fold(f64::MAX, f64::min);
    let rows = rows(report, climb, &|rung, bare| {
        let found = rung.predicted.as_ref()?;
        let value = found.predicted_ns;
        let [low, high] = found.interval_ns;
        let tip = Tip::new(format!("{}/{}", climb.ladder, rung.name))
            .row("col:predicted", time(value))
            .row("predicted:interval", format!("{} – {}", time(low), time(high)))
            .row("predicted:limit", found.limiter.clone());
        let class = if value <= best { "best" } else { "own" };
        Some(Bar {
            parts: vec![Segment { value, class }],
            interval: Some(found.interval_ns),
            text: Some(html! { (time(value)) }),
            tip,
            ..bare
        })
    });
    let title = tf("axis:predicted-on", &[&first.gpu]);
    let bars = Bars { title, tick: time, rows, references: Vec::new(), may_be_dots: true };
    Some(Panel { name: "panel:predicted", chart: bars.draw(&t("axis:log")) })
}

fn tip_of_counts(climb: &Climb, rung: &Rung, found: &Counters) -> Tip {
    let resources = rung.resources.as_ref();
    let sampled = rung.sampled.as_ref();
    let number = |value: u64| thousands(value as f64);
    Tip::new(format!("{}/{}", climb.ladder, rung.name))
        .row("count:instructions", number(found.get("warp_instructions")))
        .row("count:sectors", number(found.sectors()))
        .maybe("count:ideal", found.knows_ideals().then(|| number(found.ideal_sectors())))
        .row("count:wavefronts", number(found.wavefronts()))
        .row("count:conflicts", number(found.conflicts()))
        .row("count:barriers", number(found.get("barriers")))
        .row("count:divergent", number(found.get("divergent_branches")))
        .maybe("count:lanes", found.active_lanes().map(digits))
        .maybe("resource:occupancy", resources.map(|found| percent(found.occupancy)))
        .maybe(
            "count:blocks",
            sampled.map(|s| format!("{} / {}", number(s.blocks_counted), number(s.blocks))),
        )
}

/// Converts a name to a part of a fragment: letters, digits and dashes.
pub fn slug(name: &str) -> String {
    let of = |letter: char| if letter.is_alphanumeric() || letter == '_' { letter } else { '-' };
    name.chars().map(of).collect()
}

/// The page of a ladder.
pub fn ladder_fragment(name: &str) -> String {
    format!("ladder/{}", slug(name))
}

/// The page of a kernel.
pub fn kernel_fragment(ladder: &str, name: &str) -> String {
    match ladder {
        "" => format!("kernel/{}", slug(name)),
        ladder => format!("kernel/{}/{}", slug(ladder), slug(name)),
    }
}
