//! The first page: the measured devices, a card per ladder, and the heaviest remarks from the profiles of all kernels.

use super::climbs::floor_ns;
use super::{climbs, ladder};
use crate::format::{count, digits, percent, plain, time};
use crate::record::{Climb, Kernel, PredictedTime, Report, Rung};
use crate::words::{said, t, tf};
use maud::{Markup, html};

/// The page.
pub fn page(report: &Report) -> Markup {
    let mut devices: Vec<(&str, bool, &str)> = Vec::new();
    for climb in report.climbs.iter().chain(report.sweeps.iter().flat_map(|sweep| &sweep.points)) {
        let one = (climb.device.name.as_str(), climb.timed(), climb.device.driver.as_str());
        if !devices.contains(&one) {
            devices.push(one);
        }
    }
    let rungs: usize = report.climbs.iter().map(|climb| climb.rungs.len()).sum();
    let all = report.climbs.iter().flat_map(|climb| &climb.rungs);
    let verified = all.clone().filter(|rung| rung.verified).count();
    let rejected = all.filter(|rung| !rung.verified && rung.skipped.is_none()).count();
    html! {
        section.page id="summary" data-title="" {
            h1 { (t("summary:title")) }
            p.lead { (t(if report.compares() { "summary:lead" } else { "summary:lead-own" })) }
            ul.chips {
                @for (name, gpu, driver) in &devices {
                    li.device.gpu[*gpu] { (name) @if *gpu && !driver.is_empty() { " · " (tf("chip:driver", &[driver])) } }
                }
                @if !report.taken.is_empty() { li { (report.taken) } }
                @if !report.version.is_empty() { li { "Lanework " (report.version) } }
            }
            @if rungs > 0 { dl.numbers {
                div { dt { (t("summary:ladders")) } dd { (report.ladders().len()) } }
                div { dt { (t("summary:rungs")) } dd { (rungs) } }
                div { dt { (t("summary:verified")) } dd { (verified) } }
                div.alarm[rejected > 0] { dt { (t("summary:rejected")) } dd { (rejected) } }
            } }
            @if devices.iter().all(|(_, gpu, _)| !gpu) && !devices.is_empty() {
                p.callout { (t("summary:emulator-only")) }
            }
            div.cards {
                @for name in report.ladders() { (ladder_card(report, name)) }
            }
            (findings_card(report))
        }
    }
}

fn ladder_card(report: &Report, name: &str) -> Markup {
    let climbs = report.climbs_of(name);
    html! {
        a.card.ladder-card href={ "#" (climbs::ladder_fragment(name)) } {
            h2 { (name) }
            @if let Some(story) = report.story(name) { p.note { (ladder::title(name, &story.title)) } }
            @if let Some(climb) = climbs.first() {
                (spark(climb))
                p.headline { (headline(report, climb)) }
                p.note { (climb.device.name) " · " (climb.size_in_words()) " · " (climb.element) }
            }
        }
    }
}

/// The best figure of a climb, as one line.
fn headline(report: &Report, climb: &Climb) -> Markup {
    if let (Some((first, slow)), Some((best, fast))) = (climb.first_timed(), climb.fastest()) {
        let floor = report.ceilings_of(&climb.device.name).map(|found| floor_ns(climb, found));
        let factor = slow.median_ns / fast.median_ns;
        return html! {
            @if first.name == best.name { (tf("summary:one", &[&best.name, &time(fast.median_ns)])) }
            @else { (tf("summary:speedup", &[&digits(factor), &first.name, &best.name])) }
            @if let Some(floor) = floor.filter(|floor| *floor > 0.0) {
                " " span.aside { (tf("summary:of-floor", &[&percent(floor / fast.median_ns)])) }
            }
            @if let Some((vendor, found)) = climb.vendor() {
                " " span.aside { (tf("summary:of-vendor", &[&percent(found.median_ns / fast.median_ns), &vendor.name])) }
            }
        };
    }
    let by_time = |a: &(&Rung, &PredictedTime), b: &(&Rung, &PredictedTime)| {
        a.1.predicted_ns.total_cmp(&b.1.predicted_ns)
    };
    if let Some((best, found)) = climb.predicted().min_by(by_time) {
        return tf("summary:predicted", &[&best.name, &time(found.predicted_ns), &found.gpu]);
    }
    let counted = climb.rungs.iter().filter_map(|rung| Some((rung, rung.counters.as_ref()?)));
    let most = counted.clone().max_by_key(|(_, counters)| counters.get("warp_instructions"));
    let least = counted.min_by_key(|(_, counters)| counters.get("warp_instructions"));
    html! {
        @if let (Some((_, most)), Some((rung, least))) = (most, least) {
            (tf("summary:instructions", &[
                &count(most.get("warp_instructions") as f64),
                &count(least.get("warp_instructions") as f64),
                &rung.name,
            ]))
        }
    }
}

/// Small bars of a climb from zero: GPU times, else predicted times, else warp instructions.
fn spark(climb: &Climb) -> Markup {
    let predicted = !climb.timed() && climb.predicted().next().is_some();
    let value = |rung: &Rung| match climb.timed() {
        true => rung.time.as_ref().map(|time| time.median_ns),
        false if predicted => rung.predicted.as_ref().map(|found| found.predicted_ns),
        false => rung.counters.as_ref().map(|found| found.get("warp_instructions") as f64),
    };
    let axis = match (climb.timed(), predicted) {
        (true, _) => "axis:time",
        (_, true) => "axis:predicted",
        _ => "axis:instructions",
    };
    let values: Vec<(f64, bool)> =
        climb.rungs.iter().filter_map(|rung| Some((value(rung)?, rung.peer()))).collect();
    let most = values.iter().map(|(value, _)| *value).fold(0.0, f64::max).max(1e-9);
    let step = 240.0 / values.len().max(1) as f64;
    let best =
        values.iter().filter(|(_, peer)| !peer).map(|(value, _)| *value).fold(f64::MAX, f64::min);
    html! {
        svg.spark viewBox="0 0 240 58" role="img" aria-label=(crate::words::english(axis)) {
            @for (index, (value, peer)) in values.iter().enumerate() {
                @let height = (52.0 * value / most).max(1.5);
                rect.own.vendor[*peer].best[!peer && *value <= best]
                    x=(plain(step * index as f64 + 0.12 * step)) y=(plain(54.0 - height))
                    width=(plain(0.76 * step)) height=(plain(height)) rx="1.5" {}
            }
            line.base x1="0" x2="240" y1="54.5" y2="54.5" {}
        }
        p.spark-name { (t(axis)) }
    }
}

/// Maximum number of findings in the summary, and the minimum share of a line.
const MOST: usize = 24;
const LIGHT: f64 = 0.01;

/// A remark with its location.
pub struct Finding<'a> {
    kernel: &'a Kernel,
    line: u32,
    code: &'a str,
    share: f64,
    text: &'a str,
}

/// The remarks of a kernel's lines.
pub fn of_kernel(kernel: &Kernel) -> Vec<Finding<'_>> {
    let lines = kernel.profile.iter().flat_map(|profile| &profile.lines);
    let of_line = |line| {
        let line: &crate::record::Line = line;
        let source = kernel.sources.iter().find(|source| Some(&source.file) == line.file.as_ref());
        let code =
            source.and_then(|source| source.text.lines().nth(line.line.checked_sub(1)? as usize));
        let code = code.map_or("", str::trim);
        line.remarks.iter().map(move |text| Finding {
            kernel,
            line: line.line,
            code,
            share: line.share,
            text,
        })
    };
    let mut found: Vec<Finding<'_>> = lines.flat_map(of_line).collect();
    found.sort_by(|a, b| b.share.total_cmp(&a.share));
    found
}

/// A table of findings; `named` adds the kernel to each.
pub fn table(found: &[Finding<'_>], named: bool) -> Markup {
    html! {
        div.scroll {
            table.findings {
                thead {
                    tr {
                        @if named { th scope="col" { (t("col:kernel")) } }
                        th scope="col" { (t("col:line")) }
                        th scope="col" { (t("col:share")) }
                        th scope="col" { (t("col:finding")) }
                    }
                }
                tbody {
                    @for one in found {
                        @let at = climbs::kernel_fragment(&one.kernel.ladder, &one.kernel.name);
                        tr {
                            @if named { th scope="row" { a href={ "#" (at) } { (one.kernel.ladder) @if !one.kernel.ladder.is_empty() { "/" } (one.kernel.name) } } }
                            td.number { a href={ "#" (at) } data-line=(one.line) { (one.line) } }
                            td { div.meter { i style=(format!("width:{:.1}%", 100.0 * one.share.min(1.0))) {} } span.number { (percent(one.share)) } }
                            td {
                                (said(one.text))
                                @if !one.code.is_empty() { code.small { (one.code) } }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// The summary card: the heaviest findings of all kernels, with a filter field.
pub fn findings_card(report: &Report) -> Markup {
    let mut all: Vec<Finding<'_>> = report.kernels.iter().flat_map(of_kernel).collect();
    all.sort_by(|a, b| b.share.total_cmp(&a.share));
    let kernels = report.kernels.iter().filter(|kernel| kernel.profile.is_some()).count();
    all.retain(|finding| finding.share >= LIGHT);
    all.truncate(MOST);
    html! {
        @if kernels > 0 {
            div.card data-filter="findings" {
                h2 { (t("summary:findings")) }
                p.note { (t("summary:findings-note")) }
                @if all.is_empty() { p { (t("summary:no-findings")) } } @else { (table(&all, true)) }
            }
        }
    }
}
