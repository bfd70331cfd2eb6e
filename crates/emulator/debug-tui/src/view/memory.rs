//! The elements of an array, with the last writer of the selected one.

use crate::elements::{Elements, has_elements};
use crate::layout::inside;
use crate::state::App;
use crate::view::texts::{short, wrapped};
use lanework_debug::commands::Console;
use lanework_debug::data::types::{DataType, FloatKind};
use lanework_debug::session::Session;
use ratatui_core::layout::Rect;

/// An element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryCell {
    /// The value.
    pub value: String,
    /// Whether it was ever written.
    pub is_written: bool,
    /// Whether it was different at the stop before.
    pub has_changed: bool,
    /// Whether it is selected.
    pub is_selected: bool,
}

/// The memory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MemoryView {
    /// The array, and its number of elements.
    pub array: String,
    /// The type of an element.
    pub ty: String,
    /// The number of elements.
    pub count: u64,
    /// The index of each row's first element, and the row.
    pub rows: Vec<(u64, Vec<MemoryCell>)>,
    /// The columns of a cell.
    pub width: usize,
    /// The columns of an index.
    pub label: usize,
    /// The last writer or reader of the selected element, line by line.
    pub note: Vec<String>,
    /// The reason why there are no elements, in English.
    pub why: Option<String>,
}

/// Columns of a cell for a type.
fn width(ty: &DataType) -> usize {
    match ty {
        DataType::Bool => 7,
        DataType::Integer { bytes, .. } => [5, 7, 8, 12, 14][bytes.ilog2().min(4) as usize],
        DataType::Float(FloatKind::F64) => 14,
        DataType::Float(_) => 11,
        DataType::Pointer(_) => 16,
        DataType::Bits(_) | DataType::Void | DataType::Array(..) | DataType::Record(_) => 26,
    }
}

pub(super) fn view(app: &mut App, console: &mut Console<'_, '_>, pane: Rect) -> MemoryView {
    let session = &*console.session;
    (app.elements, app.selected) = (0, None);
    let Some(array) = app.memory.clone().or_else(|| default_array(session)) else {
        let why = Some("the kernel has no arrays; m chooses an expression".to_owned());
        return MemoryView { why, ..MemoryView::default() };
    };
    let elements = match Elements::of(&array, session) {
        Ok(elements) => elements,
        Err(why) => return MemoryView { array, why: Some(why), ..MemoryView::default() },
    };
    app.elements = elements.count;
    app.element = app.element.min(elements.count.saturating_sub(1));
    let (columns, height) = inside(pane);
    let label = elements.count.saturating_sub(1).to_string().len() + 1;
    let width = width(&elements.ty);
    let per_row = (columns.saturating_sub(label) / width).max(1);
    let per_row = if per_row >= 4 { 1 << per_row.ilog2() } else { per_row } as u64;
    let note = match &app.note {
        Some(note) if elements.count > 0 && note.of == elements.name(app.element) => {
            wrapped(&app.say(&note.text), columns, height / 2)
        }
        _ => Vec::new(),
    };
    let rows = height.saturating_sub(note.len()).max(1) as u64;
    app.grid = (per_row, rows);
    let first = app.element / per_row / rows * rows;
    let mut view = MemoryView {
        ty: elements.ty.to_string(),
        count: elements.count,
        width,
        label,
        note,
        ..MemoryView::default()
    };
    for row in first..first + rows {
        let from = row * per_row;
        let mut cells = Vec::new();
        for index in from..(from + per_row).min(elements.count) {
            let name = elements.name(index);
            let (value, is_written) = match session.evaluate(&name) {
                Ok(value) => short(&value),
                Err(why) => {
                    view.why = view.why.or(Some(why));
                    (String::new(), true)
                }
            };
            let has_changed = app.seen.changed(name.clone(), &value);
            let is_selected = index == app.element;
            if is_selected {
                app.selected = Some(name);
            }
            cells.push(MemoryCell { value, is_written, has_changed, is_selected });
        }
        if !cells.is_empty() {
            view.rows.push((from, cells));
        }
    }
    if elements.count == 0 {
        view.why = Some("no allocation holds the memory behind this pointer".to_owned());
    }
    view.array = array;
    view
}

/// The first shared array; else the first parameter that is a pointer.
fn default_array(session: &Session<'_>) -> Option<String> {
    let scope = session.scope();
    let mut names = scope.shared_names().into_iter().chain(scope.parameter_names());
    names.find(|name| session.evaluate(name).is_ok_and(|value| has_elements(&value.ty)))
}
