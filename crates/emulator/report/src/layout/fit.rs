//! Fitting: which columns a table shows, in which form, and how wide.
//!
//! *Algorithm.* Greedy by rank. Keeps the columns that fit in their shortest forms, the most
//! important first. Then each gets its full cells, then its header on one line, if there is room.
//! The rest goes to columns with wrapped text, as evenly as their texts allow.

use crate::layout::table::{Column, Fit, Flow, Shown, Table};
use crate::layout::words::{columns, longest_piece};
use std::collections::BTreeSet;

/// Space between two columns.
pub(super) const GAP: usize = 2;
/// Width below which wrapped text is not squeezed if another column can shrink.
const PROSE: usize = 24;
/// The same for text that may be cut.
const EXCERPT: usize = 16;
/// Width of wrapped text if lines have no limit.
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
    /// Each row as a list of its cells, of these columns.
    Lists(Vec<usize>),
}

/// The header of a column in a form.
pub(super) fn header(column: &Column, form: Form) -> &str {
    match form {
        Form::Short => column.short.as_ref().unwrap_or(&column.header),
        _ => &column.header,
    }
}

/// The layout, and the columns that are dropped.
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
            // A column that does not fit leaves its room to narrower ones of higher rank numbers.
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

/// A column in a form; wrapped text gets only its minimum width.
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

/// Width of a column's text on one line, and of its longest word.
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
        // Columns of one rank change together, so that similar ones look alike.
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

/// Every column in full; text wraps, but at a greater width than on a terminal.
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
