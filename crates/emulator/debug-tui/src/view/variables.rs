//! The variables, parameters and shared arrays of the selected thread.

use crate::layout::inside;
use crate::state::App;
use crate::view::texts::short;
use lanework_debug::commands::Console;
use lanework_debug::data::types::DataType;
use lanework_debug::session::Session;
use ratatui_core::layout::Rect;

/// A variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VariableRow {
    /// Its name.
    pub name: String,
    /// Its value; `None` if it has none at this step.
    pub value: Option<String>,
    /// Whether it was different at the stop before.
    pub has_changed: bool,
    /// Whether it is selected.
    pub is_selected: bool,
}

/// The variables.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VariablesView {
    /// Those that fit the pane.
    pub rows: Vec<VariableRow>,
}

/// Elements of an array that are shown beside its name.
const SHOWN: u64 = 8;

pub(super) fn view(app: &mut App, console: &mut Console<'_, '_>, pane: Rect) -> VariablesView {
    let session = &*console.session;
    app.names = names(session);
    app.variable = app.variable.min(app.names.len().saturating_sub(1));
    let (_, rows) = inside(pane);
    let first = (app.variable + 1).saturating_sub(rows.max(1));
    let (block, thread) = session.focus();
    let shown: Vec<(usize, String)> =
        app.names.iter().cloned().enumerate().skip(first).take(rows).collect();
    let mut view = VariablesView::default();
    for (index, name) in shown {
        let value = value_of(&name, session);
        let shown = value.as_deref().unwrap_or_default();
        let has_changed = app.seen.changed(format!("{block}.{thread} {name}"), shown);
        let is_selected = index == app.variable;
        view.rows.push(VariableRow { name, value, has_changed, is_selected });
    }
    view
}

/// The names that are visible to the thread.
fn names(session: &Session<'_>) -> Vec<String> {
    let scope = session.scope();
    let locals = scope.locals(session.place().instruction);
    let mut names: Vec<String> = locals.iter().map(|of| of.name.clone()).collect();
    // Once a function has stored its parameters, they are also local variables.
    for name in scope.parameter_names().into_iter().chain(scope.shared_names()) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// The value of a variable as text; `None` if it has none at this step.
fn value_of(name: &str, session: &Session<'_>) -> Option<String> {
    let value = session.evaluate(name).ok()?;
    Some(match &value.ty {
        DataType::Array(_, count) if *count > SHOWN => {
            match session.evaluate(&format!("{name}[0..{SHOWN}]")) {
                Ok(start) => {
                    let start = marked(short(&start));
                    format!("{}, ...]", start.strip_suffix(']').unwrap_or(&start))
                }
                Err(why) => why,
            }
        }
        _ => marked(short(&value)),
    })
}

/// A value, with the mark of memory that was never written.
fn marked((text, is_written): (String, bool)) -> String {
    if is_written { text } else { format!("? {text}") }
}
