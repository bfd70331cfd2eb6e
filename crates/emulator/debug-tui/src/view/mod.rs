//! Everything that one frame shows, as plain data: read from the session, without drawing.

mod lanes;
mod memory;
mod source;
mod texts;
mod timeline;
mod variables;

use crate::Translator;
use crate::layout::{Panes, panes};
use crate::state::{App, KeyMode, Pane, StatusText};
pub use lanes::{LaneCell, WarpView};
use lanework_debug::commands::Console;
use lanework_debug::session::stepping::StepUnit;
pub use memory::{MemoryCell, MemoryView};
pub use source::{SourceRow, SourceView};
use texts::wrapped;
pub use timeline::TimelineView;
pub use variables::{VariableRow, VariablesView};

/// A row of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListRow {
    /// The text.
    pub text: String,
    /// Whether it is selected.
    pub is_selected: bool,
}

/// A frame.
#[derive(Clone, Debug)]
pub struct ScreenView {
    /// Translates the texts of the interface.
    pub words: Translator,
    /// Whether to draw colors.
    pub color: bool,
    /// The pane with the focus.
    pub pane: Pane,
    /// The pane in the lower left area.
    pub tab: Pane,
    /// The effect of keys.
    pub mode: KeyMode,
    /// The position.
    pub title: String,
    /// The panes.
    pub source: SourceView,
    /// The variables.
    pub variables: VariablesView,
    /// The lanes of the warp.
    pub warp: WarpView,
    /// The elements of an array.
    pub memory: MemoryView,
    /// The findings; `None` before the check.
    pub findings: Option<Vec<ListRow>>,
    /// The whole text of the selected finding, line by line.
    pub finding: Vec<String>,
    /// The replies that fit the pane.
    pub replies: Vec<String>,
    /// The kernel's output.
    pub output: Vec<String>,
    /// The timeline.
    pub timeline: TimelineView,
    /// The message.
    pub status: Option<StatusText>,
    /// The progress of a command that takes long.
    pub progress: Option<String>,
    /// The unit of steps.
    pub unit: StepUnit,
}

impl ScreenView {
    /// Reads the session. Keeps in the state how much each pane shows, for the moves of the next key.
    pub fn of(app: &mut App, console: &mut Console<'_, '_>) -> ScreenView {
        app.seen.begin(console.session.step());
        let (width, height) = app.size;
        // Of a screen that is too small, only the size is shown.
        let panes =
            panes(width, height).or_else(|| panes(crate::layout::LEAST.0, crate::layout::LEAST.1));
        let panes = panes.unwrap_or_else(|| unreachable!("the least screen has panes"));
        let title = console.position().lines().next().unwrap_or_default().to_owned();
        let lines = |texts: &[String], rows: usize, below: usize| -> Vec<String> {
            let end = texts.len().saturating_sub(below);
            texts[end.saturating_sub(rows)..end].to_vec()
        };
        let tab = match (app.tab, panes.replies) {
            // On a tall screen, the replies are below.
            (Pane::Replies, Some(_)) => Pane::Memory,
            (tab, _) => tab,
        };
        let (_, rows) = crate::layout::inside(panes.replies.unwrap_or(panes.lower));
        app.scroll = app.scroll.min(app.replies.len().saturating_sub(rows));
        let (findings, finding) = findings(app, panes);
        ScreenView {
            words: app.words,
            color: app.color,
            pane: app.pane,
            tab,
            mode: app.mode.clone(),
            title: app.say(&title),
            source: source::view(app, console, panes.source),
            variables: variables::view(app, console, panes.variables),
            warp: lanes::view(app, console),
            memory: memory::view(app, console, panes.lower),
            findings,
            finding,
            replies: lines(&app.replies, rows, app.scroll),
            output: output(console, panes),
            timeline: timeline::view(app, console),
            status: app.status.clone(),
            progress: None,
            unit: app.unit,
        }
    }
}

/// The findings around the selected one, and the whole text of that one.
fn findings(app: &App, panes: Panes) -> (Option<Vec<ListRow>>, Vec<String>) {
    let (columns, rows) = crate::layout::inside(panes.lower);
    let Some(all) = &app.findings else { return (None, Vec::new()) };
    let whole = all.get(app.finding).map_or(String::new(), |one| app.say(&one.text));
    let whole = wrapped(&whole, columns, rows.div_ceil(2));
    let rows = rows.saturating_sub(whole.len()).max(1);
    let first = (app.finding + 1).saturating_sub(rows);
    let row = |(index, one): (usize, &crate::state::FindingLine)| {
        let place = one.place.as_ref().map_or(String::new(), |(file, line)| {
            format!(" {}:{line}", file.rsplit(['/', '\\']).next().unwrap_or(file))
        });
        let text = format!("{}{place}: {}", index + 1, app.say(&one.text));
        ListRow { text, is_selected: index == app.finding }
    };
    (Some(all.iter().enumerate().skip(first).take(rows).map(row).collect()), whole)
}

/// The last lines that the kernel has printed.
fn output(console: &Console<'_, '_>, panes: Panes) -> Vec<String> {
    let (_, rows) = crate::layout::inside(panes.lower);
    let session = &*console.session;
    let printed = match session.moment() {
        Some(moment) => &moment.printed,
        None => &session.timeline().end().outcome.printed,
    };
    let lines: Vec<&str> = printed.lines().collect();
    lines[lines.len().saturating_sub(rows)..].iter().map(|line| (*line).to_owned()).collect()
}
