//! The source around the current line.

use crate::layout::inside;
use crate::state::App;
use lanework_debug::commands::Console;
use lanework_debug::session::breakpoints::BreakpointKind;
use ratatui_core::layout::Rect;
use std::collections::HashMap;

/// A line of source.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceRow {
    /// Its number.
    pub number: u32,
    /// The text.
    pub text: String,
    /// Whether the selected thread is there.
    pub is_current: bool,
    /// Whether the cursor is there.
    pub is_cursor: bool,
    /// Whether it has a breakpoint.
    pub has_breakpoint: bool,
    /// Whether a finding is there.
    pub has_finding: bool,
    /// Warps of the block that are there.
    pub warps: usize,
}

/// The source.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceView {
    /// The file.
    pub file: String,
    /// The lines.
    pub rows: Vec<SourceRow>,
    /// The file whose text is missing, if it is.
    pub missing: Option<String>,
}

pub(super) fn view(app: &mut App, console: &mut Console<'_, '_>, pane: Rect) -> SourceView {
    let session = &*console.session;
    let code = &session.scope().code;
    let place = session.place();
    let current = code.next_place(place.instruction).map(|place| place.line);
    let current = current.map(|at| (code.file(at.file).to_owned(), at.line));
    let first = || {
        let file = code.main_file()?;
        Some((code.file(file).to_owned(), 1))
    };
    app.shown = current.clone().or_else(first);
    let Some((file, line)) = app.cursor.clone().or_else(|| app.shown.clone()) else {
        return SourceView::default();
    };
    let mut breakpoints: Vec<u32> = Vec::new();
    for one in session.breakpoints() {
        if let BreakpointKind::Line(at) = one.kind
            && code.file(at.file) == file
        {
            breakpoints.push(at.line);
        }
    }
    let mut warps: HashMap<u32, usize> = HashMap::new();
    let block = session.moment().and_then(|moment| moment.block(session.focus().0));
    for warp in block.iter().flat_map(|block| &block.warps) {
        let at = warp.lanes.first().and_then(|lanes| code.next_place(lanes.instruction));
        if let Some(at) = at.filter(|at| code.file(at.line.file) == file) {
            *warps.entry(at.line.line).or_default() += 1;
        }
    }
    let found = |line: u32| {
        let mut all = app.findings.iter().flatten().filter_map(|one| one.place.as_ref());
        all.any(|(of, at)| *at == line && *of == file)
    };
    let Some(text) = console.source_text(&file) else {
        return SourceView { missing: Some(file.clone()), file, rows: Vec::new() };
    };
    let (_, height) = inside(pane);
    let last = (text.len() as u32).saturating_sub(height as u32);
    let top = line.saturating_sub(height as u32 / 2 + 1).min(last);
    let row = |(index, text): (usize, &String)| {
        let number = index as u32 + 1;
        SourceRow {
            number,
            text: text.replace('\t', "    ").chars().skip(app.shift).collect(),
            is_current: current.as_ref().is_some_and(|at| at.0 == file && at.1 == number),
            is_cursor: app.cursor.is_some() && number == line,
            has_breakpoint: breakpoints.contains(&number),
            has_finding: found(number),
            warps: warps.get(&number).copied().unwrap_or(0),
        }
    };
    let rows = text.iter().enumerate().skip(top as usize).take(height).map(row).collect();
    SourceView { rows, file, missing: None }
}
