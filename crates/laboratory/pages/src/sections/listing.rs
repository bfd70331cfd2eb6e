//! Listings with line counters as a heat map, and pictures of one warp's accesses at the heaviest lines.
//!
//! The source is next to the PTX and the machine code. Lines from the same source line are highlighted together.

use crate::format::{count, percent};
use crate::highlight::{Language, line as colored};
use crate::record::{Access, Kernel, Line, Listing, Picture, Sass, Source};
use crate::words::{said, t, tf};
use maud::{Markup, PreEscaped, html};
use std::collections::BTreeMap;

/// The card with the listings, each with at most `most` lines of PTX or machine code.
pub fn card(kernel: &Kernel, most: usize) -> Markup {
    let lines = kernel.profile.iter().flat_map(|profile| &profile.lines);
    let mut by_file: BTreeMap<&str, Vec<&Line>> = BTreeMap::new();
    for line in lines {
        if let Some(file) = &line.file {
            by_file.entry(file).or_default().push(line);
        }
    }
    let files: Vec<&Source> = kernel.sources.iter().collect();
    let number = |file: &str| files.iter().position(|source| source.file == file);
    let key = |(file, line): &(String, u32)| Some(format!("{}:{line}", number(file)?));
    if files.is_empty() && kernel.ptx.is_none() {
        return html! {};
    }
    html! {
        div.card.listings {
            h2 { (t("listing:title")) }
            p.note { (t("listing:note")) }
            div.pair {
                div.half {
                    @for (index, file) in files.iter().enumerate() {
                        (source(kernel, file, index, by_file.get(file.file.as_str()).map_or(&[][..], Vec::as_slice)))
                    }
                }
                div.half {
                    div.tabs {
                        @if let Some(ptx) = &kernel.ptx { div.panel { h3.panel-name { "PTX" } (of_ptx(ptx, &key, most)) } }
                        div.panel { h3.panel-name { "SASS" } (of_sass(&kernel.sass, &key, most)) }
                    }
                }
            }
        }
    }
}

/// The CSS classes of a line by its share of the kernel's weight.
fn heat(line: Option<&&Line>) -> Option<String> {
    let part = (2.5 * line?.share).min(1.0).powf(0.7);
    (part >= 0.02).then(|| format!("--h:{part:.2}"))
}

/// The figures of a line: always four cells. CSS styles them by position, which keeps them short.
fn cells(line: Option<&&Line>) -> Markup {
    let number = |value: u64| if value > 0 { count(value as f64) } else { String::new() };
    html! {
        @match line {
            Some(line) => {
                @let (sectors, ideal) = (line.counters.sectors(), line.counters.ideal_sectors());
                td { (percent(line.share)) }
                td { (number(line.counters.get("warp_instructions"))) }
                (over(ideal > 0 && sectors as f64 > 1.1 * ideal as f64, &number(sectors)))
                (over(line.counters.conflicts() > 0, &number(line.counters.wavefronts())))
            }
            None => { td {} td {} td {} td {} }
        }
    }
}

/// A cell, highlighted if its figure exceeds its optimum.
fn over(over: bool, text: &str) -> Markup {
    html! { @if over { td.over { (text) } } @else { td { (text) } } }
}

/// A table without the end tags that HTML makes optional: listings are most of a file.
fn short_table(table: &Markup) -> Markup {
    let text =
        ["</td>", "</th>", "</tr>"].iter().fold(table.0.clone(), |text, tag| text.replace(tag, ""));
    PreEscaped(text)
}

fn head() -> Markup {
    html! {
        thead {
            tr {
                th scope="col" { (t("col:line")) }
                th scope="col" { (t("col:share")) }
                th scope="col" { (t("col:instructions")) }
                th scope="col" { (t("col:sectors")) }
                th scope="col" { (t("col:wavefronts")) }
                th scope="col" { (t("col:code")) }
            }
        }
    }
}

/// The distinguishing part of a file's name.
fn short(file: &str) -> &str {
    let mut parts = file.rmatch_indices(['/', '\\']);
    parts.nth(1).map_or(file, |(at, _)| &file[at + 1..])
}

/// Context lines around a counted line of a file that is not the kernel's own.
const AROUND: u32 = 3;

/// The visible lines of a file: all lines of the kernel's own file, which is the first; for other files, the counted
/// lines with some context.
fn shown<'a>(file: &'a Source, index: usize, lines: &[&Line]) -> Vec<(usize, &'a str)> {
    let near = |at: usize| lines.iter().any(|line| line.line.abs_diff(at as u32 + 1) <= AROUND);
    file.text.lines().enumerate().filter(|(at, _)| index == 0 || near(*at)).collect()
}

/// Whether a line is a Chinese comment. The rungs of ladders say everything in both languages.
fn is_chinese(text: &str) -> bool {
    let is_han = |c: char| ('\u{4e00}'..='\u{9fff}').contains(&c);
    text.trim_start().starts_with("//") && text.contains(is_han)
}

fn source(kernel: &Kernel, file: &Source, index: usize, lines: &[&Line]) -> Markup {
    let of_ladder = !kernel.ladder.is_empty();
    let kind = if file.file.ends_with(".ptx") { Language::Ptx } else { Language::Code };
    html! {
        h3.panel-name { (short(&file.file)) }
        div.listing-frame tabindex="0" role="region" aria-label=(short(&file.file)) {
            (short_table(&html! { table.listing {
                (head())
                tbody {
                    @for (at, text) in shown(file, index, lines) {
                        @let number = at as u32 + 1;
                        @let found = lines.iter().find(|line| line.line == number);
                        tr class=[(of_ladder && is_chinese(text)).then_some("zh")] data-l=[found.map(|_| format!("{index}:{number}"))] style=[heat(found)] {
                            th { (number) }
                            (cells(found))
                            td { (colored(text, kind)) }
                        }
                        @for remark in found.iter().flat_map(|line| &line.remarks) {
                            tr.remark { td {} td {} td {} td {} td {} td { "▲ " (said(remark)) } }
                        }
                    }
                }
            } }))
        }
    }
}

fn of_ptx(ptx: &Listing, key: &dyn Fn(&(String, u32)) -> Option<String>, most: usize) -> Markup {
    let by_line: BTreeMap<u32, &Line> = ptx.lines.iter().map(|line| (line.line, line)).collect();
    // The line marks already show the content of `.loc`.
    let located = |(_, text): &(usize, &str)| !text.trim_start().starts_with(".loc ");
    let lines: Vec<(usize, &str)> = ptx.text.lines().enumerate().filter(located).collect();
    let all = lines.len();
    html! {
        div.listing-frame tabindex="0" role="region" aria-label="PTX" {
            (short_table(&html! { table.listing.short {
                (head())
                tbody {
                    @for (at, text) in lines.iter().take(most) {
                        @let number = *at as u32 + 1;
                        @let found = by_line.get(&number);
                        tr data-l=[ptx.source.get(&number).and_then(key)] style=[heat(found)] {
                            th { (number) }
                            (cells(found))
                            td { (colored(text, Language::Ptx)) }
                        }
                    }
                }
            } }))
        }
        @if all > most { p.note { (tf("listing:cut", &[&most.to_string(), &all.to_string()])) } }
        @if ptx.lines.is_empty() { p.note { (t("listing:ptx-uncounted")) } }
    }
}

fn of_sass(sass: &Sass, key: &dyn Fn(&(String, u32)) -> Option<String>, most: usize) -> Markup {
    let Some(text) = &sass.text else {
        return html! {
            p.callout {
                (t("listing:no-sass"))
                @if !sass.missing.is_empty() { " " (t(&format!("sass:{}", sass.missing))) }
                @if !sass.note.is_empty() { " " code { (sass.note) } }
            }
        };
    };
    let all = text.lines().count();
    html! {
        p.note { (sass.target) @if !sass.note.is_empty() { " · " (sass.note) } }
        div.listing-frame tabindex="0" role="region" aria-label="SASS" {
            (short_table(&html! { table.listing.short {
                tbody {
                    @for (at, line) in text.lines().enumerate().take(most) {
                        @let number = at as u32 + 1;
                        tr data-l=[sass.source.get(&number).and_then(key)] {
                            th { (number) }
                            td { (colored(line, Language::Sass)) }
                        }
                    }
                }
            } }))
        }
        @if all > most { p.note { (tf("listing:cut", &[&most.to_string(), &all.to_string()])) } }
    }
}

/// The card with the pictures. In a long report, optimal accesses after the first have no drawing.
pub fn pictures(kernel: &Kernel, is_long: bool) -> Markup {
    let mut drawn = 0;
    let mut omits = false;
    let mut is_drawn = |access: &Access| {
        let keeps = !is_long || drawn == 0 || access.cost.count > access.cost.optimal;
        drawn += 1;
        omits |= !keeps;
        keeps
    };
    let all: Vec<Markup> =
        kernel.pictures.iter().map(|picture| one(picture, &mut is_drawn)).collect();
    html! {
        @if !kernel.pictures.is_empty() {
            div.card {
                h2 { (t("picture:title")) }
                p.note { (t("picture:note")) }
                @for picture in &all { (picture) }
                @if omits { p.note { (t("picture:fewer")) } }
                ul.keys {
                    li { i.swatch.used {} (t("picture:used")) }
                    li { i.swatch.wasted {} (t("picture:wasted")) }
                    li { i.swatch.free {} (t("picture:free")) }
                    li { i.swatch.bank {} (t("picture:bank")) }
                    li { i.swatch.conflict {} (t("picture:conflict")) }
                }
            }
        }
    }
}

fn one(picture: &Picture, is_drawn: &mut dyn FnMut(&Access) -> bool) -> Markup {
    let [block, warp] = picture.warp;
    html! {
        div.picture {
            h3 { (tf("picture:line", &[&picture.line.to_string()])) " " code { (picture.code) } }
            p.note { (tf("picture:warp", &[&block.to_string(), &warp.to_string()])) }
            @for access in &picture.accesses { (of_access(access, is_drawn(access))) }
        }
    }
}

fn of_access(access: &Access, is_drawn: bool) -> Markup {
    let Access { space, kind, bytes, lanes, pattern, .. } = access;
    let caption = format!("{space} {kind} of {bytes} B by {lanes} lanes: {pattern}");
    let cost = access.cost;
    html! {
        figure.access data-space=(access.space) {
            figcaption {
                b { (said(&caption)) }
                @if cost.count > 0 {
                    " " @if cost.count <= cost.optimal {
                        span.good-text { "✓ " (tf(if access.space == "shared" { "picture:wavefronts" } else { "picture:sectors" }, &[&cost.count.to_string(), &cost.optimal.to_string()])) }
                    } @else {
                        span.excess-text { "▲ " (tf(if access.space == "shared" { "picture:wavefronts" } else { "picture:sectors" }, &[&cost.count.to_string(), &cost.optimal.to_string()])) }
                    }
                }
            }
            @if is_drawn && !access.drawing.is_empty() { div.drawing { (PreEscaped(&access.drawing)) } }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_are_escaped_and_lines_of_one_source_line_share_a_mark() {
        let line = |line: u32, file: Option<&str>| Line {
            file: file.map(str::to_owned),
            line,
            share: 0.5,
            remarks: vec!["<i>remark</i>".to_owned()],
            ..Line::default()
        };
        let kernel = Kernel {
            profile: Some(crate::record::Profile {
                lines: vec![line(2, Some("a/b/k.rs"))],
                ..Default::default()
            }),
            sources: vec![Source {
                file: "a/b/k.rs".to_owned(),
                text: "fn k() {\n  a < \"<script>\";\n}\n".to_owned(),
            }],
            ptx: Some(Listing {
                text: "add.u32 %r1;\n".to_owned(),
                lines: vec![line(1, None)],
                source: BTreeMap::from([(1, ("a/b/k.rs".to_owned(), 2))]),
            }),
            ..Kernel::default()
        };
        let drawn = card(&kernel, 100).into_string();
        assert_eq!(drawn.matches("data-l=\"0:2\"").count(), 2);
        assert!(!drawn.contains("<script>") && !drawn.contains("<i>remark"), "{drawn}");
        assert!(drawn.contains(">b/k.rs<"));
    }
}
