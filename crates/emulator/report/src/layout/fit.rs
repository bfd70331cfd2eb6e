//! Fits a table to a width: chooses its columns, their forms and widths. Also measures text in terminal columns and breaks
//! lines.
//!
//! *Algorithm.* Greedy by rank. It keeps the columns that fit in their shortest forms, the most
//! important first. While there is room, columns then get full cells, then headers on one line. The
//! remaining room goes to columns with wrapped text, as evenly as their texts allow.
//!
//! A line may break at a space, and next to a character that is two columns wide, such as a Chinese one,
//! but not before closing or after opening punctuation. A no-break space does not break, and is printed as
//! a space.

use crate::layout::table::{Column, Fit, Flow, Shown, Table};
use std::collections::BTreeSet;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Space between two columns.
pub(super) const GAP: usize = 2;

/// Width below which wrapped text is not squeezed if another column can shrink.
const PROSE: usize = 24;

/// Like [`PROSE`], for text that may be cut.
const EXCERPT: usize = 16;

/// Width of wrapped text if lines may have any length.
const WIDTH_OF_FILES: usize = 100;

/// The form of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Form {
    /// Short cells under a short, wrapped header.
    Short,
    /// Full cells under a wrapped header.
    Full,
    /// Full cells under a header of one line.
    Wide,
}

/// A column that is shown.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    /// Its index in the table.
    pub column: usize,
    /// Its form.
    pub form: Form,
    /// Its width in terminal columns.
    pub width: usize,
}

/// The layout of a table.
pub(super) enum Plan {
    /// Columns side by side.
    Columns(Vec<Place>),
    /// Each row as a list of its cells in these columns.
    Lists(Vec<usize>),
}

/// The header of a column in a form.
pub(super) fn header(column: &Column, form: Form) -> &str {
    match form {
        Form::Short => column.short.as_ref().unwrap_or(&column.header),
        _ => &column.header,
    }
}

/// Returns the layout and the dropped columns.
pub(super) fn plan(table: &Table, fit: &Fit) -> (Plan, Vec<usize>) {
    let wanted = (0..table.columns.len()).filter(|at| fit.shown.wants(&table.columns[*at]));
    let mut kept: Vec<usize> = wanted.collect();
    let (mut left_out, room) = (Vec::new(), fit.width.filter(|_| fit.shown != Shown::All));
    let Some(room) = room else {
        return (Plan::Columns(unlimited(table, &kept)), left_out);
    };
    let shortest = |kept: &[usize]| -> Vec<Place> {
        kept.iter().map(|at| place(table, *at, Form::Short)).collect()
    };
    if fit.shown == Shown::Fitting {
        // Empty columns need no room.
        kept.retain(|at| table.columns[*at].rank == 0 || natural(table, *at) > 0);
        let rank = |at: usize| table.columns[at].rank;
        let mut order = kept.clone();
        order.sort_by_key(|at| rank(*at));
        kept.retain(|at| rank(*at) == 0);
        for at in order.into_iter().filter(|at| rank(*at) > 0) {
            // If a column does not fit, narrower and less important ones may still fit.
            let with = [kept.as_slice(), &[at]].concat();
            match total(&shortest(&with)) <= room {
                true => kept = with,
                false => left_out.push(at),
            }
        }
        kept.sort_unstable();
    }
    left_out.sort_unstable();
    let mut places = shortest(&kept);
    if total(&places) > room {
        squeeze(table, &mut places, room);
    }
    if total(&places) > room {
        return (Plan::Lists(kept), left_out);
    }
    grow(table, &mut places, room);
    (Plan::Columns(places), left_out)
}

/// Total width of these columns.
fn total(places: &[Place]) -> usize {
    places.iter().map(|place| place.width).sum::<usize>() + GAP * places.len().saturating_sub(1)
}

/// The cells of a column in a form.
fn cells(table: &Table, at: usize, form: Form) -> impl Iterator<Item = &str> {
    table.rows.iter().map(move |row| match (&row[at].short, form) {
        (Some(short), Form::Short) => short.as_str(),
        _ => row[at].text.as_str(),
    })
}

/// Whether the text of a column may wrap or be cut.
fn flows(table: &Table, place: &Place) -> bool {
    table.columns[place.column].flow != Flow::Stays
}

fn widest_line(text: &str) -> usize {
    text.lines().map(columns).max().unwrap_or(0)
}

/// Places a column in a form; wrapped text gets only its minimum width.
fn place(table: &Table, at: usize, form: Form) -> Place {
    let column = &table.columns[at];
    let of_header = match form {
        Form::Wide => columns(header(column, form)),
        _ => longest_piece(header(column, form)),
    };
    let of_cells = match column.flow {
        Flow::Stays => cells(table, at, form).map(widest_line).max().unwrap_or(0),
        Flow::Wraps => least(table, at).max(natural(table, at).min(PROSE)),
        Flow::Ends => natural(table, at).min(EXCERPT),
    };
    Place { column: at, form, width: of_header.max(of_cells) }
}

/// Width of a column's text on one line.
fn natural(table: &Table, at: usize) -> usize {
    cells(table, at, Form::Full).map(widest_line).max().unwrap_or(0)
}

fn least(table: &Table, at: usize) -> usize {
    if table.columns[at].flow == Flow::Ends {
        return 1;
    }
    cells(table, at, Form::Full).map(longest_piece).max().unwrap_or(0)
}

/// Shrinks wrapped text, down to its longest word.
fn squeeze(table: &Table, places: &mut [Place], room: usize) {
    let over = total(places).saturating_sub(room);
    let mut over = over;
    for place in places.iter_mut().filter(|place| flows(table, place)) {
        let header = longest_piece(header(&table.columns[place.column], place.form));
        let gives = place.width.saturating_sub(least(table, place.column).max(header)).min(over);
        place.width -= gives;
        over -= gives;
    }
}

/// Distributes the remaining room: full cells, then headers of one line, then wider text.
fn grow(table: &Table, places: &mut [Place], room: usize) {
    let ranks: BTreeSet<u8> = places.iter().map(|of| table.columns[of.column].rank).collect();
    for (form, rank) in [Form::Full, Form::Wide]
        .into_iter()
        .flat_map(|form| ranks.iter().map(move |rank| (form, *rank)))
    {
        // Columns of one rank change together, so that similar columns look alike.
        let changed = places.iter().map(|of| match table.columns[of.column].rank == rank {
            true => Place { width: place(table, of.column, form).width.max(of.width), form, ..*of },
            false => *of,
        });
        let changed: Vec<Place> = changed.collect();
        if total(&changed) <= room {
            places.copy_from_slice(&changed);
        }
    }
    let prose: Vec<usize> = (0..places.len()).filter(|at| flows(table, &places[*at])).collect();
    let mut left = room.saturating_sub(total(places));
    while left > 0 {
        let short = |at: &&usize| places[**at].width < natural(table, places[**at].column);
        let Some(at) = prose.iter().filter(short).min_by_key(|at| places[**at].width) else {
            break;
        };
        places[*at].width += 1;
        left -= 1;
    }
}

/// Places every column in full; text wraps, but at a greater width than on a terminal.
fn unlimited(table: &Table, kept: &[usize]) -> Vec<Place> {
    let mut places: Vec<Place> = kept.iter().map(|at| place(table, *at, Form::Wide)).collect();
    for at in 0..places.len() {
        let column = places[at].column;
        if flows(table, &places[at]) {
            let room = WIDTH_OF_FILES.saturating_sub(total(&places) - places[at].width);
            let most = natural(table, column).min(room);
            places[at].width = places[at].width.max(most);
        }
    }
    places
}

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

/// Wide characters that must not start a line.
const CLOSING: &str = "，。、；：！？）》」』】…—％";

/// Wide characters that must not end a line.
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

/// Wraps text in lines of at most `width` columns, unless a word is longer; keeps its line breaks.
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
    fn cut_texts_end_with_an_ellipsis() {
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
