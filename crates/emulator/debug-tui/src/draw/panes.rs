//! The panes of the source, the variables, the warp and the timeline.

use crate::draw::canvas::{Canvas, Ink, columns};
use crate::state::{MarkKind, Pane};
use crate::view::{LaneCell, ScreenView, SourceRow};
use ratatui_core::layout::Rect;

/// Lanes in a row of the warp pane.
const LANES: usize = 4;

impl Canvas<'_> {
    /// The source.
    pub(super) fn source(&mut self, view: &ScreenView, area: Rect) {
        let name = view.source.file.rsplit(['/', '\\']).next().unwrap_or_default();
        let title = format!("{} {name}", Self::tab_title(view, Pane::Source, false));
        let legend = (view.words)("B break, ! finding, 2: warps here");
        self.frame(area, view.pane == Pane::Source, (&title, &legend));
        let inside = usize::from(area.width.saturating_sub(2));
        if let Some(file) = &view.source.missing {
            let text = (view.words)(&format!("the text of {file} is not available"));
            self.put((area.x + 1, area.y + 1), inside, Ink::Plain, &text);
        }
        for (index, row) in view.source.rows.iter().enumerate() {
            self.source_row((area.x + 1, area.y + 1 + index as u16), inside, row);
        }
    }

    fn source_row(&mut self, (x, y): (u16, u16), inside: usize, row: &SourceRow) {
        let warps = match row.warps {
            0 => " ".to_owned(),
            count @ 1..=9 => count.to_string(),
            _ => "+".to_owned(),
        };
        let here = if row.is_current { '>' } else { ' ' };
        let text = format!("{:>4}{here}{warps}│{}", row.number, row.text);
        let ink = match (row.is_current, row.is_cursor) {
            (true, _) => Ink::Selected,
            (_, true) => Ink::Cursor,
            _ => Ink::Plain,
        };
        if row.has_breakpoint {
            self.put((x, y), 1, Ink::Stop, "B");
        }
        if row.has_finding {
            self.put((x + 1, y), 1, Ink::Alarm, "!");
        }
        match ink {
            Ink::Plain => {
                self.put((x + 2, y), inside - 2, ink, &text);
            }
            _ => self.row((x + 2, y), inside - 2, ink, &text),
        }
    }

    /// The variables.
    pub(super) fn variables(&mut self, view: &ScreenView, area: Rect) {
        let title = Self::tab_title(view, Pane::Variables, false);
        let legend = (view.words)("* changed, ? not written yet");
        let has_focus = view.pane == Pane::Variables;
        self.frame(area, has_focus, (&title, &legend));
        let inside = usize::from(area.width.saturating_sub(2));
        if view.variables.rows.is_empty() {
            let text = (view.words)("no variables are known here");
            self.put((area.x + 1, area.y + 1), inside, Ink::Plain, &text);
        }
        for (index, row) in view.variables.rows.iter().enumerate() {
            let mark = if row.has_changed { '*' } else { ' ' };
            let text = match &row.value {
                Some(value) => format!("{mark}{} = {value}", row.name),
                None => format!("{mark}{}: {}", row.name, (view.words)("no value at this step")),
            };
            let ink = match (has_focus && row.is_selected, row.has_changed) {
                (true, _) => Ink::Selected,
                (_, true) => Ink::Changed,
                _ => Ink::Plain,
            };
            self.row((area.x + 1, area.y + 1 + index as u16), inside, ink, &text);
        }
    }

    /// The lanes of the warp.
    pub(super) fn warp(&mut self, view: &ScreenView, area: Rect) {
        let warp = &view.warp;
        let (number, count) = warp.warp;
        let label = Self::tab_title(view, Pane::Warp, false);
        let progress = match warp.progress {
            "" => String::new(),
            progress => format!(" {}", (view.words)(progress)),
        };
        let title = format!("{label} {number}/{count}{progress}: {}", warp.expression);
        let legend = (view.words)("runs #, elsewhere ., exited -");
        let has_focus = view.pane == Pane::Warp;
        self.frame(area, has_focus, (title.trim_end(), &legend));
        let inside = usize::from(area.width.saturating_sub(2));
        let (left, top) = (area.x + 1, area.y + 1);
        let is_empty = warp.lanes.iter().all(|lane| lane.value.is_empty());
        if let Some(why) = warp.why.as_ref().filter(|_| is_empty) {
            self.put((left, top), inside, Ink::Plain, &(view.words)(why));
        }
        if is_empty && warp.why.is_some() && warp.lanes.iter().all(|lane| lane.mark == ' ') {
            return;
        }
        // The number of the row's first lane, then the cells.
        let width = (inside - 2) / LANES;
        for (index, row) in warp.lanes.chunks(LANES).enumerate() {
            let y = top + index as u16;
            if is_empty && index == 0 && warp.why.is_some() {
                continue;
            }
            self.put((left, y), 2, Ink::Faint, &format!("{:>2}", index * LANES));
            for (column, cell) in row.iter().enumerate() {
                let x = left + 2 + (column * width) as u16;
                self.lane((x, y), width, cell);
            }
        }
    }

    fn lane(&mut self, (x, y): (u16, u16), width: usize, cell: &LaneCell) {
        let ink = match (cell.is_selected, cell.has_changed) {
            (true, _) => Ink::Selected,
            (_, true) => Ink::Changed,
            _ => Ink::Plain,
        };
        let text = cell_text(&cell.value, cell.is_written, cell.has_changed, width - 2);
        // A bar is left of the selected lane, so that it does not depend on the style.
        let bar = if cell.is_selected { '[' } else { ' ' };
        self.put((x, y), width, ink, &format!("{bar}{}{text}", cell.mark));
    }

    /// The marks and the bar of the timeline.
    pub(super) fn timeline(&mut self, view: &ScreenView, area: Rect) {
        let timeline = &view.timeline;
        let label = Self::tab_title(view, Pane::Timeline, view.pane == Pane::Timeline);
        let position = format!("{}/{}", timeline.step, timeline.steps);
        let begin = columns(&label).max(columns(&position)) + 1;
        self.put((area.x, area.y), begin, Ink::Plain, &label);
        self.put((area.x, area.y + 1), begin, Ink::Plain, &position);
        let width = usize::from(area.width).saturating_sub(begin + 1).max(1);
        let column = |step: u64| {
            let at = u128::from(step) * (width as u128 - 1) / u128::from(timeline.steps.max(1));
            (at as usize).min(width - 1)
        };
        let left = area.x + begin as u16;
        let now = column(timeline.step);
        let bar = format!("{}>{}", "=".repeat(now), "-".repeat(width - 1 - now));
        self.put((left, area.y + 1), width, Ink::Past, &bar);
        // A finding covers a stop in the same column.
        for kind in [MarkKind::Stop, MarkKind::Finding] {
            let (letter, ink) = match kind {
                MarkKind::Stop => ("B", Ink::Stop),
                MarkKind::Finding => ("!", Ink::Alarm),
            };
            for mark in timeline.marks.iter().filter(|mark| mark.kind == kind) {
                self.put((left + column(mark.step) as u16, area.y), 1, ink, letter);
            }
        }
        if let Some(aim) = timeline.aim {
            let (x, text) = (left + column(aim) as u16, format!("^{aim}"));
            self.put((x, area.y), columns(&text), Ink::Focus, &text);
        }
    }
}

/// A value right-aligned in a cell: `?` for memory that was never written, `*` after a change.
pub(super) fn cell_text(value: &str, is_written: bool, has_changed: bool, width: usize) -> String {
    let mark = if has_changed { '*' } else { ' ' };
    let value = super::cut(if is_written { value } else { "?" }, width.saturating_sub(1));
    let blank = " ".repeat(width.saturating_sub(1 + columns(&value)));
    format!("{blank}{value}{mark}")
}
