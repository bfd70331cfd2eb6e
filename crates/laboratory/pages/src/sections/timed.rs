//! The samples page: each timed kernel with the distribution of its samples and the clock.

use crate::charts::Columns;
use crate::charts::Tip;
use crate::format::{digits, thousands, time};
use crate::record::Report;
use crate::record::Timed;
use crate::words::{drawn, t};
use maud::{Markup, html};

/// The page.
pub fn page(report: &Report) -> Markup {
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
