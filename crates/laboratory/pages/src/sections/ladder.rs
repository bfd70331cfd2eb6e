//! The page of a ladder: its story, its climbs as charts, the changes at each rung, and all figures in a table.

use super::climbs;
use super::climbs::{charts, link, tabs};
use crate::format::{bytes, count, digits, factor, percent, rate, time};
use crate::record::{Climb, Report, Rung};
use crate::words::{marked, pair, prose, said, t, tf};
use maud::{Markup, html};

/// The title of a ladder, in both languages.
pub fn title(name: &str, english: &str) -> Markup {
    let chinese = match name {
        "vector-add" => "向量加法",
        "sum-squares" => "平方和归约",
        "transpose" => "矩阵转置，任何元素类型都逐位相同",
        "matmul" => "单精度矩阵乘法，带补偿求和与不带补偿求和",
        "sgemm" => "单精度通用矩阵乘法，直到接近厂商库",
        "int-matmul" => "整数矩阵乘法",
        "hgemm" => "张量核心上的矩阵乘法，bf16 因子，f32 累加",
        "tf32" => "张量核心上的矩阵乘法，f32 因子按 TF32 计算",
        "fp8" => "张量核心上的矩阵乘法，8 位浮点（e4m3）因子，f32 结果",
        "dgemm" => "双精度矩阵乘法",
        "matvec" => "f32 矩阵与向量的乘积",
        "scan" => "f32 的前缀和",
        "softmax" => "f32 矩阵各行的 softmax",
        "layer-norm" => "f32 矩阵各行的 layer norm",
        "rms-norm" => "f32 矩阵各行的 RMS norm",
        "attention" => "bf16 注意力，头维度为 128，f32 累加",
        _ => english,
    };
    pair(english, chinese)
}

/// The page.
pub fn page(report: &Report, name: &str) -> Markup {
    let story = report.story(name);
    let climbs = report.climbs_of(name);
    html! {
        section.page id=(climbs::ladder_fragment(name)) data-title=(name) {
            p.crumb { a href="#summary" { (t("nav:summary")) } " / " (t("nav:ladders")) }
            h1 { (name) }
            @if let Some(story) = story {
                p.lead { (title(name, &story.title)) }
                div.story {
                    @for (class, text) in [("en", &story.text[0]), ("zh", &story.text[1])] {
                        div class=(class) lang=[(class == "zh").then_some("zh")] {
                            @for paragraph in paragraphs(text, class == "zh") { p { (marked(&paragraph)) } }
                        }
                    }
                }
            }
            @for climb in &climbs { (of_climb(report, climb)) }
            @if let Some(climb) = climbs.first() { (steps(report, climb)) }
            @for climb in &climbs { (figures(report, climb)) }
        }
    }
}

/// Empty lines separate paragraphs; lines of a Chinese paragraph join without a blank.
fn paragraphs(text: &str, chinese: bool) -> Vec<String> {
    let joint = if chinese { "" } else { " " };
    let parts = text.split("\n\n").map(str::trim).filter(|part| !part.is_empty());
    parts.map(|part| part.lines().map(str::trim).collect::<Vec<_>>().join(joint)).collect()
}

/// The device and the problem of a climb, as small labels.
pub fn chips(climb: &Climb) -> Markup {
    html! {
        ul.chips {
            li.device.gpu[climb.timed()] { (climb.device.name) }
            li { (climb.size_in_words()) }
            li { (climb.element) }
            @for setting in climb.settings_in_words() { li { (setting) } }
            li { (tf("chip:bytes", &[&bytes(climb.bytes as f64)])) }
            @if climb.flops > 0 { li { (tf("chip:flops", &[&count(climb.flops as f64)])) } }
        }
    }
}

fn of_climb(report: &Report, climb: &Climb) -> Markup {
    let panels = charts(report, climb);
    let sampled = climb.rungs.iter().any(|rung| rung.sampled.is_some());
    html! {
        div.card.climb data-ladder=(climb.ladder) data-rungs=(climb.rungs.len()) data-device=(climb.device.backend) {
            h2 { @if climb.timed() { (t("climb:times")) } @else { (t("climb:counts")) } }
            (chips(climb))
            (tabs(&panels))
            p.note {
                @if climb.timed() { (t("climb:times-note")) } @else { (t("climb:counts-note")) }
                @if sampled { " " (t("climb:sampled-note")) }
                @if let Some(host) = &climb.host { " " (tf("climb:host-note", &[&time(host.median_ns)])) }
                @for (peer, why) in &climb.skipped_peers { " " (tf("climb:skipped-peer", &[peer, why])) }
            }
        }
    }
}

/// The changes at each rung.
fn steps(report: &Report, climb: &Climb) -> Markup {
    let counted = report.climbs_of(&climb.ladder).into_iter().find(|other| !other.timed());
    let why = |name: &str| counted?.rungs.iter().find(|rung| rung.name == name)?.reason.clone();
    html! {
        div.card {
            h2 { (t("ladder:steps")) }
            ol.steps {
                @for rung in climb.rungs.iter().filter(|rung| !rung.peer()) {
                    li {
                        h3 {
                            @match link(report, &climb.ladder, &rung.name) {
                                Some(link) => a href=(link) { (rung.name) },
                                None => (rung.name),
                            }
                            @if let Some(step) = rung.speedup {
                                " " span.step.slower[step < 0.995].faster[step > 1.005] { (factor(step)) }
                            }
                        }
                        @if let Some(header) = report.kernel(&climb.ladder, &rung.name).and_then(|one| one.header.as_ref()) {
                            p { (prose(&header[0].idea, &header[1].idea)) }
                        }
                        @if let Some(error) = &rung.error { p.bad-text { (error) } }
                        @if let Some(skipped) = &rung.skipped { p.note { (t("rung:skipped")) ": " (skipped) } }
                        @if let Some(why) = rung.reason.clone().or_else(|| why(&rung.name)) {
                            p.note { (t("ladder:counted")) ": " (said(&why)) }
                        }
                    }
                }
            }
        }
    }
}

/// All figures of a climb.
fn figures(report: &Report, climb: &Climb) -> Markup {
    let errors = climb
        .rungs
        .iter()
        .any(|rung| rung.accuracy.as_ref().is_some_and(|found| found.rule != "bit-exact"));
    let predicted = climb.predicted().next().is_some();
    html! {
        details.card.figures {
            summary { h2 { (t("ladder:figures")) " · " (climb.device.name) } }
            div.scroll {
                table {
                    thead {
                        tr {
                            th scope="col" { (t("col:rung")) }
                            @if climb.timed() {
                                th scope="col" { (t("time:median")) }
                                th scope="col" { (t("time:interval")) }
                                th scope="col" { (t("time:step")) }
                                th scope="col" { (t("rate:bandwidth")) }
                                @if climb.flops > 0 { th scope="col" { (t("rate:operations")) } }
                            } @else {
                                th scope="col" { (t("count:instructions")) }
                                th scope="col" { (t("count:sectors")) }
                                th scope="col" { (t("count:wavefronts")) }
                                th scope="col" { (t("count:conflicts")) }
                            }
                            @if predicted { th scope="col" { (t("col:predicted")) } }
                            th scope="col" { (t("resource:registers")) }
                            th scope="col" { (t("resource:spills")) }
                            th scope="col" { (t("resource:shared")) }
                            th scope="col" { (t("resource:occupancy")) }
                            th scope="col" { (t("col:result")) }
                            @if errors { th scope="col" { (t("error:normwise")) } }
                        }
                    }
                    tbody { @for rung in &climb.rungs { (figure_row(report, climb, rung, errors, predicted)) } }
                }
            }
        }
    }
}

fn figure_row(
    report: &Report,
    climb: &Climb,
    rung: &Rung,
    errors: bool,
    predicted: bool,
) -> Markup {
    let dash = || html! { span.none { "–" } };
    let value = |found: Option<String>| found.map_or_else(dash, |text| html! { (text) });
    let of_time = rung.time.as_ref();
    // The profile knows bulk copies, too, which the climb may not have counted.
    let counters = climbs::counters(report, climb, rung);
    let resources = rung.resources.as_ref();
    html! {
        tr.vendor[rung.peer()] {
            th scope="row" {
                @match link(report, &climb.ladder, &rung.name) {
                    Some(link) => a href=(link) { (rung.name) },
                    None => (rung.name),
                }
            }
            @if climb.timed() {
                td { (value(of_time.map(|found| time(found.median_ns)))) }
                td { (value(of_time.map(|found| format!("{} – {}", time(found.interval_ns[0]), time(found.interval_ns[1]))))) }
                td { (value(rung.speedup.map(factor))) }
                td { (value(of_time.map(|found| crate::format::bandwidth(found.gigabytes_per_second)))) }
                @if climb.flops > 0 { td { (value(of_time.map(|found| rate(found.gigaflops_per_second)))) } }
            } @else {
                td { (value(counters.map(|found| count(found.get("warp_instructions") as f64)))) }
                td { (value(counters.map(|found| count(found.sectors() as f64)))) }
                td { (value(counters.map(|found| count(found.wavefronts() as f64)))) }
                td { (value(counters.map(|found| count(found.conflicts() as f64)))) }
            }
            @if predicted { td { (value(rung.predicted.as_ref().map(|found| time(found.predicted_ns)))) } }
            td { (value(resources.map(|found| format!("{}{}", if found.estimated { "~" } else { "" }, found.registers)))) }
            td { (value(resources.map(|found| bytes(f64::from(found.spill_bytes))))) }
            td { (value(resources.map(|found| bytes(f64::from(found.shared_bytes))))) }
            td { (value(resources.map(|found| percent(found.occupancy)))) }
            td {
                @match (&rung.accuracy, rung.verified) {
                    (Some(found), true) if found.rule == "bit-exact" => (t("result:exact")),
                    (_, true) => (t("result:bound")),
                    _ if rung.skipped.is_some() => (t("rung:skipped")),
                    _ => span.bad-text { (t("result:rejected")) },
                }
            }
            @if errors {
                td { (value(rung.accuracy.as_ref().filter(|found| found.rule != "bit-exact").map(|found| digits(found.normwise)))) }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::paragraphs;

    #[test]
    fn paragraphs_are_joined_as_their_language_wants() {
        assert_eq!(paragraphs("a\nb\n\nc\n", false), ["a b", "c"]);
        assert_eq!(paragraphs("一\n二", true), ["一二"]);
    }
}
