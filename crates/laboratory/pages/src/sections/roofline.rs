//! The roofline page: every rung and the vendor library under the roofs of the GPU, kernels without operations by
//! their bandwidth, and the emulator's counts at the roofs that would bound them.

use super::climbs;
use super::climbs::{link, rate_of, tip_of_time};
use crate::charts::{Dot, Mark, Reference, Roof, Roofline, Strip, StripRow, Tip};
use crate::format::{bandwidth, digits, rate};
use crate::record::{Ceilings, Climb, Profile, Report};
use crate::words::{english, t, tf};
use maud::{Markup, html};

/// Whether the report has data for the page.
pub fn any(report: &Report) -> bool {
    let known = |gpu: &str| report.ceilings_of(gpu).is_some();
    let timed = |climb: &Climb| climb.timed() && known(&climb.device.name);
    // A kernel without floating-point operations has no place below the roofs.
    let counted = |profile: &Profile| {
        profile.intensity.is_some_and(|value| value > 0.0) && known(&profile.gpu)
    };
    report.climbs.iter().any(timed)
        || report.kernels.iter().filter_map(|kernel| kernel.profile.as_ref()).any(counted)
}

/// The page.
pub fn page(report: &Report) -> Markup {
    let mut gpus: Vec<&str> = Vec::new();
    for climb in report.climbs.iter().filter(|climb| climb.timed()) {
        if !gpus.contains(&climb.device.name.as_str()) {
            gpus.push(&climb.device.name);
        }
    }
    html! {
        section.page id="roofline" data-title="nav:roofline" {
            h1 { (t("nav:roofline")) }
            p.lead { (t("roofline:lead")) }
            @for gpu in &gpus {
                @if let Some(ceilings) = report.ceilings_of(gpu) { (measured(report, gpu, ceilings)) }
            }
            (bounds(report))
        }
    }
}

fn roofs(ceilings: &Ceilings) -> Vec<Roof> {
    let roof = |name, value: Option<f64>, memory, measured| {
        let value = value.filter(|value| *value > 0.0)?;
        let text = if memory { bandwidth(value) } else { rate(value) };
        Some(Roof { name, value, memory, measured, text })
    };
    [
        roof("roof:memory", Some(ceilings.bandwidth), true, false),
        ceilings.measured_bandwidth().and_then(|(name, value)| roof(name, Some(value), true, true)),
        roof("roof:fp32", Some(ceilings.fp32), false, false),
        roof("roof:fp32-measured", ceilings.measured_fp32, false, true),
        roof("roof:tensor", ceilings.tensor, false, false),
        roof("roof:tensor-measured", ceilings.measured_tensor, false, true),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Buttons that toggle groups.
fn filters(names: &[(usize, &str)]) -> Markup {
    html! {
        fieldset.filters {
            legend { (t("filter:show")) }
            @for (group, name) in names {
                label class={ "g" (group % 8) } {
                    input type="checkbox" checked data-filter-group=(group);
                    svg.key viewBox="-8 -8 16 16" aria-hidden="true" {
                        g class={ "g" (group % 8) } { (crate::charts::shape(group % 5, 0.0, 0.0, 5.5)) }
                    }
                    (name)
                }
            }
        }
    }
}

fn measured(report: &Report, gpu: &str, ceilings: &Ceilings) -> Markup {
    let names = report.ladders();
    let group = |climb: &Climb| names.iter().position(|name| *name == climb.ladder).unwrap_or(0);
    let climbs: Vec<&Climb> =
        report.climbs.iter().filter(|climb| climb.timed() && climb.device.name == gpu).collect();
    let mut roofline = Roofline {
        roofs: roofs(ceilings),
        caption: format!("{} {gpu}", english("nav:roofline")),
        axes: ["axis:intensity", "axis:rate"],
        ..Roofline::default()
    };
    let mut labeled = Vec::new();
    let mut others = Vec::new();
    for climb in climbs.iter().filter(|climb| climb.flops > 0 && climb.bytes > 0) {
        let best = climb.fastest().map(|(rung, _)| rung.name.as_str());
        let first = climb.first_timed().map(|(rung, _)| rung.name.as_str());
        for rung in &climb.rungs {
            let Some(time) = rung.time.as_ref() else { continue };
            let intensity = climb.flops as f64 / climb.bytes as f64;
            let name = rung.name.as_str();
            let chosen = rung.peer() || Some(name) == best || Some(name) == first;
            let mark = Mark {
                group: group(climb),
                intensity,
                rate: climb.flops as f64 / time.median_ns,
                label: chosen.then(|| match Some(name) == best {
                    true => format!("{} {}", climb.ladder, name),
                    false => name.to_owned(),
                }),
                vendor: rung.peer(),
                bound: false,
                link: link(report, &climb.ladder, name),
                tip: tip_of_time(climb, rung, time).row("axis:intensity", digits(intensity)),
            };
            if chosen { labeled.push(mark) } else { others.push(mark) }
        }
    }
    let marks = labeled.len() + others.len();
    roofline.marks = labeled.into_iter().chain(others).collect();
    let shown: Vec<(usize, &str)> =
        climbs.iter().map(|climb| (group(climb), climb.ladder.as_str())).collect();
    let rows = climbs.iter().map(|climb| {
        let best = climb.fastest().map_or(0.0, |(_, time)| time.gigabytes_per_second);
        StripRow {
            name: climb.ladder.clone(),
            link: Some(format!("#{}", climbs::ladder_fragment(&climb.ladder))),
            group: group(climb),
            dots: climb
                .rungs
                .iter()
                .filter_map(|rung| {
                    let time = rung.time.as_ref()?;
                    Some(Dot {
                        value: time.gigabytes_per_second,
                        vendor: rung.peer(),
                        link: link(report, &climb.ladder, &rung.name),
                        tip: tip_of_time(climb, rung, time),
                    })
                })
                .collect(),
            text: bandwidth(best),
        }
    });
    let mut references =
        vec![Reference { value: ceilings.bandwidth, label: t("roof:memory"), hardware: true }];
    if let Some((name, value)) = ceilings.measured_bandwidth() {
        references.push(Reference { value, label: t(name), hardware: true });
    }
    let strip =
        Strip { title: t("axis:bandwidth"), tick: bandwidth, rows: rows.collect(), references };
    let integers = climbs.iter().any(|climb| {
        climb.flops > 0
            && rate_of(climb)(1.0).contains("OP/s")
            && !rate_of(climb)(1.0).contains("FLOP")
    });
    html! {
        div.card.filtered {
            h2 { (gpu) }
            (filters(&shown))
            @if marks > 0 {
                figure data-marks=(marks) {
                    (roofline.draw())
                    figcaption.note {
                        (t("roofline:measured-note"))
                        @if integers { " " (t("roofline:integers-note")) }
                        " " (tf("roofline:source", &[&ceilings.source]))
                    }
                }
            }
            h3 { (t("roofline:bandwidth")) }
            p.note { (t("roofline:bandwidth-note")) }
            (strip.draw())
        }
    }
}

/// The groups of marks, each with its ladder.
fn groups<'a>(marks: &[Mark], names: &[&'a str]) -> Vec<(usize, &'a str)> {
    let known = names.iter().copied().enumerate();
    known.filter(|(group, _)| marks.iter().any(|mark| mark.group == *group)).collect()
}

/// The emulator's counts under the roofs of the profiled GPU.
fn bounds(report: &Report) -> Markup {
    let names = report.ladders();
    let profiled = report.kernels.iter().filter_map(|kernel| {
        let profile = kernel.profile.as_ref()?;
        let intensity = profile.intensity.filter(|value| *value > 0.0)?;
        Some((kernel, profile, intensity))
    });
    let mut by_gpu: Vec<(&str, Vec<_>)> = Vec::new();
    for one in profiled {
        let gpu = one.1.gpu.as_str();
        match by_gpu.iter_mut().find(|(name, _)| *name == gpu) {
            Some((_, all)) => all.push(one),
            None => by_gpu.push((gpu, vec![one])),
        }
    }
    html! {
        @for (gpu, all) in by_gpu {
            @if let Some(ceilings) = report.ceilings_of(gpu) {
                @let marks: Vec<Mark> = all.iter().map(|(kernel, profile, intensity)| {
                    let bound = (intensity * ceilings.bandwidth).min(ceilings.fp32);
                    Mark {
                        group: names.iter().position(|name| *name == kernel.ladder).unwrap_or(0),
                        intensity: *intensity,
                        rate: bound,
                        label: None,
                        vendor: false,
                        bound: true,
                        link: Some(format!("#{}", climbs::kernel_fragment(&kernel.ladder, &kernel.name))),
                        tip: Tip::new(format!("{}/{}", kernel.ladder, kernel.name))
                            .row("axis:counted-intensity", digits(*intensity))
                            .row("roofline:bound", rate(bound))
                            .row("count:flops", crate::format::count(profile.flops as f64))
                            .row("count:sector-bytes", crate::format::bytes(profile.sector_bytes as f64)),
                    }
                }).collect();
                @let shown = groups(&marks, &names);
                div.card.filtered {
                    h2 { (tf("roofline:bounds", &[gpu])) }
                    p.callout { (t("roofline:bounds-note")) }
                    (filters(&shown))
                    figure data-marks=(marks.len()) {
                        (Roofline { roofs: roofs(ceilings), marks, caption: format!("{} {gpu}", english("nav:roofline")), axes: ["axis:counted-intensity", "axis:bound"] }.draw())
                        figcaption.note { (tf("roofline:source", &[&ceilings.source])) }
                    }
                }
            }
        }
    }
}
