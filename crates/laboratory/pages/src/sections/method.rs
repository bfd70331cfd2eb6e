//! The page about measurement methods and navigation.

use crate::words::t;
use maud::{Markup, html};

/// The page.
pub fn page() -> Markup {
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
pub fn keys() -> Markup {
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
