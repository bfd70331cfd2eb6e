//! Terminal text: its width in columns, and line breaking.
//!
//! A line may break at a space, and next to a character that is two columns wide, such as a Chinese one,
//! but not before closing or after opening punctuation. A no-break space does not break, and is printed as
//! a space.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Width of the text on a terminal.
pub fn columns(text: &str) -> usize {
    text.width()
}

/// Cuts a text to `most` columns, with an ellipsis.
pub fn cut(text: &str, most: usize) -> String {
    if columns(text) <= most {
        return text.to_owned();
    }
    let mut short = String::new();
    for letter in text.chars() {
        let wide = columns(&short) + letter.width().unwrap_or(0);
        if wide + 1 > most {
            break;
        }
        short.push(letter);
    }
    if most > 0 {
        short.push('…');
    }
    short
}

/// Cuts a text after whole words, or within the first word if that is too long, with an ellipsis.
pub fn excerpt(text: &str, most: usize) -> String {
    let text = text.lines().next().unwrap_or_default().trim();
    if columns(text) <= most {
        return text.to_owned();
    }
    let words = wrap(text, most.saturating_sub(2)).into_iter().next().unwrap_or_default();
    if columns(&words) + 2 > most { cut(text, most) } else { format!("{words} …") }
}

/// Wraps a paragraph after a label in lines of at most `most` columns; indents further lines by the
/// label's width. Each line ends with a newline.
pub fn hanging(label: &str, text: &str, most: usize) -> String {
    let indent = columns(label);
    let mut said = String::new();
    for (number, line) in wrap(text, most.saturating_sub(indent)).iter().enumerate() {
        let before = if number == 0 { label.to_owned() } else { " ".repeat(indent) };
        said.push_str(&format!("{before}{line}\n"));
    }
    said
}

/// Wide characters that stay with the one before them.
const CLOSING: &str = "，。、；：！？）》」』】…—％";
/// Wide characters that stay with the one after them.
const OPENING: &str = "（《「『【";

/// An unbreakable piece: a word, or one wide character with its punctuation, and whether a space
/// precedes it.
struct Piece<'a> {
    text: &'a str,
    spaced: bool,
}

fn is_wide(letter: char) -> bool {
    letter.width() == Some(2)
}

/// Whether a line may end between two neighboring characters that are not spaces.
fn may_part(before: char, after: char) -> bool {
    (is_wide(before) || is_wide(after))
        && !CLOSING.contains(after)
        && !OPENING.contains(before)
        && !matches!(after, '.' | ',' | ';' | ':' | ')' | '%')
        && before != '('
}

fn pieces(text: &str) -> Vec<Piece<'_>> {
    let mut found = Vec::new();
    let mut spaced = false;
    for word in text.split(' ') {
        let mut start = 0;
        let mut before = None;
        for (at, letter) in word.char_indices() {
            if before.is_some_and(|before| may_part(before, letter)) {
                found.push(Piece { text: &word[start..at], spaced });
                (start, spaced) = (at, false);
            }
            before = Some(letter);
        }
        if !word.is_empty() {
            found.push(Piece { text: &word[start..], spaced });
            spaced = false;
        }
        spaced |= !found.is_empty();
    }
    found
}

/// Width of the longest unbreakable piece.
pub(super) fn longest_piece(text: &str) -> usize {
    let lines = text.lines().flat_map(pieces);
    lines.map(|piece| columns(piece.text)).max().unwrap_or(0)
}

/// Converts no-break spaces to spaces.
pub(super) fn written(line: &str) -> String {
    line.replace('\u{a0}', " ")
}

/// Wraps text in lines of at most `width` columns, unless a word is longer; keeps line ends.
pub fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    for paragraph in text.lines() {
        let mut line = String::new();
        let mut taken = 0;
        for piece in pieces(paragraph) {
            let (wide, space) = (columns(piece.text), usize::from(piece.spaced));
            if taken > 0 && taken + space + wide > width {
                lines.push(written(&std::mem::take(&mut line)));
                taken = 0;
            }
            if taken > 0 && piece.spaced {
                line.push(' ');
                taken += 1;
            }
            line.push_str(piece.text);
            taken += wide;
        }
        lines.push(written(&line));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_at_spaces_only() {
        assert_eq!(wrap("one two three", 7), ["one two", "three"]);
        assert_eq!(wrap("  one  two", 20), ["one two"]);
        assert_eq!(wrap("1,048,576 words", 5), ["1,048,576", "words"]);
        assert_eq!(wrap("moves 8, barriers\u{a0}64", 12), ["moves 8,", "barriers 64"]);
        assert_eq!(wrap("a\n\nb c", 9), ["a", "", "b c"]);
        assert!(wrap("", 9).is_empty());
    }

    #[test]
    fn what_is_cut_has_an_ellipsis() {
        assert_eq!((cut("abcdef", 4), cut("abc", 3)), ("abc…".to_owned(), "abc".to_owned()));
        assert_eq!(excerpt("let x = tile[row][column];", 12), "let x = …");
        assert_eq!(excerpt("tile[row][column]", 12), "tile[row][c…");
        assert_eq!(hanging("  - ", "one two", 8), "  - one\n    two\n");
        assert_eq!((cut("每行一个", 6), cut("abc", 0)), ("每行…".to_owned(), String::new()));
    }

    #[test]
    fn chinese_is_two_columns_wide_and_ends_a_line_anywhere_but_at_punctuation() {
        assert_eq!(columns("每行 4 B"), 8);
        assert_eq!(wrap("每行一个扇区，共4个。", 8), ["每行一个", "扇区，共", "4个。"]);
        assert_eq!(wrap("共享内存（shared）", 8), ["共享内存", "（shared）"]);
        assert_eq!(longest_piece("用 tensor-cores 计算"), 12);
    }
}
