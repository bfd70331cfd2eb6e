//! The page of a kernel: its idea, resources, line counters, warp accesses and errors.

use super::climbs::tip_of_time;
use super::{climbs, listing, summary};
use crate::charts::{Columns, Tip};
use crate::format::{bandwidth, bytes, count, digits, percent, thousands, time};
use crate::record::{Counters, Histogram, Kernel, Profile, Report, Rung};
use crate::words::{both, english, pair, prose, t, tf};
use maud::{Markup, html};

/// Lines per listing below which a report is long: it also has fewer pictures, and no histograms.
const FEW: usize = 40;

/// Renders the page, with at most `most` lines per listing of PTX and machine code.
pub fn page(report: &Report, kernel: &Kernel, most: usize) -> Markup {
    let at = climbs::kernel_fragment(&kernel.ladder, &kernel.name);
    let found = summary::of_kernel(kernel);
    html! {
        section.page.kernel id=(at) data-title=(kernel.name) data-source-lines=(kernel.sources.len()) {
            p.crumb {
                a href="#summary" { (t("nav:summary")) }
                @if !kernel.ladder.is_empty() { " / " a href={ "#" (climbs::ladder_fragment(&kernel.ladder)) } { (kernel.ladder) } }
            }
            h1 { (kernel.name) }
            @if let Some([english, chinese]) = &kernel.header {
                p.lead { (prose(&english.idea, &chinese.idea)) }
                dl.header {
                    dt { (t("kernel:predicts")) } dd { (prose(&english.predicts, &chinese.predicts)) }
                    dt { (t("kernel:costs")) } dd { (prose(&english.costs, &chinese.costs)) }
                }
            }
            @if let Some(same) = rungs(report, kernel).find_map(|(_, rung)| rung.same_as.clone()) {
                p.note { (tf("kernel:same", &[&same])) }
            }
            @if kernel.ladder.is_empty() { p.note { (t("kernel:not-compared")) } }
            (on_gpus(report, kernel))
            @if let Some(profile) = &kernel.profile {
                div.card {
                    h2 { (t("kernel:counted")) }
                    (facts(kernel, profile))
                    (classes(profile))
                    (traffic(&profile.counters))
                    p.note {
                        (t("kernel:counted-note"))
                        @if let Some(sampled) = &profile.sampled {
                            " " (tf("kernel:sampled", &[&thousands(sampled.blocks_counted as f64), &thousands(sampled.blocks as f64)]))
                        }
                    }
                }
                div.card {
                    h2 { (t("summary:findings")) }
                    @if found.is_empty() { p { (t("kernel:no-findings")) } } @else { (summary::table(&found, false)) }
                    @if kernel.ladder.is_empty() { p.note { (t("kernel:not-checked")) } }
                }
            }
            (listing::card(kernel, most))
            (listing::pictures(kernel, most < FEW))
            (errors(report, kernel, most < FEW))
        }
    }
}

fn rungs<'a>(
    report: &'a Report,
    kernel: &'a Kernel,
) -> impl Iterator<Item = (&'a crate::record::Climb, &'a Rung)> {
    report.climbs_of(&kernel.ladder).into_iter().filter_map(|climb| {
        Some((climb, climb.rungs.iter().find(|rung| rung.name == kernel.name)?))
    })
}

/// The times on GPUs, separate from the emulator's counts.
fn on_gpus(report: &Report, kernel: &Kernel) -> Markup {
    html! {
        @for (climb, rung) in rungs(report, kernel) {
            @if let Some(found) = &rung.time {
                div.card.timed {
                    h2 { (tf("kernel:on-gpu", &[&climb.device.name])) }
                    dl.numbers {
                        div.mark tabindex="0" data-tip=(tip_of_time(climb, rung, found).lines()) {
                            dt { (t("time:median")) } dd { (time(found.median_ns)) }
                            p.note { (time(found.interval_ns[0])) " – " (time(found.interval_ns[1])) }
                        }
                        div { dt { (t("rate:bandwidth")) } dd { (bandwidth(found.gigabytes_per_second)) } }
                        @if climb.flops > 0 {
                            div { dt { (t("rate:operations")) } dd { (super::climbs::rate_of(climb)(found.gigaflops_per_second)) } }
                        }
                        @if let Some(resources) = &rung.resources {
                            div { dt { (t("resource:registers")) } dd { (resources.registers) } p.note { (t("resource:of-driver")) } }
                            div.alarm[resources.spill_bytes > 0] { dt { (t("resource:spills")) } dd { (bytes(f64::from(resources.spill_bytes))) } }
                            div { dt { (t("resource:occupancy")) } dd { (percent(resources.occupancy)) } p.note { (limiter(&resources.limiter)) } }
                        }
                    }
                    p.note {
                        (climb.size_in_words()) " · " (climb.element) " · " (tf("kernel:timing", &[&found.timer, &found.cache, &thousands(found.samples as f64)]))
                    }
                    @if let Some(why) = &found.invalid { p.callout.bad-text { (t("time:invalid")) ": " (why) } }
                }
            }
        }
    }
}

fn limiter(name: &str) -> Markup {
    let key = format!("limit:{}", name.replace(' ', "-"));
    let [english, chinese] = both(&key);
    if english == key {
        html! { (name) }
    } else {
        pair(english, chinese)
    }
}

fn facts(kernel: &Kernel, profile: &Profile) -> Markup {
    let resources = &profile.resources;
    let shape = |size: &[u32; 3]| {
        let last = if size[2] > 1 {
            3
        } else if size[1] > 1 {
            2
        } else {
            1
        };
        size[..last].iter().map(u32::to_string).collect::<Vec<_>>().join("×")
    };
    let assembled = kernel.sass.registers;
    html! {
        ul.chips {
            li.device { (t("chip:emulator")) }
            @if !kernel.problem.is_empty() { li { (kernel.problem) } }
            li { (tf("chip:launch", &[&shape(&profile.grid), &shape(&profile.block)])) }
            li { (tf("chip:model", &[&profile.gpu])) }
        }
        dl.numbers {
            @if let Some(found) = &kernel.predicted {
                div {
                    dt { (t("kernel:predicted")) } dd { (time(found.predicted_ns)) }
                    p.note { (tf("kernel:predicted-on", &[&found.gpu, &found.limiter])) }
                }
            }
            div {
                dt { (t("resource:registers")) }
                @match assembled {
                    Some(registers) => { dd { (registers) } p.note { (t("resource:of-ptxas")) } }
                    None => { dd { @if resources.estimated { "≈" } (resources.registers) } @if resources.estimated { p.note { (t("resource:estimated")) } } }
                }
            }
            div.alarm[resources.spill_bytes > 0] {
                dt { (t("resource:spills")) }
                @match kernel.sass.spills {
                    Some([stores, loads]) => { dd { (bytes(f64::from(stores + loads))) } p.note { (t("resource:of-ptxas")) } }
                    None => { dd { (bytes(f64::from(resources.spill_bytes))) } @if resources.estimated { p.note { (t("resource:estimated")) } } }
                }
            }
            div { dt { (t("resource:shared")) } dd { (bytes(f64::from(resources.shared_bytes))) } p.note { (t("resource:per-block")) } }
            div {
                dt { (t("resource:occupancy")) } dd { (percent(resources.occupancy)) }
                div.meter.wide { i style=(format!("width:{:.1}%", 100.0 * resources.occupancy.min(1.0))) {} }
                p.note { (tf("resource:blocks", &[&resources.resident_blocks.to_string()])) " · " (limiter(&resources.limiter)) }
            }
            @if let Some(lanes) = profile.counters.active_lanes() {
                div { dt { (t("count:lanes")) } dd { (digits(lanes)) } p.note { (t("count:of-32")) } }
            }
            @if let Some(intensity) = profile.intensity.filter(|value| *value > 0.0) {
                div { dt { (t("count:intensity")) } dd { (digits(intensity)) } p.note { (t("count:per-byte")) } }
            }
            @if let Some(caches) = &profile.modeled_caches {
                div { dt { (t("cache:l1")) } dd { (percent(caches.l1_hits as f64 / caches.l1_sectors.max(1) as f64)) } p.note { (t("cache:modeled")) } }
                div { dt { (t("cache:l2")) } dd { (percent(caches.l2_hits as f64 / caches.l2_sectors.max(1) as f64)) } p.note { (t("cache:modeled")) } }
            }
        }
    }
}

/// Warp instructions by class, as labeled segments of one bar.
fn classes(profile: &Profile) -> Markup {
    let total: u64 = profile.classes.values().sum();
    let mut all: Vec<(&str, u64)> =
        profile.classes.iter().map(|(name, value)| (name.as_str(), *value)).collect();
    all.sort_by_key(|(_, value)| std::cmp::Reverse(*value));
    let share = |value: u64| value as f64 / total.max(1) as f64;
    let word = |name: &str| {
        let key = format!("class:{}", name.replace(' ', "-"));
        let [english, chinese] = both(&key);
        if english == key {
            html! { (name) }
        } else {
            pair(english, chinese)
        }
    };
    html! {
        @if total > 0 {
            h3 { (t("kernel:classes")) }
            div.stack role="list" {
                @for (index, (name, value)) in all.iter().enumerate() {
                    span class={ "mark s" (index % 8) } tabindex="0" role="listitem" style=(format!("flex:{:.4}", share(*value)))
                        data-tip=(Tip::new(*name).row("count:instructions", thousands(*value as f64)).row("col:share", percent(share(*value))).lines()) {}
                }
            }
            ul.keys {
                @for (index, (name, value)) in all.iter().enumerate() {
                    li { i class={ "swatch s" (index % 8) } {} (word(name)) " " b { (percent(share(*value))) } }
                }
            }
        }
    }
}

/// The memory traffic per request, with its optimum.
fn traffic(counters: &Counters) -> Markup {
    let groups = [
        "global_load",
        "global_store",
        "global_atomic",
        "local_load",
        "local_store",
        "shared_load",
        "shared_store",
        "shared_atomic",
        "shared_copy",
        "bulk_load",
        "bulk_store",
        "bulk_reduce",
    ];
    let shown: Vec<&str> =
        groups.into_iter().filter(|group| counters.get(&format!("{group}.requests")) > 0).collect();
    html! {
        @if !shown.is_empty() {
            h3 { (t("kernel:traffic")) }
            div.scroll {
                table {
                    thead {
                        tr {
                            th scope="col" { (t("col:access")) }
                            th scope="col" { (t("col:requests")) }
                            th scope="col" { (t("col:took")) }
                            th scope="col" { (t("col:optimal")) }
                            th scope="col" { (t("col:each")) }
                            th scope="col" { (t("col:verdict")) }
                        }
                    }
                    tbody {
                        @for group in shown {
                            @let get = |key: &str| counters.get(&format!("{group}.{key}"));
                            @let shared = group.starts_with("shared");
                            @let took = if shared { get("wavefronts") } else { get("sectors") };
                            @let best = if shared { took - get("bank_conflicts").min(took) } else { get("ideal_sectors").min(took) };
                            @let requests = get("requests");
                            @let optimal = took as f64 <= 1.02 * best as f64;
                            tr {
                                th scope="row" { (t(&format!("group:{}", group.replace('_', "-")))) }
                                td { (thousands(requests as f64)) }
                                td { (thousands(took as f64)) " " (t(if shared { "unit:wavefronts" } else { "unit:sectors" })) }
                                td { (thousands(best as f64)) }
                                td { (digits(took as f64 / requests as f64)) " / " (digits(best as f64 / requests as f64)) }
                                td { @if optimal { span.good-text { "✓ " (t("verdict:optimal")) } } @else { span.excess-text { "▲ " (tf("verdict:excess", &[&digits(took as f64 / best.max(1) as f64)])) } } }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// The errors of the results, with a histogram except in a long report.
fn errors(report: &Report, kernel: &Kernel, is_long: bool) -> Markup {
    let known: Vec<_> = rungs(report, kernel)
        .filter_map(|(climb, rung)| Some((climb, rung.accuracy.as_ref()?)))
        .collect();
    html! {
        @if !known.is_empty() {
            div.card {
                h2 { (t("error:title")) }
                @for (climb, found) in known {
                    @let place = html! { b { (climb.device.name) } ", " (climb.size_in_words()) " " (climb.element) ": " };
                    @if found.rule == "bit-exact" {
                        p { (place) (t("result:exact")) }
                    } @else {
                        p {
                            (place)
                            (tf("error:figures", &[
                                &digits(found.normwise),
                                &digits(found.max_relative),
                                &digits(found.mean_relative),
                                &percent(found.bound_used),
                            ]))
                        }
                        @if let Some(errors) = found.errors.as_ref().filter(|found| !is_long && found.decades.iter().sum::<u64>() > 0) { (of_errors(errors)) }
                    }
                }
            }
        }
    }
}

fn of_errors(histogram: &Histogram) -> Markup {
    let name = |decade: i32| format!("1e{decade}");
    let mut columns = vec![(
        "0".to_owned(),
        histogram.exact as f64,
        Tip::new("0").row("error:elements", thousands(histogram.exact as f64)),
    )];
    let some = |found: &&u64| **found > 0;
    let last = histogram.decades.iter().rposition(|found| *found > 0).unwrap_or(0);
    let first = histogram.decades.iter().take_while(|found| !some(found)).count();
    for (index, found) in histogram.decades.iter().enumerate().take(last + 1).skip(first) {
        let decade = histogram.lowest + index as i32;
        let tip = Tip::new(format!("{} – {}", name(decade), name(decade + 1)));
        columns.push((
            name(decade),
            *found as f64,
            tip.row("error:elements", thousands(*found as f64)),
        ));
    }
    let chart = Columns {
        x_title: crate::words::drawn("error:relative"),
        y_title: crate::words::drawn("error:elements"),
        columns,
        tick: count,
        caption: english("error:relative").to_owned(),
    };
    html! { figure.errors { (chart.draw()) figcaption.note { (t("error:note")) } } }
}
