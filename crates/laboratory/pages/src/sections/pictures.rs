//! Pictures of one warp's accesses at the heaviest lines.

use crate::record::{Access, Kernel, Picture};
use crate::words::{pair, pattern, t, tf};
use maud::{Markup, PreEscaped, html};

/// The card with the pictures.
pub fn card(kernel: &Kernel) -> Markup {
    html! {
        @if !kernel.pictures.is_empty() {
            div.card {
                h2 { (t("picture:title")) }
                p.note { (t("picture:note")) }
                @for picture in &kernel.pictures { (one(picture)) }
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

fn one(picture: &Picture) -> Markup {
    let [block, warp] = picture.warp;
    html! {
        div.picture {
            h3 { (tf("picture:line", &[&picture.line.to_string()])) " " code { (picture.code) } }
            p.note { (tf("picture:warp", &[&block.to_string(), &warp.to_string()])) }
            @for access in &picture.accesses { (of_access(access)) }
        }
    }
}

fn of_access(access: &Access) -> Markup {
    let word = |group: &str, name: &str| {
        let key = format!("{group}:{name}");
        let [english, chinese] = crate::words::both(&key);
        if english == key {
            [name.to_owned(), name.to_owned()]
        } else {
            [english.to_owned(), chinese.to_owned()]
        }
    };
    let (space, kind) = (word("space", &access.space), word("kind", &access.kind));
    let (bytes, lanes) = (access.bytes.to_string(), access.lanes.to_string());
    let caption = crate::words::both("picture:access");
    let said = |language: usize, pattern: &str| {
        let with = [space[language].as_str(), kind[language].as_str(), &bytes, &lanes, pattern];
        crate::words::filled(caption[language], &with)
    };
    let cost = access.cost;
    html! {
        figure.access data-space=(access.space) {
            figcaption {
                b { (pair(&said(0, &access.pattern), &said(1, &pattern(&access.pattern)))) }
                @if cost.count > 0 {
                    " " @if cost.count <= cost.optimal {
                        span.good-text { "✓ " (tf(if access.space == "shared" { "picture:wavefronts" } else { "picture:sectors" }, &[&cost.count.to_string(), &cost.optimal.to_string()])) }
                    } @else {
                        span.excess-text { "▲ " (tf(if access.space == "shared" { "picture:wavefronts" } else { "picture:sectors" }, &[&cost.count.to_string(), &cost.optimal.to_string()])) }
                    }
                }
            }
            @if !access.drawing.is_empty() { div.drawing { (PreEscaped(&access.drawing)) } }
        }
    }
}
