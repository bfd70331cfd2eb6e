//! All texts of the page, in English and in Chinese: a page contains both and shows one.
//!
//! The English sentences of profiles and climbs are translated as on the terminal.

mod catalog;

use catalog::WORDS;
pub use lanework_terminal::words::chinese;
use maud::{Markup, html};

/// The texts of a key in English and in Chinese; the key itself if the catalog lacks it.
pub fn both(key: &str) -> [&str; 2] {
    let row = WORDS.iter().find(|row| row.0 == key);
    row.map_or([key, key], |(_, english, chinese)| [*english, *chinese])
}

/// The English text of a key.
pub fn english(key: &str) -> &str {
    both(key)[0]
}

/// The text of a key, for HTML.
pub fn t(key: &str) -> Markup {
    let [english, chinese] = both(key);
    pair(english, chinese)
}

/// The text of a key with `{0}`, `{1}`... replaced.
pub fn tf(key: &str, with: &[&str]) -> Markup {
    let [english, chinese] = both(key);
    pair(&filled(english, with), &filled(chinese, with))
}

/// Renders text in both languages, once if they are equal.
pub fn pair(english: &str, chinese: &str) -> Markup {
    html! {
        @if english == chinese { (english) }
        @else { span.en { (english) } span.zh lang="zh" { (chinese) } }
    }
}

/// A sentence of a profile or a climb in both languages.
pub fn said(english: &str) -> Markup {
    pair(english, &chinese(english))
}

/// Text in both languages; parts in backticks are code.
pub fn prose(english: &str, chinese: &str) -> Markup {
    html! {
        @if english == chinese { (marked(english)) }
        @else { span.en { (marked(english)) } span.zh lang="zh" { (marked(chinese)) } }
    }
}

/// Text whose parts in backticks are code.
pub fn marked(text: &str) -> Markup {
    html! {
        @for (index, part) in text.split('`').enumerate() {
            @if index % 2 == 1 { code { (part) } } @else { (part) }
        }
    }
}

/// The text of a key, for a drawing.
pub fn drawn(key: &str) -> Markup {
    let [english, chinese] = both(key);
    html! {
        @if english == chinese { (english) }
        @else { tspan.en { (english) } tspan.zh { (chinese) } }
    }
}

/// The text with `{0}`, `{1}`... replaced.
pub fn filled(text: &str, with: &[&str]) -> String {
    let places = with.iter().enumerate();
    places
        .fold(text.to_owned(), |text, (index, value)| text.replace(&format!("{{{index}}}"), value))
}

/// The catalog in JSON, for the script.
pub fn json() -> String {
    let all: serde_json::Map<String, serde_json::Value> = WORDS
        .iter()
        .map(|(key, en, zh)| ((*key).to_owned(), serde_json::json!([en, zh])))
        .collect();
    serde_json::Value::Object(all).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use std::path::Path;

    /// The text of every source file of the crate except the catalog.
    fn sources(folder: &Path) -> String {
        let entries =
            std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("entry"));
        let of = |path: std::path::PathBuf| match path.is_dir() {
            true => sources(&path),
            false if path.ends_with("catalog.rs") => String::new(),
            false => std::fs::read_to_string(path).expect("text"),
        };
        entries.map(|entry| of(entry.path())).collect()
    }

    #[test]
    fn every_row_has_both_languages_and_a_unique_key() {
        let mut keys = BTreeSet::new();
        for (key, english, chinese) in WORDS {
            assert!(keys.insert(key), "{key} is there twice");
            assert!(!english.is_empty() && !chinese.is_empty(), "{key}");
            let han = chinese.chars().any(|letter| ('\u{4e00}'..'\u{9fff}').contains(&letter));
            assert!(han || english == chinese, "{key} is not in Chinese: {chinese}");
            for place in ["{0}", "{1}", "{2}", "{3}"] {
                assert_eq!(english.contains(place), chinese.contains(place), "{key}: {place}");
            }
        }
    }

    #[test]
    fn every_key_that_is_used_is_in_the_catalog_and_the_other_way_round() {
        let text = sources(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/src")));
        let mut used = BTreeSet::new();
        // Keys are the only quoted strings with a colon between two lowercase words.
        for quoted in text.split(['"', '\'', '`']) {
            let Some((group, name)) = quoted.split_once(':') else { continue };
            let word = |text: &str| {
                let fits = |letter: char| matches!(letter, 'a'..='z' | '0'..='9' | '-');
                text.starts_with(|first: char| first.is_ascii_lowercase()) && text.chars().all(fits)
            };
            if word(group) && word(name) {
                used.insert(quoted.to_owned());
            }
        }
        let known: BTreeSet<String> = WORDS.iter().map(|row| row.0.to_owned()).collect();
        let missing: Vec<_> = used.difference(&known).collect();
        assert!(missing.is_empty(), "not in the catalog: {missing:?}");
        let dynamic = ["limit:", "class:", "group:", "sass:"];
        let unused: Vec<_> = known
            .difference(&used)
            .filter(|key| !dynamic.iter().any(|start| key.starts_with(start)))
            .collect();
        assert!(unused.is_empty(), "in the catalog and not used: {unused:?}");
    }

    #[test]
    fn words_are_escaped_and_filled() {
        assert_eq!(pair("<b>", "<b>").into_string(), "&lt;b&gt;");
        assert_eq!(marked("a `<b>` c").into_string(), "a <code>&lt;b&gt;</code> c");
        assert_eq!(filled("{0} of {1}", &["1", "2"]), "1 of 2");
        assert_eq!(both("nothing"), ["nothing", "nothing"]);
    }

    #[test]
    fn sentences_of_profiles_and_climbs_have_their_chinese() {
        for (english, expected) in [
            (
                "32.0 sectors per load, optimal 4.0: stride 4096 B",
                "每次读 32.0 个扇区，理想值 4.0：步长 4096 B",
            ),
            (
                "groups of 16 lanes: one address, 64 B between groups",
                "每 16 个 lane 一组：同一地址，组间相距 64 B",
            ),
            ("better: no bank conflicts, warps /4.0", "改善：不再有 bank 冲突，warp /4.0"),
            ("2.00x faster", "速度是前一级的 2.00 倍"),
            ("<something> new", "<something> new"),
        ] {
            assert_eq!(chinese(english), expected);
        }
    }
}
