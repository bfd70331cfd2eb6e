//! Fitting: which columns a table shows, each in which form, and how wide.
//!
//! Greedy, by rank: the columns that fit in their shortest forms are kept, the most important first; then each
//! gets its full cells, then its header on one line, as far as there is room; what is left goes to the columns
//! whose text is wrapped, as evenly as their texts allow.

use super::table::{Column, Fit, Flow, Shown, Table};
use super::words::{columns, longest_piece};
use std::collections::BTreeSet;

/// Columns between two columns.
pub(super) const GAP: usize = 2;
/// Columns below which wrapped text is not squeezed where something else can give way.
const PROSE: usize = 24;
/// The same of text of which the beginning will do.
const EXCERPT: usize = 16;
/// The width that text is wrapped to, where it can be, if there is no limit to a line.
const WIDTH_OF_FILES: usize = 100;

/// How a column is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Form {
    /// Short cells under a short header, wrapped.
    Short,
    /// Full cells under a wrapped header.
    Full,
    /// Full cells under a header of one line.
    Wide,
}

/// A column that is shown.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    /// The column of the table.
    pub column: usize,
    /// How it is written.
    pub form: Form,
    /// Its columns on the terminal.
    pub width: usize,
}

/// How a table is laid out.
pub(super) enum Plan {
    /// Side by side.
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

/// The columns to show and their forms; and which are left out.
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
        // What has nothing to say needs no room.
        kept.retain(|at| table.columns[*at].rank == 0 || natural(table, *at) > 0);
        let rank = |at: usize| table.columns[at].rank;
        let mut order = kept.clone();
        order.sort_by_key(|at| rank(*at));
        kept.retain(|at| rank(*at) == 0);
        for at in order.into_iter().filter(|at| rank(*at) > 0) {
            // A column that does not fit makes way for narrower ones of less weight.
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

/// Columns that a line of these takes.
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

/// Whether the text of a column need not be on one line, or not all of it.
fn flows(table: &Table, place: &Place) -> bool {
    table.columns[place.column].flow != Flow::Stays
}

fn widest_line(text: &str) -> usize {
    text.lines().map(columns).max().unwrap_or(0)
}

/// A column in a form; text that is wrapped takes no more than it should at least have.
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

/// Columns that the text of a column takes on one line, and those of its longest word.
fn natural(table: &Table, at: usize) -> usize {
    cells(table, at, Form::Full).map(widest_line).max().unwrap_or(0)
}

fn least(table: &Table, at: usize) -> usize {
    if table.columns[at].flow == Flow::Ends {
        return 1;
    }
    cells(table, at, Form::Full).map(longest_piece).max().unwrap_or(0)
}

/// Takes from wrapped text what it can give, down to its longest word.
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

/// Gives what room is left: full cells, then headers of one line, then wider text.
fn grow(table: &Table, places: &mut [Place], room: usize) {
    let ranks: BTreeSet<u8> = places.iter().map(|of| table.columns[of.column].rank).collect();
    for (form, rank) in [Form::Full, Form::Wide]
        .into_iter()
        .flat_map(|form| ranks.iter().map(move |rank| (form, *rank)))
    {
        // Columns of one rank change together, so that those of one kind look alike.
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

/// Every column in full; text is wrapped, but to lines longer than it has on a terminal.
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
