//! All texts of the page, in English and in Chinese: a page contains both and shows one.
//!
//! The English sentences of profiles and climbs are translated by patterns; unknown sentences stay unchanged.

mod catalog;

use catalog::WORDS;
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

/// The templates of remarks: the text between the holes, and its Chinese form.
const REMARKS: &[(&str, &str)] = &[
    (
        "{} sectors per {}, optimal {}, misaligned start ({} B past a 32-byte sector): {}",
        "每次{}取 {} 个扇区，最优 {} 个，起点未对齐（超过 32 字节扇区边界 {} B）：{}",
    ),
    (
        "{} sectors per {}, optimal {}, misaligned start ({} B past a 32-byte sector)",
        "每次{}取 {} 个扇区，最优 {} 个，起点未对齐（超过 32 字节扇区边界 {} B）",
    ),
    (
        "{} sectors per {}, optimal {}, misaligned starts of some (rows that are not a multiple of 32 B): {}",
        "每次{}取 {} 个扇区，最优 {} 个，部分起点未对齐（行长不是 32 B 的倍数）：{}",
    ),
    (
        "{} sectors per bulk {}, optimal {}: rows that start or end within a 32-byte sector",
        "每次批量{}取 {} 个扇区，最优 {} 个：行的起点或终点落在 32 字节扇区之内",
    ),
    ("{} sectors per {}, optimal {}: {}", "每次{}取 {} 个扇区，最优 {} 个：{}"),
    ("{} sectors per {}, optimal {}", "每次{}取 {} 个扇区，最优 {} 个"),
    (
        "{} wavefronts per shared {}, {} of them bank conflicts: {}",
        "每次共享内存{}用 {} 个 wavefront，其中 {} 个是 bank 冲突：{}",
    ),
    (
        "{} wavefronts per shared {}, {} of them bank conflicts",
        "每次共享内存{}用 {} 个 wavefront，其中 {} 个是 bank 冲突",
    ),
    (
        "atomic contention: {} lanes per request wait for another lane at their address",
        "原子操作争用：每个请求有 {} 个 lane 等待同一地址上的另一个 lane",
    ),
    (
        "local memory: a spill, or an array indexed at run time",
        "局部内存：寄存器溢出，或在运行时索引的数组",
    ),
    (
        "{} % of executions diverge at the branch of column {}, PTX line {}",
        "{} % 的执行在第 {} 列的分支处分化（PTX 第 {} 行）",
    ),
    ("{} % of executions diverge at the branch of column {}", "{} % 的执行在第 {} 列的分支处分化"),
    (
        "{} % of executions diverge at the branch of PTX line {}",
        "{} % 的执行在 PTX 第 {} 行的分支处分化",
    ),
    ("{} % of executions diverge", "{} % 的执行发生分化"),
];

/// The templates of access patterns.
const PATTERNS: &[(&str, &str)] = &[
    ("one lane", "一个 lane"),
    ("all lanes at one address", "所有 lane 在同一地址"),
    ("groups of {} lanes: {}, the same in each", "每 {} 个 lane 一组：{}，各组相同"),
    ("groups of {} lanes: {}, {} B between groups", "每 {} 个 lane 一组：{}，组间相距 {} B"),
    ("scattered over {} B", "分散在 {} B 之内"),
    ("stride {} B", "步长 {} B"),
    ("one address", "同一地址"),
];

/// The templates of changes between rungs.
const CHANGES: &[(&str, &str)] =
    &[("{}x faster", "速度为原来的 {} 倍"), ("takes {}x the time", "用时为原来的 {} 倍")];

/// The names of changes between rungs, and of access kinds.
const NAMES: &[(&str, &str)] = &[
    ("load sectors", "加载扇区"),
    ("store sectors", "存储扇区"),
    ("global requests", "全局请求"),
    ("bank conflicts", "bank 冲突"),
    ("shared wavefronts", "共享内存 wavefront"),
    ("instructions per warp", "每个 warp 的指令"),
    ("longest warp instructions", "最长 warp 的指令数"),
    ("instructions", "指令"),
    ("barriers", "屏障"),
    ("divergent branches", "分化的分支"),
    ("active lanes", "活跃 lane"),
    ("occupancy", "占用率"),
    ("spilled bytes", "溢出字节"),
    ("warps", "warp 数"),
    ("host sums", "主机求和的个数"),
    ("NOT faster", "没有变快"),
    ("within the 95 % intervals", "在 95 % 置信区间之内"),
    ("better", "改善"),
    ("worse", "变差"),
    ("also changed", "另有变化"),
    ("no counter improved", "没有计数改善"),
    ("only a time on a GPU can decide", "只有 GPU 上的时间才能判断"),
    ("local load", "局部内存加载"),
    ("local store", "局部内存存储"),
    ("load", "加载"),
    ("store", "存储"),
    ("copy", "拷贝"),
    ("atomic", "原子操作"),
    ("reduction", "归约"),
];

/// The texts that fill the holes of `form` in `text`, if it matches.
fn holes<'a>(text: &'a str, form: &str) -> Option<Vec<&'a str>> {
    let mut parts = form.split("{}");
    let mut rest = text.strip_prefix(parts.next()?)?;
    let parts: Vec<&str> = parts.collect();
    let mut found = Vec::new();
    for (index, part) in parts.iter().enumerate() {
        let last = index + 1 == parts.len();
        let end = match (part.is_empty(), last) {
            (true, _) => rest.len(),
            (false, true) => rest.len().checked_sub(part.len()).filter(|_| rest.ends_with(part))?,
            (false, false) => rest.find(part)?,
        };
        found.push(&rest[..end]);
        rest = &rest[end + part.len()..];
    }
    rest.is_empty().then_some(found)
}

fn fill(form: &str, with: &[String]) -> String {
    let mut values = with.iter();
    let mut text = String::new();
    for (index, part) in form.split("{}").enumerate() {
        if index > 0 {
            text.push_str(values.next().map_or("", String::as_str));
        }
        text.push_str(part);
    }
    text
}

fn name(text: &str) -> Option<String> {
    NAMES.iter().find(|(english, _)| *english == text).map(|(_, chinese)| (*chinese).to_owned())
}

/// Translates an access pattern to Chinese.
pub fn pattern(text: &str) -> String {
    for (english, chinese) in PATTERNS {
        if let Some(found) = holes(text, english) {
            let found: Vec<String> = found.into_iter().map(pattern).collect();
            return fill(chinese, &found);
        }
    }
    text.to_owned()
}

/// Translates a remark on a line to Chinese.
pub fn remark(text: &str) -> String {
    for (english, chinese) in REMARKS {
        if let Some(found) = holes(text, english) {
            let mut found: Vec<String> =
                found.into_iter().map(|part| name(part).unwrap_or_else(|| pattern(part))).collect();
            // In Chinese the kind of access precedes its count.
            if chinese.starts_with("每次") && found.len() > 1 {
                found.swap(0, 1);
            }
            return fill(chinese, &found);
        }
    }
    text.to_owned()
}

/// Translates the changes between two rungs to Chinese.
pub fn reason(text: &str) -> String {
    let parts = text.split("; ").map(|part| match part.split_once(": ") {
        Some((label, list)) => format!("{}：{}", change(label), changes(list)),
        None => changes(part),
    });
    parts.collect::<Vec<_>>().join("；")
}

fn changes(list: &str) -> String {
    list.split(", ").map(change).collect::<Vec<_>>().join("，")
}

fn change(part: &str) -> String {
    if let Some(whole) = name(part) {
        return whole;
    }
    for (english, chinese) in CHANGES {
        if let Some(found) = holes(part, english) {
            let found: Vec<String> = found.into_iter().map(str::to_owned).collect();
            return fill(chinese, &found);
        }
    }
    if let Some(gone) = part.strip_prefix("no ").and_then(name) {
        return after("不再有", &gone);
    }
    if let Some(new) = part.strip_prefix('+').and_then(name) {
        return after("新增", &new);
    }
    let split = part.rsplit_once(' ');
    let known = split.and_then(|(what, factor)| Some((name(what)?, factor)));
    known.map_or_else(|| part.to_owned(), |(what, factor)| format!("{what} {}", sign(factor)))
}

/// A Chinese word and what follows it, with a space before a Latin letter.
fn after(word: &str, text: &str) -> String {
    let space = if text.starts_with(|c: char| c.is_ascii()) { " " } else { "" };
    format!("{word}{space}{text}")
}

/// Formats a factor: `x4.0` becomes `×4.0`, `/4.0` becomes `÷4.0`.
fn sign(factor: &str) -> String {
    factor.replacen('x', "×", 1).replacen('/', "÷", 1)
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
    fn every_row_is_in_both_languages_and_no_key_is_there_twice() {
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
        let dynamic = ["space:", "kind:", "limit:", "class:", "group:", "sass:"];
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
    fn what_is_said_has_its_chinese() {
        let said = remark("32.0 sectors per load, optimal 4.0: stride 4096 B");
        assert_eq!(said, "每次加载取 32.0 个扇区，最优 4.0 个：步长 4096 B");
        let said =
            remark("32.0 wavefronts per shared load, 31.0 of them bank conflicts: stride 128 B");
        assert_eq!(
            said,
            "每次共享内存加载用 32.0 个 wavefront，其中 31.0 个是 bank 冲突：步长 128 B"
        );
        assert_eq!(
            remark("50 % of executions diverge at the branch of column 9"),
            "50 % 的执行在第 9 列的分支处分化"
        );
        let said = remark(
            "9.0 sectors per store, optimal 8.0, misaligned start (4 B past a 32-byte sector): stride 8 B",
        );
        assert!(said.starts_with("每次存储取 9.0 个扇区") && said.ends_with("步长 8 B"), "{said}");
        let said = pattern("groups of 16 lanes: one address, 64 B between groups");
        assert_eq!(said, "每 16 个 lane 一组：同一地址，组间相距 64 B");
        assert_eq!(
            reason("better: no bank conflicts, instructions /1.5; worse: +barriers"),
            "改善：不再有 bank 冲突，指令 ÷1.5；变差：新增屏障"
        );
        assert_eq!(reason("2.00x faster; warps x4.0"), "速度为原来的 2.00 倍；warp 数 ×4.0");
        assert_eq!(remark("<something> new"), "<something> new");
    }

    #[test]
    fn forms_have_as_many_holes_in_both_languages() {
        for (english, chinese) in REMARKS.iter().chain(PATTERNS).chain(CHANGES) {
            assert_eq!(english.matches("{}").count(), chinese.matches("{}").count(), "{english}");
        }
    }
}
