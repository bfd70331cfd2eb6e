//! The pages of the report, sections of one file that URL fragments address, and their frame: head, navigation, the
//! script, and the page about methods.

mod climbs;
mod kernel;
mod ladder;
mod listing;
mod roofline;
mod summary;
mod sweeps;

use crate::record::Report;
use crate::words::{both, english, json, t};
use maud::{DOCTYPE, Markup, PreEscaped, html};

const STYLE: &str = include_str!("../assets/style.css");
const SCRIPT: &str = include_str!("../assets/script.js");

/// Renders the file, with at most `most` lines per listing of PTX and machine code.
pub fn page(report: &Report, most: usize) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" data-language=(if report.chinese { "zh" } else { "" }) {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:";
                meta name="color-scheme" content="light dark";
                meta name="generator" content={ "Lanework " (report.version) };
                link rel="icon" href="data:,";
                title { (english("page:title")) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                a.skip href="#main" { (t("page:skip")) }
                (crate::charts::definitions())
                (top())
                div.layout {
                    (navigation(report))
                    main #main tabindex="-1" {
                        (summary::page(report))
                        @if roofline::any(report) { (roofline::page(report)) }
                        @if !report.sweeps.is_empty() { (sweeps::page(report)) }
                        @if !report.timed.is_empty() { (sweeps::samples(report)) }
                        @for name in report.ladders() {
                            (ladder::page(report, name))
                            @for one in report.kernels.iter().filter(|one| one.ladder == name) { (kernel::page(report, one, most)) }
                        }
                        @for one in report.kernels.iter().filter(|one| one.ladder.is_empty()) { (kernel::page(report, one, most)) }
                        (method())
                    }
                }
                div #tip role="status" hidden {}
                dialog #help {
                    h2 { (t("help:title")) }
                    (keys())
                    form method="dialog" { button { (t("help:close")) } }
                }
                script type="application/json" id="words" { (PreEscaped(script_safe(&json()))) }
                script { (PreEscaped(SCRIPT)) }
            }
        }
    }
}

/// Escapes JSON so that it cannot end its script element.
fn script_safe(json: &str) -> String {
    json.replace('<', "\\u003c").replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029")
}

/// A button with a name in both languages.
fn button(id: &str, key: &str, sign: Markup) -> Markup {
    let [english, chinese] = both(key);
    html! { button.tool id=(id) type="button" aria-label=(english) data-zh-label=(chinese) title=(english) { (sign) } }
}

fn top() -> Markup {
    html! {
        header.top {
            (button("menu", "tool:menu", html! { "☰" }))
            a.brand href="#summary" { b { "Lanework" } " " span { (t("page:report")) } }
            span.space {}
            (button("language", "tool:language", html! { span.en { "中文" } span.zh lang="zh" { "EN" } }))
            (button("theme", "tool:theme", html! { "◐" }))
            (button("helper", "tool:help", html! { "?" }))
        }
    }
}

fn navigation(report: &Report) -> Markup {
    let [english, chinese] = both("filter:pages");
    html! {
        nav.side #side aria-label=(both("nav:pages")[0]) data-zh-label=(both("nav:pages")[1]) {
            input #filter type="search" placeholder=(english) aria-label=(english) data-zh-label=(chinese) autocomplete="off";
            ul {
                li { a href="#summary" { (t("nav:summary")) } }
                @if roofline::any(report) { li { a href="#roofline" { (t("nav:roofline")) } } }
                @if !report.sweeps.is_empty() { li { a href="#sweeps" { (t("nav:sweeps")) } } }
                @if !report.timed.is_empty() { li { a href="#samples" { (t("nav:samples")) } } }
            }
            @for name in report.ladders() {
                p.group { a href={ "#" (climbs::ladder_fragment(name)) } { (name) } }
                ul {
                    @for one in report.kernels.iter().filter(|one| one.ladder == name) {
                        li { a href={ "#" (climbs::kernel_fragment(name, &one.name)) } { (one.name) } }
                    }
                }
            }
            @let own: Vec<_> = report.kernels.iter().filter(|one| one.ladder.is_empty()).collect();
            @if !own.is_empty() {
                p.group { (t("nav:own")) }
                ul { @for one in own { li { a href={ "#" (climbs::kernel_fragment("", &one.name)) } { (one.name) } } } }
            }
            ul { li { a href="#method" { (t("nav:method")) } } }
            p.none-found hidden { (t("filter:none")) }
        }
    }
}

/// The page about measurement methods and navigation.
fn method() -> Markup {
    html! {
        section.page id="method" data-title="nav:method" {
            h1 { (t("nav:method")) }
            div.card.prose {
                h2 { (t("method:counts")) } p { (t("method:counts-text")) }
                h2 { (t("method:times")) } p { (t("method:times-text")) }
                h2 { (t("method:roofline")) } p { (t("method:roofline-text")) }
                h2 { (t("method:verified")) } p { (t("method:verified-text")) }
                h2 { (t("method:heat")) } p { (t("method:heat-text")) }
                h2 { (t("help:title")) }
                (keys())
            }
        }
    }
}

/// The keyboard shortcuts.
fn keys() -> Markup {
    html! {
        dl.shortcuts {
            dt { kbd { "j" } " " kbd { "k" } } dd { (t("help:pages")) }
            dt { kbd { "←" } " " kbd { "→" } } dd { (t("help:marks")) }
            dt { kbd { "Enter" } } dd { (t("help:enter")) }
            dt { kbd { "/" } } dd { (t("help:filter")) }
            dt { kbd { "d" } } dd { (t("help:theme")) }
            dt { kbd { "l" } } dd { (t("help:language")) }
            dt { kbd { "?" } } dd { (t("help:help")) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_cannot_end_their_script() {
        assert_eq!(script_safe("{\"a\":\"</script>\"}"), "{\"a\":\"\\u003c/script>\"}");
    }
}
