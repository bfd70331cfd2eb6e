//! Translation of finished English text: lines and their parts.
//!
//! A piece is translated by the entry that matches it as a whole. If none does, it is split at separators, colors,
//! columns and brackets.

use super::catalog::Catalog;
use crate::words::catalog::{Entry, TemplatePart};
use crate::words::spacing::{apart, is_chinese, is_mark, join, opening};
use lanework::report::layout::{columns, wrap};

/// Maximum number of lines over which a sentence of the catalog may be wrapped.
const LINES: usize = 9;

/// Width to which the translation of such a sentence is wrapped.
const WIDTH: usize = 98;

/// Minimum bytes of an entry that may span several lines.
const LONG: usize = 40;

/// A text of any number of lines.
pub fn text(catalog: &Catalog, text: &str) -> String {
    let lines: Vec<&str> = text.split('\n').collect();
    let mut out = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        match paragraph(catalog, &lines[at..]) {
            Some((said, taken)) => {
                out.push(said);
                at += taken;
            }
            None => {
                out.push(line(catalog, lines[at]));
                at += 1;
            }
        }
    }
    out.join("\n")
}

/// A standalone word or phrase.
pub fn term(catalog: &Catalog, text: &str) -> String {
    let Some(found) = catalog.exact(text.trim()) else { return self::text(catalog, text) };
    text.replace(text.trim(), &fill(catalog, found, &[]))
}

/// The entry that matches the first lines, unless a single line matches one, and the number of
/// lines.
fn paragraph(catalog: &Catalog, lines: &[&str]) -> Option<(String, usize)> {
    let first = lines.first()?;
    let indent = &first[..first.len() - first.trim_start().len()];
    let alone = first.trim().is_empty() || is_code(first) || first.trim().contains("  ");
    if alone || whole(catalog, first.trim(), false).is_some() {
        return None;
    }
    let mut joined = first.trim().to_owned();
    for (index, next) in lines.iter().enumerate().take(LINES).skip(1) {
        if next.trim().is_empty() || is_code(next) || next.trim().contains("  ") {
            break;
        }
        joined.push(' ');
        joined.push_str(next.trim());
        let found = best(catalog, &joined).filter(|(entry, _)| entry.weight >= LONG);
        if let Some((entry, held)) = found {
            let said = fill(catalog, entry, &held);
            let lines = wrap(&said, WIDTH.saturating_sub(columns(indent)));
            let lines: Vec<String> = lines.iter().map(|line| format!("{indent}{line}")).collect();
            return Some((lines.join("\n"), index + 1));
        }
    }
    None
}

/// Whether the line quotes source code.
pub(super) fn is_code(line: &str) -> bool {
    let after_number = line.trim_start().trim_start_matches(|c: char| c.is_ascii_digit());
    after_number.trim_start().starts_with('|')
        || (line.trim_start().starts_with("--> ") && !line.trim_start().starts_with("--> PTX text"))
}

/// One line.
fn line(catalog: &Catalog, line: &str) -> String {
    if is_code(line) {
        // Below quoted source, a mark may be followed by words.
        let Some(mark) = line
            .find(['^', '~'])
            .filter(|mark| line[..*mark].chars().all(|c| c == ' ' || c == '|'))
        else {
            return line.to_owned();
        };
        let rest = line[mark..].trim_start_matches(['^', '~', '-']);
        let (marks, words) = line.split_at(line.len() - rest.len());
        return marks.to_owned() + &piece(catalog, words, false).0;
    }
    piece(catalog, line, false).0
}

/// The start of an escape code.
const ESCAPE: char = '\u{1b}';

/// The best matching entry for a text, with the contents of its holes.
fn best<'c, 't>(catalog: &'c Catalog, text: &'t str) -> Option<(&'c Entry, Vec<&'t str>)>
where
    't: 'c,
{
    let mut found: Option<(&Entry, Vec<&str>)> = None;
    if let Some(entry) = catalog.exact(text) {
        return Some((entry, Vec::new()));
    }
    for entry in catalog.candidates(text) {
        if found.as_ref().is_some_and(|(known, _)| known.weight >= entry.weight) {
            continue;
        }
        if let Some(held) = entry.fits(text) {
            found = Some((entry, held));
        }
    }
    found
}

/// The translation of the text as a whole. A single word is looked up only if it cannot be a name.
fn whole(catalog: &Catalog, text: &str, word: bool) -> Option<String> {
    if !word && !text.contains(|c: char| !c.is_ascii_alphanumeric() && c != '_') {
        return None;
    }
    best(catalog, text).map(|(entry, held)| fill(catalog, entry, &held))
}

/// Holes whose contents are a name: it is not translated.
const NAMES: [&str; 3] = ["entry", "ladder", "rung"];

/// The translation with its holes filled.
fn fill(catalog: &Catalog, entry: &Entry, held: &[&str]) -> String {
    let mut values = Vec::new();
    let mut before = "";
    for part in &entry.parts {
        match part {
            TemplatePart::Text(text) => before = text,
            TemplatePart::Hole(name) => {
                let verbatim = before.ends_with(['`', '\'', '"']) || NAMES.contains(name);
                let value = held.get(values.len()).copied().unwrap_or_default();
                let value = match verbatim {
                    true => value.to_owned(),
                    false => piece(catalog, value, true).0,
                };
                values.push((*name, value));
                before = "";
            }
        }
    }
    let mut out = String::new();
    let mut unnamed = 0;
    for part in &entry.chinese {
        match part {
            TemplatePart::Text(text) => join(&mut out, text),
            TemplatePart::Hole(name) => {
                let of_name = |(known, _): &&(&str, String)| known == name;
                let value = match name.is_empty() {
                    true => {
                        unnamed += 1;
                        values.get(unnamed - 1)
                    }
                    false => values.iter().find(of_name),
                };
                let value = value.map_or("", |(_, value)| value);
                match value.strip_prefix(", ").filter(|_| out.ends_with(is_chinese)) {
                    Some(rest) => join(&mut out, &format!("，{rest}")),
                    None => join(&mut out, value),
                }
            }
        }
    }
    out
}

/// Separators at which text is split, the outermost first, and the Chinese form of each.
const SEPARATORS: [(&str, &str); 8] = [
    (WIDE_GAP, WIDE_GAP),
    (". ", "。"),
    ("; ", "；"),
    (LABEL, "："),
    (" = ", " = "),
    (", ", "，"),
    (" - ", " - "),
    (NO_BREAK, NO_BREAK),
];

/// Separates a name from the text about it, which may begin with a name, too.
const LABEL: &str = ": ";

/// Separates a place from its code.
const WIDE_GAP: &str = "\u{a0}\u{a0}";

/// Separates a name from its figure.
const NO_BREAK: &str = "\u{a0}";

/// Punctuation at the end of a text.
const ENDS: [(&str, &str); 3] = [(".", "。"), (":", "："), (",", "，")];

/// A piece of a line, and whether any of it was translated.
fn piece(catalog: &Catalog, text: &str, word: bool) -> (String, bool) {
    let core = text.trim();
    if !core.contains(|c: char| c.is_ascii_alphabetic()) {
        return (text.to_owned(), false);
    }
    let lead = &text[..text.len() - text.trim_start().len()];
    let trail = &text[lead.len() + core.len()..];
    match unpadded(catalog, core, word) {
        // No space follows full-width punctuation.
        Some(said) if said.ends_with(is_mark) && trail == " " => (format!("{lead}{said}"), true),
        Some(said) => (format!("{lead}{said}{trail}"), true),
        None => (text.to_owned(), false),
    }
}

/// A piece without blanks around it.
fn unpadded(catalog: &Catalog, core: &str, word: bool) -> Option<String> {
    // Text before an escape code is a separate label.
    let labeled = core.starts_with(ESCAPE);
    let whole = if labeled { None } else { whole(catalog, core, word) };
    if let Some(said) = whole.or_else(|| styled(catalog, core)) {
        return Some(said);
    }
    if let Some(said) = in_columns(catalog, core) {
        return Some(said);
    }
    for (end, chinese) in ENDS {
        let ended = core.strip_suffix(end).filter(|short| !short.is_empty());
        if let Some(said) = ended.and_then(|short| unpadded(catalog, short, true)) {
            return Some(said + chinese);
        }
    }
    for (separator, chinese) in SEPARATORS {
        let mut parts = apart(core, separator);
        if separator == LABEL && parts.len() > 1 {
            parts = vec![parts[0], &core[parts[0].len() + separator.len()..]];
        }
        if parts.len() < 2 {
            continue;
        }
        let said: Vec<(String, bool)> =
            parts.iter().map(|part| piece(catalog, part, separator == NO_BREAK)).collect();
        if said.iter().all(|(_, translated)| !translated) {
            continue;
        }
        let mut out = String::new();
        for (index, (part, translated)) in said.iter().enumerate() {
            if index > 0 {
                out.push_str(if *translated || said[index - 1].1 { chinese } else { separator });
            }
            out.push_str(part);
        }
        return Some(out);
    }
    let inner = core.strip_suffix(')')?;
    let open = opening(inner)?;
    let (before, within) = (&core[..open], &inner[open + 1..]);
    let (outside, first) = piece(catalog, before, word);
    let (inside, second) = piece(catalog, within, true);
    match (first, second) {
        (false, false) => None,
        (_, true) => Some(format!("{}（{inside}）", outside.trim_end())),
        (true, false) => Some(format!("{} ({inside})", outside.trim_end())),
    }
}

/// A label in a color, and what follows; else the pieces between changes of color.
fn styled(catalog: &Catalog, core: &str) -> Option<String> {
    if !core.contains(ESCAPE) {
        return None;
    }
    let mut out = String::new();
    let mut any = false;
    let mut rest = core;
    while !rest.is_empty() {
        let until = rest.find(ESCAPE).unwrap_or(rest.len());
        if let Some(after) = rest.strip_prefix(": ").filter(|_| any) {
            out.push('：');
            out.push_str(&piece(catalog, after, false).0);
            break;
        }
        if until > 0 {
            let (said, translated) = piece(catalog, &rest[..until], true);
            // No space follows full-width punctuation.
            let said = match out.trim_end_matches("\u{1b}[0m").ends_with(is_mark) {
                true => said.trim_start().to_owned(),
                false => said,
            };
            out.push_str(&said);
            any |= translated;
            rest = &rest[until..];
        }
        let code = rest.find('m').map_or(rest.len(), |at| at + 1);
        out.push_str(&rest[..code]);
        rest = &rest[code..];
        // The text after the label is looked up as a whole, including its colors.
        if out.trim_end_matches("\u{1b}[0m").ends_with(is_mark) && !rest.is_empty() {
            let (said, translated) = piece(catalog, rest.trim_start(), false);
            out.push_str(&said);
            any |= translated;
            rest = "";
        }
    }
    any.then_some(out)
}

/// Columns are separated by two or more spaces. Each keeps its position.
fn in_columns(catalog: &Catalog, core: &str) -> Option<String> {
    core.find("  ")?;
    let mut out = String::new();
    let mut place = 0;
    let mut rest = core;
    // If one column is a text, a single word in another is its label, not a name. Text that is Chinese already was
    // translated with its label.
    let is_text = |part: &str| !part.contains(is_chinese) && piece(catalog, part, false).1;
    let any = core.split("  ").any(is_text);
    while !rest.is_empty() {
        let until = rest.find("  ").unwrap_or(rest.len());
        let gap = rest[until..].len() - rest[until..].trim_start().len();
        let (said, _) = piece(catalog, &rest[..until], any);
        out.push_str(&said);
        place += columns(&rest[..until]) + gap;
        if gap > 0 {
            let spaces = place.saturating_sub(columns(&out)).max(2);
            out.push_str(&" ".repeat(spaces));
        }
        rest = &rest[until + gap..];
    }
    any.then_some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(text: &str) -> String {
        self::text(&Catalog::chinese(), text)
    }

    #[test]
    fn composed_messages_are_translated_in_parts() {
        for (english, chinese) in [
            (
                "error: expected `;` after the instruction, found `}`",
                "错误：此处应为 `;`（在指令之后），实为 `}`",
            ),
            (
                "`add.u32`: operand 2, `%l1`, is a .b64 register; expected a .u32 value",
                "`add.u32`：第 2 个操作数 `%l1` 是 .b64 寄存器；应为 .u32 值",
            ),
            ("  padded   no bank conflicts, warps /4.0", "  padded   不再有 bank 冲突，warp /4.0"),
            (
                "  shared   改善：屏障 /4.0；另有变化：warp /4.0",
                "  shared   改善：屏障 /4.0；另有变化：warp /4.0",
            ),
            ("entry copy", "入口 copy"),
            ("copy ran on Lanework emulator", "copy 在 Lanework emulator 上运行完毕"),
            (
                "race between streams: kernel `f` (launch 2, stream 2) reads by atomics 8 of the 16 bytes at x+0, which \
                 kernel `g` (launch 1, stream 1) writes, and nothing orders the two",
                "流之间的竞争：核函数 `f`（第 2 次启动，流 2）以原子操作读取 x+0 起 16 字节中的 8 字节，而核函数 `g`（第 1 \
                 次启动，流 1）写入这里，两者之间没有先后次序",
            ),
            (
                "padded: skipped: cuBLAS runs on GPUs only",
                "padded：已跳过：cuBLAS 只能在 GPU 上运行",
            ),
            (
                "the tensor map `map` copies tiles of 32 x 64 without a swizzle, the kernel's are 32 x 64 with the swizzle Bytes128",
                "张量映射 `map` 拷贝不带 swizzle 的 32 x 64 的 tile，而核函数的是 swizzle 为 Bytes128 的 32 x 64",
            ),
            (
                "\u{1b}[31merror:\u{1b}[0m no ladder is called `x`",
                "\u{1b}[31m错误：\u{1b}[0m没有名为 `x` 的阶梯",
            ),
        ] {
            assert_eq!(said(english), chinese);
        }
    }

    #[test]
    fn names_and_code_are_not_translated() {
        for text in [
            "copy",
            "memory",
            " 7 | a[i] = b; // no bank conflicts",
            "  --> kernel.cu:7",
            "unpadded.rs:26\u{a0}\u{a0}dst[y * n + x] = tile[[a, b]];",
            "`no bank conflicts`",
            "",
        ] {
            assert_eq!(said(text), text);
        }
    }

    #[test]
    fn a_sentence_over_several_lines_is_one() {
        let english = "  The threads of a warp print in x-then-y order;\n  the order of blocks is unspecified.\nx";
        assert_eq!(
            said(english),
            "  一个 warp 的线程按先 x 后 y 的顺序输出；线程块的顺序不定。\nx"
        );
    }

    #[test]
    fn a_single_word_is_translated_only_as_a_term() {
        assert_eq!(term(&Catalog::chinese(), "  memory  "), "  内存  ");
    }
}
